package given

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Script is a migration of a database: the statements of one or more files, in order.
type Script struct {
	Statements int
	files      []scriptFile
}

// scriptFile is a file of a migration.
type scriptFile struct {
	path       string
	statements []statement
}

// ReadScript reads the files of a migration.
func ReadScript(paths ...string) (*Script, error) {
	s := &Script{}
	for _, path := range paths {
		statements, err := readScript(path)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, scriptFile{path, statements})
		s.Statements += len(statements)
	}
	return s, nil
}

// Migrate writes to dst a copy of the database file src and runs the statements on it. It passes a statement that fails, and so
// changes nothing, to report and goes on; a skipped statement that concerns no table is reported as a note. If src is on a server, it
// makes only the changes that edits express, as views of the tables. It returns the edits that lead from the schema db to the names of
// tables and columns after the migration.
func (s *Script) Migrate(ctx context.Context, db *dataset.Database, src, dst string, report func(error)) (edits []perturb.Edit, err error) {
	m := newMigration(db)
	if !engine.IsLocal(src) { // statements cannot run on a copy of it
		if err := m.follow(s.files, report); err != nil {
			return nil, err
		}
		return m.edits(), perturb.ApplyContent(ctx, src, dst, m.edits())
	}
	m.namesOnly = true
	err = sqlite.Migrate(ctx, src, dst, func(on *sqlite.Migrating) error {
		for _, f := range s.files {
			for _, statement := range f.statements {
				err := m.run(on, statement)
				if on.Err() != nil || ctx.Err() != nil {
					return fmt.Errorf("%s:%d: %w", f.path, statement.line, cmp.Or(ctx.Err(), on.Err()))
				}
				if err != nil {
					report(&dataset.RecordError{File: f.path, Record: statement.line, Err: err})
				}
			}
		}
		return nil
	})
	return m.edits(), err
}

// legacyAlter matches the setting by which renaming a table leaves views and keys as they are.
var legacyAlter = lazyregexp.New(`(?i)^PRAGMA\s+legacy_alter_table\b`)

// notOfTables matches statements of PostgreSQL that change no table, which SQLite does not have.
var notOfTables = lazyregexp.New(`(?i)^(?:GRANT|REVOKE|LOCK|NOTIFY|CLUSTER|RESET|SELECT|(?:CREATE|ALTER|DROP)(?:\s+OR\s+REPLACE)?\s+(?:AGGREGATE|COLLATION|CONSTRAINT|DEFAULT|DOMAIN|EXTENSION|FUNCTION|INDEX|MATERIALIZED|OPERATOR|POLICY|PROCEDURE|ROLE|RULE|SCHEMA|SEQUENCE|STATISTICS|TRIGGER|TYPE|USER))\b`)

// changesTables matches what a block of statements would have that changes tables.
var changesTables = lazyregexp.New(`(?i)\bRENAME\b|\bADD\s+COLUMN\b|\bDROP\s+(?:COLUMN|TABLE)\b|\bCREATE\s+TABLE\b|\bINSERT\b|\bUPDATE\b|\bDELETE\b|\bEXECUTE\b`)

// concernsNoTable reports whether a statement changes no table.
func concernsNoTable(text string) bool {
	return notOfTables.MatchString(text) || strings.HasPrefix(strings.ToUpper(text), "DO") && !changesTables.MatchString(text)
}

