package retriever

import (
	"runtime"
	"strings"
	"testing"
)

// TestPlainMemory: rows take memory by their cells, not by those of the longest row.
func TestPlainMemory(t *testing.T) {
	line := "[[" + strings.Repeat("1,", 5000) + "1]" + strings.Repeat(",[]", 20_000) + "]"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var g grid
	if !g.decodePlain(line) || len(g) != 20_001 || len(g[0]) != 5001 || len(g[1]) != 0 {
		t.Fatalf("%d rows, expected one of 5001 cells and 20000 of none", len(g))
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 100*uint64(len(line)) {
		t.Errorf("%d bytes for a line of %d, expected at most 100 times as many", took, len(line))
	}
}
