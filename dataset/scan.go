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

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// RecordError is a problem of one record of a file. The records after it can be used.
type RecordError struct {
	File   string
	Record int // position in the file, from 1: element of an array, line, member of an object; 0 for the file as a whole
	Err    error
}

// Error implements [error].
func (e *RecordError) Error() string { return (&FileError{e.File, e.Record, e.Err}).Error() }

// Unwrap returns the problem.
func (e *RecordError) Unwrap() error { return e.Err }

// Note marks an error as harmless: the record is used in spite of it. All other records that a
// reader reports were left out.
func Note(err error) error { return &noteError{err} }

// noteError is an error that [Note] returned.
type noteError struct{ error }

// Unwrap returns the error that n wraps.
func (n *noteError) Unwrap() error { return n.error }

// IsNote reports whether an error is a [Note], or wraps one.
func IsNote(err error) bool {
	_, ok := errors.AsType[*noteError](err)
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

// Unwrap returns the problem.
func (e *FileError) Unwrap() error { return e.Err }

// maxRecord bounds the memory that one record of a file can take, in bytes of
// JSON. Spider's largest schema has 22 kB.
const maxRecord = 16 << 20

var (
	errTooLarge = fmt.Errorf("record is larger than %d MiB, expected less", maxRecord>>20)
	errNotUTF8  = errors.New("text is not UTF-8, expected UTF-8")
)

// scanner splits a JSON file into records and holds one record at a time. It only finds the ends
// of values. The decoder of a record reports problems within it, and the scanner continues after
// it.
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

// newSmallScanner returns a scanner for a record that is in memory.
func newSmallScanner(raw []byte) *scanner {
	return &scanner{r: bufio.NewReaderSize(bytes.NewReader(raw), min(len(raw), 1<<16))}
}

// nextByte reads the next byte that is no blank.
func (s *scanner) nextByte() (byte, error) {
	for {
		b, err := s.r.ReadByte()
		if err != nil || !isBlank(b) {
			return b, err
		}
	}
}

// isBlank reports whether a byte is white space in JSON.
func isBlank(b byte) bool { return strings.IndexByte(" \n\t\r", b) >= 0 }

// expectByte reads the next byte that is no blank, which must be one of want.
func (s *scanner) expectByte(want string) (byte, error) {
	b, err := s.nextByte()
	if err == io.EOF {
		return 0, fmt.Errorf("file ends here, expected %s", joinOr(want))
	}
	if err == nil && strings.IndexByte(want, b) < 0 {
		err = fmt.Errorf("found %q, expected %s", b, joinOr(want))
	}
	return b, err
}

// joinOr lists characters for a message: ", or ]".
func joinOr(chars string) string { return strings.Join(strings.Split(chars, ""), " or ") }

// expectEnd returns an error if anything but blanks follows.
func (s *scanner) expectEnd() error {
	b, err := s.nextByte()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("found %q after the end of the JSON value, expected the end of the file", b)
	}
	return err
}

