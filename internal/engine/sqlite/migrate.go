package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Migrating is a copy of a database while the statements of a migration run on it.
type Migrating struct {
	conn *conn
	err  error // ended the migration
}

// Err returns the error that ended the migration: a statement passed the bounds, and the engine has undone all. Nothing runs after it.
func (m *Migrating) Err() error { return m.err }

// ErrNoMigration is the error for a statement that is none of a migration.
var ErrNoMigration = errors.New("expected one statement of ALTER, CREATE, DELETE, DROP, INSERT, REINDEX, REPLACE, UPDATE or WITH")

// maxMigrationPages bounds the growth of a file by its migration.
const maxMigrationPages = 1 << 16

// maxMigrationSteps bounds the steps of the engine in a migration.
var maxMigrationSteps = 400_000_000

// Migrate writes to dst a copy of the database file src after run has changed it. The copy appears whole or not at all. Nothing but the
// copy is written, the clock is constant, and the file grows by [maxMigrationPages] or to four times its size at most.
func Migrate(ctx context.Context, src, dst string, run func(*Migrating) error) error {
	if err := checkFile(src); err != nil {
		return err
	}
	info, err := os.Stat(src)
	if err != nil {
		return err
	}
	return outdir.Replace(dst, func(tmp string) error {
		if err := outdir.CopyFile(src, tmp); err != nil {
			return err
		}
		return edit(ctx, tmp, func(c *conn) error {
			// A statement that fails is rolled back, for which edit keeps no journal.
			if err := c.exec("COMMIT; PRAGMA journal_mode=MEMORY; BEGIN"); err != nil {
				return err
			}
			pages := maxMigrationPages + 4*info.Size()/512 // a page has 512 bytes or more
			if err := errors.Join(c.detachFiles(), c.exec(fmt.Sprintf("PRAGMA max_page_count=%d", pages))); err != nil {
				return err
			}
			c.count(maxMigrationSteps)
			m := &Migrating{conn: c}
			err := run(m)
			return cmp.Or(m.err, err)
		})
	})
}

// Exec runs one statement of a migration, whole or not at all. It returns [ErrNoMigration] unless the statement changes tables, views,
// indexes, triggers or rows, or sets legacy_alter_table.
func (m *Migrating) Exec(sql string) error {
	if !isMigration(sql) {
		return ErrNoMigration
	}
	return m.whole(func() error {
		tail, err := m.conn.execFirst(sql)
		if err == nil && sqldata.SkipBlank(tail) != "" { // the error undoes the first statement
			err = fmt.Errorf("%w, found several", ErrNoMigration)
		}
		return err
	})
}

// whole makes a change, whole or not at all. It sets m.err, and returns it, where the migration cannot go on.
func (m *Migrating) whole(change func() error) error {
	if m.err != nil {
		return m.err
	}
	if m.err = m.conn.exec("SAVEPOINT statement"); m.err != nil {
		return m.err
	}
	err := change()
	if e, ok := errors.AsType[*sqldata.Error](err); ok {
		err = e // without the statement, which the caller knows
	}
	if m.conn.left < 0 {
		m.err = fmt.Errorf("the migration takes more than %d steps of the engine, expected fewer", maxMigrationSteps)
		return m.err
	}
	end := "RELEASE statement"
	if err != nil {
		end = "ROLLBACK TO statement; RELEASE statement"
	}
	if m.conn.exec(end) != nil { // the engine has ended the transaction
		m.err = cmp.Or(err, errors.New("the migration cannot go on"))
	}
	return cmp.Or(m.err, err)
}

// isMigration reports whether a statement is of a kind that [Migrating.Exec] runs.
func isMigration(sql string) bool {
	words := strings.Fields(strings.ToUpper(sqldata.SkipBlank(sql)))
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "ALTER", "CREATE", "DELETE", "DROP", "INSERT", "REINDEX", "REPLACE", "UPDATE", "WITH":
		return true
	case "PRAGMA":
		return len(words) > 1 && strings.HasPrefix(words[1], "LEGACY_ALTER_TABLE")
	}
	return false
}

// RewriteTable replaces a table by one with other columns: column returns for each name the SQL of a result column, such as "a" or
// "upper(a) AS a", or "" to leave it out. Rows, the order of columns and views stay; keys, constraints and indexes are lost.
func (m *Migrating) RewriteTable(table string, column func(name string) string) error {
	names, err := m.conn.column("SELECT name FROM pragma_table_info(" + quoteText(table) + ") ORDER BY cid")
	if err != nil {
		return err
	}
	columns := lists.Filter(lists.Map(names, column), func(c string) bool { return c != "" })
	if len(columns) == 0 {
		return fmt.Errorf("table %s would have no column", table)
	}
	const made = `"tabperturb made anew"`
	return m.whole(func() error { // with legacy_alter_table, the renaming leaves views as they are
		for _, sql := range []string{
			"PRAGMA legacy_alter_table=ON", "CREATE TABLE " + made + " AS SELECT " + strings.Join(columns, ", ") + " FROM " + sqldata.QuoteName(table),
			"DROP TABLE " + sqldata.QuoteName(table), "ALTER TABLE " + made + " RENAME TO " + sqldata.QuoteName(table), "PRAGMA legacy_alter_table=OFF",
		} {
			if err := m.conn.exec(sql); err != nil {
				return errors.Join(err, m.conn.exec("PRAGMA legacy_alter_table=OFF"))
			}
		}
		return nil
	})
}
