package dataset

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// RecordError is a problem of one record of a file. The records after it can be used.
type RecordError struct {
	File   string
	Record int // position in the file, from 1: element of an array, line, member of an object; 0 for the file as a whole
	Err    error
}

func (e *RecordError) Error() string { return (&FileError{e.File, e.Record, e.Err}).Error() }

// Unwrap returns what is wrong.
func (e *RecordError) Unwrap() error { return e.Err }

// Note marks an error that does no harm: the record is used in spite of it. All other records that
// a reader reports were left out.
func Note(err error) error { return &note{err} }

type note struct{ error }

func (n *note) Unwrap() error { return n.error }

// IsNote reports whether an error is a [Note], or wraps one.
func IsNote(err error) bool {
	_, ok := errors.AsType[*note](err)
	return ok
}

// FileError reports where a file breaks off: nothing after it can be read.
type FileError struct {
	File   string
	Record int // as in [RecordError]; 0 for the file as a whole
	Err    error
}

// Error returns FILE:RECORD and the problem.
func (e *FileError) Error() string {
	if e.Record == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Record, e.Err)
}

// Unwrap returns what is wrong.
func (e *FileError) Unwrap() error { return e.Err }

// maxRecord bounds the memory that one record of a file can take, in bytes of
// JSON. Spider's largest schema has 22 kB.
const maxRecord = 16 << 20

var (
	errTooLarge = fmt.Errorf("record is larger than %d MiB, expected less", maxRecord>>20)
	errNotUTF8  = errors.New("text is not UTF-8, expected UTF-8")
)

// scanner splits a JSON file into records and holds only one at a time. It only finds the ends of
// values; problems within a record are left to the decoder of the record, and the scanner
// continues after it.
type scanner struct {
	r     *bufio.Reader
	buf   []byte
	large bool // the value is larger than maxRecord; buf holds its beginning, or nothing of a line
}

// newScanner returns a scanner that skips a byte order mark.
func newScanner(r io.Reader) *scanner {
	s := &scanner{r: bufio.NewReaderSize(r, 1<<16)}
	if bom, _ := s.r.Peek(3); string(bom) == "\xef\xbb\xbf" {
		s.r.Discard(3)
	}
	return s
}

// token returns the next byte that is no blank.
func (s *scanner) token() (byte, error) {
	for {
		b, err := s.r.ReadByte()
		if err != nil || !isBlank(b) {
			return b, err
		}
	}
}

func isBlank(b byte) bool { return strings.IndexByte(" \n\t\r", b) >= 0 }

// expect reads the next token, which must be one of want.
func (s *scanner) expect(want string) (byte, error) {
	b, err := s.token()
	if err == io.EOF {
		return 0, fmt.Errorf("file ends here, expected %s", oneOf(want))
	}
	if err == nil && strings.IndexByte(want, b) < 0 {
		err = fmt.Errorf("found %q, expected %s", b, oneOf(want))
	}
	return b, err
}

func oneOf(chars string) string { return strings.Join(strings.Split(chars, ""), " or ") }

// end checks that nothing follows.
func (s *scanner) end() error {
	b, err := s.token()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("found %q after the end of the JSON value, expected the end of the file", b)
	}
	return err
}

// value reads the next value. The bytes are valid until the next call. problem reports a value
// that is too large or not UTF-8; it is skipped.
func (s *scanner) value() (raw []byte, problem, err error) {
	s.buf, s.large = s.buf[:0], false
	b, err := s.token()
	if err != nil {
		return nil, nil, err
	}
	s.keep(b)
	switch b {
	case '"':
		err = s.span(&spanState{inString: true})
	case '{', '[':
		err = s.span(&spanState{depth: 1})
	default:
		err = s.scalar(b)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case s.large:
		problem = errTooLarge
	case !utf8.Valid(s.buf):
		problem = errNotUTF8
	}
	return s.buf, problem, nil
}

// spanState is the state of span within a value.
type spanState struct {
	depth             int // of objects and arrays
	inString, escaped bool
}

// span reads up to the end of the string, object or array that st describes. It processes all
// buffered bytes in one loop, because files are large.
func (s *scanner) span(st *spanState) error {
	for {
		if _, err := s.r.Peek(1); err != nil {
			return err
		}
		chunk, _ := s.r.Peek(s.r.Buffered())
		n := st.sweep(chunk)
		s.keep(chunk[:n]...)
		s.r.Discard(n)
		if !st.inString && st.depth == 0 {
			return nil
		}
	}
}

