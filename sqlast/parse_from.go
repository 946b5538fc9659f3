package sqlast

import "slices"

// from parses the sources of FROM with their joins.
func (p *parser) from() []*FromItem {
	defer p.nest()()
	items := []*FromItem{{Pos: p.tok().pos, Source: p.source()}}
	for {
		f := &FromItem{Pos: p.tok().pos}
		if !p.joinOp(f) {
			return items
		}
		f.Source = p.source()
		if p.take("ON") {
			f.On = p.expr()
		} else if p.take("USING") {
			f.Using = p.columnNames()
		}
		items = append(items, f)
	}
}

// joinOp reads a join operator, whose words SQLite takes in any order.
func (p *parser) joinOp(f *FromItem) bool {
	if p.take(",") {
		f.Op = Comma
		return true
	}
	outer := false
	for {
		switch kw := p.oneOf("JOIN", "NATURAL", "OUTER", "INNER", "CROSS", "LEFT", "RIGHT", "FULL"); kw {
		case "":
			if f.Op != "" || f.Natural || outer {
				p.unexpected("JOIN")
			}
			return false
		case "JOIN":
			if f.Op == "" {
				f.Op = Join
			}
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
	pos := p.tok().pos
	if !p.take("(") {
		return p.table(pos)
	}
	if p.atQuery() {
		d := &Derived{Pos: pos, Query: p.query()}
		p.expect(")")
		d.Alias = p.alias()
		return d
	}
	g := &Group{Pos: pos, From: p.from()}
	p.expect(")")
	g.Alias = p.alias()
	return g
}

// table parses a table or a table-valued function, with its alias.
func (p *parser) table(pos Pos) Source {
	t := p.tableName(pos)
	t.Alias = p.alias()
	switch {
	case p.take("NOT", "INDEXED"):
		t.Indexed = "NOT INDEXED"
	case p.take("INDEXED", "BY"):
		t.Indexed = "INDEXED BY " + p.name("an index name").String()
	}
	return t
}

// tableName parses a table's name, with its schema if it has one.
func (p *parser) tableName(pos Pos) *Table {
	t := &Table{Pos: pos, Name: p.name("a table")}
	if p.take(".") {
		t.Schema, t.Name = t.Name, p.name("a table")
	}
	if p.take("(") {
		t.Call = true
		if !p.is(")") {
			t.Args = p.exprs()
		}
		p.expect(")")
	}
	return t
}

func (p *parser) windowDef() *WindowDef {
	d := &WindowDef{Pos: p.tok().pos, Name: p.name("a window name")}
	p.expect("AS")
	d.Window = p.window()
	return d
}

// window reads the parenthesised definition of a window.
func (p *parser) window() *Window {
	w := &Window{Pos: p.tok().pos}
	p.expect("(")
	if isName(p.tok()) && !p.atWindowPart() {
		w.Base = p.name("a window name")
	}
	if p.take("PARTITION", "BY") {
		w.PartitionBy = p.exprs()
	}
	w.OrderBy = p.orderBy()
	if unit := p.oneOf("ROWS", "RANGE", "GROUPS"); unit != "" {
		w.Frame = p.frame(unit)
	}
	p.expect(")")
	return w
}

func (p *parser) atWindowPart() bool {
	return slices.Contains([]string{"PARTITION", "ROWS", "RANGE", "GROUPS"}, p.tok().sym)
}

// frame parses the frame of a window: ROWS BETWEEN … AND ….
func (p *parser) frame(unit string) *Frame {
	f := &Frame{Pos: p.peek(-1).pos, Unit: unit}
	if p.take("BETWEEN") {
		f.Start = p.bound()
		p.expect("AND")
		f.End = p.bound()
	} else {
		f.Start = p.bound()
	}
	if p.take("EXCLUDE") {
		switch {
		case p.take("NO", "OTHERS"):
			f.Exclude = "NO OTHERS"
		case p.take("CURRENT", "ROW"):
			f.Exclude = "CURRENT ROW"
		default:
			if f.Exclude = p.oneOf("GROUP", "TIES"); f.Exclude == "" {
				p.unexpected("NO OTHERS, CURRENT ROW, GROUP or TIES")
			}
		}
	}
	return f
}

// bound parses one end of a frame, such as 2 PRECEDING.
func (p *parser) bound() Bound {
	if p.take("CURRENT", "ROW") {
		return Bound{Kind: "CURRENT ROW"}
	}
	var b Bound
	if p.take("UNBOUNDED") {
		b.Kind = "UNBOUNDED "
	} else {
		b.Expr = p.expr()
	}
	side := p.oneOf("PRECEDING", "FOLLOWING")
	if side == "" {
		p.unexpected("PRECEDING or FOLLOWING")
	}
	b.Kind += side
	return b
}
