package bird

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// descriptions writes the descriptions of a schema: the files that they were read from, with
// what changed, or a new JSON file for a schema of another format that has descriptions.
func (w *writer) descriptions(db *dataset.Database, src *source) error {
	if len(src.Files) == 0 {
		if !slices.Contains(db.Features(), dataset.Descriptions) {
			return nil
		}
		return w.writeFile(filepath.Join("description", db.ID+jsonSuffix), newJSONFile(db))
	}
	d := &changedDescriptions{db: db, src: src, newColumns: map[dataset.ColumnRef]dataset.ColumnRef{}, newTables: map[int]int{}}
	for newPosition, oldPosition := range src.align(db) {
		d.newColumns[oldPosition] = newPosition
		d.newTables[oldPosition.Table] = newPosition.Table
	}
	for _, f := range src.Files {
		if strings.HasSuffix(f.Name, jsonSuffix) {
			if err := w.writeFile(filepath.Join("description", db.ID+jsonSuffix), d.jsonFile(f)); err != nil {
				return err
			}
			continue
		}
		name, data := d.csvFile(f)
		if name == "" {
			continue // its table is gone
		}
		if err := w.writeFile(filepath.Join(w.set.Split+"_databases", db.ID, csvFolder, name), data); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file of the output, given by its path in the output folder.
func (w *writer) writeFile(name string, data []byte) error {
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// changedDescriptions rewrites description files for a schema that may have changed since they were
// read. The old schema is the one that was read then.
type changedDescriptions struct {
	db         *dataset.Database
	src        *source
	newColumns map[dataset.ColumnRef]dataset.ColumnRef // from old positions to those in db
	newTables  map[int]int                             // from old indices to those in db
}

// oldTable returns the index of a table in the old schema, or -1.
func (d *changedDescriptions) oldTable(name string) int {
	return slices.IndexFunc(d.src.Schema, func(n tableColumns) bool { return strings.EqualFold(n.Table, name) })
}

// oldColumn returns the index of a column in a table of the old schema, or -1.
func (d *changedDescriptions) oldColumn(table int, name string) int {
	return slices.IndexFunc(d.src.Schema[table].Columns, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(name)) })
}

// addedColumns returns the columns of a table of db that the old schema lacks, so that no entry
// of the files describes them.
func (d *changedDescriptions) addedColumns(table int) (columns []*dataset.Column) {
	isOld := map[dataset.ColumnRef]bool{}
	for _, position := range d.newColumns {
		isOld[position] = true
	}
	for c := range d.db.Tables[table].Columns {
		if ref := (dataset.ColumnRef{Table: table, Column: c}); !isOld[ref] {
			columns = append(columns, d.db.Column(ref))
		}
	}
	return columns
}

// jsonFile returns the content of a JSON file of descriptions, unchanged if no description
// changed.
func (d *changedDescriptions) jsonFile(f file) []byte {
	tables, err := jsonTables(f)
	if err != nil {
		return f.Data
	}
	changed := false
	for i := range tables {
		t := &tables[i]
		oldTable := d.oldTable(t.name)
		if oldTable < 0 {
			continue
		}
		newTable, ok := d.newTables[oldTable]
		if !ok { // the table was dropped: without entries it is left out below
			t.entries, changed = nil, true
			continue
		}
		changed = d.updateEntries(t, oldTable) || changed
		for _, c := range d.addedColumns(newTable) {
			if c.Described() {
				t.entries, changed = append(t.entries, newEntry(c)), true
			}
		}
		if name := d.db.Tables[newTable].Original; d.src.Schema[oldTable].Table != name {
			t.name, changed = name, true
		}
	}
	if !changed {
		return f.Data
	}
	return encodeJSONFile(slices.DeleteFunc(tables, func(t jsonTable) bool { return t.entries == nil }))
}

// updateEntries updates the entries of a table and reports whether any changed. oldTable is the
// index of the table in the old schema.
func (d *changedDescriptions) updateEntries(t *jsonTable, oldTable int) (changed bool) {
	updated := []json.RawMessage{}
	seen := map[int]bool{} // old columns with an entry so far; only the first has the texts
	for _, raw := range t.entries {
		var e jsonEntry
		if dataset.Decode(raw, &e) != nil {
			updated = append(updated, raw)
			continue
		}
		c := d.oldColumn(oldTable, e.Column)
		if c < 0 {
			updated = append(updated, raw)
			continue
		}
		newPosition, ok := d.newColumns[dataset.ColumnRef{Table: oldTable, Column: c}]
		if !ok { // the column was dropped, and its entry goes too
			changed = true
			continue
		}
		patched := d.updateEntry(raw, e, seen[c], d.src.Schema[oldTable].Columns[c], d.db.Column(newPosition))
		changed = changed || !bytes.Equal(patched, raw)
		updated, seen[c] = append(updated, patched), true
	}
	t.entries = updated
	return changed
}

// updateEntry returns the entry raw, decoded as e, with the present name and descriptions of its column c. If an earlier
// entry describes the column (repeated), only the name changes. oldName is the name in the old schema.
func (d *changedDescriptions) updateEntry(raw json.RawMessage, e jsonEntry, repeated bool, oldName string, c *dataset.Column) json.RawMessage {
	if repeated { // as if its texts were the present ones
		e.Description, e.Values = c.Description, c.Values
	}
	var changes dataset.Changes
	changes.AddIf(c.Original != oldName, "column_name", c.Original)
	changes.AddIf(c.Description != e.Description, "column_description", c.Description)
	changes.AddIf(c.Values != e.Values, "value_description", c.Values)
	if changes == nil {
		return raw
	}
	patched, err := dataset.Patch(raw, changes...)
	if err != nil {
		return raw
	}
	return patched
}

// newEntry returns a new entry for a column. It has no empty texts.
func newEntry(c *dataset.Column) json.RawMessage {
	changes := dataset.Changes{{Key: "column_name", Value: c.Original}}
	changes.AddIf(c.Description != "", "column_description", c.Description)
	changes.AddIf(c.Values != "", "value_description", c.Values)
	raw, _ := dataset.Patch(nil, changes...) // strings always encode
	return raw
}

// newJSONFile returns the description file of a schema from another format.
func newJSONFile(db *dataset.Database) []byte {
	var tables []jsonTable
	for _, t := range db.Tables {
		j := jsonTable{name: t.Original, entries: []json.RawMessage{}}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Described() {
				j.entries = append(j.entries, newEntry(c))
			}
		}
		tables = append(tables, j)
	}
	return encodeJSONFile(tables)
}

