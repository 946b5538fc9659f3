package nli

import (
	"fmt"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
)

// Combine makes one number of the two entailments.
type Combine int

// The ways to combine.
const (
	Min Combine = iota // the lower direction
	Max                // the higher direction
)

// Of applies c to e.
func (c Combine) Of(e Entailments) float64 {
	if c == Max {
		return max(e.Forward, e.Backward)
	}
	return min(e.Forward, e.Backward)
}

// String returns "lower" or "higher", for messages.
func (c Combine) String() string {
	if c == Max {
		return "higher"
	}
	return "lower"
}

// Rule compares the combined entailments of a pair with a threshold in 0..1.
type Rule struct {
	Combine   Combine
	Threshold float64
}

// Thresholds of ADVETA on entailment probabilities. The paper (section 4.4) and
// the code released with it disagree on ADD.
const (
	// PaperReplace is the least lower entailment of a replacement: the paper's
	// min(e1, e2) ≥ 0.65.
	PaperReplace = 0.65
	// PaperAdd is the most higher entailment of an addition: the paper's
	// max(e1, e2) ≤ 0.45.
	PaperAdd = 0.45
	// ReleasedReplace is the REPLACE threshold on the lower entailment. The
	// released code is called with 0.50 to 0.75; this is the paper's value,
	// inside that range.
	ReleasedReplace = 0.65
	// ReleasedAdd is the ADD threshold of the released code. It applies to the
	// lower entailment too, against the code's own comment: min(e1, e2) ≤ 0.40.
	ReleasedAdd = 0.40
)

// Policy decides what a candidate column is good for.
type Policy struct {
	Name    string
	Replace Rule // holds where the combined entailment is at least the threshold
	Add     Rule // holds where the combined entailment is at most the threshold
	// Limit is the most candidates kept in a bucket of a column; 0 keeps all.
	// Neither the paper nor its code sets a limit after the decision: they keep
	// the 20 most similar proposals before it (section 4.2).
	Limit int
}

// Paper returns the policy of ADVETA's text, section 4.4 and footnote 5.
func Paper() Policy {
	return Policy{Name: "paper", Replace: Rule{Min, PaperReplace}, Add: Rule{Max, PaperAdd}}
}

// Released returns the policy of the code released with ADVETA.
func Released() Policy {
	return Policy{Name: "released", Replace: Rule{Min, ReleasedReplace}, Add: Rule{Min, ReleasedAdd}}
}

// PolicyByName returns the policy called "paper" or "released".
func PolicyByName(name string) (Policy, error) {
	for _, p := range []Policy{Paper(), Released()} {
		if p.Name == name {
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("policy %q is unknown, expected paper or released", name)
}

// Decision is the side of the column's bucket that a candidate comes to, "" where it is
// rejected, and the figures that led to it, as one line of text.
type Decision struct {
	Side   dataset.Side
	Reason string
}

// Decide puts a candidate into a bucket by the entailments between the target
// column and it. A candidate that satisfies both rules, which the two named policies
// rule out, replaces. One that is to be added must also pass [Policy.Conflict].
func (p Policy) Decide(target Entailments) Decision {
	replace, add := p.Replace.Combine.Of(target), p.Add.Combine.Of(target)
	if replace >= p.Replace.Threshold {
		return Decision{dataset.Replace, fmt.Sprintf("%v entailment %s", p.Replace.Combine, relate(replace, "≥", p.Replace.Threshold))}
	}
	if add <= p.Add.Threshold {
		return Decision{dataset.Add, fmt.Sprintf("%v entailment %s", p.Add.Combine, relate(add, "≤", p.Add.Threshold))}
	}
	return Decision{"", fmt.Sprintf("neither: %v entailment %s and %v %s", p.Replace.Combine,
		relate(replace, "<", p.Replace.Threshold), p.Add.Combine, relate(add, ">", p.Add.Threshold))}
}

// Conflict says why a candidate cannot be added beside another column of the table,
// given the entailments between the two: it means the same (footnote 5). It is ""
// where nothing speaks against it.
func (p Policy) Conflict(column string, e Entailments) (reason string) {
	x := p.Add.Combine.Of(e)
	if x <= p.Add.Threshold {
		return ""
	}
	return fmt.Sprintf("equals meaning of column %s: %v entailment %s", column, p.Add.Combine, relate(x, ">", p.Add.Threshold))
}

// relate prints a comparison with as many digits as tell the sides apart.
func relate(value float64, op string, threshold float64) string {
	for digits := 2; ; digits++ {
		v := strconv.FormatFloat(value, 'f', digits, 64)
		t := strconv.FormatFloat(threshold, 'f', digits, 64)
		if v != t || value == threshold || digits == 17 {
			return v + " " + op + " " + t
		}
	}
}
