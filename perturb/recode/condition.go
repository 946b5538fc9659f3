package recode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// rewriteCondition returns a condition for the columns after the edits, nil for nil.
func (r *Rewriter) rewriteCondition(x sqlast.Expr) sqlast.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *sqlast.Unary:
		if x.Op == "NOT" {
			return &sqlast.Unary{Pos: x.Pos, Op: x.Op, X: r.rewriteCondition(x.X)}
		}
	case *sqlast.Binary:
		switch {
		case isConnective(x.Op):
			return connect(r.rewriteCondition(x.X), r.rewriteCondition(x.Y), x)
		case sqlast.Mirrored(x.Op) != "":
			return r.rewriteComparison(x)
		}
	case *sqlast.Between:
		return r.rewriteBetween(x)
	case *sqlast.In:
		return r.rewriteIn(x)
	case *sqlast.Like:
		return r.rewriteLike(x)
	case *sqlast.Exists:
		return &sqlast.Exists{Pos: x.Pos, Query: r.rewriteQuery(x.Query)}
	}
	if !r.coding(x).unchanged() { // a column used as a truth value
		panic(refusal(refusedComputed))
	}
	return r.copyUnrecoded(x).(sqlast.Expr)
}

// connect joins two conditions as x does, without the parentheses that equal
// connectives on the right would need: Spider's official parser knows none.
func connect(left, right sqlast.Expr, x *sqlast.Binary) sqlast.Expr {
	if y, ok := right.(*sqlast.Binary); ok && y.Op == x.Op {
		left, right = connect(left, y.X, x), y.Y
	}
	return &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: left, Y: right}
}

// rewriteComparison returns a comparison for the columns after the edits. It compares a recoded
// expression with a constant, or two expressions whose values map alike, and refuses any other.
func (r *Rewriter) rewriteComparison(x *sqlast.Binary) sqlast.Expr {
	cx, cy := r.coding(x.X), r.coding(x.Y)
	valueX, constX := Constant(r.binding, x.X)
	valueY, constY := Constant(r.binding, x.Y)
	isTest := strings.HasPrefix(x.Op, "IS") // IS, IS NOT
	switch {
	case cx.unchanged() && cy.unchanged():
		return &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: r.rewriteScalar(x.X), Y: r.rewriteScalar(x.Y)}
	case isTest && constY:
		return r.rewriteIsNull(x, cx, valueY)
	case constY:
		return r.compareWithConstant(x.X, cx, x.Op, valueY, x.Pos)
	case constX && !isTest:
		return r.compareWithConstant(x.Y, cy, sqlast.Mirrored(x.Op), valueX, x.Pos)
	case isTest, !cx.sameMapping(cy):
		panic(refusal(refusedCompared))
	case cx.width() > 1:
		return r.compareTuples(x, cx, cy)
	}
	return &sqlast.Binary{Pos: x.Pos, Op: cx.mappedOperator(x.Op), X: r.rewriteScalar(x.X), Y: r.rewriteScalar(x.Y)}
}

// isEquality reports whether an operator compares for equality, which every one-to-one map preserves.
func isEquality(op string) bool { return slices.Contains([]string{"=", "!="}, op) }

// mappedOperator returns the comparison of recoded values that replaces op: "<" becomes ">" under a
// decreasing map. It refuses a comparison by order under a map that keeps no order.
func (c coding) mappedOperator(op string) string {
	if isEquality(op) {
		return op
	}
	switch c.order() {
	case 0:
		panic(refusal(refusedOrder))
	case -1:
		return sqlast.Mirrored(op)
	}
	return op
}

// rewriteIsNull returns IS [NOT] NULL for a recoded expression. It tests the first new column, as
// all of them are NULL or none. v is the constant on the right, which must be NULL.
func (r *Rewriter) rewriteIsNull(x *sqlast.Binary, c coding, v sqldata.Value) sqlast.Expr {
	if c.unchanged() || !v.IsNull() {
		panic(refusal(refusedCompared))
	}
	out := &sqlast.Binary{Pos: x.Pos, Op: x.Op, Y: sqlast.Clone(x.Y)}
	if ref, ok := x.X.(*sqlast.ColumnRef); ok {
		out.X = r.newColumnRef(ref, c, 0)
	} else {
		out.X = r.rewriteScalar(x.X)
	}
	return out
}

// compareTuples compares two columns that several columns each replace: "a = b" becomes "a1 = b1
// AND a2 = b2".
func (r *Rewriter) compareTuples(x *sqlast.Binary, cx, cy coding) sqlast.Expr {
	left, right := r.parts(x.X, cx, x.Op), r.parts(x.Y, cy, x.Op)
	for i := range left {
		left[i] = &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: left[i], Y: right[i]}
	}
	return connectParts(left, x.Op)
}

// parts returns the columns that replace a column, to compare each by op. It refuses other
// operators than equality, which cannot be split.
func (r *Rewriter) parts(x sqlast.Expr, c coding, op string) []sqlast.Expr {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok || !isEquality(op) {
		panic(refusal(refusedSeveral))
	}
	return r.newColumnRefs(ref, c)
}

// connectParts connects comparisons of the parts of a value: AND for "=", as all must be equal, and OR
// for "!=".
func connectParts(parts []sqlast.Expr, op string) sqlast.Expr {
	if op == "!=" {
		return connectAll(parts, "OR")
	}
	return connectAll(parts, "AND")
}

// connectAll connects conditions by a connective, AND or OR, from left to right.
func connectAll(parts []sqlast.Expr, connective string) sqlast.Expr {
	out := parts[0]
	for _, p := range parts[1:] {
		out = &sqlast.Binary{Pos: p.Position(), Op: connective, X: out, Y: p}
	}
	return out
}

