package lexicon

import (
	"math"
	"slices"
	"testing"
)

// TestNearestPrefix: the few nearest terms are the first of the many.
func TestNearestPrefix(t *testing.T) {
	table := Default()
	vec, _, _ := Phrase(table, "customer")
	all := table.Nearest(vec, 1000)
	if near := func(n Near) bool { return n.Term == "customer" }; len(all) != 1000 || !slices.ContainsFunc(all[:2], near) {
		t.Fatalf("%d terms, the first %v, expected 1000 and customer among the first", len(all), all[:2])
	}
	every := table.Nearest(vec, table.Len())
	if most := table.Nearest(vec, math.MaxInt); len(every) < 1000 || !slices.Equal(most, every) {
		t.Errorf("%d terms where all are asked for, %d where more are", len(every), len(most))
	}
	for _, k := range []int{-1, 0, 1, 7, 100} {
		if got := table.Nearest(vec, k); !slices.Equal(got, all[:max(k, 0)]) {
			t.Errorf("the %d nearest are %v, expected %v", k, got, all[:max(k, 0)])
		}
	}
}
