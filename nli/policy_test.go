package nli

import (
	"math"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestDecide(t *testing.T) {
	type other struct {
		column string
		e      Entailments
	}
	far := []other{{"age", Entailments{0.1, 0.2}}, {"name", Entailments{0.3, 0.1}}}
	near := append([]other{{"first name", Entailments{0.3, 0.81}}}, far...)
	nan := math.NaN()
	for _, c := range []struct {
		policy Policy
		target Entailments
		others []other
		side   dataset.Side
		reason string
	}{
		{Paper(), Entailments{0.65, 0.9}, nil, dataset.Replace, "lower entailment 0.65 ≥ 0.65"},
		{Paper(), Entailments{0.9, 0.7}, near, dataset.Replace, "lower entailment 0.70 ≥ 0.65"},
		{Paper(), Entailments{0.58, 0.52}, far, "", "neither: lower entailment 0.52 < 0.65 and higher 0.58 > 0.45"},
		{Paper(), Entailments{0.9, 0.2}, far, "", "neither: lower entailment 0.20 < 0.65 and higher 0.90 > 0.45"},
		{Paper(), Entailments{0.6499, 0.7}, nil, "", "neither: lower entailment 0.6499 < 0.6500 and higher 0.70 > 0.45"},
		{Paper(), Entailments{0.2, 0.45}, far, dataset.Add, "higher entailment 0.45 ≤ 0.45"},
		{Paper(), Entailments{0.2, 0.3}, nil, dataset.Add, "higher entailment 0.30 ≤ 0.45"},
		{Paper(), Entailments{0.2, 0.3}, near, "", "equals meaning of column first name: higher entailment 0.81 > 0.45"},
		{Released(), Entailments{0.9, 0.2}, far, dataset.Add, "lower entailment 0.20 ≤ 0.40"},
		{Released(), Entailments{0.9, 0.2}, near, dataset.Add, "lower entailment 0.20 ≤ 0.40"},
		{Released(), Entailments{0.9, 0.42}, far, "", "neither: lower entailment 0.42 < 0.65 and lower 0.42 > 0.40"},
		{Released(), Entailments{0.66, 0.65}, far, dataset.Replace, "lower entailment 0.65 ≥ 0.65"},
		{Paper(), Entailments{nan, nan}, far, "", "neither: lower entailment NaN < 0.65 and higher NaN > 0.45"},
		{Paper(), Entailments{0.1, 0.1}, []other{{"x", Entailments{nan, 0}}}, "", "equals meaning of column x: higher entailment NaN > 0.45"},
	} {
		got := c.policy.Decide(c.target)
		for _, o := range c.others {
			if reason := c.policy.Conflict(o.column, o.e); got.Side == dataset.Add && reason != "" {
				got = Decision{"", reason}
			}
		}
		if want := (Decision{c.side, c.reason}); got != want {
			t.Errorf("%s.Decide(%v, %v) = %+v, want %+v", c.policy.Name, c.target, c.others, got, want)
		}
	}
}

// Replacing is monotone in both entailments, and no pair satisfies both rules
// of a named policy.
func TestPoliciesSeparate(t *testing.T) {
	for _, p := range []Policy{Paper(), Released()} {
		for f := 0; f <= 20; f++ {
			for b := 0; b <= 20; b++ {
				e := Entailments{float64(f) / 20, float64(b) / 20}
				replaces, adds := p.Replace.Combine.Of(e) >= p.Replace.Threshold, p.Add.Combine.Of(e) <= p.Add.Threshold
				if replaces && adds {
					t.Errorf("%s: %v replaces and adds", p.Name, e)
				}
				var want dataset.Side
				if replaces {
					want = dataset.Replace
				} else if adds {
					want = dataset.Add
				}
				if got := p.Decide(e).Side; got != want {
					t.Errorf("%s: %v: %v, want %v", p.Name, e, got, want)
				}
			}
		}
	}
}

func TestPolicyByName(t *testing.T) {
	for _, name := range []string{"paper", "released"} {
		if p, err := PolicyByName(name); err != nil || p.Name != name {
			t.Errorf("PolicyByName(%q) = %v, %v", name, p, err)
		}
	}
	if _, err := PolicyByName("strict"); err == nil || !strings.Contains(err.Error(), "expected paper or released") {
		t.Errorf("error %v", err)
	}
}
