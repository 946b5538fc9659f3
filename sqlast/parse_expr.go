package sqlast

import (
	"slices"
	"strings"
)

// exprs parses expressions with commas between them.
func (p *parser) exprs() []Expr { return commaList(p, p.expr) }

// expr parses an expression.
func (p *parser) expr() Expr { return p.exprAbove(precOr) }

// exprAbove parses an expression whose operators have at least the precedence prec. It reads one
// operator after the other, because all infix operators group to the left: a - b - c is (a - b) - c.
func (p *parser) exprAbove(prec int) Expr {
	defer p.enterLevel()()
	x := p.prefix()
	for previous := 0; ; {
		level := p.d.level(p.current().sym)
		// PostgreSQL has comparisons that do not chain: in a = b = c, both operators could take b.
		if level == previous && !p.d.chains(level) && endsOpen(x) {
			p.unexpected("parentheses around what is before it")
		}
		y := p.infix(x, prec, level)
		if y == nil {
			return x
		}
		x, previous = y, level
	}
}

// endsOpen reports whether an expression ends with an operand that a further operator could take too, as b in a = b = c. IN ends with
// a parenthesis, and IS mostly with a keyword such as NULL.
func endsOpen(x Expr) bool {
	switch x := x.(type) {
	case *In:
		return false
	case *Binary:
		return !slices.Contains([]string{"IS", "IS NOT"}, x.Op)
	}
	return true
}

// prefix parses an expression that begins here, up to its first binary operator.
func (p *parser) prefix() Expr {
	t := p.current()
	if level := p.d.prefixLevel(t.sym); level > 0 {
		p.next++
		return &Unary{Pos: t.pos, Op: t.sym, X: p.exprAbove(level)}
	}
	return p.primary()
}

// infix parses an infix operator and its right side; x is the expression on its left side. level is the precedence of the
// next token, 0 if that is no operator. It returns nil if level is less than prec, or if the token begins no operator here.
func (p *parser) infix(x Expr, prec, level int) Expr {
	sym := p.current().sym
	if level == 0 || level < prec {
		return nil
	}
	pos := x.Position()
	switch sym {
	case "IS", "ISNULL", "NOTNULL", "NOT", "IN", "BETWEEN", "LIKE", "ILIKE", "SIMILAR", "GLOB", "REGEXP", "MATCH":
		return p.wordOperator(x, level)
	case "COLLATE":
		p.next++
		return &Collate{Pos: pos, X: x, Collation: p.name("a collation")}
	case "::":
		p.next++
		return &Cast{Pos: pos, X: x, Type: p.typeName(), Form: CastColons}
	case "[":
		return p.subscript(x)
	case "AT":
		if !p.tokensAre(1, "TIME", "ZONE") {
			return nil
		}
		p.next += 2
		sym = "AT TIME ZONE"
	}
	p.next++
	return &Binary{Pos: pos, Op: sym, X: x, Y: p.exprAbove(level + 1)}
}

// wordOperator parses an operator of words that binds like "=" in SQLite: IS, IN, BETWEEN, LIKE and their
// negations. x is the expression on its left side, level the precedence. It returns nil, and consumes nothing,
// if no such operator comes next.
func (p *parser) wordOperator(x Expr, level int) Expr {
	pos := x.Position()
	null := func(op string) Expr {
		return &Binary{Pos: pos, Op: op, X: x, Y: &Literal{Pos: p.current().pos, Kind: NullLiteral, Text: "NULL"}}
	}
	switch {
	case p.accept("ISNULL"):
		return null("IS")
	case p.accept("NOTNULL"), p.accept("NOT", "NULL"):
		return null("IS NOT")
	case p.accept("IS"):
		return p.is(x, level)
	}
	not := p.nextIs("NOT")
	if not { // NOT may also begin something else
		switch sym := p.peek(1).sym; {
		case sym == "IN", sym == "BETWEEN", slices.Contains(p.d.likes, sym):
			p.next++
		default:
			return nil
		}
	}
	switch {
	case p.accept("IN"):
		return p.in(&In{Pos: pos, Not: not, X: x})
	case p.accept("BETWEEN"):
		b := &Between{Pos: pos, Not: not, X: x, Symmetric: p.d.postgresSyntax && p.accept("SYMMETRIC"), Low: p.exprAbove(level)}
		p.expect("AND")
		b.High = p.exprAbove(level + 1)
		return b
	}
	return p.like(&Like{Pos: pos, Not: not, X: x}, level)
}

