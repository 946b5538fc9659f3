package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

// What was taken back might as well never have been decided, whatever came in between.
func TestUndo(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var all, left []Decision
		for n := 1; n <= 60; n++ {
			d := Decision{
				N: n, Action: []Action{Accept, Reject, Move, Add, Comment}[r.IntN(5)], DB: "db", Table: "t",
				Column: fmt.Sprintf("c%d", r.IntN(2)), Side: Replace, Name: fmt.Sprintf("n%d", r.IntN(3)), Comment: []string{"", "why"}[r.IntN(2)],
			}
			if r.IntN(4) == 0 {
				d = Decision{N: n, Action: Undo, Undoes: 1 + r.IntN(n)} // sometimes of what is undone, or an undo
				left = slices.DeleteFunc(left, func(e Decision) bool { return e.N == d.Undoes })
			} else {
				left = append(left, d)
			}
			all = append(all, d)
		}
		got, want := NewVerdicts("ann", all), NewVerdicts("ann", left)
		for name, pair := range map[string][2]any{
			"items": {want.Items, got.Items}, "added": {want.Added, got.Added}, "comments": {want.Comments, got.Comments}, "last": {want.Last(), got.Last()},
		} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("seed %d, %s:\n%s", seed, name, diff)
			}
		}
	}
}

// Every decision on a column changes its version, and no other's.
func TestVersion(t *testing.T) {
	a, b := dataset.ColumnID{DB: "db", Table: "T", Column: "A"}, dataset.ColumnID{DB: "db", Table: "T", Column: "B"}
	on := func(n int, c dataset.ColumnID) Decision {
		return Decision{N: n, Action: Accept, DB: c.DB, Table: c.Table, Column: c.Column, Side: Replace, Name: "x"}
	}
	all := []Decision{on(1, a), on(2, b), on(3, a), {N: 4, Action: Undo, Undoes: 2}, {N: 5, Action: Undo, Undoes: 9}}
	want := [][2]int{{1, 0}, {1, 2}, {3, 2}, {3, 4}, {3, 4}}
	for i := range all {
		v := NewVerdicts("ann", all[:i+1])
		if got := [2]int{v.Version(a), v.Version(b)}; got != want[i] {
			t.Errorf("after %d: versions %v, expected %v", i+1, got, want[i])
		}
	}
}
