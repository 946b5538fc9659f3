package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// draftMemory bounds what a draft may hold in memory of the pages that its writes
// change, in bytes.
const draftMemory = 64 << 20

// Draft opens the database file at path as [Open] does, as it would be after the writes,
// which [Copy] would make in a copy. The file stays as it is, and none is written: the
// writes change the schema, in the page cache of the connection and in a transaction that
// never ends, so that the cost depends on them and not on the size of the database.
// Columns that are added or derived are computed when a query reads them, and one that is
// dropped is hidden. Refused is what Copy refuses. Writes that change more pages than a
// draft may hold, as [sqldata.SplitColumn] does in a large table, fail with [sqldata.ErrTooLarge].
func Draft(ctx context.Context, path string, writes ...sqldata.Write) (*DB, error) {
	if len(writes) == 0 {
		return Open(ctx, path)
	}
	if err := checkFile(path); err != nil {
		return nil, err
	}
	db := &DB{path: path, open: func() (*conn, error) { return connectDraft(ctx, path, writes) }}
	c, err := db.open()
	if err != nil {
		return nil, err
	}
	db.runner = newRunner(c)
	return db, ctx.Err()
}

// connectDraft opens a read-only connection to the file at path, and makes the writes in its page cache.
func connectDraft(ctx context.Context, path string, writes []sqldata.Write) (*conn, error) {
	c, err := openConn(path, "mode=ro&immutable=1", engine.SQLITE_OPEN_READONLY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.memory.most.Store(c.memory.used.Load() + draftMemory)
	if err = makeDraft(ctx, c, writes); err == nil {
		err = c.sandbox()
	}
	if err != nil {
		c.close()
		if e, ok := errors.AsType[*sqldata.Error](err); ok && e.Code == engine.SQLITE_NOMEM {
			err = fmt.Errorf("%w: the writes change more than %d bytes of pages: %w", sqldata.ErrTooLarge, draftMemory, err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// makeDraft makes the writes in the page cache of a connection, in a transaction that never ends, and
// then makes the connection read-only.
func makeDraft(ctx context.Context, c *conn, writes []sqldata.Write) error {
	if err := c.exec("PRAGMA trusted_schema=OFF; PRAGMA foreign_keys=OFF; PRAGMA cache_size=-16000; SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	if err := trial(ctx, c, writes); err != nil {
		return err
	}
	c.liftReadOnly()
	d := &draft{writer: &writer{ctx: ctx, conn: c}}
	if err := d.register(); err != nil {
		return err
	}
	if err := errors.Join(c.disableTriggers(), c.exec("PRAGMA cache_spill=OFF; PRAGMA journal_mode=OFF; BEGIN")); err != nil {
		return err
	}
	err := d.keepViews(writes, func() error {
		for _, change := range writes {
			if err := d.write(change); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(d.check(), c.exec("PRAGMA query_only=ON"))
}

// liftReadOnly clears the engine's read-only flags of the open database, so that the engine changes pages in its cache. The file
// itself stays open for reading alone, so the operating system rejects any write. SQLite has no function for this.
func (c *conn) liftReadOnly() {
	const flags = engine.BTS_READ_ONLY
	db := (*engine.Tsqlite3)(address(c.db))
	tree := (*engine.TBtree)(address((*engine.TDb)(address(db.FaDb)).FpBt))
	shared := (*engine.TBtShared)(address(tree.FpBt))
	shared.FbtsFlags &^= flags
	(*engine.TPager)(address(shared.FpPager)).FreadOnly = 0
}

// address turns an address of the engine's memory, which Go does not move, into a pointer.
func address(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// draft makes writes in the schema alone, without changing rows.
type draft struct {
	*writer
	cells   []func(sqldata.Value) (sqldata.Value, error) // by computed column: its cell from the source's cell
	derived []sqldata.DeriveColumn
	hidden  int // number of dropped columns
}

// write makes a change: added and derived columns as generated ones, dropped ones hidden, all others as a copy does.
func (d *draft) write(change sqldata.Write) error {
	switch change := change.(type) {
	case sqldata.AddColumn:
		return d.add(change)
	case sqldata.DeriveColumn:
		d.derived = append(d.derived, change)
		return d.compute(change.Table, change.Name, change.Type, change.Column, change.Cell)
	case sqldata.ComputeColumn:
		return d.addComputed(change, " GENERATED ALWAYS AS ("+change.Value+") VIRTUAL")
	case sqldata.DropColumn:
		return d.drop(change)
	}
	return d.writer.write(change)
}

// add adds a column whose cells are picked from a.Cells by a hash of the cell in the table's first column. Which row has which
// cell does not matter: no gold SQL reads an added column.
func (d *draft) add(a sqldata.AddColumn) error {
	first, err := d.conn.column("SELECT name FROM pragma_table_xinfo(" + quoteText(a.Table) + ") ORDER BY cid LIMIT 1")
	if err != nil || len(first) == 0 {
		return errors.Join(err, d.noTable(a.Table))
	}
	return d.compute(a.Table, a.Name, a.Type, first[0], func(v sqldata.Value) (sqldata.Value, error) {
		if len(a.Cells) == 0 {
			return sqldata.Value{}, nil
		}
		sum := uint32(2166136261) // FNV
		for _, b := range []byte(v.String()) {
			sum = (sum ^ uint32(b)) * 16777619
		}
		return a.Cells[sum%uint32(len(a.Cells))], nil
	})
}

// noTable returns the engine's error for a table that is not there.
func (d *draft) noTable(name string) error {
	return d.conn.exec("SELECT 1 FROM " + sqldata.QuoteName(name) + " LIMIT 0") // the engine's own words
}

// compute adds a generated column with a declared type, whose cell in each row is that of cell for the row's
// cell in the column from.
func (d *draft) compute(table, name, declared, from string, cell func(sqldata.Value) (sqldata.Value, error)) error {
	d.cells = append(d.cells, cell)
	declared, err := d.declared(table, declared)
	if err != nil {
		return err
	}
	return d.conn.exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s GENERATED ALWAYS AS (%s(%d, %s)) VIRTUAL",
		sqldata.QuoteName(table), sqldata.QuoteName(name), declared, sqldata.CellFunction, len(d.cells)-1, sqldata.QuoteName(from)))
}

// drop drops the indexes of a column and renames the column to a name that no query has: to remove it
// would rewrite every row.
func (d *draft) drop(c sqldata.DropColumn) error {
	if err := d.dropIndexes(c.Table, c.Column); err != nil {
		return err
	}
	d.hidden++
	return d.renameColumn(sqldata.RenameColumn{Table: c.Table, Column: c.Column, Name: fmt.Sprintf("tabperturb dropped %d", d.hidden)})
}

// check computes the cells of all derived columns and returns the first error.
func (d *draft) check() error {
	for _, c := range d.derived {
		// A table that is renamed later has its old name here: renames come last.
		if err := d.conn.exec(fmt.Sprintf("SELECT count(%s) FROM %s", sqldata.QuoteName(c.Name), sqldata.QuoteName(c.Table))); err != nil {
			return err
		}
	}
	return nil
}

// trial makes the writes on an empty database in memory with the same schema, and returns what SQLite rejects before any row is
// touched.
func trial(ctx context.Context, c *conn, writes []sqldata.Write) error {
	made, err := c.column(madeStatements)
	if err != nil {
		return err
	}
	empty, err := replica(made)
	if err != nil {
		return err
	}
	defer empty.close()
	return (&writer{ctx: ctx, conn: empty}).apply(writes)
}

// Program returns the program that the engine compiles a query to, as text. Where those of
// two queries are equal, on a file and on a draft of it, so are their answers: a draft
// leaves all pages where they were, which is what programs name. It is empty where the
// statement does not compile.
func (db *DB) Program(ctx context.Context, sql string) string {
	if !sqldata.IsSelect(sql) {
		return ""
	}
	res, err := db.ask(ctx, "EXPLAIN "+sql, sqldata.Limits{})
	if err != nil {
		return ""
	}
	return program(res.Rows)
}

// program returns the rows of an EXPLAIN as text, without what names of tables and numbers of columns change.
func program(steps [][]sqldata.Value) string {
	var b strings.Builder
	for _, row := range steps {
		opcode, operands := row[1].Bytes(), row[2:7]
		switch _, err := strconv.Atoi(operands[3].Bytes()); {
		case opcode == "Explain": // for people: it has the names of tables
			operands = nil
		case opcode == "Transaction": // goes on with the version of the schema
			operands = operands[:2]
		case opcode == "OpenRead" && err == nil: // the fourth says how many columns to make room for
			operands = slices.Delete(operands, 3, 4)
		}
		fmt.Fprintln(&b, opcode, operands)
	}
	return b.String()
}

// declared returns the declared type of a new column of a table: a STRICT one takes few.
func (w *writer) declared(table, declared string) (string, error) {
	strict, err := w.conn.all("SELECT strict FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(" + quoteText(table) + ")")
	if err != nil || len(strict) == 0 || strict[0][0].Int() == 0 {
		return declared, err
	}
	switch strings.ToUpper(declared) {
	case "INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY":
		return declared, nil
	}
	return "ANY", nil
}
