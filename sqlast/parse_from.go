package sqlast

import "cmp"

// from parses what follows FROM: sources and their joins.
func (p *parser) from() []*FromItem {
	defer p.enterLevel()()
	items := []*FromItem{{Pos: p.current().pos, Source: p.source()}}
	for {
		f := &FromItem{Pos: p.current().pos}
		if !p.joinOp(f) {
			return items
		}
		f.Source = p.source()
		if p.accept("ON") {
			f.On = p.expr()
		} else if p.accept("USING") {
			f.Using = p.columnNames()
		}
		items = append(items, f)
	}
}

// joinOp parses a join operator into f.Op and f.Natural; SQLite takes its words in any order. It returns
// false if no join follows, and fails if words such as LEFT come without JOIN or contradict each other.
func (p *parser) joinOp(f *FromItem) bool {
	if p.accept(",") {
		f.Op = Comma
		return true
	}
	outer := false
	for {
		switch kw := p.acceptOneOf("JOIN", "NATURAL", "OUTER", "INNER", "CROSS", "LEFT", "RIGHT", "FULL"); kw {
		case "":
			if f.Op != "" || f.Natural || outer {
				p.unexpected("JOIN")
			}
			return false
		case "JOIN":
			f.Op = cmp.Or(f.Op, Join)
			if outer && !f.Op.Outer() {
				p.unexpected("LEFT, RIGHT or FULL before OUTER JOIN")
			}
			return true
		case "NATURAL":
			f.Natural = true
		case "OUTER":
			outer = true
		default:
			if f.Op != "" {
				p.unexpected("JOIN")
			}
			f.Op = JoinOp(kw + " JOIN")
		}
	}
}

// source parses one source: a table, a query or a group in parentheses.
func (p *parser) source() Source {
	pos := p.current().pos
	lateral := p.d.postgresSyntax && p.accept("LATERAL")
	if !p.accept("(") {
		return p.table(pos, lateral)
	}
	if lateral || p.atQuery() {
		d := &Derived{Pos: pos, Query: p.query(), Lateral: lateral}
		p.expect(")")
		d.Alias, d.Columns, _ = p.tableAlias(false) // a query has no types of columns
		return d
	}
	g := &Group{Pos: pos, From: p.from()}
	p.expect(")")
	g.Alias = p.alias()
	return g
}

// table parses a table or a table-valued function, with its alias.
func (p *parser) table(pos Pos, lateral bool) Source {
	t := p.tableName(pos)
	t.Lateral = lateral
	t.Ordinality = t.Call && p.d.postgresSyntax && p.accept("WITH", "ORDINALITY")
	t.Alias, t.Columns, t.Types = p.tableAlias(t.Call)
	switch {
	case p.accept("NOT", "INDEXED"):
		t.Indexed = "NOT INDEXED"
	case p.accept("INDEXED", "BY"):
		t.Indexed = "INDEXED BY " + p.name("an index name").String()
	}
	return t
}

// tableName parses a table's name, with its schema and the arguments of a table-valued function if it has them.
func (p *parser) tableName(pos Pos) *Table {
	t := &Table{Pos: pos, Name: p.name("a table")}
	if p.accept(".") {
		t.Schema, t.Name = t.Name, p.name("a table")
	}
	if p.accept("(") {
		t.Call = true
		if !p.nextIs(")") {
			t.Args = commaList(p, p.argument)
		}
		p.expect(")")
	}
	return t
}

// tableAlias parses the alias of a source and, in PostgreSQL, the names of its columns: AS t (a, b). A function that returns records
// has types too and needs no alias: f() AS (a int, b text). types is nil without them. isCall is set for the call of a function.
func (p *parser) tableAlias(isCall bool) (alias Ident, columns []Ident, types []string) {
	isUnnamed := isCall && p.tokensAre(0, "AS", "(")
	if isUnnamed {
		p.next++
	} else {
		alias = p.alias()
	}
	hasColumns := p.d.postgresSyntax && p.nextIs("(") && (isUnnamed || !alias.IsZero())
	if !hasColumns {
		return alias, nil, nil
	}
	p.expect("(")
	for more := true; more; more = p.accept(",") {
		columns = append(columns, p.name("a column name"))
		if isCall && !p.nextIsOneOf(",", ")") {
			types = append(types, p.typeName())
		}
	}
	p.expect(")")
	if types != nil && len(types) != len(columns) {
		p.unexpected("a type of each column before it")
	}
	return alias, columns, types
}

// windowDef parses a definition of a WINDOW clause: name AS (window).
func (p *parser) windowDef() *WindowDef {
	d := &WindowDef{Pos: p.current().pos, Name: p.name("a window name")}
	p.expect("AS")
	d.Window = p.window()
	return d
}

// window reads the parenthesised definition of a window.
func (p *parser) window() *Window {
	w := &Window{Pos: p.current().pos}
	p.expect("(")
	if p.isName(p.current()) && !p.atWindowPart() {
		w.Base = p.name("a window name")
	}
	if p.accept("PARTITION", "BY") {
		w.PartitionBy = p.exprs()
	}
	w.OrderBy = p.orderBy()
	if unit := p.acceptOneOf("ROWS", "RANGE", "GROUPS"); unit != "" {
		w.Frame = p.frame(unit)
	}
	p.expect(")")
	return w
}

// atWindowPart reports whether a part of a window definition comes next, and not the name of the
// window that it extends. ORDER is no name anyway.
func (p *parser) atWindowPart() bool {
	return p.nextIsOneOf("PARTITION", "ROWS", "RANGE", "GROUPS")
}

// frame parses the frame of a window after its unit: BETWEEN … AND … EXCLUDE ….
func (p *parser) frame(unit string) *Frame {
	f := &Frame{Pos: p.peek(-1).pos, Unit: unit} // the unit was the token before
	between := p.accept("BETWEEN")
	f.Start = p.bound()
	if between {
		p.expect("AND")
		f.End = p.bound()
	}
	if p.accept("EXCLUDE") {
		switch {
		case p.accept("NO", "OTHERS"):
			f.Exclude = "NO OTHERS"
		case p.accept("CURRENT", "ROW"):
			f.Exclude = "CURRENT ROW"
		default:
			if f.Exclude = p.acceptOneOf("GROUP", "TIES"); f.Exclude == "" {
				p.unexpected("NO OTHERS, CURRENT ROW, GROUP or TIES")
			}
		}
	}
	return f
}

// bound parses one end of a frame, such as 2 PRECEDING.
func (p *parser) bound() Bound {
	if p.accept("CURRENT", "ROW") {
		return Bound{Kind: "CURRENT ROW"}
	}
	var b Bound
	if p.accept("UNBOUNDED") {
		b.Kind = "UNBOUNDED "
	} else {
		b.Expr = p.expr()
	}
	side := p.acceptOneOf("PRECEDING", "FOLLOWING")
	if side == "" {
		p.unexpected("PRECEDING or FOLLOWING")
	}
	b.Kind += side
	return b
}
