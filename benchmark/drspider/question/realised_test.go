package question

import (
	"testing"

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
			list, err := realised(pass, senses, ex)
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

// TestSaysOtherwise checks that another name has another word.
func TestSaysOtherwise(t *testing.T) {
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
		if got := saysOtherwise(c.name, c.column); got != c.want {
			t.Errorf("%q for %q: %t, expected %t", c.name, c.column, got, c.want)
		}
	}
}
