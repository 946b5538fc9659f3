//go:build !race

// Under the race detector a sync.Pool forgets what it holds at random.

package compact_test

import (
	"context"
	"runtime/debug"
	"testing"
)

// maxAllocations is how many a pair of known names may cost: what a chunk of
// pairs takes, shared out.
const maxAllocations = .05

func TestAllocations(t *testing.T) {
	m := open(t)
	pairs := targetPairs(4, 256)
	// A collection would empty the pool that the workers are kept in.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	run := func() {
		if _, err := m.Classify(context.Background(), pairs); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if got := testing.AllocsPerRun(5, run) / float64(len(pairs)); got > maxAllocations {
		t.Errorf("%.3f allocations a pair of %d, expected at most %v", got, len(pairs), maxAllocations)
	}
}
