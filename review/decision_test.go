package review

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

func replay(decisions []Decision) *history {
	h := newHistory()
	for i := range decisions {
		h.apply(&decisions[i])
	}
	return h
}

// What was taken back might as well never have been decided, whatever came in between.
func TestUndo(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var all, left []Decision
		for n := 1; n <= 60; n++ {
			d := Decision{
				N: n, Action: []Action{Accept, Reject, Move, Add, Comment}[r.IntN(5)], DB: "db", Table: "t",
				Column: fmt.Sprintf("c%d", r.IntN(2)), Side: dataset.Replace, Name: fmt.Sprintf("n%d", r.IntN(3)), Comment: []string{"", "why"}[r.IntN(2)],
			}
			if r.IntN(4) == 0 {
				d = Decision{N: n, Action: Undo, Undoes: 1 + r.IntN(n)} // sometimes of what is undone, or an undo
				left = slices.DeleteFunc(left, func(e Decision) bool { return e.N == d.Undoes })
			} else {
				left = append(left, d)
			}
			all = append(all, d)
		}
		got, want := replay(all), replay(left)
		if diff := cmp.Diff(want.verdicts("ann"), got.verdicts("ann")); diff != "" {
			t.Errorf("seed %d:\n%s", seed, diff)
		}
		n, column := got.last()
		if m, on := want.last(); n != m || column != on {
			t.Errorf("seed %d: the last is %d on %v, expected %d on %v", seed, n, column, m, on)
		}
	}
}

// Every decision on a column changes its version, and no other's.
func TestVersion(t *testing.T) {
	a, b := dataset.ColumnID{DB: "db", Table: "T", Column: "A"}, dataset.ColumnID{DB: "db", Table: "T", Column: "B"}
	on := func(n int, c dataset.ColumnID) Decision {
		return Decision{N: n, Action: Accept, DB: c.DB, Table: c.Table, Column: c.Column, Side: dataset.Replace, Name: "x"}
	}
	all := []Decision{on(1, a), on(2, b), on(3, a), {N: 4, Action: Undo, Undoes: 2}, {N: 5, Action: Undo, Undoes: 9}}
	want := [][2]int{{1, 0}, {1, 2}, {3, 2}, {3, 4}, {3, 4}}
	for i := range all {
		h := replay(all[:i+1])
		if got := [2]int{h.version(a.Key()), h.version(b.Key())}; got != want[i] {
			t.Errorf("after %d: versions %v, expected %v", i+1, got, want[i])
		}
	}
}

// Every name that buckets.json may hold can be decided on.
func TestLongName(t *testing.T) {
	dir, buckets := shop(t)
	name := strings.Repeat("ü", maxName/2)
	text := fmt.Sprintf(`{"version": 1, "columns": [{"db_id": "shop", "table": "store", "column": "home_town", "replace": [{"name": %q}, {"name": "%sx"}], "add": []}]}`, name, name)
	if err := os.WriteFile(buckets, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var reports []error
	data, err := LoadData(dir, "dev", []string{buckets}, nli.Paper(), func(err error) { reports = append(reports, err) })
	if err != nil || len(reports) != 1 || data.columns[0].names() != 1 {
		t.Fatalf("%v, reports %v; expected the longer name alone left out", err, reports)
	}
	d := Decision{Action: Accept, DB: "shop", Table: "store", Column: "home_town", Side: dataset.Replace, Name: name}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}
