package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Budget bounds a run of a [Prepared] query. Unlike a time limit it gives the same
// verdict on any machine.
type Budget struct {
	Steps int // of the engine's virtual machine, to the next thousand
	Rows  int // of the answer
}

const (
	stepGrain     = 1000     // steps between two looks at the budget
	scratchLength = 1 << 20  // bytes of any one value of a scratch database
	scratchAnswer = 64 << 20 // bytes of an answer
)

// Scratch is a database in memory: the schema is made once and the rows
// are replaced again and again, while its prepared queries stay as they are. It
// is for one goroutine at a time.
type Scratch struct {
	conn    *conn
	tables  []LayoutTable
	deletes []*stmt // by table: deletes all rows
	inserts []*stmt // by table: inserts one row
}

// NewScratch makes a database of the layout without rows.
func NewScratch(l Layout) (*Scratch, error) {
	c, err := openConn("scratch", "mode=memory", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		return nil, err
	}
	s := &Scratch{conn: c, tables: l.Tables}
	if err := s.open(l); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// open makes the schema and prepares for each table the statements that delete its rows and insert one.
func (s *Scratch) open(l Layout) error {
	c := s.conn
	engine.Xsqlite3_limit(c.tls, c.db, engine.SQLITE_LIMIT_LENGTH, scratchLength)
	if err := c.exec("PRAGMA journal_mode=OFF; PRAGMA temp_store=MEMORY; PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF"); err != nil {
		return err
	}
	if err := l.make(c); err != nil {
		return err
	}
	for _, t := range l.Tables {
		del, _, err := c.prepare("DELETE FROM " + sqldata.QuoteName(t.Name))
		if err != nil {
			return err
		}
		s.deletes = append(s.deletes, del)
		ins, _, err := c.prepare(t.insert())
		if err != nil {
			return err
		}
		s.inserts = append(s.inserts, ins)
	}
	c.count(math.MaxInt) // [Prepared.Run] sets what is left
	return nil
}

// insert returns the statement that puts in one row. Rows that break a
// constraint which this package does not know, as a CHECK, are left out.
func (t LayoutTable) insert() string {
	names := lists.Map(t.Columns, func(c sqldata.Column) string { return c.Name })
	return "INSERT OR IGNORE INTO " + sqldata.QuoteName(t.Name) + " (" + quoteNames(names) + ") VALUES (" + marks(len(names)) + ")"
}

// Close frees the database; its queries must be closed before.
func (s *Scratch) Close() error {
	for _, st := range slices.Concat(s.deletes, s.inserts) {
		st.finalize()
	}
	s.conn.close()
	return nil
}

// Load replaces all rows by those given for each table of the layout.
func (s *Scratch) Load(rows [][][]sqldata.Value) error {
	s.conn.left = math.MaxInt // the budget is for queries
	if err := s.conn.exec("BEGIN"); err != nil {
		return err
	}
	return errors.Join(s.replace(rows), s.conn.exec("COMMIT"))
}

// replace deletes all rows and inserts rows, a list for each table.
func (s *Scratch) replace(rows [][][]sqldata.Value) error {
	for _, del := range s.deletes {
		if err := del.run(); err != nil {
			return err
		}
	}
	for t := range rows {
		if err := s.inserts[t].insert(context.Background(), s.tables[t].Table, rows[t]); err != nil {
			return err
		}
	}
	return nil
}

// insert prepares an INSERT statement with a place for each cell and runs it for each row of table t.
func (c *conn) insert(ctx context.Context, sql string, t sqldata.Table, rows [][]sqldata.Value) error {
	if len(rows) == 0 {
		return nil
	}
	s, _, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer s.finalize()
	return s.insert(ctx, t, rows)
}

// insert runs an INSERT statement with a place for each cell, once for each row of table t.
func (s *stmt) insert(ctx context.Context, t sqldata.Table, rows [][]sqldata.Value) error {
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %s, row %d has %d cells, expected %d", t.Name, i, len(row), len(t.Columns))
		}
		if err := s.run(row...); err != nil {
			return fmt.Errorf("table %s, row %d: %w", t.Name, i, err)
		}
	}
	return nil
}

// Prepared is a query of a [Scratch].
type Prepared struct {
	stmt    *stmt
	columns []string
}

// Prepare compiles one SELECT, WITH or VALUES statement.
func (s *Scratch) Prepare(sql string) (*Prepared, error) {
	if !sqldata.IsSelect(sql) {
		return nil, sqldata.ErrRefused
	}
	st, tail, err := s.conn.prepare(sql)
	switch {
	case err != nil:
		return nil, err
	case sqldata.SkipBlank(tail) != "", !st.readOnly():
		st.finalize()
		return nil, sqldata.ErrRefused
	}
	return &Prepared{stmt: st, columns: st.columns()}, nil
}

