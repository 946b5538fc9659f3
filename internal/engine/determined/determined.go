// Package determined decides whether the text of a query determines its answer on given rows, or whether another engine, or the
// same engine with another index, could return another answer.
package determined

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Prober runs variants of a query to learn about its answer.
type Prober struct {
	Query *sqlast.Query
	// Run runs a variant of Query. It returns nil where the variant does not run; an error ends the work.
	Run func(context.Context, *sqlast.Query) (*sqldata.Result, error)
}

// Doubt returns a short description of the first thing that the query leaves open:
//
//   - which rows a LIMIT keeps: it cuts rows that are tied in ORDER BY, or there is
//     no ORDER BY; in subqueries too, if they can be run on their own;
//   - in which order tied rows come, if listed is true: the order of the answer counts;
//   - the value of a column that is neither grouped by nor aggregated, where it
//     differs within a group.
//
// Equal rows are no tie. It returns "" if nothing is open, or if the variants of the query that would show it do not run.
func (p Prober) Doubt(ctx context.Context, answer *sqldata.Result, listed bool) (string, error) {
	probes := []func(context.Context) (string, error){p.limits}
	if listed {
		probes = append(probes, func(ctx context.Context) (string, error) { return p.Order(ctx, answer) })
	}
	for _, probe := range append(probes, p.groups) {
		if detail, err := probe(ctx); err != nil || detail != "" {
			return detail, err
		}
	}
	return "", nil
}

// limits describes the first LIMIT, of the query or a subquery, that leaves open which rows it keeps; it returns "" if none does.
func (p Prober) limits(ctx context.Context) (detail string, err error) {
	sqlast.Inspect(p.Query, func(n sqlast.Node) bool {
		if detail != "" || err != nil {
			return false
		}
		switch n := n.(type) {
		case *sqlast.Exists: // asks only whether there are rows, whichever its LIMIT keeps
			return false
		case *sqlast.Query:
			if n.Limit == nil {
				break
			}
			detail, err = p.limit(ctx, n)
			if detail != "" && n != p.Query {
				detail = "in a subquery, " + detail
			}
		}
		return true
	})
	return detail, err
}

// limit describes the rows that the LIMIT of q cuts although ORDER BY does not order them, or returns "".
func (p Prober) limit(ctx context.Context, q *sqlast.Query) (string, error) {
	first, end, ok := window(q.Limit)
	if !ok {
		return "", nil
	}
	keyed, keys, err := withKeys(q)
	if err != nil {
		return "", nil // no variant shows the ties
	}
	keyed.Limit = nil
	res, err := p.Run(ctx, keyed)
	if res == nil {
		return "", err
	}
	groups := keys.groups(res)
	width := len(res.Columns) - keys.added
	for _, cut := range []int{first, end} {
		if cut <= 0 || cut >= len(res.Rows) || groups[cut-1] != groups[cut] {
			continue // no group of tied rows is cut
		}
		low, high := slices.Index(groups, groups[cut]), cut // the group is rows[low:high]
		for high < len(groups) && groups[high] == groups[cut] {
			high++
		}
		if !alike(res.Rows[low:high], width) { // of equal rows, it does not matter which are cut
			if len(q.OrderBy) == 0 {
				return fmt.Sprintf("LIMIT without ORDER BY cuts %d rows", high-low), nil
			}
			return fmt.Sprintf("LIMIT cuts rows %d to %d, which ORDER BY leaves tied", low+1, high), nil
		}
	}
	return "", nil
}

// window returns the rows [first, end) that a LIMIT keeps, from 0; false unless its numbers are literals.
func window(l *sqlast.Limit) (first, end int, ok bool) {
	if l.Offset != nil {
		if first, ok = integer(l.Offset); !ok {
			return 0, 0, false
		}
	}
	n, ok := integer(l.Count)
	return first, first + n, ok
}

// integer returns the value of an integer literal of up to 32 bits, false for other expressions.
func integer(e sqlast.Expr) (int, bool) {
	literal, ok := e.(*sqlast.Literal)
	if !ok || literal.Kind != sqlast.NumberLiteral {
		return 0, false
	}
	n, err := strconv.ParseInt(literal.Text, 10, 32)
	return int(n), err == nil
}

// Order describes the first two different rows of the answer res that the outermost ORDER BY leaves tied. It returns "" if there are
// none, or if the variant of the query that shows its keys does not run.
func (p Prober) Order(ctx context.Context, res *sqldata.Result) (string, error) {
	if len(p.Query.OrderBy) == 0 {
		return "", nil
	}
	groups, err := p.Ties(ctx, res)
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

// alike reports whether all rows are equal in their first width columns.
func alike(rows [][]sqldata.Value, width int) bool {
	return !slices.ContainsFunc(rows[1:], func(row []sqldata.Value) bool {
		return !slices.EqualFunc(row[:width], rows[0][:width], sqldata.Value.Equal)
	})
}

// groups describes the first column that is neither grouped by nor aggregated and differs within a group, or returns "". In a
// query with min or max SQLite defines the value of such a column, so that it is no doubt.
func (p Prober) groups(ctx context.Context) (string, error) {
	if len(p.Query.Compound) > 0 || p.Query.Select.Distinct {
		return "", nil // another column would change the rows
	}
	bare := bareColumns(p.Query.Select)
	if len(bare) == 0 {
		return "", nil
	}
	probe := sqlast.Clone(p.Query)
	for _, e := range bare { // append a column: whether e has two values in the group, or a value and NULL
		x := sqlast.Format(e)
		differs, err := sqlast.Parse(fmt.Sprintf("SELECT count(DISTINCT %s) > 1 OR count(%s) BETWEEN 1 AND count(*) - 1", x, x))
		if err != nil {
			return "", nil
		}
		probe.Select.Columns = append(probe.Select.Columns, differs.Select.Columns[0])
	}
	res, err := p.Run(ctx, probe)
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

// bareColumns returns the result columns of an aggregate query that are neither grouped by nor aggregated;
// none for other queries, and for those with min or max.
func bareColumns(s *sqlast.Select) (bare []sqlast.Expr) {
	aggregates := len(s.GroupBy) > 0
	for _, c := range s.Columns {
		call, ok := c.Expr.(*sqlast.Call)
		if !ok || call.Over != nil { // a window function aggregates no rows
			continue
		}
		switch strings.ToLower(call.Name.Name) {
		case "min", "max": // SQLite takes the columns from the row that has it
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
