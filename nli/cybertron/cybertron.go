// Package cybertron scores pairs with a BERT sequence classifier from a local
// folder, in process, by way of github.com/nlpodyssey/cybertron.
//
//	m, err := cybertron.Open("models/bert-base-mnli", cybertron.Options{})
//	scores, err := nli.Score(ctx, m, items)
//
// The folder is laid out as on the model hub: config.json, vocab.txt,
// tokenizer_config.json and the weights, as pytorch_model.bin (float32) or as
// spago_model.bin. [Open] reads nothing else, never writes and never goes to
// the network. What would be loaded wrongly is refused with the reason: another
// architecture, half-precision or missing tensors, labels that are not those of
// NLI, a vocabulary that does not fit. The folder is not trusted: no size that
// a file claims is allocated before the file is seen to be as large.
//
// Cybertron's arithmetic and word pieces are used as they are; its loader is
// not. It converts weights into the folder, skips half-precision tensors in
// silence, leaves the last row of the vocabulary empty and fixes the epsilon of
// layer normalization and the approximation of GELU. Here the weights are read
// into its model directly, the text is normalized as BERT's tokenizer does, and
// epsilon and GELU are what config.json says.
package cybertron

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/nlpodyssey/cybertron/pkg/models/bert"
	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/nli"
)

// Options tune a model. The zero value is ready to use.
type Options struct {
	// Workers is how many pairs are scored at once; 0 means GOMAXPROCS.
	Workers int
	// MaxTokens bounds a pair with its three special tokens; a longer one
	// loses tokens at the end of its longer side. 0, or more than the model has
	// positions, means all its positions.
	MaxTokens int
	// Labels overrides config.json's id2label, in the order of the logits, for
	// models that say only LABEL_0. nil takes what config.json says.
	Labels []string
}

// Model is a loaded classifier. It is safe for concurrent use.
type Model struct {
	key     string
	bert    *bert.ModelForSequenceClassification
	tokens  *tokenizer
	labels  []label
	workers int
}

var _ nli.Classifier = (*Model)(nil)

// Open loads the model in dir.
func Open(dir string, o Options) (*Model, error) {
	c, err := readConfig(dir, o.Labels)
	if err != nil {
		return nil, err
	}
	terms, err := readVocabulary(dir, c.VocabSize)
	if err != nil {
		return nil, err
	}
	tok, err := readTokenizer(dir, terms, c.room(o))
	if err != nil {
		return nil, err
	}
	weights, err := findWeights(dir)
	if err != nil {
		return nil, err
	}
	m, err := loadWeights(weights, c, terms)
	if err != nil {
		return nil, err
	}
	key, err := hashFiles(dir, weights, fmt.Sprint(tok.max, c.labels))
	if err != nil {
		return nil, err
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Model{key: key, bert: m, tokens: tok, labels: c.labels, workers: workers}, nil
}

// Key identifies the contents of the model's files and the options that change
// its scores.
func (m *Model) Key() string { return m.key }

// Classify scores pairs, each by itself: a pair's scores do not depend on the
// others. A model with two labels has all that is not entailment under Neutral.
func (m *Model) Classify(ctx context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	out := make([]nli.Scores, len(pairs))
	g, groupCtx := errgroup.WithContext(ctx)
	g.SetLimit(m.workers)
	for i, p := range pairs {
		g.Go(func() (err error) {
			if err := groupCtx.Err(); err != nil {
				return err
			}
			out[i], err = m.score(p)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Model) score(p nli.Pair) (nli.Scores, error) {
	logits := m.bert.Classify(m.tokens.pair(p)).Value().Data().F64()
	probabilities, err := softmax(logits)
	if err != nil {
		return nli.Scores{}, fmt.Errorf("nli model %s: %w", m.key, err)
	}
	var s nli.Scores
	for i, p := range probabilities {
		switch m.labels[i] {
		case entailment:
			s.Entailment = p
		case contradiction:
			s.Contradiction = p
		default:
			s.Neutral = p
		}
	}
	return s, nil
}

// softmax refuses logits that overflowed.
func softmax(logits []float64) ([]float64, error) {
	top := slices.Max(logits)
	out := make([]float64, len(logits))
	sum := 0.0
	for i, x := range logits {
		out[i] = math.Exp(x - top)
		sum += out[i]
	}
	if math.IsNaN(sum) || math.IsInf(top, 0) {
		return nil, fmt.Errorf("logits %v, expected finite numbers", logits)
	}
	for i := range out {
		out[i] /= sum
	}
	return out, nil
}
