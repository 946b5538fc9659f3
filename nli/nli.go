// Package nli decides between semantic equivalency and semantic association:
// an NLI model scores a column name against a candidate in both directions
// (ADVETA, section 4.4), and a policy over the two entailments sorts the
// candidate into REPLACE, ADD or neither.
package nli

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
)

// Pair is a premise and a hypothesis: names and types of two columns of a table about Entity,
// or two sentences, without entity and types.
type Pair struct {
	Entity                      string
	Premise, Hypothesis         string
	PremiseType, HypothesisType dataset.Type
}

// Swap returns the pair with premise and hypothesis exchanged.
func (p Pair) Swap() Pair {
	return Pair{p.Entity, p.Hypothesis, p.Premise, p.HypothesisType, p.PremiseType}
}

// Sentences returns premise and hypothesis as sentences, for models of text.
func (p Pair) Sentences() (premise, hypothesis string) {
	return Sentence(p.Entity, p.Premise, p.PremiseType), Sentence(p.Entity, p.Hypothesis, p.HypothesisType)
}

// Sentence returns a column in its context as ADVETA builds premises and hypotheses (section
// 4.4): the table's primary entity, the column's name and its type, such as "dog weight
// (number)". An empty entity or type is left out, and white space becomes single blanks.
func Sentence(entity, column string, t dataset.Type) string {
	words := append(strings.Fields(entity), strings.Fields(column)...)
	if t != "" {
		words = append(words, "("+string(t)+")")
	}
	return strings.Join(words, " ")
}

// Scores are the probabilities of the three classes of a pair. They sum to 1.
type Scores struct{ Entailment, Neutral, Contradiction float64 }

// Round returns the scores with four digits, which is what a [Classifier] returns.
func (s Scores) Round() Scores {
	return Scores{decimal.Round(s.Entailment), decimal.Round(s.Neutral), decimal.Round(s.Contradiction)}
}

// Classifier scores pairs. The result has one element for each pair, in order. Implementations
// are safe for concurrent use and deterministic: the scores of a pair have four digits and do not
// depend on its batch.
type Classifier interface {
	Classify(ctx context.Context, pairs []Pair) ([]Scores, error)
	// Key identifies the model and its weights, for score caches.
	Key() string
}
