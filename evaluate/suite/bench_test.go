package suite

import (
	"testing"

	"golang.org/x/sync/semaphore"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// BenchmarkDistill tries random databases on the golds of the sample's largest
// schema, as the distillation does once most neighbours are told apart, and
// reports databases and neighbour checks a second. The reference, in x-afresh, does
// the same checks on the same contents by compiling each query anew.
func BenchmarkDistill(b *testing.B) {
	units, _ := sampleUnits(b)
	u := units[0]
	for _, other := range units {
		if len(other.Examples) > len(u.Examples) {
			u = other
		}
	}
	s := schemaOf(b, u.DB)
	f, err := newFuzzer(b.Context(), s, readGolds(s, u, 1), 1<<30, semaphore.NewWeighted(1)) // no neighbour is ever done
	if err != nil {
		b.Fatal(err)
	}
	defer f.close()
	var materials []*hints
	for _, g := range f.golds {
		g.pending = g.pending[:min(5, len(g.pending))]
		materials = append(materials, g.hints)
	}
	sampler := newSampler(s, materials, NullsObserved)
	var contents [][][][]sqldata.Value
	for n := range 50 {
		contents = append(contents, sampler.drawRows(seededRand(1, n), materials[n%len(materials):][:1]))
	}
	databases, checks := 0, 0
	for b.Loop() {
		for n := range contents {
			rows := sampler.drawRows(seededRand(1, n), materials[n%len(materials):][:1])
			if _, err := f.tryDatabase(b.Context(), &candidate{tried: 1, rows: rows}); err != nil {
				b.Fatal(err)
			}
			databases++
			for _, g := range f.golds {
				checks += len(g.remaining)
			}
		}
	}
	perCheck := b.Elapsed().Seconds() / float64(checks)
	b.ReportMetric(float64(databases)/b.Elapsed().Seconds(), "databases/s")
	b.ReportMetric(float64(checks)/b.Elapsed().Seconds(), "checks/s")
	b.ReportMetric(checkAfresh(b, f, contents[:10])/perCheck, "x-afresh")
}

// checkAfresh returns the seconds of a check where every query is compiled for it.
func checkAfresh(b *testing.B, f *fuzzer, contents [][][][]sqldata.Value) float64 {
	start := time.Now()
	checks := 0
	for _, rows := range contents {
		scratch, err := sqlite.NewScratch(f.layout)
		if err != nil {
			b.Fatal(err)
		}
		if err := scratch.Load(rows); err != nil {
			b.Fatal(err)
		}
		run := func(sql string) {
			p, err := scratch.Prepare(sql)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := p.Run(randomBudget, nil); err != nil {
				b.Fatal(err)
			}
			p.Close()
		}
		for _, g := range f.golds {
			run(g.sql)
			for _, n := range g.remaining {
				run(n.SQL)
				checks++
			}
		}
		scratch.Close()
	}
	return time.Since(start).Seconds() / float64(checks)
}