// Close frees the query.
func (p *Prepared) Close() { p.stmt.finalize() }

// Run runs the query on the rows that are loaded. A row that equals the row of like
// at the same index is shared with like, not copied; like may be nil. Run
// fails with [sqldata.ErrSteps] past the steps, with [sqldata.ErrTooLarge] past the rows of the
// budget, and with an [*sqldata.Error] of the engine.
func (p *Prepared) Run(b Budget, like *sqldata.Result) (*sqldata.Result, error) {
	p.stmt.c.left = b.Steps / stepGrain
	defer engine.Xsqlite3_reset(p.stmt.c.tls, p.stmt.stmt)
	res := &sqldata.Result{Columns: p.columns}
	if like != nil && len(like.Columns) == len(p.columns) {
		res.Rows = make([][]sqldata.Value, 0, len(like.Rows))
	} else {
		like = nil // its rows have another number of columns
	}
	var bytes int64
	for {
		more, err := p.stmt.step()
		switch {
		case err != nil:
			return nil, p.explain(err)
		case !more:
			return res, nil
		case len(res.Rows) == b.Rows:
			return nil, fmt.Errorf("%w: more than %d rows", sqldata.ErrTooLarge, b.Rows)
		}
		if n := len(res.Rows); like != nil && n < len(like.Rows) && p.stmt.equal(like.Rows[n]) {
			res.Rows = append(res.Rows, like.Rows[n])
			continue
		}
		row := make([]sqldata.Value, len(p.columns))
		for i := range row {
			row[i] = p.stmt.value(i)
			bytes += row[i].Size()
		}
		if bytes > scratchAnswer {
			return nil, fmt.Errorf("%w: more than %d bytes", sqldata.ErrTooLarge, scratchAnswer)
		}
		res.Rows = append(res.Rows, row)
	}
}

// explain returns [sqldata.ErrSteps] or [sqldata.ErrTooLarge] for an error of the engine that a limit caused, and err for any other.
func (p *Prepared) explain(err error) error {
	var e *sqldata.Error
	switch {
	case !errors.As(err, &e): // not of the engine
	case e.Code == engine.SQLITE_INTERRUPT:
		return sqldata.ErrSteps
	case e.Code == engine.SQLITE_TOOBIG, e.Code == engine.SQLITE_NOMEM:
		return fmt.Errorf("%w: %w", sqldata.ErrTooLarge, err)
	}
	return err
}

// equal reports whether the current row holds the given cells, without copying its text.
func (s *stmt) equal(row []sqldata.Value) bool {
	for i, v := range row {
		same := false
		if v.Kind() == sqldata.Text {
			same = s.holds(int32(i), v.Bytes())
		} else {
			same = s.value(i) == v
		}
		if !same {
			return false
		}
	}
	return true
}

// holds reports whether the cell of the current row in a column is the text str.
func (s *stmt) holds(column int32, str string) bool {
	tls := s.c.tls
	if engine.Xsqlite3_column_type(tls, s.stmt, column) != engine.SQLITE_TEXT {
		return false
	}
	p := engine.Xsqlite3_column_text(tls, s.stmt, column)
	n := int(engine.Xsqlite3_column_bytes(tls, s.stmt, column))
	return n == len(str) && string(libc.GoBytes(p, n)) == str
}

// compactPage is the page size of [CreateCompact]: the least there is, for most
// of its tables are shorter than a page of the usual size.
const compactPage = 512

// CreateCompact writes a new database file of the layout with rows for each of
// its tables, in the least room. The file appears whole or not at all, and its
// bytes depend on nothing but the arguments. Foreign keys are not enforced.
func CreateCompact(ctx context.Context, dst string, l Layout, rows [][][]sqldata.Value) error {
	err := outdir.Replace(dst, func(tmp string) error {
		return edit(ctx, tmp, func(c *conn) error { return build(ctx, c, l, rows) })
	})
	if err != nil {
		return fmt.Errorf("%s: %w", dst, err)
	}
	return nil
}

// build makes the schema of a layout in a new file and inserts the rows of each table.
func build(ctx context.Context, c *conn, l Layout, rows [][][]sqldata.Value) error {
	if err := c.exec(fmt.Sprintf("PRAGMA page_size=%d", compactPage)); err != nil {
		return err
	}
	if err := l.make(c); err != nil {
		return err
	}
	for i, t := range l.Tables[:min(len(l.Tables), len(rows))] {
		if err := c.insert(ctx, t.insert(), t.Table, rows[i]); err != nil {
			return err
		}
	}
	return nil
}
