// Package recording keeps answers that were dear to get in a file of JSON lines, so
// that nothing is asked twice and work can be repeated without asking at all.
//
// What is asked for is a task, which its [Key] identifies. The key includes who is to answer, such as a
// model's name, so that a file may hold the answers of several.
package recording

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
)

// Form describes the lines of a file.
type Form[R any] struct {
	What string // what a file holds, for messages: "recorded drafts"
	// Opening is how every line begins: it identifies the form of a file that holds
	// only a line that was cut off.
	Opening string
	Decode  func(line []byte) (*R, error) // also checks that the line is one that was written whole
	Encode  func(*R) ([]byte, error)      // returns a line with its end
	Key     func(*R) Key                  // of the task, by which it is found again
	// Empty reports whether an answer is of no use, so that a later one replaces it.
	Empty func(*R) bool
}

// Key identifies a task, with who is to answer it: 128 bits of a cryptographic hash.
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
	offset int64 // of the line in the file
	size   int   // of the line, in bytes
	line   Key   // hash of the line
	empty  bool  // whether the answer is of no use
}

// contents index the valid lines of a file: for each task the first answer that is not empty, else the
// first.
type contents[R any] struct {
	form   Form[R]
	file   *os.File
	places map[Key]place // by task
	end    int64         // offset after the last whole line
	rest   []byte        // a last line without an end, which was cut off
	valid  int           // number of valid lines
}

// MaxLine bounds a line, in bytes: the drafts of a question, or an answer about a wide
// table, have some tens of thousands.
const MaxLine = 4 << 20

// read indexes a file. A last line without an end was cut off and is left in rest;
// other bad lines are reported. It returns an error for a file of something else: one
// without a valid line, unless it is empty or holds only a line that was cut off.
func read[R any](form Form[R], f *os.File, report func(error)) (*contents[R], error) {
	c := &contents[R]{form: form, file: f, places: map[Key]place{}}
	var bad []error
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 1<<16), MaxLine)
	s.Split(wholeLines)
	for n := 1; s.Scan(); n++ {
		text := s.Bytes()
		if !bytes.HasSuffix(text, []byte("\n")) { // the last line
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
	isCutOpening := bytes.HasPrefix(c.rest, []byte(form.Opening[:min(len(form.Opening), len(c.rest))])) // also if it is empty
	if c.valid == 0 && (len(bad) > 0 || !isCutOpening) {
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

// sum returns a hash of the indexed lines that does not depend on their order.
func (c *contents[R]) sum() Key {
	var lines []Key
	for _, p := range c.places {
		lines = append(lines, p.line)
	}
	slices.SortFunc(lines, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, l := range lines {
		h.Write(l[:])
	}
	return Key(h.Sum(nil))
}

// wholeLines is a [bufio.SplitFunc] for lines with their line breaks; the last one may have none.
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

// add indexes the record of the line text at an offset, unless its task has an answer already. One that is
// not empty replaces an empty one.
func (c *contents[R]) add(r *R, offset int64, text []byte) {
	p := place{offset, len(text), Hash(string(text)), c.form.Empty(r)}
	if old, ok := c.places[c.form.Key(r)]; !ok || old.empty && !p.empty {
		c.places[c.form.Key(r)] = p
	}
}

// forgetEmpty removes empty answers from the index.
func (c *contents[R]) forgetEmpty() {
	maps.DeleteFunc(c.places, func(_ Key, p place) bool { return p.empty })
}

// record reads the answer to a task again from its place in the file; it returns nil for none, and an error if the file was changed.
func (c *contents[R]) record(task Key) (*R, error) {
	p, ok := c.places[task]
	if !ok {
		return nil, nil
	}
	text := make([]byte, p.size)
	if _, err := c.file.ReadAt(text, p.offset); err != nil {
		return nil, err
	}
	if r, err := c.decode(text); err == nil && c.form.Key(r) == task {
		return r, nil
	}
	return nil, fmt.Errorf("%s: changed while it was in use", c.file.Name())
}

// Recording is a file that a [Recorder] wrote, to be read only. It is safe for
// concurrent use, and nothing of it depends on the order of the lines.
type Recording[R any] struct {
	contents *contents[R]
	sum      Key // of the lines
}

// Open opens a file of recorded answers. It skips a last line that was cut off, and
// reports and skips other lines that are no answer.
func Open[R any](form Form[R], path string, report func(error)) (*Recording[R], error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := read(form, f, report)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Recording[R]{c, c.sum()}, nil
}

// Key identifies what the file holds.
func (r *Recording[R]) Key() string { return "recorded " + hex.EncodeToString(r.sum[:8]) }

// ForgetEmpty passes over empty answers, as if nobody had given them.
func (r *Recording[R]) ForgetEmpty() { r.contents.forgetEmpty() }

// Get returns the answer to a task, nil for none.
func (r *Recording[R]) Get(task Key) (*R, error) { return r.contents.record(task) }

// Each reads every record, in no order.
func (r *Recording[R]) Each(each func(*R)) error {
	for task := range r.contents.places {
		record, err := r.Get(task)
		if err != nil {
			return err
		}
		each(record)
	}
	return nil
}

// Close closes the file.
func (r *Recording[R]) Close() error { return r.contents.file.Close() }
