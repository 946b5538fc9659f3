package sqlast

import (
	"cmp"
	"slices"
)

// fixJoins makes joins explicit that would join by other columns than before.
func (e *edit) fixJoins(b *Binding) (changed bool, err error) {
	for _, j := range e.joins {
		if slices.EqualFunc(j.columns, b.joins[j.node], func(x, y JoinColumn) bool {
			return same(x.Left, y.Left) && same(x.Right, y.Right)
		}) {
			continue
		}
		changed = true
		if j.node.Natural && j.using() {
			continue
		}
		if err := e.on(j); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// using turns NATURAL into USING, if that can be.
func (j *wantedJoin) using() bool {
	var names []Ident
	for _, c := range j.columns {
		if !equalFold(c.Left.Name, c.Right.Name) {
			return false
		}
		names = append(names, NewIdent(c.Left.Name))
	}
	j.node.Natural, j.node.Using = false, names
	return true
}

// on turns NATURAL or USING into ON.
func (e *edit) on(j *wantedJoin) error {
	f := j.node
	if slices.Contains([]JoinOp{RightJoin, FullJoin}, f.Op) {
		return refuse(f.Pos, "the columns of %s cannot be joined by ON: USING merges them", f.Op)
	}
	f.Natural, f.Using, f.On = false, nil, nil
	for _, c := range j.columns {
		left, errLeft := e.reference(c.Left, true, f.Pos)
		right, errRight := e.reference(c.Right, true, f.Pos)
		if err := cmp.Or(errLeft, errRight); err != nil {
			return err
		}
		var equal Expr = &Binary{Op: "=", X: left, Y: right}
		if f.On != nil {
			equal = &Binary{Op: "AND", X: f.On, Y: equal}
		}
		f.On = equal
	}
	j.columns = nil
	return nil
}

// reference returns a new name for t.
func (e *edit) reference(t Target, qualified bool, at Pos) (*ColumnRef, error) {
	ref := &ColumnRef{Column: NewIdent(t.Name)}
	if qualified {
		var err error
		if ref.Table, err = qualifier(t.Source, at); err != nil {
			return nil, err
		}
	}
	e.refs = append(e.refs, &wantedRef{node: ref, target: t})
	return ref, nil
}

// fixStars writes out the stars that would stand for other columns than before.
func (e *edit) fixStars(b *Binding) (changed bool, err error) {
	for _, s := range e.stars {
		if s.written || slices.EqualFunc(s.columns, b.stars[s.node], same) {
			continue
		}
		changed = true
		if err := e.expand(s); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// expand replaces a star by its columns. Names from outside that came by the
// star now come by one of them.
func (e *edit) expand(s *wantedStar) error {
	if len(s.columns) == 0 {
		return refuse(s.node.Pos, "%s stands for no columns", Format(s.node))
	}
	s.written = true
	qualified := len(s.in.From) > 1
	var entries []*ResultColumn
	for i, t := range s.columns {
		if slices.ContainsFunc(s.columns[:i], func(u Target) bool {
			return u.Source == t.Source && equalFold(u.Name, t.Name)
		}) {
			return refuse(s.node.Pos, "%s stands for two columns named %s", Format(s.node), t.Name)
		}
		ref, err := e.reference(t, qualified, s.node.Pos)
		if err != nil {
			return err
		}
		entries = append(entries, &ResultColumn{Expr: ref})
	}
	at := slices.Index(s.in.Columns, s.entry)
	s.in.Columns = slices.Replace(s.in.Columns, at, at+1, entries...)
	e.retarget(s, entries)
	return nil
}

// retarget makes what came by the star s come by its written-out entries.
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
