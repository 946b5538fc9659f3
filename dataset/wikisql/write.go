package wikisql

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
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// writer writes a folder of WikiSQL.
type writer struct {
	set          *dataset.Set
	dir          string
	report       func(error)
	tables       map[string]tableNames // that are written, by id
	contentNames map[string]bool       // of tables in SPLIT.db
	hasRows      bool                  // one of them has rows; without any, SPLIT.db is removed

	addTable func(sqlite.LayoutTable, [][]sqldata.Value) error // puts a table in SPLIT.db
}

// write writes SPLIT.tables.jsonl, SPLIT.jsonl and, if there are rows, SPLIT.db. A record from
// WikiSQL keeps what did not change. Added columns come last, so that the positions of the others
// stay. It holds the rows of one table at a time.
func write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	w := &writer{set: set, dir: dir, report: report, tables: map[string]tableNames{}, contentNames: map[string]bool{}}
	content := filepath.Join(dir, set.Split+".db")
	err := sqlite.CreateMany(ctx, content, func(add func(sqlite.LayoutTable, [][]sqldata.Value) error) error {
		w.addTable = add
		return w.writeTables(ctx)
	})
	if err == nil && !w.hasRows {
		err = os.Remove(content)
	}
	if err != nil {
		return err
	}
	return w.writeQuestions(ctx)
}

// writeTables writes SPLIT.tables.jsonl and the rows in SPLIT.db. A table that cannot be written is reported and left out.
func (w *writer) writeTables(ctx context.Context) error {
	file := w.set.Split + ".tables.jsonl"
	return dataset.CreateFile(filepath.Join(w.dir, file), func(out *bufio.Writer) error {
		n := 0
		return w.set.Databases(w.report, func(db *dataset.Database) error {
			n++
			leftOut := func(err error) error {
				w.report(&dataset.RecordError{File: file, Record: n, Err: err})
				return nil
			}
			if err := w.checkTable(db); err != nil {
				return leftOut(err)
			}
			line, rows, err := w.tableRecord(ctx, db)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return leftOut(fmt.Errorf("table %s: %w", db.ID, err))
			}
			out.Write(line)
			out.WriteByte('\n')
			return w.writeContent(db, rows)
		})
	})
}

// checkTable returns an error if a database cannot be a table of WikiSQL, or if another has its name in SPLIT.db.
func (w *writer) checkTable(db *dataset.Database) error {
	switch {
	case len(db.Tables) != 1:
		return fmt.Errorf("database %q has %d tables, expected one", dataset.Clip(db.ID), len(db.Tables))
	case !validID(db.ID):
		return fmt.Errorf("database id is %q, expected letters, digits, - and _", dataset.Clip(db.ID))
	case w.contentNames[strings.ToLower(TableName(db.ID))]:
		return fmt.Errorf("table %s is there already, expected each once", TableName(db.ID))
	}
	return nil
}

// tableRecord returns the record of a table and its rows. It stores the names of the table, which its questions need, and
// its name in SPLIT.db, which no other table may have.
func (w *writer) tableRecord(ctx context.Context, db *dataset.Database) (record []byte, rows [][]sqldata.Value, err error) {
	if rows, err = w.set.TableRows(ctx, db, 0); err != nil {
		return nil, nil, err
	}
	if record, err = tableJSON(db, rows); err != nil {
		return nil, nil, err
	}
	w.tables[db.ID] = tableNamesOf(&db.Tables[0])
	w.contentNames[strings.ToLower(TableName(db.ID))] = true
	return record, rows, nil
}

// writeContent writes a table to SPLIT.db in the form of WikiSQL's own file: columns col0, col1,
// … and text in lower case. The CREATE statement is on one line, because lib/dbengine.py parses
// it with a regular expression.
func (w *writer) writeContent(db *dataset.Database, rows [][]sqldata.Value) error {
	t := sqlite.LayoutTable{Table: sqldata.Table{Name: TableName(db.ID)}}
	var declared []string
	for i, c := range db.Tables[0].Columns {
		col := sqldata.Column{Name: fmt.Sprintf("col%d", i), Type: typeName(c.Type)}
		t.Columns = append(t.Columns, col)
		declared = append(declared, col.Name+" "+col.Type)
	}
	t.NotNull = make([]bool, len(t.Columns))
	t.SQL = fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(declared, ", "))
	lowered := make([][]sqldata.Value, len(rows))
	for r, row := range rows {
		lowered[r] = slices.Clone(row)
		for i, v := range row {
			if v.Kind() == sqldata.Text {
				lowered[r][i] = sqldata.NewText(strings.ToLower(v.Bytes()))
			}
		}
	}
	w.hasRows = w.hasRows || len(rows) > 0
	return w.addTable(t, lowered)
}

