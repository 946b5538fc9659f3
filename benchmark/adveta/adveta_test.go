package adveta_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, adveta.All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(adveta.All); err != nil {
		t.Error(err)
	}
}

// key names a record: an example under a sample.
type key struct{ example, sample int }

// editsOf returns the edits that each record of a run met.
func editsOf(t *testing.T, p *perturb.Perturbation, db *dataset.Database, examples []*perturb.Example, buckets dataset.Buckets) map[key][]perturb.Edit {
	variants, _ := perturbtest.Run(t, p, db, examples, buckets, 5, 1)
	edits := map[key][]perturb.Edit{}
	for _, v := range variants {
		for _, ex := range v.Examples {
			edits[key{ex.Index, v.Sample}] = v.Edits
		}
	}
	return edits
}

// TestDrawsIndependent checks that an example's perturbations depend neither on
// the other examples nor on their order.
func TestDrawsIndependent(t *testing.T) {
	units := perturbtest.Units(t, perturbtest.WriteSample(t))
	buckets := perturbtest.Buckets(t, "testdata/buckets.json", units)
	for _, p := range adveta.All {
		for _, u := range units {
			examples := perturbtest.Examples(t, u)
			all := editsOf(t, p, u.DB, examples, buckets)
			slices.Reverse(examples)
			for k, got := range editsOf(t, p, u.DB, examples[:len(examples)/2], buckets) {
				if diff := cmp.Diff(all[k], got); diff != "" {
					t.Errorf("%s: example %d, sample %d among fewer examples (-all +fewer):\n%s", p.Name, k.example, k.sample, diff)
				}
			}
		}
	}
}
