package dataset

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// conditions returns the list [cond_unit, "and" or "or", cond_unit, …] of a condition, empty for nil. It rejects an OR below
// an AND, because the format has no parentheses.
func (s *spiderForm) conditions(x sqlast.Expr) []any {
	if x == nil {
		return []any{}
	}
	op, ok := x.(*sqlast.Binary)
	if !ok || !slices.Contains([]string{"AND", "OR"}, op.Op) {
		return []any{s.condition(x)}
	}
	if op.Op == "AND" {
		for _, side := range []sqlast.Expr{op.X, op.Y} {
			if b, ok := side.(*sqlast.Binary); ok && b.Op == "OR" {
				s.reject(b, "OR in parentheses")
			}
		}
	}
	return append(append(s.conditions(op.X), strings.ToLower(op.Op)), s.conditions(op.Y)...)
}

// beforeOr returns the conditions before the first "or".
func beforeOr(conds []any) []any {
	if i := slices.Index(conds, any("or")); i >= 0 {
		return conds[:i]
	}
	return conds
}

// condition returns the cond_unit of a comparison, [not, operator, val_unit, value, value or null]; only BETWEEN has two values.
// It rejects what the format lacks.
func (s *spiderForm) condition(x sqlast.Expr) []any {
	unit := func(not bool, op string, x sqlast.Expr, low, high any) []any {
		return []any{not, codeOf(spiderConditions, op), s.valUnit(x, false), low, high}
	}
	switch x := x.(type) {
	case *sqlast.Binary:
		switch x.Op {
		case "=", "!=", "<", "<=", ">", ">=":
			return unit(false, x.Op, x.X, s.value(x.Y), nil)
		}
	case *sqlast.Between:
		return unit(x.Not, "between", x.X, s.value(x.Low), s.value(x.High))
	case *sqlast.Like:
		if x.Op == "LIKE" && x.Escape == nil {
			return unit(x.Not, "like", x.X, s.value(x.Pattern), nil)
		}
	case *sqlast.In:
		switch {
		case x.Query != nil:
			return unit(x.Not, "in", x.X, s.query(x.Query), nil)
		case len(x.List) == 1:
			return unit(x.Not, "in", x.X, s.value(x.List[0]), nil)
		}
	}
	s.reject(x, "condition "+sqlast.Format(x))
	return nil
}

// value returns a number, a string in double quotes, a nested query or a
// col_unit.
func (s *spiderForm) value(x sqlast.Expr) any {
	if literal := s.b.Literal(x); literal != nil {
		switch literal.Kind {
		case sqlast.StringLiteral:
			return `"` + literal.Text + `"`
		case sqlast.NumberLiteral:
			if n, ok := floatNumber(literal.Text); ok {
				return n
			}
		}
	}
	switch x := x.(type) {
	case *sqlast.ColumnRef, *sqlast.Call:
		return s.colUnit(x, false)
	case *sqlast.Subquery:
		return s.query(x.Query)
	}
	s.reject(x, "value "+sqlast.Format(x))
	return nil
}
