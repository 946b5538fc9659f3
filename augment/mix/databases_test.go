package mix

import (
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestLikeness takes a database for the same whose tables and columns were shuffled,
// and for another where a name is.
func TestLikeness(t *testing.T) {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Original: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Original: c})
		}
		return t
	}
	known := &dataset.Database{ID: "a", Tables: []dataset.Table{table("pet", "id", "name"), table("Owner", "id", "age")}}
	b := &banned{ids: map[string]string{"a": "dev"}, schemas: map[signature]string{unorderedSignature(known): "dev"}}
	for _, test := range []struct {
		tables []dataset.Table
		leaks  bool
	}{
		{[]dataset.Table{table("pet", "id", "name"), table("Owner", "id", "age")}, true},
		{[]dataset.Table{table("owner", "Age", "ID"), table("Pet", "name", "id")}, true},
		{[]dataset.Table{table("owner", "age", "name"), table("pet", "id", "id")}, false},
		{[]dataset.Table{table("pet", "id", "name")}, false},
		{[]dataset.Table{table("pet", "id", "name"), table("owner", "id", "years")}, false},
	} {
		db := &dataset.Database{ID: "b", Tables: test.tables}
		if err := b.check(db, "build"); (err != nil) != test.leaks {
			t.Errorf("%v: error %v, want one: %v", test.tables, err, test.leaks)
		}
	}
	for id, leaks := range map[string]bool{"a": true, "a__0d5b63dd67": true, "ab": false, "b__a": false} {
		db := &dataset.Database{ID: id, Tables: []dataset.Table{table("other", "id")}}
		if err := b.check(db, "build"); (err != nil) != leaks {
			t.Errorf("the database %s: error %v, want one: %v", id, err, leaks)
		}
	}
	if known.Tables[0].Columns[0].Original != "id" || known.Tables[0].Original != "pet" {
		t.Error("the schema itself was sorted")
	}
}
