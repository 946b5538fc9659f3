package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Copy writes to dst a copy of the database file src with the writes applied in
// order. Triggers do not run, and views keep their columns and rows. The copy appears whole or not at all, and its bytes depend on nothing
// but those of src and the writes.
func Copy(ctx context.Context, src, dst string, writes ...sqldata.Write) error {
	if err := checkFile(src); err != nil {
		return err
	}
	return outdir.Replace(dst, func(tmp string) error {
		if err := outdir.CopyFile(src, tmp); err != nil || len(writes) == 0 {
			return err
		}
		err := edit(ctx, tmp, func(c *conn) error {
			if err := c.disableTriggers(); err != nil {
				return err
			}
			if err := c.countEdit(tmp, len(writes)); err != nil {
				return err
			}
			w := &writer{ctx: ctx, conn: c}
			err := w.apply(writes)
			if err != nil && c.left < 0 { // interrupted past the steps of countEdit
				err = errEndless
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
		return nil
	})
}

// errEndless is the error for an edit that takes more steps than any file of its size needs.
var errEndless = errors.New("the rows of a table have no end, expected fewer than the file has bytes; it is damaged")

// countEdit limits the steps of an edit by the size of the file at path and the number of writes. In
// a damaged table the search for the next row may find the first again, without end.
func (c *conn) countEdit(path string, writes int) error {
	// Steps: in all, and for each byte of the file. A write takes some fifty for a row, which has four bytes or more.
	const atLeast, aByte = 1_000_000, 200
	info, err := os.Stat(path)
	if err == nil {
		c.count(int(atLeast + aByte*info.Size()*int64(writes+1)))
	}
	return err
}

// edit opens the file at path, makes it if there is none, and runs change in a transaction. It
// keeps no journal and does not sync: nobody else sees the file, and after a crash it is thrown away.
func edit(ctx context.Context, path string, change func(*conn) error) error {
	c, err := openConn(path, "", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.boundEdit(); err != nil {
		return err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.interrupt()
		close(interrupted)
	})
	defer func() {
		if !stop() { // ctx has ended: let the interrupt end before the connection is closed
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
	pending []sqldata.AddColumn // in the schema, not yet filled; all of one table
}

// write makes a change of any type of [sqldata.Write], or of those for trials of this package.
func (w *writer) write(change sqldata.Write) error {
	switch change := change.(type) {
	case sqldata.RenameColumn:
		return w.renameColumn(change)
	case sqldata.RenameTable:
		return w.renameTable(change)
	case sqldata.AddColumn:
		return w.addColumn(change)
	case sqldata.DeriveColumn:
		return w.deriveColumn(change)
	case sqldata.DropColumn:
		return w.dropColumn(change)
	case sqldata.DropTable:
		return w.dropTable(change.Table)
	case sqldata.SplitColumn:
		return w.splitColumn(change)
	case sqldata.MergeTable:
		return w.mergeTable(change)
	case sqldata.ComputeColumn:
		return w.computeColumn(change)
	case sqldata.CreateTable:
		return w.createTable(change)
	case sqldata.None:
		return w.none(change)
	case dropForTrial:
		return w.conn.exec("DROP TABLE " + sqldata.QuoteName(string(change)))
	case pinned:
		return w.pinned([]sqldata.Write{change.Write}, func() error { return w.write(change.Write) })
	}
	return fmt.Errorf("a change of the type %T, expected one that SQLite makes", change)
}

// renameColumn renames a column: SQLite renames it in the indexes, views and triggers too.
func (w *writer) renameColumn(r sqldata.RenameColumn) error {
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", sqldata.QuoteName(r.Table), sqldata.QuoteName(r.Column), sqldata.QuoteName(r.Name)))
}

// renameTable renames a table: SQLite renames it in foreign keys, views and triggers too.
func (w *writer) renameTable(r sqldata.RenameTable) error {
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s RENAME TO %s", sqldata.QuoteName(r.Table), sqldata.QuoteName(r.Name)))
}

// dropColumn drops a column. The indexes go first, as SQLite drops no column that has one.
func (w *writer) dropColumn(d sqldata.DropColumn) error {
	if err := w.dropIndexes(d.Table, d.Column); err != nil {
		return err
	}
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", sqldata.QuoteName(d.Table), sqldata.QuoteName(d.Column)))
}

// deriveColumn adds the column empty, then computes the cell of each row.
func (w *writer) deriveColumn(d sqldata.DeriveColumn) error {
	if err := w.add(d.Table, d.Name, d.Type); err != nil {
		return err
	}
	return w.update(d.Table, []string{d.Name}, d.Column, func(_ int, cell sqldata.Value) ([]sqldata.Value, error) {
		cell, err := d.Cell(cell)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", d.Table, d.Column, err)
		}
		return []sqldata.Value{cell}, nil
	})
}

// addColumn adds a column. The cells are left to [writer.fill], which fills all columns that were
// added to one table in one pass over its rows.
func (w *writer) addColumn(a sqldata.AddColumn) error {
	if len(w.pending) > 0 && !strings.EqualFold(w.pending[0].Table, a.Table) { // pending columns are of one table
		if err := w.fill(); err != nil {
			return err
		}
	}
	if err := w.add(a.Table, a.Name, a.Type); err != nil {
		return err
	}
	if len(a.Cells) > 0 {
		w.pending = append(w.pending, a)
	}
	return nil
}

// add adds a column of NULLs with a declared type at the end of a table.
func (w *writer) add(table, name, declared string) error {
	declared, err := w.declared(table, declared)
	if err != nil {
		return err
	}
	return w.conn.exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", sqldata.QuoteName(table), sqldata.QuoteName(name), declared))
}

// apply makes the writes in order. Views stay as they are.
func (w *writer) apply(writes []sqldata.Write) error {
	return w.keepViews(writes, func() error { return w.makeAll(writes) })
}

// makeAll makes the writes in order. All but an added column may read or rename the columns that are
// pending, so those are filled first.
func (w *writer) makeAll(writes []sqldata.Write) error {
	for _, change := range writes {
		if _, adds := change.(sqldata.AddColumn); !adds {
			if err := w.fill(); err != nil {
				return err
			}
		}
		if err := w.write(change); err != nil {
			return err
		}
	}
	return w.fill()
}

// fill writes the cells of the pending columns, in one pass over their table. Row i gets cell i, from the beginning again
// where there are more rows than cells.
func (w *writer) fill() error {
	if len(w.pending) == 0 {
		return nil
	}
	names, cells := make([]string, len(w.pending)), make([]sqldata.Value, len(w.pending))
	for i, a := range w.pending {
		names[i] = a.Name
	}
	err := w.update(w.pending[0].Table, names, "", func(row int, _ sqldata.Value) ([]sqldata.Value, error) {
		for i, a := range w.pending {
			cells[i] = a.Cells[row%len(a.Cells)]
		}
		return cells, nil
	})
	w.pending = w.pending[:0]
	return err
}
