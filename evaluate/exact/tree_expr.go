package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// anyValue is the form of every constant but NULL.
const anyValue = "?"

// expr returns the form of an expression; "" for nil.
func (f *former) expr(x sqlast.Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *sqlast.Literal:
		if x.Kind == sqlast.NullLiteral {
			return "NULL"
		}
		return anyValue
	case *sqlast.Param:
		return anyValue
	case *sqlast.ColumnRef:
		return f.columnRef(x)
	case *sqlast.Star:
		return f.star(x)
	case *sqlast.Call:
		return f.call(x)
	case *sqlast.Subquery:
		return f.nested(x.Query, false)
	case *sqlast.Unary:
		if x.Op != "NOT" {
			v := f.expr(x.X)
			if v == anyValue {
				return v
			}
			return f.join(x.Op, "(", v, ")")
		}
	case *sqlast.Binary:
		if !logical(x.Op) {
			l, r := f.expr(x.X), f.expr(x.Y)
			if l == anyValue && r == anyValue {
				return anyValue
			}
			if commutes := x.Op == "+" || x.Op == "*"; commutes && r < l {
				l, r = r, l
			}
			return f.join("(", l, x.Op, r, ")")
		}
	case *sqlast.Tuple:
		return f.join("(", f.exprs(x.Items), ")")
	case *sqlast.Cast:
		return f.join("CAST(", f.expr(x.X), " ", strings.ToLower(x.Type), ")")
	case *sqlast.Collate:
		return f.join(f.expr(x.X), " COLLATE ", strings.ToLower(x.Collation.Name))
	case *sqlast.Case:
		return f.caseOf(x)
	}
	// All other expressions are conditions, here used as a value.
	filter := f.filter
	f.filter = false
	defer func() { f.filter = filter }()
	return f.cond(x, false).text(f)
}

// logical reports whether an operator gives true or false.
func logical(op string) bool {
	switch op {
	case "<<", ">>", "&", "|", "+", "-", "*", "/", "%", "||", "->", "->>":
		return false
	}
	return true
}

// exprs returns the forms of several expressions in their order.
func (f *former) exprs(list []sqlast.Expr) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, f.expr(x))
	}
	return f.list(parts)
}

// columnRef returns the form of a column: the name of its class or else of its table and
// itself, with a "^" for each query between it and its table.
func (f *former) columnRef(x *sqlast.ColumnRef) string {
	t, inlined := f.origin(x)
	if inlined != nil {
		return f.expr(inlined)
	}
	switch t.Kind {
	case sqlast.String:
		return anyValue
	case sqlast.Alias:
		return f.expr(t.Result.Expr)
	}
	key := f.columnKey(t)
	n := f.names[key.source]
	text := n.text + "." + key.column
	if c := f.classes[key]; c != nil {
		text = c.text
	}
	return f.join(strings.Repeat("^", max(0, f.depth-n.depth)), text)
}

// star returns "*", or the form of t.* if FROM has further tables.
func (f *former) star(x *sqlast.Star) string {
	if targets := f.b.Star(x); !x.Table.IsZero() && len(targets) > 0 && len(f.sources) > 1 {
		return f.join(f.names[targets[0].Source].text, ".*")
	}
	return "*"
}

// call returns the form of a call with all its clauses.
func (f *former) call(x *sqlast.Call) string {
	text := f.join(strings.ToLower(x.Name.Name), "(", f.arguments(x), ")")
	if x.Filter != nil {
		text = f.join(text, " FILTER ", f.cond(x.Filter, false).text(f))
	}
	if len(x.OrderBy) > 0 {
		text = f.join(text, " ORDER ", f.terms(x.OrderBy))
	}
	if x.Over != nil {
		text = f.join(text, " OVER ", f.window(x.Over))
	}
	return text
}

// window returns the form of a window, whose frame is as it is written.
func (f *former) window(w *sqlast.Window) string {
	frame := ""
	if w.Frame != nil {
		frame = sqlast.Format(w.Frame)
	}
	return f.join(strings.ToLower(w.Name.Name), "(", strings.ToLower(w.Base.Name), " ", f.exprs(w.PartitionBy), " ORDER ", f.terms(w.OrderBy), " ", frame, ")")
}

// arguments returns the form of the arguments of a function. DISTINCT changes nothing in min
// and max.
func (f *former) arguments(x *sqlast.Call) string {
	switch {
	case f.countsRows(x):
		return "*"
	case x.Distinct && !x.Name.Is("min") && !x.Name.Is("max"):
		return f.join(distinctWord(true), f.exprs(x.Args))
	}
	return f.exprs(x.Args)
}

// isConstant reports whether an expression is a constant other than NULL.
func isConstant(x sqlast.Expr) bool {
	l, ok := x.(*sqlast.Literal)
	return ok && l.Kind != sqlast.NullLiteral
}

// terms returns the form of ORDER BY within a call or window.
func (f *former) terms(list []*sqlast.OrderTerm) string {
	var parts []string
	for _, t := range list {
		dir := ""
		if t.Dir == sqlast.Desc {
			dir = " desc"
		}
		parts = append(parts, f.expr(t.Expr)+dir)
	}
	return f.list(parts)
}

// bare returns the form of a result column without its aggregate.
func (f *former) bare(x sqlast.Expr) string {
	if c, ok := x.(*sqlast.Call); ok && c.Over == nil && aggregates(c) {
		return f.arguments(c)
	}
	return f.expr(x)
}

// caseOf returns the form of CASE.
func (f *former) caseOf(x *sqlast.Case) string {
	parts := []string{"CASE ", f.expr(x.Operand)}
	for _, w := range x.Whens {
		parts = append(parts, " WHEN ", f.expr(w.Cond), " THEN ", f.expr(w.Result))
	}
	return f.join(append(parts, " ELSE ", f.expr(x.Else), " END")...)
}

// key returns the form of a term of GROUP BY or ORDER BY; for a number, that of the result
// column that it numbers. For a set operation, places gives the place of each result column,
// and a term that names such a column becomes "#" and its place.
func (f *former) key(s *sqlast.Select, x sqlast.Expr, places []int) string {
	at := columnNumber(s, x)
	if ref, ok := x.(*sqlast.ColumnRef); ok && places != nil {
		t := f.b.Target(ref)
		at = slices.IndexFunc(s.Columns, func(c *sqlast.ResultColumn) bool { return c == t.Result || f.expr(c.Expr) == f.expr(x) })
	}
	switch {
	case at < 0:
		return f.expr(x)
	case places != nil:
		return f.add("#" + strconv.Itoa(places[at]))
	}
	return f.expr(s.Columns[at].Expr)
}
