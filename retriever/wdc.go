package retriever

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// wdcTable holds the fields that are read from a table of the Web Data Commons.
type wdcTable struct {
	Relation       [][]text `json:"relation"` // column-major
	PageTitle      text     `json:"pageTitle"`
	Title          text     `json:"title"`
	HasHeader      *bool    `json:"hasHeader"`
	HeaderPosition string   `json:"headerPosition"`
	HeaderRowIndex *int     `json:"headerRowIndex"`
}

// readWDC reads a file of one JSON table, on any number of lines, or of a JSON table on each line.
func readWDC(in *input) error {
	head, err := io.ReadAll(io.LimitReader(in.r, in.lim.RecordBytes))
	switch {
	case err != nil:
		return err
	case json.Valid(head), !isObject(firstLine(head)): // one table, or a damaged one, which emitWDC reports
		return in.emitWDC(1, head)
	}
	return in.eachLine(bufio.NewReader(io.MultiReader(bytes.NewReader(head), in.r)), in.emitWDC)
}

// firstLine returns the first line that is not blank, without surrounding blanks.
func firstLine(data []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	return bytes.TrimSpace(line)
}

// isObject reports whether a line begins and ends like a JSON object.
func isObject(line []byte) bool {
	return bytes.HasPrefix(line, []byte("{")) && bytes.HasSuffix(line, []byte("}"))
}

// emitWDC parses and emits the table of a record, which is numbered from 1. The id is the file's name, with #record from
// the second record on.
func (in *input) emitWDC(record int, data []byte) error {
	var t wdcTable
	if err := json.Unmarshal(data, &t); err != nil {
		return in.reportBad(record, jsonError(err, "a Web Data Commons table"))
	}
	id := in.name
	if record > 1 {
		id = fmt.Sprintf("%s#%d", in.name, record)
	}
	header, rows, err := t.split(in.lim)
	if err != nil {
		return in.reportBad(record, err)
	}
	caption := strings.TrimSpace(string(t.Title))
	if page := strings.TrimSpace(string(t.PageTitle)); page != caption {
		caption = strings.TrimSpace(page + " " + caption)
	}
	return in.emit(record, raw{id: id, caption: caption, header: header, rows: rows})
}

// split returns the header and the rows of the sample. It transposes a table whose header is its first
// column. It returns ErrNoHeader for a table that is empty or declares that it has no header.
func (t *wdcTable) split(lim Limits) (header []string, rows [][]string, err error) {
	switch {
	case len(t.Relation) == 0:
		return nil, nil, fmt.Errorf("relation is empty: %w", ErrNoHeader)
	case t.HeaderPosition == "NONE", t.HasHeader != nil && !*t.HasHeader:
		return nil, nil, ErrNoHeader
	case t.HeaderPosition == "FIRST_COLUMN": // each column of the relation is a row of the result
		rows = lists.Map(t.Relation[:min(len(t.Relation), 1+lim.Rows)], stringsOf)
		return rows[0], rows[1:], nil
	}
	headerRow := 0
	if t.HeaderRowIndex != nil {
		headerRow = max(0, *t.HeaderRowIndex)
	}
	// cell returns the cell of a column in a row, "" below a short column.
	cell := func(col []text, row int) string {
		if row < len(col) {
			return string(col[row])
		}
		return ""
	}
	columns := t.Relation[:min(len(t.Relation), lim.Columns)]
	height := 0
	for _, col := range columns {
		header = append(header, cell(col, headerRow))
		height = max(height, len(col))
	}
	for i := headerRow + 1; i < min(height, headerRow+1+lim.Rows); i++ {
		rows = append(rows, lists.Map(columns, func(col []text) string { return cell(col, i) }))
	}
	return header, rows, nil
}
