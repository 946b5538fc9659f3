package perturb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// condition returns a condition over recoded columns, nil for nil.
func (r *recoder) condition(x sqlast.Expr) sqlast.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *sqlast.Unary:
		if x.Op == "NOT" {
			return &sqlast.Unary{Pos: x.Pos, Op: x.Op, X: r.condition(x.X)}
		}
	case *sqlast.Binary:
		switch x.Op {
		case "AND", "OR":
			return connect(r.condition(x.X), r.condition(x.Y), x)
		case "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT":
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
	return r.plain(x).(sqlast.Expr)
}

// connect joins two conditions as x does, without the parentheses that equal
// connectives on the right would need: Spider's official parser knows none.
func connect(left, right sqlast.Expr, x *sqlast.Binary) sqlast.Expr {
	if y, ok := right.(*sqlast.Binary); ok && y.Op == x.Op {
		left, right = connect(left, y.X, x), y.Y
	}
	return &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: left, Y: right}
}

// mirrored are the comparisons with their sides exchanged, which decreasing maps
// turn them into too.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}

func (r *recoder) compare(x *sqlast.Binary) sqlast.Expr {
	cx, cy := r.coding(x.X), r.coding(x.Y)
	vx, constX := r.constant(x.X)
	vy, constY := r.constant(x.Y)
	switch {
	case cx.plain() && cy.plain():
		return &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: r.value(x.X), Y: r.value(x.Y)}
	case x.Op == "IS" || x.Op == "IS NOT":
		return r.isNull(x, cx, vy, constY)
	case constY:
		return r.withConstant(x.X, cx, x.Op, vy, x.Pos)
	case constX:
		return r.withConstant(x.Y, cy, mirrored[x.Op], vx, x.Pos)
	case !cx.same(cy):
		refuse(refusedCompared)
	case cx.width() > 1:
		return r.compareTuples(x, cx, cy)
	}
	return &sqlast.Binary{Pos: x.Pos, Op: cx.operator(x.Op), X: r.value(x.X), Y: r.value(x.Y)}
}

// operator returns the comparison of recoded values for that of values.
func (c coding) operator(op string) string {
	if op == "=" || op == "!=" {
		return op
	}
	switch c.order() {
	case 0:
		refuse(refusedOrder)
	case -1:
		return mirrored[op]
	}
	return op
}

