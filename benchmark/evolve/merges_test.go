package evolve

import (
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestIsRole has a table of links whose name tells a role, one that is named for its ends, and one that says more than links.
func TestIsRole(t *testing.T) {
	columns := func(names ...string) (list []dataset.Column) {
		for _, n := range names {
			list = append(list, dataset.Column{Name: n, Original: n})
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		columns []dataset.Column
		want    bool
	}{
		{"advisor", columns("student", "instructor"), true},
		{"instructor student", columns("student", "instructor"), false},
		{"advisor", columns("student", "instructor", "since"), false},
	} {
		db := &dataset.Database{Tables: []dataset.Table{
			{Name: "student", Original: "student", Columns: columns("id")}, {Name: "instructor", Original: "instructor", Columns: columns("id")},
			{Name: tt.name, Original: tt.name, Columns: tt.columns},
		}}
		for end := range 2 {
			db.ForeignKeys = append(db.ForeignKeys, dataset.ForeignKey{Column: dataset.ColumnRef{Table: 2, Column: end}, Target: dataset.ColumnRef{Table: end}})
		}
		if got := isRole(db, 2); got != tt.want {
			t.Errorf("%s of %d columns: %v, want %v", tt.name, len(tt.columns), got, tt.want)
		}
	}
}

// TestRefersToItself has keys that a column of the same table repeats after other words, and foreign keys that only end like the key.
func TestRefersToItself(t *testing.T) {
	for _, tt := range []struct {
		key, other string
		want       bool
	}{
		{"structure code", "parent structure code", true},
		{"structure code", "description", false},
		{"id", "parent id", true},
		{"id", "country id", false},
		{"name", "first name", false},
	} {
		db := &dataset.Database{Tables: []dataset.Table{{Name: "city", Original: "city", Columns: []dataset.Column{
			{Name: tt.key, Original: tt.key}, {Name: tt.other, Original: tt.other},
		}}}}
		if got := refersToItself(db, "city", tt.key); got != tt.want {
			t.Errorf("%q beside the key %q: %v, want %v", tt.other, tt.key, got, tt.want)
		}
	}
}