// is parses the rest of a comparison x IS [NOT] [DISTINCT FROM] y after IS; level is the precedence of IS. A dialect with a boolean
// type has UNKNOWN as a third value; in SQLite it is the name of a column.
func (p *parser) is(x Expr, level int) Expr {
	op := "IS"
	if p.accept("NOT") {
		op += " NOT"
	}
	if p.accept("DISTINCT", "FROM") {
		op += " DISTINCT FROM"
	}
	if p.d.postgresSyntax && p.nextIs("UNKNOWN") {
		return &Binary{Pos: x.Position(), Op: op, X: x, Y: p.literal(BoolLiteral)}
	}
	return &Binary{Pos: x.Position(), Op: op, X: x, Y: p.exprAbove(level + 1)}
}

// like parses an operator of patterns and its pattern into n.
func (p *parser) like(n *Like, level int) Expr {
	if n.Op = p.acceptOneOf(p.d.likes...); n.Op == "SIMILAR" {
		p.expect("TO")
		n.Op = "SIMILAR TO"
	}
	n.Pattern = p.exprAbove(level + 1)
	if p.accept("ESCAPE") {
		n.Escape = p.exprAbove(p.d.escape)
	}
	return n
}

// in parses the right side of IN, which is a list, a query or a table, into n.
func (p *parser) in(n *In) Expr {
	pos := p.current().pos
	if !p.accept("(") {
		n.Table = p.tableName(pos)
		return n
	}
	switch {
	case p.atQuery():
		n.Query = p.query()
	case !p.nextIs(")"):
		n.List = p.exprs()
	}
	p.expect(")")
	return n
}

// primary parses an operand: a literal, a parameter, a column, a function call, or anything in
// parentheses.
func (p *parser) primary() Expr {
	t := p.current()
	switch t.kind {
	case tokNumber:
		return p.literal(NumberLiteral)
	case tokBlob:
		return p.literal(BlobLiteral)
	case tokString:
		if !p.tokensAre(1, ".") { // before a point a string is the name of a table
			return p.literal(StringLiteral)
		}
	case tokParam:
		p.next++
		return &Param{Pos: t.pos, Text: t.text}
	case tokOp:
		if p.accept("(") {
			return p.parenthesised(t.pos)
		}
	case tokWord:
		if x := p.keywordExpr(t); x != nil {
			return x
		}
	}
	if !p.isName(t) {
		p.unexpected("an expression")
	}
	if p.tokensAre(1, "(") {
		return p.call(Ident{})
	}
	if p.d.postgresSyntax { // DATE '2001-01-01'
		if x := p.typedLiteral(); x != nil {
			return x
		}
	}
	c := &ColumnRef{Pos: t.pos, Column: p.name("a column")}
	if p.accept(".") {
		if x := p.qualified(c); x != nil {
			return x
		}
		c.Table, c.Column = c.Column, p.label("a column")
		if p.accept(".") {
			c.Schema, c.Table, c.Column = c.Table, c.Column, p.label("a column")
		}
	}
	return c
}

// literal consumes a token as a literal of a kind.
func (p *parser) literal(kind LiteralKind) Expr {
	t := p.advance()
	return &Literal{Pos: t.pos, Kind: kind, Text: t.text}
}

