package sqlast

import (
	"slices"
	"strings"
)

// limitOrFetch parses OFFSET and LIMIT or FETCH, each once and in any order; nil if there is none.
func (p *parser) limitOrFetch() *Limit {
	l := &Limit{Pos: p.current().pos}
	for {
		switch {
		case l.Count == nil && p.nextIs("LIMIT"):
			p.next++
			if p.nextIs("ALL") {
				l.Count = p.literal(NullLiteral)
			} else {
				l.Count = p.expr()
			}
		case l.Offset == nil && p.accept("OFFSET"):
			l.Offset = p.expr()
			p.acceptOneOf("ROW", "ROWS")
		case l.Count == nil && p.accept("FETCH"):
			p.fetch(l)
		case l.Count == nil && l.Offset == nil:
			return nil
		default:
			return l
		}
	}
}

// fetch parses what follows FETCH into l: FIRST 5 ROWS ONLY, or WITH TIES. Without a number it is one row.
func (p *parser) fetch(l *Limit) {
	if p.acceptOneOf("FIRST", "NEXT") == "" {
		p.unexpected("FIRST or NEXT")
	}
	l.Count = &Literal{Pos: p.current().pos, Kind: NumberLiteral, Text: "1"}
	if !p.nextIsOneOf("ROW", "ROWS") {
		l.Count = p.primary()
	}
	p.acceptOneOf("ROW", "ROWS")
	if l.Ties = p.accept("WITH", "TIES"); !l.Ties {
		p.expect("ONLY")
	}
}

// unnested returns the query in parentheses if q is nothing but one, as for ((SELECT 1)), else q.
func unnested(q *Query) *Query {
	hasClauses := q.With != nil || q.Compound != nil || q.OrderBy != nil || q.Limit != nil
	if q.Select.Nested == nil || hasClauses {
		return q
	}
	return q.Select.Nested
}

// groupBy parses the terms of GROUP BY.
func (p *parser) groupBy() []Expr {
	if !p.d.postgresSyntax {
		return p.exprs()
	}
	return commaList(p, p.groupTerm)
}

// groupTerm parses a term of GROUP BY: an expression, () or GROUPING SETS.
func (p *parser) groupTerm() Expr {
	pos := p.current().pos
	switch {
	case p.accept("(", ")"):
		return &Tuple{Pos: pos}
	case p.accept("GROUPING", "SETS"):
		return &GroupingSets{Pos: pos, Items: inParens(p, func() []Expr { return commaList(p, p.groupTerm) })}
	}
	return p.expr()
}

// typeName parses a type: words, lengths, zone, fields of an interval and brackets, and returns them as written with one
// blank between words.
func (p *parser) typeName() string {
	t := p.current()
	text := p.d.ident(p.name("a type"))
	for p.accept(".") {
		text += "." + p.d.ident(p.label("a type"))
	}
	switch t.sym {
	case "DOUBLE":
		text += p.typeWords("PRECISION")
	case "NATIONAL":
		text += p.typeWords("CHARACTER") + p.typeWords("CHAR") + p.typeWords("VARYING")
	case "CHARACTER", "CHAR", "NCHAR", "BIT":
		text += p.typeWords("VARYING")
	case "INTERVAL":
		text += p.intervalFields()
	}
	if p.nextIs("(") {
		text += p.lengths()
	}
	if t.sym == "TIME" || t.sym == "TIMESTAMP" {
		text += p.typeWords("WITH", "TIME", "ZONE") + p.typeWords("WITHOUT", "TIME", "ZONE")
	}
	if p.nextIs("ARRAY") {
		text += p.typeWords("ARRAY")
	}
	for p.accept("[") {
		text += "["
		if p.current().kind == tokNumber {
			text += p.advance().text
		}
		p.expect("]")
		text += "]"
	}
	return text
}

