package augment

import (
	"regexp"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// madeUp matches the natural name of a column whose header nobody knows: "column 3",
// "col2", "unnamed: 0".
var madeUp = regexp.MustCompile(`^(?:attribute|attr|column|col|c|field|header|unnamed|variable|var)[ :._-]*[0-9]+$`)

// nameable returns a unit with the columns that names are looked for. Left out are
// columns derived from another ([dataset.Column.Base]), which follow their base, and
// those whose name is made up and says nothing, so that no name is known to mean the
// same. Their headers would only blur what a table is about. Its keys lead nowhere, and
// a table may have no column.
func nameable(u *dataset.Unit) *dataset.Unit {
	skipped := func(c dataset.Column) bool { return c.Base != "" || madeUp.MatchString(c.Name) }
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
