package perturb

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Literals returns the constants that the gold SQL of the examples compares
// columns with, each query's under a group of its own. Where content must be
// generated they are mixed in, so that predicates find rows.
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

type literals struct {
	binding *sqlast.Binding
	group   int
	found   []generate.Literal
}

// compare notes the value where column names a base column, or is an aggregate of
// one, and value is a constant. The wildcards of a pattern are dropped: what is left matches it.
func (l *literals) compare(column, value sqlast.Expr) {
	if call, ok := column.(*sqlast.Call); ok && len(call.Args) == 1 {
		column = call.Args[0]
	}
	base, v := l.binding.Column(column), l.constant(value)
	if base.Column != "" && !v.IsNull() {
		l.found = append(l.found, generate.Literal{Table: base.Table, Column: base.Column, Value: v, Group: l.group})
	}
}

func (l *literals) constant(e sqlast.Expr) sqldata.Value {
	if _, signed := e.(*sqlast.Unary); signed {
		return sqldata.Value{}
	}
	v, _ := recode.Constant(l.binding, e)
	if v.Kind() == sqldata.Text {
		return sqldata.NewText(strings.ReplaceAll(v.Bytes(), "%", ""))
	}
	return v
}
