package given

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// changesNothing matches statements that change neither schema nor rows.
var changesNothing = lazyregexp.New(`(?i)^(?:ANALYZE|BEGIN|COMMENT|COMMIT|END|PRAGMA|SET|START|VACUUM)\b`)

// Migration returns the perturbation of a script that changes the schema of a database: all its statements become edits
// of one variant, for all questions of the database. Statements that no edit expresses are passed to report and
// left out; a script without any other is an error.
func Migration(path string, db *dataset.Database, report func(error)) (*perturb.Perturbation, error) {
	script, err := readScript(path)
	if err != nil {
		return nil, err
	}
	m := newMigration(db)
	if err := m.follow([]scriptFile{{path, script}}, report); err != nil {
		return nil, err
	}
	edits := m.edits()
	if len(edits) == 0 {
		return nil, &dataset.FileError{File: path, Err: fmt.Errorf("changes nothing of %s that an edit expresses, expected a statement that does", db.ID)}
	}
	return perturbation(path, "Makes the changes of "+filepath.Base(path)+" in the schema.", map[string][]perturb.Edit{db.ID: edits}), nil
}

// parseChanges returns the changes that a statement makes. Its error quotes the statement.
func parseChanges(statement string) ([]sqlast.Change, error) {
	if changesNothing.MatchString(statement) {
		return nil, nil
	}
	changes, err := sqlast.ParseChange(statement)
	if err != nil {
		err = fmt.Errorf("%s: %w", shortened(statement), err)
	}
	return changes, err
}

// follow applies the changes of files to the schema. It passes a statement or change that no edit expresses to report, and
// also a new table that takes the place of no old one.
func (m *migration) follow(files []scriptFile, report func(error)) error {
	n := 0
	for _, f := range files {
		for _, s := range f.statements {
			problem := func(err error) { report(&dataset.RecordError{File: f.path, Record: s.line, Err: err}) }
			changes, err := parseChanges(s.text)
			if err != nil {
				problem(err)
			}
			if n += len(changes); n > maxChanges {
				return &dataset.FileError{File: f.path, Err: fmt.Errorf("has more than %d changes, expected fewer", maxChanges)}
			}
			for _, c := range changes {
				if err := m.apply(c, s.line); err != nil {
					problem(fmt.Errorf("%s: %w", describe(c), err))
				}
			}
		}
	}
	for _, t := range m.tables {
		if t.from == none {
			report(&dataset.RecordError{File: files[len(files)-1].path, Record: t.line, Err: fmt.Errorf("CREATE TABLE %s: the table stays beside the others, and no edit makes one", dataset.Clip(t.name))})
		}
	}
	return nil
}

// describe returns a change for messages, as it could have been written.
func describe(c sqlast.Change) string {
	table, column := dataset.Clip(c.Table), dataset.Clip(c.Column)
	switch c.Kind {
	case sqlast.ChangeRenameTable:
		return fmt.Sprintf("ALTER TABLE %s RENAME TO %s", table, dataset.Clip(c.Name))
	case sqlast.ChangeRenameColumn:
		return fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", table, column, dataset.Clip(c.Name))
	case sqlast.ChangeColumnType:
		return fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE", table, column)
	case sqlast.ChangeAddColumn, sqlast.ChangeDropColumn:
		return fmt.Sprintf("ALTER TABLE %s %s %s", table, c.Kind, column)
	case sqlast.ChangeInsert:
		return "INSERT INTO " + table
	}
	return fmt.Sprintf("%s %s", c.Kind, table)
}

// none is the origin of a table or column that the schema does not have.
const none = -1

// migration is a schema while the changes of a script are made in it.
type migration struct {
	db        *dataset.Database
	tables    []movedTable
	namesOnly bool // names alone matter: the statements run on a database, which makes the rows
}

