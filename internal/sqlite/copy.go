package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/outdir"
	"github.com/tabperturb/tabperturb/internal/sqldata"
)

// Write is a change that [Copy] makes. The set is closed: [RenameTable],
// [RenameColumn], [AddColumn], [DeriveColumn], [DropColumn], [SplitColumn] and
// [MergeTable].
type Write interface{ write(*writer) error }

// RenameColumn gives a column another name, wherever the schema has it.
type RenameColumn struct{ Table, Column, Name string }

// RenameTable gives a table another name, wherever the schema has it.
type RenameTable struct{ Table, Name string }

// DropColumn removes a column that is no part of a key, and the indexes that it is
// part of.
type DropColumn struct{ Table, Column string }

// DeriveColumn puts a column at the end of a table whose cells follow from those
// of another column of it. An error of Cell ends the copy.
type DeriveColumn struct {
	Table, Column string // what it is derived from
	Name, Type    string // of the new column; the declared type may be empty
	Cell          func(sqldata.Value) (sqldata.Value, error)
}

// AddColumn puts a column at the end of a table. The cells fill the rows in
// turn, in the order of rowid, and begin anew when there are more rows than
// cells; without cells all are NULL.
type AddColumn struct {
	Table, Name string
	Type        string // declared type; may be empty
	Cells       []sqldata.Value
}

// Copy writes to dst a copy of the database file src with the writes applied in
// order. Triggers do not run. The copy appears whole or not at all, and its bytes depend on nothing
// but those of src and the writes.
func Copy(ctx context.Context, src, dst string, writes ...Write) error {
	if err := checkMagic(src); err != nil {
		return err
	}
	return outdir.Replace(dst, func(tmp string) error {
		if err := copyFile(src, tmp); err != nil || len(writes) == 0 {
			return err
		}
		err := edit(ctx, tmp, func(c *conn) error {
			if err := c.disableTriggers(); err != nil {
				return err
			}
			w := &writer{ctx: ctx, conn: c}
			for _, change := range writes {
				if err := change.write(w); err != nil {
					return err
				}
			}
			return w.fill()
		})
		if err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
		return nil
	})
}

func copyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(dst)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// edit opens a file that nobody else sees and runs change in a transaction. It
// is quick because what a crash leaves behind is thrown away anyway.
func edit(ctx context.Context, path string, change func(*conn) error) error {
	c, err := openConn(path, "", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		return err
	}
	defer c.close()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.interrupt()
		close(interrupted)
	})
	defer func() {
		if !stop() {
			<-interrupted
		}
	}()
	err = c.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF; BEGIN")
	if err == nil {
		err = change(c)
	}
	if err == nil {
		err = c.exec("COMMIT")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// writer applies writes. Columns that are added to one table one after the
// other are filled in one pass over its rows.
type writer struct {
	ctx     context.Context
	conn    *conn
	pending []AddColumn // in the schema, not yet filled; all of one table
}

func (r RenameColumn) write(w *writer) error {
	if err := w.fill(); err != nil {
		return err
	}
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", QuoteName(r.Table), QuoteName(r.Column), QuoteName(r.Name)))
}

func (r RenameTable) write(w *writer) error {
	if err := w.fill(); err != nil {
		return err
	}
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s RENAME TO %s", QuoteName(r.Table), QuoteName(r.Name)))
}

func (d DropColumn) write(w *writer) error {
	if err := w.fill(); err != nil {
		return err
	}
	if err := w.dropIndexes(d.Table, d.Column); err != nil {
		return err
	}
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", QuoteName(d.Table), QuoteName(d.Column)))
}

func (d DeriveColumn) write(w *writer) error {
	if err := w.fill(); err != nil {
		return err
	}
	table, name := QuoteName(d.Table), QuoteName(d.Name)
	if err := w.conn.exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", table, name, d.Type)); err != nil {
		return err
	}
	rowids, rowid, err := w.rowids(table)
	if err != nil {
		return err
	}
	cells, err := w.column(table, d.Column, rowid)
	if err != nil {
		return err
	}
	update, _, err := w.conn.prepare(fmt.Sprintf("UPDATE %s SET %s = ? WHERE %s = ?", table, name, rowid))
	if err != nil {
		return err
	}
	defer update.finalize()
	for row, id := range rowids {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		cell, err := d.Cell(cells[row])
		if err != nil {
			return fmt.Errorf("%s.%s: %w", d.Table, d.Column, err)
		}
		if err := update.run(cell, id); err != nil {
			return err
		}
	}
	return nil
}

// column returns the cells of a column in the order of row ids.
func (w *writer) column(table, column, rowid string) (cells []sqldata.Value, err error) {
	s, _, err := w.conn.prepare(fmt.Sprintf("SELECT %s FROM %s ORDER BY %s", QuoteName(column), table, rowid))
	if err != nil {
		return nil, err
	}
	defer s.finalize()
	for {
		more, err := s.step()
		if !more || err != nil {
			return cells, err
		}
		cells = append(cells, s.value(0))
	}
}

func (a AddColumn) write(w *writer) error {
	if len(w.pending) > 0 && !strings.EqualFold(w.pending[0].Table, a.Table) {
		if err := w.fill(); err != nil {
			return err
		}
	}
	if err := w.conn.exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", QuoteName(a.Table), QuoteName(a.Name), a.Type)); err != nil {
		return err
	}
	if len(a.Cells) > 0 {
		w.pending = append(w.pending, a)
	}
	return nil
}

// fill writes the cells of the pending columns.
func (w *writer) fill() error {
	if len(w.pending) == 0 {
		return nil
	}
	table := QuoteName(w.pending[0].Table)
	rowids, rowid, err := w.rowids(table)
	if err != nil {
		return err
	}
	var set []string
	for _, a := range w.pending {
		set = append(set, QuoteName(a.Name)+" = ?")
	}
	update, _, err := w.conn.prepare(fmt.Sprintf("UPDATE %s SET %s WHERE %s = ?", table, strings.Join(set, ", "), rowid))
	if err != nil {
		return err
	}
	defer update.finalize()
	values := make([]sqldata.Value, len(w.pending)+1)
	for row, id := range rowids {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		for i, a := range w.pending {
			values[i] = a.Cells[row%len(a.Cells)]
		}
		values[len(w.pending)] = id
		if err := update.run(values...); err != nil {
			return err
		}
	}
	w.pending = w.pending[:0]
	return nil
}

// rowids returns the row ids of a table in order, and the name by which they
// go: a column may have taken one or two of the three.
func (w *writer) rowids(table string) (ids []sqldata.Value, name string, err error) {
	taken, err := w.columns(table)
	if err != nil {
		return nil, "", err
	}
	for _, name = range []string{"rowid", "_rowid_", "oid"} {
		if !taken[name] {
			break
		}
	}
	s, _, err := w.conn.prepare(fmt.Sprintf("SELECT %s FROM %s ORDER BY 1", name, table))
	if err != nil {
		return nil, "", fmt.Errorf("%w (a column can be added only to tables with row ids)", err)
	}
	defer s.finalize()
	for {
		more, err := s.step()
		if !more || err != nil {
			return ids, name, err
		}
		ids = append(ids, s.value(0))
	}
}

func (w *writer) columns(table string) (map[string]bool, error) {
	s, _, err := w.conn.prepare("SELECT * FROM " + table)
	if err != nil {
		return nil, err
	}
	defer s.finalize()
	names := map[string]bool{}
	for _, name := range s.columns() {
		names[strings.ToLower(name)] = true
	}
	return names, nil
}
