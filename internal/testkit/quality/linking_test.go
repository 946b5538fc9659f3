//go:build quality

package quality

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestLinking builds ADVETA-Spider from its own names and prints how well the
// built-in linkers find the annotated schema links of Spider dev, and those
// carried to the perturbed schemas.
func TestLinking(t *testing.T) {
	ctx := context.Background()
	annotation := shared.File(t, "data", "slsql", "spider_ant_dev.json.gz")
	out := filepath.Join(t.TempDir(), "out")
	units := spiderDev(t)
	var built bytes.Buffer
	buildJob(t, ctx, &built, spiderData(t), out, "ADVETA's names", perturbtest.HumanNames(t, units))
	fail := func(err error) { t.Error(err) }

	split := linking.NewSplit(units)
	original, err := linking.NewSet("dev", split, linking.ReadGold(annotation, split, linking.Options{}), fail)
	if err != nil {
		t.Fatal(err)
	}
	var perturbed []*linking.Set
	for _, p := range adveta.All {
		post, err := dataset.Units(filepath.Join(out, filepath.FromSlash(p.Name), "post"), "dev", fail)
		if err != nil {
			t.Fatal(err)
		}
		set, err := original.Carry(p.Name, linking.NewSplit(post), filepath.Join(out, benchmark.RecordsFile), fail)
		if err != nil {
			t.Fatal(err)
		}
		perturbed = append(perturbed, set)
	}
	var rows []linking.Row
	for _, m := range link.Methods(lexicon.Default()) {
		more, err := linking.Measure(ctx, m, original, perturbed...)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, more...)
	}
	var report bytes.Buffer
	if err := linking.WriteTable(&report, rows); err != nil {
		t.Fatal(err)
	}
	golden(t, "linking", report.String())
}
