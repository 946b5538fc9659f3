package query

import (
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// constant is a constant of the gold SQL with what it is compared with.
type constant struct {
	node     sqlast.Expr
	text     string // of a text, or the number as written
	number   float64
	isNumber bool // also of a text that holds a number
	quoted   bool // written as a text

	column sqlast.BaseColumn // the column compared with; zero where it is none
	count  bool              // compared with an aggregate, or the count of a LIMIT
	op     string            // as read with the constant on the right; "FROM" and "TO" of BETWEEN, "LIMIT"
	within sqlast.Node       // the predicate or clause
}

// constants returns the constants of the gold SQL in source order.
func constants(ex *perturb.Example) []constant {
	var out []constant
	add := func(side, value sqlast.Expr, op string, within sqlast.Node) {
		c, ok := constantOf(ex, value)
		if !ok {
			return
		}
		c.op, c.within = op, within
		if ref, ok := side.(*sqlast.ColumnRef); ok {
			if t := ex.Binding.Target(ref); t.Column != "" {
				c.column = sqlast.BaseColumn{Table: t.Table, Column: t.Column}
			}
		}
		c.count = side != nil && aggregates(side) || op == "LIMIT"
		out = append(out, c)
	}
	sqlast.Inspect(ex.Gold, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Binary:
			if mirrored, ok := mirror[n.Op]; ok {
				add(n.X, n.Y, n.Op, n)
				add(n.Y, n.X, mirrored, n)
			}
		case *sqlast.Like:
			if n.Op == "LIKE" && n.Escape == nil {
				add(n.X, n.Pattern, n.Op, n)
			}
		case *sqlast.Between:
			add(n.X, n.Low, "FROM", n)
			add(n.X, n.High, "TO", n)
		case *sqlast.In:
			for _, e := range n.List {
				add(n.X, e, "IN", n)
			}
		case *sqlast.Limit:
			add(nil, n.Count, "LIMIT", n)
		}
		return true
	})
	return out
}

// mirror has for each comparison the one that holds with the sides exchanged.
var mirror = map[string]string{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func constantOf(ex *perturb.Example, e sqlast.Expr) (constant, bool) {
	c := constant{node: e}
	switch e := e.(type) {
	case *sqlast.ColumnRef:
		if ex.Binding.Target(e).Kind != sqlast.String {
			return c, false
		}
		c.text, c.quoted = e.Column.Name, true
	case *sqlast.Literal:
		if e.Kind != sqlast.NumberLiteral && e.Kind != sqlast.StringLiteral {
			return c, false
		}
		c.text, c.quoted = e.Text, e.Kind == sqlast.StringLiteral
	case *sqlast.Unary:
		if x, ok := e.X.(*sqlast.Literal); !ok || e.Op != "-" || x.Kind != sqlast.NumberLiteral {
			return c, false
		} else {
			c.text = "-" + x.Text
		}
	default:
		return c, false
	}
	code := c.quoted && len(c.text) > 1 && c.text[0] == '0' && !strings.HasPrefix(c.text, "0.") // a text of digits: "007"
	if len(c.text) < 20 && !code && strings.Trim(c.text, "-.0123456789") == "" {
		v, err := strconv.ParseFloat(c.text, 64)
		c.number, c.isNumber = v, err == nil
	}
	return c, c.quoted || c.isNumber
}

// aggregates tells whether an expression is an aggregate, or a query for one.
func aggregates(e sqlast.Expr) bool {
	switch e := e.(type) {
	case *sqlast.Call:
		switch strings.ToLower(e.Name.Name) {
		case "count", "sum", "avg", "min", "max", "total":
			return e.Over == nil
		}
	case *sqlast.Subquery:
		cols := e.Query.Select.Columns
		return len(cols) == 1 && cols[0].Expr != nil && aggregates(cols[0].Expr)
	}
	return false
}

// numberNode returns the node of another number in the form of the constant.
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

// lower and upper tell whether the constant is the least or the greatest of what
// its predicate takes.
func (c constant) lower() bool { return c.op == "FROM" || c.op == ">" || c.op == ">=" }
func (c constant) upper() bool { return c.op == "TO" || c.op == "<" || c.op == "<=" }

// ref returns the column compared with.
func (c constant) ref(db *dataset.Database) (dataset.ColumnRef, bool) {
	return db.Lookup(c.column.Table, c.column.Column)
}

// namesOf returns the words of the columns that an expression mentions.
func namesOf(p *perturb.Pass, ex *perturb.Example, e sqlast.Expr) map[string]bool {
	var names []string
	sqlast.Inspect(e, func(n sqlast.Node) bool {
		if r, ok := n.(*sqlast.ColumnRef); ok {
			t := ex.Binding.Target(r)
			if ref, ok := p.DB.Lookup(t.Table, t.Column); ok {
				names = append(names, p.DB.Column(ref).Name, p.DB.Column(ref).Original)
			}
		}
		_, sub := n.(*sqlast.Subquery)
		return !sub
	})
	return wordsOf(names...)
}
