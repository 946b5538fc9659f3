package perturb

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Literals returns the constants that the gold SQL of the examples compares columns with, those
// of each query in a group of their own. Generated content includes them, so that predicates find
// rows.
func Literals(examples []*Example) []generate.Literal {
	var out []generate.Literal
	for i, ex := range examples {
		l := literals{binding: ex.Binding, group: i}
		for n := range sqlast.All[sqlast.Node](ex.Gold) {
			for _, c := range sqlast.Comparisons(n) {
				l.compare(c.X, c.Y)
			}
		}
		out = append(out, l.found...)
	}
	return out
}

// literals collects the constants of one query.
type literals struct {
	binding *sqlast.Binding
	group   int
	found   []generate.Literal
}

// compare adds the constant value if column is a base column or a call of one argument, such as an
// aggregate, over one. The wildcards of a pattern are dropped: what is left matches the pattern.
func (l *literals) compare(column, value sqlast.Expr) {
	if call, ok := column.(*sqlast.Call); ok && len(call.Args) == 1 {
		column = call.Args[0]
	}
	base, v := l.binding.Column(column), l.constant(value)
	if base.Column != "" && !v.IsNull() {
		l.found = append(l.found, generate.Literal{Table: base.Table, Column: base.Column, Value: v, Group: l.group})
	}
}

// constant returns the value of an unsigned constant, without the wildcards of a pattern, and NULL for
// any other expression.
func (l *literals) constant(e sqlast.Expr) sqldata.Value {
	if _, isSigned := e.(*sqlast.Unary); isSigned { // such as -1
		return sqldata.Value{}
	}
	v, _ := recode.Constant(l.binding, e)
	if v.Kind() == sqldata.Text {
		return sqldata.NewText(strings.ReplaceAll(v.Bytes(), "%", ""))
	}
	return v
}
