//go:build quality

package review

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLarge measures a review of a WikiSQL-sized file: 2,716 tables, 17,000 columns with ten
// names each. The page must come in under 1 s, a decision in under 50 ms, and memory must
// stay under 200 MiB.
func TestLarge(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "ann.jsonl")
	writeLarge(t, dir, large{tables: 2716, columns: 6, questions: 3, names: 5, cells: 10})
	info, err := os.Stat(filepath.Join(dir, "buckets.json"))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	cmd, address, cookie := process(t, dir, out)
	b := &tab{t, address, cookie}
	t.Logf("buckets.json of %d MiB: ready after %v", info.Size()>>20, time.Since(began).Round(time.Millisecond))

	began = time.Now()
	for _, path := range []string{"/", "/api/progress", "/api/databases", "/api/list?order=doubt"} {
		if status, _, body := b.do("GET", path, "", nil); status != http.StatusOK || len(body) > 64<<10 {
			t.Fatalf("%s: status %d, %d bytes", path, status, len(body))
		}
	}
	column := get[ColumnView](b, "/api/column?id=0")
	page := time.Since(began)
	for _, path := range []string{"/api/list?text=column+16&page=3", "/api/list?open=true&at=9000"} {
		began = time.Now()
		list := get[List](b, path)
		t.Logf("%s: %d columns, %v", path, list.Total, time.Since(began).Round(time.Millisecond))
	}
	var times []time.Duration
	for id := range 2000 {
		began = time.Now()
		r := Request{ID: id % 1000, Action: Accept, Side: Replace, Name: fmt.Sprintf("replace %d", id/1000)}
		if id >= 1000 {
			r.Version = id%1000 + 1
		}
		if status, err := b.try("/api/decide", r); status != http.StatusOK {
			t.Fatalf("decision %d: status %d, %v", id, status, err)
		}
		times = append(times, time.Since(began))
	}
	began = time.Now()
	if status, err := b.try("/api/undo", Request{Undo: 2000}); status != http.StatusOK {
		t.Fatalf("undo: status %d, %v", status, err)
	}
	undo := time.Since(began)
	slices.Sort(times)
	peak := peakMemory(t, cmd.Process.Pid)
	t.Logf("first page %v; decisions: median %v, 99%% %v, slowest %v; undo %v; peak memory %d MiB", page.Round(time.Millisecond),
		times[len(times)/2], times[len(times)*99/100], times[len(times)-1], undo, peak>>20)
	if page > time.Second || times[len(times)*99/100] > 50*time.Millisecond || undo > 50*time.Millisecond || peak > 200<<20 {
		t.Error("expected the page within 1 s, a decision within 50 ms, and at most 200 MiB")
	}
	if len(column.Rows) != MaxRows || len(column.Questions) == 0 {
		t.Errorf("%+v, expected rows and questions", column)
	}
}

// peakMemory returns the most memory that a process had, in bytes.
func peakMemory(t *testing.T, pid int) (bytes int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("no /proc to read memory from")
	}
	for line := range strings.Lines(string(status)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); err == nil && n == 1 {
			return bytes << 10
		}
	}
	t.Fatal("no VmHWM in /proc")
	return 0
}
