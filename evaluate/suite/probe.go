package suite

import (
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/sqlast"
)

// probes returns two variants of q whose answers equal that of q if its answer is determined. They decide
// in opposite ways what SQL leaves open:
//
//   - rows with equal keys of ORDER BY, and rows among which LIMIT chooses, are sorted
//     by all result columns, ascending in low and descending in high;
//   - for a column that is no grouping key SQLite returns the value of any row of the
//     group; low returns the least and high the greatest.
//
// ok is false if q leaves nothing open.
func probes(q *sqlast.Query, b *sqlast.Binding) (low, high *sqlast.Query, ok bool) {
	p := &prober{binding: b}
	for sub := range sqlast.All[*sqlast.Query](q) {
		p.collect(sub, sub == q)
	}
	if len(p.orderOpen)+len(p.nonKeys) == 0 {
		return nil, nil, false
	}
	return p.decide(q, "min", sqlast.Asc), p.decide(q, "max", sqlast.Desc), true
}

// prober collects what a query leaves open.
type prober struct {
	binding   *sqlast.Binding
	orderOpen []*sqlast.Query        // their order matters and may be open
	nonKeys   []*sqlast.ResultColumn // columns of groups that are no grouping keys
}

// collect stores what a query itself leaves open, without its nested queries. outermost is set for the
// whole query, whose order counts even without LIMIT.
func (p *prober) collect(q *sqlast.Query, outermost bool) {
	if q.Limit != nil || outermost && len(q.OrderBy) > 0 {
		p.orderOpen = append(p.orderOpen, q)
	}
	p.collectNonKeys(q.Select)
	for _, c := range q.Compound {
		p.collectNonKeys(c.Select)
	}
}

// collectNonKeys stores the result columns of a grouped SELECT that are no grouping keys.
func (p *prober) collectNonKeys(s *sqlast.Select) {
	if len(s.GroupBy) == 0 || hasExtreme(s) { // min and max fix the row from which SQLite takes other columns
		return
	}
	for _, c := range s.Columns {
		ref, ok := c.Expr.(*sqlast.ColumnRef)
		if !ok || p.binding.Target(ref).Column == "" {
			continue
		}
		if !slices.ContainsFunc(s.GroupBy, func(g sqlast.Expr) bool { return p.isColumn(g, ref) }) {
			p.nonKeys = append(p.nonKeys, c)
		}
	}
}

// isColumn reports whether a term of GROUP BY is the column that ref names.
func (p *prober) isColumn(term sqlast.Expr, ref *sqlast.ColumnRef) bool {
	other, ok := term.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	return p.binding.Target(other).Source == p.binding.Target(ref).Source && p.binding.Column(other) == p.binding.Column(ref)
}

// hasExtreme reports whether a SELECT has min or max: SQLite then takes other columns from
// the row with that value.
func hasExtreme(s *sqlast.Select) bool {
	return sqlast.ContainsOwn(s, func(call *sqlast.Call) bool { return slices.ContainsFunc(extremal, call.Name.Is) })
}

// decide returns a copy of q that leaves nothing open: it applies the aggregate "min" or "max" to the
// columns that are no grouping keys, and adds all result columns to ORDER BY in direction dir.
func (p *prober) decide(q *sqlast.Query, aggregate string, dir sqlast.Direction) *sqlast.Query {
	out := sqlast.Rewrite(q, func(n sqlast.Node) sqlast.Node {
		c, ok := n.(*sqlast.ResultColumn)
		if !ok || !slices.Contains(p.nonKeys, c) {
			return n
		}
		decided := *c
		decided.Expr = &sqlast.Call{Name: sqlast.NewIdent(aggregate), Args: []sqlast.Expr{c.Expr}}
		return &decided
	}).(*sqlast.Query)
	copies := slices.Collect(sqlast.All[*sqlast.Query](out)) // in the order of the originals
	for i, sub := range slices.Collect(sqlast.All[*sqlast.Query](q)) {
		if slices.Contains(p.orderOpen, sub) {
			for n := range p.binding.Outputs(sub) {
				ordinal := &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: strconv.Itoa(n + 1)}
				copies[i].OrderBy = append(copies[i].OrderBy, &sqlast.OrderTerm{Expr: ordinal, Dir: dir})
			}
		}
	}
	return out
}
