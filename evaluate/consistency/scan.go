package consistency

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// scan adds the names in an expression to a part of a block, and returns the form of the
// expression: a word for each node, in source order.
func (r *reader) scan(b *block, p *part, x sqlast.Expr) string {
	var words []string
	add := func(list *[]string, word string) {
		r.words++
		words = append(words, word)
		if list != nil {
			*list = append(*list, word)
		}
	}
	sqlast.Inspect(x, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			add(nil, "(query)")
			b.nested = append(b.nested, r.query(n))
			return false
		case *sqlast.ColumnRef:
			r.reference(b, p, n, add)
		case *sqlast.Star:
			add(&p.columns, "*")
		case *sqlast.Call:
			r.call(p, n, add)
		case *sqlast.Binary:
			add(operatorsOf(p, n.Op), n.Op)
		case *sqlast.Unary:
			add(operatorsOf(p, n.Op), n.Op)
		case *sqlast.Literal:
			b.values = append(b.values, n.Text)
			add(nil, "?")
		case *sqlast.Between:
			add(&p.operators, negated(n.Not, "BETWEEN"))
		case *sqlast.In:
			add(&p.operators, negated(n.Not, "IN"))
		case *sqlast.Like:
			add(&p.operators, negated(n.Not, n.Op))
		case *sqlast.Exists:
			add(&p.operators, "EXISTS")
		case *sqlast.Cast:
			add(nil, "cast "+strings.ToLower(n.Type))
		default:
			add(nil, strings.TrimPrefix(fmt.Sprintf("%T", n), "*sqlast."))
		}
		return true
	})
	return strings.Join(words, " ")
}

// reference adds a column, a string in double quotes, or an alias of the select list, which is
// replaced by its expression.
func (r *reader) reference(b *block, p *part, n *sqlast.ColumnRef, add func(*[]string, string)) {
	switch t := r.b.Target(n); {
	case t.Kind == sqlast.String:
		b.values = append(b.values, n.Column.Name)
		add(nil, "?")
	case t.Kind == sqlast.Alias && t.Table == "" && t.Result != nil && r.words < maxWords:
		// Its constants and nested queries are counted where it is defined.
		add(nil, r.scan(&block{}, p, t.Result.Expr))
	default:
		add(&p.columns, r.column(t))
	}
}

// call adds a function call.
func (r *reader) call(p *part, n *sqlast.Call, add func(*[]string, string)) {
	name := strings.ToLower(n.Name.Name)
	switch {
	case aggregate(name, len(n.Args)):
		add(&p.aggregates, name)
		p.star = p.star || n.Star
	default:
		add(nil, name)
	}
	if n.Distinct {
		add(nil, "distinct")
	}
}

// operatorsOf returns the list to which an operator is added; nil for arithmetic, which only the
// form of the expression has.
func operatorsOf(p *part, op string) *[]string {
	switch op {
	case "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR", "NOT":
		return &p.operators
	}
	return nil
}

// negated returns the operator, with NOT if not is set.
func negated(not bool, op string) string {
	if not {
		return "NOT " + op
	}
	return op
}

// aggregate reports whether a function with this number of arguments is an aggregate.
func aggregate(name string, args int) bool {
	switch name {
	case "count", "sum", "avg", "total", "group_concat":
		return true
	case "min", "max":
		return args == 1
	}
	return false
}
