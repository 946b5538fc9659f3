package attack

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// attackWords attacks a question about countries of customers, with a name that replaces and one that is added beside it.
func attackWords(t *testing.T, v *toy, c Config) *Result {
	t.Helper()
	db := &dataset.Database{ID: "shop", Tables: []dataset.Table{{Name: "customer", Original: "customer", Columns: []dataset.Column{
		{Name: "name", Original: "name", Type: dataset.Text}, {Name: "country", Original: "country", Type: dataset.Text},
	}}}}
	ex := &dataset.Example{DB: "shop", Question: "Show each country and the name of its customers.", Query: "SELECT country, name FROM customer"}
	c.Resources, c.Words = perturbtest.Resources(), spidersyn.Attackers()[0]
	c.Search, c.Budget, c.Seed = searchNamed(t, "greedy"), 50, 1
	c.Buckets = dataset.Buckets{dataset.ColumnID{DB: "shop", Table: "customer", Column: "country"}.Key(): {
		Replace: []dataset.Candidate{{Name: "nation", Validity: .9}}, Add: []dataset.Candidate{{Name: "continent", Validity: .9}},
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
	v := &toy{t: t, cost: map[string]float64{"nation": 1}}
	r := attackWords(t, v, Config{Moves: Question})
	if got := namesOf(r.Edits); !r.Fooled || !slices.Equal(got, []string{"nation"}) {
		t.Fatalf("got %q, want nation", got)
	}
	e, ok := r.Edits[0].(perturb.ReplaceSpan)
	if !ok || e.Was != "country" || e.With != "nation" {
		t.Errorf("got %+v, want country to become nation", r.Edits[0])
	}
	if slices.Contains(v.asked, "continent") {
		t.Errorf("a name of the schema was asked: %q", v.asked)
	}
	v = &toy{t: t, cost: map[string]float64{"clients": .5, "continent": .5}}
	if r = attackWords(t, v, Config{Moves: All, MaxEdits: 2}); !r.Fooled || len(r.Edits) != 2 {
		t.Errorf("got %q of %q, want clients and continent", namesOf(r.Edits), v.asked)
	}
	for _, asked := range v.asked {
		if asked == "nation, nation" {
			t.Error("one word was asked for a word of the question and a name of the schema")
		}
	}
}

// The worst perturbation is kept where the victim does not fall.
func TestWorst(t *testing.T) {
	for _, worst := range []bool{false, true} {
		v := &toy{t: t, cost: map[string]float64{"nation": .5, "clients": .1}}
		r := attackWords(t, v, Config{Moves: Question, Worst: worst, MaxEdits: 1})
		want := []string(nil)
		if worst {
			want = []string{"nation"}
		}
		if got := namesOf(r.Edits); r.Fooled || !slices.Equal(got, want) {
			t.Errorf("worst %v: fooled %v by %q, want %q", worst, r.Fooled, got, want)
		}
	}
}

// The content of a unit is closed if its words cannot be opened.
func TestContentClosed(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("open files are counted on Linux only")
	}
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	c := &Campaign{
		Config: Config{Moves: Question, Words: spidersyn.Attackers()[0]}, // without vectors
		Victim: func(context.Context, *dataset.Unit) (Victim, error) { return &toy{t: t}, nil },
	}
	if _, err := c.unit(t.Context(), u); err == nil {
		t.Fatal("no error without vectors")
	}
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range open {
		if path, _ := os.Readlink(fd); path == u.DB.SQLite {
			t.Errorf("%s is still open", path)
		}
	}
}
