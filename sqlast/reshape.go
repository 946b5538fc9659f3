package sqlast

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/raise"
)

// Reshaping is a change of a schema that splits and merges columns and tables and loses nothing: the values of every old
// column are in the new schema. Several tables may change, each in one way.
type Reshaping struct {
	After  Catalog
	Places map[BaseColumn]Place // of the columns that moved, by [BaseColumn.Key]
	Parts  []TablePart
	Merges []TableMerge
	Wholes []Whole
}

// Place is where the values of a column are: an expression over columns of a table, whose names have no qualifier.
type Place struct {
	Table string
	Value Expr
}

// TablePart is a new table, Part, to which columns of Table moved. Both have a row for each value of the column Key.
type TablePart struct{ Table, Part, Key string }

// TableMerge is the merge of the table Reference, which is dropped, into Table, which referred to it by a foreign key. Each row of
// Reference has at least one row in Table.
type TableMerge struct {
	Table, Column     string // the foreign key, which stays
	Reference, Target string // the dropped table, and the column to which Column referred
	Marker            string // a column of Table after the merge that is NULL in rows without a row of Reference; "" if each had one
	Unique            bool   // no value of Column is repeated
}

// Reshape returns q for a reshaped schema; b is the binding of q to the old schema.
//
//   - A column that is computed now becomes its expression.
//   - A split table is joined with its part where the query reads columns of both.
//   - The join of two merged tables becomes the merged table. A dropped table that the query reads alone becomes the distinct
//     rows of the merged one.
//
// Names that would become ambiguous are qualified as [Qualify] does. The error is a [*RefusalError].
func Reshape(q *Query, b *Binding, r Reshaping) (_ *Query, err error) {
	s := &reshaper{ // every name keeps its target; the steps below change the targets of what moves
		Reshaping: r, edit: newEdit(q, b, r.After, func(t Target) Target { return t }), b: b,
		sources: map[Source]map[string]Source{}, aliases: map[string]bool{}, shown: map[*ResultColumn]bool{},
	}
	defer raise.Catch[*RefusalError](&err)
	for src := range All[Source](q) {
		s.aliases[fold(src.AliasName().Name)] = true
	}
	s.checkJoins(q)
	s.checkComparisons(q)
	for n := range All[*Select](q) {
		s.reshapeFrom(n)
		s.compareWholes(n)
	}
	s.moveColumns(q)
	return s.settle()
}

// A reshaper reshapes one query. Its methods panic with a [*RefusalError] if the query cannot follow.
type reshaper struct {
	Reshaping
	*edit
	b       *Binding
	sources map[Source]map[string]Source // for a table of the query, the entries of FROM in the copy that have its columns, by folded base table
	aliases map[string]bool              // aliases of the query, folded
	shown   map[*ResultColumn]bool       // result columns of nested queries that the query around them names
}

// checkJoins refuses queries whose joins cannot be rewritten: joins by name of a reshaped table, and split or dropped tables in
// outer joins or in parentheses.
func (s *reshaper) checkJoins(q *Query) {
	inner := map[Source]bool{} // entries of FROM clauses without an outer join
	for n := range All[*Select](q) {
		outer := slices.ContainsFunc(n.From, func(f *FromItem) bool { return f.Op.Outer() })
		for _, f := range n.From {
			inner[f.Source] = !outer
		}
	}
	for f := range All[*FromItem](q) { // any reshaped table of the query counts, whether this join has it or not
		if isByName := f.Natural || f.Using != nil; isByName && slices.ContainsFunc(s.b.Tables(), s.isReshaped) {
			panic(refuse(f.Pos, "a join by name"))
		}
	}
	for t := range All[*Table](q) {
		base := s.b.tables[t]
		isReplaced := s.partOf(base) != nil || s.mergeOf(base) != nil
		if isReplaced && (!inner[t] || t.Indexed != "") {
			panic(refuse(t.Pos, "an outer join, a join in parentheses or an index of %s", base))
		}
	}
}

// checkComparisons refuses comparisons of a number with a column that becomes an expression. SQLite compares a column of texts with the
// text of the number, but an expression with the number itself.
func (s *reshaper) checkComparisons(q *Query) {
	for n := range All[Node](q) {
		for _, c := range Comparisons(n) {
			ref, ok := c.X.(*ColumnRef)
			if !ok {
				continue
			}
			switch s.place(s.b.refs[ref]).Value.(type) {
			case *ColumnRef, *Cast: // a cast has a type too, so SQLite compares by it
				continue
			}
			if y := s.b.Literal(c.Y); y != nil && y.Kind == NumberLiteral {
				panic(refuse(ref.Pos, "texts that are compared with a number"))
			}
		}
	}
}

// isReshaped reports whether columns move from or to a table.
func (s *reshaper) isReshaped(table string) bool {
	for column, place := range s.Places {
		if equalFold(column.Table, table) || equalFold(place.Table, table) {
			return true
		}
	}
	return false
}

