package recode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// condition returns a condition over recoded columns, nil for nil.
func (r *Rewriter) condition(x sqlast.Expr) sqlast.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *sqlast.Unary:
		if x.Op == "NOT" {
			return &sqlast.Unary{Pos: x.Pos, Op: x.Op, X: r.condition(x.X)}
		}
	case *sqlast.Binary:
		switch {
		case isConnective(x.Op):
			return connect(r.condition(x.X), r.condition(x.Y), x)
		case sqlast.Mirrored(x.Op) != "":
			return r.compare(x)
		}
	case *sqlast.Between:
		return r.between(x)
	case *sqlast.In:
		return r.in(x)
	case *sqlast.Like:
		return r.like(x)
	case *sqlast.Exists:
		return &sqlast.Exists{Pos: x.Pos, Query: r.query(x.Query)}
	}
	if !r.coding(x).plain() { // a truth value by itself
		refuse(refusedComputed)
	}
	return r.copyPlain(x).(sqlast.Expr)
}

// connect joins two conditions as x does, without the parentheses that equal
// connectives on the right would need: Spider's official parser knows none.
func connect(left, right sqlast.Expr, x *sqlast.Binary) sqlast.Expr {
	if y, ok := right.(*sqlast.Binary); ok && y.Op == x.Op {
		left, right = connect(left, y.X, x), y.Y
	}
	return &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: left, Y: right}
}

// compare returns a comparison over recoded columns: of a column with a constant, or of two
// expressions of equal coding.
func (r *Rewriter) compare(x *sqlast.Binary) sqlast.Expr {
	cx, cy := r.coding(x.X), r.coding(x.Y)
	vx, constX := Constant(r.b, x.X)
	vy, constY := Constant(r.b, x.Y)
	null := strings.HasPrefix(x.Op, "IS")
	switch {
	case cx.plain() && cy.plain():
		return &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: r.value(x.X), Y: r.value(x.Y)}
	case null && constY:
		return r.isNull(x, cx, vy)
	case constY:
		return r.withConstant(x.X, cx, x.Op, vy, x.Pos)
	case constX && !null:
		return r.withConstant(x.Y, cy, sqlast.Mirrored(x.Op), vx, x.Pos)
	case null, !cx.same(cy):
		refuse(refusedCompared)
	case cx.width() > 1:
		return r.compareTuples(x, cx, cy)
	}
	return &sqlast.Binary{Pos: x.Pos, Op: cx.operator(x.Op), X: r.value(x.X), Y: r.value(x.Y)}
}

// isEquality reports whether every one-to-one map preserves a comparison.
func isEquality(op string) bool { return slices.Contains([]string{"=", "!="}, op) }

// operator returns the comparison of recoded values that replaces op: "<" becomes ">" under a
// decreasing map.
func (c coding) operator(op string) string {
	if isEquality(op) {
		return op
	}
	switch c.order() {
	case 0:
		refuse(refusedOrder)
	case -1:
		return sqlast.Mirrored(op)
	}
	return op
}

// isNull returns IS [NOT] NULL: all columns of a value are NULL, or none.
func (r *Rewriter) isNull(x *sqlast.Binary, c coding, v sqldata.Value) sqlast.Expr {
	if c.plain() || !v.IsNull() {
		refuse(refusedCompared)
	}
	out := &sqlast.Binary{Pos: x.Pos, Op: x.Op, Y: sqlast.Clone(x.Y)}
	if ref, ok := x.X.(*sqlast.ColumnRef); ok {
		out.X = r.ref(ref, c, 0)
	} else {
		out.X = r.value(x.X)
	}
	return out
}

// compareTuples compares two columns that several columns each replace: "a = b" becomes "a1 = b1
// AND a2 = b2".
func (r *Rewriter) compareTuples(x *sqlast.Binary, cx, cy coding) sqlast.Expr {
	as, bs := r.parts(x.X, cx, x.Op), r.parts(x.Y, cy, x.Op)
	for i := range as {
		as[i] = &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: as[i], Y: bs[i]}
	}
	return connectParts(as, x.Op)
}

