package perturb

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Derived returns the columns that are computed from the one at ref ([dataset.Column.Base]), then
// those that are computed from these, and so on. Perturbations choose columns without a base;
// derived ones follow by [FollowDerived].
func Derived(db *dataset.Database, ref dataset.ColumnRef) (refs []dataset.ColumnRef) {
	columns := db.Tables[ref.Table].Columns
	from := []string{columns[ref.Column].Original}
	for i := 0; i < len(from); i++ { // each column that is found is searched for too
		for c, column := range columns {
			d := dataset.ColumnRef{Table: ref.Table, Column: c}
			isDerived := column.Base != "" && strings.EqualFold(column.Base, from[i])
			if isDerived && d != ref && !slices.Contains(refs, d) { // bases of a damaged schema may form a circle
				refs, from = append(refs, d), append(from, column.Original)
			}
		}
	}
	return refs
}

// baseOf returns the column without a base that the one at ref is derived from, directly or not;
// ref itself if it is not derived or its base is missing.
func baseOf(db *dataset.Database, ref dataset.ColumnRef) dataset.ColumnRef {
	for range db.Tables[ref.Table].Columns { // a bound, as bases of a damaged schema may form a circle
		base := db.Column(ref).Base
		if base == "" {
			break
		}
		next, ok := db.Lookup(db.Tables[ref.Table].Original, base)
		if !ok {
			break
		}
		ref = next
	}
	return ref
}

// derivedColumn is a column that is computed from one that an edit changes.
type derivedColumn struct {
	table        string // SQL name
	column, base *dataset.Column
	suffix       string // "year" if the SQL name is BASE_year; empty if it is no such name
}

// natural returns the natural name of the derived column for base, the new name of its base column: for
// "begin", "start year" of "start" becomes "begin year".
func (d derivedColumn) natural(base string) string {
	if rest, ok := cutPrefixFold(d.column.Name, d.base.Name+" "); ok {
		return base + " " + rest
	}
	return base + " " + strings.Join(strings.Fields(strings.ReplaceAll(d.suffix, "_", " ")), " ")
}

// FollowDerived returns edits with further edits for derived columns: a column that is named BASE_SUFFIX
// and derived from a renamed or relabelled one is renamed or relabelled too, and columns derived from a
// dropped one are dropped before it. It adds no edit of a column that edits already changes in the same way.
func FollowDerived(db *dataset.Database, edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		var followers []Edit
		for _, f := range followersOf(db, e) {
			repeats := func(other Edit) bool { return changeSameColumn(other, f) }
			if !slices.ContainsFunc(edits, repeats) && !slices.ContainsFunc(out, repeats) {
				followers = append(followers, f)
			}
		}
		if e.followersFirst() {
			slices.Reverse(followers) // the last derived first
			out = append(append(out, followers...), e)
		} else {
			out = append(append(out, e), followers...)
		}
	}
	return out
}

// changeSameColumn reports whether two edits are of one kind and one column.
func changeSameColumn(a, b Edit) bool {
	table, column := a.Touches()
	otherTable, otherColumn := b.Touches()
	return kindOf(a).op == kindOf(b).op && strings.EqualFold(table, otherTable) && strings.EqualFold(column, otherColumn)
}

// followersOf returns the edits of the columns that are derived from the one that e edits. A derived column that can stay as it is
// needs none ([Edit.follow]).
func followersOf(db *dataset.Database, e Edit) (followers []Edit) {
	table, column := e.Touches()
	ref, ok := db.Lookup(table, column)
	if !ok {
		return nil
	}
	d := derivedColumn{table: table, base: db.Column(ref)}
	for _, derived := range Derived(db, ref) {
		d.column = db.Column(derived)
		d.suffix, _ = cutPrefixFold(d.column.Original, d.base.Original+"_")
		if f := e.follow(d); f != nil {
			followers = append(followers, f)
		}
	}
	return followers
}

// cutPrefixFold returns what follows a prefix of s, compared without case; false if s does not begin with the prefix, or is no longer.
func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) <= len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}
