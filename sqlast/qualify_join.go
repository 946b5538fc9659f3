package sqlast

import (
	"cmp"
	"slices"
)

// fixJoins rewrites the joins of the copy that would join by other columns than e.joins wants, and reports whether
// there were any. b is the binding of the copy as it is now.
func (e *edit) fixJoins(b *Binding) (changed bool, err error) {
	for _, j := range e.joins {
		if slices.EqualFunc(j.columns, b.joins[j.node], func(x, y JoinColumn) bool {
			return sameTarget(x.Left, y.Left) && sameTarget(x.Right, y.Right)
		}) {
			continue
		}
		changed = true
		if j.node.Natural && j.toUsing(e.d) {
			continue
		}
		if err := e.toOn(j); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// toUsing turns NATURAL into USING. It returns false if two joined columns have different names.
func (j *wantedJoin) toUsing(d *Dialect) bool {
	var names []Ident
	for _, c := range j.columns {
		if !equalFold(c.Left.Name, c.Right.Name) {
			return false
		}
		names = append(names, d.NewIdent(c.Left.Name))
	}
	j.node.Natural, j.node.Using = false, names
	return true
}

// toOn turns NATURAL or USING into ON.
func (e *edit) toOn(j *wantedJoin) error {
	f := j.node
	if slices.Contains([]JoinOp{RightJoin, FullJoin}, f.Op) {
		return refuse(f.Pos, "the columns of %s cannot be joined by ON: USING merges them", f.Op)
	}
	var equations []Expr
	for _, c := range j.columns {
		left, errLeft := e.newReference(c.Left, true, f.Pos)
		right, errRight := e.newReference(c.Right, true, f.Pos)
		if err := cmp.Or(errLeft, errRight); err != nil {
			return err
		}
		equations = append(equations, &Binary{Op: "=", X: left, Y: right})
	}
	f.Natural, f.Using, f.On = false, nil, Conjunction(equations...)
	j.columns = nil // a join by ON merges no columns
	return nil
}

// newReference returns a new column reference that must refer to the target t. If qualified is set, it has
// the name of its source before it; the error, at position, is that the source has none.
func (e *edit) newReference(t Target, qualified bool, position Pos) (*ColumnRef, error) {
	ref := &ColumnRef{Column: e.d.NewIdent(t.Name)}
	if qualified {
		var err error
		if ref.Table, err = qualifierOf(t.Source, position); err != nil {
			return nil, err
		}
	}
	e.refs = append(e.refs, &wantedRef{node: ref, target: t})
	return ref, nil
}

// fixStars replaces the stars that would expand to other columns than before by their columns,
// and reports whether there were any.
func (e *edit) fixStars(b *Binding) (changed bool, err error) {
	for _, s := range e.stars {
		if s.expanded || slices.EqualFunc(s.columns, b.stars[s.node], sameTarget) {
			continue
		}
		changed = true
		if err := e.expandStar(s); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// expandStar replaces a star of a select list by one entry for each of its columns. References from outside
// to a column of the star then refer to the entry of that column.
func (e *edit) expandStar(s *wantedStar) error {
	if len(s.columns) == 0 {
		return refuse(s.node.Pos, "%s stands for no columns", Format(s.node))
	}
	s.expanded = true
	qualified := len(s.selectCore.From) > 1 // other sources may have columns of the same names
	var entries []*ResultColumn
	for i, t := range s.columns {
		if slices.ContainsFunc(s.columns[:i], func(u Target) bool {
			return u.Source == t.Source && equalFold(u.Name, t.Name)
		}) {
			return refuse(s.node.Pos, "%s stands for two columns named %s", Format(s.node), t.Name)
		}
		ref, err := e.newReference(t, qualified, s.node.Pos)
		if err != nil {
			return err
		}
		entries = append(entries, &ResultColumn{Expr: ref})
	}
	index := slices.Index(s.selectCore.Columns, s.entry)
	s.selectCore.Columns = slices.Replace(s.selectCore.Columns, index, index+1, entries...)
	e.retarget(s, entries)
	return nil
}

// retarget changes the wanted targets that refer to the star s of a select list, after the star was replaced by one entry for
// each of its columns: they now refer to the entry of their column.
func (e *edit) retarget(s *wantedStar, entries []*ResultColumn) {
	update := func(t *Target) {
		if t.Result != s.entry {
			return
		}
		for i, c := range s.columns {
			if equalFold(c.Name, t.Name) {
				t.Result = entries[i]
				return
			}
		}
	}
	for _, r := range e.refs {
		update(&r.target)
	}
	for _, o := range e.stars {
		for i := range o.columns {
			update(&o.columns[i])
		}
	}
	for _, j := range e.joins {
		for i := range j.columns {
			update(&j.columns[i].Left)
			update(&j.columns[i].Right)
		}
	}
}
