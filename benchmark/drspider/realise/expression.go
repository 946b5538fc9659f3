package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// calculation is arithmetic on two items: both aggregates, or both columns of a row.
type calculation struct {
	op      string // "/", "-" or "+"
	x, y    item
	percent bool // of a ratio: in percent
}

// plain returns an expression without the operations that a question does not mention: casts, rounding, letter case, guards
// against NULL and division by zero, and factors of 1.0.
func plain(e sqlast.Expr) sqlast.Expr {
	switch x := e.(type) {
	case *sqlast.Cast:
		return plain(x.X)
	case *sqlast.Collate:
		return plain(x.X)
	case *sqlast.Call:
		isUnsaid := slices.Contains(unsaidCalls, strings.ToLower(x.Name.Name))
		computed := func(e sqlast.Expr) bool { _, ok := e.(*sqlast.Literal); return !ok } // round(x, 2), but not round(x, y)
		if len(x.Args) > 0 && isUnsaid && !slices.ContainsFunc(x.Args[1:], computed) {
			return plain(x.Args[0])
		}
	case *sqlast.Binary:
		switch {
		case slices.Contains([]string{"*", "+"}, x.Op) && isNeutral(x.X, x.Op):
			return plain(x.Y)
		case slices.Contains([]string{"*", "/", "+"}, x.Op) && isNeutral(x.Y, x.Op):
			return plain(x.X)
		}
	}
	return e
}

// unsaidCalls are functions whose first argument alone a question mentions.
var unsaidCalls = []string{"round", "nullif", "coalesce", "ifnull", "lower", "upper", "trim"}

// isNeutral reports whether an operand changes no number under an operator: the 1.0 of a product, the 0.0 of a sum.
func isNeutral(e sqlast.Expr, op string) bool {
	lit, ok := e.(*sqlast.Literal)
	if !ok || lit.Kind != sqlast.NumberLiteral {
		return false
	}
	whole, fraction, _ := strings.Cut(lit.Text, ".")
	if strings.Trim(fraction, "0") != "" {
		return false
	}
	return op == "+" && whole == "0" || op != "+" && whole == "1"
}

// isHundred reports whether an expression is the 100 of a percentage.
func isHundred(e sqlast.Expr) bool {
	lit, ok := plain(e).(*sqlast.Literal)
	return ok && lit.Kind == sqlast.NumberLiteral && (lit.Text == "100" || strings.TrimRight(lit.Text, "0") == "100.")
}

// item reads an expression of a select list, HAVING or ORDER BY: a column, a star, an aggregate or arithmetic. Others are unsupported.
func (w *writer) item(p *plan, e sqlast.Expr) item {
	if f, ok := w.field(p, e); ok {
		return item{field: f}
	}
	switch x := w.resolveAlias(plain(e)).(type) {
	case *sqlast.Star:
		return item{star: true}
	case *sqlast.Call:
		return w.aggregate(p, x)
	case *sqlast.Binary:
		return w.arithmetic(p, x)
	}
	return w.unsupportedItem("an expression that is no column and no aggregate of one")
}

// unsupportedItem records why an expression cannot be worded.
func (w *writer) unsupportedItem(why string) item {
	w.unsupported("%s", why)
	return item{}
}

// aggregate reads an aggregate of a column, or of a CASE that takes the column of some rows only.
func (w *writer) aggregate(p *plan, x *sqlast.Call) item {
	agg := sqlast.Aggregate(x)
	if agg == "" || len(x.OrderBy) > 0 || x.Over != nil {
		return w.unsupportedItem("a function that is no aggregate")
	}
	it := item{agg: agg, distinct: x.Distinct, star: x.Star}
	if x.Filter != nil {
		it.filter = w.filter(p, x.Filter)
	}
	if x.Star {
		return it
	}
	arg := plain(x.Args[0])
	if lit, ok := arg.(*sqlast.Literal); ok && agg == "count" && lit.Kind == sqlast.NumberLiteral { // count(1)
		it.star = true
		return it
	}
	if f, ok := w.field(p, arg); ok && len(x.Args) == 1 {
		it.field = f
		return it
	}
	if it.filter == nil && agg != "min" && agg != "max" { // perhaps SUM(CASE WHEN …), which filters the rows itself
		return w.conditional(p, it, arg)
	}
	return w.unsupportedItem("an aggregate of an expression")
}

// filter reads a condition that restricts the rows of an aggregate.
func (w *writer) filter(p *plan, e sqlast.Expr) *filter {
	f := &filter{}
	for _, c := range operands(plain(e), "AND") {
		f.conds = append(f.conds, w.cond(p, c))
	}
	f.conds = joinBounds(f.conds)
	return f
}

