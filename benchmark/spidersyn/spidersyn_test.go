package spidersyn_test

import (
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, spidersyn.All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(spidersyn.All); err != nil {
		t.Error(err)
	}
}

// TestNothing checks that examples are rejected with a reason where there are no
// resources at all.
func TestNothing(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		for _, p := range spidersyn.All {
			pass := perturbtest.NewPass(t, p, u.DB, perturbtest.Examples(t, u), 2, 1)
			pass.Resources = perturb.Resources{}
			variants, rejected := perturbtest.RunPass(t, p, pass)
			if len(variants) > 0 || len(rejected) != len(pass.Examples) {
				t.Errorf("%s: %s: %d variants and %d rejected of %d examples, expected all rejected", p.Name, u.DB.ID, len(variants), len(rejected), len(pass.Examples))
			}
			for _, r := range rejected {
				if r.Reason == "" {
					t.Errorf("%s: %s: example %d is rejected without a reason", p.Name, u.DB.ID, r.Example)
				}
			}
		}
	}
}