// isNull returns IS [NOT] NULL: all columns of a value are NULL, or none.
func (r *recoder) isNull(x *sqlast.Binary, c coding, v sqldata.Value, constant bool) sqlast.Expr {
	if c.plain() || !constant || !v.IsNull() {
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

// compareTuples compares two columns of which each became several.
func (r *recoder) compareTuples(x *sqlast.Binary, cx, cy coding) sqlast.Expr {
	a, okA := x.X.(*sqlast.ColumnRef)
	b, okB := x.Y.(*sqlast.ColumnRef)
	if !okA || !okB || x.Op != "=" && x.Op != "!=" {
		refuse(refusedSeveral)
	}
	var parts []sqlast.Expr
	for i := range cx.width() {
		parts = append(parts, &sqlast.Binary{Pos: x.Pos, Op: x.Op, X: r.ref(a, cx, i), Y: r.ref(b, cy, i)})
	}
	return joined(parts, x.Op)
}

// joined says that all parts of a value are equal, or that one is not.
func joined(parts []sqlast.Expr, op string) sqlast.Expr {
	word := "AND"
	if op == "!=" {
		word = "OR"
	}
	return chain(parts, word)
}

func chain(parts []sqlast.Expr, word string) sqlast.Expr {
	out := parts[0]
	for _, p := range parts[1:] {
		out = &sqlast.Binary{Pos: p.Position(), Op: word, X: out, Y: p}
	}
	return out
}

// withConstant compares a recoded expression with a constant.
func (r *recoder) withConstant(x sqlast.Expr, c coding, op string, v sqldata.Value, at sqlast.Pos) sqlast.Expr {
	now := r.constants(x, c, v)
	if c.width() == 1 {
		return &sqlast.Binary{Pos: at, Op: c.operator(op), X: r.value(x), Y: literal(now[0], at)}
	}
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok || op != "=" && op != "!=" {
		refuse(refusedSeveral)
	}
	if c.edit.Category == TextToBooleans {
		if i, yes := c.flag(now); yes {
			// One of the columns alone says it: is_cat = 1, and is_cat = 0 for "not".
			if op == "!=" {
				now = []sqldata.Value{c.edit.otherFlag(i, now[i])}
				return &sqlast.Binary{Pos: at, Op: "=", X: r.ref(ref, c, i), Y: literal(now[0], at)}
			}
			return &sqlast.Binary{Pos: at, Op: "=", X: r.ref(ref, c, i), Y: literal(now[i], at)}
		}
	}
	var parts []sqlast.Expr
	for i, v := range now {
		parts = append(parts, &sqlast.Binary{Pos: at, Op: op, X: r.ref(ref, c, i), Y: literal(v, at)})
	}
	return joined(parts, op)
}

// constants returns what becomes of a constant that a recoded expression is
// compared with. SQLite converts it to the type of a column, but not to that of an
// aggregate.
func (r *recoder) constants(x sqlast.Expr, c coding, v sqldata.Value) []sqldata.Value {
	ref, ok := x.(*sqlast.ColumnRef)
	var now []sqldata.Value
	var err error
	switch {
	case c.number:
		var n sqldata.Value
		n, err = c.edit.Map.Linear.number(v)
		now = []sqldata.Value{n}
	case ok && r.b.Target(ref).Kind == sqlast.Column:
		now, err = c.edit.Map.constant(v, c.width())
	default:
		now, err = c.edit.Map.Apply(v, c.width())
	}
	if err != nil || v.IsNull() {
		refuse(refusedConstant)
	}
	return now
}

// flag returns the position of a column that is true for that tuple alone, while
// for all others it is false.
func (c coding) flag(tuple []sqldata.Value) (int, bool) {
	for i, v := range tuple {
		if v == sqldata.NewInt(0) {
			continue
		}
		others := map[sqldata.Value]bool{}
		count := 0
		for _, cell := range c.edit.Map.Cells {
			if cell.New[i] == v {
				count++
			} else {
				others[cell.New[i]] = true
			}
		}
		if count == 1 && len(others) == 1 {
			return i, true
		}
	}
	return 0, false
}

// otherFlag returns the value that the column at position i has beside v.
func (e *RecodeColumn) otherFlag(i int, v sqldata.Value) sqldata.Value {
	for _, cell := range e.Map.Cells {
		if cell.New[i] != v {
			return cell.New[i]
		}
	}
	return v
}

func (r *recoder) between(x *sqlast.Between) sqlast.Expr {
	cx, low, high := r.coding(x.X), x.Low, x.High
	if cx.plain() {
		if !r.coding(low).plain() || !r.coding(high).plain() {
			refuse(refusedCompared)
		}
		return &sqlast.Between{Pos: x.Pos, Not: x.Not, X: r.value(x.X), Low: r.value(low), High: r.value(high)}
	}
	if cx.width() > 1 {
		refuse(refusedSeveral)
	}
	switch cx.order() {
	case 0:
		refuse(refusedOrder)
	case -1:
		low, high = high, low
	}
	return &sqlast.Between{Pos: x.Pos, Not: x.Not, X: r.value(x.X), Low: r.operand(x.X, cx, low), High: r.operand(x.X, cx, high)}
}

// operand returns x, what an expression of the coding c is compared with: a
// constant, or an expression of the same coding.
func (r *recoder) operand(of sqlast.Expr, c coding, x sqlast.Expr) sqlast.Expr {
	if v, ok := r.constant(x); ok {
		return literal(r.constants(of, c, v)[0], x.Position())
	}
	if !r.coding(x).same(c) {
		refuse(refusedCompared)
	}
	return r.value(x)
}

func (r *recoder) in(x *sqlast.In) sqlast.Expr {
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
	case x.Table != nil && (!c.plain() || r.touches()):
		refuse(refusedCompared)
	case x.Table != nil:
		out.X, out.Table = r.value(x.X), r.plain(x.Table).(*sqlast.Table)
		return out
	case c.plain():
		out.X = r.value(x.X)
		for _, item := range x.List {
			if !r.coding(item).plain() {
				refuse(refusedCompared)
			}
			out.List = append(out.List, r.value(item))
		}
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

// inTuples writes a list of values of which each became several as comparisons
// one by one: SQL has tuples for it, Spider's grammar has not.
func (r *recoder) inTuples(x *sqlast.In, c coding) sqlast.Expr {
	op, word := "=", "OR"
	if x.Not {
		op, word = "!=", "AND"
	}
	var parts []sqlast.Expr
	for _, item := range x.List {
		v, ok := r.constant(item)
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

// constant returns the value of a literal.
func (r *recoder) constant(x sqlast.Expr) (sqldata.Value, bool) {
	switch x := x.(type) {
	case *sqlast.ColumnRef:
		if t := r.b.Target(x); t.Kind == sqlast.String {
			return sqldata.NewText(t.Name), true
		}
	case *sqlast.Literal:
		switch x.Kind {
		case sqlast.StringLiteral:
			return sqldata.NewText(x.Text), true
		case sqlast.NumberLiteral:
			return number(x.Text)
		case sqlast.NullLiteral:
			return sqldata.Value{}, true
		}
	case *sqlast.Unary:
		if l, ok := x.X.(*sqlast.Literal); ok && x.Op == "-" && l.Kind == sqlast.NumberLiteral {
			return number("-" + l.Text)
		}
	}
	return sqldata.Value{}, false
}

// literal writes a value as SQL. Text with a single quote goes into double ones,
// as in Spider, whose tokenizer knows no doubled quotes.
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
