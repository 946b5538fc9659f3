package recode

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// rewriteScalar returns an expression for the columns after the edits. It refuses one whose value is
// spread over several new columns.
func (r *Rewriter) rewriteScalar(x sqlast.Expr) sqlast.Expr {
	c := r.coding(x)
	if c.width() > 1 {
		panic(refusal(refusedSeveral))
	}
	switch x := x.(type) {
	case *sqlast.ColumnRef:
		if c.unchanged() {
			return r.keepName(x)
		}
		return r.newColumnRef(x, c, 0)
	case *sqlast.Subquery:
		return &sqlast.Subquery{Pos: x.Pos, Query: r.rewriteQuery(x.Query)}
	case *sqlast.Call:
		if agg, c := r.aggregate(x); !c.unchanged() {
			return r.recodeAggregate(x, agg, c)
		}
	}
	if isCondition(x) {
		return r.rewriteCondition(x)
	}
	return r.copyUnrecoded(x).(sqlast.Expr)
}

// keepName returns a copy of a column name, and notes that it must still resolve to the same column.
func (r *Rewriter) keepName(n *sqlast.ColumnRef) *sqlast.ColumnRef {
	out := *n
	t := r.binding.Target(n)
	r.wanted[&out] = sqlast.BaseColumn{Table: t.Table, Column: t.Column}
	return &out
}

// copyUnrecoded returns a copy of a node, with its conditions and nested queries rewritten. It
// refuses a node that computes with recoded values itself.
func (r *Rewriter) copyUnrecoded(n sqlast.Node) sqlast.Node {
	return sqlast.Rewrite(n, func(m sqlast.Node) sqlast.Node {
		switch m := m.(type) {
		case *sqlast.Query:
			return r.rewriteQuery(m)
		case *sqlast.ColumnRef:
			if !r.coding(m).unchanged() {
				panic(refusal(refusedComputed))
			}
			return r.keepName(m)
		case sqlast.Expr:
			if m == n { // Rewrite copies it and goes on with its operands
				return m
			}
			if !r.coding(m).unchanged() {
				panic(refusal(refusedComputed))
			}
			return r.rewriteScalar(m)
		}
		return m
	})
}

// aggregate returns the lower-case name of an aggregate over one expression and the coding of
// that expression; "" for any other call. It refuses an aggregate that the map does not preserve.
func (r *Rewriter) aggregate(x *sqlast.Call) (string, coding) {
	name := strings.ToLower(x.Name.Name)
	switch {
	case !slices.Contains(recodedAggregates, name), len(x.Args) != 1, !x.Bare():
		return "", coding{}
	}
	c := r.coding(x.Args[0])
	if !c.unchanged() && !c.preserves(name) {
		panic(refusal(refusedAggregate))
	}
	return name, c
}

// recodedAggregates are the aggregates that have a counterpart over new values.
var recodedAggregates = []string{"count", "min", "max", "sum", "avg"}

// preserves reports whether the aggregate of recoded numbers is the recoded aggregate: averages need a
// linear map, and sums one without offset. The last bits of a sum of reals are noise; if a
// comparison shows them, the answers differ and the promise does not hold.
func (c coding) preserves(agg string) bool {
	linear := c.recoding.Map.Linear
	switch agg {
	case "avg":
		return linear != nil
	case "sum":
		return linear != nil && linear.Offset == 0
	}
	return true
}

// recodeAggregate returns an aggregate of recoded values. A decreasing map turns min into max. Of a column
// that several replace it only allows count, without DISTINCT, and counts the first of these.
func (r *Rewriter) recodeAggregate(x *sqlast.Call, agg string, c coding) sqlast.Expr {
	out := *x
	if c.width() > 1 {
		ref, ok := x.Args[0].(*sqlast.ColumnRef)
		if !ok || x.Distinct || agg != "count" {
			panic(refusal(refusedSeveral))
		}
		out.Args = []sqlast.Expr{r.newColumnRef(ref, c, 0)} // all are NULL, or none
		return &out
	}
	if mirrored, ok := mirroredAggregate[agg]; ok {
		switch c.order() {
		case 0:
			panic(refusal(refusedOrder))
		case -1:
			if x.Name.Name == strings.ToUpper(x.Name.Name) { // keep the case that the query uses
				mirrored = strings.ToUpper(mirrored)
			}
			out.Name = sqlast.Ident{Name: mirrored}
		}
	}
	out.Args = []sqlast.Expr{r.rewriteScalar(x.Args[0])}
	return &out
}

// mirroredAggregate maps each extreme to the one that it becomes under a decreasing map.
var mirroredAggregate = map[string]string{"min": "max", "max": "min"}

// isCondition reports whether an expression is a condition by its operator: a predicate such as IN, a comparison, which includes IS and
// IS NOT, or conditions with NOT, AND or OR. [sqlast.Mirrored] knows all comparisons but those with DISTINCT FROM.
func isCondition(x sqlast.Expr) bool {
	switch x := x.(type) {
	case *sqlast.Between, *sqlast.In, *sqlast.Like, *sqlast.Exists:
		return true
	case *sqlast.Unary:
		return x.Op == "NOT"
	case *sqlast.Binary:
		return isConnective(x.Op) || sqlast.Mirrored(x.Op) != "" || strings.HasSuffix(x.Op, "DISTINCT FROM")
	}
	return false
}

// isConnective reports whether an operator connects two conditions.
func isConnective(op string) bool { return slices.Contains([]string{"AND", "OR"}, op) }
