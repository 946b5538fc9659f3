package attack

import (
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// attackWords attacks a question about cities of customers, with a name that replaces and one that is added beside it.
func attackWords(t *testing.T, v *toy, c Config) *Result {
	t.Helper()
	db := &dataset.Database{ID: "shop", Tables: []dataset.Table{{Name: "customer", Original: "customer", Columns: []dataset.Column{
		{Name: "name", Original: "name", Type: dataset.Text}, {Name: "city", Original: "city", Type: dataset.Text},
	}}}}
	ex := &dataset.Example{DB: "shop", Question: "Show each city and the name of its customers.", Query: "SELECT city, name FROM customer"}
	c.Resources, c.Words = perturbtest.Resources(), spidersyn.Attackers()[0]
	c.Search, c.Budget, c.Seed = searchNamed(t, "greedy"), 50, 1
	c.Buckets = dataset.Buckets{dataset.ColumnID{DB: "shop", Table: "customer", Column: "city"}.Key(): {
		Replace: []dataset.Candidate{{Name: "town", Validity: .9}}, Add: []dataset.Candidate{{Name: "country", Validity: .9}},
	}}
	a := &Attacker{Config: c, DB: db, Victim: v}
	closer, err := a.openWords(t.Context(), &dataset.Unit{DB: db, Examples: []*dataset.Example{ex}})
	if err != nil {
		t.Fatal(err)
	}
	defer closer()
	r, err := a.Attack(t.Context(), ex)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Words of a question are moves as names are: alone, or within one budget with those of the schema.
func TestWords(t *testing.T) {
	v := &toy{t: t, cost: map[string]float64{"town": 1}}
	r := attackWords(t, v, Config{Moves: Question})
	if got := namesOf(r.Edits); !r.Fooled || !slices.Equal(got, []string{"town"}) {
		t.Fatalf("got %q, want town", got)
	}
	e, ok := r.Edits[0].(perturb.ReplaceSpan)
	if !ok || e.Was != "city" || e.With != "town" {
		t.Errorf("got %+v, want city to become town", r.Edits[0])
	}
	if slices.Contains(v.asked, "country") {
		t.Errorf("a name of the schema was asked: %q", v.asked)
	}
	v = &toy{t: t, cost: map[string]float64{"clients": .5, "country": .5}}
	if r = attackWords(t, v, Config{Moves: All, MaxEdits: 2}); !r.Fooled || len(r.Edits) != 2 {
		t.Errorf("got %q of %q, want clients and country", namesOf(r.Edits), v.asked)
	}
	for _, asked := range v.asked {
		if asked == "town, town" {
			t.Error("one word was asked for a word of the question and a name of the schema")
		}
	}
}

// The worst perturbation is kept where the victim does not fall.
func TestWorst(t *testing.T) {
	for _, worst := range []bool{false, true} {
		v := &toy{t: t, cost: map[string]float64{"town": .5, "clients": .1}}
		r := attackWords(t, v, Config{Moves: Question, Worst: worst, MaxEdits: 1})
		want := []string(nil)
		if worst {
			want = []string{"town"}
		}
		if got := namesOf(r.Edits); r.Fooled || !slices.Equal(got, want) {
			t.Errorf("worst %v: fooled %v by %q, want %q", worst, r.Fooled, got, want)
		}
	}
}