// parts returns the columns that replace a column, to compare each by op. Only equality can be
// split.
func (r *Rewriter) parts(x sqlast.Expr, c coding, op string) []sqlast.Expr {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok || !isEquality(op) {
		refuse(refusedSeveral)
	}
	return r.refs(ref, c)
}

// connectParts connects comparisons of the parts of a value: AND for "=", as all must be equal, and OR
// for "!=".
func connectParts(parts []sqlast.Expr, op string) sqlast.Expr {
	word := "AND"
	if op == "!=" {
		word = "OR"
	}
	return chain(parts, word)
}

// chain connects conditions by AND or OR, from left to right.
func chain(parts []sqlast.Expr, word string) sqlast.Expr {
	out := parts[0]
	for _, p := range parts[1:] {
		out = &sqlast.Binary{Pos: p.Position(), Op: word, X: out, Y: p}
	}
	return out
}

// withConstant compares a recoded expression with a constant: "name = 'Ann Lee'" becomes "fname =
// 'Ann' AND lname = 'Lee'".
func (r *Rewriter) withConstant(x sqlast.Expr, c coding, op string, v sqldata.Value, at sqlast.Pos) sqlast.Expr {
	now := r.constants(x, c, v)
	if c.width() == 1 {
		return &sqlast.Binary{Pos: at, Op: c.operator(op), X: r.value(x), Y: literal(now[0], at)}
	}
	parts := r.parts(x, c, op)
	equals := func(i int, op string, v sqldata.Value) sqlast.Expr {
		return &sqlast.Binary{Pos: at, Op: op, X: parts[i], Y: literal(v, at)}
	}
	if i, other, ok := c.flag(now); ok {
		// One column is enough: is_cat = 1, and is_cat = 0 for "not".
		if op == "!=" {
			return equals(i, "=", other)
		}
		return equals(i, "=", now[i])
	}
	for i, v := range now {
		parts[i] = equals(i, op, v)
	}
	return connectParts(parts, op)
}

// constants returns the new values of a constant that is compared with a recoded expression.
// SQLite converts the constant to the type of a column, but not to that of an aggregate.
func (r *Rewriter) constants(x sqlast.Expr, c coding, v sqldata.Value) []sqldata.Value {
	apply := c.apply
	if ref, ok := x.(*sqlast.ColumnRef); ok && r.b.Target(ref).Kind == sqlast.Column {
		apply = func(v sqldata.Value) ([]sqldata.Value, error) { return c.recoding.Map.constant(v, c.width()) }
	}
	now, err := apply(v)
	if err != nil || v.IsNull() {
		refuse(refusedConstant)
	}
	return now
}

// flag returns the position of a column that is true for that tuple alone, and its value for all
// others (other).
func (c coding) flag(tuple []sqldata.Value) (i int, other sqldata.Value, ok bool) {
	if c.recoding.Category != TextToBooleans {
		return 0, other, false
	}
	for i, v := range tuple {
		count, others := 0, map[sqldata.Value]bool{}
		for _, cell := range c.recoding.Map.Cells {
			if cell.New[i] == v {
				count++
				continue
			}
			other = cell.New[i]
			others[other] = true
		}
		if count == 1 && len(others) == 1 && v != sqldata.NewInt(0) {
			return i, other, true
		}
	}
	return 0, other, false
}

// between returns BETWEEN over a recoded column. A decreasing map swaps the bounds.
func (r *Rewriter) between(x *sqlast.Between) sqlast.Expr {
	c := r.coding(x.X)
	out := &sqlast.Between{Pos: x.Pos, Not: x.Not}
	low, high := x.Low, x.High
	switch {
	case c.width() > 1:
		refuse(refusedSeveral)
	case c.order() == 0:
		refuse(refusedOrder)
	case c.order() < 0:
		low, high = high, low
	}
	out.X, out.Low, out.High = r.value(x.X), r.operand(x.X, c, low), r.operand(x.X, c, high)
	return out
}

