package augment

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// nameable returns a unit with only the columns that get names ([dataset.Column.Nameable]): it drops
// columns that are derived from another, those of the format, and those with a made-up name such as
// "column 3". If it drops any, the result is a copy that has no keys, and its tables may have no columns.
func nameable(u *dataset.Unit) *dataset.Unit {
	skipped := func(c dataset.Column) bool { return !c.Nameable() }
	if !slices.ContainsFunc(u.DB.Tables, func(t dataset.Table) bool { return slices.ContainsFunc(t.Columns, skipped) }) {
		return u
	}
	db := u.DB.Clone()
	db.PrimaryKeys, db.ForeignKeys = nil, nil
	for t := range db.Tables {
		db.Tables[t].Columns = slices.DeleteFunc(db.Tables[t].Columns, skipped)
	}
	return &dataset.Unit{DB: db, Examples: u.Examples}
}
