// Package csvtable reads and writes tables as CSV, in the dialect of
// WikiTableQuestions too.
package csvtable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrQuote says that a quoted field has no end.
var ErrQuote = errors.New("quoted field is never closed, expected a closing \"")

// SyntaxError says in which line, from 1, the CSV breaks.
type SyntaxError struct {
	Line int
	Err  error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Reader splits CSV into records as RFC 4180 has it, and in addition reads a
// backslash before a quote or a backslash in a quoted field as its escape, as
// WikiTableQuestions writes them. A quote within an unquoted field, and text
// after a closing quote, stand for themselves. Fields and bytes beyond the bounds
// are dropped.
type Reader struct {
	r      *bufio.Reader
	fields int // kept of a record
	bytes  int // kept of a field
	line   int // lines read so far
	begun  bool
}

// NewReader returns a reader that keeps so many fields of a record and so many
// bytes of a field.
func NewReader(r *bufio.Reader, fields, bytes int) *Reader {
	return &Reader{r: r, fields: fields, bytes: bytes}
}

// Read returns the next record, or io.EOF; blank lines are passed over. Errors
// of the text are [*SyntaxError]s.
func (c *Reader) Read() ([]string, error) {
	if !c.begun {
		c.begun = true
		if bom, _ := c.r.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
			c.r.Discard(3)
		}
	}
	for {
		record, blank, err := c.record()
		if err != nil || !blank {
			return record, err
		}
	}
}

// record also tells whether the line was blank: a single quoted empty field is a
// record of a table of one column.
func (c *Reader) record() (record []string, blank bool, err error) {
	var field []byte
	anyQuotes := false
	for n := 0; ; n++ {
		field = field[:0]
		end, quoted, err := c.field(&field)
		anyQuotes = anyQuotes || quoted
		if err == io.EOF && n == 0 && len(field) == 0 && !quoted {
			return nil, false, io.EOF
		}
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		if n < c.fields {
			record = append(record, string(field))
		}
		if end != ',' {
			return record, n == 0 && len(field) == 0 && !anyQuotes, nil
		}
	}
}

// field reads up to and including the next separator and returns it: a comma or
// a line feed, or io.EOF with what came before it.
func (c *Reader) field(field *[]byte) (end byte, begunQuoted bool, err error) {
	first, quoted, start := true, false, c.line+1
	for ; ; first = false {
		b, err := c.r.ReadByte()
		switch {
		case err == io.EOF && quoted:
			return 0, begunQuoted, &SyntaxError{start, ErrQuote}
		case err != nil:
			return 0, begunQuoted, err
		case b == '\n':
			c.line++
			if !quoted {
				return b, begunQuoted, nil
			}
		case quoted && b == '\\':
			if next, _ := c.r.Peek(1); len(next) == 1 && (next[0] == '"' || next[0] == '\\') {
				b, _ = c.r.ReadByte()
			}
		case quoted && b == '"':
			if next, _ := c.r.Peek(1); len(next) == 1 && next[0] == '"' {
				c.r.Discard(1)
			} else {
				quoted = false
				continue
			}
		case b == '"' && first:
			quoted, begunQuoted = true, true
			continue
		case b == ',' && !quoted:
			return b, begunQuoted, nil
		case b == '\r' && !quoted:
			if next, _ := c.r.Peek(1); len(next) == 0 || next[0] == '\n' {
				continue
			}
		}
		if len(*field) < c.bytes {
			*field = append(*field, b)
		}
	}
}

// Append appends a record as WikiTableQuestions writes it: every field in quotes,
// with a backslash before quotes and backslashes, and a line feed at the end.
func Append(dst []byte, record []string) []byte {
	for i, field := range record {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		for j := range len(field) {
			if field[j] == '"' || field[j] == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, field[j])
		}
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
