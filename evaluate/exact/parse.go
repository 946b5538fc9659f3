package exact

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/raise"
)

// maxNesting bounds how deep queries nest and how long set operations chain.
const maxNesting = 200

// maxReused bounds the tokens of a parser that is used again for another query, so that one very long query does not
// hold memory for good.
const maxReused = 1 << 12

// A parser reads queries by the official grammar. Its methods report an error by
// a panic with a *SyntaxError, which parse recovers.
type parser struct {
	schema  *Schema
	scanner scanner
	src     string
	toks    []token
	i, end  int // the next token, and the end of the tokens that may be read
	depth   int
	tables  []int32          // of the current FROM, each once: they resolve columns without a table
	aliases map[string]int32 // to tables; -1 if an alias names no table
}

// newParser returns a parser of queries on a schema.
func newParser(s *Schema) *parser {
	return &parser{schema: s, scanner: scanner{schema: s}, aliases: map[string]int32{}}
}

// parse parses a query. Tokens after its end are ignored, as officially.
// The error is a *SyntaxError.
func (s *Schema) parse(src string) (q *query, err error) {
	p := s.parsers.Get().(*parser)
	defer p.release()
	defer raise.Catch[*SyntaxError](&err)
	p.src = src
	if p.toks, err = p.scanner.scan(src); err != nil {
		return nil, err
	}
	p.end = len(p.toks)
	p.findAliases()
	return p.parseQuery(), nil
}

// release returns the parser to the pool, ready for the next query.
func (p *parser) release() {
	s := p.schema
	if max(cap(p.scanner.toks), len(p.aliases)) > maxReused {
		s.parsers.Put(newParser(s))
		return
	}
	clear(p.aliases)
	*p = parser{schema: s, scanner: scanner{schema: s, toks: p.scanner.toks}, aliases: p.aliases}
	s.parsers.Put(p)
}

// findAliases stores the word after each AS of the whole query as an alias of the table that the word before AS
// names, as officially: "singer AS T1" makes T1 an alias of singer. Aliases hold in all nested queries.
func (p *parser) findAliases() {
	for i := range p.toks {
		if p.toks[i].kind != kindAs {
			continue
		}
		if i == 0 || i+1 == len(p.toks) {
			p.failAt(i, "AS without a name on both sides")
		}
		alias := &p.toks[i+1]
		if alias.table >= 0 {
			p.failAt(i+1, fmt.Sprintf("alias %s is the name of a table", alias.text))
		}
		p.aliases[alias.text] = p.toks[i-1].table
	}
}

// failAt panics with a *SyntaxError at token i.
func (p *parser) failAt(i int, msg string) {
	pos := len(p.src)
	if i < len(p.toks) {
		pos = p.toks[i].pos
	}
	panic(syntaxError(p.src, pos, msg))
}

// fail panics with a *SyntaxError: the next token is not what was expected.
func (p *parser) fail(expected string) {
	found := "the end"
	if p.i < len(p.toks) {
		found = fmt.Sprintf("%.40q", p.toks[p.i].text)
	}
	p.failAt(p.i, fmt.Sprintf("%s, expected %s", found, expected))
}

// peek returns the next token's kind.
func (p *parser) peek() kind {
	if p.i < p.end {
		return p.toks[p.i].kind
	}
	return kindEnd
}

// skip steps over the next token if it is of kind k, and reports whether it was.
func (p *parser) skip(k kind) bool {
	if p.peek() == k {
		p.i++
		return true
	}
	return false
}

// expect steps over the next token, which must be of kind k; what names it in the error.
func (p *parser) expect(k kind, what string) {
	if !p.skip(k) {
		p.fail(what)
	}
}

// closeParen steps over a closing parenthesis, if isOpen is set: an opening one was skipped.
func (p *parser) closeParen(isOpen bool) {
	if isOpen {
		p.expect(kindClose, `")"`)
	}
}

// endsList reports whether the next token ends a list of GROUP BY, ORDER BY or FROM.
func (p *parser) endsList() bool {
	k := p.peek()
	switch k {
	case kindClose, kindSemicolon, kindEnd:
		return true
	}
	return k.endsClause()
}

