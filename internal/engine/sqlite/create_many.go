package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// CreateMany creates the file dst, as [CreateCompact] does, for very many tables that come one at a
// time: write calls add with each table and its rows, and no rows are held. The time is
// linear in the number of tables. That of CREATE TABLE alone is not, as each searches all of
// sqlite_schema and all tables that the connection knows; so the rows of sqlite_schema are taken
// out after each table, and put back at the end. add returns an error for a table that exists
// already and for a second one with AUTOINCREMENT, as these share a table. Errors of write are
// returned as they are.
func CreateMany(ctx context.Context, dst string, write func(add func(LayoutTable, [][]sqldata.Value) error) error) error {
	return outdir.Replace(dst, func(tmp string) error {
		return edit(ctx, tmp, func(c *conn) error {
			m := &many{ctx: ctx, conn: c, path: dst, names: map[string]bool{}}
			if err := m.withPath(c.exec(fmt.Sprintf("PRAGMA page_size=%d", compactPage))); err != nil {
				return err
			}
			if err := write(func(t LayoutTable, rows [][]sqldata.Value) error { return m.withPath(m.add(t, rows)) }); err != nil {
				return err
			}
			return m.withPath(m.restore())
		})
	})
}

// many is a file of many tables in the making.
type many struct {
	ctx    context.Context
	conn   *conn
	path   string
	names  map[string]bool   // in lower case, of tables and indexes
	schema [][]sqldata.Value // rows of sqlite_schema that were taken out
}

// withPath returns err with the path of the file before it; nil for nil.
func (m *many) withPath(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	return nil
}

// schemaColumns are the columns of sqlite_schema.
const schemaColumns = "type, name, tbl_name, rootpage, sql"

// add makes a table with its rows, and takes its rows of sqlite_schema out, so that the next CREATE TABLE stays fast.
func (m *many) add(t LayoutTable, rows [][]sqldata.Value) error {
	if _, err := m.conn.execFirst(t.SQL); err != nil {
		return err
	}
	if err := m.conn.insert(m.ctx, t.insert(), t.Table, rows); err != nil {
		return err
	}
	return m.takeOut()
}

// takeOut moves the rows of sqlite_schema into memory, and makes the connection forget its tables. It
// returns an error for a name that was there before.
func (m *many) takeOut() error {
	rows, err := m.conn.all("SELECT " + schemaColumns + " FROM sqlite_schema ORDER BY rowid")
	if err != nil {
		return err
	}
	for _, row := range rows {
		name := row[1].Bytes()
		if m.names[strings.ToLower(name)] {
			return fmt.Errorf("%s %s already exists, expected each once", row[0].Bytes(), name)
		}
		m.names[strings.ToLower(name)] = true
	}
	m.schema = append(m.schema, rows...)
	return m.conn.exec("PRAGMA writable_schema=ON; DELETE FROM sqlite_schema; PRAGMA writable_schema=RESET")
}

// restore puts all rows of sqlite_schema back.
func (m *many) restore() error {
	if err := m.conn.exec("PRAGMA writable_schema=ON"); err != nil {
		return err
	}
	s, _, err := m.conn.prepare("INSERT INTO sqlite_schema (" + schemaColumns + ") VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer s.finalize()
	for _, row := range m.schema {
		if err := s.run(row...); err != nil {
			return err
		}
	}
	return nil
}
