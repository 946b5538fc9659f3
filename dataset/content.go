package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Limits on the samples of a column.
const (
	sampleCount = 5   // samples of a column
	sampleRows  = 200 // rows that are read for them
	sampleRunes = 40  // characters of a sample
)

// AddSamples sets [Column.Samples] of a database with content to the first distinct short cells.
// Views get none, nor do columns that only tables.json has, which occurs in Spider; a note names
// each of these.
func AddSamples(ctx context.Context, db *Database, report func(error)) error {
	if db.SQLite == "" {
		return nil
	}
	file, err := engine.Open(ctx, db.SQLite)
	if err != nil {
		return err
	}
	defer file.Close()
	schema, err := file.Schema(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", db.SQLite, err)
	}
	views, err := file.Views(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", db.SQLite, err)
	}
	note := func(err error) { report(Note(fmt.Errorf("%s: %w", db.SQLite, err))) }
	stored := storedNames(schema)
	for t := range db.Tables {
		table := &db.Tables[t]
		if slices.ContainsFunc(views, func(v string) bool { return strings.EqualFold(v, table.Original) }) {
			continue // nothing of it is perturbed, and reading one may take long
		}
		if !stored[ColumnID{Table: table.Original}.Key()] {
			note(fmt.Errorf("has no table %q, expected it as tables.json does", table.Original))
			continue
		}
		var columns []int
		for c, col := range table.Columns {
			if stored[ColumnID{Table: table.Original, Column: col.Original}.Key()] {
				columns = append(columns, c)
			} else {
				note(fmt.Errorf("table %q has no column %q, expected it as tables.json does", table.Original, col.Original))
			}
		}
		if err := sampleTable(ctx, file, table, columns); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			note(fmt.Errorf("table %q: %w", table.Original, err))
		}
	}
	return nil
}

// storedNames returns the set of the tables and columns of a file by [ColumnID.Key]; the id of a table has no column.
func storedNames(tables []sqldata.Table) map[ColumnID]bool {
	names := map[ColumnID]bool{}
	for _, t := range tables {
		names[ColumnID{Table: t.Name}.Key()] = true
		for _, c := range t.Columns {
			names[ColumnID{Table: t.Name, Column: c.Name}.Key()] = true
		}
	}
	return names
}

// sampleTable sets the samples of the columns of a table with the given indices; it reads nothing if there are none.
func sampleTable(ctx context.Context, file engine.DB, table *Table, columns []int) error {
	if len(columns) == 0 {
		return nil
	}
	res, err := file.Query(ctx, fmt.Sprintf("%s LIMIT %d", selectColumns(table, lists.Map(columns, func(c int) Column { return table.Columns[c] })), sampleRows), sqldata.Limits{})
	if err != nil {
		return err
	}
	for i, c := range columns {
		table.Columns[c].Samples = distinctCells(res.Rows, i)
	}
	return nil
}

// selectColumns returns the SQL that selects some of the columns of a table.
func selectColumns(table *Table, columns []Column) string {
	names := lists.Map(columns, func(c Column) string { return sqldata.QuoteName(c.Original) })
	return fmt.Sprintf("SELECT %s FROM %s", strings.Join(names, ", "), sqldata.QuoteName(table.Original))
}

// distinctCells returns the first distinct short cells of a column as text; column is its index
// in the rows.
func distinctCells(rows [][]sqldata.Value, column int) []string {
	var found []string
	seen := map[string]bool{"": true} // an empty cell is no sample
	for _, row := range rows {
		s := "" // for NULL and blobs
		switch v := row[column]; v.Kind() {
		case sqldata.Integer, sqldata.Real, sqldata.Text:
			s = strings.TrimSpace(v.String())
		}
		if seen[s] || len([]rune(s)) > sampleRunes {
			continue
		}
		seen[s] = true
		if found = append(found, s); len(found) == sampleCount {
			break
		}
	}
	return found
}

// SQLiteTables returns the schema of a database in the form that [generate.Rows] and
// [sqlite.Create] take.
func SQLiteTables(db *Database) []sqldata.Table {
	tables := make([]sqldata.Table, len(db.Tables))
	for t, table := range db.Tables {
		tables[t].Name = table.Original
		tables[t].Columns = lists.Map(table.Columns, func(c Column) sqldata.Column { return sqldata.Column{Name: c.Original, Type: declaredType(c.Type)} })
	}
	for _, ref := range db.PrimaryKeys {
		tables[ref.Table].PrimaryKey = append(tables[ref.Table].PrimaryKey, db.Column(ref).Original)
	}
	for _, fk := range db.ForeignKeys {
		t := &tables[fk.Column.Table]
		t.ForeignKeys = append(t.ForeignKeys, sqldata.ForeignKey{
			Columns: []string{db.Column(fk.Column).Original},
			Table:   db.Tables[fk.Target.Table].Original, References: []string{db.Column(fk.Target).Original},
		})
	}
	return tables
}

// declaredType returns a declared type whose affinity stores values of t as they are written.
// Times are stored as text, which SQLite does for a type with TEXT in its name: as numbers, '2001-02-03' and 2001 would not compare.
func declaredType(t Type) string {
	switch t {
	case Number:
		return "NUMERIC"
	case Time:
		return "TIME_TEXT"
	case Boolean:
		return "BOOLEAN"
	}
	return "TEXT"
}
