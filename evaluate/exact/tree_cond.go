package exact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A cond is a condition in normal form: the order of AND and OR does not count, AND does not
// nest in AND nor OR in OR, and NOT is only at leaves.
type condForm struct {
	op            string      // "AND", "OR" or "" for a leaf
	operands      []*condForm // what op joins
	leaf, operand string      // the form of a leaf, and of what it compares
	words         []string    // keywords, for the part Keywords
}

// text returns the form of the condition; "" for nil.
func (c *condForm) text(f *former) string {
	switch {
	case c == nil:
		return ""
	case c.op == "":
		return c.leaf
	}
	parts := lists.Map(c.operands, func(operand *condForm) string { return operand.text(f) })
	slices.Sort(parts)
	return f.join(c.op, "(", f.list(parts), ")")
}

// leaves calls yield for each leaf.
func (c *condForm) leaves(yield func(*condForm)) {
	switch {
	case c == nil:
	case c.op == "":
		yield(c)
	default:
		for _, k := range c.operands {
			k.leaves(yield)
		}
	}
}

// connect returns the conditions joined by op, which is "AND" or "OR". It flattens operands that op itself joins, and
// returns nil for no conditions and the condition itself for one. An OR also counts as a keyword.
func connect(op string, operands []*condForm) *condForm {
	c := &condForm{op: op}
	for _, k := range operands {
		c.words = append(c.words, k.words...)
		if k.op == op {
			c.operands = append(c.operands, k.operands...)
		} else {
			c.operands = append(c.operands, k)
		}
	}
	switch len(c.operands) {
	case 0:
		return nil
	case 1:
		return c.operands[0]
	}
	if op == "OR" {
		c.words = append(c.words, "or")
	}
	return c
}

// setFilter sets f.inFilter and returns a function that sets it back.
func (f *former) setFilter(filter bool) (restore func()) {
	before := f.inFilter
	f.inFilter = filter
	return func() { f.inFilter = before }
}

// conjunction returns the normal form of conditions joined by AND that choose rows, as in WHERE.
func (f *former) conjunction(list []sqlast.Expr) *condForm {
	defer f.setFilter(true)()
	return connect("AND", lists.Map(f.withoutTautologies(list), func(x sqlast.Expr) *condForm { return f.condition(x, false) }))
}

// oppositeOperator gives the operator of the negation of a comparison.
var oppositeOperator = map[string]string{
	"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "IS": "IS NOT", "IS NOT": "IS",
	"IS DISTINCT FROM": "IS", "IS NOT DISTINCT FROM": "IS NOT",
}

// oppositeConnective gives the connective of the negation: NOT (a AND b) is NOT a OR NOT b.
var oppositeConnective = map[string]string{"AND": "OR", "OR": "AND"}

// condition returns the normal form of a condition, or of its negation if not is set.
func (f *former) condition(x sqlast.Expr, not bool) *condForm {
	switch x := x.(type) {
	case *sqlast.Unary:
		if x.Op == "NOT" {
			return f.condition(x.X, !not)
		}
	case *sqlast.Binary:
		if op := x.Op; oppositeConnective[op] != "" {
			if not {
				op = oppositeConnective[op]
			}
			return connect(op, lists.Map(sqlast.Operands(x, x.Op), func(operand sqlast.Expr) *condForm { return f.condition(operand, not) }))
		}
		if isCondition(x.Op) {
			return f.comparison(x, not)
		}
	case *sqlast.Between:
		return f.between(x, not != x.Not)
	case *sqlast.Like:
		pattern := f.exprForm(x.Pattern)
		if x.Escape != nil {
			pattern = f.join(pattern, " ESCAPE ", f.exprForm(x.Escape))
		}
		return f.newLeaf(f.exprForm(x.X), not != x.Not, " "+x.Op+" ", pattern)
	case *sqlast.In:
		if isConstantList(x) {
			return f.inConstants(x, not != x.Not)
		}
		return f.newLeaf(f.exprForm(x.X), not != x.Not, " IN ", f.inForm(x))
	case *sqlast.Exists:
		return f.existsForm(x, not)
	}
	return f.newLeaf("", not, "", f.exprForm(x))
}

