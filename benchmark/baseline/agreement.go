package baseline

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Share is a number of columns out of others.
type Share struct{ Columns, Of int }

// Percent returns the share in percent, 0 of none.
func (s Share) Percent() float64 {
	if s.Of == 0 {
		return 0
	}
	return 100 * float64(s.Columns) / float64(s.Of)
}

// Agreement counts the columns for which names holds, on the same side of the
// bucket, one of the names that people chose, of those for which they chose any.
// Names are equal that differ in case, punctuation and number.
func Agreement(human, names dataset.Buckets) (replace, add Share) {
	for id := range human {
		replace.count(human[id].Replace, names[id].Replace)
		add.count(human[id].Add, names[id].Add)
	}
	return replace, add
}

func (s *Share) count(human, names []dataset.Candidate) {
	if len(human) == 0 {
		return
	}
	s.Of++
	chosen := map[string]bool{}
	for _, c := range human {
		chosen[lexicon.Normal(c.Name)] = true
	}
	if slices.ContainsFunc(names, func(c dataset.Candidate) bool { return chosen[lexicon.Normal(c.Name)] }) {
		s.Columns++
	}
}
