//go:build quality

package quality

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/interaction"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestFormatsInteractions builds over SParC and CoSQL dev: an interaction meets one
// perturbation, over one schema, as a whole or not at all. The results that the official
// script prints are reproduced by the tests of package evaluate.
func TestFormatsInteractions(t *testing.T) {
	tabperturb := command(t)
	var report bytes.Buffer
	for _, f := range []*dataset.Format{interaction.SParC, interaction.CoSQL} {
		data := converted(t, f, interactionData(t, f.Name), "dev", formats.Spider)
		set, err := formats.Spider.Read(t.Context(), data, "dev")
		if err != nil {
			t.Fatal(err)
		}
		var examples []*dataset.Example
		for ex, err := range streamtest.All(set.Examples) {
			if err != nil {
				t.Fatal(err)
			}
			examples = append(examples, ex)
		}
		fmt.Fprintf(&report, "%s dev: %d questions in %d interactions\n", f.Name, len(examples), examples[len(examples)-1].Interaction)
		dir := t.TempDir()
		buckets := filepath.Join(dir, "buckets.json")
		fmt.Fprintln(&report, candidates(t, tabperturb, data, "dev", buckets))
		w := tabwriter.NewWriter(&report, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "perturbation\tsamples\tverified\tunchanged beside them\tcovered\tdatabases\trejected\twhole interactions\tviolations")
		var reasons []string
		for _, b := range []struct{ perturb, samples string }{{"adveta", "2"}, {"mtteql", "1"}} {
			out := filepath.Join(dir, b.perturb)
			m := built(t, tabperturb, "--data", data, "--buckets", buckets, "--perturb", b.perturb, "--samples", b.samples, "--out", out)
			whole, violations := interactions(t, examples, filepath.Join(out, benchmark.RecordsFile))
			for _, r := range m.Perturbations {
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Name, r.Samples, r.Verified, r.Unchanged, r.Covered, r.Variants, r.RejectedTotal(), whole[r.Name], violations[r.Name])
				if b.perturb == "adveta" {
					reasons = append(reasons, fmt.Sprintf("%s rejected %v", r.Name, r.Rejected))
				}
				if violations[r.Name] > 0 || whole[r.Name] == 0 {
					t.Errorf("%s, %s: %d interactions are whole and %d are not", f.Name, r.Name, whole[r.Name], violations[r.Name])
				}
			}
			comesBack(t, f, filepath.Join(out, m.Perturbations[0].Name, "post"), m.Perturbations[0])
		}
		w.Flush()
		fmt.Fprintln(&report, strings.Join(reasons, "\n"))
	}
	golden(t, "interactions", report.String())
}

// comesBack writes a build's data in the format that it came from.
func comesBack(t *testing.T, f *dataset.Format, post string, r benchmark.Result) {
	t.Helper()
	set, err := f.Read(t.Context(), converted(t, formats.Spider, post, "dev", f), "dev")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range streamtest.All(set.Examples) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != r.Verified+r.Unchanged {
		t.Errorf("%s: %d questions come back to %s, want the %d that were written", r.Name, n, f.Name, r.Verified+r.Unchanged)
	}
}

// interactions counts, by perturbation, the interactions under a sample all of whose turns
// are records, in their order and on one database, and those of which that does not hold.
func interactions(t *testing.T, examples []*dataset.Example, path string) (whole, violations map[string]int) {
	t.Helper()
	turns := map[int]int{}
	for _, ex := range examples {
		turns[ex.Interaction] = max(turns[ex.Interaction], ex.Turn)
	}
	type key struct {
		perturbation        string
		sample, interaction int
	}
	type state struct {
		db    string
		turns int
		bad   bool
	}
	states := map[key]*state{}
	for r, err := range streamtest.AllOfPlainFile(recordfile.Read, path) {
		if err != nil {
			t.Fatal(err)
		}
		ex := examples[r.Example]
		k := key{r.Perturbation, int(r.Sample), ex.Interaction}
		s := states[k]
		if s == nil {
			s = &state{db: r.DBPost}
			states[k] = s
		}
		s.turns++
		s.bad = s.bad || ex.Turn != s.turns || r.DBPost != s.db
	}
	whole, violations = map[string]int{}, map[string]int{}
	for k, s := range states {
		if s.bad || s.turns != turns[k.interaction] {
			violations[k.perturbation]++
		} else {
			whole[k.perturbation]++
		}
	}
	return whole, violations
}
