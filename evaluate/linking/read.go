package linking

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
)

// maxRecord bounds the memory that one record can take, in bytes of JSON; the
// longest of SLSQL has 3 kB.
const maxRecord = 1 << 20

var errTooLarge = fmt.Errorf("record is larger than %d kB, expected less", maxRecord>>10)

// Options configures reading of gold links.
type Options struct {
	// Values takes a token that SLSQL marks as a value for a link to the column
	// that the value is of. ADVETA does not say what it did; Liu et al. (2021),
	// whom it follows, link columns and tables, so the default is not to.
	Values bool
}

// ReadGold reads gold links, plain or gzip: our JSON lines, one [Example] a
// line, or the JSON array of SLSQL (Lei et al., 2020), which is aligned with the
// split by index.
func ReadGold(path string, split *Split, o Options) dataset.Stream[*Example] {
	return func(report func(error), each func(*Example) error) error {
		return read(path, func(r io.Reader) error { return DecodeGold(r, path, split, o)(report, each) })
	}
}

// DecodeGold is [ReadGold] on a reader of plain text, which it can go over once;
// name is for messages.
func DecodeGold(r io.Reader, name string, split *Split, o Options) dataset.Stream[*Example] {
	return func(report func(error), each func(*Example) error) error {
		br := newReader(r)
		if isArray(br) {
			return decodeSLSQL(br, name, split, o, report, each)
		}
		return decodeLines(br, name, split, true, report, each)
	}
}

// ReadPredictions reads predicted links from JSON lines, plain or gzip. A link to an item that the
// schema lacks counts as a wrong link.
func ReadPredictions(in dataset.Input, split *Split) dataset.Stream[*Example] {
	return func(report func(error), each func(*Example) error) error {
		return read(in.Path, func(r io.Reader) error { return decodeLines(newReader(r), in.Name, split, false, report, each) })
	}
}

// newReader returns a buffered reader that skips a byte order mark.
func newReader(r io.Reader) *bufio.Reader {
	br := bufio.NewReader(r)
	if mark, _ := br.Peek(3); string(mark) == "\xef\xbb\xbf" {
		br.Discard(3)
	}
	return br
}

// read opens a file and passes its content to decode, unpacked if it is gzip.
func read(path string, decode func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	br := bufio.NewReader(f)
	if head, _ := br.Peek(2); string(head) != "\x1f\x8b" {
		return decode(br)
	}
	z, err := gzip.NewReader(br)
	if err != nil {
		return &dataset.FileError{File: path, Err: fmt.Errorf("compressed data is damaged, expected gzip: %w", err)}
	}
	return decode(z)
}

// isArray reports whether the first byte that is no blank opens a JSON array. It consumes nothing.
func isArray(r *bufio.Reader) bool {
	head, _ := r.Peek(512)
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
}

// decodeLines reads links from JSON lines. name is the file, for messages; gold is set for gold links, whose
// tables and columns must exist.
func decodeLines(r *bufio.Reader, name string, split *Split, gold bool, report func(error), each func(*Example) error) error {
	seen := map[int]bool{}
	for n := 1; ; n++ {
		line, long, err := dataset.ReadLine(r, maxRecord)
		if err != nil && err != io.EOF {
			return &dataset.FileError{File: name, Record: n, Err: err}
		}
		if len(bytes.TrimSpace(line)) > 0 || long {
			ex, problem := decodeLine(line, long, split, gold)
			if problem == nil && seen[ex.Index] {
				problem = fmt.Errorf("index %d is there already, expected each once; this one is left out", ex.Index)
			}
			if problem != nil {
				report(&dataset.RecordError{File: name, Record: n, Err: problem})
			} else {
				seen[ex.Index] = true
				if err := each(ex); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// decodeLine decodes a line; long is set if it was cut because it is too large.
func decodeLine(line []byte, long bool, split *Split, gold bool) (*Example, error) {
	switch {
	case long:
		return nil, errTooLarge
	case !utf8.Valid(line):
		return nil, errors.New("text is not UTF-8, expected UTF-8")
	}
	var rec struct {
		Index *int
		DB    *string `json:"db_id"`
		Links *[]struct {
			Token  *int
			Table  string
			Column string
		}
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return nil, fmt.Errorf(`%w, expected an object with "index", "db_id" and "links"`, err)
	}
	if rec.Index == nil || rec.DB == nil || rec.Links == nil {
		return nil, errors.New(`lacks a key, expected "index", "db_id" and "links"`)
	}
	ex := &Example{Index: *rec.Index, DB: *rec.DB, Links: make([]Link, 0, len(*rec.Links))}
	for i, l := range *rec.Links {
		if l.Token == nil || l.Table == "" {
			return nil, fmt.Errorf(`link %d lacks a key, expected "token" and "table"`, i+1)
		}
		ex.Links = append(ex.Links, Link{*l.Token, l.Table, l.Column})
	}
	return ex, split.check(ex, gold)
}

// Writer writes examples as JSON lines.
type Writer struct{ enc *json.Encoder }

// NewWriter returns a Writer to w, which it does not buffer.
func NewWriter(w io.Writer) *Writer {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Writer{enc}
}

// Write writes one example, its links in the order of their tokens.
func (w *Writer) Write(ex *Example) error {
	out := *ex
	out.Links = append([]Link{}, ex.Links...)
	sortLinks(out.Links)
	return w.enc.Encode(out)
}
