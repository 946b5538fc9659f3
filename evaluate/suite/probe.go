package suite

import (
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/sqlast"
)

// probes returns two queries whose answers equal that of q if it is determined. They
// decide in opposite ways what SQL leaves open:
//
//   - rows with equal keys of ORDER BY, and rows among which LIMIT chooses, are sorted
//     by all result columns, ascending in low and descending in high;
//   - for a column that is no grouping key SQLite returns the value of any row of the
//     group; low returns the least and high the greatest.
//
// ok is false if q leaves nothing open.
func probes(q *sqlast.Query, b *sqlast.Binding) (low, high *sqlast.Query, ok bool) {
	p := &prober{binding: b}
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		if sub, isQuery := n.(*sqlast.Query); isQuery {
			p.note(sub, sub == q)
		}
		return true
	})
	if len(p.open)+len(p.bare) == 0 {
		return nil, nil, false
	}
	return p.settle(q, "min", sqlast.Asc), p.settle(q, "max", sqlast.Desc), true
}

// prober collects what a query leaves open.
type prober struct {
	binding *sqlast.Binding
	open    []*sqlast.Query        // their order matters and may be open
	bare    []*sqlast.ResultColumn // columns of groups that are no grouping keys
}

// note collects what a query itself leaves open; top is set for the outermost one.
func (p *prober) note(q *sqlast.Query, top bool) {
	if q.Limit != nil || top && len(q.OrderBy) > 0 {
		p.open = append(p.open, q)
	}
	p.noteBare(q.Select)
	for _, c := range q.Compound {
		p.noteBare(c.Select)
	}
}

// noteBare collects the result columns of a grouped SELECT that are no grouping keys.
func (p *prober) noteBare(s *sqlast.Select) {
	if len(s.GroupBy) == 0 || extremes(s) {
		return
	}
	for _, c := range s.Columns {
		ref, ok := c.Expr.(*sqlast.ColumnRef)
		if !ok || p.binding.Target(ref).Column == "" {
			continue
		}
		if !slices.ContainsFunc(s.GroupBy, func(g sqlast.Expr) bool { return p.same(g, ref) }) {
			p.bare = append(p.bare, c)
		}
	}
}

// same reports whether a term of GROUP BY is the column.
func (p *prober) same(term sqlast.Expr, ref *sqlast.ColumnRef) bool {
	other, ok := term.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	return p.binding.Target(other).Source == p.binding.Target(ref).Source && p.binding.Column(other) == p.binding.Column(ref)
}

// extremes reports whether a SELECT has min or max: SQLite then takes other columns from
// the row with that value.
func extremes(s *sqlast.Select) bool {
	found := false
	sqlast.Inspect(s, func(n sqlast.Node) bool {
		if call, ok := n.(*sqlast.Call); ok && slices.ContainsFunc(extremal, call.Name.Is) {
			found = true
		}
		_, nested := n.(*sqlast.Query)
		return !nested
	})
	return found
}

// settle returns the query with its open points decided: pick ("min" or "max") is applied to
// the bare columns, and all result columns are added to ORDER BY in direction dir.
func (p *prober) settle(q *sqlast.Query, pick string, dir sqlast.Direction) *sqlast.Query {
	out := sqlast.Rewrite(q, func(n sqlast.Node) sqlast.Node {
		c, ok := n.(*sqlast.ResultColumn)
		if !ok || !slices.Contains(p.bare, c) {
			return n
		}
		settled := *c
		settled.Expr = &sqlast.Call{Name: sqlast.NewIdent(pick), Args: []sqlast.Expr{c.Expr}}
		return &settled
	}).(*sqlast.Query)
	to := slices.Collect(sqlast.All[*sqlast.Query](out)) // copies in the order of the originals
	for i, sub := range slices.Collect(sqlast.All[*sqlast.Query](q)) {
		if slices.Contains(p.open, sub) {
			for n := range p.binding.Outputs(sub) {
				ordinal := &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: strconv.Itoa(n + 1)}
				to[i].OrderBy = append(to[i].OrderBy, &sqlast.OrderTerm{Expr: ordinal, Dir: dir})
			}
		}
	}
	return out
}