// keywordExpr parses an expression that begins with the keyword t, such as CASE. It returns nil
// if the word is a name there.
func (p *parser) keywordExpr(t *token) Expr {
	called, qualifies := p.tokensAre(1, "("), p.tokensAre(1, ".")
	alone := !called && !qualifies
	switch t.sym {
	case "NULL":
		return p.literal(NullLiteral)
	case "CASE":
		return p.caseExpr()
	case "CAST":
		if called {
			return p.cast()
		}
	case "EXISTS":
		p.next++
		return &Exists{Pos: t.pos, Query: inParens(p, p.query)}
	case "": // no keyword: a name, TRUE or FALSE
		if alone && isConstant(t.text) {
			return p.literal(BoolLiteral)
		}
	default:
		switch {
		case alone && p.d.niladic[t.sym]:
			return p.literal(TimeLiteral)
		case p.d.postgresSyntax:
			return p.postgresKeyword(t, called)
		}
	}
	return nil
}

// parenthesised parses a query, an expression or a row value, and the ")" after it. The "(" at
// pos is consumed already.
func (p *parser) parenthesised(pos Pos) Expr {
	if p.atQuery() {
		n := &Subquery{Pos: pos, Query: p.query()}
		p.expect(")")
		return n
	}
	items := p.exprs()
	p.expect(")")
	if len(items) == 1 {
		return p.field(items[0])
	}
	return &Tuple{Pos: pos, Items: items}
}

// caseExpr parses CASE … END.
func (p *parser) caseExpr() Expr {
	n := &Case{Pos: p.advance().pos}
	if !p.nextIs("WHEN") {
		n.Operand = p.expr()
	}
	for {
		w := &When{Pos: p.current().pos}
		if !p.accept("WHEN") {
			break
		}
		w.Cond = p.expr()
		p.expect("THEN")
		w.Result = p.expr()
		n.Whens = append(n.Whens, w)
	}
	if len(n.Whens) == 0 {
		p.unexpected("WHEN")
	}
	if p.accept("ELSE") {
		n.Else = p.expr()
	}
	p.expect("END")
	return n
}

// cast parses CAST(expression AS type). SQLite takes any words for a type, and one or two numbers in parentheses.
func (p *parser) cast() Expr {
	n := &Cast{Pos: p.advance().pos}
	p.expect("(")
	n.X = p.expr()
	p.expect("AS")
	if p.d.postgresSyntax {
		n.Type = p.typeName()
		p.expect(")")
		return n
	}
	var words []string
	for p.isName(p.current()) {
		words = append(words, p.d.ident(p.name("a type")))
	}
	n.Type = strings.Join(words, " ")
	if n.Type != "" && p.accept("(") {
		n.Type += "(" + p.signed()
		if p.accept(",") {
			n.Type += ", " + p.signed()
		}
		p.expect(")")
		n.Type += ")"
	}
	p.expect(")")
	return n
}

// signed parses a number with an optional sign, in the declaration of a type.
func (p *parser) signed() string {
	sign := ""
	switch p.current().sym {
	case "-", "+":
		sign = p.advance().text
	}
	if p.current().kind != tokNumber {
		p.unexpected("a number")
	}
	return sign + p.advance().text
}

// call parses a function call with its FILTER and OVER clauses. schema is the schema before its name, or zero. OVER before anything
// but a window is left as an alias.
func (p *parser) call(schema Ident) Expr {
	t := p.advance()
	n := &Call{Pos: t.pos, Schema: schema, Name: Ident{t.text, t.quote}}
	p.expect("(")
	if p.accept("*") {
		n.Star = true
	} else if !p.nextIs(")") {
		n.Distinct = p.acceptOneOf("DISTINCT", "ALL") == "DISTINCT"
		if p.d.postgresCalls {
			p.arguments(n)
		} else {
			n.Args = p.exprs()
		}
		n.OrderBy = p.orderBy()
	}
	p.expect(")")
	if p.d.postgresCalls && p.accept("WITHIN", "GROUP") {
		n.Within = true
		n.OrderBy = inParens(p, p.orderBy)
	}
	if p.accept("FILTER", "(") {
		p.expect("WHERE")
		n.Filter = p.expr()
		p.expect(")")
	}
	switch following := p.peek(1); { // the token after OVER
	case !p.nextIs("OVER"): // no such clause
	case following.sym == "(":
		p.next++
		n.Over = p.window()
	case p.isName(following):
		p.next++
		n.Over = &Window{Pos: following.pos, Name: p.name("a window")}
	}
	return n
}
