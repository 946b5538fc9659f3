package consistency

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// scanExpr adds the columns, aggregates and operators in an expression to a part, and its constants and
// nested queries to the block. It returns the form of the expression: a word for each node, in source
// order.
func (r *reader) scanExpr(b *block, p *part, x sqlast.Expr) string {
	var words []string
	// add appends a word to the form and, if list is not nil, to a list of the part.
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
			b.nested = append(b.nested, r.queryBlock(n))
			return false
		case *sqlast.ColumnRef:
			r.addReference(b, p, n, add)
		case *sqlast.Star:
			add(&p.columns, "*")
		case *sqlast.Call:
			r.addCall(p, n, add)
		case *sqlast.Binary:
			add(operatorsOf(p, n.Op), n.Op)
		case *sqlast.Unary:
			add(operatorsOf(p, n.Op), n.Op)
		case *sqlast.Literal:
			b.values = append(b.values, n.Text)
			add(nil, "?")
		case *sqlast.Between:
			add(&p.operators, withNot(n.Not, "BETWEEN"))
		case *sqlast.In:
			add(&p.operators, withNot(n.Not, "IN"))
		case *sqlast.Like:
			add(&p.operators, withNot(n.Not, n.Op))
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

// addReference adds a name by add: a column, a string in double quotes, or an alias of the select list, for
// which it adds the expression.
func (r *reader) addReference(b *block, p *part, n *sqlast.ColumnRef, add func(*[]string, string)) {
	t := r.binding.Target(n)
	isExpression := t.Kind == sqlast.Alias && t.Table == "" && t.Result != nil
	switch {
	case t.Kind == sqlast.String:
		b.values = append(b.values, n.Column.Name)
		add(nil, "?")
	case isExpression && r.words < maxWords:
		// Its constants and nested queries are counted where it is defined.
		add(nil, r.scanExpr(&block{}, p, t.Result.Expr))
	default:
		add(&p.columns, r.columnName(t))
	}
}

// addCall adds a function call to the form of an expression, and an aggregate to the part too. add appends a word to the form and,
// unless the list is nil, to the list.
func (r *reader) addCall(p *part, n *sqlast.Call, add func(*[]string, string)) {
	name := strings.ToLower(n.Name.Name)
	if n.IsAggregate() {
		add(&p.aggregates, name)
		p.countStar = p.countStar || n.Star
	} else {
		add(nil, name)
	}
	if n.Distinct {
		add(nil, "distinct")
	}
}

// operatorsOf returns the list of the part that an operator is added to: p.operators for comparisons and logic. It returns nil for
// arithmetic, which occurs only in the form of the expression ([reader.scanExpr]).
func operatorsOf(p *part, op string) *[]string {
	switch op {
	case "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR", "NOT":
		return &p.operators
	}
	return nil
}

// withNot returns the operator, with NOT if not is set.
func withNot(not bool, op string) string {
	if not {
		return "NOT " + op
	}
	return op
}