// typeWords consumes a sequence of words of a type and returns it with a blank before each; "" if it does not come next.
func (p *parser) typeWords(words ...string) string {
	if !p.accept(words...) {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// lengths parses the numbers in parentheses after a type.
func (p *parser) lengths() string {
	return "(" + strings.Join(inParens(p, func() []string { return commaList(p, p.signed) }), ", ") + ")"
}

// intervalFields parses the fields of an interval, such as DAY TO SECOND, and returns them with a blank before each word.
func (p *parser) intervalFields() string {
	fields := []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}
	text := p.acceptOneOf(fields...)
	if text == "" {
		return ""
	}
	if p.nextIs("TO") && slices.Contains(fields, p.peek(1).sym) {
		p.next++
		text += " TO " + p.acceptOneOf(fields...)
	}
	return " " + text
}

// typedLiteral parses a type before a string, such as DATE '2001-01-01'. It returns nil if that does not come next.
func (p *parser) typedLiteral() Expr {
	t, start := p.current(), p.next
	if t.kind != tokWord || !p.beforeString(t.sym) {
		return nil
	}
	n := &Cast{Pos: t.pos, Form: CastLiteral, Type: p.typeName()}
	if p.current().kind != tokString {
		p.next = start
		return nil
	}
	n.X = p.literal(StringLiteral)
	if t.sym == "INTERVAL" {
		n.Fields = p.intervalFields()
	}
	return n
}

// beforeString reports whether a string may follow the type that begins with the next token, whose keyword is sym or "".
func (p *parser) beforeString(sym string) bool {
	switch sym {
	case "TIME", "TIMESTAMP":
		return p.peek(1).kind == tokString || p.tokensAre(1, "WITH", "TIME", "ZONE") || p.tokensAre(1, "WITHOUT", "TIME", "ZONE")
	case "DOUBLE":
		return p.tokensAre(1, "PRECISION") && p.peek(2).kind == tokString
	}
	return p.peek(1).kind == tokString
}

// qualified parses what may follow a name and a point in PostgreSQL alone: a star as an expression, or the call of a function
// in a schema. It returns nil for anything else, such as a column.
func (p *parser) qualified(c *ColumnRef) Expr {
	switch {
	case !p.d.postgresSyntax:
	case p.accept("*"):
		return &Star{Pos: c.Pos, Table: c.Column}
	case p.tokensAre(1, "(") && p.current().kind != tokOp: // a word before "(" is a function
		return p.call(c.Column)
	}
	return nil
}

// field parses the fields of x after its parentheses.
func (p *parser) field(x Expr) Expr {
	for p.d.postgresSyntax && p.nextIs(".") {
		f := &Field{Pos: p.advance().pos, X: x}
		if !p.accept("*") {
			f.Name = p.label("a field")
		}
		x = f
	}
	return x
}

// subscript parses brackets after x.
func (p *parser) subscript(x Expr) Expr {
	n := &Index{Pos: x.Position(), X: x}
	p.expect("[")
	if !p.nextIs(":") {
		n.Low = p.expr()
	}
	if n.Slice = p.accept(":"); n.Slice && !p.nextIs("]") {
		n.High = p.expr()
	}
	p.expect("]")
	return n
}

// postgresKeyword parses an expression that begins with a keyword of PostgreSQL, t; called is set if "(" follows it. It returns
// nil if the word is a name.
func (p *parser) postgresKeyword(t *token, called bool) Expr {
	switch t.sym {
	case "ANY", "SOME", "ALL":
		if called {
			return p.quantified()
		}
	case "ARRAY":
		if called || p.tokensAre(1, "[") {
			p.next++
			return p.array(&Array{Pos: t.pos})
		}
	case "INTERVAL", "TIME", "TIMESTAMP": // with a length before the string: TIME(3) '12:00'
		if !called {
			return nil
		}
		n := &Cast{Pos: t.pos, Form: CastLiteral, Type: p.typeName()}
		if p.current().kind != tokString {
			p.unexpected("a string")
		}
		n.X = p.literal(StringLiteral)
		return n
	}
	if called && p.d.niladic[t.sym] { // CURRENT_TIME(3)
		return p.call(Ident{})
	}
	return nil
}

// quantified parses ANY, SOME or ALL with its operand.
func (p *parser) quantified() Expr {
	t := p.advance()
	n := &Quantified{Pos: t.pos, Word: t.sym}
	p.expect("(")
	if p.atQuery() {
		n.Query = p.query()
	} else {
		n.X = p.expr()
	}
	p.expect(")")
	return n
}

// array parses the items of an array in brackets, or its query in parentheses, into n.
func (p *parser) array(n *Array) Expr {
	defer p.enterLevel()()
	if p.nextIs("(") {
		n.Query = inParens(p, p.query)
		return n
	}
	p.expect("[")
	item := func() Expr {
		if p.nextIs("[") {
			return p.array(&Array{Pos: p.current().pos, Nested: true})
		}
		return p.expr()
	}
	if !p.nextIs("]") {
		n.Items = commaList(p, item)
	}
	p.expect("]")
	return n
}

// argument parses one argument of a call. In PostgreSQL it may be VARIADIC x, name => x or name := x.
func (p *parser) argument() Expr {
	t := p.current()
	if !p.d.postgresCalls {
		return p.expr()
	}
	switch {
	case p.accept("VARIADIC"):
		return &NamedArg{Pos: t.pos, X: p.expr()}
	case p.isName(t) && (p.tokensAre(1, "=>") || p.tokensAre(1, ":", "=")):
		n := &NamedArg{Pos: t.pos, Name: p.name("an argument")}
		if !p.accept("=>") {
			p.next += 2
		}
		n.X = p.expr()
		return n
	}
	return p.expr()
}

// arguments parses the arguments of a call into n.Args. EXTRACT, TRIM, POSITION, SUBSTRING and OVERLAY have words between them
// instead of commas, which go into n.Words: "YEAR FROM" and "" for EXTRACT(YEAR FROM x), "" and "FOR" for SUBSTRING(x FOR 2).
func (p *parser) arguments(n *Call) {
	word := "" // before the first argument
	switch {
	case n.Name.Is("extract") && p.current().kind == tokWord && p.tokensAre(1, "FROM"):
		word = p.advance().text
	case n.Name.Is("extract") && p.current().kind == tokString && p.tokensAre(1, "FROM"):
		word = quote(p.advance().text, "'")
	case n.Name.Is("trim"):
		word = p.acceptOneOf("BOTH", "LEADING", "TRAILING")
	}
	if (word != "" || n.Name.Is("trim")) && p.accept("FROM") {
		word = strings.TrimPrefix(word+" FROM", " ")
	}
	if n.Name.Is("position") && n.Schema.IsZero() { // POSITION(x IN y), where IN is no operator
		n.Args = []Expr{p.exprAbove(p.d.infix["IN"] + 1)}
	} else {
		n.Args = commaList(p, p.argument)
	}
	n.Words = []string{word}
	for len(n.Args) == len(n.Words) { // each further argument comes with a word; arguments with commas come without
		next := p.acceptOneOf("FROM", "FOR", "PLACING", "IN")
		if next == "" {
			break
		}
		n.Words = append(n.Words, next)
		n.Args = append(n.Args, p.expr())
	}
	if word == "" && len(n.Words) == 1 {
		n.Words = nil
	}
}
