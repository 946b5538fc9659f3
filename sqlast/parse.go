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

// Parse reads one SELECT statement of SQLite; see [Dialect.Parse].
func Parse(src string) (*Query, error) { return SQLite.Parse(src) }

// Parse reads one SELECT statement, which may end with semicolons. The error
// is a [*SyntaxError].
func (d *Dialect) Parse(src string) (*Query, error) {
	if len(src) > MaxBytes {
		return nil, syntaxErrorf(Pos{1, 1}, "query has %d bytes, expected at most %d", len(src), MaxBytes)
	}
	toks, err := d.tokenize(src)
	if err != nil {
		return nil, err
	}
	return (&parser{d: d, toks: toks}).statement()
}

// A parser reads a query by recursive descent. Its methods report an error by
// a panic with a *SyntaxError, which statement recovers.
type parser struct {
	d        *Dialect
	toks     []token     // the last is the end of the query
	next     int         // index of the next token in toks
	closings map[int]int // see closing
	depth    int         // levels of nesting that are open, see [MaxNesting]
}

// statement parses a whole text: one query, an optional semicolon, and the end.
func (p *parser) statement() (_ *Query, err error) {
	defer raise.Catch[*SyntaxError](&err)
	q := p.query()
	for p.accept(";") {
	}
	if p.current().kind != tokEOF {
		p.unexpected("end of query")
	}
	return q, nil
}

// current returns the next token without consuming it.
func (p *parser) current() *token { return p.peek(0) }

// peek returns the token i places after the next one, or the end of the query.
func (p *parser) peek(i int) *token { return &p.toks[min(p.next+i, len(p.toks)-1)] }

// advance consumes the next token and returns it. The end of the query is never consumed.
func (p *parser) advance() *token {
	t := p.current()
	if t.kind != tokEOF {
		p.next++
	}
	return t
}

// unexpected fails with a syntax error: the next token is not what the grammar expects there.
func (p *parser) unexpected(expected string) {
	t := p.current()
	panic(syntaxErrorf(t.pos, "near %v, expected %s", t, expected))
}

// enterLevel opens one level of nesting, and fails if there are too many. The caller must call
// the function that it returns at the end of the level.
func (p *parser) enterLevel() func() {
	if p.depth++; p.depth > MaxNesting {
		panic(syntaxErrorf(p.current().pos, "nested more than %d levels deep", MaxNesting))
	}
	return func() { p.depth-- }
}

// nextIs reports whether the next token is a keyword or an operator.
func (p *parser) nextIs(sym string) bool { return p.current().sym == sym }

// nextIsOneOf reports whether one of some keywords and operators comes next.
func (p *parser) nextIsOneOf(syms ...string) bool { return slices.Contains(syms, p.current().sym) }

// tokensAre reports whether the tokens from place i on, 0 being the next, are these keywords and
// operators.
func (p *parser) tokensAre(i int, syms ...string) bool {
	for j, sym := range syms {
		if p.peek(i+j).sym != sym {
			return false
		}
	}
	return true
}

// accept consumes a sequence of keywords and operators. If not all of them come next, it
// consumes nothing and returns false.
func (p *parser) accept(syms ...string) bool {
	if !p.tokensAre(0, syms...) {
		return false
	}
	p.next += len(syms)
	return true
}

// expect consumes a keyword or an operator, and fails if another token comes next.
func (p *parser) expect(sym string) {
	switch {
	case p.accept(sym):
	case isWord(sym):
		p.unexpected(sym)
	default:
		p.unexpected("\"" + sym + "\"")
	}
}

// acceptOneOf consumes the next token if it is one of the keywords, and returns the keyword, or
// "" for any other token.
func (p *parser) acceptOneOf(kws ...string) string {
	sym := p.current().sym
	if !slices.Contains(kws, sym) {
		return ""
	}
	p.next++
	return sym
}

