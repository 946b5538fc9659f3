package sqlast

import "strings"

// operand writes x, in parentheses where it binds more loosely than prec.
func (p *printer) operand(x Expr, prec int) {
	if x.precedence() < prec {
		p.put("(", x, ")")
		return
	}
	p.put(x)
}

// expr prints an expression, with parentheses where precedence needs them.
func (p *printer) expr(n Expr) {
	switch n := n.(type) {
	case *Literal:
		p.literal(n)
	case *Param:
		p.put(n.Text)
	case *ColumnRef:
		p.columnRef(n)
	case *Star:
		option(p, "", n.Table, ".")
		p.put("*")
	case *Unary:
		p.unary(n)
	case *Binary:
		p.operand(n.X, n.precedence())
		p.put(" ", n.Op, " ")
		p.operand(n.Y, n.precedence()+1)
	case *Collate:
		p.operand(n.X, precCollate)
		p.put(" COLLATE ", n.Collation)
	case *Like:
		p.like(n)
	case *Between:
		p.operator(n.X, n.Not, "BETWEEN")
		p.operand(n.Low, precEqual+1)
		p.put(" AND ")
		p.operand(n.High, precEqual+1)
	case *In:
		p.in(n)
	case *Exists:
		p.put("EXISTS (", n.Query, ")")
	case *Subquery:
		p.put("(", n.Query, ")")
	case *Case:
		p.caseExpr(n)
	case *Cast:
		p.put("CAST(", n.X, " AS ", n.Type, ")")
	case *Tuple:
		p.tuple(n.Items)
	case *Call:
		p.call(n)
	}
}

// operator writes the left side and the words of an operator at the level of
// equality.
func (p *printer) operator(x Expr, not bool, op string) {
	p.operand(x, precEqual)
	if not {
		p.put(" NOT")
	}
	p.put(" ", op, " ")
}

func (p *printer) literal(n *Literal) {
	if n.Kind == StringLiteral {
		p.put(quote(n.Text, "'"))
		return
	}
	p.put(n.Text)
}

// columnRef prints a name with its qualifiers.
func (p *printer) columnRef(n *ColumnRef) {
	option(p, "", n.Schema, ".")
	option(p, "", n.Table, ".")
	// A column in single quotes would be a string but for its table.
	if n.Table.IsZero() && n.Column.Quote == '\'' {
		p.put(quote(n.Column.Name, `"`))
		return
	}
	p.put(n.Column)
}

func (p *printer) unary(n *Unary) {
	p.put(n.Op)
	if n.Op == "NOT" || beginsWithSign(n.X) { // a blank keeps "- -x" from reading as a comment
		p.put(" ")
	}
	p.operand(n.X, n.precedence())
}

// beginsWithSign reports whether an expression is printed with a sign first, so that "-" before
// it would begin a comment.
func beginsWithSign(x Expr) bool {
	switch x := x.(type) {
	case *Unary:
		return true
	case *Literal:
		return strings.HasPrefix(x.Text, "-")
	}
	return false
}

// like prints [NOT] LIKE and its relatives.
func (p *printer) like(n *Like) {
	p.operator(n.X, n.Not, n.Op)
	p.operand(n.Pattern, precEqual+1)
	if n.Escape != nil {
		p.put(" ESCAPE ")
		p.operand(n.Escape, precEscape+1)
	}
}

// in prints [NOT] IN.
func (p *printer) in(n *In) {
	p.operator(n.X, n.Not, "IN")
	switch {
	case n.Table != nil:
		p.put(n.Table)
	case n.Query != nil:
		p.put("(", n.Query, ")")
	default:
		p.tuple(n.List)
	}
}

// caseExpr prints CASE … END.
func (p *printer) caseExpr(n *Case) {
	p.put("CASE")
	option(p, " ", n.Operand, "")
	for _, w := range n.Whens {
		p.put(" ", w)
	}
	option(p, " ELSE ", n.Else, "")
	p.put(" END")
}

// call prints a function call with FILTER and OVER.
func (p *printer) call(n *Call) {
	p.put(n.Name, "(")
	if n.Star {
		p.put("*")
	}
	if n.Distinct {
		p.put("DISTINCT ")
	}
	printList(p, n.Args, ", ")
	clause(p, " ORDER BY ", n.OrderBy)
	p.put(")")
	option(p, " FILTER (WHERE ", n.Filter, ")")
	option(p, " OVER ", n.Over, "")
}
