package exact

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/raise"
)

// maxNesting bounds how deep queries nest and how long set operations chain.
const maxNesting = 200

// maxReused bounds the tokens of a parser that is used again for another query, so that
// one very long query does not hold memory.
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
	return p.query(), nil
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

// findAliases stores the alias after each AS of the whole query with the table that
// the word before AS names, as officially: "singer AS T1" makes T1 an alias.
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

// next returns the next token's kind.
func (p *parser) next() kind {
	if p.i < p.end {
		return p.toks[p.i].kind
	}
	return kindEnd
}

// skip steps over the next token if it is of kind k, and reports whether it was.
func (p *parser) skip(k kind) bool {
	if p.next() == k {
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

// close steps over the closing parenthesis of a block; block is false if none was opened.
func (p *parser) close(block bool) {
	if block {
		p.expect(kindClose, `")"`)
	}
}

// closes reports whether the next token ends a list of GROUP BY, ORDER BY or FROM.
func (p *parser) closes() bool {
	k := p.next()
	switch k {
	case kindClose, kindSemicolon, kindEnd:
		return true
	}
	return k.clause()
}

// query parses a query, possibly in parentheses. FROM comes first, because it gives
// the tables of the columns in the select list.
func (p *parser) query() *query {
	if p.depth++; p.depth > maxNesting {
		p.fail(fmt.Sprintf("queries nested at most %d deep", maxNesting))
	}
	q := &query{}
	begin := p.i
	block := p.skip(kindOpen)
	selectAt := p.i
	p.from(q, begin)
	after := p.i
	p.i = selectAt
	p.selectList(q)
	p.i = after
	if p.skip(kindWhere) {
		q.where = p.conditions()
	}
	p.groupBy(q)
	if p.skip(kindHaving) {
		q.having = p.conditions()
	}
	p.orderBy(q)
	if p.skip(kindLimit) {
		q.limit = true
		if p.i++; p.i > p.end {
			p.fail("the value of LIMIT")
		}
	}
	p.semicolons()
	p.close(block)
	p.semicolons()
	if k := p.next(); k.setOp() {
		p.i++
		q.setOp, q.next = k, p.query()
	}
	p.depth--
	return q
}

func (p *parser) semicolons() {
	for p.skip(kindSemicolon) {
	}
}

// from parses the first FROM after begin and stops after it. The words JOIN and ON
// may be missing, as officially.
func (p *parser) from(q *query, begin int) {
	i := slices.IndexFunc(p.toks[begin:], func(t token) bool { return t.kind == kindFrom })
	if i < 0 {
		p.fail("a query with FROM")
	}
	p.i = begin + i + 1
	var tables []int32
	for p.i < p.end {
		block := p.skip(kindOpen)
		if p.next() == kindSelect {
			q.tables = append(q.tables, tableUnit{table: -1, query: p.query()})
		} else {
			p.skip(kindJoin)
			t := p.table()
			q.tables = append(q.tables, tableUnit{table: t})
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
		p.tables = tables
		if p.skip(kindOn) {
			if n := len(q.on); n > 0 {
				q.on[n-1].next = kindAnd
			}
			q.on = append(q.on, p.conditions()...)
		}
		p.close(block)
		if p.closes() {
			break
		}
	}
	p.tables = tables
}

// table parses a table with its alias.
func (p *parser) table() int32 {
	t := int32(-1)
	if p.i < p.end {
		t = p.tableNamed(p.toks[p.i].text, p.toks[p.i].table)
	}
	if t < 0 {
		p.fail("a table")
	}
	p.i++
	if p.skip(kindAs) {
		p.i++
	}
	return t
}

// tableNamed returns the table of a name or alias, or -1. table is the table of that
// name in the schema, or -1; it comes before an alias.
func (p *parser) tableNamed(text string, table int32) int32 {
	if t, ok := p.aliases[text]; ok && table < 0 {
		return t
	}
	return table
}

// selectList parses SELECT with its columns. Commas may be missing, as officially.
func (p *parser) selectList(q *query) {
	p.expect(kindSelect, "SELECT")
	q.distinct = p.skip(kindDistinct)
	for p.i < p.end && !p.next().clause() {
		var item selectItem
		if k := p.next(); k.aggregate() {
			item.agg = int8(k - kindNone)
			p.i++
		}
		item.unit = p.valUnit()
		q.selects = append(q.selects, item)
		p.skip(kindComma)
	}
}

// groupBy parses GROUP BY, if it follows.
func (p *parser) groupBy(q *query) {
	if !p.skip(kindGroup) {
		return
	}
	p.expect(kindBy, "BY")
	for !p.closes() {
		q.group = append(q.group, p.colUnit())
		if !p.skip(kindComma) {
			break
		}
	}
}

// orderBy parses ORDER BY, if it follows. The last direction counts for all terms,
// as officially.
func (p *parser) orderBy(q *query) {
	if !p.skip(kindOrder) {
		return
	}
	q.ordered = true
	p.expect(kindBy, "BY")
	for !p.closes() {
		q.order = append(q.order, p.valUnit())
		if k := p.next(); k.within(kindAsc, kindDesc) {
			q.desc = k == kindDesc
			p.i++
		}
		if !p.skip(kindComma) {
			break
		}
	}
}
