package suite

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

var (
	comparisons = []string{"=", "!=", "<", "<=", ">", ">="}
	aggregates  = []string{"count", "sum", "avg", "min", "max"}
	extremal    = []string{"min", "max"}
	setOps      = []sqlast.SetOp{sqlast.Union, sqlast.Intersect, sqlast.Except}
	opposite    = map[string]string{"AND": "OR", "OR": "AND", "IS": "IS NOT", "IS NOT": "IS"}
)

// editBinary replaces the operator of a comparison, of arithmetic, or of AND and OR, and drops
// either side of arithmetic, AND and OR. IS NULL of a text column also becomes a comparison with the empty string, and "=" with
// a text also becomes LIKE.
func (e *editor) editBinary(s *scope, n *sqlast.Binary) {
	swap := func(op string) {
		change(e, Operator, n, func(c *sqlast.Binary) { c.Op = op })
	}
	switch n.Op {
	case "AND", "OR":
		swap(opposite[n.Op])
		e.replace(Drop, n, n.X)
		e.replace(Drop, n, n.Y)
	case "IS", "IS NOT":
		swap(opposite[n.Op])
		e.compareWithBlank(n)
	case "+", "-", "*", "/":
		for _, op := range []string{"+", "-", "*", "/"} {
			swap(op) // the operator itself gives the same text, which add drops
		}
		e.replace(Drop, n, n.X)
		e.replace(Drop, n, n.Y)
	case "=", "!=", "<", "<=", ">", ">=":
		for _, op := range comparisons {
			if !sameForAllCounts(s, n, op) {
				swap(op)
			}
		}
		if n.Op == "!=" && e.mayYieldNull(s, n.X) {
			swap("IS NOT") // holds for NULL too
		}
		if text, ok := e.stringLiteral(n.Y); ok && n.Op == "=" {
			e.replaceByLike(n, text)
		}
	}
}

// replaceByLike replaces the comparison of an expression with a text by LIKE, with and without wildcards
// around the text.
func (e *editor) replaceByLike(n *sqlast.Binary, text string) {
	like := func(pattern string) {
		e.replace(Operator, n, &sqlast.Like{Op: "LIKE", X: n.X, Pattern: &sqlast.Literal{Kind: sqlast.StringLiteral, Text: pattern}})
	}
	like("%" + text + "%")
	if otherCase(text) != text {
		like(text) // LIKE ignores case
	}
}

// stringLiteral returns the text of a string literal; ok is false for other expressions.
func (e *editor) stringLiteral(x sqlast.Expr) (string, bool) {
	literal := e.binding.Literal(x)
	if literal == nil || literal.Kind != sqlast.StringLiteral {
		return "", false
	}
	return literal.Text, true
}

// sameForAllCounts reports whether a comparison of a group's count(*) with a constant has the same result
// with the operator op, because the count is at least 1: "> 1" and "!= 1".
func sameForAllCounts(s *scope, n *sqlast.Binary, op string) bool {
	limit, constant := integerLiteral(n.Y)
	if !constant || len(s.sel.GroupBy) == 0 || !isCountStar(n.X) {
		return false
	}
	// All counts below the constant give one result, as do all above it.
	for count := max(1, limit-1); count <= max(1, limit+1); count++ {
		if evalComparison(n.Op, count, limit) != evalComparison(op, count, limit) {
			return false
		}
	}
	return true
}

// isCountStar reports whether an expression is count(*).
func isCountStar(x sqlast.Expr) bool {
	call, ok := x.(*sqlast.Call)
	return ok && call.Star && call.Filter == nil && call.Name.Is("count")
}

