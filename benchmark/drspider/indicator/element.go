// Package indicator finds which words of a question mention which elements of
// its gold SQL, and reports which of them a paraphrase changed: the
// indicators of Dr.Spider, section 3.2 and appendix A.3.
//
// The paper takes column and value indicators from SLSQL's hand annotation, which
// exists for Spider only. Here they are found by the linkers of internal/learn/link,
// restricted to what the gold SQL uses, which makes them far surer than linkers
// of a whole schema are.
package indicator

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Kind is the kind of an element.
type Kind uint8

// The kinds of element.
const (
	Keyword Kind = iota + 1
	Column
	Table
	Value
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"none", "keyword", "column", "table", "value"}[k]
}

// Clauses is the clauses of the gold SQL that use an element.
type Clauses uint8

// The clauses.
const (
	Select Clauses = 1 << iota
	Where
	GroupBy
	Having
	OrderBy
)

// Has reports whether any of the clauses d is among c.
func (c Clauses) Has(d Clauses) bool { return c&d != 0 }

// Element is something of a gold SQL that a question can speak of. Elements that
// differ in Clauses only are one.
type Element struct {
	Kind Kind
	// Keyword, of a keyword: ">", "<", ">=", "<=", "between", "count", "sum",
	// "avg", "max", "min", "asc", "desc", "asc limit", "desc limit" or "distinct".
	Keyword string
	// Op, of a value: the operator that compares it ("=", ">", "like", …), "limit"
	// of a row count. Of a sort keyword: the aggregate sorted by, or "".
	Op string
	// Column is the column itself, or the one that a keyword or value applies to;
	// {-1, -1} where there is none, as of count(*) and of a row count.
	Column dataset.ColumnRef
	Table  int    // index of the table, of a table; else -1
	Value  string // of a value or a comparison keyword: the constant, wildcards of LIKE dropped
	Clauses
}

// noColumn is the column of elements that have none.
func noColumn() dataset.ColumnRef { return dataset.ColumnRef{Table: -1, Column: -1} }

// Elements returns the elements of an example's gold SQL, each once, in source
// order. It leaves out the columns and constants of join conditions (section 3.2), LIMIT 1, and a count
// that only sorts under a LIMIT: "the most" implies both.
func Elements(ex *perturb.Example, db *dataset.Database) []Element {
	x := extractor{ex: ex, db: db}
	x.query(ex.Gold)
	return x.found
}

// extractor collects the elements of a gold SQL.
type extractor struct {
	ex    *perturb.Example
	db    *dataset.Database
	found []Element
}

// add adds an element that a clause uses. If x.found has the element already, with any clauses, it gets this clause too.
func (x *extractor) add(e Element, clause Clauses) {
	if e.Kind != Table {
		e.Table = -1
	}
	i := slices.IndexFunc(x.found, func(f Element) bool { f.Clauses = 0; return f == e })
	if i < 0 {
		i = len(x.found)
		x.found = append(x.found, e)
	}
	x.found[i].Clauses |= clause
}

// query adds the elements of a query with its set operations and common tables.
func (x *extractor) query(q *sqlast.Query) {
	x.selectElements(q.Select)
	for _, c := range q.Compound {
		x.selectElements(c.Select)
	}
	for _, t := range q.OrderBy {
		x.order(t, q.Limit != nil)
	}
	if q.Limit != nil {
		if l, ok := q.Limit.Count.(*sqlast.Literal); ok && l.Text != "1" { // the superlative implies 1
			x.add(Element{Kind: Value, Op: "limit", Column: noColumn(), Value: l.Text}, OrderBy)
		}
	}
	if q.With != nil {
		for _, t := range q.With.Tables {
			x.query(t.Query)
		}
	}
}

// selectElements adds the elements of a SELECT, each with the clause that uses it.
func (x *extractor) selectElements(s *sqlast.Select) {
	if s.Distinct {
		x.add(Element{Kind: Keyword, Keyword: "distinct", Column: noColumn()}, Select)
	}
	for _, c := range s.Columns {
		x.expr(c.Expr, Select)
	}
	for _, f := range s.From {
		x.source(f)
	}
	x.expr(s.Where, Where)
	for _, g := range s.GroupBy {
		x.expr(g, GroupBy)
	}
	x.expr(s.Having, Having)
}

// source adds the tables of an item of FROM, and the elements of a subquery in it, but not those of its join condition.
func (x *extractor) source(f *sqlast.FromItem) {
	switch s := f.Source.(type) {
	case *sqlast.Table:
		if t := x.db.Table(x.ex.Binding.BaseTable(s)); t >= 0 {
			x.add(Element{Kind: Table, Column: noColumn(), Table: t}, 0) // FROM is not one of the clauses
		}
	case *sqlast.Derived:
		x.query(s.Query)
	case *sqlast.Group:
		for _, f := range s.From {
			x.source(f)
		}
	}
}

