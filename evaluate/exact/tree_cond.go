package exact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// A cond is a condition in normal form: the order of AND and OR does not count, AND does not
// nest in AND nor OR in OR, and NOT is only at leaves.
type cond struct {
	op            string   // "AND", "OR" or "" for a leaf
	kids          []*cond  // what op joins
	leaf, operand string   // the form of a leaf, and of what it compares
	words         []string // keywords of the condition
}

// text returns the form of the condition; "" for nil.
func (c *cond) text(f *former) string {
	switch {
	case c == nil:
		return ""
	case c.op == "":
		return c.leaf
	}
	parts := make([]string, len(c.kids))
	for i, k := range c.kids {
		parts[i] = k.text(f)
	}
	slices.Sort(parts)
	return f.join(c.op, "(", f.list(parts), ")")
}

// leaves calls yield for each leaf.
func (c *cond) leaves(yield func(*cond)) {
	switch {
	case c == nil:
	case c.op == "":
		yield(c)
	default:
		for _, k := range c.kids {
			k.leaves(yield)
		}
	}
}

// connect returns the conditions joined by op; nil for none.
func connect(op string, kids []*cond) *cond {
	c := &cond{op: op}
	for _, k := range kids {
		c.words = append(c.words, k.words...)
		if k.op == op {
			c.kids = append(c.kids, k.kids...)
		} else {
			c.kids = append(c.kids, k)
		}
	}
	switch len(c.kids) {
	case 0:
		return nil
	case 1:
		return c.kids[0]
	}
	if op == "OR" {
		c.words = append(c.words, "or")
	}
	return c
}

// conjuncts appends the conditions that x joins by AND to list; x may be nil.
func conjuncts(x sqlast.Expr, list []sqlast.Expr) []sqlast.Expr {
	if x == nil {
		return list
	}
	return operands(x, "AND", list)
}

// operands appends the conditions that x joins by op to list.
func operands(x sqlast.Expr, op string, list []sqlast.Expr) []sqlast.Expr {
	if b, ok := x.(*sqlast.Binary); ok && b.Op == op {
		return operands(b.Y, op, operands(b.X, op, list))
	}
	return append(list, x)
}

// all returns the normal form of a conjunction that chooses rows.
func (f *former) all(list []sqlast.Expr) *cond {
	filter := f.filter
	f.filter = true
	defer func() { f.filter = filter }()
	var kids []*cond
	for _, x := range f.effective(list) {
		kids = append(kids, f.cond(x, false))
	}
	return connect("AND", kids)
}

// negated gives the operator of the contrary of a comparison.
var negated = map[string]string{
	"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "IS": "IS NOT", "IS NOT": "IS",
	"IS DISTINCT FROM": "IS", "IS NOT DISTINCT FROM": "IS NOT",
}

// dual gives the connective of the contrary: NOT (a AND b) is NOT a OR NOT b.
var dual = map[string]string{"AND": "OR", "OR": "AND"}

// cond returns the normal form of a condition, or of its contrary if not is set.
func (f *former) cond(x sqlast.Expr, not bool) *cond {
	switch x := x.(type) {
	case *sqlast.Unary:
		if x.Op == "NOT" {
			return f.cond(x.X, !not)
		}
	case *sqlast.Binary:
		if op := x.Op; dual[op] != "" {
			if not {
				op = dual[op]
			}
			var kids []*cond
			for _, k := range operands(x, x.Op, nil) {
				kids = append(kids, f.cond(k, not))
			}
			return connect(op, kids)
		}
		if logical(x.Op) {
			return f.comparison(x, not)
		}
	case *sqlast.Between:
		return f.between(x, not != x.Not)
	case *sqlast.Like:
		pattern := f.expr(x.Pattern)
		if x.Escape != nil {
			pattern = f.join(pattern, " ESCAPE ", f.expr(x.Escape))
		}
		return f.leaf(f.expr(x.X), not != x.Not, " "+x.Op+" ", pattern)
	case *sqlast.In:
		if oneOf(x) {
			return f.oneOf(x, not != x.Not)
		}
		return f.leaf(f.expr(x.X), not != x.Not, " IN ", f.members(x))
	case *sqlast.Exists:
		if value, among := f.member(x); f.filter && !not && among != nil {
			return f.leaf(f.expr(value), false, " IN ", f.nested(among, true))
		}
		return f.leaf("", not, "EXISTS ", f.nested(x.Query, true))
	}
	return f.leaf("", not, "", f.expr(x))
}

// leaf returns a leaf with its keywords, such as operand "a", op " IN " and value "(…)".
func (f *former) leaf(operand string, not bool, op, value string) *cond {
	c := &cond{operand: operand}
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

// comparison returns the normal form of a comparison, or of its contrary if not is set.
func (f *former) comparison(x *sqlast.Binary, not bool) *cond {
	op := x.Op
	switch op {
	case "IS DISTINCT FROM":
		op = "IS NOT"
	case "IS NOT DISTINCT FROM":
		op = "IS"
	}
	if not {
		op = negated[op]
	}
	return f.compare(f.expr(x.X), op, f.expr(x.Y))
}

// compare returns the leaf for a comparison of two forms: constants to the right, otherwise
// the lesser form to the left ("3 < a" → "a > ?").
func (f *former) compare(l, op, r string) *cond {
	if l == anyValue || r != anyValue && r < l {
		l, r = r, l
		op = cmp.Or(sqlast.Mirrored(op), op)
	}
	return f.leaf(l, false, " "+op+" ", r)
}

// between returns the two comparisons of BETWEEN, or their contrary if not is set.
func (f *former) between(x *sqlast.Between, not bool) *cond {
	operand, low, high := f.expr(x.X), f.expr(x.Low), f.expr(x.High)
	if not {
		return connect("OR", []*cond{f.compare(operand, "<", low), f.compare(operand, ">", high)})
	}
	return connect("AND", []*cond{f.compare(operand, ">=", low), f.compare(operand, "<=", high)})
}

// oneOf reports whether IN has a list of constants, so that it equals comparisons joined by OR.
// A list with columns does not: IN ignores the affinity of its columns.
func oneOf(x *sqlast.In) bool {
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

// oneOf returns the comparisons of IN with a list of constants, or their contrary if not is set.
func (f *former) oneOf(x *sqlast.In, not bool) *cond {
	operand := f.expr(x.X)
	op, connective := "=", "OR"
	if not {
		op, connective = "!=", "AND"
	}
	var kids []*cond
	for _, e := range x.List {
		kids = append(kids, f.compare(operand, op, f.expr(e)))
	}
	return connect(connective, kids)
}

// members returns the form of the right side of IN.
func (f *former) members(x *sqlast.In) string {
	switch {
	case x.Query != nil:
		return f.nested(x.Query, true)
	case x.Table != nil:
		return f.base(x.Table)
	}
	var list []string
	for _, e := range x.List {
		list = append(list, f.expr(e))
	}
	slices.Sort(list)
	return f.list(list)
}
