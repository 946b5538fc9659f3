package robustness

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// points are the points of predictions, by example: 1 for a right one, 0 for a wrong one.
type points map[int]int

// add adds the points of a prediction for an example. The worst of several predictions counts.
func (p points) add(example, n int) {
	if old, ok := p[example]; ok {
		n = min(n, old)
	}
	p[example] = n
}

// accuracy returns the share of the examples that are right.
func (p points) accuracy() stats.Number {
	right := 0
	for _, n := range p {
		right += n
	}
	return stats.Share(right, len(p))
}

// versions holds the points of the perturbed versions of examples, by sample.
type versions map[int]points

// add adds the version of an example in a sample.
func (v versions) add(example, sample, n int) {
	if v[sample] == nil {
		v[sample] = points{}
	}
	v[sample].add(example, n)
}

// Samples is the accuracy after a perturbation over its samples, each of which takes an example once: ADVETA (section
// 5.1) attacks five times.
type Samples struct {
	Number int          `json:"number"`
	Mean   stats.Number `json:"mean"`
	SD     stats.Number `json:"sd"`    // of the samples, with n - 1; undefined for one
	Worst  stats.Number `json:"worst"` // of the samples
	Every  stats.Number `json:"every"` // the share of the examples that are right in each of the samples
}

// Whole is the accuracy over the whole split, where an example without a perturbed version counts as it was before.
type Whole struct {
	Examples int          `json:"examples"` // judged before
	Pre      stats.Number `json:"pre"`
	Post     *Samples     `json:"post"`
}

// samples returns the accuracies over the covered examples of each sample; nil for fewer than two samples.
func (v versions) samples() *Samples {
	if len(v) < 2 {
		return nil
	}
	return spread(v)
}

// within returns the accuracies over all examples of a split, by index: before the perturbation, and after it. An example
// without a perturbed version counts as unchanged, and one that is not judged before is left out. It returns nil if none is.
func (v versions) within(before []verdict.Verdict) *Whole {
	pre := points{}
	for i, b := range before {
		if b != verdict.Unjudged {
			pre[i] = b.Points()
		}
	}
	if len(pre) == 0 {
		return nil
	}
	whole := versions{}
	for sample, covered := range v {
		whole[sample] = maps.Clone(pre)
		for example, n := range covered {
			if _, ok := pre[example]; ok {
				whole[sample][example] = n
			}
		}
	}
	return &Whole{Examples: len(pre), Pre: pre.accuracy(), Post: spread(whole)}
}

// spread returns the mean, deviation and worst of the accuracies of samples, and the share of the examples that are right in
// every sample. Figures that the number of samples does not allow are undefined.
func spread(v versions) *Samples {
	every := points{}
	var accuracies []float64
	for _, sample := range slices.Sorted(maps.Keys(v)) {
		accuracies = append(accuracies, float64(v[sample].accuracy()))
		for example, n := range v[sample] {
			every.add(example, n) // which keeps the worst
		}
	}
	s := &Samples{Number: len(v), Mean: stats.Undefined(), SD: stats.Undefined(), Worst: stats.Undefined(), Every: every.accuracy()}
	if len(accuracies) > 0 {
		s.Mean, s.Worst = stats.Number(stat.Mean(accuracies, nil)), stats.Number(slices.Min(accuracies))
	}
	if len(accuracies) > 1 {
		s.SD = stats.Number(stat.StdDev(accuracies, nil))
	}
	return s
}
