package questions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/nli/question"
)

// Report measures how well the model separates pairs.
type Report struct {
	Area     float64 // under the ROC, of all kinds together
	Accuracy float64 // mean of the shares of both sides judged right at 0.5
	Kinds    map[string]Kind
	Wrong    []Wrong // judged wrong, in the order of the pairs
}

// Kind is the result on pairs of one kind.
type Kind struct {
	Same  bool // they ask the same
	Pairs int
	Right float64 // share judged right at 0.5
}

// Wrong is a pair with the probability that it asks the same.
type Wrong struct {
	Pair
	Probability float64
}

// newReport returns the report on the scores of pairs.
func newReport(pairs []Pair, scores [][question.Classes]float64) *Report {
	r := &Report{Kinds: make(map[string]Kind)}
	var probabilities []float64
	var same []bool
	var number, right [2]float64
	for i, p := range pairs {
		k := r.Kinds[p.Kind]
		k.Same = p.Class == question.Entailment
		k.Pairs++
		side := min(p.Class, 1)
		number[side]++
		x := scores[i][question.Entailment]
		if (x >= .5) == k.Same {
			k.Right++
			right[side]++
		} else {
			r.Wrong = append(r.Wrong, Wrong{p, x})
		}
		r.Kinds[p.Kind] = k
		probabilities, same = append(probabilities, x), append(same, k.Same)
	}
	for name, k := range r.Kinds {
		k.Right /= float64(k.Pairs)
		r.Kinds[name] = k
	}
	r.Accuracy = (right[0]/max(number[0], 1) + right[1]/max(number[1], 1)) / 2
	r.Area = area(probabilities, same)
	return r
}

// area is the area under the ROC.
func area(scores []float64, same []bool) float64 {
	stat.SortWeightedLabeled(scores, same, nil)
	tpr, fpr, _ := stat.ROC(nil, scores, same, nil)
	return integrate.Trapezoidal(fpr, tpr)
}

// Flips returns the share of changed questions that are rejected: for questions that were changed themselves, and for
// those of which a paraphrase was changed, whose kinds begin with "~".
func (r *Report) Flips() (themselves, paraphrases float64) {
	var n, right [2]float64
	for name, k := range r.Kinds {
		if k.Same || name == OtherSQL || name == RandomSQL {
			continue
		}
		side := 0
		if strings.HasPrefix(name, "~") {
			side = 1
		}
		n[side] += float64(k.Pairs)
		right[side] += k.Right * float64(k.Pairs)
	}
	return right[0] / max(n[0], 1), right[1] / max(n[1], 1)
}

// String prints the report on a line for each kind.
func (r *Report) String() string {
	var b strings.Builder
	themselves, paraphrases := r.Flips()
	fmt.Fprintf(&b, "area under ROC %.4f, balanced accuracy %.4f, flips rejected %.4f, flips of paraphrases rejected %.4f\n", r.Area, r.Accuracy, themselves, paraphrases)
	for _, same := range []bool{true, false} {
		for _, name := range slices.Sorted(maps.Keys(r.Kinds)) {
			if k := r.Kinds[name]; k.Same == same {
				fmt.Fprintf(&b, "%-22s %6d %s %.4f\n", name, k.Pairs, map[bool]string{true: "kept", false: "rejected"}[same], k.Right)
			}
		}
	}
	return b.String()
}
