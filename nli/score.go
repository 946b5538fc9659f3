package nli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// DefaultBatch is how many pairs a [Scorer] hands to its classifier at once.
const DefaultBatch = 256

// Entailments are the entailment probabilities of an item: Forward is the
// paper's e1, with the target as the premise, and Backward its e2.
type Entailments struct{ Forward, Backward float64 }

// Judgment holds the three-way scores of an item in both directions.
type Judgment struct{ Forward, Backward Scores }

// Entailments returns what a [Policy] looks at.
func (j Judgment) Entailments() Entailments {
	return Entailments{Forward: j.Forward.Entailment, Backward: j.Backward.Entailment}
}

// Scorer judges items with a classifier.
type Scorer struct {
	Classifier Classifier
	Batch      int // pairs a call; 0 means DefaultBatch
}

// Score judges items with c, see [Scorer.Score].
func Score(ctx context.Context, c Classifier, items []Item) ([]Judgment, error) {
	return Scorer{Classifier: c}.Score(ctx, items)
}

// Score judges items in both directions. The result has one element an item,
// in order. A pair that occurs twice is scored once; pairs of like length share
// a batch, which saves padding in models that pad. Between batches it stops
// with ctx's error when ctx is done.
func (s Scorer) Score(ctx context.Context, items []Item) ([]Judgment, error) {
	pairs := make([]Pair, 0, 2*len(items))
	for _, it := range items {
		p := it.Forward()
		pairs = append(pairs, p, p.swap())
	}
	scores, err := s.Pairs(ctx, pairs)
	if err != nil {
		return nil, err
	}
	judgments := make([]Judgment, len(items))
	for i := range judgments {
		judgments[i] = Judgment{Forward: scores[2*i], Backward: scores[2*i+1]}
	}
	return judgments, nil
}

// Pairs scores pairs as [Scorer.Score] does, one result a pair, in order.
func (s Scorer) Pairs(ctx context.Context, pairs []Pair) ([]Scores, error) {
	unique := slices.Clone(pairs)
	slices.SortFunc(unique, comparePairs)
	unique = slices.Compact(unique)
	scored := make(map[Pair]Scores, len(unique))
	batch := s.Batch
	if batch <= 0 {
		batch = DefaultBatch
	}
	for chunk := range slices.Chunk(unique, batch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		scores, err := classify(ctx, s.Classifier, chunk)
		if err != nil {
			return nil, err
		}
		for i, p := range chunk {
			scored[p] = scores[i]
		}
	}
	out := make([]Scores, len(pairs))
	for i, p := range pairs {
		out[i] = scored[p]
	}
	return out, nil
}

// comparePairs orders by length first, so that neighbours batch well.
func comparePairs(a, b Pair) int {
	return cmp.Or(
		cmp.Compare(len(a.Premise)+len(a.Hypothesis), len(b.Premise)+len(b.Hypothesis)),
		cmp.Compare(a.Premise, b.Premise),
		cmp.Compare(a.Hypothesis, b.Hypothesis))
}

// classify calls c and holds it to its contract.
func classify(ctx context.Context, c Classifier, pairs []Pair) ([]Scores, error) {
	scores, err := c.Classify(ctx, pairs)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(pairs) {
		return nil, fmt.Errorf("nli model %s: %d scores, expected one for each of %d pairs", c.Key(), len(scores), len(pairs))
	}
	for i, s := range scores {
		if !s.valid() {
			return nil, fmt.Errorf("nli model %s: premise %q, hypothesis %q: scores %v, expected probabilities that sum to 1",
				c.Key(), clip(pairs[i].Premise), clip(pairs[i].Hypothesis), s)
		}
	}
	return scores, nil
}

// valid reports whether s is a distribution, with room for float32 models.
func (s Scores) valid() bool {
	const tolerance = 1e-3
	for _, p := range [...]float64{s.Entailment, s.Neutral, s.Contradiction} {
		if !(p >= 0 && p <= 1+tolerance) { // false for NaN
			return false
		}
	}
	return math.Abs(s.Entailment+s.Neutral+s.Contradiction-1) <= tolerance
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
