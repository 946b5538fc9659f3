package sqlast

import "strings"

func (p *parser) exprs() []Expr {
	list := []Expr{p.expr()}
	for p.op(",") {
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) expr() Expr { return p.exprAbove(precOr) }

// exprAbove reads an expression of operators that bind as tightly as prec or
// tighter. All of SQLite's infix operators group to the left.
func (p *parser) exprAbove(prec int) Expr {
	defer p.nest()()
	x := p.prefix()
	for {
		y := p.infix(x, prec)
		if y == nil {
			return x
		}
		x = y
	}
}

func (p *parser) prefix() Expr {
	t := p.tok()
	switch {
	case p.keywords("NOT"):
		return &Unary{Pos: t.pos, Op: "NOT", X: p.exprAbove(precNot)}
	case t.kind == tokOp && (t.text == "-" || t.text == "+" || t.text == "~"):
		p.at++
		return &Unary{Pos: t.pos, Op: t.text, X: p.exprAbove(precUnary)}
	}
	return p.primary()
}

// infix reads the operator and the rest of an expression that begins with x,
// or returns nil where no operator of precedence prec or above comes next.
func (p *parser) infix(x Expr, prec int) Expr {
	t := p.tok()
	if t.kind == tokOp {
		level := binaryPrec(t.text)
		if level == 0 || level < prec {
			return nil
		}
		p.at++
		return &Binary{Pos: x.Position(), Op: t.text, X: x, Y: p.exprAbove(level + 1)}
	}
	if t.kind != tokWord || t.kw == "" {
		return nil
	}
	switch t.kw {
	case "OR", "AND":
		level := binaryPrec(t.kw)
		if level < prec {
			return nil
		}
		p.at++
		return &Binary{Pos: x.Position(), Op: t.kw, X: x, Y: p.exprAbove(level + 1)}
	case "COLLATE":
		if prec > precCollate {
			return nil
		}
		p.at++
		return &Collate{Pos: x.Position(), X: x, Collation: p.name("a collation")}
	}
	if prec > precEqual {
		return nil
	}
	return p.wordOperator(x)
}

// wordOperator reads an operator of words at the level of equality.
func (p *parser) wordOperator(x Expr) Expr {
	pos := x.Position()
	null := func(op string) Expr {
		return &Binary{Pos: pos, Op: op, X: x, Y: &Literal{Pos: p.tok().pos, Kind: NullLiteral, Text: "NULL"}}
	}
	switch {
	case p.keywords("ISNULL"):
		return null("IS")
	case p.keywords("NOTNULL"), p.keywords("NOT", "NULL"):
		return null("IS NOT")
	case p.keywords("IS"):
		op := "IS"
		if p.keywords("NOT") {
			op += " NOT"
		}
		if p.keywords("DISTINCT", "FROM") {
			op += " DISTINCT FROM"
		}
		return &Binary{Pos: pos, Op: op, X: x, Y: p.exprAbove(precEqual + 1)}
	}
	not := false
	if p.isKeyword("NOT") {
		switch p.peek(1).kw {
		case "IN", "BETWEEN", "LIKE", "GLOB", "REGEXP", "MATCH":
			p.at++
			not = true
		default:
			return nil
		}
	}
	switch kw := p.oneOf("IN", "BETWEEN", "LIKE", "GLOB", "REGEXP", "MATCH"); kw {
	case "":
		return nil
	case "IN":
		return p.in(&In{Pos: pos, Not: not, X: x})
	case "BETWEEN":
		b := &Between{Pos: pos, Not: not, X: x, Low: p.exprAbove(precEqual)}
		p.expectKeyword("AND")
		b.High = p.exprAbove(precEqual + 1)
		return b
	default:
		l := &Like{Pos: pos, Op: kw, Not: not, X: x, Pattern: p.exprAbove(precEqual + 1)}
		if p.keywords("ESCAPE") {
			l.Escape = p.exprAbove(precEscape + 1)
		}
		return l
	}
}

func (p *parser) in(n *In) Expr {
	pos := p.tok().pos
	if !p.op("(") {
		n.Table = p.tableName(pos)
		return n
	}
	switch {
	case p.atQuery():
		n.Query = p.query()
	case !p.isOp(")"):
		n.List = p.exprs()
	}
	p.expectOp(")")
	return n
}

// primary reads an expression without operators outside parentheses.
func (p *parser) primary() Expr {
	t := p.tok()
	switch t.kind {
	case tokNumber:
		return p.literal(NumberLiteral)
	case tokBlob:
		return p.literal(BlobLiteral)
	case tokString:
		if dot := p.peek(1); dot.kind != tokOp || dot.text != "." {
			return p.literal(StringLiteral)
		}
	case tokParam:
		p.at++
		return &Param{Pos: t.pos, Text: t.text}
	case tokOp:
		if p.op("(") {
			return p.parenthesised(t.pos)
		}
	case tokWord:
		if x := p.keywordExpr(t); x != nil {
			return x
		}
	}
	if !isName(t) {
		p.unexpected("an expression")
	}
	if paren := p.peek(1); paren.kind == tokOp && paren.text == "(" {
		return p.call()
	}
	c := &ColumnRef{Pos: t.pos, Column: p.name("a column")}
	if p.op(".") {
		c.Table, c.Column = c.Column, p.name("a column")
		if p.op(".") {
			c.Schema, c.Table, c.Column = c.Table, c.Column, p.name("a column")
		}
	}
	return c
}

func (p *parser) literal(kind LiteralKind) Expr {
	t := p.next()
	return &Literal{Pos: t.pos, Kind: kind, Text: t.text}
}

// keywordExpr reads an expression that begins with a keyword, or returns nil
// where the word is a name.
func (p *parser) keywordExpr(t *token) Expr {
	following := p.peek(1)
	called := following.kind == tokOp && following.text == "("
	qualifies := following.kind == tokOp && following.text == "."
	switch t.kw {
	case "NULL":
		return p.literal(NullLiteral)
	case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP":
		if !called && !qualifies {
			return p.literal(TimeLiteral)
		}
	case "CASE":
		return p.caseExpr()
	case "CAST":
		if called {
			return p.cast()
		}
	case "EXISTS":
		p.at++
		p.expectOp("(")
		n := &Exists{Pos: t.pos, Query: p.query()}
		p.expectOp(")")
		return n
	case "":
		if isConstant(t.text) && !called && !qualifies {
			return p.literal(BoolLiteral)
		}
	}
	return nil
}

func (p *parser) parenthesised(pos Pos) Expr {
	if p.atQuery() {
		n := &Subquery{Pos: pos, Query: p.query()}
		p.expectOp(")")
		return n
	}
	items := p.exprs()
	p.expectOp(")")
	if len(items) == 1 {
		return items[0]
	}
	return &Tuple{Pos: pos, Items: items}
}

func (p *parser) caseExpr() Expr {
	n := &Case{Pos: p.next().pos}
	if !p.isKeyword("WHEN") {
		n.Operand = p.expr()
	}
	for {
		w := &When{Pos: p.tok().pos}
		if !p.keywords("WHEN") {
			break
		}
		w.Cond = p.expr()
		p.expectKeyword("THEN")
		w.Result = p.expr()
		n.Whens = append(n.Whens, w)
	}
	if len(n.Whens) == 0 {
		p.unexpected("WHEN")
	}
	if p.keywords("ELSE") {
		n.Else = p.expr()
	}
	p.expectKeyword("END")
	return n
}

func (p *parser) cast() Expr {
	n := &Cast{Pos: p.next().pos}
	p.expectOp("(")
	n.X = p.expr()
	p.expectKeyword("AS")
	var words []string
	for isName(p.tok()) {
		words = append(words, p.name("a type").String())
	}
	n.Type = strings.Join(words, " ")
	if n.Type != "" && p.op("(") {
		n.Type += "(" + p.signed()
		if p.op(",") {
			n.Type += ", " + p.signed()
		}
		p.expectOp(")")
		n.Type += ")"
	}
	p.expectOp(")")
	return n
}

// signed reads a number of a type, which may have a sign.
func (p *parser) signed() string {
	sign := ""
	if p.isOp("-") || p.isOp("+") {
		sign = p.next().text
	}
	if p.tok().kind != tokNumber {
		p.unexpected("a number")
	}
	return sign + p.next().text
}

func (p *parser) call() Expr {
	n := &Call{Pos: p.tok().pos, Name: p.name("a function")}
	p.expectOp("(")
	if p.op("*") {
		n.Star = true
	} else if !p.isOp(")") {
		n.Distinct = p.oneOf("DISTINCT", "ALL") == "DISTINCT"
		n.Args = p.exprs()
		n.OrderBy = p.orderBy()
	}
	p.expectOp(")")
	if following := p.peek(1); p.isKeyword("FILTER") && following.kind == tokOp && following.text == "(" {
		p.at += 2
		p.expectKeyword("WHERE")
		n.Filter = p.expr()
		p.expectOp(")")
	}
	if p.isKeyword("OVER") {
		switch following := p.peek(1); {
		case following.kind == tokOp && following.text == "(":
			p.at++
			n.Over = p.window()
		case isName(following):
			p.at++
			n.Over = &Window{Pos: following.pos, Name: p.name("a window")}
		}
	}
	return n
}
