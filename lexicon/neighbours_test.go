package lexicon

import (
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
	for _, k := range []int{0, 1, 7, 100} {
		if got := table.Nearest(vec, k); !slices.Equal(got, all[:k]) {
			t.Errorf("the %d nearest are %v, expected %v", k, got, all[:k])
		}
	}
}
