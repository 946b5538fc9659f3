package mix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tabperturb/tabperturb/dataset"
)

// maxElement bounds the memory that one element of a split can take, in bytes.
const maxElement = 16 << 20

// elements reads the elements of a split that build wrote, one at a time, with all their
// fields.
type elements struct {
	path string
	file *os.File
	in   *budget
	dec  *json.Decoder
	n    int             // number of the element, from 1
	raw  json.RawMessage // the element
}

// openElements opens a split before its first element.
func openElements(path string) (*elements, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	e := &elements{path: path, file: f, in: &budget{r: f, left: maxElement}}
	e.dec = json.NewDecoder(e.in)
	if t, err := e.dec.Token(); err != nil || t != json.Delim('[') {
		return nil, errors.Join(fmt.Errorf("%s: begins with no array, expected the examples of a build", path), f.Close())
	}
	return e, nil
}

// close closes the file. It does nothing for a nil e and at a second call.
func (e *elements) close() error {
	if e == nil || e.file == nil {
		return nil
	}
	err := e.file.Close()
	e.file = nil
	return err
}

// advance moves to the next element.
func (e *elements) advance() error {
	e.n++
	e.in.left = maxElement // bytes that may be read for the next element
	if !e.dec.More() {
		return fmt.Errorf("%s: ends before record %d, expected one element a record of the build", e.path, e.n)
	}
	if err := e.dec.Decode(&e.raw); err != nil {
		return fmt.Errorf("%s:%d: %w, expected an example", e.path, e.n, err)
	}
	return nil
}

// interaction returns the number of the interaction that the element is a turn of, or 0.
func (e *elements) interaction() (int, error) {
	var ex struct {
		Interaction int `json:"interaction"`
	}
	if err := json.Unmarshal(e.raw, &ex); err != nil {
		return 0, fmt.Errorf("%s:%d: %w, expected an example", e.path, e.n, err)
	}
	return ex.Interaction, nil
}

// example returns the element. It returns an error if that is not the example of the
// record at the same position.
func (e *elements) example(db, question, query string) (dataset.SpiderExample, error) {
	var nested json.RawMessage // keeps the order of the members
	ex := dataset.SpiderExample{SQL: &nested}
	if err := json.Unmarshal(e.raw, &ex); err != nil {
		return ex, fmt.Errorf("%s:%d: %w, expected an example", e.path, e.n, err)
	}
	if ex.SQL != nil { // null sets it to nil
		ex.SQL = nested
	}
	if ex.DB != db || ex.Question != question || ex.Query != query {
		return ex, fmt.Errorf("%s:%d: is another example than the record's, expected the files of one build", e.path, e.n)
	}
	return ex, nil
}

// budget is a reader that fails after a number of bytes, which advance renews.
type budget struct {
	r    io.Reader
	left int
}

// Read reads from b.r; it returns an error once as many bytes were read as an element may have.
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("element is larger than %d MiB", maxElement>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
