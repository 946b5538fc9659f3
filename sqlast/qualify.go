package sqlast

import (
	"fmt"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// RefusalError is the reason why an edit cannot keep the meaning of a query.
type RefusalError struct {
	Pos    Pos // zero if no one place is to blame
	Reason string
}

// Error returns the reason, after the place if there is one.
func (e *RefusalError) Error() string {
	if e.Pos == (Pos{}) {
		return e.Reason
	}
	return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Col, e.Reason)
}

// refuse returns a [RefusalError] at a position.
func refuse(position Pos, format string, args ...any) *RefusalError {
	return &RefusalError{position, fmt.Sprintf(format, args...)}
}

// Qualify returns q so that it means in the catalog after what it means in that
// of its binding b; the two differ in columns that were added, removed or
// moved within a table. A query that keeps its meaning is returned as it is, in
// a copy. Else, only where it is needed,
//
//   - a column that became ambiguous or captured is qualified,
//   - a string in double quotes that became a column goes into single quotes,
//   - an alias that became a column gives way to its expression,
//   - a star that became wider is written out, but not in EXISTS (SELECT * …),
//   - NATURAL becomes USING, and USING becomes ON.
//
// The error is a [*RefusalError], as where the query uses a removed column.
func Qualify(q *Query, b *Binding, changed Catalog) (*Query, error) {
	return newEdit(q, b, changed, func(t Target) Target { return t }).settle()
}

// An edit is a copy of a query that is being changed, with what its names must refer to at the end.
// All nodes and targets that it stores are those of the copy.
type edit struct {
	q       *Query
	d       *Dialect
	copies  map[Node]Node // from a node of the original to its copy
	changed Catalog       // the schema after the edit
	tables  []wantedTable
	joins   []*wantedJoin
	stars   []*wantedStar
	refs    []*wantedRef
}

// wantedTable is a table that must name a base table; "" for a CTE or a function.
type wantedTable struct {
	node *Table
	base string
}

// wantedJoin is a join by USING or NATURAL that must join by the given columns.
type wantedJoin struct {
	node    *FromItem
	columns []JoinColumn
}

// wantedStar is a star that must expand to the given columns.
type wantedStar struct {
	node       *Star
	selectCore *Select       // whose select list has the star
	entry      *ResultColumn // of the select list: the star itself
	columns    []Target
	expanded   bool // replaced by its columns
}

// wantedRef is a column reference that must refer to the target.
type wantedRef struct {
	node     *ColumnRef
	target   Target
	replaced bool // by an expression that is no column
}

// newEdit copies q, with its binding b, for a change of its schema to changed. It stores for each table, column, star and join
// by name of the copy the target that it must have in the end: targetAfter of its old target.
func newEdit(q *Query, b *Binding, changed Catalog, targetAfter func(Target) Target) *edit {
	e := &edit{changed: changed, d: q.SQL()}
	e.q, e.copies = copyTree(q)
	wantedTarget := func(t Target) Target {
		t = targetAfter(t)
		if t.Source != nil {
			t.Source = e.copies[t.Source].(Source)
		}
		if t.Result != nil {
			t.Result = e.copies[t.Result].(*ResultColumn)
		}
		return t
	}
	existsLists := map[*Select]bool{} // of EXISTS (SELECT * …): the columns of their stars do not matter
	Inspect(q, func(n Node) bool {
		switch n := n.(type) {
		case *Exists:
			existsLists[n.Query.Select] = len(n.Query.Compound) == 0
		case *Table:
			base := targetAfter(Target{Table: b.tables[n]}).Table
			e.tables = append(e.tables, wantedTable{e.copies[n].(*Table), base})
		case *FromItem:
			columns := lists.Map(b.joins[n], func(c JoinColumn) JoinColumn {
				return JoinColumn{Left: wantedTarget(c.Left), Right: wantedTarget(c.Right)}
			})
			e.joins = append(e.joins, &wantedJoin{e.copies[n].(*FromItem), columns})
		case *ColumnRef:
			e.refs = append(e.refs, &wantedRef{node: e.copies[n].(*ColumnRef), target: wantedTarget(b.refs[n])})
		case *Select:
			for _, c := range n.Columns {
				star, ok := c.Expr.(*Star)
				if !ok || existsLists[n] {
					continue
				}
				e.stars = append(e.stars, &wantedStar{
					node: e.copies[star].(*Star), selectCore: e.copies[n].(*Select), entry: e.copies[c].(*ResultColumn),
					columns: lists.Map(b.stars[star], wantedTarget),
				})
			}
		}
		return true
	})
	return e
}

// maxRounds bounds how often settle resolves the query: one fix can uncover the
// need for another, as a join that loses its NATURAL uncovers ambiguous names.
const maxRounds = 6

