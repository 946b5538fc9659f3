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

// binary replaces the operator of a comparison, of arithmetic, or of AND and OR, and drops
// either side of the last two.
func (e *editor) binary(s *scope, n *sqlast.Binary) {
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
	case "+", "-", "*", "/":
		for _, op := range []string{"+", "-", "*", "/"} {
			swap(op)
		}
		e.replace(Drop, n, n.X)
		e.replace(Drop, n, n.Y)
	case "=", "!=", "<", "<=", ">", ">=":
		for _, op := range comparisons {
			if !sameCounts(s, n, op) {
				swap(op)
			}
		}
		if n.Op == "!=" && e.seesNull(s, n.X) {
			swap("IS NOT")
		}
		if text, ok := e.text(n.Y); ok && n.Op == "=" {
			e.patterns(n, text)
		}
	}
}

// patterns replaces the comparison of an expression with a text by LIKE, with and without open
// ends.
func (e *editor) patterns(n *sqlast.Binary, text string) {
	like := func(pattern string) {
		e.replace(Operator, n, &sqlast.Like{Op: "LIKE", X: n.X, Pattern: &sqlast.Literal{Kind: sqlast.StringLiteral, Text: pattern}})
	}
	like("%" + text + "%")
	if otherCase(text) != text {
		like(text) // LIKE ignores case
	}
}

// text returns the text of a string literal; ok is false for other expressions.
func (e *editor) text(x sqlast.Expr) (string, bool) {
	literal := e.binding.Literal(x)
	if literal == nil || literal.Kind != sqlast.StringLiteral {
		return "", false
	}
	return literal.Text, true
}

// sameCounts reports whether a comparison of count(*) of a group with a constant is the same
// with another operator, because the count is at least 1: "> 1" and "!= 1".
func sameCounts(s *scope, n *sqlast.Binary, op string) bool {
	limit, constant := integer(n.Y)
	if !constant || len(s.sel.GroupBy) == 0 || !countsRows(n.X) {
		return false
	}
	// All counts below the constant give one result, as do all above it.
	for count := max(1, limit-1); count <= max(1, limit+1); count++ {
		if holds(n.Op, count, limit) != holds(op, count, limit) {
			return false
		}
	}
	return true
}

// countsRows reports whether an expression is count(*).
func countsRows(x sqlast.Expr) bool {
	call, ok := x.(*sqlast.Call)
	return ok && call.Star && call.Filter == nil && call.Name.Is("count")
}

// holds evaluates a comparison of two numbers.
func holds(op string, x, y int) bool {
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

// like negates LIKE, opens and closes the ends of its pattern, and replaces it by comparisons.
func (e *editor) like(n *sqlast.Like) {
	change(e, Operator, n, func(c *sqlast.Like) { c.Not = !c.Not })
	text, _ := e.text(n.Pattern)
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

// between negates BETWEEN, and drops either bound.
func (e *editor) between(n *sqlast.Between) {
	change(e, Operator, n, func(c *sqlast.Between) { c.Not = !c.Not })
	low, high := ">=", "<="
	if n.Not {
		low, high = "<", ">"
	}
	e.replace(Drop, n, &sqlast.Binary{Op: low, X: n.X, Y: n.Low})
	e.replace(Drop, n, &sqlast.Binary{Op: high, X: n.X, Y: n.High})
}

// in negates IN, and drops values of its list.
func (e *editor) in(n *sqlast.In) {
	change(e, Operator, n, func(c *sqlast.In) { c.Not = !c.Not })
	runs(len(n.List), func(from, to int) {
		change(e, Drop, n, func(c *sqlast.In) { c.List = without(n.List, from, to) })
	})
}

// call replaces an aggregate by others and by its argument, and drops its DISTINCT and FILTER.
func (e *editor) call(s *scope, n *sqlast.Call) {
	name := strings.ToLower(n.Name.Name)
	if !slices.Contains(aggregates, name) || n.Over != nil {
		return
	}
	if n.Distinct && !slices.Contains(extremal, name) {
		change(e, Drop, n, func(c *sqlast.Call) { c.Distinct = false })
	}
	if n.Filter != nil {
		change(e, Drop, n, func(c *sqlast.Call) { c.Filter = nil })
	}
	if n.Star {
		e.countCells(s, n)
	}
	if len(n.Args) != 1 {
		return
	}
	e.countNulls(s, n, name)
	for _, other := range aggregates {
		if other != name {
			change(e, Operator, n, func(c *sqlast.Call) { c.Name = sqlast.NewIdent(other) })
		}
	}
	e.replace(Drop, n, n.Args[0])
}

// direction reverses the direction of a term of ORDER BY.
func (e *editor) direction(n *sqlast.OrderTerm) {
	dir := sqlast.Desc
	if n.Dir == sqlast.Desc {
		dir = sqlast.Unspecified
	}
	change(e, Operator, n, func(c *sqlast.OrderTerm) { c.Dir = dir })
}

// columnEdits replaces a column by every other one of the scope that may differ from it. The
// new name has its table if the old one has, or if it would be ambiguous.
func (e *editor) columnEdits(s *scope, ref *sqlast.ColumnRef) {
	if s.role == exists && s.isResult(ref) {
		return
	}
	named := e.cellOf(ref)
	for _, c := range s.columns {
		with := cell{c.source, strings.ToLower(c.name)}
		if with == named || s.equivalent(e, ref, with) {
			continue
		}
		name := sqlast.ColumnRef{Column: sqlast.NewIdent(c.name)}
		if !ref.Table.IsZero() || s.bare[with.column] > 1 {
			name.Table = c.table
		}
		e.replace(Column, ref, &name)
	}
}

// isResult reports whether ref is a result column of the SELECT.
func (s *scope) isResult(ref *sqlast.ColumnRef) bool {
	return slices.ContainsFunc(s.sel.Columns, func(c *sqlast.ResultColumn) bool { return c.Expr == sqlast.Expr(ref) })
}
