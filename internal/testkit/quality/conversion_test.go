//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// processor returns the time that this process and those that it waited for have worked:
// unlike time on the clock, it does not depend on what else a machine does.
func processor(t *testing.T) (total time.Duration) {
	t.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			t.Fatal(err)
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}

// worked holds work that began at a time of the processor to a bound. Peak memory is the
// process's.
func worked(t *testing.T, what string, start time.Duration, bound time.Duration) {
	t.Helper()
	took := processor(t) - start
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %.1f s of the processor (bound %.0f), peak memory so far %d MiB", what, took.Seconds(), bound.Seconds(), usage.Maxrss>>10)
	if took > bound {
		t.Errorf("%s: past its bound", what)
	}
}

// maxRejected is the share of records that a build may reject.
const maxRejected = 0.03

// converted converts a data set and returns the folder. What the target has no place for
// is left out and told of.
func converted(t *testing.T, from *dataset.Format, dir, split string, to *dataset.Format) string {
	t.Helper()
	set, err := from.Read(t.Context(), dir, split)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	told := 0
	s, err := formats.Convert(t.Context(), set, to, out, formats.Options{Lossy: true, Report: func(err error) {
		if told++; told <= 3 {
			t.Log(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s to %s: %v, %d skipped, lost %v, left out %v", s.From, s.To, s, s.Skipped, s.Lost, s.LeftOut)
	return out
}

func writeText(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

// whole returns what a file holds, unpacked.
func whole(t *testing.T, path string) string {
	t.Helper()
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sameContent reports whether two SQLite files have the same tables with the same rows in
// the same order.
func sameContent(t *testing.T, a, b string) bool {
	t.Helper()
	x, xRows := contentOf(t, a)
	y, yRows := contentOf(t, b)
	return reflect.DeepEqual(x, y) && reflect.DeepEqual(xRows, yRows)
}

func contentOf(t *testing.T, path string) (tables []sqldata.Table, rows [][][]sqldata.Value) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if tables, err = db.Schema(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		res, err := db.Query(t.Context(), "SELECT * FROM "+sqldata.QuoteName(table.Name), sqldata.Limits{Rows: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, res.Rows)
	}
	return tables, rows
}

// candidates runs the command with its embedded web tables, and says what it found.
func candidates(t *testing.T, tabperturb func(io.Writer, ...string), data, split, out string) string {
	t.Helper()
	start := time.Now()
	var printed bytes.Buffer
	tabperturb(&printed, "candidates", "--data", data, "--split", split, "--out", out, "--workers", "2", "--json")
	t.Logf("candidates: %.1f s", time.Since(start).Seconds())
	var s augment.Summary
	if err := json.Unmarshal(printed.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("candidates: %d columns of %d databases, %d with REPLACE names (%d), %d with ADD names (%d)",
		s.Columns, s.Databases, s.WithReplace, s.Replace, s.WithAdd, s.Add)
}

// built runs the command build and returns its manifest.
func built(t *testing.T, tabperturb func(io.Writer, ...string), args ...string) *benchmark.Manifest {
	t.Helper()
	start := time.Now()
	var printed bytes.Buffer
	tabperturb(&printed, append([]string{"build", "--workers", "2", "--json"}, args...)...)
	t.Logf("build %v: %.1f s", args, time.Since(start).Seconds())
	var m benchmark.Manifest
	if err := json.Unmarshal(printed.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// builtLine says what a perturbation made, of which few records may be rejected.
func builtLine(t *testing.T, r benchmark.Result) string {
	t.Helper()
	rejected := r.RejectedTotal()
	if float64(rejected) > maxRejected*float64(rejected+r.Verified) || r.Verified == 0 {
		t.Errorf("%s: %d verified, %d rejected, want at most %.0f%%", r.Name, r.Verified, rejected, 100*maxRejected)
	}
	return fmt.Sprintf("%s: %d of %d examples covered, %d databases, %d records verified (%d complete; on %d original, %d generated, %d both contents; %d weak), %d rejected %v",
		r.Name, r.Covered, r.Examples, r.Variants, r.Verified, r.Complete, r.Verified-r.Generated-r.Both, r.Generated, r.Both, r.Weak, rejected, r.Rejected)
}
