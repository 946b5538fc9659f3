package cybertron

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nlpodyssey/cybertron/pkg/tokenizers/wordpiecetokenizer"
)

// The files of a model's folder.
const (
	configFile      = "config.json"
	vocabFile       = "vocab.txt"
	tokenizerFile   = "tokenizer_config.json"
	torchFile       = "pytorch_model.bin"
	spagoFile       = "spago_model.bin"
	safetensorsFile = "model.safetensors"
)

// Bounds of what is read or allocated for an untrusted folder.
const (
	maxTextFile   = 16 << 20
	maxVocab      = 1 << 20
	maxLayers     = 128
	maxWidth      = 1 << 15
	maxPositions  = 1 << 16
	maxParameters = 1 << 31 // 8 GiB of float32
)

// config holds the fields of config.json that the computation depends on.
type config struct {
	Architectures    []string          `json:"architectures"`
	ModelType        string            `json:"model_type"`
	HiddenAct        string            `json:"hidden_act"`
	HiddenSize       int               `json:"hidden_size"`
	IntermediateSize int               `json:"intermediate_size"`
	LayerNormEps     float64           `json:"layer_norm_eps"`
	MaxPositions     int               `json:"max_position_embeddings"`
	Heads            int               `json:"num_attention_heads"`
	Layers           int               `json:"num_hidden_layers"`
	PositionType     string            `json:"position_embedding_type"`
	Tied             bool              `json:"tie_word_embeddings"` // masked words are scored by the embeddings
	TypeVocabSize    int               `json:"type_vocab_size"`
	VocabSize        int               `json:"vocab_size"`
	ID2Label         map[string]string `json:"id2label"`

	labels []label
}

// label is a class of NLI.
type label string

const (
	entailment    label = "entailment"
	neutral       label = "neutral"
	contradiction label = "contradiction"
	notEntailment label = "not entailment"
)

// readConfig reads and checks config.json of a classifier. If names is not nil, it replaces
// the file's labels.
func readConfig(dir string, names []string) (*config, error) {
	c, err := readArchitecture(dir, "BertForSequenceClassification")
	if err != nil {
		return nil, err
	}
	if names == nil {
		names, err = labelNames(c.ID2Label)
	}
	if err == nil {
		c.labels, err = parseLabels(names)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, configFile), err)
	}
	return c, nil
}

// readArchitecture reads config.json and checks everything except the labels.
func readArchitecture(dir, architecture string) (*config, error) {
	path := filepath.Join(dir, configFile)
	data, err := readBounded(path, maxTextFile)
	if err != nil {
		return nil, err
	}
	c := &config{LayerNormEps: 1e-12, HiddenAct: "gelu", Tied: true} // BERT's defaults
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := c.check(architecture); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// check returns an error if a field is not one of the architecture or out of its bounds.
func (c *config) check(architecture string) error {
	if c.ModelType != "bert" {
		return fmt.Errorf("model_type is %q, expected \"bert\", the only supported one", c.ModelType)
	}
	if !slices.Equal(c.Architectures, []string{architecture}) {
		return fmt.Errorf("architectures are %q, expected [%q]", c.Architectures, architecture)
	}
	if c.PositionType != "" && c.PositionType != "absolute" {
		return fmt.Errorf("position_embedding_type is %q, expected \"absolute\"", c.PositionType)
	}
	if _, ok := activations[c.HiddenAct]; !ok {
		return fmt.Errorf("hidden_act is %q, expected gelu, gelu_new, gelu_pytorch_tanh or relu", c.HiddenAct)
	}
	if !(c.LayerNormEps > 0 && c.LayerNormEps < 1) {
		return fmt.Errorf("layer_norm_eps is %g, expected a number between 0 and 1", c.LayerNormEps)
	}
	for _, f := range []struct {
		name            string
		value, min, max int
	}{
		{"hidden_size", c.HiddenSize, 1, maxWidth},
		{"intermediate_size", c.IntermediateSize, 1, maxWidth},
		{"max_position_embeddings", c.MaxPositions, minTokens, maxPositions},
		{"num_attention_heads", c.Heads, 1, maxWidth},
		{"num_hidden_layers", c.Layers, 1, maxLayers},
		{"type_vocab_size", c.TypeVocabSize, 2, 16},
		{"vocab_size", c.VocabSize, 1, maxVocab},
	} {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("%s is %d, expected %d to %d", f.name, f.value, f.min, f.max)
		}
	}
	if c.HiddenSize%c.Heads != 0 {
		return fmt.Errorf("hidden_size is %d, expected a multiple of the %d heads", c.HiddenSize, c.Heads)
	}
	return nil
}