// nextValue reads the next JSON value. Its bytes are valid until the next call. If the value is
// too large or not UTF-8, it is skipped and problem is set.
func (s *scanner) nextValue() (raw []byte, problem, err error) {
	s.buf, s.large = s.buf[:0], false
	b, err := s.nextByte()
	if err != nil {
		return nil, nil, err
	}
	s.appendValue(b)
	switch b {
	case '"':
		err = s.readSpan(&spanState{inString: true})
	case '{', '[':
		err = s.readSpan(&spanState{depth: 1})
	default:
		err = s.readScalar(b)
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

// spanState is where [scanner.readSpan] is within a value.
type spanState struct {
	depth             int // of objects and arrays
	inString, escaped bool
}

// readSpan reads to the end of the string, object or array that st is in. It processes all
// buffered bytes in one loop, because files are large.
func (s *scanner) readSpan(st *spanState) error {
	for {
		if _, err := s.r.Peek(1); err != nil { // fills an empty buffer
			return err
		}
		chunk, _ := s.r.Peek(s.r.Buffered())
		n := st.endIn(chunk)
		s.appendValue(chunk[:n]...)
		s.r.Discard(n)
		if !st.inString && st.depth == 0 {
			return nil
		}
	}
}

// endIn returns the number of bytes of chunk that belong to the value: all of them if the value
// does not end there.
func (st *spanState) endIn(chunk []byte) int {
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

// appendValue appends bytes to the value, up to maxRecord in all.
func (s *scanner) appendValue(b ...byte) {
	if room := maxRecord - len(s.buf); len(b) > room {
		b, s.large = b[:room], true
	}
	s.buf = append(s.buf, b...)
}

// readScalar reads the rest of a number, or of a word such as null, after its first byte: up to a blank or a sign of JSON,
// which stays unread.
func (s *scanner) readScalar(first byte) error {
	if strings.IndexByte(",:]}", first) >= 0 {
		return fmt.Errorf("found %q, expected a value", first)
	}
	for {
		b, err := s.r.ReadByte()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case isBlank(b), strings.IndexByte(`,:]}[{"`, b) >= 0:
			return s.r.UnreadByte()
		}
		s.appendValue(b)
	}
}

// eachElement passes each element of an array to f, counted from 1, until f returns false. An
// error concerns the array itself and has the number of the element.
func (s *scanner) eachElement(f func(i int, raw []byte, problem error) bool) error {
	if _, err := s.expectByte("["); err != nil {
		return err
	}
	for i := 1; ; i++ {
		if done, err := s.isEmpty(']', i); done || err != nil { // checks only before the first element
			return err
		}
		raw, problem, err := s.nextValue()
		if err != nil {
			return &elementError{i, err}
		}
		if !f(i, raw, problem) {
			return nil
		}
		if b, err := s.expectByte(",]"); err != nil {
			return &elementError{i, err}
		} else if b == ']' {
			return nil
		}
	}
}

// eachMember passes each key of an object to f, counted from 1, until f returns false. f must
// read the value.
func (s *scanner) eachMember(f func(i int, key string) (bool, error)) error {
	if _, err := s.expectByte("{"); err != nil {
		return err
	}
	for i := 1; ; i++ {
		if done, err := s.isEmpty('}', i); done || err != nil {
			return err
		}
		raw, _, err := s.nextValue()
		if err != nil {
			return &elementError{i, err}
		}
		var key string
		if err := json.Unmarshal(raw, &key); err != nil {
			return &elementError{i, errors.New("found no key, expected a string")}
		}
		if _, err := s.expectByte(":"); err != nil {
			return &elementError{i, err}
		}
		goOn, err := f(i, key)
		if err != nil {
			return &elementError{i, err}
		}
		if !goOn {
			return nil
		}
		if b, err := s.expectByte(",}"); err != nil {
			return &elementError{i, err}
		} else if b == '}' {
			return nil
		}
	}
}

// isEmpty reports whether bracket, which it reads, closes an array or object that was just opened. It is called before
// each element, counted from 1; before any but the first it reads nothing and returns false.
func (s *scanner) isEmpty(bracket byte, element int) (bool, error) {
	if element > 1 {
		return false, nil
	}
	b, err := s.nextByte()
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

// Error implements [error].
func (e *elementError) Error() string { return e.err.Error() }

// Unwrap returns the error that e wraps.
func (e *elementError) Unwrap() error { return e.err }

// fileError returns an error of the scanner as a [FileError], with the number of the innermost
// element where it occurred, or 1 if it has none.
func fileError(file string, err error) error {
	element := 1
	for e := (*elementError)(nil); errors.As(err, &e); err = e.err {
		element = e.element // the innermost counts
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		err = fmt.Errorf("compressed data is damaged or cut off, expected whole gzip data: %w", err)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("file ends within the record, expected whole JSON: %w", io.ErrUnexpectedEOF)
	}
	return &FileError{File: file, Record: element, Err: err}
}

// findFile returns the first of the names that a folder has. A name outside the folder is an error.
func findFile(dir string, names ...string) (string, error) {
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

// OpenText opens a file and decompresses gzip and bzip2. UTF-16 with a byte order mark becomes
// UTF-8. The caller must close the closer.
func OpenText(path string) (*bufio.Reader, io.Closer, error) {
	path = filepath.Clean(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r, err := decompress(f)
	if err != nil {
		f.Close()
		return nil, nil, fileError(path, err)
	}
	text := bufio.NewReader(r)
	if hasUTF16Mark(text) {
		text = bufio.NewReader(transform.NewReader(text, unicode.BOMOverride(transform.Nop)))
	}
	return text, f, nil
}

// decompress decompresses gzip and bzip2, which it recognises by their first bytes.
func decompress(r io.Reader) (io.Reader, error) {
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
