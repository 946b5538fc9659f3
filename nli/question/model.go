// Package question tells whether a question to a database asks the same as its
// paraphrase: the factuality filter of Dr.Spider (section 3.2 and appendix A.3),
// which the paper leaves to BART-large trained on MultiNLI, as a small model that
// runs in process from embedded files.
//
//	scores, err := question.Default().Classify(ctx, []nli.Pair{{Premise: original, Hypothesis: paraphrase}})
//
// Entailment is the probability that both ask the same; 0.5 decides. Asking the
// same is symmetric, and so are the scores: unlike entailment proper, a question
// that asks for more is no paraphrase either. Contradiction is what speaks
// against it by other numbers, values or directions, Neutral by what is lost,
// added or of another kind.
//
// Both questions are read into words, numbers and operators (rules.txt), which
// are aligned by form and by the compact model of names; three small networks judge
// what stays open. Package tools/train/questions makes their weights from Spider's and
// Spider-Syn's training questions. The model knows nothing of the schema or the
// content, and it does not parse: who did what to whom is beyond it. It rejects
// other numbers, values, comparisons and directions almost always; another column
// or table of a like name, and one of several columns that is dropped, less often.
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

	"golang.org/x/sync/errgroup"

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
// It is made at the first call and shared.
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

// NewExtractor returns what makes features of questions, over the embedded
// lexicon, and the model of names in it.
func NewExtractor() (*questionpair.Extractor, nli.Classifier, error) {
	l := compact.Embedded()
	names, err := compact.New(l)
	if err != nil {
		return nil, nil, fmt.Errorf("model of names: %w", err)
	}
	return questionpair.New(questionpair.Lexicon{Vectors: l.Vectors, Contrasts: l.Contrasts, Names: names}), names, nil
}

// Key names the model: its weights, its rules and the model of names under it.
func (m *Model) Key() string { return m.key }

// chunk is the number of pairs that a worker takes at a time.
const chunk = 32

// Classify scores pairs of questions. The error is the context's.
func (m *Model) Classify(ctx context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	scores := make([]nli.Scores, len(pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for start := 0; start < len(pairs); start += chunk {
		end := min(start+chunk, len(pairs))
		g.Go(func() error {
			for i := start; i < end; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if i > start && pairs[i] == pairs[i-1].Swap() {
					scores[i] = scores[i-1] // which question comes first makes no difference, see [Inputs]
					continue
				}
				scores[i] = m.score(pairs[i])
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return scores, nil
}

// Of pairs that need no judgement.
var (
	identical = nli.Scores{Entailment: .99, Neutral: .005, Contradiction: .005}
	empty     = nli.Scores{Entailment: .01, Neutral: .98, Contradiction: .01}
)

func (m *Model) score(p nli.Pair) nli.Scores {
	a, b := m.extractor.Read(p.Premise), m.extractor.Read(p.Hypothesis)
	if len(a.Tokens) == 0 || len(b.Tokens) == 0 {
		return empty
	}
	if a.Text == b.Text {
		return identical
	}
	s := m.weights.Score(Inputs(m.extractor, m.weights, a, b))
	return nli.Scores{Entailment: s[Entailment], Neutral: s[Neutral], Contradiction: s[Contradiction]}
}

// Inputs returns what the networks read of a pair, in both orders. Which question
// comes first makes no difference: ties between alignments are broken by text.
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