// settle changes the copy until every name refers to its target in the changed schema. Each change may alter what other
// names refer to, so it resolves the copy again after each kind of fix.
func (e *edit) settle() (*Query, error) {
	for range maxRounds {
		b, err := Resolve(e.q, e.changed)
		if err != nil {
			return nil, refuse(Pos{}, "%v", err)
		}
		for _, t := range e.tables {
			if !equalFold(b.tables[t.node], t.base) {
				return nil, refuse(t.node.Pos, "table %s would not be %q", t.node.Name, t.base)
			}
		}
		changed := false
		for _, fix := range []func(*Binding) (bool, error){e.fixJoins, e.fixStars, e.fixRefs} {
			if changed, err = fix(b); err != nil {
				return nil, err
			}
			if changed {
				break
			}
		}
		if !changed {
			return e.q, nil
		}
	}
	return nil, refuse(Pos{}, "names cannot be kept apart")
}

// sameTarget reports whether two targets of the copy are the same. It ignores their names if that of
// a is only the text of an expression, which an edit may change.
func sameTarget(a, b Target) bool {
	if namedByText(a) {
		b.Name = a.Name
	}
	return a.identity() == b.identity()
}

// identity returns the parts of a target by which two targets are compared, with names folded.
func (t Target) identity() Target {
	return Target{Kind: t.Kind, Source: t.Source, Result: t.Result, Table: fold(t.Table), Column: fold(t.Column), Name: fold(t.Name)}
}

// namedByText reports whether t is an output whose name is the text of its
// expression, which an edit may change.
func namedByText(t Target) bool {
	if t.Kind != Output || t.Result == nil {
		return false
	}
	switch t.Result.Expr.(type) {
	case *Star, *ColumnRef:
		return false
	}
	return t.Result.Alias.IsZero()
}

// qualifierOf returns the name that qualifies the columns of a source: its alias, or else the
// name of its table. The error is at position.
func qualifierOf(s Source, position Pos) (Ident, error) {
	if alias := s.AliasName(); !alias.IsZero() {
		return alias, nil
	}
	if t, ok := s.(*Table); ok {
		return t.Name, nil
	}
	return Ident{}, refuse(position, "a column of a derived table without an alias cannot be qualified")
}

// fixRefs changes the column references that do not refer to their targets by the binding b, and reports whether there
// were any. It qualifies them with their table, or replaces them by the string or the expression that they stood for.
func (e *edit) fixRefs(b *Binding) (changed bool, err error) {
	replace := map[Node]Node{}
	for _, r := range e.refs {
		want := r.target
		switch {
		case r.replaced, want.Kind == Unknown, sameTarget(want, b.refs[r.node]):
			continue
		}
		changed = true
		switch {
		case want.Kind == String:
			replace[r.node] = &Literal{Pos: r.node.Pos, Kind: StringLiteral, Text: r.node.Column.Name}
			r.replaced = true
		case want.Kind == Alias:
			replace[r.node] = e.duplicate(want.Result.Expr)
			r.replaced = true
		case want.Kind == Row:
			return false, refuse(r.node.Pos, "%s is a whole row", Format(r.node))
		case namedByText(want) && !e.d.sameName(e.d.NameOf(r.node.Column), e.d.outputName(want.Result.Expr)): // the text has changed
			r.node.Column = Ident{e.d.outputName(want.Result.Expr), '"'}
		case !r.node.Table.IsZero():
			return false, refuse(r.node.Pos, "%s would not be %s", Format(r.node), describe(want))
		default:
			if r.node.Table, err = qualifierOf(want.Source, r.node.Pos); err != nil {
				return false, err
			}
		}
	}
	replaceIn(e.q, replace)
	return changed, nil
}

// describe returns the name of a target for a message.
func describe(t Target) string {
	if t.Table == "" {
		return fmt.Sprintf("%q", t.Name)
	}
	return fmt.Sprintf("%s.%s", t.Table, t.Name)
}

// duplicate copies an expression of the query. Each column reference in the copy must refer to
// the target of its original.
func (e *edit) duplicate(x Expr) Expr {
	wanted := lists.Index(e.refs, func(r *wantedRef) *ColumnRef { return r.node })
	return Rewrite(x, func(n Node) Node {
		ref, ok := n.(*ColumnRef)
		if !ok {
			return n
		}
		c := *ref
		if w := wanted[ref]; w != nil {
			e.refs = append(e.refs, &wantedRef{node: &c, target: w.target})
		}
		return &c
	}).(Expr)
}

// replaceIn replaces the nodes below n that are keys of the map by their values.
func replaceIn(n Node, replace map[Node]Node) {
	if len(replace) == 0 {
		return
	}
	n.edit(func(c Node) Node {
		if r, ok := replace[c]; ok {
			return r
		}
		replaceIn(c, replace)
		return c
	})
}
