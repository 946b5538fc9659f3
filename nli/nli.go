// Package nli decides between semantic equivalency and semantic association:
// an NLI model scores a column name against a candidate in both directions
// (ADVETA, section 4.4), and a policy over the two entailments sorts the
// candidate into REPLACE, ADD or neither.
package nli

import "context"

// Pair is a premise and a hypothesis.
type Pair struct{ Premise, Hypothesis string }

// Scores are the three class probabilities of a pair; they sum to 1.
type Scores struct{ Entailment, Neutral, Contradiction float64 }

// Classifier scores pairs. The result has one element a pair, in order.
// Implementations are safe for concurrent use and deterministic: a pair's
// scores do not depend on the batch it came in.
type Classifier interface {
	Classify(ctx context.Context, pairs []Pair) ([]Scores, error)
	// Key identifies the model and its weights, for score caches.
	Key() string
}