// run runs a statement on a database and follows the names that it changes. If SQLite does not understand the statement as it is, or
// would not number rows by it, run makes the same changes by statements of SQLite. It returns a note for a skipped statement that
// concerns no table.
func (m *migration) run(on *sqlite.Migrating, s statement) error {
	if changesNothing.MatchString(s.text) && !legacyAlter.MatchString(s.text) {
		return nil
	}
	changes, unknown := sqlast.ParseChange(s.text)
	failed := error(sqlite.ErrNoMigration) // as long as the statement has not run
	if !slices.ContainsFunc(changes, numbersRows) {
		failed = on.Exec(s.text)
	}
	switch {
	case failed == nil:
	case unknown != nil && notUnderstood(failed) && concernsNoTable(s.text): // neither SQLite nor ParseChange knows it
		return dataset.Note(fmt.Errorf("%s: not run, as it changes no table", shortened(s.text)))
	case unknown != nil, changes[0].Kind == sqlast.ChangeNoName && !notUnderstood(failed): // no other statements to run in its place
		return fmt.Errorf("%s: %w", shortened(s.text), failed)
	}
	for _, c := range changes {
		if failed != nil {
			if err := inSQLite(on, c); err != nil && !(c.Lenient && isSuppressible(err)) {
				return fmt.Errorf("%s: %w", describe(c), err)
			}
		}
		_ = m.apply(c, s.line) // a change that it cannot follow, such as a new view, has no names of the schema
	}
	return nil
}

// numbersRows reports whether a change has a column of numbered rows, which SQLite would take for one of any type.
func numbersRows(c sqlast.Change) bool {
	return slices.ContainsFunc(c.Columns, func(c sqlast.ColumnChange) bool { return c.Numbered })
}

// shortened returns the beginning of a statement for messages.
func shortened(text string) string {
	return fmt.Sprintf("%.60q", strings.Join(strings.Fields(text), " "))
}

// notUnderstood reports whether an error is of a statement that SQLite does not know, and not of what the statement names.
func notUnderstood(err error) bool {
	return errors.Is(err, sqlite.ErrNoMigration) || strings.Contains(err.Error(), "syntax error") || strings.Contains(err.Error(), "unknown database")
}

// isSuppressible reports whether an error is one that IF EXISTS or IF NOT EXISTS suppresses, which not all statements of SQLite take.
func isSuppressible(err error) bool {
	return slices.ContainsFunc([]string{"no such table", "no such column", "duplicate column name", "already exists"}, func(s string) bool { return strings.Contains(err.Error(), s) })
}

// inSQLite makes a change by statements of SQLite. A change that has none is left out.
func inSQLite(on *sqlite.Migrating, c sqlast.Change) error {
	quote := sqldata.QuoteName
	alter := "ALTER TABLE " + quote(c.Table)
	switch c.Kind {
	case sqlast.ChangeRenameTable:
		return on.Exec(alter + " RENAME TO " + quote(c.Name))
	case sqlast.ChangeRenameColumn:
		return on.Exec(alter + " RENAME COLUMN " + quote(c.Column) + " TO " + quote(c.Name))
	case sqlast.ChangeAddColumn:
		err := on.Exec(alter + " ADD COLUMN " + defined(c.Columns[0]))
		if err != nil || !c.Columns[0].Numbered {
			return err
		}
		return on.Exec("UPDATE " + quote(c.Table) + " SET " + quote(c.Column) + " = rowid") // numbers the rows from 1
	case sqlast.ChangeDropColumn, sqlast.ChangeColumnType:
		return changeInSQLite(on, c)
	case sqlast.ChangeDropTable:
		return on.Exec("DROP TABLE " + quote(c.Table))
	case sqlast.ChangeDropView:
		return on.Exec("DROP VIEW " + quote(c.Table))
	case sqlast.ChangeCreateView:
		return cmp.Or(on.Exec("DROP VIEW IF EXISTS "+quote(c.Table)), on.Exec("CREATE VIEW "+quote(c.Table)+named(c.Columns)+" AS "+c.Query.String()))
	case sqlast.ChangeInsert:
		verb := "INSERT INTO "
		if c.Ignore {
			verb = "INSERT OR IGNORE INTO "
		}
		return on.Exec(verb + quote(c.Table) + named(c.Columns) + " " + c.Query.String())
	case sqlast.ChangeCreateTable:
		if c.Query != nil {
			return on.Exec("CREATE TABLE " + quote(c.Table) + " AS " + c.Query.String())
		}
		return on.Exec("CREATE TABLE " + quote(c.Table) + " (" + strings.Join(tableParts(c), ", ") + ")")
	}
	return nil
}

