package sqlast

import "fmt"

// RefusalError is the reason why an edit cannot keep the meaning of a query.
type RefusalError struct {
	Pos    Pos // zero where no one place is to blame
	Reason string
}

func (e *RefusalError) Error() string {
	if e.Pos == (Pos{}) {
		return e.Reason
	}
	return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Col, e.Reason)
}

func refuse(at Pos, format string, args ...any) *RefusalError {
	return &RefusalError{at, fmt.Sprintf(format, args...)}
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
func Qualify(q *Query, b *Binding, after Catalog) (*Query, error) {
	return newEdit(q, b, after, func(t Target) Target { return t }).settle()
}

// An edit is a copy of a query that is being changed, with all that its parts
// must mean in the end. What is wanted is in terms of the copy.
type edit struct {
	q      *Query
	copies map[Node]Node // nodes of the original to those of the copy
	after  Catalog
	tables []wantedTable
	joins  []*wantedJoin
	stars  []*wantedStar
	refs   []*wantedRef
}

type wantedTable struct {
	node *Table
	base string
}

type wantedJoin struct {
	node    *FromItem
	columns []JoinColumn
}

type wantedStar struct {
	node    *Star
	in      *Select
	entry   *ResultColumn
	columns []Target
	written bool // replaced by columns
}

type wantedRef struct {
	node     *ColumnRef
	target   Target
	replaced bool // by an expression that is no column
}

// newEdit copies q and wants each part of the copy to mean what become makes
// of its old meaning.
func newEdit(q *Query, b *Binding, after Catalog, become func(Target) Target) *edit {
	e := &edit{after: after}
	e.q, e.copies = copyTree(q)
	want := func(t Target) Target {
		t = become(t)
		if t.Source != nil {
			t.Source = e.copies[t.Source].(Source)
		}
		if t.Result != nil {
			t.Result = e.copies[t.Result].(*ResultColumn)
		}
		return t
	}
	probes := map[*Select]bool{} // select lists that do not matter
	Inspect(q, func(n Node) bool {
		switch n := n.(type) {
		case *Exists:
			probes[n.Query.Select] = len(n.Query.Compound) == 0
		case *Table:
			base := become(Target{Table: b.tables[n]}).Table
			e.tables = append(e.tables, wantedTable{e.copies[n].(*Table), base})
		case *FromItem:
			j := &wantedJoin{node: e.copies[n].(*FromItem)}
			for _, c := range b.joins[n] {
				j.columns = append(j.columns, JoinColumn{Left: want(c.Left), Right: want(c.Right)})
			}
			e.joins = append(e.joins, j)
		case *ColumnRef:
			e.refs = append(e.refs, &wantedRef{node: e.copies[n].(*ColumnRef), target: want(b.refs[n])})
		case *Select:
			for _, c := range n.Columns {
				star, ok := c.Expr.(*Star)
				if !ok || probes[n] {
					continue
				}
				s := &wantedStar{node: e.copies[star].(*Star), in: e.copies[n].(*Select), entry: e.copies[c].(*ResultColumn)}
				for _, t := range b.stars[star] {
					s.columns = append(s.columns, want(t))
				}
				e.stars = append(e.stars, s)
			}
		}
		return true
	})
	return e
}

// maxRounds bounds how often settle resolves the query: one fix can uncover the
// need for another, as a join that loses its NATURAL uncovers ambiguous names.
const maxRounds = 6

// settle changes the copy until all means what it must.
func (e *edit) settle() (*Query, error) {
	for range maxRounds {
		b, err := Resolve(e.q, e.after)
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

// same reports whether two targets of the copy are the same.
func same(a, b Target) bool {
	if namedByText(a) {
		b.Name = a.Name
	}
	return a.identity() == b.identity()
}

// identity is what targets that are the same have in common.
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

// qualifier returns the name by which columns of a source are qualified.
func qualifier(s Source, at Pos) (Ident, error) {
	if alias := s.AliasName(); !alias.IsZero() {
		return alias, nil
	}
	if t, ok := s.(*Table); ok {
		return t.Name, nil
	}
	return Ident{}, refuse(at, "a column of a derived table without an alias cannot be qualified")
}

// fixRefs changes names that do not mean what they must.
func (e *edit) fixRefs(b *Binding) (changed bool, err error) {
	replace := map[Node]Node{}
	for _, r := range e.refs {
		want := r.target
		switch {
		case r.replaced, want.Kind == Unknown, same(want, b.refs[r.node]):
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
		case namedByText(want) && !r.node.Column.Is(Format(want.Result.Expr)):
			r.node.Column = Ident{Format(want.Result.Expr), '"'}
		case !r.node.Table.IsZero():
			return false, refuse(r.node.Pos, "%s would not be %s", Format(r.node), describe(want))
		default:
			if r.node.Table, err = qualifier(want.Source, r.node.Pos); err != nil {
				return false, err
			}
		}
	}
	replaceIn(e.q, replace)
	return changed, nil
}

func describe(t Target) string {
	if t.Table == "" {
		return fmt.Sprintf("%q", t.Name)
	}
	return fmt.Sprintf("%s.%s", t.Table, t.Name)
}

// duplicate copies an expression, names and wishes included.
func (e *edit) duplicate(x Expr) Expr {
	wanted := map[*ColumnRef]*wantedRef{}
	for _, r := range e.refs {
		wanted[r.node] = r
	}
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

// replaceIn puts nodes in the place of others below n.
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
