package content_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/drspider/content"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, content.All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(content.All); err != nil {
		t.Error(err)
	}
}

// key names a record: an example under a sample.
type key struct{ example, sample int }

// editsOf returns the edits that each record of a run met.
func editsOf(t *testing.T, db *dataset.Database, examples []*perturb.Example) map[key][]perturb.Edit {
	variants, _ := perturbtest.Run(t, content.Equivalence, db, examples, nil, 5, 1)
	edits := map[key][]perturb.Edit{}
	for _, v := range variants {
		for _, ex := range v.Examples {
			edits[key{ex.Index, v.Sample}] = v.Edits
		}
	}
	return edits
}

// TestDrawsIndependent checks that an example's perturbations depend neither on
// the other examples nor on their order, and that no example meets a database
// twice.
func TestDrawsIndependent(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		examples := perturbtest.Examples(t, u)
		all := editsOf(t, u.DB, examples)
		slices.Reverse(examples)
		for k, got := range editsOf(t, u.DB, examples[:len(examples)/2]) {
			if diff := cmp.Diff(all[k], got); diff != "" {
				t.Errorf("%s: example %d, sample %d among fewer examples (-all +fewer):\n%s", u.DB.ID, k.example, k.sample, diff)
			}
		}
		met := map[string]bool{}
		for k, edits := range all {
			id, err := perturb.VariantID(u.DB.ID, edits)
			if err != nil {
				t.Fatal(err)
			}
			if record := fmt.Sprint(k.example, id); met[record] {
				t.Errorf("example %d meets %s twice", k.example, id)
			} else {
				met[record] = true
			}
		}
	}
}

func TestNoContent(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	db := *u.DB
	db.SQLite = ""
	variants, rejected := perturbtest.Run(t, content.Equivalence, &db, perturbtest.Examples(t, u), nil, 5, 1)
	if len(variants) > 0 || len(rejected) != len(u.Examples) {
		t.Errorf("%d variants and %d rejections of %d examples", len(variants), len(rejected), len(u.Examples))
	}
}
