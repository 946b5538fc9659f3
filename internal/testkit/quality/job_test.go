//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// The bounds of the main job on Spider dev with 19,000 web tables, on two cores.
const (
	maxJob    = 120 * time.Second // of candidates, and of build
	maxMemory = 2 << 10           // MiB
)

// TestMainJob runs the main job on Spider dev: candidates from the web tables,
// then both perturbations with five samples, from these and from ADVETA's own
// names. It prints time, memory and what was verified; the counts are golden.
func TestMainJob(t *testing.T) {
	ctx := context.Background()
	data := spiderData(t)
	aug := augmenter(t, ctx)
	aug.Policy.Limit = 10
	dir := t.TempDir()
	var report bytes.Buffer
	config := augment.Config{
		Seed: 1, Workers: 2, Out: filepath.Join(dir, "buckets.json"), Report: told(t),
	}
	timed(t, "candidates", func() {
		s, err := aug.Run(ctx, readUnits(t, data, "dev"), config)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&report, "candidates: %d columns of %d databases, %d with REPLACE names (%d), %d with ADD names (%d)\n",
			s.Columns, s.Databases, s.WithReplace, s.Replace, s.WithAdd, s.Add)
	})
	var dbs []*dataset.Database
	for _, u := range spiderDev(t) {
		dbs = append(dbs, u.DB)
	}
	ours, err := dataset.ReadAnyBuckets(config.Out, dbs, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range []struct {
		name    string
		buckets dataset.Buckets
	}{{"our names", ours}, {"ADVETA's names", perturbtest.HumanNames(t, spiderDev(t))}} {
		timed(t, "build from "+job.name, func() { buildJob(t, ctx, &report, data, filepath.Join(dir, "out"), job.name, job.buckets) })
	}
	golden(t, "mainjob", report.String())
}

func buildJob(t *testing.T, ctx context.Context, report *bytes.Buffer, data, out, name string, buckets dataset.Buckets) {
	m, err := benchmark.Build(ctx, readUnits(t, data, "dev"), out, benchmark.Config{
		Perturbations: adveta.All, Buckets: buckets, Samples: benchmark.DefaultSamples, Seed: 1, Workers: 2, Split: "dev",
		Report: told(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Perturbations {
		rejected := r.RejectedTotal()
		share := 100 * float64(rejected) / float64(rejected+r.Verified)
		fmt.Fprintf(report, "%s, %s: %d of %d examples covered, %d databases, %d records verified (%d distinct, %d complete, %d on both contents, %d generated, %d weak), %d rejected (%.2f%%) %v\n",
			r.Name, name, r.Covered, r.Examples, r.Variants, r.Verified, r.Distinct, r.Complete, r.Both, r.Generated, r.Weak, rejected, share, r.Rejected)
		if share >= 3 {
			t.Errorf("%s: %.1f%% rejected, want under 3%%", r.Name, share)
		}
	}
}

// timed runs a job and holds it to the bounds. Peak memory is the process's.
func timed(t *testing.T, name string, job func()) {
	start := time.Now()
	job()
	took := time.Since(start)
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	memory := usage.Maxrss >> 10
	t.Logf("%s: %.1f s (bound %.0f), peak memory so far %d MiB (bound %d)", name, took.Seconds(), maxJob.Seconds(), memory, maxMemory)
	if took > maxJob || memory > maxMemory {
		t.Errorf("%s: past its bounds", name)
	}
}

// spiderData lays out Spider dev with its databases as a data directory.
func spiderData(t *testing.T) string {
	dir := t.TempDir()
	links := map[string]string{
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"dev.json":    shared.File(t, "data", "spider", "dev.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"),
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