// typeName returns the type of a column in SPLIT.db and in records.
func typeName(t dataset.Type) string {
	if t == dataset.Number {
		return "real"
	}
	return "text"
}

// tableJSON returns the record of a table on one line: its source with what changed, or a new
// record.
func tableJSON(db *dataset.Database, rows [][]sqldata.Value) ([]byte, error) {
	t := &db.Tables[0]
	var rec tableRecord
	if err := dataset.DecodeSource(db.Source, &rec); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	var header, types []string
	for i, c := range t.Columns {
		name := c.Header
		// An empty header of the source stays empty, unless the made-up name of the column changed.
		unnamed := i < len(rec.Header) && rec.Header[i] == "" && naturalHeader("", i) == c.Name
		if name == "" && !unnamed {
			name = c.Name
		}
		header, types = append(header, name), append(types, typeName(c.Type))
	}
	if db.Source == nil {
		return newTableJSON(db, header, types, rows)
	}
	var changes dataset.Changes
	changes.AddIf(!slices.Equal(header, rec.Header), "header", header)
	changes.AddIf(!sameTypes(&rec, types), "types", types)
	id, _, _ := rec.id() // "" without one
	changes.AddIf(id != db.ID, "id", db.ID)
	changes.AddIf(id != db.ID, "name", shortName(db.ID))
	otherCaption := rec.caption() != t.Caption
	changes.AddIf(otherCaption, "caption", t.Caption)
	changes.AddIf(otherCaption, "page_title", nil) // nil removes the parts of the old caption
	changes.AddIf(otherCaption, "section_title", nil)
	merged, changed := mergeRows(&rec, rows, len(t.Columns))
	changes.AddIf(changed, "rows", merged)
	return patched(db.Source, changes)
}

// sameTypes reports whether the columns have the types of the record that they were read from. A column without a type in
// the record is text, as the reader took it.
func sameTypes(rec *tableRecord, types []string) bool {
	for i, t := range types {
		real := i < len(rec.Types) && rec.Types[i] == "real"
		if real != (t == "real") {
			return false
		}
	}
	return len(types) == len(rec.Types) || len(types) == len(rec.Header) // no column was added or dropped
}

// shortName returns the "name" of a record: "table_10015132_11" for the table "1-10015132-11".
func shortName(id string) string {
	if phase, rest, ok := strings.Cut(id, "-"); ok && len(phase) == 1 {
		id = rest
	}
	return TableName(id)
}

// newTableJSON returns the record of a table of another format.
func newTableJSON(db *dataset.Database, header, types []string, rows [][]sqldata.Value) ([]byte, error) {
	cells := make([][]json.RawMessage, len(rows))
	for r, row := range rows {
		cells[r] = rowJSON(row)
	}
	return patched(nil, []dataset.Change{
		{Key: "header", Value: header}, {Key: "page_title", Value: ""}, {Key: "types", Value: types}, {Key: "id", Value: db.ID},
		{Key: "section_title", Value: ""}, {Key: "caption", Value: db.Tables[0].Caption}, {Key: "rows", Value: cells}, {Key: "name", Value: shortName(db.ID)},
	})
}

// rowJSON returns the cells of a row as JSON.
func rowJSON(row []sqldata.Value) []json.RawMessage {
	return lists.Map(row, cellJSON)
}