// sweep returns how many bytes of chunk belong to the value.
func (st *spanState) sweep(chunk []byte) int {
	for i := 0; i < len(chunk); i++ {
		if st.inString {
			switch c := chunk[i]; {
			case st.escaped:
				st.escaped = false
			case c == '\\':
				st.escaped = true
			case c == '"':
				if st.inString = false; st.depth == 0 {
					return i + 1
				}
			}
			continue
		}
		switch chunk[i] {
		case '"':
			st.inString = true
		case '{', '[':
			st.depth++
		case '}', ']':
			if st.depth--; st.depth == 0 {
				return i + 1
			}
		}
	}
	return len(chunk)
}

// keep appends bytes to the value, up to maxRecord in all.
func (s *scanner) keep(b ...byte) {
	if room := maxRecord - len(s.buf); len(b) > room {
		b, s.large = b[:room], true
	}
	s.buf = append(s.buf, b...)
}

// scalar reads the rest of a number or of a word like null.
func (s *scanner) scalar(first byte) error {
	if strings.IndexByte(",:]}", first) >= 0 {
		return fmt.Errorf("found %q, expected a value", first)
	}
	for {
		b, err := s.r.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if isBlank(b) || strings.IndexByte(`,:]}[{"`, b) >= 0 {
			return s.r.UnreadByte()
		}
		s.keep(b)
	}
}

// array calls f with each element of an array, counted from 1, until f returns false. An error
// concerns the array itself and has the number of the element.
func (s *scanner) array(f func(i int, raw []byte, problem error) bool) error {
	if _, err := s.expect("["); err != nil {
		return err
	}
	for i := 1; ; i++ {
		if done, err := s.closes(']', i); done || err != nil {
			return err
		}
		raw, problem, err := s.value()
		if err != nil {
			return &elementError{i, err}
		}
		if !f(i, raw, problem) {
			return nil
		}
		if b, err := s.expect(",]"); err != nil {
			return &elementError{i, err}
		} else if b == ']' {
			return nil
		}
	}
}

// object calls f with each key of an object, until f returns false; f must
// read the value.
func (s *scanner) object(f func(i int, key string) (bool, error)) error {
	if _, err := s.expect("{"); err != nil {
		return err
	}
	for i := 1; ; i++ {
		if done, err := s.closes('}', i); done || err != nil {
			return err
		}
		raw, _, err := s.value()
		if err != nil {
			return &elementError{i, err}
		}
		var key string
		if err := json.Unmarshal(raw, &key); err != nil {
			return &elementError{i, errors.New("found no key, expected a string")}
		}
		if _, err := s.expect(":"); err != nil {
			return &elementError{i, err}
		}
		more, err := f(i, key)
		if err != nil {
			return &elementError{i, err}
		}
		if !more {
			return nil
		}
		if b, err := s.expect(",}"); err != nil {
			return &elementError{i, err}
		} else if b == '}' {
			return nil
		}
	}
}

// closes reports whether an array or object is empty; element is the number of the element to be
// read.
func (s *scanner) closes(bracket byte, element int) (bool, error) {
	if element > 1 {
		return false, nil
	}
	b, err := s.token()
	if err != nil {
		return false, &elementError{element, err}
	}
	if b == bracket {
		return true, nil
	}
	return false, s.r.UnreadByte()
}

// elementError is an error of JSON at an element of an array or object.
type elementError struct {
	element int
	err     error
}

func (e *elementError) Error() string { return e.err.Error() }
func (e *elementError) Unwrap() error { return e.err }

// broken returns an error of the scanner, after which a file cannot be read further, as a
// FileError.
func broken(file string, err error) error {
	at := 1
	for e := (*elementError)(nil); errors.As(err, &e); err = e.err {
		at = e.element // the innermost counts
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		err = fmt.Errorf("compressed data is damaged or cut off, expected whole gzip data: %w", err)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("file ends within the record, expected whole JSON: %w", io.ErrUnexpectedEOF)
	}
	return &FileError{File: file, Record: at, Err: err}
}

// find returns the first of the names that is a file of a folder.
func find(dir string, names ...string) (string, error) {
	for _, name := range names {
		if !filepath.IsLocal(name) {
			return "", &fs.PathError{Op: "stat", Path: filepath.Join(dir, name), Err: fs.ErrInvalid}
		}
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return name, err
		}
	}
	return "", &FileError{File: filepath.Join(dir, names[0]), Err: fmt.Errorf("%w, expected one of %s", fs.ErrNotExist, strings.Join(names, ", "))}
}

// OpenText opens a file, unpacked where it is gzip or bzip2.
func OpenText(path string) (*bufio.Reader, io.Closer, error) {
	path = filepath.Clean(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r, err := unpacked(f)
	if err != nil {
		f.Close()
		return nil, nil, broken(path, err)
	}
	return bufio.NewReader(r), f, nil
}

// unpacked decompresses gzip and bzip2, which it recognizes by the content.
func unpacked(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	head, _ := br.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(br)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(br), nil
	}
	return br, nil
}
