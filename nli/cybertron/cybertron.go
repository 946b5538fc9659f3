// Package cybertron scores pairs with a BERT or RoBERTa sequence classifier from a local folder, in
// process, by the library github.com/nlpodyssey/cybertron.
//
//	m, err := cybertron.Open("models/roberta-large-mnli", cybertron.Options{})
//	scores, err := nli.Score(ctx, m, items)
//
// The folder has the files of the model hub: config.json; vocab.txt and tokenizer_config.json for BERT,
// vocab.json and merges.txt, or tokenizer.json, for RoBERTa; and the weights, as model.safetensors or
// pytorch_model.bin (float32, float16 or bfloat16), for BERT also as spago_model.bin. [Open] reads
// nothing else, never writes and never uses the network. It rejects a folder that it would load
// wrongly, with the reason: another architecture, missing tensors, labels other than NLI's, a
// vocabulary of another size. The folder is not trusted: no size that a file states is allocated
// before the file is known to be as large, and a pickle is read as data.
//
// The package uses cybertron's arithmetic and word pieces, but not its loader. That loader
// writes converted weights into the folder, skips half-precision tensors without an error,
// leaves the last row of the vocabulary empty, and fixes the epsilon of layer normalization
// and the approximation of GELU. This package reads the weights into cybertron's model
// directly, normalizes text as BERT's tokenizer does, and takes epsilon and GELU from
// config.json. It treats RoBERTa as a BERT with other names of tensors, without the first positions,
// and with byte pairs as tokens.
package cybertron

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/nlpodyssey/cybertron/pkg/models/bert"

	"github.com/tabperturb/tabperturb/nli"
)

// Options tune a model. The zero value is ready to use.
type Options struct {
	// Workers is the number of pairs that are scored concurrently; 0 means GOMAXPROCS.
	Workers int
	// MaxTokens bounds the tokens of a pair, its three special ones included. A longer
	// pair loses tokens at the end of its longer side. 0, or more than the model has
	// positions, means all positions.
	MaxTokens int
	// Labels overrides config.json's id2label, in the order of the logits, for models that
	// name their labels LABEL_0 and so on. nil means id2label.
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
	tok, terms, err := readTokenizer(dir, c, o)
	if err != nil {
		return nil, err
	}
	weights, err := findWeights(dir, c.family.weights...)
	if err != nil {
		return nil, err
	}
	m, err := loadWeights(weights, classifierSlots(c), terms, func() *classifier { return newModel(c, terms) })
	if err != nil {
		return nil, err
	}
	key, err := hashFiles(dir, fmt.Sprint(tok.max, c.labels), tok.files, weights)
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

// Classify implements [nli.Classifier]. A model with two labels reports the probability of
// its other label as Neutral.
func (m *Model) Classify(ctx context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	return nli.Chunked(ctx, pairs, 1, m.workers, func(_ context.Context, scores []nli.Scores, pairs []nli.Pair) (err error) {
		scores[0], err = m.score(pairs[0])
		return err
	})
}

// score returns the scores of a pair, each class by its label in config.json.
func (m *Model) score(p nli.Pair) (nli.Scores, error) {
	logits := m.bert.Classify(m.tokens.pairTokens(p)).Value().Data().F64()
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
		default: // neutral, or not_entailment of a model with two classes
			s.Neutral = p
		}
	}
	return s.Round(), nil
}

// softmax returns the probabilities of logits, or an error if the logits overflowed.
func softmax(logits []float64) ([]float64, error) {
	top := slices.Max(logits)
	out := make([]float64, len(logits))
	sum := 0.0
	for i, x := range logits {
		out[i] = math.Exp(x - top) // at most 1, whatever the size of the logits
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
