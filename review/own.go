package review

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// MaxOwnName is the most characters of a name that an annotator adds. Files of buckets may
// have longer ones; a person who types one has mistaken the field.
const MaxOwnName = 100

// usable returns an error if a build would leave out a name that an annotator adds to a column, or if a person cannot have meant
// it. The name is in lower case and trimmed; [Decision.Check] refuses an empty one.
func (d *Data) usable(c *column, name string) error {
	if name == "" {
		return nil
	}
	switch n := utf8.RuneCountInString(name); {
	case n > MaxOwnName:
		return fmt.Errorf("the name has %d characters, expected %d at most", n, MaxOwnName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("the name holds a control character, expected none")
	}
	db := d.databases[c.db].Database
	if _, free := perturb.NewFreeNames(db).Take(c.ref.Table, name); free {
		return nil
	}
	// To find the reason, try the name in a table of no column, of the column itself and of each other column.
	table := &db.Tables[c.ref.Table]
	clashes := func(columns ...dataset.Column) bool {
		_, free := perturb.NewFreeNames(&dataset.Database{ID: db.ID, Tables: []dataset.Table{{Columns: columns}}}).Take(0, name)
		return !free
	}
	if clashes() {
		return fmt.Errorf("%q is no name for a column, expected letters or digits", name)
	}
	if clashes(table.Columns[c.ref.Column]) {
		return fmt.Errorf("%q is the name that the column has, which a build leaves out; expected another", name)
	}
	for _, col := range table.Columns {
		if clashes(col) {
			return fmt.Errorf("%q is the name of the column %s of the table, which a build leaves out; expected one that the table has not", name, col.Original)
		}
	}
	return fmt.Errorf("%q is a name that the table has, which a build leaves out; expected another", name)
}
