package sqlast

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Literal returns an expression that is a constant as one literal, and nil for any other. A name in double quotes that SQLite
// takes for a string becomes that string, and a number has its sign in its text.
func (b *Binding) Literal(e Expr) *Literal {
	switch e := e.(type) {
	case *Literal:
		return e
	case *ColumnRef:
		if b.Target(e).Kind == String {
			return &Literal{Pos: e.Pos, Kind: StringLiteral, Text: e.Column.Name}
		}
	case *Unary:
		if x, ok := e.X.(*Literal); ok && e.Op == "-" && x.Kind == NumberLiteral {
			return &Literal{Pos: e.Pos, Kind: NumberLiteral, Text: "-" + x.Text}
		}
	}
	return nil
}

// Column returns the base column that an expression is, also passed on by a nested
// query or an alias; the zero BaseColumn for any other.
func (b *Binding) Column(e Expr) BaseColumn {
	ref, ok := e.(*ColumnRef)
	if !ok {
		return BaseColumn{}
	}
	t := b.Target(ref)
	if t.Column == "" {
		return BaseColumn{}
	}
	return BaseColumn{t.Table, t.Column}
}

// Comparison is what a predicate says of X: the operator is that of a [Binary] or a
// [Like], with " ESCAPE" behind if the pattern has its own escape, "IN" for an entry
// of a list, or one of [From] and [To]. NOT is left out.
type Comparison struct {
	X  Expr
	Op string
	Y  Expr
}

// The operators of the bounds of BETWEEN.
const (
	From = "FROM"
	To   = "TO"
)

// Comparisons returns the comparisons that a node itself makes, but not those of the nodes below it. A comparison by an
// operator is there twice, once from each side: a < b and b > a. BETWEEN has the operators [From] and [To].
func Comparisons(n Node) []Comparison {
	switch n := n.(type) {
	case *Binary:
		if op, ok := mirrored[n.Op]; ok {
			return []Comparison{{n.X, n.Op, n.Y}, {n.Y, op, n.X}}
		}
	case *Like:
		op := n.Op
		if n.Escape != nil {
			op += " ESCAPE"
		}
		return []Comparison{{n.X, op, n.Pattern}}
	case *Between:
		return []Comparison{{n.X, From, n.Low}, {n.X, To, n.High}}
	case *In:
		return lists.Map(n.List, func(e Expr) Comparison { return Comparison{n.X, "IN", e} })
	}
	return nil
}

// mirrored has for each comparison the one that holds with the sides exchanged.
var mirrored = map[string]string{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=", "IS": "IS", "IS NOT": "IS NOT"}

// Mirrored returns the operator of a comparison with its sides exchanged, such as ">" for "<", or "" for an operator that
// compares nothing.
func Mirrored(op string) string { return mirrored[op] }

// Aggregate returns the name, in lower case, of the aggregate function that an expression calls, or that a query in the place of a
// value selects; "" for other expressions.
func Aggregate(e Expr) string {
	switch e := e.(type) {
	case *Call:
		switch name := strings.ToLower(e.Name.Name); name {
		case "count", "sum", "avg", "min", "max", "total":
			if e.Over == nil { // else it is a window function
				return name
			}
		}
	case *Subquery:
		if cols := e.Query.Select.Columns; len(cols) == 1 {
			return Aggregate(cols[0].Expr)
		}
	}
	return ""
}

// IsAggregate reports whether a call is of an aggregate function, so that its value depends on several rows. It does not look
// at OVER, which makes an aggregate a window function.
func (n *Call) IsAggregate() bool {
	switch name := strings.ToLower(n.Name.Name); name {
	case "count", "sum", "avg", "total", "group_concat", "string_agg":
		return true
	case "min", "max":
		return len(n.Args) <= 1 // max(a, b) is a function of one row
	default:
		return strings.HasPrefix(name, "json_group")
	}
}

// Conjuncts returns the conditions that AND joins in x, from left to right; none for nil.
func Conjuncts(x Expr) []Expr {
	if x == nil {
		return nil
	}
	return Operands(x, "AND")
}

// Operands returns the conditions that op, AND or OR, joins in x, from left to right: x itself if it is no such condition.
func Operands(x Expr, op string) (operands []Expr) {
	for stack := []Expr{x}; len(stack) > 0; { // no recursion: a chain may be as long as a query
		x, stack = stack[len(stack)-1], stack[:len(stack)-1]
		if b, ok := x.(*Binary); ok && b.Op == op {
			stack = append(stack, b.Y, b.X)
		} else {
			operands = append(operands, x)
		}
	}
	return operands
}

// Conjunction joins conditions by AND and leaves out nil ones; it returns nil for none.
func Conjunction(list ...Expr) (all Expr) {
	for _, x := range list {
		switch {
		case x == nil:
		case all == nil:
			all = x
		default:
			all = &Binary{Op: "AND", X: all, Y: x}
		}
	}
	return all
}

// Equation returns the condition x = y that an expression is, or nil.
func Equation(e Expr) *Binary {
	if b, ok := e.(*Binary); ok && b.Op == "=" {
		return b
	}
	return nil
}

// Bare reports whether a call has arguments alone, without FILTER, OVER or ORDER BY.
func (n *Call) Bare() bool {
	return n.Filter == nil && n.Over == nil && len(n.OrderBy) == 0
}
