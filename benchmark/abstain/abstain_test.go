package abstain

import (
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(All); err != nil {
		t.Error(err)
	}
}
