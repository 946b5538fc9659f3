package execution

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Doubt says what is wrong with a gold on a database, although predictions are
// judged by it. The zero Doubt is none.
type Doubt struct {
	Reason Reason // GoldFails, GoldEmpty or GoldUndetermined
	Detail string // one short line
}

// Doubt says what is wrong with the gold on a database: it fails, it has no rows,
// or another engine, or the same with another index, could as well give another
// answer, since the text leaves open
//
//   - which rows a LIMIT keeps: it cuts rows that are tied in ORDER BY, or there is
//     no ORDER BY; in subqueries too, where they can be run on their own;
//   - in which order tied rows come, where the list is compared: not in strict mode;
//   - the value of a column that is neither grouped by nor aggregated, where it
//     differs within a group.
//
// Rows decide: a tie of equal rows is none. A gold is asked once on a database.
// Nothing is found where finding it would take more than the limits allow.
func (g *Gold) Doubt(ctx context.Context, db *Database) (Doubt, error) {
	g.mu.Lock()
	d, known := g.doubts[db.path]
	g.mu.Unlock()
	if known {
		return d, nil
	}
	d, err := g.doubt(ctx, db)
	if err != nil {
		return Doubt{}, err
	}
	d.Detail = oneLine(d.Detail)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.doubts[db.path] = d
	return d, nil
}

func (g *Gold) doubt(ctx context.Context, db *Database) (Doubt, error) {
	res, err := db.denotation(ctx, g.sql, g.options.Limits)
	if err != nil {
		_, fatal := failure(err)
		return Doubt{GoldFails, err.Error()}, fatal
	}
	if len(res.Rows) == 0 {
		return Doubt{Reason: GoldEmpty}, nil
	}
	if !mayVary(g.sql) || g.tree() == nil {
		return Doubt{}, nil
	}
	p := prober{g.tree(), db, g.options.Limits}
	probes := []func(context.Context) (string, error){p.limits, p.groups}
	if g.ordered && !g.options.Strict {
		probes = slices.Insert(probes, 1, func(ctx context.Context) (string, error) { return p.order(ctx, res) })
	}
	for _, probe := range probes {
		detail, err := probe(ctx)
		switch {
		case err != nil:
			return Doubt{}, err
		case detail != "":
			return Doubt{GoldUndetermined, detail}, nil
		}
	}
	return Doubt{}, nil
}

// mayVary tells whether a query has any of the clauses or calls by which its answer
// may not be determined; most have none, and no tree is needed for them.
func mayVary(sql string) bool {
	return slices.ContainsFunc([]string{"(", "limit", "order", "group"}, func(sign string) bool { return containsFold(sql, sign) })
}

// prober runs variants of a query to learn about its answer.
type prober struct {
	query  *sqlast.Query
	db     *Database
	bounds sqlite.Limits
}

// run returns nil, with an error only of the context or of reading the database,
// where a variant does not run.
func (p prober) run(ctx context.Context, q *sqlast.Query) (*sqldata.Result, error) {
	res, err := p.db.denotation(ctx, q.String(), p.bounds)
	if err != nil {
		_, err = failure(err)
		return nil, err
	}
	return res, nil
}

// limits says which LIMIT of the query leaves open what rows it keeps.
func (p prober) limits(ctx context.Context) (detail string, err error) {
	sqlast.Inspect(p.query, func(n sqlast.Node) bool {
		if detail != "" || err != nil {
			return false
		}
		switch n := n.(type) {
		case *sqlast.Exists: // whichever rows it keeps, there are some
			return false
		case *sqlast.Query:
			if n.Limit == nil {
				break
			}
			detail, err = p.limit(ctx, n)
			if detail != "" && n != p.query {
				detail = "in a subquery, " + detail
			}
		}
		return true
	})
	return detail, err
}

