// Package compact is a small NLI model for pairs of column names that runs in
// process from embedded files: does "home town" entail "city of birth"? It reads
// the sentences of the paper's template ([Columns]) and judges the names by word
// vectors, a dictionary, header statistics and a taxonomy of words; it knows
// nothing of cells. It is no model of general English.
//
//	m, err := compact.New(vectors, dictionary)
//	scores, err := m.Classify(ctx, []nli.Pair{{Premise: "dog name (text)", Hypothesis: "dog title (text)"}})
//
// [Model] implements nli.Classifier. Package train makes the weights.
package compact

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
	"github.com/tabperturb/tabperturb/nli/compact/internal/knowledge"
	"github.com/tabperturb/tabperturb/nli/compact/internal/net"
)

//go:embed weights.bin
var embedded []byte

// Model is the compact classifier.
type Model struct {
	key       string
	extractor *feature.Extractor
	weights   *Weights
}

var _ nli.Classifier = (*Model)(nil)

// New returns the model with the embedded weights. The vectors and dictionary
// should be those it was trained with: the embedded ones.
func New(v lexicon.Vectors, d lexicon.Dictionary) (*Model, error) {
	return Load(embedded, v, d)
}

// Load returns the model with the weights of a weights file.
func Load(weights []byte, v lexicon.Vectors, d lexicon.Dictionary) (*Model, error) {
	w, err := DecodeWeights(weights)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(weights)
	return w.Model("compact-"+hex.EncodeToString(sum[:8]), v, d)
}

// Model returns the model with weights w under the given key.
func (w *Weights) Model(key string, v lexicon.Vectors, d lexicon.Dictionary) (*Model, error) {
	base, err := knowledge.New(w.Knowledge)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	e := &feature.Extractor{Vectors: v, Dictionary: d, Knowledge: base}
	return &Model{key: key, extractor: e, weights: w}, nil
}

// Key names the model and its weights.
func (m *Model) Key() string { return m.key }

// chunk is the number of pairs that a worker takes at a time.
const chunk = 512

// Classify scores pairs of sentences "{entity} {column} ({type})". The error is
// the context's.
func (m *Model) Classify(ctx context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	scores := make([]nli.Scores, len(pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for start := 0; start < len(pairs); start += chunk {
		end := min(start+chunk, len(pairs))
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			m.classify(scores[start:end], pairs[start:end])
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return scores, nil
}

func (m *Model) classify(scores []nli.Scores, pairs []nli.Pair) {
	var in feature.Input
	var pass net.Pass
	for i, p := range pairs {
		premise, hypothesis := Columns(p.Premise, p.Hypothesis)
		a, b := m.extractor.Name(premise), m.extractor.Name(hypothesis)
		if a.Words() > 0 && feature.Equal(a, b) {
			scores[i] = identical
			continue
		}
		m.extractor.Pair(&in, a, b)
		scores[i] = m.score(&pass, &in)
	}
}

// identical are the scores of a name against itself.
var identical = nli.Scores{Entailment: .99, Neutral: .007, Contradiction: .003}

// score averages the networks' log-probabilities and calibrates.
func (m *Model) score(pass *net.Pass, in *feature.Input) nli.Scores {
	mean := m.weights.LogProbabilities(pass, in)
	entailment := 1 / (1 + math.Exp(-(m.weights.Scale*EntailmentLogit(mean) + m.weights.Bias)))
	n, c := math.Exp(mean[1]), math.Exp(mean[2])
	rest := (1 - entailment) / (n + c)
	return nli.Scores{Entailment: entailment, Neutral: rest * n, Contradiction: rest * c}
}

// LogProbabilities is the mean over the networks of the logarithms of the class
// probabilities: entailment, neutral, contradiction.
func (w *Weights) LogProbabilities(pass *net.Pass, in *feature.Input) [net.Classes]float64 {
	var mean [net.Classes]float64
	for _, n := range w.Networks {
		for c, x := range net.Probabilities(n.Forward(pass, in)) {
			mean[c] += math.Log(max(x, 1e-9)) / float64(len(w.Networks))
		}
	}
	return mean
}

// EntailmentLogit is the logarithm of the odds of entailment.
func EntailmentLogit(logProbabilities [net.Classes]float64) float64 {
	return logProbabilities[0] - math.Log(math.Exp(logProbabilities[1])+math.Exp(logProbabilities[2]))
}
