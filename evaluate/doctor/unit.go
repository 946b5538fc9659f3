package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// unit is a database with its gold SQL, as the checks see it.
type unit struct {
	*dataset.Unit
	schema *exact.Schema
	golds  []*gold // each SQL once, in the order of the examples; examples without are not among them
	bySQL  map[string]*gold

	content engine.DB       // nil if there is none that can be read
	damage  error           // why the content cannot be read
	stored  []sqldata.Table // schema of the content, without SQLite's own tables
	views   []sqldata.Table // of the content, those that tables.json lists
	rows    map[string]bool // by folded name, the stored tables that have a row
	limits  sqldata.Limits
	slow    time.Duration // gold SQL that runs longer is slow
	columns map[dataset.ColumnID]*columnStats

	unaudited []string // what the checks could not look at, and why
}

// gold is one gold SQL with the examples that have it and what running it gave.
type gold struct {
	sql      string
	examples []*dataset.Example

	query   *sqlast.Query   // nil if the SQL does not parse
	syntax  error           // why not
	several bool            // because it is more than one statement
	binding *sqlast.Binding // nil if query is, or if it cannot be resolved

	ran          bool  // it was run, because there is content
	err          error // why it gave no answer
	slow         bool  // it ran longer than unit.slow
	empty        bool  // its answer has no rows
	doubt        execution.Doubt
	asPrediction execution.Outcome // the verdict on the gold SQL as a prediction
}