func (p prober) limit(ctx context.Context, q *sqlast.Query) (string, error) {
	first, end, ok := window(q.Limit)
	if !ok {
		return "", nil
	}
	keyed, keys, err := withKeys(q)
	if err != nil {
		return "", nil
	}
	keyed.Limit = nil
	res, err := p.run(ctx, keyed)
	if res == nil {
		return "", err
	}
	groups := keys.groups(res)
	width := len(res.Columns) - keys.added
	for _, cut := range []int{first, end} {
		if cut <= 0 || cut >= len(res.Rows) || groups[cut-1] != groups[cut] {
			continue
		}
		low, high := slices.Index(groups, groups[cut]), cut
		for high < len(groups) && groups[high] == groups[cut] {
			high++
		}
		if !alike(res.Rows[low:high], width) {
			if len(q.OrderBy) == 0 {
				return fmt.Sprintf("LIMIT without ORDER BY cuts %d rows", high-low), nil
			}
			return fmt.Sprintf("LIMIT cuts rows %d to %d, which ORDER BY leaves tied", low+1, high), nil
		}
	}
	return "", nil
}

// window returns the rows that a LIMIT keeps, from 0, the end not among them.
func window(l *sqlast.Limit) (first, end int, ok bool) {
	if l.Offset != nil {
		if first, ok = integer(l.Offset); !ok {
			return 0, 0, false
		}
	}
	n, ok := integer(l.Count)
	return first, first + n, ok
}

func integer(e sqlast.Expr) (int, bool) {
	if !number(e) {
		return 0, false
	}
	n, err := strconv.ParseInt(e.(*sqlast.Literal).Text, 10, 32)
	return int(n), err == nil
}

// order says which rows the outermost ORDER BY leaves tied.
func (p prober) order(ctx context.Context, res *sqldata.Result) (string, error) {
	if len(p.query.OrderBy) == 0 {
		return "", nil
	}
	groups, err := p.ties(ctx, res)
	if err != nil {
		return "", ctx.Err()
	}
	for i := 1; i < len(groups); i++ {
		if groups[i] == groups[i-1] && !alike(res.Rows[i-1:i+1], len(res.Columns)) {
			return fmt.Sprintf("ORDER BY leaves rows %d and %d tied", i, i+1), nil
		}
	}
	return "", nil
}

// alike tells whether rows are equal in their first columns.
func alike(rows [][]sqldata.Value, width int) bool {
	for _, row := range rows[1:] {
		if !slices.EqualFunc(row[:width], rows[0][:width], sqldata.Value.Equal) {
			return false
		}
	}
	return true
}

// groups says which column is neither grouped by nor aggregated and differs within
// a group. Beside min or max SQLite defines its value, so it is left alone.
func (p prober) groups(ctx context.Context) (string, error) {
	if len(p.query.Compound) > 0 || p.query.Select.Distinct {
		return "", nil
	}
	bare := bareColumns(p.query.Select)
	if len(bare) == 0 {
		return "", nil
	}
	probe := sqlast.Clone(p.query)
	for _, e := range bare {
		x := sqlast.Format(e)
		differs, err := sqlast.Parse(fmt.Sprintf("SELECT count(DISTINCT %s) > 1 OR count(%s) BETWEEN 1 AND count(*) - 1", x, x))
		if err != nil {
			return "", nil
		}
		probe.Select.Columns = append(probe.Select.Columns, differs.Select.Columns[0])
	}
	res, err := p.run(ctx, probe)
	if res == nil {
		return "", err
	}
	for _, row := range res.Rows {
		for i, cell := range row[len(row)-len(bare):] {
			if cell.Int() != 0 {
				return fmt.Sprintf("%s differs within a group", sqlast.Format(bare[i])), nil
			}
		}
	}
	return "", nil
}

// bareColumns returns the results of an aggregate query that are columns neither
// grouped by nor aggregated.
func bareColumns(s *sqlast.Select) (bare []sqlast.Expr) {
	aggregates := len(s.GroupBy) > 0
	for _, c := range s.Columns {
		call, ok := c.Expr.(*sqlast.Call)
		if !ok || call.Over != nil {
			continue
		}
		switch strings.ToLower(call.Name.Name) {
		case "min", "max":
			return nil
		case "count", "sum", "avg", "total", "group_concat":
			aggregates = true
		}
	}
	if !aggregates {
		return nil
	}
	for _, c := range s.Columns {
		ref, ok := c.Expr.(*sqlast.ColumnRef)
		if ok && !slices.ContainsFunc(s.GroupBy, func(e sqlast.Expr) bool {
			key, ok := e.(*sqlast.ColumnRef)
			return ok && strings.EqualFold(key.Column.Name, ref.Column.Name)
		}) {
			bare = append(bare, ref)
		}
	}
	return bare
}