// inexact returns an error for a change of rows that no edit makes. It returns nil if names alone matter (m.namesOnly), so that the change is
// followed as far as names go.
func (m *migration) inexact(format string, args ...any) error {
	if m.namesOnly {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// movedTable is a table after the changes so far.
type movedTable struct {
	name    string
	from    int // its position in the schema, none for a new table
	copies  int // of a new table: the table of the schema whose rows it has, none for no rows
	columns []movedColumn
	line    int  // of a new table: where it is made
	kept    bool // a statement that copies it was refused, so that dropping it would lose its rows
}

// movedColumn is a column after the changes so far.
type movedColumn struct {
	name string
	from int // its position in the table of the schema, none for a new column
	typ  dataset.Type
	cell string // of a new column: the value of every row, "" for NULL

	copies string // of a new column: the column of the table whose values it has, "" for none
}

// newMigration returns the migration of a schema without any change.
func newMigration(db *dataset.Database) *migration {
	m := &migration{db: db}
	for i, t := range db.Tables {
		table := movedTable{name: t.Original, from: i, copies: none}
		for j, c := range t.Columns {
			table.columns = append(table.columns, movedColumn{name: c.Original, from: j, typ: c.Type})
		}
		m.tables = append(m.tables, table)
	}
	return m
}

// apply applies a change of the statement on a line. If it returns an error, no table has changed, but tables that the change would
// have copied are marked as kept.
func (m *migration) apply(c sqlast.Change, line int) error {
	before := lists.Map(m.tables, func(t movedTable) movedTable {
		t.columns = slices.Clone(t.columns)
		return t
	})
	err := m.change(c, line)
	if err == nil && !m.namesOnly {
		if _, fit := perturb.ApplySchema(m.db, m.edits()); fit != nil {
			err = errors.New(strings.TrimPrefix(fit.Error(), m.db.ID+": "))
		}
	}
	if err != nil {
		m.tables = before
		if c.Query != nil {
			for read := range sqlast.All[*sqlast.Table](c.Query) {
				if t := m.table(read.Name.Name); t != nil {
					t.kept = true
				}
			}
		}
	}
	return err
}

// change applies a change, perhaps in part if it returns an error: apply restores the tables then.
func (m *migration) change(c sqlast.Change, line int) error {
	t := m.table(c.Table)
	switch {
	case c.Kind == sqlast.ChangeNoName:
		return nil
	case c.Kind == sqlast.ChangeCreateTable:
		return m.create(c, line)
	case c.Kind == sqlast.ChangeCreateView, c.Kind == sqlast.ChangeDropView:
		return errors.New("no edit makes or drops a view")
	case t == nil && c.Lenient:
		return nil
	case t == nil:
		return fmt.Errorf("there is no table %s", dataset.Clip(c.Table))
	}
	switch c.Kind {
	case sqlast.ChangeRenameTable:
		if other := m.table(c.Name); other != nil && other != t {
			return fmt.Errorf("there is a table %s already", dataset.Clip(c.Name))
		}
		t.name = c.Name
		m.replace(t)
		return perturb.CheckTableName(c.Name)
	case sqlast.ChangeDropTable:
		return m.drop(t)
	case sqlast.ChangeInsert:
		return m.insert(t, c)
	case sqlast.ChangeAddColumn:
		return m.add(t, c.Columns[0], c.Lenient)
	}
	return m.changeColumn(t, c)
}

// table returns the table of a name, nil if there is none.
func (m *migration) table(name string) *movedTable {
	at := slices.IndexFunc(m.tables, func(t movedTable) bool { return strings.EqualFold(t.name, name) })
	if at < 0 {
		return nil
	}
	return &m.tables[at]
}

// column returns the position of a column, negative if there is none.
func (t *movedTable) column(name string) int {
	return slices.IndexFunc(t.columns, func(c movedColumn) bool { return strings.EqualFold(c.name, name) })
}

// add adds a column with one value in every row. If the table has a column of that name, it does nothing if lenient is set, and else
// returns an error.
func (m *migration) add(t *movedTable, c sqlast.ColumnChange, lenient bool) error {
	switch exists := t.column(c.Name) >= 0; {
	case exists && lenient:
		return nil
	case exists:
		return fmt.Errorf("table %s has a column %s already", t.name, c.Name)
	}
	if c.Computed {
		if err := m.inexact("its value is no constant, and no edit computes it"); err != nil {
			return err
		}
	}
	t.columns = append(t.columns, movedColumn{name: c.Name, from: none, typ: folder.ColumnType(c.Type, nil), cell: c.Default})
	return perturb.CheckName(c.Name)
}

// changeColumn renames or drops a column, or records a column that copies its values. A copy or a change of the type is an error unless
// names alone matter (m.namesOnly): no edit expresses it.
func (m *migration) changeColumn(t *movedTable, c sqlast.Change) error {
	at := t.column(c.Column)
	switch {
	case at < 0 && c.Lenient && c.Kind == sqlast.ChangeDropColumn:
		return nil
	case at < 0:
		return fmt.Errorf("table %s has no column %s", t.name, dataset.Clip(c.Column))
	case c.Kind == sqlast.ChangeColumnType:
		return m.inexact("no edit changes the type of a column")
	case c.Kind == sqlast.ChangeDropColumn:
		t.dropColumn(at)
		return nil
	case c.Kind == sqlast.ChangeCopyColumn:
		if to := t.column(c.Name); to >= 0 && t.columns[to].from == none {
			t.columns[to].copies = t.columns[at].name
		}
		return m.inexact("no edit copies a column")
	}
	if other := t.column(c.Name); other >= 0 && other != at {
		return fmt.Errorf("table %s has a column %s already", t.name, c.Name)
	}
	t.columns[at].name = c.Name
	return perturb.CheckName(c.Name)
}

// dropColumn drops the column at a position. If a new column has its values, that one counts as the old column renamed: tools add,
// copy and drop a column to rename it in several releases.
func (t *movedTable) dropColumn(at int) {
	dropped := t.columns[at]
	t.columns = slices.Delete(t.columns, at, at+1)
	copied := slices.IndexFunc(t.columns, func(c movedColumn) bool { return c.from == none && c.copies == dropped.name })
	if copied >= 0 {
		t.columns[copied].from, t.columns[copied].typ = dropped.from, dropped.typ
	}
}
