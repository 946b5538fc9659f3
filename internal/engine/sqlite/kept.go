package sqlite

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// trialName is a name that no table or column has.
const trialName = "tabperturb trial"

// Kept finds what views and triggers depend on, by making each change on an empty database in memory with the same schema. Without
// views and triggers it returns the zero Kept.
func (db *DB) Kept(ctx context.Context) (sqldata.Kept, error) {
	var k sqldata.Kept
	views, err := db.Query(ctx, "SELECT name, type FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY rowid", sqldata.Limits{})
	if err != nil || len(views.Rows) == 0 {
		return k, err
	}
	for _, row := range views.Rows {
		if row[1].Bytes() == "view" {
			k.Views = append(k.Views, row[0].Bytes())
		}
	}
	tables, c, before, err := db.replica(ctx)
	if err != nil {
		return k, err
	}
	defer c.close()
	for _, t := range tables {
		if ctx.Err() != nil {
			return k, ctx.Err()
		}
		// Each trial makes a change; if it spoils a view or a trigger, the table or column is kept from such changes.
		if c.spoilsPinned(before, sqldata.AddColumn{Table: t.Name, Name: trialName}) != "" {
			k.Tables = append(k.Tables, t.Name)
		}
		if c.spoils(before, dropForTrial(t.Name)) != "" {
			k.Read = append(k.Read, t.Name)
		}
		trial := c.spoilsPinned
		if len(t.Columns) > maxTried {
			trial = c.spoils // a pin has all columns, so that pinned trials take long
		}
		for _, column := range t.Columns {
			if by := trial(before, sqldata.RenameColumn{Table: t.Name, Column: column.Name, Name: trialName}); by != "" {
				k.Columns = append(k.Columns, sqldata.KeptColumn{Table: t.Name, Column: column.Name, By: by})
			}
		}
	}
	return k, nil
}

// dropForTrial is a write that drops the table of that name and nothing else, for a trial.
type dropForTrial string

// Changes returns the table; no column is dropped alone.
func (d dropForTrial) Changes() (table, dropped string) { return string(d), "" }

// spoilsPinned tries a change without views pinned (see [pin]) and then with them, and returns what it spoils in both trials, as
// [conn.spoils] does; "" if it spoils nothing in one of them.
func (c *conn) spoilsPinned(before map[string]string, change sqldata.Write) string {
	by := c.spoils(before, change)
	if by != "" {
		by = c.spoils(before, pinned{change})
	}
	return by
}

// spoils makes a change, compares what works then with before, what [conn.works] returned before it, and undoes the change. It returns
// [sqldata.ByView] if a view differs, [sqldata.ByTrigger] if a trigger differs or SQLite refuses the change, and "" otherwise.
func (c *conn) spoils(before map[string]string, change sqldata.Write) string {
	if c.exec("SAVEPOINT trial") != nil {
		return sqldata.ByTrigger
	}
	w := &writer{ctx: context.Background(), conn: c}
	err := w.write(change)
	after := map[string]string{}
	if err == nil && len(before) > 0 {
		after, err = c.works()
	}
	undo := c.exec("ROLLBACK TO trial; RELEASE trial; " + reloadSchema)
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "error in view"):
		return sqldata.ByView
	case err != nil, undo != nil:
		return sqldata.ByTrigger
	}
	by := ""
	dropped, _ := change.(dropForTrial) // "" if the change drops no table, and then no key begins with it and a NUL
	for key, columns := range before {
		if now, ok := after[key]; ok && now == columns || strings.HasPrefix(key, string(dropped)+"\x00") {
			continue // it works as before, or was dropped with its table
		}
		if strings.HasSuffix(key, "\x00") { // a view; keys of changes that fire triggers go on after the NUL
			return sqldata.ByView
		}
		by = sqldata.ByTrigger
	}
	return by
}

// works returns what works in the database: for each view that can be read, its columns by "VIEW\x00", and for
// each kind of change of rows that a table or view accepts, as its triggers compile, "" by "TABLE\x00insert",
// "TABLE\x00update" or "TABLE\x00delete". It is empty for a database without views and triggers.
func (c *conn) works() (map[string]string, error) {
	if dependents, err := c.all("SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1"); err != nil || len(dependents) == 0 {
		return nil, err
	}
	objects, err := c.all(`SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY rowid`)
	if err != nil {
		return nil, err
	}
	works := map[string]string{}
	for _, o := range objects {
		name, isView := o[0].Bytes(), o[1].Bytes() == "view"
		key := name + "\x00"
		if isView {
			if columns := c.columnsOf("SELECT * FROM " + sqldata.QuoteName(name)); columns != "" {
				works[key] = columns
			}
		}
		columns, err := c.storedColumns(name)
		if err != nil { // a view that does not compile
			continue
		}
		for change, sql := range changes(name, columns) {
			if s, _, err := c.prepare("EXPLAIN " + sql); err == nil {
				works[key+change] = ""
				s.finalize()
			}
		}
	}
	return works, nil
}

// storedColumns returns the names of the columns of a table or view that take a value: not those of
// generated columns.
func (c *conn) storedColumns(table string) ([]string, error) {
	return c.column("SELECT name FROM pragma_table_xinfo(" + quoteText(table) + ") WHERE hidden = 0 ORDER BY cid")
}

// changes returns statements that change rows of a table or view with the columns, by "insert", "update" and "delete".
func changes(table string, columns []string) map[string]string {
	name := sqldata.QuoteName(table)
	statements := map[string]string{"insert": "INSERT INTO " + name + " DEFAULT VALUES", "delete": "DELETE FROM " + name}
	if len(columns) > 0 {
		statements["update"] = "UPDATE " + name + " SET " + strings.Join(lists.Map(columns, sqldata.QuoteName), " = NULL, ") + " = NULL"
	}
	return statements
}

// Enforces returns false: a column holds any value, and keys may refer to nothing.
func (db *DB) Enforces() bool { return false }

// Dialect returns "".
func (db *DB) Dialect() string { return "" }

// Advice returns "": a file is opened for reading alone.
func (db *DB) Advice(context.Context) (string, error) { return "", nil }
