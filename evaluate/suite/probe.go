package suite

import (
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/sqlast"
)

// probes returns two queries that answer as q does and as each other where its
// answer is determined. What SQL leaves open they settle in opposite ways:
//
//   - rows with equal keys of ORDER BY, and those among which a LIMIT chooses, come
//     in the order of all result columns, in one ascending, in the other descending;
//   - a column of a group that does not name the group, of which SQLite takes the
//     value of any row, is the least in one and the greatest in the other.
//
// ok is false where q leaves nothing open.
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

type prober struct {
	binding *sqlast.Binding
	open    []*sqlast.Query        // their order matters and may be open
	bare    []*sqlast.ResultColumn // columns of groups
}

func (p *prober) note(q *sqlast.Query, top bool) {
	if q.Limit != nil || top && len(q.OrderBy) > 0 {
		p.open = append(p.open, q)
	}
	p.noteBare(q.Select)
	for _, c := range q.Compound {
		p.noteBare(c.Select)
	}
}

func (p *prober) noteBare(s *sqlast.Select) {
	if len(s.GroupBy) == 0 || extremes(s) {
		return
	}
	for _, c := range s.Columns {
		ref, ok := c.Expr.(*sqlast.ColumnRef)
		if ok && p.binding.Target(ref).Column != "" && !slices.ContainsFunc(s.GroupBy, func(g sqlast.Expr) bool { return p.same(g, ref) }) {
			p.bare = append(p.bare, c)
		}
	}
}

// same tells whether a term of GROUP BY is the column.
func (p *prober) same(term sqlast.Expr, ref *sqlast.ColumnRef) bool {
	other, ok := term.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	return p.binding.Target(other).Source == p.binding.Target(ref).Source && p.binding.Column(other) == p.binding.Column(ref)
}

// extremes tells whether a SELECT has min or max, by which SQLite settles what
// row its columns are of.
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
	// The copies come in the order of what they are copies of.
	var from, to []*sqlast.Query
	sqlast.Inspect(q, collect(&from))
	sqlast.Inspect(out, collect(&to))
	for i, sub := range from {
		if slices.Contains(p.open, sub) {
			for n := range p.binding.Outputs(sub) {
				ordinal := &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: strconv.Itoa(n + 1)}
				to[i].OrderBy = append(to[i].OrderBy, &sqlast.OrderTerm{Expr: ordinal, Dir: dir})
			}
		}
	}
	return out
}

func collect(list *[]*sqlast.Query) func(sqlast.Node) bool {
	return func(n sqlast.Node) bool {
		if q, ok := n.(*sqlast.Query); ok {
			*list = append(*list, q)
		}
		return true
	}
}