// existsForm returns the normal form of EXISTS, or of NOT EXISTS: that of IN where a condition that chooses rows can be
// written so. As a value, EXISTS is false if IN is NULL.
func (f *former) existsForm(x *sqlast.Exists, not bool) *condForm {
	if f.inFilter {
		asIn := f.existsAsIn
		if not {
			asIn = f.notExistsAsNotIn
		}
		if value, query := asIn(x); query != nil {
			return f.newLeaf(f.exprForm(value), not, " IN ", f.nestedForm(query, true))
		}
	}
	return f.newLeaf("", not, "EXISTS ", f.nestedForm(existsQuery(x.Query), true))
}

// newLeaf returns the leaf for a condition with its keywords. Its parts are forms, such as operand "a",
// op " IN " and value "(…)"; not puts NOT before op.
func (f *former) newLeaf(operand string, not bool, op, value string) *condForm {
	c := &condForm{operand: operand}
	switch word := strings.ToLower(strings.TrimSpace(op)); word {
	case "in", "like":
		c.words = append(c.words, word)
	}
	if not {
		c.words = append(c.words, "not")
		op = " NOT" + op
	}
	c.leaf = f.join(operand, op, value)
	return c
}

// comparison returns the normal form of a comparison, or of its negation if not is set.
func (f *former) comparison(x *sqlast.Binary, not bool) *condForm {
	op := x.Op
	switch op {
	case "IS DISTINCT FROM":
		op = "IS NOT"
	case "IS NOT DISTINCT FROM":
		op = "IS"
	}
	if not {
		op = oppositeOperator[op]
	}
	return f.comparisonLeaf(f.exprForm(x.X), op, f.exprForm(x.Y))
}

// comparisonLeaf returns the leaf for a comparison of two forms. It puts a constant to the right, and
// otherwise the lesser form to the left: "3 < a" → "a > ?".
func (f *former) comparisonLeaf(l, op, r string) *condForm {
	if l == anyValue || r != anyValue && r < l {
		l, r = r, l
		op = cmp.Or(sqlast.Mirrored(op), op)
	}
	return f.newLeaf(l, false, " "+op+" ", r)
}

// between returns the two comparisons of BETWEEN, or their negation if not is set.
func (f *former) between(x *sqlast.Between, not bool) *condForm {
	operand, low, high := f.exprForm(x.X), f.exprForm(x.Low), f.exprForm(x.High)
	if not {
		return connect("OR", []*condForm{f.comparisonLeaf(operand, "<", low), f.comparisonLeaf(operand, ">", high)})
	}
	return connect("AND", []*condForm{f.comparisonLeaf(operand, ">=", low), f.comparisonLeaf(operand, "<=", high)})
}

// isConstantList reports whether the right side of IN is a list of constants, so that it equals comparisons joined by OR.
// A list with columns does not: IN ignores the affinity of its columns.
func isConstantList(x *sqlast.In) bool {
	for _, e := range x.List {
		if sign, ok := e.(*sqlast.Unary); ok {
			e = sign.X
		}
		if _, ok := e.(*sqlast.Literal); !ok {
			return false
		}
	}
	return len(x.List) > 0
}

// inConstants returns the comparisons of IN with a list of constants, or their negation if not is set.
func (f *former) inConstants(x *sqlast.In, not bool) *condForm {
	operand := f.exprForm(x.X)
	op, connective := "=", "OR"
	if not {
		op, connective = "!=", "AND"
	}
	return connect(connective, lists.Map(x.List, func(e sqlast.Expr) *condForm { return f.comparisonLeaf(operand, op, f.exprForm(e)) }))
}

// inForm returns the form of the right side of IN.
func (f *former) inForm(x *sqlast.In) string {
	switch {
	case x.Query != nil:
		return f.nestedForm(x.Query, true)
	case x.Table != nil:
		return f.baseForm(x.Table)
	}
	forms := lists.Map(x.List, f.exprForm)
	slices.Sort(forms)
	return f.list(forms)
}
