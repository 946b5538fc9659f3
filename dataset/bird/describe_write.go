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

// descriptions writes the descriptions of a schema: the files that they were read from,
// with what changed.
func (w *writer) descriptions(db *dataset.Database, src *source) error {
	if len(src.Files) == 0 {
		if !slices.Contains(db.Features(), dataset.Descriptions) {
			return nil
		}
		return w.file(filepath.Join("description", db.ID+jsonSuffix), newJSON(db))
	}
	from := src.align(db)
	to := map[dataset.ColumnRef]dataset.ColumnRef{}
	tables := map[int]int{} // of the schema as it was read, to that of db
	for now, was := range from {
		to[was] = now
		tables[was.Table] = now.Table
	}
	d := &redescription{db: db, src: src, to: to, tables: tables}
	for _, f := range src.Files {
		if strings.HasSuffix(f.Name, jsonSuffix) {
			if err := w.file(filepath.Join("description", db.ID+jsonSuffix), d.json(f)); err != nil {
				return err
			}
			continue
		}
		name, data := d.csv(f)
		if name == "" {
			continue // its table is gone
		}
		if err := w.file(filepath.Join(w.set.Split+"_databases", db.ID, csvFolder, name), data); err != nil {
			return err
		}
	}
	return nil
}

// file writes a file below the output folder.
func (w *writer) file(name string, data []byte) error {
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// redescription writes descriptions for a schema that may have changed since they were
// read.
type redescription struct {
	db     *dataset.Database
	src    *source
	to     map[dataset.ColumnRef]dataset.ColumnRef // where columns stand now
	tables map[int]int
}

// table returns the position of a table in the schema as it was read, or -1.
func (d *redescription) table(name string) int {
	return slices.IndexFunc(d.src.Schema, func(n names) bool { return strings.EqualFold(n.Table, name) })
}

// column returns the position of a column in a table of the schema as it was read, or -1.
func (d *redescription) column(table int, name string) int {
	return slices.IndexFunc(d.src.Schema[table].Columns, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(name)) })
}

// added returns the columns of a table now that no entry of the files can describe: they
// were not there when these were read.
func (d *redescription) added(table int) (columns []*dataset.Column) {
	known := map[dataset.ColumnRef]bool{}
	for _, now := range d.to {
		known[now] = true
	}
	for c := range d.db.Tables[table].Columns {
		if ref := (dataset.ColumnRef{Table: table, Column: c}); !known[ref] {
			columns = append(columns, d.db.Column(ref))
		}
	}
	return columns
}

// json returns the JSON file of a schema's descriptions, the very bytes where nothing
// changed.
func (d *redescription) json(f file) []byte {
	tables, err := jsonTables(f)
	if err != nil {
		return f.Data
	}
	changed := false
	for i := range tables {
		t := &tables[i]
		was := d.table(t.name)
		if was < 0 {
			continue
		}
		now, ok := d.tables[was]
		if !ok {
			t.entries, changed = nil, true
			continue
		}
		changed = d.entries(t, was) || changed
		for _, c := range d.added(now) {
			if c.Described() {
				t.entries, changed = append(t.entries, entryOf(c)), true
			}
		}
		if name := d.db.Tables[now].Original; d.src.Schema[was].Table != name {
			t.name, changed = name, true
		}
	}
	if !changed {
		return f.Data
	}
	return jsonFile(slices.DeleteFunc(tables, func(t jsonTable) bool { return t.entries == nil }))
}

// entries updates the entries of a table to the present columns and reports whether any changed.
func (d *redescription) entries(t *jsonTable, was int) (changed bool) {
	kept := []json.RawMessage{}
	seen := map[int]bool{} // texts are those of a column's first entry
	for _, raw := range t.entries {
		var e jsonEntry
		if dataset.Decode(raw, &e) != nil {
			kept = append(kept, raw)
			continue
		}
		c := d.column(was, e.Column)
		if c < 0 {
			kept = append(kept, raw)
			continue
		}
		now, ok := d.to[dataset.ColumnRef{Table: was, Column: c}]
		if !ok {
			changed = true
			continue
		}
		patched := d.entry(raw, e, seen[c], d.src.Schema[was].Columns[c], d.db.Column(now))
		changed = changed || !bytes.Equal(patched, raw)
		kept, seen[c] = append(kept, patched), true
	}
	t.entries = kept
	return changed
}

