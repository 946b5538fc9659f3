package nli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// DefaultBatch is the number of pairs that a [Scorer] hands to its classifier at once.
const DefaultBatch = 256

// Entailments are the entailment probabilities of a pair: Forward is the
// paper's e1, with the target as the premise, and Backward its e2.
type Entailments struct{ Forward, Backward float64 }

// Judgment holds the three-way scores of a pair in both directions.
type Judgment struct{ Forward, Backward Scores }

// Entailments returns the entailments of both directions, which a [Policy] decides by.
func (j Judgment) Entailments() Entailments {
	return Entailments{Forward: j.Forward.Entailment, Backward: j.Backward.Entailment}
}

// Scorer scores pairs with a classifier.
type Scorer struct {
	Classifier Classifier
	Batch      int // pairs a call; 0 means DefaultBatch
}

// Score scores pairs with c, see [Scorer.Score].
func Score(ctx context.Context, c Classifier, pairs []Pair) ([]Judgment, error) {
	return Scorer{Classifier: c}.Score(ctx, pairs)
}

// Score scores pairs in both directions. The result has one element for each pair, in order.
// A pair that occurs twice is scored once. Pairs of similar length share a batch, which saves
// padding in models that pad. Between batches it returns the error of a ctx that is done. [Scorer.Pairs] does all that.
func (s Scorer) Score(ctx context.Context, pairs []Pair) ([]Judgment, error) {
	both := make([]Pair, 0, 2*len(pairs))
	for _, p := range pairs {
		both = append(both, p, p.Swap())
	}
	scores, err := s.Pairs(ctx, both)
	if err != nil {
		return nil, err
	}
	judgments := make([]Judgment, len(pairs))
	for i := range judgments {
		judgments[i] = Judgment{Forward: scores[2*i], Backward: scores[2*i+1]}
	}
	return judgments, nil
}

// Pairs scores pairs as [Scorer.Score] does, but only in the direction that they have.
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
	return lists.Map(pairs, func(p Pair) Scores { return scored[p] }), nil
}

// comparePairs orders pairs by length first, so that those of a batch have similar lengths.
func comparePairs(a, b Pair) int {
	return cmp.Or(
		cmp.Compare(a.length(), b.length()),
		cmp.Compare(a.Entity, b.Entity),
		cmp.Compare(a.Premise, b.Premise),
		cmp.Compare(a.Hypothesis, b.Hypothesis),
		cmp.Compare(a.PremiseType, b.PremiseType),
		cmp.Compare(a.HypothesisType, b.HypothesisType))
}

// length returns about the bytes of both sentences of a pair. The entity is in both.
func (p Pair) length() int {
	return 2*len(p.Entity) + len(p.Premise) + len(p.Hypothesis) + len(p.PremiseType) + len(p.HypothesisType)
}

// Chunked scores pairs in chunks of size pairs, up to workers chunks concurrently, and returns the
// scores in order. score sets the scores of a chunk of pairs. After an error, or once ctx is done, no
// further chunk begins.
func Chunked(ctx context.Context, pairs []Pair, size, workers int, score func(context.Context, []Scores, []Pair) error) ([]Scores, error) {
	scores := make([]Scores, len(pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for start := 0; start < len(pairs); start += size {
		end := min(start+size, len(pairs))
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return score(ctx, scores[start:end], pairs[start:end])
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return scores, nil
}

// classify returns c's scores of pairs, or an error unless c returns valid scores for each pair.
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

// valid reports whether s is a probability distribution, up to the rounding of float32.
func (s Scores) valid() bool {
	const tolerance = 1e-3
	for _, p := range [...]float64{s.Entailment, s.Neutral, s.Contradiction} {
		if !(p >= 0 && p <= 1+tolerance) { // false for NaN
			return false
		}
	}
	return math.Abs(s.Entailment+s.Neutral+s.Contradiction-1) <= tolerance
}

// clip cuts a text to 80 bytes and an ellipsis, for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
