package perturb

import (
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/generate"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Literals returns the constants that the gold SQL of the examples compares
// columns with, each query's under a group of its own. Where content must be
// generated they are mixed in, so that predicates find rows.
func Literals(examples []*Example) []generate.Literal {
	var out []generate.Literal
	for i, ex := range examples {
		l := literals{binding: ex.Binding, group: i}
		sqlast.Inspect(ex.Gold, l.visit)
		out = append(out, l.found...)
	}
	return out
}

type literals struct {
	binding *sqlast.Binding
	group   int
	found   []generate.Literal
}

func (l *literals) visit(n sqlast.Node) bool {
	switch n := n.(type) {
	case *sqlast.Binary:
		switch n.Op {
		case "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT":
			l.compare(n.X, n.Y)
			l.compare(n.Y, n.X)
		}
	case *sqlast.Like:
		l.compare(n.X, n.Pattern)
	case *sqlast.Between:
		l.compare(n.X, n.Low)
		l.compare(n.X, n.High)
	case *sqlast.In:
		for _, e := range n.List {
			l.compare(n.X, e)
		}
	}
	return true
}

// compare notes the value where column names a base column, or is an aggregate of
// one, and value is a constant. The wildcards of a pattern are dropped: what is left matches it.
func (l *literals) compare(column, value sqlast.Expr) {
	if call, ok := column.(*sqlast.Call); ok && len(call.Args) == 1 {
		column = call.Args[0]
	}
	ref, ok := column.(*sqlast.ColumnRef)
	if !ok {
		return
	}
	target := l.binding.Target(ref)
	v, ok := l.constant(value)
	if target.Column == "" || !ok {
		return
	}
	l.found = append(l.found, generate.Literal{Table: target.Table, Column: target.Column, Value: v, Group: l.group})
}

func (l *literals) constant(e sqlast.Expr) (sqldata.Value, bool) {
	switch e := e.(type) {
	case *sqlast.ColumnRef:
		if l.binding.Target(e).Kind == sqlast.String {
			return sqldata.NewText(strings.ReplaceAll(e.Column.Name, "%", "")), true
		}
	case *sqlast.Literal:
		switch e.Kind {
		case sqlast.StringLiteral:
			return sqldata.NewText(strings.ReplaceAll(e.Text, "%", "")), true
		case sqlast.NumberLiteral:
			if i, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
				return sqldata.NewInt(i), true
			}
			if f, err := strconv.ParseFloat(e.Text, 64); err == nil {
				return sqldata.NewFloat(f), true
			}
		}
	}
	return sqldata.Value{}, false
}
