package benchmark_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// spiderDev lays out Spider dev as a data directory.
func spiderDev(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tables.json", "dev.json"} {
		if err := os.Symlink(shared.File(t, "data", "spider", name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"), filepath.Join(dir, "database")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestADVETASpider builds the benchmark that ADVETA released as lists of names,
// and checks every file of it.
func TestADVETASpider(t *testing.T) {
	shared.Quality(t)
	data := spiderDev(t)
	buckets := perturbtest.HumanNames(t, perturbtest.Units(t, data))
	out := filepath.Join(t.TempDir(), "out")
	m, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), out, benchmark.Config{
		Perturbations: adveta.All, Buckets: buckets, Samples: 1, Seed: 1, Workers: 2, Split: "dev",
		Report: func(err error) {
			if !dataset.IsNote(err) {
				t.Error(err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	readBuild(t, out, m).check(t)
	for _, r := range m.Perturbations {
		rejected := r.RejectedTotal()
		t.Logf("%s: %d of %d examples apply, %d covered, %d databases, %d verified (%d on generated content), %d rejected %v",
			r.Name, r.Applicable, r.Examples, r.Covered, r.Variants, r.Verified, r.Generated, rejected, r.Rejected)
		if r.Examples != 1034 {
			t.Errorf("%s: %d examples, want 1034", r.Name, r.Examples)
		}
		if share := float64(rejected) / float64(rejected+r.Verified); share >= 0.03 {
			t.Errorf("%s: %.1f%% rejected, want under 3%%", r.Name, 100*share)
		}
	}
}
