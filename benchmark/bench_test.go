package benchmark_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// BenchmarkBuild builds ADVETA's own perturbations of Spider dev on one worker
// and reports the verified records per second, and how many times as long that
// takes as its reference: only running the gold SQL of the same records, before
// and after, on the databases that the build left.
func BenchmarkBuild(b *testing.B) {
	data := spiderDev(b)
	config := benchmark.Config{
		Perturbations: adveta.All, Buckets: perturbtest.HumanNames(b, perturbtest.Units(b, data)), Samples: 1, Seed: 1, Workers: 1, Split: "dev",
		Report: func(err error) { b.Error(err) },
	}
	var building, running time.Duration
	records := 0
	for b.Loop() {
		out := filepath.Join(b.TempDir(), "out")
		start := time.Now()
		m, err := benchmark.Build(b.Context(), perturbtest.Units(b, data), out, config)
		if err != nil {
			b.Fatal(err)
		}
		building += time.Since(start)
		for _, r := range m.Perturbations {
			records += r.Verified
		}
		running += runGold(b, out)
	}
	b.ReportMetric(float64(records)/building.Seconds(), "records/s")
	b.ReportMetric(building.Seconds()/running.Seconds(), "x-bare-SQL")
}

// runGold runs the gold SQL of all records of a build and returns how long
// opening the databases and running took.
func runGold(b *testing.B, out string) time.Duration {
	b.Helper()
	type key struct{ perturbation, side, db string }
	queries := map[key][]string{}
	var order []key
	add := func(k key, query string) {
		if queries[k] == nil {
			order = append(order, k)
		}
		queries[k] = append(queries[k], query)
	}
	for r, err := range streamtest.AllOfPlainFile(recordfile.Read, filepath.Join(out, benchmark.RecordsFile)) {
		if err != nil {
			b.Fatal(err)
		}
		add(key{r.Perturbation, "pre", r.DBPre}, r.QueryPre)
		add(key{r.Perturbation, "post", r.DBPost}, r.QueryPost)
	}
	start := time.Now()
	for _, k := range order {
		db, err := sqlite.Open(b.Context(), dataset.SQLitePath(filepath.Join(out, k.perturbation, k.side), k.db))
		if err != nil {
			b.Fatal(err)
		}
		for _, query := range queries[k] {
			if _, err := db.Query(b.Context(), query, sqldata.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
		db.Close()
	}
	return time.Since(start)
}
