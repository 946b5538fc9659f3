package sqlast

import "slices"

// mergeTable replaces the dropped table t in the FROM clause of a SELECT. Where the SELECT joins t with the merged table, t is
// removed with the condition of the join. Else the merged table takes its place: as it is if each row of t is there once, or
// the distinct rows of t's columns.
func (s *reshaper) mergeTable(n *Select, f *FromItem, t *Table, m *TableMerge) {
	core := s.copies[n].(*Select)
	for _, other := range n.From {
		partner, ok := other.Source.(*Table)
		if !ok || !equalFold(s.b.tables[partner], m.Table) {
			continue
		}
		if condition := s.joinCondition(n, partner, t, m); condition != nil {
			s.dropWanted(t)
			s.setSource(t, m.Table, s.copies[partner].(Source))
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
	s.dropWanted(t)
	derived := s.distinctRows(t, m, len(n.From) == 1)
	s.copies[f].(*FromItem).Source = derived
	s.setSource(t, m.Table, derived)
}

// joinCondition returns the condition of a SELECT by which it joins the merged table, partner, with the dropped table t on the
// foreign key, or nil.
func (s *reshaper) joinCondition(n *Select, partner, t *Table, m *TableMerge) Expr {
	refers := func(x Expr, source Source, column string) bool {
		ref, ok := x.(*ColumnRef)
		return ok && s.b.refs[ref].Source == source && equalFold(s.b.refs[ref].Column, column)
	}
	joins := func(x, y Expr) bool { return refers(x, partner, m.Column) && refers(y, t, m.Target) }
	all := Conjuncts(n.Where)
	for _, f := range n.From {
		all = append(all, Conjuncts(f.On)...)
	}
	for _, x := range all {
		if eq := Equation(x); eq != nil && (joins(eq.X, eq.Y) || joins(eq.Y, eq.X)) {
			return eq
		}
	}
	return nil
}

// removeJoin removes an entry, gone, from the FROM clause of a SELECT of the copy, with the condition that joins it with its partner. If
// gone comes first, the partner moves to its position. Other conditions of the ON that disappears go to WHERE.
func (s *reshaper) removeJoin(core *Select, partner, gone *FromItem, condition Expr) {
	isCondition := func(x Expr) bool { return x == condition }
	for _, f := range core.From {
		f.On = Conjunction(slices.DeleteFunc(Conjuncts(f.On), isCondition)...)
	}
	where := slices.DeleteFunc(Conjuncts(core.Where), isCondition)
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
	core.From, core.Where = slices.Delete(from, at, at+1), Conjunction(where...)
}

// release exempts the references in a condition that was removed from the check that each refers to its old target.
func (s *reshaper) release(condition Expr) {
	for ref := range All[*ColumnRef](condition) {
		for _, w := range s.refs {
			w.replaced = w.replaced || w.node == s.copies[ref]
		}
	}
}

// exclude adds a condition to a SELECT of the copy that leaves out the rows of the merged table without a row of the dropped one.
func (s *reshaper) exclude(core *Select, src Source, m *TableMerge) {
	if m.Marker != "" {
		ref, err := s.newReference(s.targetIn(src, m.Table, m.Marker), !src.AliasName().IsZero(), Pos{})
		if err != nil {
			panic(err)
		}
		core.Where = Conjunction(core.Where, s.isNotNull(ref))
	}
}

// isNotNull returns the condition that a column is not NULL.
func (s *reshaper) isNotNull(ref *ColumnRef) Expr {
	return &Binary{Op: "IS NOT", X: ref, Y: &Literal{Kind: NullLiteral, Text: "NULL"}}
}

// distinctRows returns a query for FROM that selects the rows of the dropped table from the merged one: SELECT DISTINCT with the columns
// that the query reads. It gets no alias if it is alone in its FROM clause, because Spider's official parser does not take one there.
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

// qualifies reports whether a column reference of the query is qualified by a table.
func (s *reshaper) qualifies(t *Table) bool {
	return Contains(s.b.query, func(ref *ColumnRef) bool { return s.b.refs[ref].Source == Source(t) && !ref.Table.IsZero() })
}
