package consistency

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// scan adds what an expression names to a part of a block and returns the
// expression as it is compared: its nodes in source order, each a word.
func (r *reader) scan(b *block, p *part, x sqlast.Expr) string {
	var words []string
	say := func(list *[]string, word string) {
		r.words++
		words = append(words, word)
		if list != nil {
			*list = append(*list, word)
		}
	}
	sqlast.Inspect(x, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			say(nil, "(query)")
			b.nested = append(b.nested, r.query(n))
			return false
		case *sqlast.ColumnRef:
			r.reference(b, p, n, say)
		case *sqlast.Star:
			say(&p.columns, "*")
		case *sqlast.Call:
			r.call(p, n, say)
		case *sqlast.Binary:
			say(operatorsOf(p, n.Op), n.Op)
		case *sqlast.Unary:
			say(operatorsOf(p, n.Op), n.Op)
		case *sqlast.Literal:
			b.values = append(b.values, n.Text)
			say(nil, "?")
		case *sqlast.Between:
			say(&p.operators, negated(n.Not, "BETWEEN"))
		case *sqlast.In:
			say(&p.operators, negated(n.Not, "IN"))
		case *sqlast.Like:
			say(&p.operators, negated(n.Not, n.Op))
		case *sqlast.Exists:
			say(&p.operators, "EXISTS")
		case *sqlast.Cast:
			say(nil, "cast "+strings.ToLower(n.Type))
		default:
			say(nil, strings.TrimPrefix(fmt.Sprintf("%T", n), "*sqlast."))
		}
		return true
	})
	return strings.Join(words, " ")
}

// reference adds a name: a column, a string in double quotes, or an alias of the
// select list, which stands for its expression.
func (r *reader) reference(b *block, p *part, n *sqlast.ColumnRef, say func(*[]string, string)) {
	switch t := r.b.Target(n); {
	case t.Kind == sqlast.String:
		b.values = append(b.values, n.Column.Name)
		say(nil, "?")
	case t.Kind == sqlast.Alias && t.Table == "" && t.Result != nil && r.words < maxWords:
		// Its constants and nested queries are counted where it is defined.
		say(nil, r.scan(&block{}, p, t.Result.Expr))
	default:
		say(&p.columns, r.column(t))
	}
}

func (r *reader) call(p *part, n *sqlast.Call, say func(*[]string, string)) {
	name := strings.ToLower(n.Name.Name)
	switch {
	case aggregate(name, len(n.Args)):
		say(&p.aggregates, name)
		p.star = p.star || n.Star
	default:
		say(nil, name)
	}
	if n.Distinct {
		say(nil, "distinct")
	}
}

// operatorsOf returns where an operator is counted; arithmetic is in the
// expression alone.
func operatorsOf(p *part, op string) *[]string {
	switch op {
	case "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR", "NOT":
		return &p.operators
	}
	return nil
}

func negated(not bool, op string) string {
	if not {
		return "NOT " + op
	}
	return op
}

// aggregate tells whether a function of so many arguments aggregates.
func aggregate(name string, args int) bool {
	switch name {
	case "count", "sum", "avg", "total", "group_concat":
		return true
	case "min", "max":
		return args == 1
	}
	return false
}
