package defence

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// letters compares words by their letters alone.
type letters struct{}

func (letters) Likeness(string, string) namepair.Likeness { return namepair.Likeness{} }

func (letters) Lemma(word string) string { return word }

// TestPerturbed: a draft that cannot be read ends nothing and is reported once.
func TestPerturbed(t *testing.T) {
	db := &dataset.Database{ID: "shop", Tables: []dataset.Table{{Name: "singer", Original: "singer", Columns: []dataset.Column{{Name: "age", Original: "age", Type: dataset.Number}}}}}
	draft := func(id, query string) *verify.Draft {
		return &verify.Draft{
			Before: &perturb.Example{Example: &dataset.Example{DB: id, Question: "how old ?"}},
			After:  &dataset.Example{DB: id, Question: "how old ?", Query: query},
		}
	}
	drafts := []*verify.Draft{draft("shop", "SELECT age FROM singer"), draft("shop", "SELECT FROM nothing"), draft("closed", "SELECT age FROM singer"), draft("shop", "SELECT age FROM singer")}
	var reported []string
	r := &run{Config: Config{Report: func(err error) { reported = append(reported, err.Error()) }}}
	r.schemas = map[string]*linker.Schema{"shop": linker.NewSchema(db, nil, letters{})}
	for range 2 {
		for i, ex := range r.perturbed(drafts) {
			if want := i == 0 || i == 3; (ex != nil) != want {
				t.Errorf("draft %d is read: %v, expected %v", i, ex != nil, want)
			}
		}
	}
	if len(reported) != 1 || !strings.Contains(reported[0], "example 1 of shop") {
		t.Errorf("%q, expected one report, of shop", reported)
	}
}

// TestFilled: as much stands beside the originals whatever could be perturbed.
func TestFilled(t *testing.T) {
	r := &run{Config: Config{Weight: .5}}
	for i := range 4 {
		r.repeated = append(r.repeated, &linker.Example{Source: &dataset.Example{Index: i}, Weight: .5})
	}
	perturbed := func(indices ...int) (out []*linker.Example) {
		for _, i := range indices {
			out = append(out, &linker.Example{Source: &dataset.Example{Index: i}, Weight: .5, Used: []bool{true}})
		}
		return out
	}
	for _, given := range [][]*linker.Example{nil, perturbed(2), perturbed(3, 0, 1, 2)} {
		sum, seen := float32(0), map[int]bool{}
		for _, ex := range r.withRepeated(given) {
			sum += ex.Weight
			seen[ex.Source.Index] = true
		}
		if sum != 2 || len(seen) != 4 {
			t.Errorf("beside 4 originals, %d of them perturbed: %d examples of weight %v, expected 4 of 2", len(given), len(seen), sum)
		}
	}
}

// TestAugment: each seed draws names of its own, the same each time.
func TestAugment(t *testing.T) {
	db := &dataset.Database{ID: "shop", Tables: []dataset.Table{{Name: "singer", Original: "singer", Columns: []dataset.Column{{Name: "age", Original: "age", Type: dataset.Number}}}}}
	u := &dataset.Unit{DB: db}
	for i := range 10 {
		u.Examples = append(u.Examples, &dataset.Example{Index: i, DB: "shop", Question: "how old ?", Query: "SELECT age FROM singer"})
	}
	var names dataset.Bucket
	for _, name := range []string{"years", "maturity", "life span", "number of years", "years lived"} {
		names.Replace = append(names.Replace, dataset.Candidate{Name: name})
	}
	buckets := dataset.Buckets{db.ColumnID(dataset.ColumnRef{}).Key(): names}
	r := &run{Config: Config{Train: []*dataset.Unit{u}, Workers: 1, Report: func(err error) { t.Error(err) }}}
	r.schemas = map[string]*linker.Schema{"shop": linker.NewSchema(db, nil, letters{})}
	draw := r.augment(Source{Perturbations: []*perturb.Perturbation{adveta.Replace}, Buckets: buckets})
	queries := func(seed int) (all []string) {
		examples, err := draw(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range examples {
			all = append(all, ex.Source.Query)
		}
		return all
	}
	first, second := queries(0), queries(1)
	if len(first) != 10 || slices.Equal(first, second) || !slices.Equal(first, queries(0)) {
		t.Errorf("%q by one seed, %q by another, expected ten that are drawn by seed", first, second)
	}
}
