package cybertron

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nlpodyssey/cybertron/pkg/models/bert"
	"github.com/nlpodyssey/cybertron/pkg/tokenizers/wordpiecetokenizer"
	"github.com/nlpodyssey/spago/mat"
	"github.com/nlpodyssey/spago/nn"
	"github.com/nlpodyssey/spago/nn/embedding"
	"github.com/nlpodyssey/spago/nn/linear"
	"github.com/nlpodyssey/spago/nn/normalization/layernorm"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// maskToken marks the word to predict.
const maskToken = wordpiecetokenizer.DefaultMaskToken

// Masked is a loaded masked language model. It is safe for concurrent use.
type Masked struct {
	key    string
	base   *bert.Model
	dense  *linear.Model
	act    nn.StandardModel
	norm   *layernorm.Model
	rows   *embedding.Model // a row for each word piece; the embeddings if they are tied
	bias   *nn.Param        // a number for each word piece
	terms  []string         // the word pieces
	tokens *tokenizer
}

var _ perturb.Masked = (*Masked)(nil)

// OpenMasked loads the masked language model (BertForMaskedLM) in dir, whose weights must be
// in model.safetensors or pytorch_model.bin. Of the options it uses only MaxTokens, the most tokens of a text, [CLS] and [SEP]
// included.
func OpenMasked(dir string, o Options) (*Masked, error) {
	c, err := readArchitecture(dir, func(f *family) string { return f.masked })
	if err != nil {
		return nil, err
	}
	tok, terms, err := readTokenizer(dir, c, o)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(terms, maskToken) {
		return nil, fmt.Errorf("%s: lacks %s, expected BERT's special tokens", filepath.Join(dir, vocabFile), maskToken)
	}
	path, err := findWeights(dir, safetensorsFile, torchFile)
	if err != nil {
		return nil, err
	}
	m := &Masked{terms: terms, tokens: tok, act: activations[c.HiddenAct]}
	if err := m.load(path, c); err != nil {
		return nil, err
	}
	m.key, err = hashFiles(dir, fmt.Sprint("masked ", tok.max), tok.files, path)
	return m, err
}

// load allocates the parts of the model and fills them with the weights of the checkpoint at path.
func (m *Masked) load(path string, c *config) error {
	_, err := loadWeights(path, append(encoderSlots(c), m.headSlots(c)...), m.terms, func() *classifier { return m.allocate(c) })
	return err
}

// allocate makes the parts of the model, whose weights are 0, and returns its encoder as a classifier
// without a head.
func (m *Masked) allocate(c *config) *classifier {
	m.base = newBase(c, m.terms)
	m.dense = linear.New[float32](c.HiddenSize, c.HiddenSize)
	m.norm = layernorm.New[float32](c.HiddenSize, c.LayerNormEps)
	m.bias = nn.NewParam(mat.NewDense[float32](mat.WithShape(c.VocabSize)))
	m.rows = m.base.Embeddings.Tokens
	if !c.Tied {
		m.rows = embedding.New[float32](c.VocabSize, c.HiddenSize)
	}
	for _, part := range []nn.Model{m.base, m.dense, m.norm} {
		nn.ForEachParam(part, func(p *nn.Param) { p.SetRequiresGrad(false) })
	}
	return &classifier{Bert: m.base}
}

// headSlots lists the tensors of the model's head. If the output rows are tied to the embeddings of the encoder, it
// leaves out the copy of them that a checkpoint may have. The slots ignore the classifier that they get, as the
// parameters of the head are in m.
func (m *Masked) headSlots(c *config) []slot {
	h := c.HiddenSize
	slots := linearSlots("cls.predictions.transform.dense", h, h, func(*classifier) []*linear.Model { return []*linear.Model{m.dense} })
	slots = append(slots, normSlots("cls.predictions.transform.LayerNorm", h, func(*classifier) *layernorm.Model { return m.norm })...)
	slots = append(slots, slot{name: "cls.predictions.bias", rows: c.VocabSize, params: func(*classifier) []*nn.Param { return []*nn.Param{m.bias} }})
	if !c.Tied {
		slots = append(slots, embeddingSlot("cls.predictions.decoder.weight", c.VocabSize, h, 0, func(*classifier) *embedding.Model { return m.rows }))
	}
	return slots
}

// Key identifies the contents of the model's files and the options that change its
// predictions.
func (m *Masked) Key() string { return m.key }

// Fill returns up to k words for the one [MASK] of text, the most probable first, ties in the
// order of the vocabulary. It leaves out parts of words and special tokens, so that the
// probabilities, which are those among all word pieces, sum to less than 1.
func (m *Masked) Fill(ctx context.Context, text string, k int) ([]perturb.Word, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	before, after, ok := strings.Cut(text, maskToken)
	if !ok || strings.Contains(after, maskToken) {
		return nil, fmt.Errorf("text %q: expected %s once", text[:min(len(text), 100)], maskToken)
	}
	tokens, mask := m.tokens.maskedTokens(before, after)
	probabilities, err := softmax(m.logits(tokens, mask))
	if err != nil {
		return nil, fmt.Errorf("masked model %s: %w", m.key, err)
	}
	var words []perturb.Word
	for i, term := range m.terms {
		if isWord(term) {
			words = append(words, perturb.Word{Text: term, Probability: probabilities[i]})
		}
	}
	slices.SortStableFunc(words, func(a, b perturb.Word) int { return cmp.Compare(b.Probability, a.Probability) })
	return slices.Clip(words[:min(max(k, 0), len(words))]), nil
}

// isWord reports whether a word piece is a whole word or number: not "##ing", "[SEP]" or ",".
func isWord(piece string) bool {
	return !strings.HasPrefix(piece, "##") && !strings.HasPrefix(piece, "[") &&
		strings.ContainsFunc(piece, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// logits returns the score of every word piece for the token at a position: the encoder's output
// goes through the head's layer and is compared with the row of each word piece.
func (m *Masked) logits(tokens []string, position int) []float64 {
	x := m.base.EncodeTokens(tokens)[position]
	x = m.norm.Forward(m.act.Forward(m.dense.Forward(x)...)...)[0]
	hidden := x.Value().Data().F32()
	out := make([]float64, len(m.terms))
	for i, b := range m.bias.Value().Data().F32() {
		out[i] = float64(b) + float64(lexicon.Dot(m.rows.Weights[i].Value().Data().F32(), hidden))
	}
	return out
}

// maskedTokens returns the tokens "[CLS] before [MASK] after [SEP]" and the position of [MASK]. A
// text that is too long loses the tokens farthest from [MASK] on the longer side, and those
// after it if both sides are equally long.
func (t *tokenizer) maskedTokens(before, after string) (tokens []string, mask int) {
	left, right := t.split(before[max(0, len(before)-maxText):]), t.split(cut(after))
	for len(left)+len(right) > t.max-3 { // start, mask and end
		if len(left) > len(right) {
			left = left[1:]
		} else {
			right = right[:len(right)-1]
		}
	}
	return slices.Concat([]string{t.start}, left, []string{maskToken}, right, []string{t.end}), len(left) + 1
}
