package augment

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// nameable returns a unit with only the columns that get names ([dataset.Column.Nameable]). It
// drops columns that are derived from another, those of the format, and those with a made-up
// name, for which no name is known to mean the same. Their headers would also hide what the
// table is about. The result has no keys, and its tables may have no columns.
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
