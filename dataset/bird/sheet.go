package bird

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// sheet is a CSV file whose cells know where they stand, so that a change of one leaves
// all others byte by byte. Its text is UTF-8 or, cell by cell, Windows-1252.
type sheet struct {
	data []byte
	rows [][]cell // the first has the names of the columns; there is one at least
}

// cell is a cell: data[start:end], with its quotes.
type cell struct {
	start, end int
	text       string
}

var bom = []byte("\xef\xbb\xbf")

// readSheet reads CSV leniently: a quote within a cell that does not begin with one is a
// character, and a quote that is never closed ends with the file.
func readSheet(data []byte) *sheet {
	s := &sheet{data: data}
	at := 0
	if bytes.HasPrefix(data, bom) {
		at = len(bom)
	}
	var row []cell
	for at < len(data) || row != nil {
		c := s.cell(at)
		row = append(row, c)
		at = c.end
		if bytes.HasPrefix(data[at:], []byte(",")) {
			at++
			continue
		}
		s.rows, row = append(s.rows, row), nil
		for at < len(data) && data[at] != '\n' {
			at++
		}
		at++
	}
	if len(s.rows) == 0 {
		s.rows = [][]cell{nil}
	}
	return s
}

// cellForm is a cell, quoted at its beginning or not, and what ends it.
var cellForm = lazyregexp.New(`^((?:"(?:[^"]|"")*"?)?(?s:.*?))(?:,|\r?\n|\z)`)

// cell reads the cell that begins at a position, up to the comma or the line's end.
func (s *sheet) cell(start int) cell {
	at := start + cellForm.Compiled().FindSubmatchIndex(s.data[start:])[3]
	raw := s.data[start:at]
	if quoted, ok := bytes.CutPrefix(raw, []byte(`"`)); ok {
		raw = bytes.ReplaceAll(bytes.TrimSuffix(quoted, []byte(`"`)), []byte(`""`), []byte(`"`))
	}
	return cell{start, at, decodeText(raw)}
}

// decodeText returns text as UTF-8.
func decodeText(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	if err != nil {
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	return string(text)
}

// column returns the position of a column by its name, or -1.
func (s *sheet) column(name string) int {
	return slices.IndexFunc(s.rows[0], func(c cell) bool { return strings.EqualFold(strings.TrimSpace(c.text), name) })
}

// text returns a cell of a row by its column's name; a row that is too short has "".
func (s *sheet) text(row []cell, column string) string {
	if c := s.column(column); c >= 0 && c < len(row) {
		return row[c].text
	}
	return ""
}

// sheetEdit is a sheet being written anew.
type sheetEdit struct {
	*sheet
	out bytes.Buffer
	at  int // the text before is written, or left out
}

// set gives a cell of a row other text. Cells are set from left to right.
func (e *sheetEdit) set(row []cell, column int, text string) {
	if column < 0 || column >= len(row) || row[column].text == text {
		return
	}
	c := row[column]
	e.out.Write(e.data[e.at:c.start])
	e.out.Write(e.encode(text))
	e.at = c.end
}

// drop leaves out a row with its line end.
func (e *sheetEdit) drop(row []cell) {
	e.out.Write(e.data[e.at:row[0].start])
	e.at = row[len(row)-1].end
	if i := bytes.IndexByte(e.data[e.at:], '\n'); i >= 0 {
		e.at += i + 1
	} else {
		e.at = len(e.data)
	}
}

// add puts a row at the end.
func (e *sheetEdit) add(texts []string) {
	e.out.Write(e.data[e.at:])
	e.at = len(e.data)
	newline := "\n"
	if bytes.Contains(e.data, []byte("\r\n")) {
		newline = "\r\n"
	}
	if !bytes.HasSuffix(e.out.Bytes(), []byte("\n")) {
		e.out.WriteString(newline)
	}
	for i, t := range texts {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.out.Write(e.encode(t))
	}
	e.out.WriteString(newline)
}

func (e *sheetEdit) bytes() []byte {
	e.out.Write(e.data[e.at:])
	e.at = len(e.data)
	return e.out.Bytes()
}

// encode returns text as a cell, in the file's encoding.
func (e *sheetEdit) encode(text string) []byte {
	if strings.ContainsAny(text, ",\"\r\n") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	if !utf8.Valid(e.data) {
		if raw, err := charmap.Windows1252.NewEncoder().Bytes([]byte(text)); err == nil {
			return raw
		}
	}
	return []byte(text)
}
