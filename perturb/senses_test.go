package perturb

import (
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// A name that ADD may put beside a column is no synonym of it, in whatever order its words are.
func TestSensesWithoutAdded(t *testing.T) {
	db := &dataset.Database{ID: "school", Tables: []dataset.Table{{Name: "student", Original: "student", Columns: []dataset.Column{
		{Name: "student id", Original: "student_id"}, {Name: "first name", Original: "first_name"}, {Name: "sex", Original: "sex"}}}}}
	ref := dataset.ColumnRef{Column: 1}
	names := func(added string) (names []string) {
		p := &Pass{DB: db, Resources: Resources{Headings: heading.Default},
			Buckets: dataset.Buckets{db.ColumnID(ref).Key(): {Add: []dataset.Candidate{{Name: added}}}}}
		senses, err := p.Senses()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range senses.Column(ref) {
			names = append(names, c.Name)
		}
		return names
	}
	if got := names("nickname"); !slices.Contains(got, "given name") {
		t.Fatalf("%q, expected given name among them", got)
	}
	if got := names("name given"); len(got) == 0 || slices.Contains(got, "given name") {
		t.Errorf("%q, expected some without given name", got)
	}
}

func TestHasHeadLast(t *testing.T) {
	for name, want := range map[string]bool{
		"name of venue": false, "venue title": true, "date of birth": true, "type of": true, "amount of rental": false, "venue identifier": false,
		"number of pages": true, "kind": true,
	} {
		if got := HasHeadLast(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
