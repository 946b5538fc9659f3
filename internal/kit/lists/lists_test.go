package lists

import (
	"errors"
	"slices"
	"testing"
)

// TestLists checks the functions on a list, and those that return lists on an empty one.
func TestLists(t *testing.T) {
	if got := Map([]int{1, 2}, func(n int) string { return "abc"[n:] }); !slices.Equal(got, []string{"bc", "c"}) {
		t.Errorf("mapped to %q", got)
	}
	if got := Filter([]int{1, 2, 3}, func(n int) bool { return n != 2 }); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("filtered to %v", got)
	}
	if got := FlatMap([]int{1, 2}, Numbers); !slices.Equal(got, []int{0, 0, 1}) {
		t.Errorf("flat: %v", got)
	}
	if n := Sum([]string{"a", "bcd"}, func(s string) int { return len(s) }); n != 4 {
		t.Errorf("sum %d", n)
	}
	initial := func(s string) byte { return s[0] }
	if set := Set([]string{"a", "ab", "c"}, initial); len(set) != 2 || !set['c'] {
		t.Errorf("set %v", set)
	}
	if index := Index([]string{"a", "ab", "c"}, initial); len(index) != 2 || index['a'] != "ab" {
		t.Errorf("index %v", index)
	}
	var called []int
	stop := errors.New("stop")
	err := Each(Numbers(3), func(n int) error {
		called = append(called, n)
		if n == 1 {
			return stop
		}
		return nil
	})
	if err != stop || len(called) != 2 {
		t.Errorf("%v after %v", err, called)
	}
	if Map(nil, func(int) int { return 0 }) != nil || Filter([]int{1}, func(int) bool { return false }) != nil {
		t.Error("empty lists are not nil")
	}
}
