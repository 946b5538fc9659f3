package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// anyValue is the form of every constant but NULL.
const anyValue = "?"

// exprForm returns the form of an expression; "" for nil.
func (f *former) exprForm(x sqlast.Expr) string {
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
		return f.columnForm(x)
	case *sqlast.Star:
		return f.starForm(x)
	case *sqlast.Call:
		return f.callForm(x)
	case *sqlast.Subquery:
		return f.nestedForm(x.Query, false)
	case *sqlast.Unary:
		if x.Op != "NOT" {
			v := f.exprForm(x.X)
			if v == anyValue {
				return v
			}
			return f.join(x.Op, "(", v, ")")
		}
	case *sqlast.Binary:
		if !isCondition(x.Op) {
			l, r := f.exprForm(x.X), f.exprForm(x.Y)
			if l == anyValue && r == anyValue {
				return anyValue
			}
			if commutes := x.Op == "+" || x.Op == "*"; commutes && r < l {
				l, r = r, l
			}
			return f.join("(", l, x.Op, r, ")")
		}
	case *sqlast.Tuple:
		return f.join("(", f.exprList(x.Items), ")")
	case *sqlast.Cast:
		return f.join("CAST(", f.exprForm(x.X), " ", strings.ToLower(x.Type), ")")
	case *sqlast.Collate:
		return f.join(f.exprForm(x.X), " COLLATE ", strings.ToLower(x.Collation.Name))
	case *sqlast.Case:
		return f.caseForm(x)
	}
	// All other expressions are conditions, here used as a value.
	defer f.setFilter(false)()
	return f.condition(x, false).text(f)
}

// isCondition reports whether a binary operator gives true or false.
func isCondition(op string) bool {
	switch op {
	case "<<", ">>", "&", "|", "+", "-", "*", "/", "%", "||", "->", "->>":
		return false
	}
	return true
}

// exprList returns the forms of several expressions in their order.
func (f *former) exprList(list []sqlast.Expr) string {
	return f.list(lists.Map(list, f.exprForm))
}

// columnForm returns the form of a column: the name of its class, or else of its table and column, after
// a "^" for each query between the column and its table.
func (f *former) columnForm(x *sqlast.ColumnRef) string {
	t, inlined := f.resolveRef(x)
	if inlined != nil {
		return f.exprForm(inlined)
	}
	switch t.Kind {
	case sqlast.String: // a name in double quotes that is a value
		return anyValue
	case sqlast.Alias:
		return f.exprForm(t.Result.Expr)
	}
	key := f.columnKey(t)
	n := f.names[key.source]
	text := n.text + "." + key.column
	if c := f.classes[key]; c != nil {
		text = c.text
	}
	return f.join(strings.Repeat("^", max(0, f.depth-n.depth)), text)
}

// starForm returns "*", or the form of t.* if FROM has further tables.
func (f *former) starForm(x *sqlast.Star) string {
	if targets := f.b.Star(x); !x.Table.IsZero() && len(targets) > 0 && len(f.sources) > 1 {
		return f.join(f.names[targets[0].Source].text, ".*")
	}
	return "*"
}

// callForm returns the form of a call with all its clauses.
func (f *former) callForm(x *sqlast.Call) string {
	text := f.join(strings.ToLower(x.Name.Name), "(", f.argumentForm(x), ")")
	if x.Filter != nil {
		text = f.join(text, " FILTER ", f.condition(x.Filter, false).text(f))
	}
	if len(x.OrderBy) > 0 {
		text = f.join(text, " ORDER ", f.orderTerms(x.OrderBy))
	}
	if x.Over != nil {
		text = f.join(text, " OVER ", f.windowForm(x.Over))
	}
	return text
}

// windowForm returns the form of a window, whose frame is as it is written.
func (f *former) windowForm(w *sqlast.Window) string {
	frame := ""
	if w.Frame != nil {
		frame = sqlast.Format(w.Frame)
	}
	return f.join(strings.ToLower(w.Name.Name), "(", strings.ToLower(w.Base.Name), " ", f.exprList(w.PartitionBy), " ORDER ", f.orderTerms(w.OrderBy), " ", frame, ")")
}

// argumentForm returns the form of the arguments of a function. DISTINCT changes nothing in min
// and max.
func (f *former) argumentForm(x *sqlast.Call) string {
	switch {
	case f.countsRows(x):
		return "*"
	case x.Distinct && !x.Name.Is("min") && !x.Name.Is("max"):
		return f.join("DISTINCT ", f.exprList(x.Args))
	}
	return f.exprList(x.Args)
}

// isConstant reports whether an expression is a constant other than NULL.
func isConstant(x sqlast.Expr) bool {
	l, ok := x.(*sqlast.Literal)
	return ok && l.Kind != sqlast.NullLiteral
}

// orderTerms returns the form of ORDER BY within a call or window.
func (f *former) orderTerms(list []*sqlast.OrderTerm) string {
	return f.list(lists.Map(list, func(t *sqlast.OrderTerm) string {
		form := f.exprForm(t.Expr)
		if t.Dir == sqlast.Desc {
			form += " desc"
		}
		if t.Nulls != "" {
			form += " nulls " + t.Nulls
		}
		return form
	}))
}

// withoutAggregate returns the form of a result column without its aggregate.
func (f *former) withoutAggregate(x sqlast.Expr) string {
	if c, ok := x.(*sqlast.Call); ok && c.Over == nil && isAggregate(c) {
		return f.argumentForm(c)
	}
	return f.exprForm(x)
}

// caseForm returns the form of CASE.
func (f *former) caseForm(x *sqlast.Case) string {
	parts := []string{"CASE ", f.exprForm(x.Operand)}
	for _, w := range x.Whens {
		parts = append(parts, " WHEN ", f.exprForm(w.Cond), " THEN ", f.exprForm(w.Result))
	}
	return f.join(append(parts, " ELSE ", f.exprForm(x.Else), " END")...)
}

// keyForm returns the form of a term of GROUP BY or ORDER BY. A number refers to the result column with
// that number, from 1. For a set operation, places gives the place of each result column in the sorted select
// list (see alignColumns), and a term that names such a column becomes "#" and its place. For other queries places is nil.
func (f *former) keyForm(s *sqlast.Select, x sqlast.Expr, places []int) string {
	i := columnNumber(s, x)
	if ref, ok := x.(*sqlast.ColumnRef); ok && places != nil {
		t := f.b.Target(ref)
		i = slices.IndexFunc(s.Columns, func(c *sqlast.ResultColumn) bool { return c == t.Result || f.exprForm(c.Expr) == f.exprForm(x) })
	}
	switch {
	case i < 0:
		return f.exprForm(x)
	case places != nil:
		return f.checkSize("#" + strconv.Itoa(places[i]))
	}
	return f.exprForm(s.Columns[i].Expr)
}
