package sqlast

import "strings"

// String returns the query on one line: keywords in upper case, all other
// words as written, aliases with AS, parentheses only where precedence needs
// them. Names keep their quotes; a bare name that could not be read back gets
// double quotes.
func (n *Query) String() string { return Format(n) }

// Format returns the SQL of any node; see [Query.String].
func Format(n Node) string {
	var p printer
	p.node(n)
	return p.String()
}

type printer struct{ strings.Builder }

// put writes strings and nodes one after the other.
func (p *printer) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case Ident:
			p.WriteString(part.String())
		case Node:
			p.node(part)
		}
	}
}

// printList prints nodes with sep between them.
func printList[T Node](p *printer, list []T, sep string) {
	for i, n := range list {
		if i > 0 {
			p.WriteString(sep)
		}
		p.node(n)
	}
}

// clause writes an optional list behind its keyword.
func clause[T Node](p *printer, keyword string, list []T) {
	if len(list) > 0 {
		p.put(keyword)
		printList(p, list, ", ")
	}
}

// option writes an optional expression, name or word between others.
func option[T comparable](p *printer, before string, part T, after string) {
	if none := *new(T); part != none {
		p.put(before, part, after)
	}
}

// tuple writes expressions in parentheses with commas between them.
func (p *printer) tuple(list []Expr) {
	p.put("(")
	printList(p, list, ", ")
	p.put(")")
}

// idents writes column names in parentheses with commas between them.
func (p *printer) idents(list []Ident) {
	var names []string
	for _, id := range list {
		names = append(names, id.String())
	}
	p.put("(", strings.Join(names, ", "), ")")
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
		p.put(string(n.Op), " ", n.Select)
	case *With:
		p.with(n)
	case *CTE:
		p.cte(n)
	case *Select:
		p.selectCore(n)
	case *ResultColumn:
		p.put(n.Expr)
		p.alias(n.Alias)
	case *FromItem:
		p.fromItem(n)
	case *OrderTerm:
		p.orderTerm(n)
	case *Limit:
		p.put("LIMIT ", n.Count)
		option(p, " OFFSET ", n.Offset, "")
	case *WindowDef:
		p.put(n.Name, " AS ", n.Window)
	case *Window:
		p.window(n)
	case *Frame:
		p.frame(n)
	case *When:
		p.put("WHEN ", n.Cond, " THEN ", n.Result)
	}
}

// source prints a source of FROM.
func (p *printer) source(n Source) {
	switch n := n.(type) {
	case *Table:
		p.table(n)
		return
	case *Derived:
		p.put("(", n.Query, ")")
	case *Group:
		p.put("(")
		printList(p, n.From, "")
		p.put(")")
	}
	p.alias(n.AliasName())
}

func (p *printer) alias(id Ident) { option(p, " AS ", id, "") }

// query prints a query.
func (p *printer) query(n *Query) {
	option(p, "", n.With, " ")
	p.put(n.Select)
	for _, c := range n.Compound {
		p.put(" ", c)
	}
	clause(p, " ORDER BY ", n.OrderBy)
	option(p, " ", n.Limit, "")
}

func (p *printer) orderTerm(n *OrderTerm) {
	p.put(n.Expr)
	option(p, " ", string(n.Dir), "")
	option(p, " NULLS ", n.Nulls, "")
}

func (p *printer) with(n *With) {
	p.put("WITH ")
	if n.Recursive {
		p.put("RECURSIVE ")
	}
	printList(p, n.Tables, ", ")
}

// cte prints one table of WITH.
func (p *printer) cte(n *CTE) {
	p.put(n.Name)
	if n.Columns != nil {
		p.put(" ")
		p.idents(n.Columns)
	}
	p.put(" AS ")
	option(p, "", n.Materialized, " ")
	p.put("(", n.Query, ")")
}

// selectCore prints one SELECT or VALUES.
func (p *printer) selectCore(n *Select) {
	if n.Values != nil {
		p.put("VALUES ")
		for i, row := range n.Values {
			if i > 0 {
				p.put(", ")
			}
			p.tuple(row)
		}
		return
	}
	p.put("SELECT ")
	if n.Distinct {
		p.put("DISTINCT ")
	}
	printList(p, n.Columns, ", ")
	if len(n.From) > 0 {
		p.put(" FROM ")
		printList(p, n.From, "")
	}
	option(p, " WHERE ", n.Where, "")
	clause(p, " GROUP BY ", n.GroupBy)
	option(p, " HAVING ", n.Having, "")
	clause(p, " WINDOW ", n.Windows)
}

// fromItem prints a source with the join before it.
func (p *printer) fromItem(n *FromItem) {
	switch {
	case n.Op == Comma:
		p.put(", ")
	case n.Op != "":
		p.put(" ")
		if n.Natural {
			p.put("NATURAL ")
		}
		p.put(string(n.Op), " ")
	}
	p.put(n.Source)
	option(p, " ON ", n.On, "")
	if n.Using != nil {
		p.put(" USING ")
		p.idents(n.Using)
	}
}

// table prints a table with its alias.
func (p *printer) table(n *Table) {
	option(p, "", n.Schema, ".")
	p.put(n.Name)
	if n.Call {
		p.tuple(n.Args)
	}
	p.alias(n.Alias)
	option(p, " ", n.Indexed, "")
}

// window prints a window definition.
func (p *printer) window(n *Window) {
	if !n.Name.IsZero() {
		p.put(n.Name)
		return
	}
	var parts printer
	option(&parts, " ", n.Base, "")
	clause(&parts, " PARTITION BY ", n.PartitionBy)
	clause(&parts, " ORDER BY ", n.OrderBy)
	option(&parts, " ", n.Frame, "")
	p.put("(", strings.TrimPrefix(parts.String(), " "), ")")
}

// frame prints the frame of a window.
func (p *printer) frame(n *Frame) {
	p.put(n.Unit, " ")
	if n.End.Kind == "" {
		p.bound(n.Start)
	} else {
		p.put("BETWEEN ")
		p.bound(n.Start)
		p.put(" AND ")
		p.bound(n.End)
	}
	option(p, " EXCLUDE ", n.Exclude, "")
}

func (p *printer) bound(b Bound) {
	if b.Expr != nil {
		p.operand(b.Expr, precNot)
		p.put(" ")
	}
	p.put(b.Kind)
}
