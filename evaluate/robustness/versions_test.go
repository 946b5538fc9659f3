package robustness

import (
	"fmt"
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// Of four questions, the second is not covered, and the fourth was not judged before. Two versions of the first in one
// sample count as the worse of them.
func TestVersions(t *testing.T) {
	tally := NewTally("exec", []verdict.Verdict{right, right, wrong, unjudged})
	for _, r := range []struct {
		example, sample int
		post            verdict.Verdict
	}{
		{0, 0, right}, {0, 0, wrong}, {0, 1, right},
		{2, 0, right}, {2, 1, right}, {2, 1, unjudged},
		{3, 0, wrong},
	} {
		tally.Add(Record{Perturbation: "family/one", DB: "a", Position: sides.Position{Example: r.example, Sample: r.sample}, Pre: right, Post: r.post})
	}
	row := tally.Table(stats.Bootstrap{Draws: 10}).Rows[0]
	show := func(s *Samples) string {
		return fmt.Sprintf("%d samples: %.3f ± %.3f, worst %.3f, every %.3f", s.Number, s.Mean, s.SD, s.Worst, s.Every)
	}
	// Sample 0: of 0, 2 and 3 one is right; sample 1: both of 0 and 2.
	if got, want := show(row.Samples), "2 samples: 0.667 ± 0.471, worst 0.333, every 0.333"; got != want {
		t.Errorf("covered: got %s, want %s", got, want)
	}
	// Of 0, 1 and 2: sample 0 has 1 and 2 right, sample 1 all.
	if got, want := show(row.Whole.Post), "2 samples: 0.833 ± 0.236, worst 0.667, every 0.667"; got != want {
		t.Errorf("whole: got %s, want %s", got, want)
	}
	if row.Whole.Examples != 3 || row.Whole.Pre != stats.Share(2, 3) {
		t.Errorf("whole before: got %d examples, %v, want 3, 2/3", row.Whole.Examples, row.Whole.Pre)
	}
}
