package sqlast

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/raise"
)

// Bounds on what [Parse] takes, since queries may come from a model. The
// nesting bound keeps recursion far from the end of the stack.
const (
	MaxBytes   = 64 << 10 // length of a query
	MaxNesting = 400      // depth of parentheses, queries and operators
)

// Parse reads one SELECT statement, which may end with semicolons. The error
// is a [*SyntaxError].
func Parse(src string) (*Query, error) {
	if len(src) > MaxBytes {
		return nil, syntaxErrorf(Pos{1, 1}, "query has %d bytes, expected at most %d", len(src), MaxBytes)
	}
	toks, err := tokens(src)
	if err != nil {
		return nil, err
	}
	return (&parser{toks: toks}).statement()
}

// A parser reads a query by recursive descent. Its methods report an error by
// a panic with a *SyntaxError, which statement recovers.
type parser struct {
	toks  []token
	at    int
	depth int
}

// statement parses a whole text: one query, an optional semicolon, and the end.
func (p *parser) statement() (_ *Query, err error) {
	defer raise.Catch[*SyntaxError](&err)
	q := p.query()
	for p.take(";") {
	}
	if p.tok().kind != tokEOF {
		p.unexpected("end of query")
	}
	return q, nil
}

func (p *parser) tok() *token { return p.peek(0) }

// peek returns the i-th token from here, or the end.
func (p *parser) peek(i int) *token { return &p.toks[min(p.at+i, len(p.toks)-1)] }

func (p *parser) next() *token {
	t := p.tok()
	if t.kind != tokEOF {
		p.at++
	}
	return t
}

func (p *parser) unexpected(expected string) {
	t := p.tok()
	panic(syntaxErrorf(t.pos, "near %v, expected %s", t, expected))
}

// nest counts one level of nesting; the caller defers the function returned.
func (p *parser) nest() func() {
	if p.depth++; p.depth > MaxNesting {
		panic(syntaxErrorf(p.tok().pos, "nested more than %d levels deep", MaxNesting))
	}
	return func() { p.depth-- }
}

// is reports whether a keyword or an operator comes next.
func (p *parser) is(sym string) bool { return p.tok().sym == sym }

// ahead reports whether keywords and operators come next, from the i-th token on.
func (p *parser) ahead(i int, syms ...string) bool {
	for j, sym := range syms {
		if p.peek(i+j).sym != sym {
			return false
		}
	}
	return true
}

// take takes the given keywords and operators where all of them come next.
func (p *parser) take(syms ...string) bool {
	if !p.ahead(0, syms...) {
		return false
	}
	p.at += len(syms)
	return true
}

// expect consumes a keyword or an operator, or fails.
func (p *parser) expect(sym string) {
	switch {
	case p.take(sym):
	case isWord(sym):
		p.unexpected(sym)
	default:
		p.unexpected("\"" + sym + "\"")
	}
}

// oneOf takes one of the keywords and returns it, or "".
func (p *parser) oneOf(kws ...string) string {
	sym := p.tok().sym
	if !slices.Contains(kws, sym) {
		return ""
	}
	p.at++
	return sym
}

// isName reports whether t can be a name where one is due.
func isName(t *token) bool {
	switch t.kind {
	case tokWord:
		return t.class != reserved
	case tokQuoted, tokString:
		return true
	}
	return false
}

// name parses an identifier; what describes it in the error.
func (p *parser) name(what string) Ident {
	t := p.tok()
	if !isName(t) {
		p.unexpected(what)
	}
	p.at++
	return Ident{t.text, t.quote}
}

// listOf reads what commas part.
func listOf[T any](p *parser, one func() T) []T {
	list := []T{one()}
	for p.take(",") {
		list = append(list, one())
	}
	return list
}

// inParens parses "(", what parse reads, and ")".
func inParens[T any](p *parser, parse func() T) T {
	p.expect("(")
	v := parse()
	p.expect(")")
	return v
}

// columnNames parses a list of column names in parentheses.
func (p *parser) columnNames() []Ident {
	return inParens(p, func() []Ident { return listOf(p, func() Ident { return p.name("a column name") }) })
}

// alias reads [AS] name, where there is one.
func (p *parser) alias() Ident {
	if p.take("AS") {
		return p.name("an alias")
	}
	t := p.tok()
	switch {
	case !isName(t), t.class == joinWord, p.atWindowClause():
		return Ident{}
	}
	return p.name("an alias")
}

