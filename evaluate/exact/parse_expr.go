package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// conditions reads conditions with AND and OR between them, without parentheses.
func (p *parser) conditions() []condition {
	var list []condition
	for p.i < p.end {
		c := p.condition()
		k := p.next()
		if p.closes() || k.join() {
			return append(list, c)
		}
		if !k.within(kindAnd, kindOr) {
			p.fail("AND, OR or the end of the conditions")
		}
		c.next = k
		p.i++
		list = append(list, c)
	}
	return list
}

func (p *parser) condition() condition {
	c := condition{comparison: comparison{unit: p.valUnit()}}
	c.not = p.skip(kindNot)
	if c.op = p.next(); !c.op.operator() {
		p.fail("an operator")
	}
	p.i++
	c.a = p.value()
	if c.op == kindBetween {
		p.expect(kindAnd, "AND")
		c.b = p.value()
	}
	return c
}

// value reads what a condition compares with: a query, a string, a number or a
// column. All that stands behind a column is passed over up to a comma, a
// closing parenthesis, AND, or a word that ends a clause.
func (p *parser) value() value {
	begin := p.i
	block := p.skip(kindOpen)
	var v value
	switch k := p.next(); {
	case k == kindSelect:
		tables := p.tables
		v = value{plain{kind: queryValue}, p.query()}
		p.tables = tables
	case k == kindString:
		text := p.toks[p.i].text
		v.plain = plain{kind: stringValue, text: text[1 : len(text)-1]}
		p.i++
	case k == kindEnd:
		p.fail("a value")
	default:
		var ok bool
		if v.number, ok = number(p.toks[p.i].text); ok {
			v.kind = numberValue
			p.i++
			break
		}
		v.plain = plain{kind: columnValue, unit: p.valueColumn(begin)}
	}
	p.close(block)
	return v
}

// valueColumn reads the column of a value that begins at begin, where a
// parenthesis may stand.
func (p *parser) valueColumn(begin int) colUnit {
	outer, end := p.end, p.end
	ends := func(t token) bool {
		switch t.kind {
		case kindComma, kindClose, kindAnd:
			return true
		}
		return t.kind.within(kindSelect, kindAs)
	}
	if n := slices.IndexFunc(p.toks[p.i:p.end], ends); n >= 0 {
		end = p.i + n
	}
	p.i, p.end = begin, end
	u := p.colUnit()
	p.i, p.end = end, outer
	return u
}

// valUnit reads a column or two with an operator, perhaps in parentheses.
func (p *parser) valUnit() valUnit {
	block := p.skip(kindOpen)
	u := valUnit{a: p.colUnit()}
	if k := p.next(); k.unit() {
		if k != kindNone {
			u.op = k
		}
		p.i++
		u.pair, u.b = true, p.colUnit()
	}
	p.close(block)
	return u
}

// colUnit reads a column, perhaps with an aggregate or in parentheses; those
// around an aggregate are not closed here, as officially.
func (p *parser) colUnit() colUnit {
	block := p.skip(kindOpen)
	var u colUnit
	k := p.next()
	if k.aggregate() {
		u.agg = int8(k - kindNone)
		p.i++
		p.expect(kindOpen, `"("`)
		block = true
	}
	u.distinct = p.skip(kindDistinct)
	u.column = p.column()
	p.close(block)
	return u
}

// column reads a column's name. Without a table it is sought in the tables of
// FROM, in their order.
func (p *parser) column() int32 {
	if p.i >= p.end {
		p.fail("a column")
	}
	t := &p.toks[p.i]
	if t.kind == kindStar {
		p.i++
		return star
	}
	id, ok := p.lookup(t)
	if !ok {
		p.fail("a column of the tables in FROM")
	}
	p.i++
	return id
}

func (p *parser) lookup(t *token) (id int32, ok bool) {
	if t.kind == kindGlued || t.kind == kindString {
		return 0, false
	}
	if table, name, dotted := strings.Cut(t.text, "."); dotted {
		w, known := p.schema.words[name]
		if !known || strings.Contains(name, ".") {
			return 0, false
		}
		tw, known := p.schema.words[table]
		if !known {
			tw.table = -1
		}
		id, ok = p.schema.columns[qualified{p.named(table, tw.table), w.column}]
		return id, ok
	}
	if t.word.column < 0 {
		return 0, false
	}
	for _, table := range p.tables {
		if id, ok = p.schema.columns[qualified{table, t.word.column}]; ok {
			return id, true
		}
	}
	return 0, false
}

// number reads a number as Python's float does, but for digits beyond ASCII.
func number(text string) (float64, bool) {
	if strings.IndexByte("+-.in0123456789", text[0]) < 0 || strings.ContainsAny(text, "xXpP") {
		return 0, false
	}
	if strings.Contains(text, "_") {
		if looseUnderscore.MatchString(text) {
			return 0, false
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 { // what is too large is infinite
		return 0, false
	}
	return f, true
}

// looseUnderscore finds an underscore that does not stand between two digits.
var looseUnderscore = lazyregexp.New(`(^|\D)_|_(\D|$)`)
