package lists

import (
	"slices"
	"testing"
)

// TestLists checks both functions on a list and on an empty one.
func TestLists(t *testing.T) {
	if got := Map([]int{1, 2}, func(n int) string { return "abc"[n:] }); !slices.Equal(got, []string{"bc", "c"}) {
		t.Errorf("mapped to %q", got)
	}
	if got := Filter([]int{1, 2, 3}, func(n int) bool { return n != 2 }); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("filtered to %v", got)
	}
	if Map(nil, func(int) int { return 0 }) != nil || Filter([]int{1}, func(int) bool { return false }) != nil {
		t.Error("empty lists are not nil")
	}
}
