package sqlast

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// String returns the query on one line: keywords in upper case, all other
// words as written, aliases with AS, parentheses only where precedence needs
// them. Names keep their quotes; a bare name that could not be read back gets
// double quotes.
func (n *Query) String() string { return n.SQL().Format(n) }

// Format returns the SQL of any node in SQLite's dialect, of a query in its own; see [Query.String].
func Format(n Node) string { return SQLite.Format(n) }

// Format returns the SQL of any node; see [Query.String].
func (d *Dialect) Format(n Node) string {
	p := printer{d: d}
	p.node(n)
	return p.String()
}

// printer collects the SQL of a node.
type printer struct {
	d *Dialect
	strings.Builder
}

// write prints strings, identifiers and nodes one after the other.
func (p *printer) write(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case Ident:
			p.WriteString(p.d.ident(part))
		case Node:
			p.node(part)
		}
	}
}

// writeList prints nodes with the separator sep between them.
func writeList[T Node](p *printer, list []T, sep string) {
	for i, n := range list {
		if i > 0 {
			p.WriteString(sep)
		}
		p.node(n)
	}
}

// writeClause prints a list after its keyword; nothing for an empty list.
func writeClause[T Node](p *printer, keyword string, list []T) {
	if len(list) > 0 {
		p.write(keyword)
		writeList(p, list, ", ")
	}
}

// writeOptional prints an expression, name or word with the text before and after it; nothing if
// it is zero.
func writeOptional[T comparable](p *printer, before string, part T, after string) {
	if none := *new(T); part != none {
		p.write(before, part, after)
	}
}

// tuple writes expressions in parentheses with commas between them.
func (p *printer) tuple(list []Expr) {
	p.write("(")
	writeList(p, list, ", ")
	p.write(")")
}

// idents writes column names in parentheses with commas between them.
func (p *printer) idents(list []Ident) {
	names := lists.Map(list, p.d.ident)
	p.write("(", strings.Join(names, ", "), ")")
}

// node prints a node of any type.
func (p *printer) node(n Node) {
	switch n := n.(type) {
	case Expr:
		p.expr(n)
	case Source:
		p.source(n)
	case *Query:
		p.query(n)
	case *Compound:
		p.write(string(n.Op), " ", n.Select)
	case *With:
		p.with(n)
	case *CTE:
		p.cte(n)
	case *Select:
		p.selectCore(n)
	case *ResultColumn:
		p.write(n.Expr)
		p.alias(n.Alias)
	case *FromItem:
		p.fromItem(n)
	case *OrderTerm:
		p.orderTerm(n)
	case *Limit:
		p.limit(n)
	case *WindowDef:
		p.write(n.Name, " AS ", n.Window)
	case *Window:
		p.window(n)
	case *Frame:
		p.frame(n)
	case *When:
		p.write("WHEN ", n.Cond, " THEN ", n.Result)
	}
}

// source prints a source of FROM.
func (p *printer) source(n Source) {
	switch n := n.(type) {
	case *Table:
		p.table(n)
		return
	case *Derived:
		if n.Lateral {
			p.write("LATERAL ")
		}
		p.write("(", n.Query, ")")
		p.alias(n.Alias)
		p.aliasColumns(n.Columns, nil)
		return
	case *Group:
		p.write("(")
		writeList(p, n.From, "")
		p.write(")")
	}
	p.alias(n.AliasName())
}

// alias prints an alias, if there is one.
func (p *printer) alias(id Ident) { writeOptional(p, " AS ", id, "") }

// query prints a query.
func (p *printer) query(n *Query) {
	if n.Dialect != nil {
		p.d = n.Dialect
	}
	writeOptional(p, "", n.With, " ")
	p.write(n.Select)
	for _, c := range n.Compound {
		p.write(" ", c)
	}
	writeClause(p, " ORDER BY ", n.OrderBy)
	writeOptional(p, " ", n.Limit, "")
}

// limit prints LIMIT and OFFSET, or FETCH where ties count.
func (p *printer) limit(n *Limit) {
	switch {
	case n.Ties:
		writeOptional(p, "OFFSET ", n.Offset, " ")
		p.write("FETCH FIRST ")
		p.operand(n.Count, precPrimary)
		p.write(" ROWS WITH TIES")
	case n.Count == nil:
		p.write("OFFSET ", n.Offset)
	default:
		p.write("LIMIT ", n.Count)
		writeOptional(p, " OFFSET ", n.Offset, "")
	}
}

