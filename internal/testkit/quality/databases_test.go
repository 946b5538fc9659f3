//go:build quality

package quality

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestVerdictsOnDrafts builds Spider dev by every perturbation that needs no names, once with
// databases and once on drafts of the originals: the verdicts are the same, record for
// record, and so is what is rejected and why.
func TestVerdictsOnDrafts(t *testing.T) {
	data := spiderData(t)
	hashes := map[benchmark.Databases]map[string][sha256.Size]byte{}
	for _, databases := range []benchmark.Databases{benchmark.DatabasesFull, benchmark.DatabasesNone} {
		out := filepath.Join(t.TempDir(), "out")
		list, err := benchmark.Select([]string{"drspider", "mtteql", "spidersyn", "baseline/w2v"})
		if err != nil {
			t.Fatal(err)
		}
		m, err := benchmark.Build(t.Context(), readUnits(t, data, "dev"), out, benchmark.Config{
			Perturbations: list, Resources: perturbtest.Resources(), Samples: 2, Seed: 1, Workers: 2, Split: "dev",
			Databases: databases, Report: told(t),
		})
		if err != nil {
			t.Fatal(err)
		}
		hashes[databases] = map[string][sha256.Size]byte{}
		names := []string{benchmark.RecordsFile}
		for _, r := range m.Perturbations {
			names = append(names, filepath.Join(r.Name, "rejected.jsonl"))
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			hashes[databases][name] = sha256.Sum256(data)
		}
	}
	for name, hash := range hashes[benchmark.DatabasesFull] {
		if hashes[benchmark.DatabasesNone][name] != hash {
			t.Errorf("%s differs without databases", name)
		}
	}
}