// order adds the sort keyword of a term of ORDER BY, "asc" or "desc", followed by " limit" if the query has a LIMIT, and the elements of
// the term's expression.
func (x *extractor) order(t *sqlast.OrderTerm, limited bool) {
	e := Element{Kind: Keyword, Keyword: "asc", Column: noColumn()}
	if t.Dir == sqlast.Desc {
		e.Keyword = "desc"
	}
	if limited {
		e.Keyword += " limit"
	}
	e.Column = x.column(t.Expr)
	call, ok := t.Expr.(*sqlast.Call)
	if ok { // ORDER BY count(*)
		e.Op = strings.ToLower(call.Name.Name)
	}
	x.add(e, OrderBy)
	if limited && e.Op == "count" { // the superlative implies the count, so only its arguments are elements
		for _, a := range call.Args {
			x.expr(a, OrderBy)
		}
		return
	}
	x.expr(t.Expr, OrderBy)
}

// column returns the base column of an expression: of a column, or of a call with a column as its only argument, as max(age). It
// returns noColumn() for other expressions.
func (x *extractor) column(e sqlast.Expr) dataset.ColumnRef {
	if call, ok := e.(*sqlast.Call); ok && len(call.Args) == 1 {
		return x.column(call.Args[0])
	}
	if ref, ok := x.ex.Column(x.db, e); ok {
		return ref
	}
	return noColumn()
}

// expr adds the elements of an expression in a clause. The expression may be nil.
func (x *extractor) expr(e sqlast.Expr, clause Clauses) {
	if e == nil {
		return
	}
	sqlast.Inspect(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			x.query(n) // which adds all of its elements
			return false
		case *sqlast.Window: // what follows OVER has no elements
			return false
		case *sqlast.ColumnRef:
			if ref := x.column(n); ref != noColumn() {
				x.add(Element{Kind: Column, Column: ref}, clause)
			}
		case *sqlast.Call:
			x.call(n, clause)
		case *sqlast.Binary:
			x.binary(n, clause)
		case *sqlast.Like:
			x.compare(n.X, n.Pattern, strings.ToLower(n.Op), clause)
		case *sqlast.Between:
			x.add(Element{Kind: Keyword, Keyword: "between", Column: x.column(n.X)}, clause)
			x.compare(n.X, n.Low, "between", clause)
			x.compare(n.X, n.High, "between", clause)
		case *sqlast.In:
			for _, v := range n.List {
				x.compare(n.X, v, "in", clause)
			}
		}
		return true
	})
}

// call adds the keyword of an aggregate, and "distinct" if it has DISTINCT. Other functions have no keyword.
func (x *extractor) call(n *sqlast.Call, clause Clauses) {
	switch name := strings.ToLower(n.Name.Name); name {
	case "count", "sum", "avg", "max", "min":
		if n.Distinct {
			x.add(Element{Kind: Keyword, Keyword: "distinct", Column: noColumn()}, clause)
		}
		x.add(Element{Kind: Keyword, Keyword: name, Column: x.column(n)}, clause)
	}
}

// binary adds the keyword and the constant of a comparison. "=" and "!=" have no keyword, other operators have no elements.
func (x *extractor) binary(n *sqlast.Binary, clause Clauses) {
	switch n.Op {
	case ">", "<", ">=", "<=":
		v, _ := x.constant(n.Y)
		x.add(Element{Kind: Keyword, Keyword: n.Op, Column: x.column(n.X), Value: v}, clause)
	case "=", "!=":
	default:
		return
	}
	x.compare(n.X, n.Y, n.Op, clause) // the constant may be on either side
	x.compare(n.Y, n.X, n.Op, clause)
}

// compare adds the constant value that an operator compares with the expression column. It adds nothing if value is no constant, or
// if both sides are constants.
func (x *extractor) compare(column, value sqlast.Expr, op string, clause Clauses) {
	v, ok := x.constant(value)
	if _, both := x.constant(column); !ok || both {
		return
	}
	x.add(Element{Kind: Value, Op: op, Column: x.column(column), Value: v}, clause)
}

// constant returns the text of a constant without the wildcards of LIKE at its
// ends. It returns false for other expressions and for a constant without text.
func (x *extractor) constant(e sqlast.Expr) (string, bool) {
	text := ""
	switch e := e.(type) {
	case *sqlast.ColumnRef:
		if x.ex.Binding.Target(e).Kind == sqlast.String { // "France" in double quotes, which names no column
			text = e.Column.Name
		}
	case *sqlast.Literal:
		if e.Kind == sqlast.StringLiteral || e.Kind == sqlast.NumberLiteral {
			text = e.Text
		}
	}
	text = strings.Trim(text, "% ")
	return text, text != ""
}
