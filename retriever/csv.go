package retriever

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

var errQuote = errors.New("quoted field is never closed, expected a closing \"")

// readCSV reads one table from a CSV file, and no further than its sample.
func readCSV(in *input) error {
	// The raw bound leaves room for characters that cleaning drops.
	c := &csvReader{r: bufio.NewReader(in.r), fields: in.lim.Columns, bytes: 16 * max(in.lim.CellRunes, in.lim.HeaderRunes)}
	if err := checkText(c.r); err != nil {
		return in.bad(0, err)
	}
	var records [][]string
	for len(records) <= in.lim.Rows {
		record, err := c.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			var syntax *csvError
			if errors.As(err, &syntax) {
				return in.bad(syntax.line, syntax.err)
			}
			return err
		}
		records = append(records, record)
	}
	if len(records) == 0 {
		return in.bad(0, fmt.Errorf("file is empty: %w", ErrNoHeader))
	}
	return in.emit(0, raw{id: in.name, header: records[0], rows: records[1:]})
}

// csvReader splits CSV into records as RFC 4180 has it, and in addition reads
// a backslash before a quote or a backslash in a quoted field as its escape,
// as WikiTableQuestions writes them. A quote within an unquoted field, and text
// after a closing quote, stand for themselves. Fields and bytes beyond the
// bounds are dropped.
type csvReader struct {
	r      *bufio.Reader
	fields int // kept of a record
	bytes  int // kept of a field
	line   int // lines read so far
	begun  bool
}

type csvError struct {
	line int
	err  error
}

func (e *csvError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

// read returns the next record that is not blank, or io.EOF.
func (c *csvReader) read() ([]string, error) {
	if !c.begun {
		c.begun = true
		if bom, _ := c.r.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
			c.r.Discard(3)
		}
	}
	for {
		record, err := c.record()
		blank := len(record) == 1 && record[0] == ""
		if err != nil || !blank {
			return record, err
		}
	}
}

func (c *csvReader) record() ([]string, error) {
	var record []string
	var field []byte
	for n := 0; ; n++ {
		field = field[:0]
		end, err := c.field(&field)
		if err == io.EOF && n == 0 && len(field) == 0 {
			return nil, io.EOF
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		if n < c.fields {
			record = append(record, string(field))
		}
		if end != ',' {
			return record, nil
		}
	}
}

// field reads up to and including the next separator and returns it: a comma or
// a line feed, or io.EOF with what came before it.
func (c *csvReader) field(field *[]byte) (end byte, err error) {
	first, quoted, start := true, false, c.line+1
	for ; ; first = false {
		b, err := c.r.ReadByte()
		switch {
		case err == io.EOF && quoted:
			return 0, &csvError{start, errQuote}
		case err != nil:
			return 0, err
		case b == '\n':
			c.line++
			if !quoted {
				return b, nil
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
			quoted = true
			continue
		case b == ',' && !quoted:
			return b, nil
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