// conditional completes the item of an aggregate whose argument is CASE WHEN, IIF or a condition: SUM(CASE WHEN age > 20 THEN 1 ELSE 0 END)
// becomes the count of the rows with an age above 20, and AVG of that their share.
func (w *writer) conditional(p *plan, it item, arg sqlast.Expr) item {
	when, then, rest := branches(arg)
	zero, isZero := rest.(*sqlast.Literal)
	isNull := rest == nil || isZero && zero.Kind == sqlast.NullLiteral
	isZero = isZero && zero.Text == "0"
	if when == nil || !isNull && (it.agg == "count" || !isZero) { // the other rows would count too
		return w.unsupportedItem("an aggregate of an expression")
	}
	it.filter = w.filter(p, when)
	lit, constant := plain(then).(*sqlast.Literal)
	one := constant && isNeutral(lit, "*") // each row of the filter gives 1
	f, ok := w.field(p, then)
	if ok && it.agg == "count" && !it.distinct { // COUNT(CASE WHEN … THEN column END): a column without NULL in the rows of the filter counts them
		one = w.isAlwaysKnown(f.ref) || slices.ContainsFunc(it.filter.conds, func(c cond) bool { return c.item.field == f })
		constant = one
	}
	switch {
	case one && it.agg == "avg" && isZero: // AVG of 1 and 0
		share := item{agg: "count", star: true, filter: it.filter}
		return item{agg: "/", calc: &calculation{op: "/", x: share, y: item{agg: "count", star: true}}}
	case one && it.agg == "sum", constant && it.agg == "count" && !it.distinct: // SUM of 1 and 0, COUNT of 1 and NULL
		return item{agg: "count", star: true, filter: it.filter}
	case ok && it.agg != "avg" || ok && isNull: // an aggregate of a column of these rows; an average only without zeros
		it.field = f
		return it
	}
	return w.unsupportedItem("an aggregate of an expression")
}

// branches returns the condition and the two branches of CASE WHEN and IIF; rest is nil without an ELSE. For a bare condition the branches
// are 1 and 0, its values. For other expressions cond is nil.
func branches(e sqlast.Expr) (cond, then, rest sqlast.Expr) {
	one, zero := &sqlast.Literal{Text: "1"}, &sqlast.Literal{Text: "0"}
	switch x := e.(type) {
	case *sqlast.Case:
		if x.Operand == nil && len(x.Whens) == 1 {
			return x.Whens[0].Cond, x.Whens[0].Result, x.Else
		}
	case *sqlast.Call:
		if strings.EqualFold(x.Name.Name, "iif") && len(x.Args) == 3 {
			return x.Args[0], x.Args[1], x.Args[2]
		}
	case *sqlast.Binary:
		if x.Op == "AND" || x.Op == "OR" || slices.Contains(operators, x.Op) {
			return x, one, zero
		}
	case *sqlast.Like, *sqlast.In, *sqlast.Between:
		return x, one, zero
	}
	return nil, nil, nil
}

// arithmetic reads a ratio, a difference or a sum of two columns or of two aggregates, perhaps in percent. SUM(x) / COUNT(*) is read as AVG(x).
// Operands that are calculations, stars or parts of times are unsupported, except the current year minus a year, which is an age.
func (w *writer) arithmetic(p *plan, e *sqlast.Binary) item {
	percent := false
	scaled := func(e sqlast.Expr) sqlast.Expr { // without a factor of 100, which sets percent
		if b, ok := plain(e).(*sqlast.Binary); ok && b.Op == "*" && (isHundred(b.X) || isHundred(b.Y)) {
			percent = true
			if isHundred(b.X) {
				return b.Y
			}
			return b.X
		}
		return e
	}
	outer, ok := plain(scaled(e)).(*sqlast.Binary)
	if !ok || !slices.Contains([]string{"/", "-", "+"}, outer.Op) || percent && outer.Op != "/" {
		return w.unsupportedItem("arithmetic on more than two numbers")
	}
	left := outer.X
	if outer.Op == "/" {
		left = scaled(left)
	}
	if age, ok := w.age(p, outer); ok {
		return age
	}
	x, y := w.item(p, left), w.item(p, outer.Y)
	switch {
	case w.err != nil, x.calc != nil, y.calc != nil, (x.agg == "") != (y.agg == ""), x.star && x.agg == "", x.field.timePart+y.field.timePart != "":
		return w.unsupportedItem("arithmetic on more than two numbers")
	case outer.Op == "/" && !percent && x.agg == "sum" && x.filter == nil && y.filter == nil && w.countsAll(y):
		x.agg = "avg"
		return x
	case x.agg == "sum" && y.agg == "count" && y.filter == nil && !y.distinct:
		return w.unsupportedItem("a calculation on a number of values")
	case x.agg == "":
		return item{field: x.field, calc: &calculation{outer.Op, x, y, percent}}
	}
	return item{agg: outer.Op, field: x.field, calc: &calculation{outer.Op, x, y, percent}}
}

// countsAll reports whether an item counts all rows: count(*), or the count of a column that every row has.
func (w *writer) countsAll(it item) bool {
	return it.agg == "count" && !it.distinct && (it.star || w.isAlwaysKnown(it.field.ref))
}
