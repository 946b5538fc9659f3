package exact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// A cond is a condition in normal form: AND and OR have no order and no nesting
// of their own kind, NOT stands at leaves only.
type cond struct {
	op            string // "AND", "OR" or "" for a leaf
	kids          []*cond
	leaf, operand string   // the leaf, and what it compares
	words         []string // keywords of the condition
}

// text returns the form of the condition.
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

// connect joins conditions; it is nil for none.
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

// all returns the condition that all of list hold.
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

// negated gives the operator of a comparison that fails.
var negated = map[string]string{
	"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "IS": "IS NOT", "IS NOT": "IS",
	"IS DISTINCT FROM": "IS", "IS NOT DISTINCT FROM": "IS NOT",
}

// dual gives the connective of the contraries.
var dual = map[string]string{"AND": "OR", "OR": "AND"}

// cond returns the normal form of a condition, or of its contrary.
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

// comparison puts constants to the right, and else the lesser side to the left.
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

func (f *former) compare(l, op, r string) *cond {
	if l == anyValue || r != anyValue && r < l {
		l, r = r, l
		op = cmp.Or(sqlast.Mirrored(op), op)
	}
	return f.leaf(l, false, " "+op+" ", r)
}

// between returns the two comparisons that BETWEEN is, or their contrary.
func (f *former) between(x *sqlast.Between, not bool) *cond {
	of, low, high := f.expr(x.X), f.expr(x.Low), f.expr(x.High)
	if not {
		return connect("OR", []*cond{f.compare(of, "<", low), f.compare(of, ">", high)})
	}
	return connect("AND", []*cond{f.compare(of, ">=", low), f.compare(of, "<=", high)})
}

// oneOf reports whether IN has a list of constants. One of columns is no list of
// comparisons: it leaves out the affinity of the columns.
func oneOf(x *sqlast.In) bool {
	return x.Query == nil && x.Table == nil && len(x.List) > 0 && !slices.ContainsFunc(x.List, func(e sqlast.Expr) bool {
		if sign, ok := e.(*sqlast.Unary); ok {
			e = sign.X
		}
		_, ok := e.(*sqlast.Literal)
		return !ok
	})
}

// oneOf returns the comparisons that IN with a list is, or their contrary.
func (f *former) oneOf(x *sqlast.In, not bool) *cond {
	of := f.expr(x.X)
	op, connective := "=", "OR"
	if not {
		op, connective = "!=", "AND"
	}
	var kids []*cond
	for _, e := range x.List {
		kids = append(kids, f.compare(of, op, f.expr(e)))
	}
	return connect(connective, kids)
}

// members returns what stands behind IN.
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