// newUnit parses each gold SQL of a database once, opens its content, if it has any, and runs the gold SQL. The caller must close the unit.
func newUnit(ctx context.Context, du *dataset.Unit, c Config) (*unit, error) {
	u := &unit{Unit: du, schema: exact.NewSchema(du.DB), bySQL: map[string]*gold{}, limits: c.Limits, slow: c.Slow, rows: map[string]bool{}, columns: map[dataset.ColumnID]*columnStats{}}
	for _, ex := range du.Examples {
		if ex.Query == "" {
			continue
		}
		g := u.bySQL[ex.Query]
		if g == nil {
			g = parseGold(ex.Query, du.DB)
			u.bySQL[ex.Query] = g
			u.golds = append(u.golds, g)
		}
		g.examples = append(g.examples, ex)
	}
	if du.DB.SQLite == "" {
		return u, nil
	}
	if err := u.open(ctx); err != nil {
		return nil, err
	}
	if err := u.runGolds(ctx); err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

// parseGold parses gold SQL and resolves its names. SQL that cannot be resolved counts as not parsed.
func parseGold(sql string, db *dataset.Database) *gold {
	g := &gold{sql: sql}
	if g.query, g.syntax = db.SQL().Parse(sql); g.syntax == nil {
		if g.binding, g.syntax = sqlast.Resolve(g.query, db); g.syntax != nil {
			g.query = nil
		}
	}
	g.several = isSeveral(sql, db.SQL(), g.syntax)
	return g
}

// isSeveral reports whether SQL with a syntax error is several statements: the text before the error parses and has a semicolon.
func isSeveral(sql string, d *sqlast.Dialect, err error) bool {
	e, ok := errors.AsType[*sqlast.SyntaxError](err)
	if !ok {
		return false
	}
	line := 0 // the byte at which the line of the error begins
	for range e.Line - 1 {
		line += strings.IndexByte(sql[line:], '\n') + 1
	}
	first := sql[:min(line+e.Col-1, len(sql))]
	_, err = d.Parse(first)
	return err == nil && strings.Contains(first, ";")
}

// open opens the content and reads its schema. Content that cannot be read is stored as damage; the error is that of the context.
func (u *unit) open(ctx context.Context) error {
	db, err := engine.Open(ctx, u.DB.SQLite)
	if err != nil {
		return u.setDamage(ctx, err)
	}
	if err := u.readTables(ctx, db); err != nil {
		db.Close()
		u.stored = nil
		return u.setDamage(ctx, err)
	}
	u.content = db
	u.readViews(ctx)
	return nil
}

// readTables reads the stored tables, and which of them have rows. It leaves out SQLite's own tables, and tables of virtual tables' data
// that tables.json does not list.
func (u *unit) readTables(ctx context.Context, db engine.DB) error {
	tables, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	_, shadows, err := db.Virtual(ctx) // tables in which virtual tables keep their data
	if err != nil {
		return err
	}
	for _, t := range tables {
		if isInternal(t.Name) || shadows[strings.ToLower(t.Name)] && u.DB.Table(t.Name) < 0 {
			continue
		}
		u.stored = append(u.stored, t)
		res, err := db.Query(ctx, "SELECT 1 FROM "+sqldata.QuoteName(t.Name)+" LIMIT 1", u.limits)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		u.rows[strings.ToLower(t.Name)] = len(res.Rows) > 0
	}
	return nil
}

// readViews reads the columns of the views that tables.json lists: questions may ask about views as about tables. A view that cannot be read
// gets its columns from tables.json.
func (u *unit) readViews(ctx context.Context) {
	names, err := u.content.Views(ctx)
	if err != nil {
		u.unaudited = append(u.unaudited, fmt.Sprintf("views: %v", err))
	}
	for _, name := range names {
		view := sqldata.Table{Name: name}
		listed := u.DB.Table(view.Name)
		if listed < 0 {
			continue
		}
		columns := lists.Map(u.DB.Tables[listed].Columns, func(c dataset.Column) string { return c.Original })
		res := u.query(ctx, "view "+view.Name, "SELECT * FROM "+sqldata.QuoteName(view.Name)+" LIMIT 1")
		if res != nil {
			columns = res.Columns
		}
		for _, name := range columns {
			view.Columns = append(view.Columns, sqldata.Column{Name: name})
		}
		u.views = append(u.views, view)
	}
}

// setDamage stores the reason why the content cannot be read, for [damagedDatabase]. If ctx has ended, it returns the error of ctx instead.
func (u *unit) setDamage(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	u.damage = err
	return nil
}

// hasRows reports whether a table of the content has a row.
func (u *unit) hasRows() bool {
	return slices.Contains(slices.Collect(maps.Values(u.rows)), true)
}

// runGolds runs each gold SQL and stores its error, whether it is slow and whether its answer is empty. If it has an answer, runGolds also
// judges it as a prediction, and whether its answer is determined.
func (u *unit) runGolds(ctx context.Context) error {
	if u.content == nil {
		return nil
	}
	db, err := execution.Open(ctx, u.DB.SQLite)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, g := range u.golds {
		start := time.Now()
		res, err := u.content.Query(ctx, g.sql, u.limits)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.ran, g.err, g.slow = true, err, time.Since(start) > u.slow
		if err != nil {
			continue
		}
		g.empty = len(res.Rows) == 0
		if g.asPrediction, err = execution.NewGold(g.sql, execution.Options{Limits: u.limits}).Judge(ctx, g.sql, db); err != nil {
			return err
		}
		// KeepDistinct: the doubt is about the SQL as it is, not without its DISTINCT.
		if g.doubt, err = execution.NewGold(g.sql, execution.Options{KeepDistinct: true, Limits: u.limits}).Doubt(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

// query runs SQL of a check on the content. If it fails, it returns nil and stores that what, the object of the check, is not audited.
// [auditUnit] notices the end of the context.
func (u *unit) query(ctx context.Context, what, sql string) *sqldata.Result {
	res, err := u.content.Query(ctx, sql, u.limits)
	if err != nil {
		u.unaudited = append(u.unaudited, fmt.Sprintf("%s: %v", what, err))
		return nil
	}
	return res
}

// close closes the content, if it is open.
func (u *unit) close() {
	if u.content != nil {
		u.content.Close()
	}
}