// encodeJSONFile returns the description file of all tables.
func encodeJSONFile(tables []jsonTable) []byte {
	var changes dataset.Changes
	for _, t := range tables {
		changes.AddIf(true, t.name, t.entries)
	}
	raw, _ := dataset.Patch(nil, changes...) // strings and JSON always encode
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return raw
	}
	return out.Bytes()
}

// csvFile returns the name and the content of the CSV file that describes a table; the name is
// "" if the table was dropped.
func (d *changedDescriptions) csvFile(f file) (string, []byte) {
	oldTable := d.oldTable(strings.TrimSuffix(f.Name, ".csv"))
	if oldTable < 0 { // it describes no table, and stays as it is
		return f.Name, f.Data
	}
	newTable, ok := d.newTables[oldTable]
	if !ok {
		return "", nil
	}
	name := f.Name
	if table := d.db.Tables[newTable].Original; table != d.src.Schema[oldTable].Table && dataset.ValidID(table) {
		name = table + ".csv"
	}
	s := readSheet(f.Data)
	if s.column("original_column_name") < 0 {
		return name, f.Data
	}
	e := &sheetEdit{sheet: s}
	seen := map[int]bool{} // old columns that a row above describes
	for _, row := range s.rows[1:] {
		if c := d.oldColumn(oldTable, s.text(row, "original_column_name")); c >= 0 {
			d.updateRow(e, row, dataset.ColumnRef{Table: oldTable, Column: c}, seen[c])
			seen[c] = true
		}
	}
	for _, c := range d.addedColumns(newTable) {
		e.addColumn(c)
	}
	return name, e.finish()
}

// updateRow updates the row that describes a column, or removes it if the column was dropped.
// oldPosition is the position of the column in the old schema; repeated is set if an earlier row
// describes the column.
func (d *changedDescriptions) updateRow(e *sheetEdit, row []cell, oldPosition dataset.ColumnRef, repeated bool) {
	newPosition, ok := d.newColumns[oldPosition]
	if !ok {
		e.dropRow(row)
		return
	}
	col := d.db.Column(newPosition)
	type value struct {
		column int
		text   string
	}
	var values []value
	if !repeated {
		values = []value{{e.column("column_description"), col.Description}, {e.column("value_description"), col.Values}}
	}
	if col.Original != d.src.Schema[oldPosition.Table].Columns[oldPosition.Column] {
		values = append(values, value{e.column("original_column_name"), col.Original})
		if e.text(row, "column_name") != "" {
			values = append(values, value{e.column("column_name"), col.Name})
		}
	}
	slices.SortFunc(values, func(a, b value) int { return cmp.Compare(a.column, b.column) }) // as setCell needs them
	for _, v := range values {
		e.setCell(row, v.column, v.text)
	}
}

// addColumn appends a row that describes a column.
func (e *sheetEdit) addColumn(c *dataset.Column) {
	texts := make([]string, len(e.rows[0]))
	for _, v := range []struct{ column, text string }{
		{"original_column_name", c.Original}, {"column_name", c.Name}, {"column_description", c.Description},
		{"data_format", string(c.Type)}, {"value_description", c.Values},
	} {
		if i := e.column(v.column); i >= 0 {
			texts[i] = v.text
		}
	}
	e.appendRow(texts)
}
