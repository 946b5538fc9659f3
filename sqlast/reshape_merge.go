package sqlast

import (
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
			s.dropWantedTable(t)
			s.setSource(t, m.Table, s.copies[partner].(Source))
			s.removeJoin(core, s.copies[other].(*FromItem), s.copies[f].(*FromItem), s.copies[condition].(Expr))
			s.exempt(condition)
			s.excludeUnmatched(n, t, s.copies[partner].(Source), m)
			return
		}
	}
	if m.Unique || s.isDistinct(n, t, m) {
		s.replaceTable(t, m.Table)
		s.excludeUnmatched(n, t, s.copies[t].(Source), m)
		core.Distinct = core.Distinct || !m.Unique
		return
	}
	// If rows without a row of t have no key, count(DISTINCT key) skips them.
	markedByKey := m.Marker == "" || equalFold(m.Marker, m.Column)
	if call := s.countOfRows(n); call != nil && len(n.From) == 1 && markedByKey { // count(*) becomes count(DISTINCT key)
		s.replaceTable(t, m.Table)
		call.Star, call.Distinct, call.Args = false, true, []Expr{s.newColumnRef(s.copies[t].(Source), m.Table, m.Column)}
		return
	}
	s.dropWantedTable(t)
	derived := s.distinctRows(t, m, len(n.From) == 1)
	s.copies[f].(*FromItem).Source = derived
	s.setSource(t, m.Table, derived)
}

// refers reports whether an expression of the query is a column of a table.
func (s *reshaper) refers(x Expr, t *Table, column string) bool {
	ref, ok := x.(*ColumnRef)
	return ok && s.b.refs[ref].Source == Source(t) && equalFold(s.b.refs[ref].Column, column)
}

// conditionsOf returns the conditions that a SELECT joins by AND, of WHERE and then of ON.
func conditionsOf(n *Select) []Expr {
	all := Conjuncts(n.Where)
	for _, f := range n.From {
		all = append(all, Conjuncts(f.On)...)
	}
	return all
}

// joinCondition returns the condition of a SELECT by which it joins the merged table, partner, with the dropped table t on the
// foreign key, or nil.
func (s *reshaper) joinCondition(n *Select, partner, t *Table, m *TableMerge) Expr {
	joins := func(x, y Expr) bool { return s.refers(x, partner, m.Column) && s.refers(y, t, m.Target) }
	for _, x := range conditionsOf(n) {
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
	at, partnerAt := slices.Index(from, gone), slices.Index(from, partner)
	if at < partnerAt { // the partner takes the place and the ON of gone
		where = append(where, partner.On)
		partner.Op, partner.On = gone.Op, gone.On
		from[at] = partner
		at = partnerAt
	} else {
		where = append(where, gone.On)
	}
	core.From, core.Where = slices.Delete(from, at, at+1), Conjunction(where...)
}

// exempt leaves the references in a condition that was removed out of the check that each refers to its old target.
func (s *reshaper) exempt(condition Expr) {
	for ref := range All[*ColumnRef](condition) {
		for _, w := range s.refs {
			w.replaced = w.replaced || w.node == s.copies[ref]
		}
	}
}

// excludeUnmatched makes the copy of a SELECT leave out those rows of the merged table, its source src, that have no row of the dropped table t.
// There the marker is NULL. It adds the condition that the marker is not NULL, or counts the marker in place of all rows. It does
// nothing if no such rows exist, if the SELECT has a condition that they do not meet, or if it only shows aggregates, which skip NULL.
func (s *reshaper) excludeUnmatched(n *Select, t *Table, src Source, m *TableMerge) {
	needsRow := func(x Expr) bool { return s.needsRow(x, t, m) }
	if m.Marker == "" || slices.ContainsFunc(conditionsOf(n), needsRow) || s.aggregatesMoved(n, t, m) {
		return
	}
	marker := s.newColumnRef(src, m.Table, m.Marker)
	if call := s.countOfRows(n); call != nil {
		call.Star, call.Args = false, []Expr{marker} // NULL is not counted
		return
	}
	core := s.copies[n].(*Select)
	core.Where = Conjunction(core.Where, s.isNotNull(marker))
}

// newColumnRef returns a reference to a column of src, an entry of FROM in the copy, qualified by the alias of src if it has one.
func (s *reshaper) newColumnRef(src Source, table, column string) *ColumnRef {
	ref, _ := s.newReference(s.targetIn(src, table, column), !src.AliasName().IsZero(), Pos{})
	return ref
}

// needsRow reports whether a condition fails in the rows of the merged table that have no row of the dropped table t, because it
// compares a column of t, which is NULL there. The key counts only if it is the marker: otherwise it may have a value in all rows.
func (s *reshaper) needsRow(x Expr, t *Table, m *TableMerge) bool {
	if or := Operands(x, "OR"); len(or) > 1 { // each side must fail
		isOther := func(x Expr) bool { return !s.needsRow(x, t, m) }
		return !slices.ContainsFunc(or, isOther)
	}
	return slices.ContainsFunc(Comparisons(x), func(c Comparison) bool {
		takesKey := s.refers(c.X, t, m.Target) && equalFold(m.Marker, m.Column) && s.b.Literal(c.Y) != nil
		return (takesKey || s.isMoved(c.X, t, m)) && !strings.HasPrefix(c.Op, "IS") // IS compares NULL too
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
		isPlain := ok && call.IsAggregate() && call.Bare() && len(call.Args) == 1
		return !isPlain || !s.isMoved(call.Args[0], t, m)
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

// isDistinct reports whether SELECT DISTINCT from the merged table shows the rows that a SELECT from the dropped table t alone does:
// the SELECT shows the key of t, or takes one row by it, and neither aggregates nor sorts.
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
			core.Columns = append(core.Columns, &ResultColumn{Expr: s.newColumnRef(source, m.Table, column)})
		}
	}
	add(m.Column)
	for ref := range All[*ColumnRef](s.b.query) { // the columns that the query reads
		if target := s.b.refs[ref]; target.Source == Source(t) && target.Kind == Column {
			add(s.place(target).Value.(*ColumnRef).Column.Name)
		}
	}
	if m.Marker != "" { // NULL in rows without a row of the dropped table
		core.Where = s.isNotNull(s.newColumnRef(source, m.Table, m.Marker))
	}
	alias := t.Alias
	needsAlias := !alone || s.qualifies(t) || s.b.query.SQL().scopes.queriesNeedAlias
	if alias.IsZero() && needsAlias {
		alias = NewIdent(m.Reference)
	}
	return &Derived{Query: &Query{Select: core}, Alias: alias}
}

// qualifies reports whether the query has a qualified reference to a column of the table t.
func (s *reshaper) qualifies(t *Table) bool {
	return Contains(s.b.query, func(ref *ColumnRef) bool { return s.b.refs[ref].Source == Source(t) && !ref.Table.IsZero() })
}
