package wikisql

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// table is a record of SPLIT.tables.jsonl.
type table struct {
	db   *dataset.Database
	rows [][]json.RawMessage // those with a cell for each column
}

// tableRecord holds what is read of a record.
type tableRecord struct {
	ID           json.RawMessage     `json:"id"`
	Header       []string            `json:"header"`
	Types        []string            `json:"types"`
	Rows         [][]json.RawMessage `json:"rows"`
	PageTitle    string              `json:"page_title"`
	SectionTitle string              `json:"section_title"`
	Caption      string              `json:"caption"`
}

// maxColumns bounds the columns of a table, as SQLite does.
const maxColumns = 2000

// readTables passes the tables of a file to each. keepSource stores their records in
// [dataset.Database.Source], which takes as much time as everything else.
func readTables(path string, keepSource bool, report func(error), each func(*table) error) error {
	once := dataset.Once{}
	return dataset.Records(path, report, func(raw dataset.Raw) (*table, error) {
		var notes []error
		t, err := decodeTable(raw.JSON, keepSource, func(err error) { notes = append(notes, err) })
		if err != nil {
			return nil, err
		}
		if err := once.Check(t.db.Tables[0].Original, fmt.Sprintf("table %q", t.db.ID)); err != nil {
			return nil, err
		}
		for _, n := range notes {
			report(dataset.Note(raw.Problem(fmt.Errorf("table %s: %w", t.db.ID, n))))
		}
		return t, nil
	}, each)
}

// decodeTable decodes a table and passes harmless problems to note. For keepSource see
// [readTables].
func decodeTable(raw []byte, keepSource bool, note func(error)) (t *table, err error) {
	var rec tableRecord
	if err := dataset.Decode(raw, &rec); err != nil {
		return nil, err
	}
	id, listed, err := rec.id()
	if err := cmp.Or(repeatedKey(raw), err); err != nil {
		return nil, err
	}
	if !validID(id) {
		return nil, fmt.Errorf(`"id" is %q, expected letters, digits, - and _`, dataset.Clip(id))
	}
	if err := checkHeader(rec.Header); err != nil {
		return nil, err
	}
	if listed > 0 {
		note(fmt.Errorf(`"id" is a list of %d, expected a string; the first is taken`, listed))
	}
	db := &dataset.Database{ID: id, Tables: []dataset.Table{newTable(id, rec.Header)}}
	db.Tables[0].Caption = rec.caption()
	t = &table{db: db}
	rec.types(db.Tables[0].Columns, note)
	if t.rows = fittingRows(rec.Rows, len(rec.Header)); len(t.rows) < len(rec.Rows) {
		note(fmt.Errorf("%d of %d rows have more or fewer cells than the header's %d; they are left out",
			len(rec.Rows)-len(t.rows), len(rec.Rows), len(rec.Header)))
	}
	if keepSource {
		db.Source, err = t.record(raw, &rec)
	}
	return t, err
}

// id returns the id of a table. listed is 0 for a string. Some files have a list, the ids of the tables that theirs was
// made from: then id is the first, and listed is the length of the list.
func (rec *tableRecord) id() (id string, listed int, err error) {
	if rec.ID == nil {
		return "", 0, dataset.Missing("id")
	}
	if json.Unmarshal(rec.ID, &id) == nil {
		return id, 0, nil
	}
	var list []string
	if json.Unmarshal(rec.ID, &list) != nil || len(list) == 0 {
		return "", 0, fmt.Errorf(`"id" is %s, expected a string`, dataset.Clip(string(rec.ID)))
	}
	return list[0], len(list), nil
}

