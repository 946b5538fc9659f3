package nli

import (
	"fmt"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
)

// Combine is a way to combine the two entailments of a pair into one number.
type Combine int

// The ways to combine.
const (
	Min Combine = iota // the lower direction
	Max                // the higher direction
)

// Of returns the lower or the higher entailment of the two directions.
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
	// PaperReplace is the paper's threshold of REPLACE: min(e1, e2) ≥ 0.65.
	PaperReplace = 0.65
	// PaperAdd is the paper's threshold of ADD: max(e1, e2) ≤ 0.45.
	PaperAdd = 0.45
	// ReleasedReplace is the threshold of REPLACE on the lower entailment. The released
	// code is called with 0.50 to 0.75; this is the paper's value.
	ReleasedReplace = 0.65
	// ReleasedAdd is the released code's threshold of ADD. Against its own comment, the
	// code compares the lower entailment: min(e1, e2) ≤ 0.40.
	ReleasedAdd = 0.40
)

// Policy decides by entailments whether a candidate replaces a column or is added to its table.
type Policy struct {
	Name    string
	Replace Rule // holds if the combined entailment is at least the threshold
	Add     Rule // holds if the combined entailment is at most the threshold
	// Limit is the largest number of candidates in a bucket of a column; 0 means no limit.
	// Paper and released code have none: they take the 20 most similar proposals before
	// they decide (section 4.2).
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

// Decision is what was decided on a candidate.
type Decision struct {
	Side   dataset.Side // of the column's bucket; "" if the candidate is rejected
	Reason string       // one line with the figures that decided
}

// Decide decides on a candidate by its entailments with the column. A candidate that satisfies both rules replaces the
// column; with [Paper] and [Released] none can. A candidate to add must also pass [Policy.Conflict].
func (p Policy) Decide(e Entailments) Decision {
	replace, add := p.Replace.Combine.Of(e), p.Add.Combine.Of(e)
	if replace >= p.Replace.Threshold {
		return Decision{dataset.Replace, fmt.Sprintf("%v entailment %s", p.Replace.Combine, formatComparison(replace, "≥", p.Replace.Threshold))}
	}
	if add <= p.Add.Threshold {
		return Decision{dataset.Add, fmt.Sprintf("%v entailment %s", p.Add.Combine, formatComparison(add, "≤", p.Add.Threshold))}
	}
	return Decision{"", fmt.Sprintf("neither: %v entailment %s and %v %s", p.Replace.Combine,
		formatComparison(replace, "<", p.Replace.Threshold), p.Add.Combine, formatComparison(add, ">", p.Add.Threshold))}
}

// Conflict returns the reason why a candidate with these entailments cannot be added to a table that has the column: they
// are above the threshold of ADD, so both mean the same (footnote 5). It returns "" if they are not.
func (p Policy) Conflict(column string, e Entailments) (reason string) {
	x := p.Add.Combine.Of(e)
	if x <= p.Add.Threshold {
		return ""
	}
	return fmt.Sprintf("equals meaning of column %s: %v entailment %s", column, p.Add.Combine, formatComparison(x, ">", p.Add.Threshold))
}

// formatComparison returns a comparison as text, with enough digits to show different numbers as
// different: "0.65 ≥ 0.60", "0.6501 > 0.6500".
func formatComparison(value float64, op string, threshold float64) string {
	for digits := 2; ; digits++ {
		v := strconv.FormatFloat(value, 'f', digits, 64)
		t := strconv.FormatFloat(threshold, 'f', digits, 64)
		if v != t || value == threshold || digits == 17 { // 17 ends the loop for numbers that differ by less
			return v + " " + op + " " + t
		}
	}
}
