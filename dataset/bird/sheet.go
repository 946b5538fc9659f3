package bird

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// sheet is a CSV file whose cells have their positions in it, so that a changed cell leaves all
// other bytes. Its text is UTF-8 or, cell by cell, Windows-1252.
type sheet struct {
	data []byte
	rows [][]cell // the first has the names of the columns; there is one at least
}

// cell is a cell: data[start:end], with its quotes.
type cell struct {
	start, end int
	text       string
}

// bom is the byte order mark of UTF-8.
var bom = []byte("\xef\xbb\xbf")

// readSheet reads CSV leniently: a quote within an unquoted cell is a character, and a quote
// that is not closed ends with the file.
func readSheet(data []byte) *sheet {
	s := &sheet{data: data}
	offset := 0
	if bytes.HasPrefix(data, bom) {
		offset = len(bom)
	}
	var row []cell
	for offset < len(data) || row != nil { // a comma at the end of the file leaves an empty cell to read
		c := s.cell(offset)
		row = append(row, c)
		offset = c.end
		if bytes.HasPrefix(data[offset:], []byte(",")) {
			offset++
			continue
		}
		s.rows, row = append(s.rows, row), nil
		for offset < len(data) && data[offset] != '\n' { // the carriage return of a line break
			offset++
		}
		offset++
	}
	if len(s.rows) == 0 {
		s.rows = [][]cell{nil} // an empty header
	}
	return s
}

// cellPattern matches a cell, quoted or not, and what ends it: a comma, a line break or the end
// of the file.
var cellPattern = lazyregexp.New(`^((?:"(?:[^"]|"")*"?)?(?s:.*?))(?:,|\r?\n|\z)`)

// cell reads the cell that begins at an offset.
func (s *sheet) cell(start int) cell {
	end := start + cellPattern.Compiled().FindSubmatchIndex(s.data[start:])[3] // the end of the pattern's first group
	raw := s.data[start:end]
	if quoted, ok := bytes.CutPrefix(raw, []byte(`"`)); ok {
		raw = bytes.ReplaceAll(bytes.TrimSuffix(quoted, []byte(`"`)), []byte(`""`), []byte(`"`))
	}
	return cell{start, end, decodeText(raw)}
}

// decodeText returns text that is UTF-8 or Windows-1252 as UTF-8; bytes that are neither become U+FFFD.
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

// column returns the index of the column with a name in the first row, or -1.
func (s *sheet) column(name string) int {
	return slices.IndexFunc(s.rows[0], func(c cell) bool { return strings.EqualFold(strings.TrimSpace(c.text), name) })
}

// text returns the cell of a row in the column with a name; "" if there is no such column or the row is too short.
func (s *sheet) text(row []cell, column string) string {
	if c := s.column(column); c >= 0 && c < len(row) {
		return row[c].text
	}
	return ""
}

// sheetEdit writes a sheet with changes.
type sheetEdit struct {
	*sheet
	out       bytes.Buffer
	handledTo int // offset in data up to which the file is written to out or left out
}

// setCell replaces the text of a cell; column is its index. Nothing changes if the row has no such cell or the cell has
// the text. The cells of a row must be set from left to right.
func (e *sheetEdit) setCell(row []cell, column int, text string) {
	if column < 0 || column >= len(row) || row[column].text == text {
		return
	}
	c := row[column]
	e.out.Write(e.data[e.handledTo:c.start])
	e.out.Write(e.encode(text))
	e.handledTo = c.end
}

// dropRow leaves out a row with its line break.
func (e *sheetEdit) dropRow(row []cell) {
	e.out.Write(e.data[e.handledTo:row[0].start])
	e.handledTo = row[len(row)-1].end
	if i := bytes.IndexByte(e.data[e.handledTo:], '\n'); i >= 0 {
		e.handledTo += i + 1
	} else {
		e.handledTo = len(e.data)
	}
}

// appendRow appends a row to the file.
func (e *sheetEdit) appendRow(texts []string) {
	e.out.Write(e.data[e.handledTo:])
	e.handledTo = len(e.data)
	newline := "\n"
	if bytes.Contains(e.data, []byte("\r\n")) {
		newline = "\r\n"
	}
	if !bytes.HasSuffix(e.out.Bytes(), []byte("\n")) { // the last row has no line break
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

// finish copies the rest of the file and returns the result.
func (e *sheetEdit) finish() []byte {
	e.out.Write(e.data[e.handledTo:])
	e.handledTo = len(e.data)
	return e.out.Bytes()
}

// encode returns text as a cell in the encoding of the file.
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