// labelNames returns the labels of id2label in the order of the logits.
func labelNames(m map[string]string) ([]string, error) {
	names := make([]string, len(m))
	for i := range names {
		name, ok := m[strconv.Itoa(i)]
		if !ok {
			return nil, fmt.Errorf("id2label has %d entries and none for %d, expected 0 to %d", len(m), i, len(m)-1)
		}
		names[i] = name
	}
	return names, nil
}

// parseLabels parses the names of the classes of NLI in their usual spellings. It returns an
// error if they are not all classes of a model, each once.
func parseLabels(names []string) ([]label, error) {
	if len(names) != 2 && len(names) != 3 {
		return nil, fmt.Errorf("%d labels %q, expected 2 or 3", len(names), names)
	}
	labels := make([]label, len(names))
	for i, name := range names {
		folded := strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(strings.TrimSpace(name)))
		switch folded {
		case "entailment", "entails":
			labels[i] = entailment
		case "neutral":
			labels[i] = neutral
		case "contradiction", "contradicts":
			labels[i] = contradiction
		case "not entailment", "non entailment":
			labels[i] = notEntailment
		default:
			return nil, fmt.Errorf("label %d is %q, expected entailment, neutral or contradiction (or entailment and not_entailment); Options.Labels can name them", i, name)
		}
	}
	want := []label{contradiction, entailment, neutral}
	if len(names) == 2 {
		want = []label{entailment, notEntailment}
	}
	if !slices.Equal(slices.Sorted(slices.Values(labels)), want) {
		return nil, fmt.Errorf("labels are %q, expected each of %q once", names, want)
	}
	return labels, nil
}

// readVocabulary reads the word pieces, one a line. It rejects duplicates, which would shift
// all later rows.
func readVocabulary(dir string, size int) ([]string, error) {
	path := filepath.Join(dir, vocabFile)
	data, err := readBounded(path, maxTextFile)
	if err != nil {
		return nil, err
	}
	terms := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(terms) != size {
		return nil, fmt.Errorf("%s: %d entries, expected config.json's vocab_size of %d", path, len(terms), size)
	}
	seen := make(map[string]int, len(terms))
	for i, t := range terms {
		t = strings.TrimSuffix(t, "\r")
		if first, ok := seen[t]; ok {
			return nil, fmt.Errorf("%s:%d: %q is also on line %d, expected each entry once", path, i+1, t, first)
		}
		seen[t], terms[i] = i+1, t
	}
	for _, special := range []string{
		wordpiecetokenizer.DefaultClassToken,
		wordpiecetokenizer.DefaultSequenceSeparator,
		wordpiecetokenizer.DefaultUnknownToken,
	} {
		if seen[special] == 0 {
			return nil, fmt.Errorf("%s: lacks %s, expected BERT's special tokens", path, special)
		}
	}
	return terms, nil
}

// findWeights returns the path of the weights. It prefers pytorch_model.bin, as cybertron's
// conversion of it may lack rows. It ignores an empty file, which an interrupted download
// leaves.
func findWeights(dir string) (string, error) {
	for _, name := range []string{torchFile, spagoFile} {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("%s: expected a regular file", path)
		case info.Size() > 0:
			return path, nil
		}
	}
	expected := fmt.Sprintf("expected %s (float32) or %s", torchFile, spagoFile)
	if _, err := os.Stat(filepath.Join(dir, safetensorsFile)); err == nil {
		return "", fmt.Errorf("%s: the weights are only there as %s, %s", dir, safetensorsFile, expected)
	}
	if _, err := os.Stat(filepath.Join(dir, torchFile)); err == nil {
		return "", fmt.Errorf("%s: %s is empty, %s", dir, torchFile, expected)
	}
	return "", fmt.Errorf("%s: no weights, %s", dir, expected)
}

// readBounded reads a file of at most max bytes.
func readBounded(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%s: more than %d bytes, expected a small text file", path, max)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// hashFiles returns a model's key: a hash of its files and options.
func hashFiles(dir, weights, options string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", options)
	for _, path := range []string{filepath.Join(dir, configFile), filepath.Join(dir, vocabFile), filepath.Join(dir, tokenizerFile), weights} {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(h, "%s %x\n", filepath.Base(path), sum.Sum(nil))
	}
	return "cybertron-" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}
