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
)

// The files of a model's folder.
const (
	configFile      = "config.json"
	vocabFile       = "vocab.txt"
	tokenizerFile   = "tokenizer_config.json"
	piecesFile      = "vocab.json"
	mergesFile      = "merges.txt"
	bpeFile         = "tokenizer.json"
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
	Padding          int               `json:"pad_token_id"`
	Heads            int               `json:"num_attention_heads"`
	Layers           int               `json:"num_hidden_layers"`
	PositionType     string            `json:"position_embedding_type"`
	Tied             bool              `json:"tie_word_embeddings"` // masked words are scored by the embeddings
	TypeVocabSize    int               `json:"type_vocab_size"`
	VocabSize        int               `json:"vocab_size"`
	ID2Label         map[string]string `json:"id2label"`
	Label2ID         json.RawMessage   `json:"label2id"` // read if id2label is missing

	family *family
	labels []label
}

// family holds what differs between BERT and RoBERTa in the names and sizes of tensors.
type family struct {
	classifier string // the architecture of its sequence classifiers
	masked     string // and of its masked language models, "" if they are not supported
	encoder    string // the prefix of the tensors of embeddings and layers
	dense, out string // the two linear layers of a classifier's head, with tanh between them
	segments   int    // least type_vocab_size
	padded     bool   // the first position used is pad_token_id + 1
	weights    []string
}

// families maps model_type of config.json to its family.
var families = map[string]*family{
	"bert": {
		classifier: "BertForSequenceClassification", masked: "BertForMaskedLM", encoder: "bert", dense: "bert.pooler.dense", out: "classifier",
		segments: 2, weights: []string{safetensorsFile, torchFile, spagoFile},
	},
	"roberta": {
		classifier: "RobertaForSequenceClassification", encoder: "roberta", dense: "classifier.dense", out: "classifier.out_proj",
		segments: 1, padded: true, weights: []string{safetensorsFile, torchFile},
	},
}

// unusedPositions returns the number of first positions that the family does not use: in RoBERTa those up to pad_token_id, else 0.
func (c *config) unusedPositions() int {
	if c.family.padded {
		return c.Padding + 1
	}
	return 0
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
	c, err := readArchitecture(dir, func(f *family) string { return f.classifier })
	if err != nil {
		return nil, err
	}
	if names == nil {
		names, err = c.labelNames()
	}
	if err == nil {
		c.labels, err = parseLabels(names)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, configFile), err)
	}
	return c, nil
}

// readArchitecture reads config.json and checks everything except the labels. architecture returns the name that a family
// gives the wanted architecture, such as a sequence classifier, or "" if the family does not support it.
func readArchitecture(dir string, architecture func(*family) string) (*config, error) {
	path := filepath.Join(dir, configFile)
	c := &config{LayerNormEps: 1e-12, HiddenAct: "gelu", Padding: 1, Tied: true} // the families' defaults
	if err := readJSON(path, c); err != nil {
		return nil, err
	}
	if err := c.check(architecture); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// check sets the family, and returns an error if a field does not fit the architecture (see [readArchitecture]) or is out of
// its bounds.
func (c *config) check(architecture func(*family) string) error {
	if err := c.checkFamily(architecture); err != nil {
		return err
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
		{"pad_token_id", c.Padding, 0, maxPositions},
		{"max_position_embeddings", c.MaxPositions, c.unusedPositions() + 1, maxPositions},
		{"num_attention_heads", c.Heads, 1, maxWidth},
		{"num_hidden_layers", c.Layers, 1, maxLayers},
		{"type_vocab_size", c.TypeVocabSize, c.family.segments, 16},
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

// checkFamily sets the family of model_type. It returns an error if no family has that type and the architecture, or if
// config.json states another architecture.
func (c *config) checkFamily(architecture func(*family) string) error {
	var types []string
	for name, f := range families {
		if architecture(f) != "" {
			types = append(types, strconv.Quote(name))
		}
	}
	slices.Sort(types)
	c.family = families[c.ModelType]
	if c.family == nil || architecture(c.family) == "" {
		return fmt.Errorf("model_type is %q, expected %s", c.ModelType, strings.Join(types, " or "))
	}
	if want := architecture(c.family); !slices.Equal(c.Architectures, []string{want}) {
		return fmt.Errorf("architectures are %q, expected [%q]", c.Architectures, want)
	}
	return nil
}

// labelNames returns the labels of id2label, or of label2id if that is missing, in the order of the logits.
func (c *config) labelNames() ([]string, error) {
	m := c.ID2Label
	if len(m) == 0 && c.Label2ID != nil {
		var ids map[string]int
		if err := json.Unmarshal(c.Label2ID, &ids); err != nil {
			return nil, fmt.Errorf("label2id: %w", err)
		}
		m = make(map[string]string, len(ids))
		for name, id := range ids {
			m[strconv.Itoa(id)] = name
		}
	}
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
			return nil, fmt.Errorf("label %d is %q, expected entailment, neutral or contradiction (or entailment and not_entailment); id2label of config.json names them", i, name)
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

// findWeights returns the path of the first of the named files of weights that the folder has. It
// ignores an empty file, which an interrupted download leaves.
func findWeights(dir string, names ...string) (string, error) {
	expected := "expected " + strings.Join(names, " or ")
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the next name
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("%s: expected a regular file", path)
		case info.Size() > 0:
			return path, nil
		default:
			expected = fmt.Sprintf("%s is empty, %s", name, expected)
		}
	}
	return "", fmt.Errorf("%s: no weights, %s", dir, expected)
}

// readJSON reads a small file of JSON.
func readJSON(path string, v any) error {
	data, err := readBounded(path, maxTextFile)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readBounded reads a file of at most max bytes. It drops a byte order mark.
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

// hashFiles returns a model's key: a hash of config.json, the tokenizer's files, the weights and the options.
func hashFiles(dir, options string, texts []string, weights string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", options)
	for _, name := range slices.Concat([]string{configFile}, texts, []string{filepath.Base(weights)}) {
		path := filepath.Join(dir, name)
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(h, "%s %x\n", name, sum.Sum(nil))
	}
	return "cybertron-" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}
