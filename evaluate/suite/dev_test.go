package suite

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestDev(t *testing.T) {
	N := 1000
	fmt.Sscan(os.Getenv("N"), &N)
	nulls := NullsObserved
	if v := os.Getenv("NULLS"); v != "" {
		nulls = Nulls(v)
	}
	start := time.Now()
	out := os.Getenv("OUT")
	m, err := Distill(t.Context(), dataset.Units("/tmp/tp/spider", "dev"), out, Config{Databases: N, Depth: depth(), Seed: 1, Nulls: nulls, Workers: 2, Skip: func(err error) { fmt.Println("SKIP", err) }, Warn: func(err error) { fmt.Println("WARN", err) }})
	if err != nil {
		t.Fatal(err)
	}
	ex := 0
	for _, s := range m.Schemas {
		left, und := 0, 0
		for _, g := range s.Golds {
			left += len(g.Left)
			ex += len(g.Examples) * g.Neighbours
			und += len(g.Undetermined)
		}
		fmt.Printf("%-30s golds %d neigh %d left %d (%.2f%%) dbs %d und %d last %v\n", s.ID, len(s.Golds), s.Neighbours, left, 100*share(left, s.Neighbours), len(s.Databases), und, s.Curve[len(s.Curve)-1])
	}
	fmt.Println(ex, m.Golds, m.Neighbours, m.Left, m.ShareLeft(), m.Kept, m.Bytes, m.Failing, m.Empty, time.Since(start))
	for _, n := range []int{0, 1, 3, 10, 30, 100, 300, 600, 1000} {
		fmt.Print(n, ":", m.ShareLeftAfter(n), " ")
	}
	fmt.Println()
}

func depth() int { d := 1; fmt.Sscan(os.Getenv("DEPTH"), &d); return d }
