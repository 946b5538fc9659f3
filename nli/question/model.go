// Package question predicts whether a question to a database asks the same as its paraphrase:
// the factuality filter of Dr.Spider (section 3.2 and appendix A.3), as a small model that
// runs in process from embedded files. The paper uses BART-large trained on MultiNLI.
//
//	scores, err := question.Default().Classify(ctx, []nli.Pair{{Premise: original, Hypothesis: paraphrase}})
//
// Entailment is the probability that both ask the same; 0.5 decides. The scores are
// symmetric, unlike entailment proper: a question that asks for more is no paraphrase.
// Contradiction is the probability of other numbers, values or directions, Neutral that of
// words that are lost, added or of another kind.
//
// The model splits both questions into words, numbers and operators (rules.txt) and aligns
// them by form and by the compact model of names. Three small networks score what stays
// unaligned. Package tools/train/questions trains them on the training questions of Spider and
// Spider-Syn. The model does not see the schema or the content, and it does not parse: it
// does not see who did what to whom. It almost always rejects other numbers, values,
// comparisons and directions. Less often it rejects another column or table of a similar name,
// or the loss of one of several columns.
package question

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/learn/nli/questionpair"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
)

//go:embed weights.json.zst
var embedded []byte

// Model is the classifier of questions.
type Model struct {
	key       string
	weights   *Weights
	extractor *questionpair.Extractor
}

var _ nli.Classifier = (*Model)(nil)

// Default returns the model with the embedded weights over the embedded lexicon.
// The first call loads it; all callers share it.
var Default = sync.OnceValue(func() nli.Classifier {
	m, err := Load(embedded)
	if err != nil {
		panic("nli/question: embedded weights: " + err.Error()) // a broken build
	}
	return m
})

// Load returns the model with the weights of a weights file over the embedded
// lexicon.
func Load(weights []byte) (*Model, error) {
	w, err := DecodeWeights(weights)
	if err != nil {
		return nil, err
	}
	e, names, err := NewExtractor()
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(weights)
	h.Write([]byte(names.Key()))
	h.Write([]byte(questionpair.Rules()))
	return &Model{key: "question-" + hex.EncodeToString(h.Sum(nil)[:8]), weights: w, extractor: e}, nil
}

// NewExtractor returns an extractor that computes features of questions by the embedded
// lexicon, and the model of names that it uses.
func NewExtractor() (*questionpair.Extractor, nli.Classifier, error) {
	l := compact.Embedded()
	names, err := compact.New(l)
	if err != nil {
		return nil, nil, fmt.Errorf("model of names: %w", err)
	}
	return questionpair.New(questionpair.Lexicon{Vectors: l.Vectors, Contrasts: l.Contrasts, Names: names}), names, nil
}

// Key identifies the model: its weights, its rules and its model of names.
func (m *Model) Key() string { return m.key }

// chunk is the number of pairs that a worker takes at a time.
const chunk = 32

// Classify implements [nli.Classifier] for pairs of questions. The only error is that of ctx.
func (m *Model) Classify(ctx context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	return nli.Chunked(ctx, pairs, chunk, runtime.GOMAXPROCS(0), func(ctx context.Context, scores []nli.Scores, pairs []nli.Pair) error {
		for i, p := range pairs {
			if err := ctx.Err(); err != nil {
				return err
			}
			if i > 0 && p == pairs[i-1].Swap() { // [nli.Scorer.Score] asks for both orders
				scores[i] = scores[i-1] // the order of the questions makes no difference, see [Inputs]
				continue
			}
			scores[i] = m.score(p)
		}
		return nil
	})
}

// The scores of pairs that the networks need not score.
var (
	identical = nli.Scores{Entailment: .99, Neutral: .005, Contradiction: .005}
	empty     = nli.Scores{Entailment: .01, Neutral: .98, Contradiction: .01}
)

// score returns the scores of a pair of questions: fixed ones if a question has no words or both are equal, else those of the networks.
func (m *Model) score(p nli.Pair) nli.Scores {
	a, b := m.extractor.Read(p.Premise), m.extractor.Read(p.Hypothesis)
	if len(a.Tokens) == 0 || len(b.Tokens) == 0 {
		return empty
	}
	if a.Text == b.Text {
		return identical
	}
	s := m.weights.Score(Inputs(m.extractor, m.weights, a, b))
	return nli.Scores{Entailment: s[Entailment], Neutral: s[Neutral], Contradiction: s[Contradiction]}.Round()
}

// Inputs returns the networks' inputs for a pair, for both orders of the questions. It sorts the questions by text, so
// that (a, b) and (b, a) have the same inputs even where alignments tie.
func Inputs(e *questionpair.Extractor, w *Weights, a, b questionpair.Question) [2][]float64 {
	if strings.Compare(a.Text, b.Text) > 0 {
		a, b = b, a
	}
	f := e.Pair(&w.Table, a, b)
	orders := [2][]float64{f.Input(nil, false), f.Input(nil, true)}
	for _, input := range orders {
		w.Standard(input)
	}
	return orders
}
