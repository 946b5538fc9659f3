package question

import (
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestRealisedAlone checks that what a gold SQL is said as depends on the run's seed, and
// not on which of the categories asks first.
func TestRealisedAlone(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	say := func(p *perturb.Perturbation, seed uint64) string {
		examples := perturbtest.Examples(t, u)
		pass := perturbtest.NewPass(t, p, u.DB, examples, 2, seed)
		senses, err := pass.Senses()
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, ex := range examples {
			aligner := indicator.New(ex, pass.DB)
			s := &source{Resources: pass.Resources, db: pass.DB, ex: ex, question: ex.Question, alignment: aligner.Align(ex.Question), senses: senses}
			list, err := realised(pass, s, aligner)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range list {
				text += q.Text + "\n"
			}
		}
		return text
	}
	if say(All[0], 1) != say(All[8], 1) {
		t.Error("two categories are given other questions")
	}
	if say(All[0], 1) == say(All[0], 2) {
		t.Error("two seeds give the same questions")
	}
}

// TestHasNewWord checks that another name has another word.
func TestHasNewWord(t *testing.T) {
	for _, c := range []struct {
		name, column string
		want         bool
	}{
		{"birthplace", "hometown", true},
		{"home town", "hometown", false},
		{"dates of publication", "publication date", false},
		{"date of issue", "publication date", true},
		{"type", "document type code", false},
		{"number", "student id", false},
	} {
		if got := addsWord(c.name, c.column); got != c.want {
			t.Errorf("%q for %q: %t, expected %t", c.name, c.column, got, c.want)
		}
	}
}

// BenchmarkCategories drafts and filters in all nine categories and reports how many times as long it takes where the
// categories share no realised questions.
func BenchmarkCategories(b *testing.B) {
	u := perturbtest.Units(b, perturbtest.WriteSample(b))[0]
	examples := perturbtest.Examples(b, u)
	run := func(memo *perturb.Memo) time.Duration {
		start := time.Now()
		for _, p := range All {
			pass := perturbtest.NewPass(b, p, u.DB, examples, 5, 1)
			pass.Memo = memo
			if err := p.Run(pass); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}
	var shared, fresh time.Duration
	for b.Loop() {
		shared += run(new(perturb.Memo))
		fresh += run(nil)
	}
	b.ReportMetric(fresh.Seconds()/shared.Seconds(), "x-nothing-shared")
}
