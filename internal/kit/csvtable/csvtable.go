// Package csvtable reads and writes tables as CSV, in the dialect of
// WikiTableQuestions too.
package csvtable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrQuote is the error for a quoted field without an end.
var ErrQuote = errors.New("quoted field is never closed, expected a closing \"")

// SyntaxError is ill-formed CSV with its line, from 1.
type SyntaxError struct {
	Line int
	Err  error
}

// Error implements [error].
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Reader splits CSV into records as RFC 4180 has it, and in addition reads a
// backslash before a quote or a backslash in a quoted field as its escape, as
// WikiTableQuestions writes them. A quote within an unquoted field, and text
// after a closing quote, are read as they are. Fields and bytes beyond the bounds
// are dropped.
type Reader struct {
	Separator byte // of fields; a comma by default

	r      *bufio.Reader
	fields int    // highest number of fields of a record; further ones are dropped
	bytes  int    // highest number of bytes of a field; further ones are dropped
	line   int    // lines read so far
	start  int    // line of the last record, from 1
	text   []byte // of the field that is being read
}

// NewReader returns a reader that drops fields of a record and bytes of a field beyond these numbers. It
// skips a byte order mark.
func NewReader(r *bufio.Reader, fields, bytes int) *Reader {
	const byteOrderMark = "\ufeff"
	if start, _ := r.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		r.Discard(len(byteOrderMark))
	}
	return &Reader{Separator: ',', r: r, fields: fields, bytes: bytes}
}

// Read returns the next record, or io.EOF; blank lines are passed over. Errors
// of the text are [*SyntaxError]s.
func (c *Reader) Read() ([]string, error) {
	for {
		if _, err := c.r.Peek(1); err != nil { // io.EOF at the end
			return nil, err
		}
		c.start = c.line + 1
		record, blank, err := c.record()
		if err != nil || !blank {
			return record, err
		}
	}
}

// Line returns the line, from 1, on which the last record begins.
func (c *Reader) Line() int { return c.start }

// record reads a record up to the end of its line, and reports whether the line is blank. A quoted empty
// field is not blank: it is the cell of a table of one column.
func (c *Reader) record() (record []string, blank bool, err error) {
	for n := 0; ; n++ {
		end, quoted, err := c.field()
		if err != nil {
			return nil, false, err
		}
		if n < c.fields { // further fields are dropped
			record = append(record, string(c.text))
		}
		if end != c.Separator {
			return record, n == 0 && len(c.text) == 0 && !quoted, nil
		}
	}
}

// field reads a field into c.text. It returns the byte that ends the field, the separator or a line feed, or 0
// at the end of the data, and whether the field begins with a quote.
func (c *Reader) field() (end byte, quoted bool, err error) {
	c.text = c.text[:0]
	if quoted = c.follows(`"`); quoted {
		c.r.Discard(1)
		if err := c.quotation(); err != nil {
			return 0, quoted, err
		}
	}
	end, err = c.plain()
	return end, quoted, err
}

// quotation reads the rest of a quoted field after its opening quote, up to and including the closing one.
func (c *Reader) quotation() error {
	start := c.line + 1
	for {
		b, err := c.r.ReadByte()
		if err == io.EOF {
			return &SyntaxError{start, ErrQuote}
		}
		if err != nil {
			return err
		}
		switch b {
		case '\n':
			c.line++
		case '\\':
			if c.follows(special) { // else the backslash is a part of the text
				b, _ = c.r.ReadByte()
			}
		case '"':
			if !c.follows(`"`) {
				return nil
			}
			c.r.Discard(1) // a doubled quote is one in the text
		}
		c.keep(b)
	}
}

// plain reads text outside quotes up to and including the byte that ends the field, which it returns: the separator
// or a line feed, or 0 at the end of the data.
func (c *Reader) plain() (end byte, err error) {
	for {
		b, err := c.r.ReadByte()
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		switch b {
		case c.Separator:
			return b, nil
		case '\n':
			c.line++
			return b, nil
		case '\r':
			if next, err := c.r.Peek(1); err != nil || next[0] == '\n' {
				continue // part of the line break
			}
		}
		c.keep(b)
	}
}

// follows reports whether one of the characters comes next.
func (c *Reader) follows(chars string) bool {
	next, _ := c.r.Peek(1)
	return bytes.ContainsAny(next, chars)
}

// keep appends a byte to the field, unless the field is full.
func (c *Reader) keep(b byte) {
	if len(c.text) < c.bytes {
		c.text = append(c.text, b)
	}
}

// special are the characters that WikiTableQuestions escapes by a backslash.
const special = `"\`

var escaper = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// Append appends a record as WikiTableQuestions writes it: every field in quotes,
// with a backslash before quotes and backslashes, and a line feed at the end.
func Append(dst []byte, record []string) []byte {
	for i, field := range record {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, escaper.Replace(field)...)
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