// caption joins the titles of page and section and the caption, without repetitions.
func (rec *tableRecord) caption() string {
	var parts []string
	for _, p := range []string{rec.PageTitle, rec.SectionTitle, rec.Caption} {
		if p = strings.Join(strings.Fields(p), " "); p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

// types sets the types of the columns. A column without a type in the record is text.
func (rec *tableRecord) types(columns []dataset.Column, note func(error)) {
	if len(rec.Types) != len(columns) {
		note(fmt.Errorf("has %d types for %d columns, expected one each; where one is missing the column is text", len(rec.Types), len(columns)))
	}
	for i, name := range rec.Types[:min(len(rec.Types), len(columns))] {
		switch name {
		case "text":
		case "real":
			columns[i].Type = dataset.Number
		default:
			note(fmt.Errorf(`column %d has the type %q, expected text or real; taken as text`, i, dataset.Clip(name)))
		}
	}
}

// fittingRows returns the rows that have a cell for each column.
func fittingRows(rows [][]json.RawMessage, columns int) [][]json.RawMessage {
	return slices.DeleteFunc(slices.Clone(rows), func(row []json.RawMessage) bool { return len(row) != columns })
}

// record returns the record to store as the source. Its rows, which are most of it, are left out
// if all their bytes can be restored from a SQLite file.
func (t *table) record(raw []byte, rec *tableRecord) (json.RawMessage, error) {
	if len(t.rows) == 0 || len(t.rows) < len(rec.Rows) { // some rows do not fit the header and are not in the file
		return bytes.Clone(raw), nil
	}
	for _, row := range t.rows {
		for i, cell := range row {
			if !roundTrips(cell, t.db.Tables[0].Columns[i].Type) {
				return bytes.Clone(raw), nil
			}
		}
	}
	return dataset.Patch(raw, dataset.Change{Key: "rows", Value: []string{}})
}

// roundTrips reports whether a cell comes back with its bytes from a SQLite column that [Declare] declares for the type. It
// does not where SQLite converts the cell: in a text column a number becomes text; in a number column text that
// reads as a number becomes one, and 3.0 becomes 3.
func roundTrips(cell json.RawMessage, typ dataset.Type) bool {
	v := cellValue(cell)
	if string(cellJSON(v)) != string(cell) {
		return false
	}
	switch v.Kind() {
	case sqldata.Null:
		return true
	case sqldata.Text:
		_, err := strconv.ParseFloat(strings.TrimSpace(v.Bytes()), 64)
		return typ == dataset.Text || err != nil
	case sqldata.Real:
		return typ != dataset.Text && v.Float() != float64(int64(v.Float())) // it has a fraction
	}
	return typ != dataset.Text
}

// rowValues returns the values of the cells of a row.
func rowValues(row []json.RawMessage) []sqldata.Value {
	return lists.Map(row, cellValue)
}

// numberStart are the bytes that a number of JSON begins with.
const numberStart = "-0123456789"

// cellValue returns a cell of the JSON as a value of SQLite. A list or an object is its JSON
// text.
func cellValue(cell json.RawMessage) sqldata.Value {
	switch {
	case len(cell) == 0, string(cell) == "null":
		return sqldata.Value{}
	case cell[0] == '"':
		var s string
		if json.Unmarshal(cell, &s) == nil {
			return sqldata.NewText(s)
		}
	case strings.IndexByte(numberStart, cell[0]) >= 0:
		if n, err := strconv.ParseInt(string(cell), 10, 64); err == nil {
			return sqldata.NewInt(n)
		}
		if f, err := strconv.ParseFloat(string(cell), 64); err == nil {
			return sqldata.NewFloat(f)
		}
	case string(cell) == "true":
		return sqldata.NewInt(1)
	case string(cell) == "false":
		return sqldata.NewInt(0)
	}
	return sqldata.NewText(string(cell))
}

// cellJSON returns a value as the JSON that Python's json writes, which wrote WikiSQL's files:
// 3.0, 1e+16, "3\u20131". A blob becomes the text X'…' and bytes of a text that are not UTF-8 become U+FFFD, because
// JSON has no bytes.
func cellJSON(v sqldata.Value) json.RawMessage {
	switch v.Kind() {
	case sqldata.Null:
		return json.RawMessage("null")
	case sqldata.Integer:
		return strconv.AppendInt(nil, v.Int(), 10)
	case sqldata.Real:
		if math.IsInf(v.Float(), 0) { // JSON has none; this reads as one
			return json.RawMessage(strings.Replace(dataset.PythonFloat(v.Float()), "inf", "1e999", 1))
		}
		return json.RawMessage(dataset.PythonFloat(v.Float()))
	}
	text := strings.ToValidUTF8(v.Bytes(), "\ufffd")
	if v.Kind() == sqldata.Blob {
		text = v.String()
	}
	raw, _ := asciiJSON(text) // a valid text has a JSON form
	return raw
}

// repeatedKey returns an error if a JSON object has a key twice, or if it is damaged; nil for any other value.
func repeatedKey(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); t != json.Delim('{') {
		return err
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		switch {
		case err != nil, !ok:
			return err
		case seen[key]:
			return fmt.Errorf("has the key %q twice, expected it once", dataset.Clip(key))
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// numericCell returns a cell as a number; ok is false if it does not read as one.
func numericCell(v sqldata.Value) (_ float64, ok bool) {
	if v.IsNumber() {
		return v.Float(), true
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(v.Bytes()), 64)
	return f, err == nil && v.Kind() == sqldata.Text
}
