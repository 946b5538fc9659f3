// Package compact is a small NLI model for pairs of column names that runs in process from
// embedded files: does "home town" entail "city of birth"? It scores names by word vectors, a
// dictionary, contrasts, header statistics and the kinds of things that words name. It does
// not see cells, and it is no model of general English.
//
//	m, err := compact.New(compact.Embedded())
//	scores, err := m.Classify(ctx, []nli.Pair{{Entity: "dog", Premise: "name", Hypothesis: "title"}})
//
// [Model] implements nli.Classifier. Package tools/train/names makes the weights.
package compact

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

//go:embed weights.bin
var embedded []byte

// Model is the compact classifier.
type Model struct {
	key       func() string
	extractor *namepair.Extractor
	weights   *Weights
	workers   sync.Pool // of *worker
}

var _ nli.Classifier = (*Model)(nil)

// Lexicon holds the knowledge about words that the model gets at run time. Its weights file
// holds the rest.
type Lexicon struct {
	Vectors    lexicon.Vectors
	Dictionary lexicon.Dictionary
	Contrasts  *lexicon.Contrasts
	Domains    *lexicon.DomainWords
}

// Embedded returns the embedded lexicon, which the embedded weights were trained
// with.
func Embedded() Lexicon {
	return Lexicon{lexicon.Default(), lexicon.DefaultDictionary(), lexicon.DefaultContrasts(), lexicon.DefaultDomainWords()}
}

// New returns the model with the embedded weights.
func New(l Lexicon) (*Model, error) { return Load(embedded, l) }

