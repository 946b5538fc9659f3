package squall

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// writer is a data set being written.
type writer struct {
	set    *dataset.Set
	dir    string
	report func(error)
	tables map[string]*writtenTable
	ids    []string
}

// writtenTable is what the questions need of a table that is written.
type writtenTable struct {
	layout *layout
	source *tableFile
	name   string // name of the table in the schema
}

// write writes the tables as JSON and SQLite, the ids of the written tables as SPLIT.ids, and the questions. A table that
// cannot be written is reported.
func write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	w := &writer{set: set, dir: dir, report: report, tables: map[string]*writtenTable{}}
	for _, sub := range []string{"data", filepath.Join("tables", "json"), filepath.Join("tables", "db")} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	err := set.Databases.WriteEach(ctx, "tables/json", report, func(db *dataset.Database) error {
		if err := w.table(ctx, db); err != nil {
			return fmt.Errorf("%s: %w", dataset.Clip(db.ID), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	ids, err := json.MarshalIndent(w.ids, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "data", set.Split+".ids"), ids, 0o666); err != nil {
		return err
	}
	return w.questions(ctx)
}

// table writes a table as JSON and SQLite, and stores its layout for the questions.
func (w *writer) table(ctx context.Context, db *dataset.Database) error {
	if len(db.Tables) != 1 {
		return fmt.Errorf("has %d tables, expected one", len(db.Tables))
	}
	source := new(tableFile)
	if dataset.Decode(db.Source, source) != nil || source.validate() != nil { // the schema is from another format
		source = nil
	}
	table := &db.Tables[0]
	l := newLayout(table, schemaGroups(table, wtq.Header), source)
	rows, err := w.set.TableRows(ctx, db, 0)
	if err != nil {
		return err
	}
	contents := l.contents(rows)
	if err := writeJSON(filepath.Join(w.dir, "tables", "json", db.ID+".json"), db, l, contents); err != nil {
		return err
	}
	if err := writeSQLite(ctx, filepath.Join(w.dir, "tables", "db", db.ID+".db"), contents, len(rows)); err != nil {
		return err
	}
	// The table is stored for the questions without its cells.
	w.tables[db.ID] = &writtenTable{layout: l, source: source, name: table.Original}
	w.ids = append(w.ids, db.ID)
	return nil
}

// writtenColumn is a column with its cells.
type writtenColumn struct {
	name, typ string
	cells     []sqldata.Value
	data      []byte // the cells as JSON
}

// contents returns the columns of each group with the cells of the rows.
func (l *layout) contents(rows [][]sqldata.Value) [][]writtenColumn {
	all := make([][]writtenColumn, len(l.groups))
	for g, group := range l.groups {
		for _, p := range group.columns {
			f := writtenColumn{name: p.name, cells: make([]sqldata.Value, len(rows))}
			for i, row := range rows {
				switch {
				case p.index >= 0: // the schema has the column
					f.cells[i] = row[p.index]
				case p.name == "id": // the number of the row
					f.cells[i] = sqldata.NewInt(int64(i + 1))
				default: // agg: no row sums up others
					f.cells[i] = sqldata.NewInt(0)
				}
			}
			f.typ = declaredType(p, f.cells)
			f.data = encodeColumn(p.source, f.typ, f.cells)
			all[g] = append(all[g], f)
		}
	}
	return all
}

// declaredType returns the declared type in the source or, without one, the type that stores all
// cells as they are.
func declaredType(p numberedColumn, cells []sqldata.Value) string {
	if p.source != nil {
		return p.source.Type
	}
	has := lists.Set(cells, sqldata.Value.Kind)
	switch {
	case has[sqldata.Text], has[sqldata.Blob]:
		return "TEXT"
	case has[sqldata.Real]:
		return "REAL"
	case has[sqldata.Integer]:
		return "INTEGER"
	}
	return "TEXT"
}

// encodeColumn returns the cells of a column as JSON. The data of the source stay if SQLite
// would store the same cells for them.
func encodeColumn(old *column, typ string, cells []sqldata.Value) []byte {
	var items [][]byte
	if old != nil && old.Data != nil && sameCells(old.Data, typ, cells) {
		items = lists.Map(old.Data, func(raw json.RawMessage) []byte { return raw })
	} else {
		items = lists.Map(cells, func(v sqldata.Value) []byte { return listOrCell(applyAffinity(v, typ), typ) })
	}
	return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
}

// sameCells reports whether SQLite stores the given cells for the data of a column of a declared type. Data that end early
// have NULL in the rows after them.
func sameCells(data []json.RawMessage, typ string, cells []sqldata.Value) bool {
	if len(data) > len(cells) {
		return false
	}
	for i, v := range cells {
		var sourceCell sqldata.Value
		if i < len(data) {
			sourceCell, _ = decodeCell(data[i]) // the reader has decoded each
		}
		if isList(typ) {
			if !dataset.SameJSON(listOrCell(sourceCell, typ), listOrCell(v, typ)) {
				return false
			}
		} else if applyAffinity(sourceCell, typ) != applyAffinity(v, typ) {
			return false
		}
	}
	return true
}

// writeJSON writes the JSON file of a table.
func writeJSON(path string, db *dataset.Database, l *layout, contents [][]writtenColumn) error {
	type written struct {
		Col  string          `json:"col"`
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	headers, types := []string{}, []string{}
	columns := make([][]written, len(contents))
	var isListByName bytes.Buffer // the members of "is_list"
	for g, group := range contents {
		headers, types = append(headers, l.groups[g].header), append(types, l.groups[g].typ)
		for _, f := range group {
			columns[g] = append(columns[g], written{f.name, f.typ, f.data})
			if isListByName.Len() > 0 {
				isListByName.WriteByte(',')
			}
			fmt.Fprintf(&isListByName, "%s:%t", appendString(nil, f.name), isList(f.typ))
		}
	}
	raw, err := dataset.Patch(db.Source, dataset.Change{Key: "headers", Value: headers}, dataset.Change{Key: "types", Value: types},
		dataset.Change{Key: "contents", Value: columns}, dataset.Change{Key: "is_list", Value: json.RawMessage("{" + isListByName.String() + "}")})
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return err
	}
	return os.WriteFile(path, pythonLayout(compact.Bytes()), 0o666)
}

// writeSQLite writes the SQLite file of a table: the table w, and for each list column a table
// of its items.
func writeSQLite(ctx context.Context, path string, contents [][]writtenColumn, rows int) error {
	table := sqldata.Table{Name: tableName, PrimaryKey: []string{"id"}}
	cells := make([][]sqldata.Value, rows)
	var listColumns []writtenColumn
	var ids []sqldata.Value
	for _, group := range contents {
		for _, f := range group {
			if isList(f.typ) {
				listColumns = append(listColumns, f)
				continue
			}
			if f.name == "id" {
				ids = f.cells
			}
			table.Columns = append(table.Columns, sqldata.Column{Name: f.name, Type: f.typ})
			for i, v := range f.cells {
				cells[i] = append(cells[i], v)
			}
		}
	}
	if ids == nil { // the source declares id as a list column, so it cannot be the key
		for i := range rows {
			ids = append(ids, sqldata.NewInt(int64(i+1)))
		}
		table.PrimaryKey = nil
	}
	tables, all := []sqldata.Table{table}, [][][]sqldata.Value{cells}
	for _, f := range listColumns {
		t, items := itemTable(f, ids)
		tables, all = append(tables, t), append(all, items)
	}
	return sqlite.Create(ctx, path, tables, all)
}

// itemTable returns the table of a list column, with a row for each item: the id of the list's row, and the item.
func itemTable(list writtenColumn, ids []sqldata.Value) (t sqldata.Table, rows [][]sqldata.Value) {
	for i, v := range list.cells {
		for _, item := range decodeList(v) {
			rows = append(rows, []sqldata.Value{ids[i], item})
		}
	}
	columns := []sqldata.Column{{Name: "m_id", Type: "INTEGER"}, {Name: list.name, Type: strings.TrimPrefix(list.typ, "LIST ")}}
	return sqldata.Table{Name: "t_" + list.name, Columns: columns}, rows
}

// questions writes the examples with SQL to squall.json, and the others, if any, to SPLIT.tsv.
func (w *writer) questions(ctx context.Context) error {
	withSQL, withoutSQL := 0, 0
	file := filepath.Join(w.dir, "data", "squall.json")
	err := dataset.CreateFile(file, func(out *bufio.Writer) error {
		before := "[\n"
		err := w.set.Examples.WriteEach(ctx, "squall.json", w.report, func(ex *dataset.Example) error {
			raw, err := w.question(ex)
			if err != nil {
				return err
			}
			if raw == nil { // it has an answer but no SQL
				withoutSQL++
				return nil
			}
			withSQL++
			out.WriteString(before)
			out.Write(pythonLayout(raw))
			before = ",\n"
			return nil
		})
		out.WriteString("\n]\n")
		return err
	})
	if err == nil && withSQL == 0 {
		err = os.Remove(file)
	}
	if err != nil || withoutSQL == 0 {
		return err
	}
	// Problems were reported in the first pass.
	return wtq.WriteQuestions(filepath.Join(w.dir, "data", w.set.Split+".tsv"), func(add func(*dataset.Example)) error {
		return w.set.Examples(func(error) {}, func(ex *dataset.Example) error {
			if w.tables[ex.DB] != nil && ex.Query == "" && ex.Answer != nil {
				add(ex)
			}
			return nil
		})
	})
}

// question returns the record of an example; nil if it has an answer but no gold SQL.
func (w *writer) question(ex *dataset.Example) (json.RawMessage, error) {
	t := w.tables[ex.DB]
	if t == nil {
		return nil, fmt.Errorf("table %q is not among those written", dataset.Clip(ex.DB))
	}
	if ex.Query == "" {
		if ex.Answer == nil {
			return nil, errUnanswered
		}
		return nil, nil
	}
	return t.questionRecord(ex)
}
