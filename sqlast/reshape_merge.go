package sqlast

import "slices"

// mergeTable replaces a table of the query that went: by the table that has its columns where the query joins the two, else by
// the rows of that one which tell it apart.
func (s *reshaper) mergeTable(n *Select, f *FromItem, t *Table, m *TableMerge) {
	core := s.copies[n].(*Select)
	for _, other := range n.From {
		partner, ok := other.Source.(*Table)
		if !ok || !equalFold(s.b.tables[partner], m.Table) {
			continue
		}
		if condition := s.joinCondition(n, partner, t, m); condition != nil {
			s.forget(t)
			s.bring(t, m.Table, s.copies[partner].(Source))
			s.removeJoin(core, s.copies[other].(*FromItem), s.copies[f].(*FromItem), s.copies[condition].(Expr))
			s.release(condition)
			s.exclude(core, s.copies[partner].(Source), m)
			return
		}
	}
	if m.Unique {
		s.replaceTable(t, m.Table)
		s.exclude(core, s.copies[t].(Source), m)
		return
	}
	s.forget(t)
	derived := s.distinctRows(t, m, len(n.From) == 1)
	s.copies[f].(*FromItem).Source = derived
	s.bring(t, m.Table, derived)
}

// joinCondition returns the condition of a SELECT that joins two tables of the query by the column of a merge, or nil.
func (s *reshaper) joinCondition(n *Select, partner, t *Table, m *TableMerge) Expr {
	refers := func(x Expr, source Source, column string) bool {
		ref, ok := x.(*ColumnRef)
		return ok && s.b.refs[ref].Source == source && equalFold(s.b.refs[ref].Column, column)
	}
	all := conjuncts(n.Where)
	for _, f := range n.From {
		all = append(all, conjuncts(f.On)...)
	}
	for _, x := range all {
		if eq, ok := x.(*Binary); ok && (eq.Op == "=" || eq.Op == "==") &&
			(refers(eq.X, partner, m.Column) && refers(eq.Y, t, m.Target) || refers(eq.Y, partner, m.Column) && refers(eq.X, t, m.Target)) {
			return eq
		}
	}
	return nil
}

// conjuncts returns the conditions that AND connects, none of nil.
func conjuncts(x Expr) []Expr {
	if and, ok := x.(*Binary); ok && and.Op == "AND" {
		return append(conjuncts(and.X), conjuncts(and.Y)...)
	}
	if x == nil {
		return nil
	}
	return []Expr{x}
}

// conjunction connects conditions by AND; it returns nil for none.
func conjunction(list ...Expr) (all Expr) {
	for _, x := range list {
		switch {
		case x == nil:
		case all == nil:
			all = x
		default:
			all = &Binary{Op: "AND", X: all, Y: x}
		}
	}
	return all
}

// removeJoin takes an entry out of the FROM clause of a SELECT of the copy, and the condition that joins it with its partner, which
// takes the place of an earlier entry. What else is asked of the two goes to WHERE, unless the partner keeps its place.
func (s *reshaper) removeJoin(core *Select, partner, gone *FromItem, condition Expr) {
	isCondition := func(x Expr) bool { return x == condition }
	for _, f := range core.From {
		f.On = conjunction(slices.DeleteFunc(conjuncts(f.On), isCondition)...)
	}
	where := slices.DeleteFunc(conjuncts(core.Where), isCondition)
	from := slices.Clone(core.From)
	at, next := slices.Index(from, gone), slices.Index(from, partner)
	if at < next {
		where = append(where, partner.On)
		partner.Op, partner.On = gone.Op, gone.On
		from[at] = partner
		at = next
	} else {
		where = append(where, gone.On)
	}
	core.From, core.Where = slices.Delete(from, at, at+1), conjunction(where...)
}

// release drops the names of a condition of the query that is gone from those that must refer to something.
func (s *reshaper) release(condition Expr) {
	for ref := range All[*ColumnRef](condition) {
		for _, w := range s.refs {
			w.replaced = w.replaced || w.node == s.copies[ref]
		}
	}
}

// exclude adds the condition to a SELECT of the copy that leaves out rows without a row of the table that went.
func (s *reshaper) exclude(core *Select, src Source, m *TableMerge) {
	if m.Marker != "" {
		ref, err := s.newReference(s.targetIn(src, m.Table, m.Marker), !src.AliasName().IsZero(), Pos{})
		if err != nil {
			panic(err)
		}
		core.Where = conjunction(core.Where, s.isNotNull(ref))
	}
}

// isNotNull returns the condition that a column is not NULL.
func (s *reshaper) isNotNull(ref *ColumnRef) Expr {
	return &Binary{Op: "IS NOT", X: ref, Y: &Literal{Kind: NullLiteral, Text: "NULL"}}
}

// distinctRows returns the rows of a table that went, with the columns that the query reads, out of the table that has them. Alone in its
// FROM clause it needs no alias, which Spider's official parser does not take there.
func (s *reshaper) distinctRows(t *Table, m *TableMerge, alone bool) *Derived {
	source := &Table{Name: NewIdent(m.Table)}
	s.tables = append(s.tables, wantedTable{source, m.Table})
	core := &Select{Distinct: true, From: []*FromItem{{Source: source}}}
	add := func(column string) {
		has := func(c *ResultColumn) bool { return c.Expr.(*ColumnRef).Column.Is(column) }
		if !slices.ContainsFunc(core.Columns, has) {
			ref, _ := s.newReference(s.targetIn(source, m.Table, column), false, Pos{})
			core.Columns = append(core.Columns, &ResultColumn{Expr: ref})
		}
	}
	add(m.Column)
	for ref := range All[*ColumnRef](s.b.query) {
		if target := s.b.refs[ref]; target.Source == Source(t) && target.Kind == Column {
			add(s.place(target).Value.(*ColumnRef).Column.Name)
		}
	}
	if m.Marker != "" {
		ref, _ := s.newReference(s.targetIn(source, m.Table, m.Marker), false, Pos{})
		core.Where = s.isNotNull(ref)
	}
	alias := t.Alias
	if alias.IsZero() && (!alone || s.qualifies(t) || s.b.query.SQL().scopes.aliases) {
		alias = NewIdent(m.Reference)
	}
	return &Derived{Query: &Query{Select: core}, Alias: alias}
}

// qualifies reports whether the query qualifies columns of a table.
func (s *reshaper) qualifies(t *Table) bool {
	for ref := range All[*ColumnRef](s.b.query) {
		if s.b.refs[ref].Source == Source(t) && !ref.Table.IsZero() {
			return true
		}
	}
	return false
}
