package augment

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// withoutDerived returns a unit in which no column is derived from another
// ([dataset.Column.Base]): those follow their base, so that nobody has to find names
// for them, and their headers, which repeat its, would only blur what a table is about.
// Its keys lead nowhere.
func withoutDerived(u *dataset.Unit) *dataset.Unit {
	derived := func(c dataset.Column) bool { return c.Base != "" }
	if !slices.ContainsFunc(u.DB.Tables, func(t dataset.Table) bool { return slices.ContainsFunc(t.Columns, derived) }) {
		return u
	}
	db := u.DB.Clone()
	db.PrimaryKeys, db.ForeignKeys = nil, nil
	for t := range db.Tables {
		db.Tables[t].Columns = slices.DeleteFunc(db.Tables[t].Columns, derived)
	}
	return &dataset.Unit{DB: db, Examples: u.Examples}
}
