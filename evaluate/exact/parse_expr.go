package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// parseConditions parses conditions with AND and OR between them, without parentheses. It panics, see [parser.fail], if a condition is
// followed by anything else than AND, OR, a join word or the end of the list.
func (p *parser) parseConditions() []condition {
	var list []condition
	for p.i < p.end {
		c := p.parseCondition()
		k := p.peek()
		if p.endsList() || k.isJoinWord() {
			return append(list, c)
		}
		if k != kindAnd && k != kindOr {
			p.fail("AND, OR or the end of the conditions")
		}
		c.next = k
		p.i++
		list = append(list, c)
	}
	return list
}

// parseCondition parses one condition, such as "age NOT BETWEEN 20 AND 30".
func (p *parser) parseCondition() condition {
	c := condition{comparison: comparison{unit: p.parseValUnit()}}
	c.not = p.skip(kindNot)
	if c.op = p.peek(); !c.op.isOperator() {
		p.fail("an operator")
	}
	p.i++
	c.a = p.parseValue()
	if c.op == kindBetween {
		p.expect(kindAnd, "AND")
		c.b = p.parseValue()
	}
	return c
}

// parseValue parses what a condition compares with: a query, a string, a number or a
// column. After a column it skips all tokens up to a comma, a closing parenthesis,
// AND, or a word that ends a clause, as officially.
func (p *parser) parseValue() value {
	begin := p.i
	isOpen := p.skip(kindOpen)
	var v value
	switch k := p.peek(); {
	case k == kindSelect:
		tables := p.tables // parseQuery replaces them by its own
		v = value{simpleValue{kind: queryValue}, p.parseQuery()}
		p.tables = tables
	case k == kindString:
		text := p.toks[p.i].text
		v.simpleValue = simpleValue{kind: stringValue, text: text[1 : len(text)-1]}
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
		v.simpleValue = simpleValue{kind: columnValue, unit: p.parseValueColumn(begin)}
	}
	p.closeParen(isOpen)
	return v
}

// parseValueColumn parses the column of a value that begins at token begin, possibly with a
// parenthesis, and skips the tokens after it (see parseValue).
func (p *parser) parseValueColumn(begin int) colUnit {
	outer, end := p.end, p.end
	// ends reports whether a token ends the value. Until then all tokens are skipped, even those that are no column.
	ends := func(t token) bool {
		switch t.kind {
		case kindComma, kindClose, kindAnd:
			return true
		}
		return t.kind.isBetween(kindSelect, kindAs)
	}
	if n := slices.IndexFunc(p.toks[p.i:p.end], ends); n >= 0 {
		end = p.i + n
	}
	p.i, p.end = begin, end
	u := p.parseColUnit()
	p.i, p.end = end, outer
	return u
}

// parseValUnit parses a column or two with an operator, possibly in parentheses:
// "(height - weight)".
func (p *parser) parseValUnit() valUnit {
	isOpen := p.skip(kindOpen)
	u := valUnit{a: p.parseColUnit()}
	if k := p.peek(); k.isArithmetic() {
		if k != kindNone { // "none" is a word of the official grammar; as an operator it is no operator
			u.op = k
		}
		p.i++
		u.pair, u.b = true, p.parseColUnit()
	}
	p.closeParen(isOpen)
	return u
}

// parseColUnit parses a column, possibly with an aggregate or in parentheses. Parentheses
// around an aggregate stay open for the caller, as officially.
func (p *parser) parseColUnit() colUnit {
	isOpen := p.skip(kindOpen)
	var u colUnit
	k := p.peek()
	if k.isAggregate() {
		u.agg = int8(k - kindNone) // kindNone itself is no aggregate, 0
		p.i++
		p.expect(kindOpen, `"("`)
		isOpen = true // only this one is closed
	}
	u.distinct = p.skip(kindDistinct)
	u.column = p.parseColumn()
	p.closeParen(isOpen)
	return u
}

// parseColumn parses the name of a column or "*".
func (p *parser) parseColumn() int32 {
	if p.i >= p.end {
		p.fail("a column")
	}
	t := &p.toks[p.i]
	if t.kind == kindStar {
		p.i++
		return star
	}
	id, ok := p.findColumn(t)
	if !ok {
		p.fail("a column of the tables in FROM")
	}
	p.i++
	return id
}

// findColumn returns the position in Schema.column of the column that a token names. A name
// without a table is looked up in the tables of FROM, in their order.
func (p *parser) findColumn(t *token) (id int32, ok bool) {
	switch t.kind {
	case kindGlued, kindString:
		return 0, false
	}
	if table, name, dotted := strings.Cut(t.text, "."); dotted {
		w, known := p.schema.words[name] // w.column is the number of the name, in whatever table
		if !known || strings.Contains(name, ".") {
			return 0, false
		}
		tableWord, known := p.schema.words[table]
		if !known { // an alias, perhaps
			tableWord.table = -1
		}
		id, ok = p.schema.columns[tableColumn{p.resolveTable(table, tableWord.table), w.column}]
		return id, ok
	}
	for _, table := range p.tables {
		if id, ok = p.schema.columns[tableColumn{table, t.word.column}]; ok {
			return id, true
		}
	}
	return 0, false
}

// number parses a number as Python's float does, except for digits beyond ASCII:
// "1_000" is one thousand.
func number(text string) (float64, bool) {
	if strings.IndexByte("+-.in0123456789", text[0]) < 0 || strings.ContainsAny(text, "xXpP") { // inf and nan are, 0x1p3 is not
		return 0, false
	}
	if strings.Contains(text, "_") {
		if looseUnderscore.MatchString(text) {
			return 0, false
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 { // a number out of range is infinite, also in Python
		return 0, false
	}
	return f, true
}

// looseUnderscore finds an underscore that does not stand between two digits.
var looseUnderscore = lazyregexp.New(`(^|\D)_|_(\D|$)`)