// operand returns x, which is compared with an expression of coding c: a constant or an
// expression of the same coding.
func (r *Rewriter) operand(of sqlast.Expr, c coding, x sqlast.Expr) sqlast.Expr {
	v, ok := Constant(r.b, x)
	switch {
	case ok && !c.plain():
		return literal(r.constants(of, c, v)[0], x.Position())
	case !r.coding(x).same(c):
		refuse(refusedCompared)
	}
	return r.value(x)
}

// in returns IN over a recoded column: with a query, a table or a list.
func (r *Rewriter) in(x *sqlast.In) sqlast.Expr {
	c := r.coding(x.X)
	out := &sqlast.In{Pos: x.Pos, Not: x.Not}
	switch {
	case x.Query != nil:
		codes := r.outputs(x.Query)
		if slices.ContainsFunc(codes, func(o coding) bool { return !o.same(c) }) {
			refuse(refusedCompared)
		}
		out.X, out.Query = r.value(x.X), r.query(x.Query)
		return out
	case x.Table != nil:
		if !c.plain() || r.readsRecoded() {
			refuse(refusedCompared)
		}
		out.X, out.Table = r.value(x.X), r.copyPlain(x.Table).(*sqlast.Table)
		return out
	case c.width() > 1:
		return r.inTuples(x, c)
	}
	out.X = r.value(x.X)
	for _, item := range x.List {
		out.List = append(out.List, r.operand(x.X, c, item))
	}
	return out
}

// inTuples returns IN over a column that several columns replace, as comparisons connected by OR,
// or by AND for NOT IN. SQL has tuples for that, Spider's grammar has not.
func (r *Rewriter) inTuples(x *sqlast.In, c coding) sqlast.Expr {
	op, word := "=", "OR"
	if x.Not {
		op, word = "!=", "AND"
	}
	var parts []sqlast.Expr
	for _, item := range x.List {
		v, ok := Constant(r.b, item)
		if !ok {
			refuse(refusedCompared)
		}
		parts = append(parts, r.withConstant(x.X, c, op, v, x.Pos))
	}
	if len(parts) == 0 {
		refuse(refusedConstant)
	}
	return chain(parts, word)
}

// literal returns a value as SQL. Text with a single quote goes into double quotes, as in Spider,
// whose tokenizer knows no doubled quotes.
func literal(v sqldata.Value, at sqlast.Pos) sqlast.Expr {
	if v.Kind() == sqldata.Text {
		if strings.Contains(v.Bytes(), "'") && !strings.Contains(v.Bytes(), `"`) {
			return &sqlast.ColumnRef{Pos: at, Column: sqlast.Ident{Name: v.Bytes(), Quote: '"'}}
		}
		return &sqlast.Literal{Pos: at, Kind: sqlast.StringLiteral, Text: v.Bytes()}
	}
	text := v.String()
	if v.Kind() == sqldata.Real {
		text = strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		return &sqlast.Unary{Pos: at, Op: "-", X: &sqlast.Literal{Pos: at, Kind: sqlast.NumberLiteral, Text: digits}}
	}
	return &sqlast.Literal{Pos: at, Kind: sqlast.NumberLiteral, Text: text}
}

// Constant returns the value of a literal of a query, NULL among them, and false for any other
// expression.
func Constant(b *sqlast.Binding, e sqlast.Expr) (sqldata.Value, bool) {
	l := b.Literal(e)
	if l == nil {
		return sqldata.Value{}, false
	}
	switch l.Kind {
	case sqlast.StringLiteral:
		return sqldata.NewText(l.Text), true
	case sqlast.NumberLiteral:
		return sqldata.ParseNumber(l.Text)
	}
	return sqldata.Value{}, l.Kind == sqlast.NullLiteral
}