// tableParts returns the definitions of the columns and of the primary key of a new table. A numbered column becomes the
// INTEGER PRIMARY KEY, which SQLite numbers, unless the key has other columns.
func tableParts(c sqlast.Change) []string {
	parts := lists.Map(c.Columns, defined)
	at := slices.IndexFunc(c.Columns, func(c sqlast.ColumnChange) bool { return c.Numbered })
	switch {
	case at >= 0 && (len(c.Primary) == 0 || slices.Equal(c.Primary, []string{c.Columns[at].Name})):
		parts[at] = sqldata.QuoteName(c.Columns[at].Name) + " INTEGER PRIMARY KEY"
	case len(c.Primary) > 0:
		parts = append(parts, "PRIMARY KEY ("+strings.Join(lists.Map(c.Primary, sqldata.QuoteName), ", ")+")")
	}
	return parts
}

// changeInSQLite drops a column, or converts its values to another type, by writing the table anew: SQLite's ALTER TABLE drops no
// column of a key, and changes no type.
func changeInSQLite(on *sqlite.Migrating, c sqlast.Change) error {
	found := false
	err := on.RewriteTable(c.Table, func(name string) string {
		quoted := sqldata.QuoteName(name)
		switch {
		case !strings.EqualFold(name, c.Column):
			return quoted
		case c.Kind == sqlast.ChangeDropColumn:
			found = true
			return ""
		}
		found = true
		return converted(quoted, c.Columns[0].Type)
	})
	if err == nil && !found {
		return fmt.Errorf("no such column: %s", dataset.Clip(c.Column))
	}
	return err
}

// The types whose values SQLite converts as PostgreSQL does, and those for which it does not matter how long they are.
var (
	numericType = lazyregexp.New(`(?i)^(?:int|bigint|smallint|serial|bigserial|numeric|decimal|real|double|float)`)
	integerType = lazyregexp.New(`(?i)^(?:int|bigint|smallint|serial|bigserial)`)
	textType    = lazyregexp.New(`(?i)^(?:text|varchar|char|character|citext)`)
)

// converted returns an SQL expression for a quoted column with its values converted to a declared type: to integers, numbers or texts.
// For any other type, such as times and booleans, the values stay.
func converted(quoted, declared string) string {
	switch {
	case integerType.MatchString(declared):
		return fmt.Sprintf("CAST(%s AS INTEGER) AS %[1]s", quoted)
	case numericType.MatchString(declared):
		return fmt.Sprintf("CAST(%s AS NUMERIC) AS %[1]s", quoted)
	case textType.MatchString(declared):
		return fmt.Sprintf("CAST(%s AS TEXT) AS %[1]s", quoted)
	}
	return quoted
}

// plainType matches a declared type of words alone.
var plainType = lazyregexp.New(`^[\w ]*$`)

// defined returns the SQL definition of a new column with its type, constant default and reference. A type with other characters than
// letters, digits and blanks is left out.
func defined(c sqlast.ColumnChange) string {
	text := sqldata.QuoteName(c.Name)
	if plainType.MatchString(c.Type) {
		text += " " + c.Type
	}
	if c.Default != "" {
		text += " DEFAULT '" + strings.ReplaceAll(c.Default, "'", "''") + "'"
	}
	if c.Reference != "" {
		text += " REFERENCES " + sqldata.QuoteName(c.Reference)
		if c.Target != "" {
			text += " (" + sqldata.QuoteName(c.Target) + ")"
		}
	}
	return text
}

// named returns a list of column names in parentheses, "" for none.
func named(columns []sqlast.ColumnChange) string {
	if len(columns) == 0 {
		return ""
	}
	return " (" + strings.Join(lists.Map(columns, func(c sqlast.ColumnChange) string { return sqldata.QuoteName(c.Name) }), ", ") + ")"
}
