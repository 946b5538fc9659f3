package query

import (
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// constant is a constant of the gold SQL with what it is compared with.
type constant struct {
	node     sqlast.Expr // nil where there is no constant
	text     string      // of a text, or the number as written
	number   float64
	isNumber bool // also of a text that holds a number
	quoted   bool // written as a text

	subject
	op     string      // with the constant on the right, see [sqlast.Comparison]; or "LIMIT"
	within sqlast.Node // the predicate or clause
}

// subject is what a constant is compared with.
type subject struct {
	column sqlast.BaseColumn // zero where it is no base column
	count  bool              // an aggregate, or the count of a LIMIT
}

// constants returns the constants that the gold SQL compares with something or limits its rows by, in source order.
func constants(ex *perturb.Example) []constant {
	var out []constant
	add := func(n sqlast.Node, compared sqlast.Comparison) {
		c := constantOf(ex, compared.Y)
		if c.node == nil {
			return
		}
		c.op, c.within, c.column = compared.Op, n, ex.Binding.Column(compared.X)
		c.count = compared.Op == "LIMIT" || sqlast.Aggregate(compared.X) != ""
		out = append(out, c)
	}
	for n := range sqlast.All[sqlast.Node](ex.Gold) {
		for _, compared := range sqlast.Comparisons(n) {
			if constantOperators[compared.Op] {
				add(n, compared)
			}
		}
		if limit, ok := n.(*sqlast.Limit); ok {
			add(limit, sqlast.Comparison{Op: "LIMIT", Y: limit.Count})
		}
	}
	return out
}

// constantOperators are the comparisons that questions state.
var constantOperators = map[string]bool{
	"=": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "LIKE": true, "ILIKE": true, "IN": true, sqlast.From: true, sqlast.To: true,
}

var (
	// numberForm matches numbers without an exponent: "-3", "2.50", ".5".
	numberForm = lazyregexp.New(`^-?([0-9]+\.?[0-9]*|\.[0-9]+)$`)
	codeForm   = lazyregexp.New(`^0[^.]`) // a text of digits: "007"
)

// maxDigits is how long a number may be, in bytes: that of an int64.
const maxDigits = 19

// constantOf returns an expression as a constant, without its subject, operator and predicate. For an expression that is no text or
// number it returns the zero constant.
func constantOf(ex *perturb.Example, e sqlast.Expr) constant {
	l := ex.Binding.Literal(e)
	if l == nil {
		return constant{}
	}
	c := constant{node: e, text: l.Text}
	number := len(c.text) <= maxDigits && numberForm.MatchString(c.text)
	switch l.Kind {
	case sqlast.StringLiteral:
		c.quoted, c.isNumber = true, number && !codeForm.MatchString(c.text)
	case sqlast.NumberLiteral:
		c.isNumber = number
	}
	switch {
	case c.isNumber:
		c.number, _ = strconv.ParseFloat(c.text, 64) // cannot fail: the form was checked
	case !c.quoted: // such as NULL, or a number with an exponent
		return constant{}
	}
	return c
}

// equals reports whether the constant is a number with that value.
func (c constant) equals(v float64) bool { return c.isNumber && c.number == v }

// numberNode returns a node for the number v, written like the constant: as a text if
// the constant is one, and with at least as many decimals.
func (c constant) numberNode(v float64) sqlast.Expr {
	_, fraction, _ := strings.Cut(c.text, ".")
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if _, now, _ := strings.Cut(text, "."); len(now) < len(fraction) {
		text = strconv.FormatFloat(v, 'f', len(fraction), 64)
	}
	if c.quoted {
		return &sqlast.Literal{Kind: sqlast.StringLiteral, Text: text}
	}
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		return &sqlast.Unary{Op: "-", X: &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: rest}}
	}
	return &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: text}
}

// intervalEnd returns -1 if the constant is the lower end of an interval (age > 30), 1 if it is the upper end (age < 30), and 0 for
// other predicates.
func (c constant) intervalEnd() int {
	switch c.op {
	case sqlast.From, ">", ">=":
		return -1
	case sqlast.To, "<", "<=":
		return 1
	}
	return 0
}

// emptiesInterval reports whether a new value of the constant, one end of an interval, would make the interval empty because it is beyond
// the other end: 40 for 20 in BETWEEN 20 AND 30. Before and after are the results of [cmp.Compare] of the old and the new value with other.
func (c constant) emptiesInterval(other constant, before, after int) bool {
	if c.subject != other.subject || c.intervalEnd() != -other.intervalEnd() {
		return false
	}
	wasEmpty, isEmpty := c.intervalEnd()*before < 0, c.intervalEnd()*after < 0 // a lower end (-1) that is greater (1), or the reverse
	return isEmpty && !wasEmpty
}

// ref returns the column that the constant is compared with.
func (c constant) ref(db *dataset.Database) (dataset.ColumnRef, bool) {
	return db.Lookup(c.column.Table, c.column.Column)
}

// namesOf returns the singular words in the names of the columns that an expression mentions outside
// nested queries.
func namesOf(p *perturb.Pass, ex *perturb.Example, e sqlast.Expr) map[string]bool {
	var names []string
	for n := range sqlast.Own[*sqlast.ColumnRef](e) {
		if ref, ok := ex.Column(p.DB, n); ok {
			names = append(names, p.DB.Column(ref).Name, p.DB.Column(ref).Original)
		}
	}
	return wordsOf(names...)
}
