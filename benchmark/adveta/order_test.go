package adveta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

func TestOrder(t *testing.T) {
	bucket := []dataset.Candidate{{Name: "far"}, {Name: "near", Association: 1}, {Name: "broken", Association: -1e300}}
	first := func(prefer dataset.Prefer) (near int) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			names := lists.Map(order(rng, bucket, prefer), func(c dataset.Candidate) string { return c.Name })
			if sorted := slices.Sorted(slices.Values(names)); !slices.Equal(sorted, []string{"broken", "far", "near"}) {
				t.Fatalf("order %v, want each name once", names)
			}
			if names[0] == "near" {
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
