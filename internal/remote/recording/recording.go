// Package recording keeps answers that were dear to get in a file of JSON lines, so
// that nothing is asked twice and work can be repeated without asking at all.
//
// What is asked for is a task; who answers it is told apart by a text, such as a
// model's name, so that a file may hold the answers of several.
package recording

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
)

// Form describes the lines of a file.
type Form[R any] struct {
	What string // what a file holds, for messages: "recorded drafts"
	// Opening is how every line begins: by it a file that holds nothing but one that
	// was cut off is told from a file of something else.
	Opening string
	Decode  func(line []byte) (*R, error) // also checks that the line is one that was written whole
	Encode  func(*R) ([]byte, error)      // returns a line with its end
	ID      func(*R) (task Key, by string)
	// Empty reports whether an answer is of no use, so that a later one replaces it; nil for never.
	Empty func(*R) bool
}

// Key stands for a task: with 128 bits of a cryptographic sum, two that share one
// will not be met.
type Key [16]byte

// Hash hashes parts with their lengths, so that moving a byte from one to the next
// gives another key.
func Hash(parts ...string) Key {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		io.WriteString(h, p)
	}
	return Key(h.Sum(nil))
}

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// place locates the line of an answer in the file.
type place struct {
	by     string // who answered
	offset int64  // of the line in the file
	size   int    // of the line, in bytes
	line   Key    // hash of the line
	empty  bool   // whether the answer is of no use
}

// contents index the valid lines of a file: for each task and answerer the first answer that is not empty,
// else the first.
type contents[R any] struct {
	form   Form[R]
	file   *os.File
	places map[Key][]place // by task
	end    int64           // offset after the last whole line
	rest   []byte          // a last line without an end, which was cut off
	valid  int             // number of valid lines
}

// MaxLine bounds a line, in bytes: the drafts of a question, or an answer about a wide
// table, have some tens of thousands.
const MaxLine = 4 << 20

// read indexes a file. A last line without an end was cut off and is left in rest;
// other bad lines are reported, unless the file is of something else.
func read[R any](form Form[R], f *os.File, report func(error)) (*contents[R], error) {
	c := &contents[R]{form: form, file: f, places: map[Key][]place{}}
	var bad []error
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 1<<16), MaxLine)
	s.Split(wholeLines)
	for n := 1; s.Scan(); n++ {
		text := s.Bytes()
		if !bytes.HasSuffix(text, []byte("\n")) {
			c.rest = slices.Clone(text)
			break
		}
		r, err := c.decode(text)
		switch {
		case err == nil:
			c.valid++
			c.add(r, c.end, text)
		case len(bytes.TrimSpace(text)) > 0:
			bad = append(bad, &dataset.RecordError{File: f.Name(), Record: n, Err: err})
		}
		c.end += int64(len(text))
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w, expected a file of %s", f.Name(), err, form.What)
	}
	if c.valid == 0 && (len(bad) > 0 || !bytes.HasPrefix(c.rest, []byte(form.Opening[:min(len(form.Opening), len(c.rest))]))) {
		other := fmt.Errorf("%s: is no file of %s, expected lines that begin with %s", f.Name(), form.What, form.Opening)
		if len(bad) > 0 {
			other = fmt.Errorf("%w: %w", other, bad[0])
		}
		return nil, other
	}
	for _, err := range bad {
		report(err)
	}
	return c, nil
}

// sum returns a hash of the lines that does not depend on their order.
func (c *contents[R]) sum() Key {
	var lines []Key
	for _, places := range c.places {
		for _, p := range places {
			lines = append(lines, p.line)
		}
	}
	slices.SortFunc(lines, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, l := range lines {
		h.Write(l[:])
	}
	return Key(h.Sum(nil))
}

// wholeLines is a [bufio.SplitFunc] that leaves lines their end.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// decode parses a line, which must be UTF-8.
func (c *contents[R]) decode(text []byte) (*R, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("text is not UTF-8, expected UTF-8")
	}
	return c.form.Decode(text)
}

// encode returns a record as a line, and checks that the line can be read back.
func (c *contents[R]) encode(r *R) ([]byte, error) {
	text, err := c.form.Encode(r)
	if err != nil {
		return nil, err
	}
	if len(text) >= MaxLine {
		return nil, fmt.Errorf("it is larger than %d MiB, expected less", MaxLine>>20)
	}
	_, err = c.decode(text)
	return text, err
}

// add indexes the record of the line text at an offset, unless its task has an answer by the same answerer
// already. One that is not empty replaces an empty one.
func (c *contents[R]) add(r *R, offset int64, text []byte) {
	task, by := c.form.ID(r)
	p := place{by, offset, len(text), Hash(string(text)), c.form.Empty != nil && c.form.Empty(r)}
	switch old := c.find(task, by); {
	case old == nil:
		c.places[task] = append(c.places[task], p)
	case old.empty && !p.empty:
		*old = p
	}
}

// find returns the place of the answer to a task by one answerer; nil for none.
func (c *contents[R]) find(task Key, by string) *place {
	for i := range c.places[task] {
		if p := &c.places[task][i]; p.by == by {
			return p
		}
	}
	return nil
}

// forgetEmpty removes empty answers from the index.
func (c *contents[R]) forgetEmpty() {
	for task := range c.places {
		c.places[task] = slices.DeleteFunc(c.places[task], func(p place) bool { return p.empty })
	}
}

// record reads the answer to a task again from its place in the file.
func (c *contents[R]) record(task Key, p place) (*R, error) {
	text := make([]byte, p.size)
	if _, err := c.file.ReadAt(text, p.offset); err != nil {
		return nil, err
	}
	if r, err := c.decode(text); err == nil {
		if t, by := c.form.ID(r); t == task && by == p.by {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s: changed while it was in use", c.file.Name())
}

// Recording is a file that a [Recorder] wrote, to be read only. It is safe for
// concurrent use, and nothing of it depends on the order of the lines.
type Recording[R any] struct {
	contents *contents[R]
	sum      Key // of the lines
}

// Open opens a file of recorded answers. A last line that was cut off is read over;
// other lines that are none are reported, and the rest goes on.
func Open[R any](form Form[R], path string, report func(error)) (*Recording[R], error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := read(form, f, report)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for _, places := range c.places {
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.by, b.by) })
	}
	return &Recording[R]{c, c.sum()}, nil
}

// Key identifies what the file holds.
func (r *Recording[R]) Key() string { return "recorded " + hex.EncodeToString(r.sum[:8]) }

// ForgetEmpty passes over empty answers, as if nobody had given them.
func (r *Recording[R]) ForgetEmpty() { r.contents.forgetEmpty() }

// All returns the answers to a task, in the order of who gave them.
func (r *Recording[R]) All(task Key) ([]*R, error) {
	var all []*R
	for _, p := range r.contents.places[task] {
		record, err := r.contents.record(task, p)
		if err != nil {
			return nil, err
		}
		all = append(all, record)
	}
	return all, nil
}

// Each reads every record, in no order.
func (r *Recording[R]) Each(each func(*R)) error {
	for task := range r.contents.places {
		records, err := r.All(task)
		if err != nil {
			return err
		}
		for _, record := range records {
			each(record)
		}
	}
	return nil
}

// Close closes the file.
func (r *Recording[R]) Close() error { return r.contents.file.Close() }
