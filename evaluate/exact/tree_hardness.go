package exact

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// treeHardness is hardness for a query that the official parser refuses: it counts the same
// on the syntax tree. It returns Extra for a query without a tree.
func (s *Schema) treeHardness(sql string) Hardness {
	q, _ := s.tree(sql)
	if q == nil {
		return Extra
	}
	n := &counts{}
	sel := q.Select
	n.clauses = toInt(sel.Where != nil) + toInt(len(sel.GroupBy) > 0) + max(0, len(sel.From)-1)
	if len(q.Compound) > 0 {
		n.nested++ // officially, ORDER BY and LIMIT belong to the last query
	} else {
		n.clauses += toInt(len(q.OrderBy) > 0) + toInt(q.Limit != nil)
		for _, t := range q.OrderBy {
			n.aggregate(t.Expr)
		}
	}
	for _, item := range sel.From {
		n.condition(item.On, false) // false: officially, a NOT counts only in WHERE and HAVING
	}
	where := n.condition(sel.Where, true)
	having := n.condition(sel.Having, true)
	n.aggregates += max(0, having-1) // each AND and OR of HAVING, see [query.aggregates]
	for _, c := range sel.Columns {
		n.aggregate(c.Expr)
	}
	others := toInt(n.aggregates > 1) + toInt(len(sel.Columns) > 1) + toInt(where > 1) + toInt(len(sel.GroupBy) > 1)
	return hardnessOf(n.clauses, n.nested, others)
}

// counts are those by which the hardness of a query is defined.
type counts struct{ clauses, nested, aggregates int }

// condition counts ORs, LIKEs and nested queries of a condition, and its NOTs as aggregates, as officially, if
// nots is set. It returns the number of conditions that AND and OR join.
func (n *counts) condition(x sqlast.Expr, nots bool) (leaves int) {
	if x == nil {
		return 0
	}
	if b, ok := x.(*sqlast.Binary); ok && oppositeConnective[b.Op] != "" {
		n.clauses += toInt(b.Op == "OR")
		return n.condition(b.X, nots) + n.condition(b.Y, nots)
	}
	sqlast.Inspect(x, func(node sqlast.Node) bool {
		not := false
		switch node := node.(type) {
		case *sqlast.Query:
			n.nested++
			return false
		case *sqlast.Like:
			n.clauses++
			not = node.Not
		case *sqlast.In:
			not = node.Not
		case *sqlast.Between:
			not = node.Not
		case *sqlast.Unary:
			not = node.Op == "NOT"
		}
		n.aggregates += toInt(not && nots)
		return true
	})
	return 1
}

// aggregate counts a term that is an aggregate.
func (n *counts) aggregate(x sqlast.Expr) {
	if c, ok := x.(*sqlast.Call); ok {
		n.aggregates += toInt(isAggregate(c))
	}
}

// isAggregate reports whether a call is one of the aggregates of the official grammar.
func isAggregate(c *sqlast.Call) bool {
	return slices.ContainsFunc([]string{"max", "min", "count", "sum", "avg"}, c.Name.Is)
}
