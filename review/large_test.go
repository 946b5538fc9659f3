//go:build quality

package review

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/testkit/memtest"
)

// wikisqlSize is 2,716 tables, 17,000 columns with ten names each.
var wikisqlSize = large{tables: 2716, columns: 6, questions: 3, names: 5, cells: 10}

// mostMemory is what a review of that size may take.
const mostMemory = 200 << 20

// TestLarge measures a review of a WikiSQL-sized file. The page must come in under 1 s, a decision
// in under 50 ms, and memory must stay under 200 MiB.
func TestLarge(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "ann.jsonl")
	writeLarge(t, dir, wikisqlSize)
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
		r := Request{ID: id % 1000, Action: Accept, Side: dataset.Replace, Name: fmt.Sprintf("replace %d", id/1000)}
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
	peak := memtest.Peak(strconv.Itoa(cmd.Process.Pid))
	t.Logf("first page %v; decisions: median %v, 99%% %v, slowest %v; undo %v; peak memory %d MiB", page.Round(time.Millisecond),
		times[len(times)/2], times[len(times)*99/100], times[len(times)-1], undo, peak>>20)
	if page > time.Second || times[len(times)*99/100] > 50*time.Millisecond || undo > 50*time.Millisecond || peak > mostMemory {
		t.Error("expected the page within 1 s, a decision within 50 ms, and at most 200 MiB")
	}
	if len(column.Rows) != MaxRows || len(column.Questions) == 0 {
		t.Errorf("%+v, expected rows and questions", column)
	}
}

// TestLargeDecided measures the memory of a review that goes on where every name of such a
// file is decided.
func TestLargeDecided(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "ann.jsonl")
	writeLarge(t, dir, wikisqlSize)
	err := outdir.WriteFile(out, func(w io.Writer) error { return writeDecisions(w, wikisqlSize) })
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	cmd, address, cookie := process(t, dir, out)
	ready := time.Since(began)
	p := get[Progress](&tab{t, address, cookie}, "/api/progress")
	peak := memtest.Peak(strconv.Itoa(cmd.Process.Pid))
	t.Logf("ready after %v, peak memory %d MiB", ready.Round(time.Millisecond), peak>>20)
	if p.Decided != p.Names || p.Names < 100_000 {
		t.Errorf("%+v, expected every name decided", p)
	}
	if peak == 0 {
		t.Skip("the system does not tell the memory of a process")
	}
	if peak > mostMemory {
		t.Errorf("expected at most %d MiB", mostMemory>>20)
	}
}

// writeDecisions writes decisions on every name of such a file.
func writeDecisions(w io.Writer, l large) error {
	enc := json.NewEncoder(w)
	d := Decision{Time: "2026-01-01T00:00:00Z", Annotator: "ann"}
	for i := range l.tables {
		for c := range l.columns {
			for name := range 2 * l.names {
				d.Side = []dataset.Side{dataset.Replace, dataset.Add}[name%2]
				d.Action = answers[d.N%len(answers)]
				d.DB, d.Table = fmt.Sprintf("table_%d", i), fmt.Sprintf("table_%d", i)
				d.Column, d.Name = fmt.Sprintf("column_%d_%d", i, c), fmt.Sprintf("%s %d", d.Side, name/2)
				d.N++
				if err := enc.Encode(&d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