// compareWithConstant compares a recoded expression x of coding c with a constant v, at a position of
// the query: "name = 'Ann Lee'" becomes "fname = 'Ann' AND lname = 'Lee'".
func (r *Rewriter) compareWithConstant(x sqlast.Expr, c coding, op string, v sqldata.Value, at sqlast.Pos) sqlast.Expr {
	mapped := r.newConstants(x, c, v)
	if c.width() == 1 {
		return &sqlast.Binary{Pos: at, Op: c.mappedOperator(op), X: r.rewriteScalar(x), Y: literal(mapped[0], at)}
	}
	parts := r.parts(x, c, op)
	equals := func(i int, op string, v sqldata.Value) sqlast.Expr {
		return &sqlast.Binary{Pos: at, Op: op, X: parts[i], Y: literal(v, at)}
	}
	if i, other, ok := c.flagColumn(mapped); ok {
		// One column is enough: is_cat = 1, and is_cat = 0 for "not".
		if op == "!=" {
			return equals(i, "=", other)
		}
		return equals(i, "=", mapped[i])
	}
	for i, v := range mapped {
		parts[i] = equals(i, op, v)
	}
	return connectParts(parts, op)
}

// newConstants returns the new values of a constant that is compared with a recoded expression.
// SQLite converts the constant to the type of a column, but not to that of an aggregate.
func (r *Rewriter) newConstants(x sqlast.Expr, c coding, v sqldata.Value) []sqldata.Value {
	apply := c.apply
	if ref, ok := x.(*sqlast.ColumnRef); ok && r.binding.Target(ref).Kind == sqlast.Column {
		apply = func(v sqldata.Value) ([]sqldata.Value, error) { return c.recoding.Map.constant(v, c.width()) }
	}
	now, err := apply(v)
	if err != nil || v.IsNull() {
		panic(refusal(refusedConstant))
	}
	return now
}

// flagColumn returns the position of a boolean column that is true for this tuple of new values
// alone, and the value that the column has for all other tuples (other).
func (c coding) flagColumn(tuple []sqldata.Value) (i int, other sqldata.Value, ok bool) {
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
		// All other tuples have one value here, and v is true.
		if count == 1 && len(others) == 1 && v != sqldata.NewInt(0) {
			return i, other, true
		}
	}
	return 0, other, false
}

// rewriteBetween returns BETWEEN over a recoded column. A decreasing map swaps the bounds. It refuses a
// column that several replace, and a map that keeps no order.
func (r *Rewriter) rewriteBetween(x *sqlast.Between) sqlast.Expr {
	c := r.coding(x.X)
	out := &sqlast.Between{Pos: x.Pos, Not: x.Not}
	low, high := x.Low, x.High
	switch {
	case c.width() > 1:
		panic(refusal(refusedSeveral))
	case c.order() == 0:
		panic(refusal(refusedOrder))
	case c.order() < 0:
		low, high = high, low
	}
	out.X, out.Low, out.High = r.rewriteScalar(x.X), r.rewriteOperand(x.X, c, low), r.rewriteOperand(x.X, c, high)
	return out
}

// rewriteOperand returns x, the bound or list element that an expression of coding c (compared) is compared with,
// for the columns after the edits. It refuses x unless it is a constant or an expression whose values map alike.
func (r *Rewriter) rewriteOperand(compared sqlast.Expr, c coding, x sqlast.Expr) sqlast.Expr {
	v, ok := Constant(r.binding, x)
	switch {
	case ok && !c.unchanged():
		return literal(r.newConstants(compared, c, v)[0], x.Position()) // one value: callers do not pass a coding of several columns
	case !r.coding(x).sameMapping(c):
		panic(refusal(refusedCompared))
	}
	return r.rewriteScalar(x)
}

// rewriteIn returns IN over a recoded column: with a query, a table or a list. It refuses a query
// whose values map otherwise, and a table that may be recoded.
func (r *Rewriter) rewriteIn(x *sqlast.In) sqlast.Expr {
	c := r.coding(x.X)
	out := &sqlast.In{Pos: x.Pos, Not: x.Not}
	switch {
	case x.Query != nil:
		codes := r.resultCodings(x.Query)
		if slices.ContainsFunc(codes, func(o coding) bool { return !o.sameMapping(c) }) {
			panic(refusal(refusedCompared))
		}
		out.X, out.Query = r.rewriteScalar(x.X), r.rewriteQuery(x.Query)
		return out
	case x.Table != nil:
		if !c.unchanged() || r.readsRecoded() {
			panic(refusal(refusedCompared))
		}
		out.X, out.Table = r.rewriteScalar(x.X), r.copyUnrecoded(x.Table).(*sqlast.Table)
		return out
	case c.width() > 1:
		return r.inTuples(x, c)
	}
	out.X = r.rewriteScalar(x.X)
	out.List = lists.Map(x.List, func(item sqlast.Expr) sqlast.Expr { return r.rewriteOperand(x.X, c, item) })
	return out
}

// inTuples returns IN over a column that several columns replace, as comparisons connected by OR,
// or by AND for NOT IN. SQL has tuples for that, Spider's grammar has not.
func (r *Rewriter) inTuples(x *sqlast.In, c coding) sqlast.Expr {
	op, connective := "=", "OR"
	if x.Not {
		op, connective = "!=", "AND"
	}
	var parts []sqlast.Expr
	for _, item := range x.List {
		v, ok := Constant(r.binding, item)
		if !ok {
			panic(refusal(refusedCompared))
		}
		parts = append(parts, r.compareWithConstant(x.X, c, op, v, x.Pos))
	}
	if len(parts) == 0 {
		panic(refusal(refusedConstant))
	}
	return connectAll(parts, connective)
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
