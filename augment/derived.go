package augment

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// nameable returns a unit with the columns that names are looked for
// ([dataset.Column.Nameable]). Left out are columns derived from another, which follow
// their base, those of the format, and those whose name is made up and says nothing,
// so that no name is known to mean the same. Their headers would only blur what a table is about. Its keys lead nowhere, and
// a table may have no column.
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
