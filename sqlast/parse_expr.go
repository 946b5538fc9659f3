package sqlast

import "strings"

func (p *parser) exprs() []Expr { return listOf(p, p.expr) }

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

// prefix parses an expression that begins here, up to its first binary operator.
func (p *parser) prefix() Expr {
	t := p.tok()
	switch t.sym {
	case "NOT":
		p.at++
		return &Unary{Pos: t.pos, Op: "NOT", X: p.exprAbove(precNot)}
	case "-", "+", "~":
		p.at++
		return &Unary{Pos: t.pos, Op: t.sym, X: p.exprAbove(precUnary)}
	}
	return p.primary()
}

// infix reads the operator and the rest of an expression that begins with x,
// or returns nil where no operator of precedence prec or above comes next.
func (p *parser) infix(x Expr, prec int) Expr {
	sym := p.tok().sym
	level := binaryPrec[sym]
	switch {
	case sym == "":
		return nil
	case sym == "COLLATE" && prec <= precCollate:
		p.at++
		return &Collate{Pos: x.Position(), X: x, Collation: p.name("a collation")}
	case sym == "IS", level == 0:
		if prec > precEqual {
			return nil
		}
		return p.wordOperator(x)
	case level < prec:
		return nil
	}
	p.at++
	return &Binary{Pos: x.Position(), Op: sym, X: x, Y: p.exprAbove(level + 1)}
}

// wordOperator reads an operator of words at the level of equality.
func (p *parser) wordOperator(x Expr) Expr {
	pos := x.Position()
	null := func(op string) Expr {
		return &Binary{Pos: pos, Op: op, X: x, Y: &Literal{Pos: p.tok().pos, Kind: NullLiteral, Text: "NULL"}}
	}
	switch {
	case p.take("ISNULL"):
		return null("IS")
	case p.take("NOTNULL"), p.take("NOT", "NULL"):
		return null("IS NOT")
	case p.take("IS"):
		op := "IS"
		if p.take("NOT") {
			op += " NOT"
		}
		if p.take("DISTINCT", "FROM") {
			op += " DISTINCT FROM"
		}
		return &Binary{Pos: pos, Op: op, X: x, Y: p.exprAbove(precEqual + 1)}
	}
	not := p.is("NOT")
	if not {
		switch p.peek(1).sym {
		case "IN", "BETWEEN", "LIKE", "GLOB", "REGEXP", "MATCH":
			p.at++
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
		p.expect("AND")
		b.High = p.exprAbove(precEqual + 1)
		return b
	default:
		l := &Like{Pos: pos, Op: kw, Not: not, X: x, Pattern: p.exprAbove(precEqual + 1)}
		if p.take("ESCAPE") {
			l.Escape = p.exprAbove(precEscape + 1)
		}
		return l
	}
}

// in parses the right side of IN: a list, a query or a table.
func (p *parser) in(n *In) Expr {
	pos := p.tok().pos
	if !p.take("(") {
		n.Table = p.tableName(pos)
		return n
	}
	switch {
	case p.atQuery():
		n.Query = p.query()
	case !p.is(")"):
		n.List = p.exprs()
	}
	p.expect(")")
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
		if !p.ahead(1, ".") {
			return p.literal(StringLiteral)
		}
	case tokParam:
		p.at++
		return &Param{Pos: t.pos, Text: t.text}
	case tokOp:
		if p.take("(") {
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
	if p.ahead(1, "(") {
		return p.call()
	}
	c := &ColumnRef{Pos: t.pos, Column: p.name("a column")}
	if p.take(".") {
		c.Table, c.Column = c.Column, p.name("a column")
		if p.take(".") {
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
	called, qualifies := p.ahead(1, "("), p.ahead(1, ".")
	alone := !called && !qualifies
	switch t.sym {
	case "NULL":
		return p.literal(NullLiteral)
	case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP":
		if alone {
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
		return &Exists{Pos: t.pos, Query: inParens(p, p.query)}
	case "":
		if alone && isConstant(t.text) {
			return p.literal(BoolLiteral)
		}
	}
	return nil
}

// parenthesised parses an expression or a query in parentheses; the opening one is consumed.
func (p *parser) parenthesised(pos Pos) Expr {
	if p.atQuery() {
		n := &Subquery{Pos: pos, Query: p.query()}
		p.expect(")")
		return n
	}
	items := p.exprs()
	p.expect(")")
	if len(items) == 1 {
		return items[0]
	}
	return &Tuple{Pos: pos, Items: items}
}

// caseExpr parses CASE … END.
func (p *parser) caseExpr() Expr {
	n := &Case{Pos: p.next().pos}
	if !p.is("WHEN") {
		n.Operand = p.expr()
	}
	for {
		w := &When{Pos: p.tok().pos}
		if !p.take("WHEN") {
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
	if p.take("ELSE") {
		n.Else = p.expr()
	}
	p.expect("END")
	return n
}

// cast parses CAST(expression AS type).
func (p *parser) cast() Expr {
	n := &Cast{Pos: p.next().pos}
	p.expect("(")
	n.X = p.expr()
	p.expect("AS")
	var words []string
	for isName(p.tok()) {
		words = append(words, p.name("a type").String())
	}
	n.Type = strings.Join(words, " ")
	if n.Type != "" && p.take("(") {
		n.Type += "(" + p.signed()
		if p.take(",") {
			n.Type += ", " + p.signed()
		}
		p.expect(")")
		n.Type += ")"
	}
	p.expect(")")
	return n
}

// signed reads a number of a type, which may have a sign.
func (p *parser) signed() string {
	sign := ""
	switch p.tok().sym {
	case "-", "+":
		sign = p.next().text
	}
	if p.tok().kind != tokNumber {
		p.unexpected("a number")
	}
	return sign + p.next().text
}

// call parses a function call with FILTER and OVER.
func (p *parser) call() Expr {
	n := &Call{Pos: p.tok().pos, Name: p.name("a function")}
	p.expect("(")
	if p.take("*") {
		n.Star = true
	} else if !p.is(")") {
		n.Distinct = p.oneOf("DISTINCT", "ALL") == "DISTINCT"
		n.Args = p.exprs()
		n.OrderBy = p.orderBy()
	}
	p.expect(")")
	if p.take("FILTER", "(") {
		p.expect("WHERE")
		n.Filter = p.expr()
		p.expect(")")
	}
	switch following := p.peek(1); {
	case !p.is("OVER"):
	case following.sym == "(":
		p.at++
		n.Over = p.window()
	case isName(following):
		p.at++
		n.Over = &Window{Pos: following.pos, Name: p.name("a window")}
	}
	return n
}
