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
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"sync"

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
	key       func() string
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
	base, err := knowledge.New(w.Knowledge)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	return &Model{
		key:       sync.OnceValue(func() string { return fingerprint(weights, w.Knowledge.Counts, v, d) }),
		extractor: &feature.Extractor{Vectors: v, Dictionary: d, Knowledge: base},
		weights:   w,
	}, nil
}

// Key names the model: its weights, and what the vectors and the dictionary say
// of the words that the weights know. It is computed at the first call.
func (m *Model) Key() string { return m.key() }

func fingerprint(weights []byte, words []knowledge.Count, v lexicon.Vectors, d lexicon.Dictionary) string {
	h := sha256.New()
	h.Write(weights)
	var vector []float32
	var buf []byte
	for _, w := range words {
		vector, _ = v.Lookup(vector[:0], w.Word)
		buf = append(buf[:0], w.Word...)
		for _, x := range vector {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
		}
		for _, s := range d.Synonyms(w.Word) {
			buf = append(append(buf, 0), s...)
		}
		h.Write(append(buf, '\n'))
	}
	return "compact-" + hex.EncodeToString(h.Sum(nil)[:8])
}

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