// entry returns the entry of a column with its present name and description. again is set if an
// earlier entry describes the column already.
func (d *redescription) entry(raw json.RawMessage, e jsonEntry, again bool, old string, c *dataset.Column) json.RawMessage {
	if again {
		e.Description, e.Values = c.Description, c.Values
	}
	var changes dataset.Changes
	changes.AddIf(c.Original != old, "column_name", c.Original)
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

// entryOf returns the entry of a column, without empty texts.
func entryOf(c *dataset.Column) json.RawMessage {
	changes := dataset.Changes{{Key: "column_name", Value: c.Original}}
	changes.AddIf(c.Description != "", "column_description", c.Description)
	changes.AddIf(c.Values != "", "value_description", c.Values)
	raw, _ := dataset.Patch(nil, changes...) // strings always encode
	return raw
}

// newJSON returns the descriptions of a schema that came from another format.
func newJSON(db *dataset.Database) []byte {
	var tables []jsonTable
	for _, t := range db.Tables {
		j := jsonTable{name: t.Original, entries: []json.RawMessage{}}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Described() {
				j.entries = append(j.entries, entryOf(c))
			}
		}
		tables = append(tables, j)
	}
	return jsonFile(tables)
}

// jsonFile returns the file of the descriptions of all tables.
func jsonFile(tables []jsonTable) []byte {
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

// csv returns the name and content of the file of one table; the name is empty where
// the table is gone.
func (d *redescription) csv(f file) (string, []byte) {
	was := d.table(strings.TrimSuffix(f.Name, ".csv"))
	if was < 0 {
		return f.Name, f.Data
	}
	now, ok := d.tables[was]
	if !ok {
		return "", nil
	}
	name := f.Name
	if table := d.db.Tables[now].Original; table != d.src.Schema[was].Table && dataset.ValidID(table) {
		name = table + ".csv"
	}
	s := readSheet(f.Data)
	if s.column("original_column_name") < 0 {
		return name, f.Data
	}
	e := &sheetEdit{sheet: s}
	seen := map[int]bool{}
	for _, row := range s.rows[1:] {
		if c := d.column(was, s.text(row, "original_column_name")); c >= 0 {
			d.csvRow(e, row, dataset.ColumnRef{Table: was, Column: c}, seen[c])
			seen[c] = true
		}
	}
	for _, c := range d.added(now) {
		e.addColumn(c)
	}
	return name, e.bytes()
}

// csvRow updates the row of a column, or drops it with its column. again is set if an earlier row
// describes the column already.
func (d *redescription) csvRow(e *sheetEdit, row []cell, was dataset.ColumnRef, again bool) {
	now, ok := d.to[was]
	if !ok {
		e.drop(row)
		return
	}
	col := d.db.Column(now)
	type value struct {
		column int
		text   string
	}
	var values []value
	if !again {
		values = []value{{e.column("column_description"), col.Description}, {e.column("value_description"), col.Values}}
	}
	if col.Original != d.src.Schema[was.Table].Columns[was.Column] {
		values = append(values, value{e.column("original_column_name"), col.Original})
		if e.text(row, "column_name") != "" {
			values = append(values, value{e.column("column_name"), col.Name})
		}
	}
	slices.SortFunc(values, func(a, b value) int { return cmp.Compare(a.column, b.column) })
	for _, v := range values {
		e.set(row, v.column, v.text)
	}
}

// addColumn puts the row of a column at the end.
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
	e.add(texts)
}
