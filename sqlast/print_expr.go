package sqlast

import "strings"

// operand prints an operand of an operator of precedence prec, in parentheses if it binds more
// loosely.
func (p *printer) operand(x Expr, prec int) {
	if x.precedence() < prec {
		p.write("(", x, ")")
		return
	}
	p.write(x)
}

// expr prints an expression, with parentheses where precedence needs them.
func (p *printer) expr(n Expr) {
	switch n := n.(type) {
	case *Literal:
		p.literal(n)
	case *Param:
		p.write(n.Text)
	case *ColumnRef:
		p.columnRef(n)
	case *Star:
		writeOptional(p, "", n.Table, ".")
		p.write("*")
	case *Unary:
		p.unary(n)
	case *Binary:
		p.operand(n.X, n.precedence())
		p.write(" ", n.Op, " ")
		p.operand(n.Y, n.precedence()+1)
	case *Collate:
		p.operand(n.X, precCollate)
		p.write(" COLLATE ", n.Collation)
	case *Like:
		p.like(n)
	case *Between:
		p.operator(n.X, n.Not, "BETWEEN")
		p.operand(n.Low, precEqual+1)
		p.write(" AND ")
		p.operand(n.High, precEqual+1)
	case *In:
		p.in(n)
	case *Exists:
		p.write("EXISTS (", n.Query, ")")
	case *Subquery:
		p.write("(", n.Query, ")")
	case *Case:
		p.caseExpr(n)
	case *Cast:
		p.write("CAST(", n.X, " AS ", n.Type, ")")
	case *Tuple:
		p.tuple(n.Items)
	case *Call:
		p.call(n)
	}
}

// operator prints the left side and the words of an operator that binds like "=".
func (p *printer) operator(x Expr, not bool, op string) {
	p.operand(x, precEqual)
	if not {
		p.write(" NOT")
	}
	p.write(" ", op, " ")
}

// literal prints a constant; a string gets its quotes back.
func (p *printer) literal(n *Literal) {
	if n.Kind == StringLiteral {
		p.write(quote(n.Text, "'"))
		return
	}
	p.write(n.Text)
}

// columnRef prints a column with the schema and table before it.
func (p *printer) columnRef(n *ColumnRef) {
	writeOptional(p, "", n.Schema, ".")
	writeOptional(p, "", n.Table, ".")
	// A column in single quotes would be a string but for its table.
	if n.Table.IsZero() && n.Column.Quote == '\'' {
		p.write(quote(n.Column.Name, `"`))
		return
	}
	p.write(n.Column)
}

// unary prints a prefix operator with its operand.
func (p *printer) unary(n *Unary) {
	p.write(n.Op)
	if n.Op == "NOT" || beginsWithSign(n.X) { // a blank keeps "- -x" from reading as a comment
		p.write(" ")
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
		p.write(" ESCAPE ")
		p.operand(n.Escape, precEscape+1)
	}
}

// in prints [NOT] IN.
func (p *printer) in(n *In) {
	p.operator(n.X, n.Not, "IN")
	switch {
	case n.Table != nil:
		p.write(n.Table)
	case n.Query != nil:
		p.write("(", n.Query, ")")
	default:
		p.tuple(n.List)
	}
}

// caseExpr prints CASE … END.
func (p *printer) caseExpr(n *Case) {
	p.write("CASE")
	writeOptional(p, " ", n.Operand, "")
	for _, w := range n.Whens {
		p.write(" ", w)
	}
	writeOptional(p, " ELSE ", n.Else, "")
	p.write(" END")
}

// call prints a function call with FILTER and OVER.
func (p *printer) call(n *Call) {
	p.write(n.Name, "(")
	if n.Star {
		p.write("*")
	}
	if n.Distinct {
		p.write("DISTINCT ")
	}
	writeList(p, n.Args, ", ")
	writeClause(p, " ORDER BY ", n.OrderBy)
	p.write(")")
	writeOptional(p, " FILTER (WHERE ", n.Filter, ")")
	writeOptional(p, " OVER ", n.Over, "")
}