// partOf returns the split of a base table, or nil.
func (s *reshaper) partOf(table string) *TablePart {
	if i := slices.IndexFunc(s.Parts, func(p TablePart) bool { return equalFold(p.Table, table) }); i >= 0 {
		return &s.Parts[i]
	}
	return nil
}

// mergeOf returns the merge that drops a base table, or nil.
func (s *reshaper) mergeOf(table string) *TableMerge {
	if i := slices.IndexFunc(s.Merges, func(m TableMerge) bool { return equalFold(m.Reference, table) }); i >= 0 {
		return &s.Merges[i]
	}
	return nil
}

// reshapeFrom rewrites the FROM clause of the copy of a SELECT. n is the SELECT in the query itself.
func (s *reshaper) reshapeFrom(n *Select) {
	core := s.copies[n].(*Select)
	for _, f := range n.From {
		t, ok := f.Source.(*Table)
		if !ok {
			continue
		}
		base := s.b.tables[t]
		if part := s.partOf(base); part != nil {
			s.joinPart(core, f, t, part)
		} else if merge := s.mergeOf(base); merge != nil {
			s.mergeTable(n, f, t, merge)
		}
	}
}

// sourceOf returns the entry of FROM in the copy that has those columns of the table t of the query which moved to a base table, base:
// the entry that [reshaper.setSource] stored, else the copy of t.
func (s *reshaper) sourceOf(t Source, base string) Source {
	if src := s.sources[t][fold(base)]; src != nil {
		return src
	}
	return s.copies[t].(Source)
}

// setSource stores that src, an entry of FROM in the copy, has the columns of t, a table of the query, that are in the base table base
// after the edit. If src is a table of its own, not the copy of t, it must resolve to base.
func (s *reshaper) setSource(t *Table, base string, src Source) {
	if s.sources[t] == nil {
		s.sources[t] = map[string]Source{}
	}
	s.sources[t][fold(base)] = src
	if table, ok := src.(*Table); ok && s.copies[t] != src {
		s.tables = append(s.tables, wantedTable{table, base})
	}
}

// replaceTable replaces a table of the query by another base table, under the same alias.
func (s *reshaper) replaceTable(t *Table, base string) {
	node := s.copies[t].(*Table)
	node.Name = NewIdent(base)
	s.dropWantedTable(t)
	s.tables = append(s.tables, wantedTable{node, base})
	s.setSource(t, base, node)
}

// dropWantedTable removes the copy of a table from the tables that must resolve to their base table after the edit.
func (s *reshaper) dropWantedTable(t *Table) {
	s.tables = slices.DeleteFunc(s.tables, func(w wantedTable) bool { return w.node == s.copies[t] })
}

// joinPart changes a split table, t, whose entry in the FROM clause of core is the copy of f. If the query reads columns of t and of its
// part, the part is joined by the key; if it reads columns of the part alone, the part replaces t.
func (s *reshaper) joinPart(core *Select, f *FromItem, t *Table, part *TablePart) {
	readsPart, readsTable := s.uses(t, part)
	switch {
	case !readsPart:
		return
	case !readsTable:
		s.replaceTable(t, part.Part)
		return
	}
	table := s.copies[t].(*Table)
	joined := &Table{Name: NewIdent(part.Part), Alias: s.freeAlias(t.Alias)}
	s.setSource(t, part.Part, joined)
	on := &Binary{Op: "=", X: s.newQualifiedRef(table, part.Table, part.Key), Y: s.newQualifiedRef(joined, part.Part, part.Key)}
	at := slices.Index(core.From, s.copies[f].(*FromItem))
	core.From = slices.Insert(slices.Clone(core.From), at+1, &FromItem{Op: Join, Source: joined, On: on})
}

// uses reports whether the query reads columns of a split table that moved to its part, and columns that stayed. The key is
// in both and counts for neither.
func (s *reshaper) uses(t *Table, part *TablePart) (readsPart, readsTable bool) {
	for _, target := range s.b.refs {
		if target.Source != Source(t) {
			continue
		}
		_, isMoved := s.Places[BaseColumn{target.Table, target.Column}.Key()] // only columns that move have a place
		readsPart = readsPart || isMoved
		readsTable = readsTable || !isMoved && !equalFold(target.Column, part.Key)
	}
	return readsPart, readsTable
}

// freeAlias returns an alias that the query does not use, such as T3 after T1 and T2, for a new table. It returns none if the table
// that the new one is joined with has no alias either; other is the alias of that table.
func (s *reshaper) freeAlias(other Ident) Ident {
	if other.IsZero() {
		return other
	}
	for i := 1; ; i++ {
		if alias := fmt.Sprint("T", i); !s.aliases[fold(alias)] {
			s.aliases[fold(alias)] = true
			return Ident{Name: alias}
		}
	}
}

// newQualifiedRef returns a qualified reference to a column of src, a table in FROM of the copy; table is its base table.
func (s *reshaper) newQualifiedRef(src *Table, table, column string) *ColumnRef {
	ref, _ := s.newReference(s.targetIn(src, table, column), true, Pos{}) // a table has a name to qualify by
	return ref
}

