package paraphrase

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// ErrNotRecorded is for a task that a [Recording] does not hold.
var ErrNotRecorded = errors.New("the recording holds no drafts of this question")

// record is a line of a file of answered tasks.
type record struct {
	Key      string  `json:"key"` // of task and paraphraser, in hexadecimal
	By       string  `json:"by"`  // the paraphraser's Key: model, prompts, settings
	Category string  `json:"category"`
	DB       string  `json:"db_id"`
	Example  int     `json:"example"` // position in the split, for people
	Question string  `json:"question"`
	Query    string  `json:"query"`
	Drafts   []draft `json:"drafts"`
}

type draft struct {
	Question string `json:"question"`
	Source   string `json:"source"`
	Note     string `json:"note,omitempty"`
}

// key stands for a task: with 128 bits of a cryptographic sum, two that share one
// will not be met.
type key [16]byte

// taskKey hashes what identifies a task: its category, database, question and gold
// SQL. The position in the split is not part of it, nor are the mentions, which
// follow from the rest: better rules for them do not cost a new run of the model.
func taskKey(t perturb.Task) key {
	return hash(t.Category, t.DB.ID, t.Example.Question, t.Example.Query)
}

func (r *record) task() key { return hash(r.Category, r.DB, r.Question, r.Query) }

// id is the key of task and paraphraser.
func (r *record) id() string {
	sum := hash(r.By, r.Category, r.DB, r.Question, r.Query)
	return hex.EncodeToString(sum[:])
}

// hash hashes parts with their lengths, so that moving a byte from one to the next
// gives another key.
func hash(parts ...string) key {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		io.WriteString(h, p)
	}
	return key(h.Sum(nil))
}

// place is where in the file a task's line lies, and who answered it.
type place struct {
	by   string
	at   int64
	size int
}

// contents are the good lines of a file: of each task and paraphraser the first.
type contents struct {
	file   *os.File
	places map[key][]place
	sum    key   // of the good lines, in whatever order they are
	end    int64 // behind the last whole line that was read
	rest   []byte
	good   int
}

// maxLine bounds a line, in bytes: a question and 20 drafts under their bounds have
// some tens of thousands.
const maxLine = 4 << 20

// read indexes a file. A last line without an end was cut off and is left in rest;
// other bad lines are reported, unless the file is of something else.
func read(f *os.File, report func(error)) (*contents, error) {
	c := &contents{file: f, places: map[key][]place{}}
	var lines []key
	var bad []error
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 1<<16), maxLine)
	s.Split(wholeLines)
	for n := 1; s.Scan(); n++ {
		text := s.Bytes()
		if !bytes.HasSuffix(text, []byte("\n")) {
			c.rest = slices.Clone(text)
			break
		}
		r, err := decode(text)
		switch {
		case err == nil:
			if c.good++; c.add(r, c.end, len(text)) {
				lines = append(lines, hash(string(text)))
			}
		case len(bytes.TrimSpace(text)) > 0:
			bad = append(bad, &dataset.RecordError{File: f.Name(), Record: n, Err: err})
		}
		c.end += int64(len(text))
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w, expected a file of recorded drafts", f.Name(), err)
	}
	if c.good == 0 && (len(bad) > 0 || !bytes.HasPrefix(c.rest, opening[:min(len(opening), len(c.rest))])) {
		return nil, fmt.Errorf("%s: is no file of recorded drafts, expected lines that begin with %s", f.Name(), opening)
	}
	for _, err := range bad {
		report(err)
	}
	slices.SortFunc(lines, func(a, b key) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, l := range lines {
		h.Write(l[:])
	}
	c.sum = key(h.Sum(nil))
	return c, nil
}

// opening is how every line begins: by it a file that holds nothing but one that was
// cut off is told from a file of something else.
var opening = []byte(`{"key":"`)

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

// add takes in the record whose line is at an offset, and tells whether it is the
// first of its task and paraphraser.
func (c *contents) add(r *record, at int64, size int) bool {
	task := r.task()
	if _, ok := c.find(task, r.By); ok {
		return false
	}
	c.places[task] = append(c.places[task], place{r.By, at, size})
	return true
}

func (c *contents) find(task key, by string) (place, bool) {
	i := slices.IndexFunc(c.places[task], func(p place) bool { return p.by == by })
	if i < 0 {
		return place{}, false
	}
	return c.places[task][i], true
}

// encode returns a record as a line that [decode] reads.
func encode(r *record) ([]byte, error) {
	r.Key = r.id()
	var text bytes.Buffer
	enc := json.NewEncoder(&text) // which ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	if text.Len() >= maxLine {
		return nil, fmt.Errorf("they are larger than %d MiB, expected less", maxLine>>20)
	}
	_, err := decode(text.Bytes())
	return text.Bytes(), err
}

// decode reads a line and checks that it is one that was written whole.
func decode(text []byte) (*record, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("text is not UTF-8, expected UTF-8")
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%w, expected a task with its drafts", err)
	}
	if r.Key != r.id() {
		return nil, fmt.Errorf("\"key\" is %q, expected that of the task, %q", bounded(r.Key, 64), r.id())
	}
	if r.Drafts == nil {
		return nil, errors.New(`lacks "drafts", expected an array`)
	}
	if slices.ContainsFunc(r.Drafts, func(d draft) bool { return strings.TrimSpace(d.Question) == "" }) {
		return nil, errors.New("a draft has no question, expected one")
	}
	return &r, nil
}

// drafts reads a line again.
func (c *contents) drafts(task key, p place) ([]perturb.Draft, error) {
	text := make([]byte, p.size)
	if _, err := c.file.ReadAt(text, p.at); err != nil {
		return nil, err
	}
	r, err := decode(text)
	if err != nil || r.task() != task || r.By != p.by {
		return nil, fmt.Errorf("%s: changed while it was in use", c.file.Name())
	}
	out := make([]perturb.Draft, len(r.Drafts))
	for i, d := range r.Drafts {
		out[i] = perturb.Draft{Question: d.Question, Source: d.Source, Note: d.Note}
	}
	return out, nil
}

// Recording answers from a file that a [Recorder] wrote, and from nothing else.
// Where several models, or several versions of the prompts, answered a task, their
// drafts follow each other in the order of the paraphrasers' keys; so neither the
// drafts nor [Recording.Key] depend on the order of the lines. A Recording is safe
// for concurrent use.
type Recording struct{ contents *contents }

// Recorded opens a file of answered tasks. A last line that was cut off is read over;
// other lines that are no answered task are reported, and the rest goes on.
func Recorded(path string, report func(error)) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := read(f, report)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for _, places := range c.places {
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.by, b.by) })
	}
	return &Recording{c}, nil
}

// Key identifies what the file holds.
func (r *Recording) Key() string { return "recorded " + hex.EncodeToString(r.contents.sum[:8]) }

// Tasks returns how many tasks the file holds the answers to.
func (r *Recording) Tasks() int { return len(r.contents.places) }

// Drafts implements [perturb.Paraphraser]. The error is [ErrNotRecorded] where nobody
// answered the task.
func (r *Recording) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	task := taskKey(t)
	if len(r.contents.places[task]) == 0 {
		return nil, ErrNotRecorded
	}
	all := []perturb.Draft{}
	for _, p := range r.contents.places[task] {
		drafts, err := r.contents.drafts(task, p)
		if err != nil {
			return nil, err
		}
		all = append(all, drafts...)
	}
	return all, nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.contents.file.Close() }