// Open returns the model with the weights of a file that tools/train wrote.
func Open(path string, l Lexicon) (*Model, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxInflated:
		return nil, fmt.Errorf("%s: expected a file of weights of at most %d MiB", path, maxInflated>>20)
	}
	weights, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := Load(weights, l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Load returns the model with the weights of a weights file.
func Load(weights []byte, l Lexicon) (*Model, error) {
	w, err := DecodeWeights(weights)
	if err != nil {
		return nil, err
	}
	base, err := knowledge.New(w.Knowledge)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	return &Model{
		key:       sync.OnceValue(func() string { return fingerprint(weights, w.Knowledge.Counts, l) }),
		extractor: l.Extractor(base),
		weights:   w,
		workers:   sync.Pool{New: func() any { return &worker{inputs: make([]namepair.Input, chunk)} }},
	}, nil
}

// Extractor returns the extractor that computes the model's features of names.
func (m *Model) Extractor() *namepair.Extractor { return m.extractor }

// Extractor returns an extractor that computes features of names by l and base.
func (l Lexicon) Extractor(base *knowledge.Base) *namepair.Extractor {
	return &namepair.Extractor{Vectors: l.Vectors, Dictionary: l.Dictionary, Contrasts: l.Contrasts, Domains: l.Domains, Knowledge: base}
}

// Key identifies the model: its weights, and what its lexicon has for each word that the
// weights know. The first call computes it.
func (m *Model) Key() string { return m.key() }

// fingerprint returns the key of weights with a lexicon: a hash of the weights and of the vectors,
// synonyms, contrasts and domains that the lexicon has for the given words. Each kind has its own separator, a byte 0 to 3.
func fingerprint(weights []byte, words []knowledge.Count, l Lexicon) string {
	h := sha256.New()
	h.Write(weights)
	var vector []float32
	var buf []byte
	for _, w := range words {
		vector, _ = l.Vectors.Lookup(vector[:0], w.Word)
		buf = append(buf[:0], w.Word...)
		for _, x := range vector {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
		}
		for _, s := range l.Dictionary.Synonyms(w.Word) {
			buf = append(append(buf, 0), s...)
		}
		for _, m := range l.Contrasts.Memberships(w.Word) {
			buf = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(append(buf, 1), m.Set), m.Member)
		}
		for _, r := range lexicon.RestrictedSynonyms(l.Dictionary, w.Word) {
			buf = append(append(append(append(buf, 2), r.Term...), 0), r.Domain...)
		}
		buf = append(append(buf, 3), l.Domains.Domain(w.Word, nil)...)
		h.Write(append(buf, '\n'))
	}
	return "compact-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// chunk is the number of pairs that a worker takes at a time.
const chunk = 256

// Classify implements [nli.Classifier] for pairs of column names. It ignores their types. The
// only error is that of ctx.
func (m *Model) Classify(ctx context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	return nli.Chunked(ctx, pairs, chunk, runtime.GOMAXPROCS(0), func(_ context.Context, scores []nli.Scores, pairs []nli.Pair) error {
		m.classify(scores, pairs)
		return nil
	})
}

// worker holds the buffers for scoring a chunk of pairs, which later chunks reuse.
type worker struct {
	inputs   []namepair.Input
	batch    []*namepair.Input // the inputs that the networks score
	position []int             // by element of batch: its position in the chunk
	pass     net.Pass
	mean     [][net.Classes]float64
}

// classify sets the scores of a chunk of pairs. A name paired with itself gets fixed scores, without the networks; the other pairs are
// the batch of the networks, and w.position has their positions in the chunk.
func (m *Model) classify(scores []nli.Scores, pairs []nli.Pair) {
	w := m.workers.Get().(*worker)
	defer m.workers.Put(w)
	w.batch, w.position = w.batch[:0], w.position[:0]
	for i, p := range pairs {
		names := m.extractor.Names(namepair.Cut(p.Entity, p.Premise, p.Hypothesis))
		if names.A.Words() > 0 && namepair.Equal(names.A, names.B) {
			scores[i] = identical
			continue
		}
		in := &w.inputs[len(w.batch)]
		m.extractor.Pair(in, names)
		w.batch, w.position = append(w.batch, in), append(w.position, i)
	}
	w.mean = m.weights.LogProbabilities(w.mean, &w.pass, w.batch)
	for k, i := range w.position {
		scores[i] = m.calibrated(w.mean[k])
	}
}

// identical holds the scores of a name paired with itself.
var identical = nli.Scores{Entailment: .99, Neutral: .007, Contradiction: .003}

// calibrated returns the scores for mean log-probabilities of the networks: of entailment, neutral and contradiction, in this
// order. The entailment is calibrated ([Weights]); the rest is divided between the other classes as the networks do.
func (m *Model) calibrated(mean [net.Classes]float64) nli.Scores {
	entailment := 1 / (1 + math.Exp(-(m.weights.Scale*EntailmentLogit(mean) + m.weights.Bias)))
	neutral, contradiction := math.Exp(mean[1]), math.Exp(mean[2])
	rest := (1 - entailment) / (neutral + contradiction)
	return nli.Scores{Entailment: entailment, Neutral: rest * neutral, Contradiction: rest * contradiction}.Round()
}

// LogProbabilities returns for each input the mean, over the networks, of the logarithms of
// the class probabilities: entailment, neutral, contradiction. It reuses the memory of dst.
func (w *Weights) LogProbabilities(dst [][net.Classes]float64, pass *net.Pass, inputs []*namepair.Input) [][net.Classes]float64 {
	dst = slices.Grow(dst[:0], len(inputs))[:len(inputs)]
	clear(dst)
	for _, n := range w.Networks {
		for i, logits := range n.Forward(pass, inputs) {
			for c, x := range net.Probabilities(logits) {
				dst[i][c] += math.Log(max(x, 1e-9)) / float64(len(w.Networks)) // 1e-9 keeps the logarithm finite
			}
		}
	}
	return dst
}

// EntailmentLogit returns the logarithm of the odds of entailment. The log-probabilities are those of
// entailment, neutral and contradiction, in this order.
func EntailmentLogit(logProbabilities [net.Classes]float64) float64 {
	return logProbabilities[0] - math.Log(math.Exp(logProbabilities[1])+math.Exp(logProbabilities[2]))
}
