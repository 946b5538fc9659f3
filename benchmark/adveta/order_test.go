package adveta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestOrder(t *testing.T) {
	bucket := []dataset.Candidate{{Name: "far"}, {Name: "near", Association: 1}, {Name: "broken", Association: -1e300}}
	first := func(prefer dataset.Prefer) (near int) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			order := order(rng, bucket, prefer)
			if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int{0, 1, 2}) {
				t.Fatalf("order %v, want each position once", order)
			}
			if order[0] == 1 {
				near++
			}
		}
		return near
	}
	if n := first(dataset.Near); n < 850 {
		t.Errorf("near preferred: the near name is first in %d of 1000 draws, want 105 of 115", n)
	}
	for _, prefer := range []dataset.Prefer{dataset.Even, ""} {
		if n := first(prefer); n < 250 || n > 420 {
			t.Errorf("%q: the near name is first in %d of 1000 draws, want a third", prefer, n)
		}
	}
	for i := range bucket {
		bucket[i].Association = 1e300
	}
	first(dataset.Near) // of a file that says so
}