// targetIn returns the target of a reference to a column of a base table, by src, an entry of FROM in the copy: the table itself, or a
// query of [reshaper.distinctRows].
func (s *reshaper) targetIn(src Source, table, column string) Target {
	t := Target{Kind: Column, Name: column, Table: table, Column: column, Source: src}
	if derived, ok := src.(*Derived); ok {
		t.Kind = Output
		for _, c := range derived.Query.Select.Columns {
			if c.Expr.(*ColumnRef).Column.Is(column) {
				t.Result = c
			}
		}
	}
	return t
}

// moveColumns changes all column references of the copy to the new places of their columns. A result column of a nested query that the
// query around it names keeps its name by an alias.
func (s *reshaper) moveColumns(q *Query) {
	wanted := lists.Index(s.refs, func(w *wantedRef) *ColumnRef { return w.node })
	replace := map[Node]Node{}
	for ref := range All[*ColumnRef](q) {
		t, node := s.b.refs[ref], s.copies[ref].(*ColumnRef)
		w := wanted[node]
		table, ok := t.Source.(*Table)
		switch {
		case w != nil && w.replaced: // of a condition that was removed
		case t.Kind == Output, t.Kind == Alias:
			w.target.Table, w.target.Column = s.baseAfter(t)
			s.shown[t.Result] = s.shown[t.Result] || t.Kind == Output // named by the query around it
		case ok && t.Kind == RowID && s.sources[table] != nil:
			panic(refuse(ref.Pos, "the row id of %s", t.Table))
		case ok && t.Kind == Column:
			s.moveColumn(node, w, table, s.place(t), replace)
		}
	}
	for c := range s.shown {
		if ref, ok := c.Expr.(*ColumnRef); ok && c.Alias.IsZero() && s.isRenamed(ref) {
			s.copies[c].(*ResultColumn).Alias = NewIdent(s.b.refs[ref].Name)
		}
	}
	replaceIn(s.q, replace)
}

// place returns the place of a base column after the edit: its own table and name, unless it moved. The key of a split table is taken
// from the part where the part replaced the table.
func (s *reshaper) place(t Target) Place {
	if place, ok := s.Places[BaseColumn{t.Table, t.Column}.Key()]; ok {
		return place
	}
	same := Place{t.Table, &ColumnRef{Column: NewIdent(t.Name)}}
	if part := s.partOf(t.Table); part != nil && s.sources[t.Source][fold(part.Part)] == s.copies[t.Source] {
		same.Table = part.Part
	}
	return same
}

// isRenamed reports whether a column reference gets another name or becomes an expression.
func (s *reshaper) isRenamed(ref *ColumnRef) bool {
	t := s.b.refs[ref]
	value, ok := s.place(t).Value.(*ColumnRef)
	return t.Kind == Column && !(ok && value.Column.Is(t.Name))
}

// baseAfter returns the base column that an output or alias passes on after the edit, through nested queries; "" if it becomes an
// expression.
func (s *reshaper) baseAfter(t Target) (table, column string) {
	if t.Result == nil || t.Column == "" {
		return t.Table, t.Column
	}
	ref, ok := t.Result.Expr.(*ColumnRef)
	if !ok {
		return t.Table, t.Column
	}
	inner := s.b.refs[ref]
	if inner.Kind != Column {
		return s.baseAfter(inner)
	}
	place := s.place(inner)
	if value, ok := place.Value.(*ColumnRef); ok {
		return place.Table, value.Column.Name
	}
	return "", ""
}

// moveColumn changes node, a column reference of the copy, to the place of its column. Where the place is a column, node gets its name;
// where it is an expression, that goes into replace. w is the wanted target of node, and t the table of the query that it referred to.
func (s *reshaper) moveColumn(node *ColumnRef, w *wantedRef, t *Table, place Place, replace map[Node]Node) {
	src := s.sourceOf(t, place.Table)
	if value, ok := place.Value.(*ColumnRef); ok {
		w.target = s.targetIn(src, place.Table, value.Column.Name)
		if !node.Column.Is(value.Column.Name) {
			node.Column = value.Column
		}
		s.qualify(node, src)
		return
	}
	w.replaced = true
	replace[node] = Rewrite(place.Value, func(n Node) Node {
		value, ok := n.(*ColumnRef)
		if !ok {
			return n
		}
		ref := &ColumnRef{Pos: node.Pos, Table: node.Table, Column: value.Column}
		s.qualify(ref, src)
		s.refs = append(s.refs, &wantedRef{node: ref, target: s.targetIn(src, place.Table, value.Column.Name)})
		return ref
	})
}

// qualify changes the qualifier of a reference to that of its source; an unqualified reference stays.
func (s *reshaper) qualify(ref *ColumnRef, src Source) {
	if ref.Table.IsZero() {
		return
	}
	qualifier, err := qualifierOf(src, ref.Pos)
	if err != nil {
		panic(err)
	}
	if !ref.Table.Is(qualifier.Name) {
		ref.Table = qualifier
	}
}