// parseQuery parses a query, possibly in parentheses. FROM comes first, because it gives
// the tables of the columns in the select list.
func (p *parser) parseQuery() *query {
	if p.depth++; p.depth > maxNesting {
		p.fail(fmt.Sprintf("queries nested at most %d deep", maxNesting))
	}
	q := &query{}
	begin := p.i
	isOpen := p.skip(kindOpen)
	selectBegin := p.i
	p.parseFrom(q, begin)
	fromEnd := p.i
	p.i = selectBegin
	p.parseSelect(q)
	p.i = fromEnd
	if p.skip(kindWhere) {
		q.where = p.parseConditions()
	}
	p.parseGroupBy(q)
	if p.skip(kindHaving) {
		q.having = p.parseConditions()
	}
	p.parseOrderBy(q)
	if p.skip(kindLimit) {
		q.limit = true
		if p.i++; p.i > p.end { // any token passes for the value, as officially
			p.fail("the value of LIMIT")
		}
	}
	p.skipSemicolons()
	p.closeParen(isOpen)
	p.skipSemicolons()
	if k := p.peek(); k.isSetOp() {
		p.i++
		q.setOp, q.next = k, p.parseQuery()
	}
	p.depth--
	return q
}

// skipSemicolons steps over any semicolons.
func (p *parser) skipSemicolons() {
	for p.skip(kindSemicolon) {
	}
}

// parseFrom parses the first FROM after begin and stops after it. The words JOIN and ON
// may be missing, as officially.
func (p *parser) parseFrom(q *query, begin int) {
	i := slices.IndexFunc(p.toks[begin:], func(t token) bool { return t.kind == kindFrom })
	if i < 0 {
		p.fail("a query with FROM")
	}
	p.i = begin + i + 1
	var tables []int32
	for p.i < p.end {
		isOpen := p.skip(kindOpen)
		if p.peek() == kindSelect {
			q.tables = append(q.tables, tableUnit{table: -1, query: p.parseQuery()})
		} else {
			p.skip(kindJoin)
			t := p.parseTable()
			q.tables = append(q.tables, tableUnit{table: t})
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
		p.tables = tables // for the columns of ON; a query in FROM has set its own
		if p.skip(kindOn) {
			if n := len(q.on); n > 0 {
				q.on[n-1].next = kindAnd // the conditions of all joins are one list
			}
			q.on = append(q.on, p.parseConditions()...)
		}
		p.closeParen(isOpen)
		if p.endsList() {
			break
		}
	}
	p.tables = tables
}

// parseTable parses a table with its alias.
func (p *parser) parseTable() int32 {
	t := int32(-1)
	if p.i < p.end {
		t = p.resolveTable(p.toks[p.i].text, p.toks[p.i].table)
	}
	if t < 0 {
		p.fail("a table")
	}
	p.i++
	if p.skip(kindAs) {
		p.i++ // the alias, which findAliases has stored
	}
	return t
}

// resolveTable returns the index of the table of a name or alias, or -1. table is the table of that name
// in the schema, or -1; it takes precedence over an alias.
func (p *parser) resolveTable(text string, table int32) int32 {
	if t, ok := p.aliases[text]; ok && table < 0 {
		return t
	}
	return table
}

// parseSelect parses SELECT with its columns. Commas may be missing, as officially.
func (p *parser) parseSelect(q *query) {
	p.expect(kindSelect, "SELECT")
	q.distinct = p.skip(kindDistinct)
	for p.i < p.end && !p.peek().endsClause() {
		var item selectItem
		if k := p.peek(); k.isAggregate() {
			item.agg = int8(k - kindNone) // kindNone itself is no aggregate, 0
			p.i++
		}
		item.unit = p.parseValUnit()
		q.selects = append(q.selects, item)
		p.skip(kindComma)
	}
}

// parseGroupBy parses GROUP BY, if it follows.
func (p *parser) parseGroupBy(q *query) {
	if !p.skip(kindGroup) {
		return
	}
	p.expect(kindBy, "BY")
	for !p.endsList() {
		q.group = append(q.group, p.parseColUnit())
		if !p.skip(kindComma) {
			break
		}
	}
}

// parseOrderBy parses ORDER BY, if it follows. The last direction counts for all terms,
// as officially.
func (p *parser) parseOrderBy(q *query) {
	if !p.skip(kindOrder) {
		return
	}
	q.ordered = true
	p.expect(kindBy, "BY")
	for !p.endsList() {
		q.order = append(q.order, p.parseValUnit())
		if k := p.peek(); k.isBetween(kindAsc, kindDesc) {
			q.desc = k == kindDesc
			p.i++
		}
		if !p.skip(kindComma) {
			break
		}
	}
}