// orderTerm prints a term of ORDER BY.
func (p *printer) orderTerm(n *OrderTerm) {
	p.write(n.Expr)
	writeOptional(p, " ", string(n.Dir), "")
	writeOptional(p, " NULLS ", n.Nulls, "")
}

// with prints a WITH clause.
func (p *printer) with(n *With) {
	p.write("WITH ")
	if n.Recursive {
		p.write("RECURSIVE ")
	}
	writeList(p, n.Tables, ", ")
}

// cte prints one table of WITH.
func (p *printer) cte(n *CTE) {
	p.write(n.Name)
	if n.Columns != nil {
		p.write(" ")
		p.idents(n.Columns)
	}
	p.write(" AS ")
	writeOptional(p, "", n.Materialized, " ")
	p.write("(", n.Query, ")")
}

// selectCore prints one SELECT or VALUES.
func (p *printer) selectCore(n *Select) {
	if n.Values != nil {
		p.write("VALUES ")
		for i, row := range n.Values {
			if i > 0 {
				p.write(", ")
			}
			p.tuple(row)
		}
		return
	}
	if n.Nested != nil {
		p.write("(", n.Nested, ")")
		return
	}
	p.write("SELECT")
	if n.Distinct {
		p.write(" DISTINCT")
	}
	if n.On != nil {
		p.write(" ON ")
		p.tuple(n.On)
	}
	writeClause(p, " ", n.Columns)
	if len(n.From) > 0 {
		p.write(" FROM ")
		writeList(p, n.From, "")
	}
	writeOptional(p, " WHERE ", n.Where, "")
	writeClause(p, " GROUP BY ", n.GroupBy)
	writeOptional(p, " HAVING ", n.Having, "")
	writeClause(p, " WINDOW ", n.Windows)
}

// fromItem prints a source of FROM with the join operator before it.
func (p *printer) fromItem(n *FromItem) {
	switch {
	case n.Op == Comma:
		p.write(", ")
	case n.Op != "":
		p.write(" ")
		if n.Natural {
			p.write("NATURAL ")
		}
		p.write(string(n.Op), " ")
	}
	p.write(n.Source)
	writeOptional(p, " ON ", n.On, "")
	if n.Using != nil {
		p.write(" USING ")
		p.idents(n.Using)
	}
}

// table prints a table with its alias.
func (p *printer) table(n *Table) {
	if n.Lateral {
		p.write("LATERAL ")
	}
	writeOptional(p, "", n.Schema, ".")
	p.write(n.Name)
	if n.Call {
		p.tuple(n.Args)
	}
	if n.Ordinality {
		p.write(" WITH ORDINALITY")
	}
	if n.Alias.IsZero() && n.Columns != nil { // f() AS (a int)
		p.write(" AS ")
	}
	p.alias(n.Alias)
	p.aliasColumns(n.Columns, n.Types)
	writeOptional(p, " ", n.Indexed, "")
}

// aliasColumns prints the names of columns after an alias, with their types where a function needs them.
func (p *printer) aliasColumns(names []Ident, types []string) {
	if names == nil {
		return
	}
	p.write("(")
	for i, name := range names {
		if i > 0 {
			p.write(", ")
		}
		p.write(name)
		if types != nil {
			p.write(" ", types[i])
		}
	}
	p.write(")")
}

// window prints a window: its name, or its definition in parentheses.
func (p *printer) window(n *Window) {
	if !n.Name.IsZero() {
		p.write(n.Name)
		return
	}
	parts := printer{d: p.d} // each part begins with a blank; the first blank is cut
	writeOptional(&parts, " ", n.Base, "")
	writeClause(&parts, " PARTITION BY ", n.PartitionBy)
	writeClause(&parts, " ORDER BY ", n.OrderBy)
	writeOptional(&parts, " ", n.Frame, "")
	p.write("(", strings.TrimPrefix(parts.String(), " "), ")")
}

// frame prints the frame of a window.
func (p *printer) frame(n *Frame) {
	p.write(n.Unit, " ")
	if n.End.Kind == "" {
		p.bound(n.Start)
	} else {
		p.write("BETWEEN ")
		p.bound(n.Start)
		p.write(" AND ")
		p.bound(n.End)
	}
	writeOptional(p, " EXCLUDE ", n.Exclude, "")
}

// bound prints one end of a frame.
func (p *printer) bound(b Bound) {
	if b.Expr != nil {
		p.operand(b.Expr, precNot) // a bare AND would end the bound
		p.write(" ")
	}
	p.write(b.Kind)
}
