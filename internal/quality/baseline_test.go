//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/baseline"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestBaseline measures the attackers that need no model by the names that people
// chose for ADVETA-Spider.
func TestBaseline(t *testing.T) {
	ctx := context.Background()
	units := perturbtest.Units(t, spiderData(t))
	human := humanNames(t, units)
	var report bytes.Buffer
	fmt.Fprintf(&report, "%-12s %-22s %8s %8s\n", "attacker", "names of a column", "REPLACE", "ADD")
	for _, a := range baseline.Attackers() {
		if a.Needs == perturb.NeedsMasked {
			continue
		}
		drawn, err := baseline.Buckets(ctx, a, units, perturbtest.Resources(), 1)
		if err != nil {
			t.Fatal(err)
		}
		ranked, err := baseline.Pools(ctx, a, units, perturbtest.Resources())
		if err != nil {
			t.Fatal(err)
		}
		// CTA's figure counts all that it proposes, so that of all 50 ranks stands beside it.
		both := dataset.Buckets{}
		for id, b := range ranked {
			all := slices.Concat(b.Replace, b.Add)
			both[id] = dataset.Bucket{Replace: all, Add: all}
		}
		for _, names := range []struct {
			what    string
			buckets dataset.Buckets
		}{{"5 and 5 drawn", drawn}, {"15 and 35 ranked", ranked}, {"all 50 on both sides", both}} {
			replace, add := baseline.Agreement(human, names.buckets)
			fmt.Fprintf(&report, "%-12s %-22s %7.1f%% %7.1f%%\n", a.Name, names.what, replace.Percent(), add.Percent())
		}
	}
	golden(t, "baseline", report.String())
}
