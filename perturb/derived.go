package perturb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Derived returns the columns that are computed from the one at ref
// ([dataset.Column.Base]), then those that are from these in turn, and so on.
// Perturbations choose columns that have no base: what is derived from them follows,
// see [FollowDerived].
func Derived(db *dataset.Database, ref dataset.ColumnRef) (refs []dataset.ColumnRef) {
	columns := db.Tables[ref.Table].Columns
	from := []string{columns[ref.Column].Original}
	for i := 0; i < len(from); i++ {
		for c, column := range columns {
			d := dataset.ColumnRef{Table: ref.Table, Column: c}
			switch {
			case column.Base == "", !strings.EqualFold(column.Base, from[i]), d == ref, slices.Contains(refs, d):
				continue
			}
			refs, from = append(refs, d), append(from, column.Original)
		}
	}
	return refs
}

// baseOf returns the column that the one at ref is derived from in the end; itself
// where it is not derived, or its base is not there.
func baseOf(db *dataset.Database, ref dataset.ColumnRef) dataset.ColumnRef {
	for range db.Tables[ref.Table].Columns { // bases that lead in a circle end somewhere
		base := db.Column(ref).Base
		if base == "" {
			break
		}
		to, ok := db.Lookup(db.Tables[ref.Table].Original, base)
		if !ok {
			break
		}
		ref = to
	}
	return ref
}

// FollowDerived returns edits with those that derived columns take after their base:
// where a column is renamed or relabelled, so is each that is derived from it, in SQL
// BASE_SUFFIX as before; where it is dropped, so are they, the last derived first. Edits
// that are there already count as these, so that no column has two. A column that does not carry the name of its base keeps its
// own.
func FollowDerived(db *dataset.Database, edits []Edit) []Edit {
	if !slices.ContainsFunc(db.Tables, func(t dataset.Table) bool {
		return slices.ContainsFunc(t.Columns, func(c dataset.Column) bool { return c.Base != "" })
	}) {
		return edits
	}
	var out []Edit
	for _, e := range edits {
		var followers []Edit
		for _, f := range followersOf(db, e) {
			if there := func(o Edit) bool { return sameColumn(o, f) }; !slices.ContainsFunc(edits, there) && !slices.ContainsFunc(out, there) {
				followers = append(followers, f)
			}
		}
		if _, drops := e.(DropColumn); drops {
			slices.Reverse(followers)
			out = append(append(out, followers...), e)
		} else {
			out = append(append(out, e), followers...)
		}
	}
	return out
}

func sameColumn(a, b Edit) bool {
	table, column := Touches(a)
	otherTable, otherColumn := Touches(b)
	return a.op() == b.op() && strings.EqualFold(table, otherTable) && strings.EqualFold(column, otherColumn)
}

func followersOf(db *dataset.Database, e Edit) (followers []Edit) {
	table, column := Touches(e)
	ref, ok := db.Lookup(table, column)
	if !ok {
		return nil
	}
	base := db.Column(ref)
	for _, d := range Derived(db, ref) {
		c := db.Column(d)
		suffix, carries := cutPrefixFold(c.Original, base.Original+"_")
		switch e := e.(type) {
		case RenameColumn:
			if carries {
				f := RenameColumn{Table: table, Column: c.Original, Name: e.Name + "_" + suffix, Natural: followName(c, base, e.Natural, suffix), From: e.From}
				followers = append(followers, f)
			}
		case Relabel:
			if carries {
				followers = append(followers, Relabel{Table: table, Column: c.Original, Natural: followName(c, base, e.Natural, suffix), From: e.From})
			}
		case DropColumn:
			followers = append(followers, DropColumn{Table: table, Column: c.Original})
		}
	}
	return followers
}

// followName returns the natural name of a derived column whose base takes another.
func followName(c, base *dataset.Column, natural, suffix string) string {
	if rest, ok := cutPrefixFold(c.Name, base.Name+" "); ok {
		return natural + " " + rest
	}
	return natural + " " + strings.Join(strings.Fields(strings.ReplaceAll(suffix, "_", " ")), " ")
}

func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) <= len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}

// underived returns an error where a column that is to give way has derived columns
// that stay.
func underived(before, after *dataset.Database, ref dataset.ColumnRef) error {
	for _, d := range Derived(before, ref) {
		if after.Column(d).Original != dropped {
			return fmt.Errorf("column %s is derived from %s", before.ColumnID(d), before.Column(ref).Original)
		}
	}
	return nil
}
