package evolve

import (
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestGolden leaves out the first two, which are MT-TEQL's and have their golden files there.
func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, All[2:]) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(All); err != nil {
		t.Error(err)
	}
}