// atWindowClause reports whether a WINDOW clause comes next: WINDOW, which is also a name, before
// "name AS".
func (p *parser) atWindowClause() bool {
	return p.is("WINDOW") && isName(p.peek(1)) && p.ahead(2, "AS")
}

func (p *parser) atQuery() bool {
	return slices.Contains([]string{"SELECT", "WITH", "VALUES"}, p.tok().sym)
}

// query parses WITH, SELECTs connected by set operators, ORDER BY and LIMIT.
func (p *parser) query() *Query {
	defer p.nest()()
	q := &Query{Pos: p.tok().pos}
	if p.is("WITH") {
		q.With = p.with()
	}
	q.Select = p.selectCore()
	for {
		pos := p.tok().pos
		op := SetOp(p.oneOf("UNION", "INTERSECT", "EXCEPT"))
		if op == "" {
			break
		}
		if op == Union && p.take("ALL") {
			op = UnionAll
		}
		q.Compound = append(q.Compound, &Compound{Pos: pos, Op: op, Select: p.selectCore()})
	}
	q.OrderBy = p.orderBy()
	if pos := p.tok().pos; p.take("LIMIT") {
		l := &Limit{Pos: pos, Count: p.expr()}
		switch {
		case p.take("OFFSET"):
			l.Offset = p.expr()
		case p.take(","):
			l.Offset, l.Count = l.Count, p.expr()
		}
		q.Limit = l
	}
	return q
}

func (p *parser) with() *With {
	return &With{Pos: p.next().pos, Recursive: p.take("RECURSIVE"), Tables: listOf(p, p.cte)}
}

// cte parses one table of WITH: name (columns) AS (query).
func (p *parser) cte() *CTE {
	c := &CTE{Pos: p.tok().pos, Name: p.name("a table name")}
	if p.is("(") {
		c.Columns = p.columnNames()
	}
	p.expect("AS")
	switch {
	case p.take("MATERIALIZED"):
		c.Materialized = "MATERIALIZED"
	case p.take("NOT", "MATERIALIZED"):
		c.Materialized = "NOT MATERIALIZED"
	}
	c.Query = inParens(p, p.query)
	return c
}

// selectCore parses one SELECT up to HAVING and WINDOW, or VALUES.
func (p *parser) selectCore() *Select {
	s := &Select{Pos: p.tok().pos}
	if p.take("VALUES") {
		s.Values = listOf(p, func() []Expr { return inParens(p, p.exprs) })
		return s
	}
	p.expect("SELECT")
	s.Distinct = p.oneOf("DISTINCT", "ALL") == "DISTINCT"
	s.Columns = listOf(p, p.resultColumn)
	if p.take("FROM") {
		s.From = p.from()
	}
	if p.take("WHERE") {
		s.Where = p.expr()
	}
	if p.take("GROUP", "BY") {
		s.GroupBy = p.exprs()
	}
	if p.take("HAVING") {
		s.Having = p.expr()
	}
	if p.atWindowClause() {
		p.next()
		s.Windows = listOf(p, p.windowDef)
	}
	return s
}

// resultColumn parses an entry of the select list, with its alias.
func (p *parser) resultColumn() *ResultColumn {
	c := &ResultColumn{Pos: p.tok().pos}
	if p.take("*") {
		c.Expr = &Star{Pos: c.Pos}
		return c
	}
	if isName(p.tok()) && p.ahead(1, ".", "*") {
		c.Expr = &Star{Pos: c.Pos, Table: p.name("a table name")}
		p.at += 2
		return c
	}
	c.Expr = p.expr()
	c.Alias = p.alias()
	return c
}

// orderBy parses the terms after ORDER BY; nil if there is none.
func (p *parser) orderBy() []*OrderTerm {
	if !p.take("ORDER", "BY") {
		return nil
	}
	return listOf(p, func() *OrderTerm {
		t := &OrderTerm{Pos: p.tok().pos, Expr: p.expr()}
		t.Dir = Direction(p.oneOf("ASC", "DESC"))
		if p.take("NULLS") {
			if t.Nulls = p.oneOf("FIRST", "LAST"); t.Nulls == "" {
				p.unexpected("FIRST or LAST")
			}
		}
		return t
	})
}