// evalComparison evaluates a comparison of two numbers.
func evalComparison(op string, x, y int) bool {
	switch op {
	case "=":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

// editLike negates LIKE, adds and drops the wildcards at the ends of its pattern, and replaces it by
// comparisons.
func (e *editor) editLike(n *sqlast.Like) {
	change(e, Operator, n, func(c *sqlast.Like) { c.Not = !c.Not })
	text, _ := e.stringLiteral(n.Pattern)
	if core := strings.Trim(text, "%"); core != "" {
		for _, ends := range [][2]string{{"%", "%"}, {"%", ""}, {"", "%"}} {
			if pattern := ends[0] + core + ends[1]; pattern != text {
				change(e, Operator, n, func(c *sqlast.Like) { c.Pattern = &sqlast.Literal{Kind: sqlast.StringLiteral, Text: pattern} })
			}
		}
	}
	if strings.EqualFold(n.Op, "LIKE") && n.Escape == nil {
		for _, op := range comparisons {
			e.replace(Operator, n, &sqlast.Binary{Op: op, X: n.X, Y: n.Pattern})
		}
	}
}

// editBetween negates BETWEEN, and drops either bound.
func (e *editor) editBetween(n *sqlast.Between) {
	change(e, Operator, n, func(c *sqlast.Between) { c.Not = !c.Not })
	low, high := ">=", "<="
	if n.Not {
		low, high = "<", ">"
	}
	e.replace(Drop, n, &sqlast.Binary{Op: low, X: n.X, Y: n.Low})
	e.replace(Drop, n, &sqlast.Binary{Op: high, X: n.X, Y: n.High})
}

// editIn negates IN, and drops values of its list.
func (e *editor) editIn(n *sqlast.In) {
	change(e, Operator, n, func(c *sqlast.In) { c.Not = !c.Not })
	eachRun(len(n.List), func(from, to int) {
		change(e, Drop, n, func(c *sqlast.In) { c.List = withoutRange(n.List, from, to) })
	})
}

// editCall replaces an aggregate by others and by its argument, and drops its DISTINCT and FILTER.
func (e *editor) editCall(s *scope, n *sqlast.Call) {
	name := strings.ToLower(n.Name.Name)
	if !slices.Contains(aggregates, name) || n.Over != nil {
		return
	}
	if n.Distinct && !slices.Contains(extremal, name) { // in min and max it changes nothing
		change(e, Drop, n, func(c *sqlast.Call) { c.Distinct = false })
	}
	if n.Filter != nil {
		change(e, Drop, n, func(c *sqlast.Call) { c.Filter = nil })
	}
	if n.Star {
		e.countColumn(s, n)
	}
	if len(n.Args) != 1 {
		return
	}
	e.countAllRows(s, n, name)
	for _, other := range aggregates {
		if other != name {
			change(e, Operator, n, func(c *sqlast.Call) { c.Name = sqlast.NewIdent(other) })
		}
	}
	e.replace(Drop, n, n.Args[0])
}

// reverseOrder reverses the direction of a term of ORDER BY.
func (e *editor) reverseOrder(n *sqlast.OrderTerm) {
	dir := sqlast.Desc
	if n.Dir == sqlast.Desc {
		dir = sqlast.Unspecified
	}
	change(e, Operator, n, func(c *sqlast.OrderTerm) { c.Dir = dir })
}

// replaceColumn replaces a column by every other one of the scope that may differ from it. The new name
// is qualified with its table if the old one is, or if it would be ambiguous otherwise.
func (e *editor) replaceColumn(s *scope, ref *sqlast.ColumnRef) {
	if s.role == exists && s.isResult(ref) { // EXISTS ignores the select list
		return
	}
	current := e.sourceColumn(ref)
	for _, c := range s.columns {
		other := sourceColumn{c.source, strings.ToLower(c.name)}
		if other == current || s.equivalent(e, ref, other) {
			continue
		}
		name := sqlast.ColumnRef{Column: sqlast.NewIdent(c.name)}
		if !ref.Table.IsZero() || s.nameCounts[other.column] > 1 {
			name.Table = c.table
		}
		e.replace(Column, ref, &name)
	}
}

// isResult reports whether ref is a result column of the SELECT.
func (s *scope) isResult(ref *sqlast.ColumnRef) bool {
	return slices.ContainsFunc(s.sel.Columns, func(c *sqlast.ResultColumn) bool { return c.Expr == sqlast.Expr(ref) })
}