// mergeRows returns the rows of a record as JSON; rows are those of the table, nil if it has no content. Cells that mean the
// same as in the source keep their bytes; changed is false if all do. columns is the number of columns of the table.
func mergeRows(rec *tableRecord, rows [][]sqldata.Value, columns int) (merged [][]json.RawMessage, changed bool) {
	source := fittingRows(rec.Rows, len(rec.Header))
	if rows == nil { // the rows are those of the record, cut or filled with NULL to the number of columns
		for _, row := range source {
			rows = append(rows, append(rowValues(row), make([]sqldata.Value, columns)...)[:columns])
		}
	}
	changed = len(source) != len(rows) // then no cell of source is looked at
	merged = make([][]json.RawMessage, len(rows))
	for r, row := range rows {
		merged[r] = rowJSON(row)
		changed = changed || len(source[r]) != columns
		for i, v := range row {
			if len(source) == len(rows) && i < len(source[r]) && sameCell(source[r][i], v) {
				merged[r][i] = source[r][i]
			} else {
				changed = true
			}
		}
	}
	return merged, changed
}

// sameCell reports whether a cell of the source means the value: in a column of numbers, 25 and
// "25" are 25.0.
func sameCell(cell json.RawMessage, v sqldata.Value) bool {
	s := cellValue(cell)
	a, okA := numericCell(s)
	b, okB := numericCell(v)
	return s == v || okA && okB && a == b
}

// writeQuestions writes SPLIT.jsonl, a line for each question. A question that cannot be written is reported.
func (w *writer) writeQuestions(ctx context.Context) error {
	file := w.set.Split + ".jsonl"
	return dataset.CreateFile(filepath.Join(w.dir, file), func(out *bufio.Writer) error {
		return w.set.Examples.WriteEach(ctx, file, w.report, func(ex *dataset.Example) error {
			line, err := w.questionRecord(ex)
			if err != nil {
				return err
			}
			out.Write(line)
			return out.WriteByte('\n')
		})
	})
}

// questionRecord returns the record of an example on one line: its source with what changed, or a new record.
func (w *writer) questionRecord(ex *dataset.Example) ([]byte, error) {
	names, ok := w.tables[ex.DB]
	if !ok {
		return nil, fmt.Errorf("table %q is not written, expected one that is", dataset.Clip(ex.DB))
	}
	form, err := Parse(ex.Query, names.database(ex.DB))
	if err != nil {
		return nil, fmt.Errorf("%s is no logical form: %w", dataset.Clip(ex.Query), err)
	}
	if ex.Source == nil {
		phase := 1 // of WikiSQL's collection, by which table ids begin
		if strings.HasPrefix(ex.DB, "2-") {
			phase = 2
		}
		return patched(nil, []dataset.Change{
			{Key: "phase", Value: phase}, {Key: "table_id", Value: ex.DB}, {Key: "question", Value: ex.Question}, {Key: "sql", Value: form},
		})
	}
	old, err := decodeQuestion(ex.Source)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	var changes dataset.Changes
	changes.AddIf(old.table != ex.DB, "table_id", ex.DB)
	changes.AddIf(old.text != ex.Question, "question", ex.Question)
	if !old.form.Equal(form) {
		sql, err := patchForm(ex.Source, form)
		if err != nil {
			return nil, err
		}
		changes.AddIf(true, "sql", sql)
	}
	return patched(ex.Source, changes)
}

// patchForm returns the member "sql" of a record with another logical form. It keeps the order
// of its members.
func patchForm(source json.RawMessage, form LogicalForm) (json.RawMessage, error) {
	conds := append([]Condition{}, form.Where...) // [] and not null if there are none
	return dataset.Patch(dataset.FindMember(source, "sql"), dataset.Change{Key: "sel", Value: form.Select}, dataset.Change{Key: "conds", Value: conds},
		dataset.Change{Key: "agg", Value: form.Aggregate})
}

// patched returns a record, with changes, on one line. Without changes its bytes stay, except for
// line breaks between members. New values are in ASCII, as Python writes them.
func patched(source json.RawMessage, changes []dataset.Change) ([]byte, error) {
	if len(changes) > 0 {
		for i, c := range changes {
			if c.Value == nil {
				continue
			}
			raw, err := asciiJSON(c.Value)
			if err != nil {
				return nil, err
			}
			changes[i].Value = raw
		}
		return dataset.Patch(source, changes...)
	}
	source = bytes.TrimSpace(source)
	if !bytes.ContainsAny(source, "\n\r") {
		return source, nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, source)
	return b.Bytes(), err
}