// isName reports whether a token can be an identifier. SQLite also takes a string as one.
func (p *parser) isName(t *token) bool {
	switch t.kind {
	case tokWord:
		return t.class != reserved
	case tokQuoted:
		return true
	case tokString:
		return p.d.stringNames
	}
	return false
}

// name parses an identifier. The error calls the expected name what, such as "an alias".
func (p *parser) name(what string) Ident {
	t := p.current()
	if !p.isName(t) {
		p.unexpected(what)
	}
	p.next++
	return Ident{t.text, t.quote}
}

// label parses a name where only a name can follow: after a point, or after AS in a select list. PostgreSQL takes any keyword there.
func (p *parser) label(what string) Ident {
	if t := p.current(); p.d.anyLabel && t.kind == tokWord {
		p.next++
		return Ident{Name: t.text}
	}
	return p.name(what)
}

// commaList parses one or more items with commas between them; parseItem parses one.
func commaList[T any](p *parser, parseItem func() T) []T {
	list := []T{parseItem()}
	for p.accept(",") {
		list = append(list, parseItem())
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
	return inParens(p, func() []Ident { return commaList(p, func() Ident { return p.name("a column name") }) })
}

// alias parses an alias, with or without AS. It returns the zero Ident if there is none.
func (p *parser) alias() Ident {
	if p.accept("AS") {
		return p.label("an alias")
	}
	if t := p.current(); !p.isName(t) || t.class == joinWord || p.atWindowClause() { // a joinWord, such as LEFT, begins a join here
		return Ident{}
	}
	return p.name("an alias")
}

// atWindowClause reports whether a WINDOW clause comes next: WINDOW, which is also a name, before
// "name AS".
func (p *parser) atWindowClause() bool {
	return p.nextIs("WINDOW") && p.isName(p.peek(1)) && p.tokensAre(2, "AS")
}

// atQuery reports whether a query comes next.
func (p *parser) atQuery() bool { return p.isQueryAt(p.next) }

// isQueryAt reports whether a query begins at token i. In PostgreSQL parentheses that begin with a query are one if what follows
// them may follow a query: "(SELECT 1) UNION …", but not "(SELECT 1) + 2".
func (p *parser) isQueryAt(i int) bool {
	sym := p.toks[i].sym
	switch {
	case sym != "(", !p.d.postgresSelect:
		return slices.Contains([]string{"SELECT", "WITH", "VALUES"}, sym)
	case !p.isQueryAt(i + 1):
		return false
	}
	after := p.closing(i) + 1
	if after >= len(p.toks)-1 { // at the end of the query
		return true
	}
	return slices.Contains([]string{")", ";", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH"}, p.toks[after].sym)
}

// closing returns the index of the token that closes the parenthesis at index i, or the last one. It finds those of
// all parentheses at the first call.
func (p *parser) closing(i int) int {
	if p.closings == nil {
		p.closings = map[int]int{}
		var open []int
		for j := range p.toks {
			switch p.toks[j].sym {
			case "(":
				open = append(open, j)
			case ")":
				if n := len(open); n > 0 {
					p.closings[open[n-1]] = j
					open = open[:n-1]
				}
			}
		}
	}
	if j, ok := p.closings[i]; ok {
		return j
	}
	return len(p.toks) - 1
}

// query parses WITH, SELECTs connected by set operators, ORDER BY and LIMIT.
func (p *parser) query() *Query {
	defer p.enterLevel()()
	q := &Query{Pos: p.current().pos}
	if p.d != SQLite { // nil stands for SQLite
		q.Dialect = p.d
	}
	if p.nextIs("WITH") {
		q.With = p.with()
	}
	q.Select = p.selectCore()
	for {
		pos := p.current().pos
		op := SetOp(p.acceptOneOf("UNION", "INTERSECT", "EXCEPT"))
		if op == "" {
			break
		}
		switch {
		case (op == Union || p.d.postgresSelect) && p.accept("ALL"): // SQLite has ALL after UNION alone
			op += " ALL"
		case p.d.postgresSelect:
			p.accept("DISTINCT") // the default
		}
		q.Compound = append(q.Compound, &Compound{Pos: pos, Op: op, Select: p.selectCore()})
	}
	q.OrderBy = p.orderBy()
	if p.d.postgresSelect {
		q.Limit = p.limitOrFetch()
		return unnested(q) // without parentheses around the whole query
	}
	if pos := p.current().pos; p.accept("LIMIT") {
		l := &Limit{Pos: pos, Count: p.expr()}
		switch {
		case p.accept("OFFSET"):
			l.Offset = p.expr()
		case p.accept(","): // LIMIT offset, count
			l.Offset, l.Count = l.Count, p.expr()
		}
		q.Limit = l
	}
	return q
}

// with parses a WITH clause.
func (p *parser) with() *With {
	return &With{Pos: p.advance().pos, Recursive: p.accept("RECURSIVE"), Tables: commaList(p, p.cte)}
}

// cte parses one table of WITH: name (columns) AS (query).
func (p *parser) cte() *CTE {
	c := &CTE{Pos: p.current().pos, Name: p.name("a table name")}
	if p.nextIs("(") {
		c.Columns = p.columnNames()
	}
	p.expect("AS")
	switch {
	case p.accept("MATERIALIZED"):
		c.Materialized = "MATERIALIZED"
	case p.accept("NOT", "MATERIALIZED"):
		c.Materialized = "NOT MATERIALIZED"
	}
	c.Query = inParens(p, p.query)
	return c
}

// selectCore parses one SELECT up to HAVING and WINDOW, or VALUES.
func (p *parser) selectCore() *Select {
	s := &Select{Pos: p.current().pos}
	if p.accept("VALUES") {
		s.Values = commaList(p, func() []Expr { return inParens(p, p.exprs) })
		return s
	}
	if p.d.postgresSelect && p.nextIs("(") {
		s.Nested = inParens(p, p.query)
		return s
	}
	p.expect("SELECT")
	s.Distinct = p.acceptOneOf("DISTINCT", "ALL") == "DISTINCT"
	if s.Distinct && p.d.postgresSelect && p.accept("ON") {
		s.On = inParens(p, p.exprs)
	}
	if !p.d.postgresSelect || !p.nextIs("FROM") { // in PostgreSQL the select list may be empty
		s.Columns = commaList(p, p.resultColumn)
	}
	if p.accept("FROM") {
		s.From = p.from()
	}
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	if p.accept("GROUP", "BY") {
		s.GroupBy = p.groupBy()
	}
	if p.accept("HAVING") {
		s.Having = p.expr()
	}
	if p.atWindowClause() {
		p.advance()
		s.Windows = commaList(p, p.windowDef)
	}
	return s
}

// resultColumn parses an entry of the select list: *, table.*, or an expression with an optional
// alias.
func (p *parser) resultColumn() *ResultColumn {
	c := &ResultColumn{Pos: p.current().pos}
	if p.accept("*") {
		c.Expr = &Star{Pos: c.Pos}
		return c
	}
	if p.isName(p.current()) && p.tokensAre(1, ".", "*") {
		c.Expr = &Star{Pos: c.Pos, Table: p.name("a table name")}
		p.next += 2
		return c
	}
	c.Expr = p.expr()
	c.Alias = p.alias()
	return c
}

// orderBy parses the terms after ORDER BY; nil if there is none.
func (p *parser) orderBy() []*OrderTerm {
	if !p.accept("ORDER", "BY") {
		return nil
	}
	return commaList(p, func() *OrderTerm {
		t := &OrderTerm{Pos: p.current().pos, Expr: p.expr()}
		t.Dir = Direction(p.acceptOneOf("ASC", "DESC"))
		if p.accept("NULLS") {
			if t.Nulls = p.acceptOneOf("FIRST", "LAST"); t.Nulls == "" {
				p.unexpected("FIRST or LAST")
			}
		}
		return t
	})
}
