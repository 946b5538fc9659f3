package perturb

import (
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
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

func TestHeadsLast(t *testing.T) {
	var names []dataset.Candidate
	for _, name := range []string{"name of venue", "venue title", "date of birth", "type of", "amount of rental", "venue identifier", "number of pages", "kind"} {
		names = append(names, dataset.Candidate{Name: name})
	}
	got := lists.Map(HeadsLast(names), func(c dataset.Candidate) string { return c.Name })
	if want := []string{"venue title", "date of birth", "type of", "number of pages", "kind"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
