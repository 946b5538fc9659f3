//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/mtteql"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// mtteqlSizes are the numbers of inputs of MT-TEQL, table 6.
var mtteqlSizes = map[string]int{
	"mtteql/prefix-insertion": 6370, "mtteql/prefix-removal": 199, "mtteql/prefix-substitution": 8266, "mtteql/synonym-substitution": 639,
	"mtteql/normalization": 8707, "mtteql/flattening": 2018, "mtteql/opaque-key": 3697, "mtteql/table-shuffle": 2575,
	"mtteql/column-shuffle": 6675, "mtteql/column-removal": 8707, "mtteql/column-renaming": 11775, "mtteql/column-insertion": 2802,
}

const (
	leastInputs     = 62430 // of all relations together, as the paper has
	mostNaturalDrop = 0.05  // of the mean fluency of the original questions
)

// TestMTTEQL builds the twelve relations of MT-TEQL from Spider dev. Their counts
// beside the paper's, and how natural their questions are, are golden.
func TestMTTEQL(t *testing.T) {
	ctx := context.Background()
	data, out := spiderData(t), filepath.Join(t.TempDir(), "out")
	var m *benchmark.Manifest
	timed(t, "build", func() {
		var err error
		m, err = benchmark.Build(ctx, readUnits(t, data, "dev"), out, benchmark.Config{
			Perturbations: mtteql.All, Resources: perturbtest.Resources(), Samples: benchmark.DefaultSamples, OwnSamples: true, Seed: 1, Workers: 2, Split: "dev",
			Report: told(t),
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	type natural struct{ before, after, n float64 }
	naturals := map[string]*natural{}
	all := &natural{}
	for r, err := range streamtest.AllOfPlainFile(recordfile.Read, filepath.Join(out, benchmark.RecordsFile)) {
		if err != nil {
			t.Fatal(err)
		}
		if naturals[r.Perturbation] == nil {
			naturals[r.Perturbation] = &natural{}
		}
		before, after := fluency.Score(r.QuestionPre), fluency.Score(r.QuestionPost)
		for _, n := range []*natural{naturals[r.Perturbation], all} {
			n.before, n.after, n.n = n.before+before, n.after+after, n.n+1
		}
	}
	var report bytes.Buffer
	fmt.Fprintf(&report, "%-28s %8s %6s %8s %9s %8s %12s %8s\n", "relation", "verified", "paper", "covered", "databases", "rejected", "naturalness", "before")
	total := 0
	for _, r := range m.Perturbations {
		n := naturals[r.Name]
		fmt.Fprintf(&report, "%-28s %8d %6d %8d %9d %8d %12.4f %8.4f\n", r.Name, r.Verified, mtteqlSizes[r.Name], r.Covered, r.Variants, r.RejectedTotal(), n.after/n.n, n.before/n.n)
		total += r.Verified
	}
	fmt.Fprintf(&report, "%-28s %8d %6d %38.4f %8.4f\n", "all", total, leastInputs, all.after/all.n, all.before/all.n)
	if total < leastInputs {
		t.Errorf("%d inputs, want at least %d", total, leastInputs)
	}
	if all.after < (1-mostNaturalDrop)*all.before {
		t.Errorf("naturalness falls from %.4f to %.4f, want at most %.0f%%", all.before/all.n, all.after/all.n, 100*mostNaturalDrop)
	}
	dev := 0.0
	for _, u := range spiderDev(t) {
		for _, ex := range u.Examples {
			dev += fluency.Score(ex.Question) / 1034
		}
	}
	fmt.Fprintf(&report, "naturalness of the questions of Spider dev %.4f; of all inputs %.1f%% of that\n", dev, 100*all.after/all.n/dev)
	golden(t, "mtteql", report.String())
}
