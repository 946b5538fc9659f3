package sqlast

import (
	"cmp"
	"slices"
	"strings"
)

// mergeTable replaces the dropped table t in the FROM clause of a SELECT. Where the SELECT joins t with the merged table, t is
// removed with the condition of the join. Else the merged table takes its place: as it is if each row of t is there once or the
// SELECT can take distinct rows, or the distinct rows of t's columns.
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
			s.exclude(n, t, s.copies[partner].(Source), m)
			return
		}
	}
	if m.Unique || s.isDistinct(n, t, m) {
		s.replaceTable(t, m.Table)
		s.exclude(n, t, s.copies[t].(Source), m)
		core.Distinct = core.Distinct || !m.Unique
		return
	}
	if call := s.countOfRows(n); call != nil && len(n.From) == 1 && equalFold(cmp.Or(m.Marker, m.Column), m.Column) {
		s.replaceTable(t, m.Table)
		call.Star, call.Distinct, call.Args = false, true, []Expr{s.mention(s.copies[t].(Source), m.Table, m.Column)}
		return
	}
	s.dropWanted(t)
	derived := s.distinctRows(t, m, len(n.From) == 1)
	s.copies[f].(*FromItem).Source = derived
	s.setSource(t, m.Table, derived)
}

// refers reports whether an expression of the query is a column of a table.
func (s *reshaper) refers(x Expr, t *Table, column string) bool {
	ref, ok := x.(*ColumnRef)
	return ok && s.b.refs[ref].Source == Source(t) && equalFold(s.b.refs[ref].Column, column)
}

// joinCondition returns the condition of a SELECT by which it joins the merged table, partner, with the dropped table t on the
// foreign key, or nil.
func (s *reshaper) joinCondition(n *Select, partner, t *Table, m *TableMerge) Expr {
	joins := func(x, y Expr) bool { return s.refers(x, partner, m.Column) && s.refers(y, t, m.Target) }
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

// exclude makes the copy of a SELECT leave out the rows of the merged table without a row of the dropped table t, which src has now.
// It adds a condition unless the SELECT has one already that such rows do not meet, only counts rows, or only shows aggregates, which
// leave out NULL.
func (s *reshaper) exclude(n *Select, t *Table, src Source, m *TableMerge) {
	all := Conjuncts(n.Where)
	for _, f := range n.From {
		all = append(all, Conjuncts(f.On)...)
	}
	needsRow := func(x Expr) bool { return s.needsRow(x, t, m) }
	if m.Marker == "" || slices.ContainsFunc(all, needsRow) || s.aggregatesMoved(n, t, m) {
		return
	}
	marker := s.mention(src, m.Table, m.Marker)
	if call := s.countOfRows(n); call != nil {
		call.Star, call.Args = false, []Expr{marker} // NULL is not counted
		return
	}
	core := s.copies[n].(*Select)
	core.Where = Conjunction(core.Where, s.isNotNull(marker))
}

// mention returns a reference to a column of an entry of FROM in the copy, qualified if that has an alias.
func (s *reshaper) mention(src Source, table, column string) *ColumnRef {
	ref, err := s.newReference(s.targetIn(src, table, column), !src.AliasName().IsZero(), Pos{})
	if err != nil {
		panic(err)
	}
	return ref
}

// needsRow reports whether a condition compares a column of the dropped table t so that it does not hold in rows of the merged
// table where that is NULL. The key of t may be there in all rows.
func (s *reshaper) needsRow(x Expr, t *Table, m *TableMerge) bool {
	if or := Operands(x, "OR"); len(or) > 1 {
		isOther := func(x Expr) bool { return !s.needsRow(x, t, m) }
		return !slices.ContainsFunc(or, isOther)
	}
	return slices.ContainsFunc(Comparisons(x), func(c Comparison) bool {
		takesKey := s.refers(c.X, t, m.Target) && equalFold(m.Marker, m.Column) && s.b.Literal(c.Y) != nil
		return (takesKey || s.isMoved(c.X, t, m)) && !strings.HasPrefix(c.Op, "IS")
	})
}

// isMoved reports whether an expression is a column of the dropped table t other than its key.
func (s *reshaper) isMoved(x Expr, t *Table, m *TableMerge) bool {
	ref, ok := x.(*ColumnRef)
	return ok && s.b.refs[ref].Source == Source(t) && !s.refers(ref, t, m.Target)
}

// aggregatesMoved reports whether a SELECT shows nothing but aggregates of columns of the dropped table t, without groups.
func (s *reshaper) aggregatesMoved(n *Select, t *Table, m *TableMerge) bool {
	showsOther := func(c *ResultColumn) bool {
		call, ok := c.Expr.(*Call)
		return !ok || !call.IsAggregate() || !call.Bare() || len(call.Args) != 1 || !s.isMoved(call.Args[0], t, m)
	}
	return len(n.GroupBy) == 0 && n.Having == nil && !slices.ContainsFunc(n.Columns, showsOther)
}

// countOfRows returns the copy of the count(*) that a SELECT shows, or nil if it shows or groups by anything else.
func (s *reshaper) countOfRows(n *Select) *Call {
	if len(n.Columns) != 1 || len(n.GroupBy) > 0 || n.Having != nil {
		return nil
	}
	if call, ok := n.Columns[0].Expr.(*Call); ok && call.Star && call.Bare() {
		return s.copies[call].(*Call)
	}
	return nil
}

// isNotNull returns the condition that a column is not NULL.
func (s *reshaper) isNotNull(ref *ColumnRef) Expr {
	return &Binary{Op: "IS NOT", X: ref, Y: &Literal{Kind: NullLiteral, Text: "NULL"}}
}

// isDistinct reports whether the rows that a SELECT from the dropped table t alone shows differ, whatever their number in the merged
// one: it shows the key of t, or takes one row by it.
func (s *reshaper) isDistinct(n *Select, t *Table, m *TableMerge) bool {
	aggregates := ContainsOwn(n, (*Call).IsAggregate) || len(n.GroupBy) > 0
	sorts := func(q *Query) bool { return q.Select == n && len(q.OrderBy) > 0 } // by what a SELECT DISTINCT may not show
	if len(n.From) != 1 || aggregates || Contains(s.b.query, sorts) {
		return false
	}
	isKey := func(x Expr) bool { return s.refers(x, t, m.Target) }
	takesOne := func(x Expr) bool {
		eq := Equation(x)
		return eq != nil && isKey(eq.X) && s.b.Literal(eq.Y) != nil
	}
	return slices.ContainsFunc(n.Columns, func(c *ResultColumn) bool { return isKey(c.Expr) }) || slices.ContainsFunc(Conjuncts(n.Where), takesOne)
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
