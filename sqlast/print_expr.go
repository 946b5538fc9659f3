package sqlast

import "strings"

// operand prints an operand of an operator of precedence prec, in parentheses if it binds more
// loosely.
func (p *printer) operand(x Expr, prec int) {
	if x.precedence(p.d) < prec {
		p.write("(", x, ")")
		return
	}
	p.write(x)
}

// left prints the left operand x of the operator n. It needs no parentheses at the same precedence, (a - b) - c, unless the dialect
// does not let the operators chain, as (a = b) = c in PostgreSQL.
func (p *printer) left(n, x Expr) {
	level := n.precedence(p.d)
	if !p.d.chains(level) {
		level++
	}
	p.operand(x, level)
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
		p.left(n, n.X)
		p.write(" ", n.Op, " ")
		p.operand(n.Y, n.precedence(p.d)+1)
	case *Collate:
		p.operand(n.X, n.precedence(p.d))
		p.write(" COLLATE ", n.Collation)
	case *Like:
		p.like(n)
	case *Between:
		p.between(n)
	case *In:
		p.in(n)
	case *Exists:
		p.write("EXISTS (", n.Query, ")")
	case *Subquery:
		p.write("(", n.Query, ")")
	case *Case:
		p.caseExpr(n)
	case *Cast:
		p.cast(n)
	case *Tuple:
		p.tuple(n.Items)
	case *Call:
		p.call(n)
	default:
		p.postgresExpr(n)
	}
}

// postgresExpr prints an expression that only PostgreSQL has.
func (p *printer) postgresExpr(n Expr) {
	switch n := n.(type) {
	case *Index:
		p.index(n)
	case *Field:
		p.field(n)
	case *Array:
		p.array(n)
	case *Quantified:
		p.write(n.Word, " (")
		writeOptional(p, "", n.X, "")
		writeOptional(p, "", n.Query, "")
		p.write(")")
	case *NamedArg:
		if n.Name.IsZero() {
			p.write("VARIADIC ", n.X)
			return
		}
		p.write(n.Name, " => ", n.X)
	case *GroupingSets:
		p.write("GROUPING SETS ")
		p.tuple(n.Items)
	}
}

// between prints [NOT] BETWEEN.
func (p *printer) between(n *Between) {
	p.operator(n, n.X, n.Not, "BETWEEN")
	if n.Symmetric {
		p.write("SYMMETRIC ")
	}
	p.operand(n.Low, n.precedence(p.d)+1)
	p.write(" AND ")
	p.operand(n.High, n.precedence(p.d)+1)
}

// cast prints a cast in its form.
func (p *printer) cast(n *Cast) {
	switch n.Form {
	case CastColons:
		p.operand(n.X, n.precedence(p.d))
		p.write("::", n.Type)
	case CastLiteral:
		p.write(n.Type, " ", n.X, n.Fields)
	default:
		p.write("CAST(", n.X, " AS ", n.Type, ")")
	}
}

// index prints a value with the brackets after it.
func (p *printer) index(n *Index) {
	switch n.X.(type) {
	case *ColumnRef, *Index:
		p.write(n.X)
	default:
		p.write("(", n.X, ")")
	}
	p.write("[")
	writeOptional(p, "", n.Low, "")
	if n.Slice {
		p.write(":")
	}
	writeOptional(p, "", n.High, "")
	p.write("]")
}

// field prints a field of a value in parentheses.
func (p *printer) field(n *Field) {
	p.write("(", n.X, ").")
	if n.Name.IsZero() {
		p.write("*")
		return
	}
	p.write(n.Name)
}

// array prints an array of items or of a query.
func (p *printer) array(n *Array) {
	if !n.Nested {
		p.write("ARRAY")
	}
	if n.Query != nil {
		p.write("(", n.Query, ")")
		return
	}
	p.write("[")
	writeList(p, n.Items, ", ")
	p.write("]")
}

// operator prints the left side x and the words of the operator n.
func (p *printer) operator(n, x Expr, not bool, op string) {
	p.left(n, x)
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
	takesSigns := p.d.operatorBytes != "" && n.Op != "-" && n.Op != "+" // PostgreSQL reads "@-x" with one operator, "@-"
	if n.Op == "NOT" || beginsWithSign(n.X) || takesSigns {
		p.write(" ") // keeps "- -x" from reading as a comment
	}
	p.operand(n.X, n.precedence(p.d))
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
	p.operator(n, n.X, n.Not, n.Op)
	p.operand(n.Pattern, n.precedence(p.d)+1)
	if n.Escape != nil {
		p.write(" ESCAPE ")
		p.operand(n.Escape, p.d.escape)
	}
}

// in prints [NOT] IN.
func (p *printer) in(n *In) {
	p.operator(n, n.X, n.Not, "IN")
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
	writeOptional(p, "", n.Schema, ".")
	if p.d.anyLabel && n.Name.Quote == 0 { // a keyword such as COALESCE or LEFT gets no quotes
		p.write(n.Name.Name, "(")
	} else {
		p.write(n.Name, "(")
	}
	if n.Star {
		p.write("*")
	}
	if n.Distinct {
		p.write("DISTINCT ")
	}
	p.arguments(n)
	if n.Within {
		p.write(") WITHIN GROUP (")
		writeClause(p, "ORDER BY ", n.OrderBy)
	} else {
		writeClause(p, " ORDER BY ", n.OrderBy)
	}
	p.write(")")
	writeOptional(p, " FILTER (WHERE ", n.Filter, ")")
	writeOptional(p, " OVER ", n.Over, "")
}

// arguments prints the arguments of a call with commas, or its words, between them.
func (p *printer) arguments(n *Call) {
	if n.Words == nil || len(n.Words) != len(n.Args) {
		writeList(p, n.Args, ", ")
		return
	}
	for i, x := range n.Args {
		if i > 0 {
			p.write(" ")
		}
		writeOptional(p, "", n.Words[i], " ")
		p.operand(x, p.d.infix["IN"]+1) // POSITION(x IN y) has IN as a word
	}
}
