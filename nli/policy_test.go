package nli

import (
	"math"
	"strings"
	"testing"
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
		bucket Bucket
		reason string
	}{
		{Paper(), Entailments{0.65, 0.9}, nil, Replace, "lower entailment 0.65 ≥ 0.65"},
		{Paper(), Entailments{0.9, 0.7}, near, Replace, "lower entailment 0.70 ≥ 0.65"},
		{Paper(), Entailments{0.58, 0.52}, far, Reject, "neither: lower entailment 0.52 < 0.65 and higher 0.58 > 0.45"},
		{Paper(), Entailments{0.9, 0.2}, far, Reject, "neither: lower entailment 0.20 < 0.65 and higher 0.90 > 0.45"},
		{Paper(), Entailments{0.6499, 0.7}, nil, Reject, "neither: lower entailment 0.6499 < 0.6500 and higher 0.70 > 0.45"},
		{Paper(), Entailments{0.2, 0.45}, far, Add, "higher entailment 0.45 ≤ 0.45"},
		{Paper(), Entailments{0.2, 0.3}, nil, Add, "higher entailment 0.30 ≤ 0.45"},
		{Paper(), Entailments{0.2, 0.3}, near, Reject, "equals meaning of column first name: higher entailment 0.81 > 0.45"},
		{Released(), Entailments{0.9, 0.2}, far, Add, "lower entailment 0.20 ≤ 0.40"},
		{Released(), Entailments{0.9, 0.2}, near, Add, "lower entailment 0.20 ≤ 0.40"},
		{Released(), Entailments{0.9, 0.42}, far, Reject, "neither: lower entailment 0.42 < 0.65 and lower 0.42 > 0.40"},
		{Released(), Entailments{0.66, 0.65}, far, Replace, "lower entailment 0.65 ≥ 0.65"},
		{Paper(), Entailments{nan, nan}, far, Reject, "neither: lower entailment NaN < 0.65 and higher NaN > 0.45"},
		{Paper(), Entailments{0.1, 0.1}, []other{{"x", Entailments{nan, 0}}}, Reject, "equals meaning of column x: higher entailment NaN > 0.45"},
	} {
		got := c.policy.Decide(c.target)
		for _, o := range c.others {
			if reason := c.policy.Conflict(o.column, o.e); got.Bucket == Add && reason != "" {
				got = Decision{Reject, reason}
			}
		}
		if want := (Decision{c.bucket, c.reason}); got != want {
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
				want := Reject
				if replaces {
					want = Replace
				} else if adds {
					want = Add
				}
				if got := p.Decide(e).Bucket; got != want {
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
