package benchmark

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
)

// TestWriteSummary checks what stands below the table: the most frequent reasons of all, and the help
// of a perturbation that found nothing before that of others.
func TestWriteSummary(t *testing.T) {
	m := &Manifest{KeptColumns: map[string]int{"views": 3, "triggers": 1}, Perturbations: []Result{
		{Name: "a/one", Verified: 5, Weak: 2, Rejected: map[perturb.Reason]int{"no-draft": 9, "gold-fails": 4, "no-indicator": 3, "all-used": 1}},
		{Name: "a/none", Rejected: map[perturb.Reason]int{"all-used": 1, "no-vectors": 1}},
	}}
	var out strings.Builder
	m.WriteSummary(&out)
	_, below, _ := strings.Cut(out.String(), "a/none        0         0      0        0          0         2\n")
	want := `verified 5 (of 2 the answer could not show a change: no rows, NULL or 0), rejected 19; the most frequent reasons (manifest.json has all, by perturbation):
       9  no rule or model drafts a paraphrase for this category
       4  the gold SQL does not run
       3  no common indicator of it stands in the question
what would help: word vectors: --vectors FILE ("tabperturb models list" names some)
columns that keep their names: 1 for triggers, 3 for views
`
	if below != want {
		t.Errorf("got\n%s\nwant below the table\n%s", &out, want)
	}
	out.Reset()
	m = &Manifest{Perturbations: []Result{{Name: "a/all", Verified: 5}}}
	if m.WriteSummary(&out); !strings.HasSuffix(out.String(), "\nverified 5, rejected 0\n") {
		t.Errorf("got\n%s\nwant no reasons", &out)
	}
}
