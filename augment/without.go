package augment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// The parts, other than sources, that [Augmenter.Without] can leave out.
const (
	partRerank = "rerank"
	partNLI    = "nli"
)

// Parts returns what [Augmenter.Without] can leave out: each source, rerank and nli.
func Parts() []string {
	return append(lists.Map(Sources(), func(s Source) string { return s.Name }), partRerank, partNLI)
}

// ParseParts returns the parts with the given names, each once, in the order of [Parts].
func ParseParts(names []string) ([]string, error) {
	all := Parts()
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("%q: expected some of %s", name, strings.Join(all, ", "))
		}
	}
	return lists.Filter(all, func(part string) bool { return slices.Contains(names, part) }), nil
}

// Without leaves parts out of the augmenter, for ablations such as those of ADVETA (section 5.4). Without
// rerank, retrieved names keep the order of their share of the retrieved tables. Without nli, entailments and
// validity are computed but decide nothing, see [Source.withSides]. It returns an error if no source is left.
func (a *Augmenter) Without(parts []string) error {
	a.Sources = lists.Filter(a.Sources, func(s Source) bool { return !slices.Contains(parts, s.Name) })
	if len(a.Sources) == 0 {
		return errors.New("leaves no source of names, expected one or more")
	}
	a.Resources.Selector.InOrder = slices.Contains(parts, partRerank)
	if !slices.Contains(parts, partNLI) {
		return nil
	}
	validity := Validity{Advisory: true}
	if a.Validity != nil {
		validity.Weights = a.Validity.Weights
	}
	a.Validity = &validity
	a.Sources = lists.Map(a.Sources, Source.withSides)
	return nil
}

// withSides returns the source with a bucket for each name, so that entailments decide nothing: the
// bucket that the source proposes the name for, or else by similarity. A synonym replaces; of other
// names the more similar half replaces and the other half is added.
func (s Source) withSides() Source {
	propose, synonyms := s.Propose, s.Synonyms
	s.KnowsTable, s.Synonyms = true, true // the proposed buckets overrule entailments, and REPLACE names skip rejectDoubtful
	s.Propose = func(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
		lists, err := propose(ctx, r, a)
		for _, list := range lists {
			setSides(list, synonyms)
		}
		return lists, err
	}
	return s
}

// setSides sets the bucket of the names of a list that have none: REPLACE for synonyms and for the more similar half of other
// names, ADD for the rest.
func setSides(list []Proposal, synonyms bool) {
	var open []*Proposal
	for i := range list {
		if list[i].Side == "" {
			open = append(open, &list[i])
		}
	}
	slices.SortStableFunc(open, func(x, y *Proposal) int { return cmp.Compare(y.Similarity, x.Similarity) })
	for i, p := range open {
		p.Side = dataset.Add
		if synonyms || 2*i < len(open) {
			p.Side = dataset.Replace
		}
	}
}
