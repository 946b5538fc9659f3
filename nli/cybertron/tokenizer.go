package cybertron

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/nlpodyssey/cybertron/pkg/tokenizers"
	"github.com/nlpodyssey/cybertron/pkg/tokenizers/wordpiecetokenizer"
	"github.com/nlpodyssey/cybertron/pkg/vocabulary"
	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/nli"
)

const (
	// specialTokens is the number of special tokens of a pair: [CLS] and two [SEP].
	specialTokens = 3
	// minTokens leaves one token for each side of a pair.
	minTokens = specialTokens + 2
	// maxText is the number of bytes of a premise or hypothesis after which it is cut.
	maxText = 1 << 16
)

// tokenizer splits a pair into the tokens of a model. It normalizes text before it calls
// cybertron's tokenizer, which neither strips accents nor splits at hyphens.
type tokenizer struct {
	pieces       *wordpiecetokenizer.WordPieceTokenizer
	lower        bool // fold case
	stripAccents bool
	splitChinese bool // each ideograph is a word
	max          int  // tokens of a pair
}

// maxTokens returns the number of tokens that a text may have under the options.
func (c *config) maxTokens(o Options) int {
	if o.MaxTokens > 0 {
		return min(c.MaxPositions, o.MaxTokens)
	}
	return c.MaxPositions
}

// readTokenizer reads tokenizer_config.json, with BERT's defaults for missing fields. The
// tokenizer cuts texts to maxTokens.
func readTokenizer(dir string, terms []string, maxTokens int) (*tokenizer, error) {
	if maxTokens < minTokens {
		return nil, fmt.Errorf("%s: room for %d tokens, expected at least %d", dir, maxTokens, minTokens)
	}
	path := filepath.Join(dir, tokenizerFile)
	data, err := readBounded(path, maxTextFile)
	if err != nil {
		return nil, err
	}
	var c struct {
		DoLowerCase          *bool `json:"do_lower_case"`
		StripAccents         *bool `json:"strip_accents"`
		TokenizeChineseChars *bool `json:"tokenize_chinese_chars"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lower := orDefault(c.DoLowerCase, true)
	return &tokenizer{
		pieces:       wordpiecetokenizer.New(vocabulary.New(terms)),
		max:          maxTokens,
		lower:        lower,
		stripAccents: orDefault(c.StripAccents, lower),
		splitChinese: orDefault(c.TokenizeChineseChars, true),
	}, nil
}

// orDefault returns the value of a field, or def if the field is missing.
func orDefault(b *bool, def bool) bool {
	if b == nil {
		return def
	}
	return *b
}

// pairTokens returns the tokens "[CLS] premise [SEP] hypothesis [SEP]". The model finds the segments
// by the separators. Text cannot contain one, as its brackets become words of their own.
func (t *tokenizer) pairTokens(p nli.Pair) []string {
	first, second := p.Sentences()
	premise, hypothesis := truncate(t.split(first), t.split(second), t.max-specialTokens)
	tokens := make([]string, 0, len(premise)+len(hypothesis)+specialTokens)
	tokens = append(tokens, wordpiecetokenizer.DefaultClassToken)
	tokens = append(tokens, premise...)
	tokens = append(tokens, wordpiecetokenizer.DefaultSequenceSeparator)
	tokens = append(tokens, hypothesis...)
	return append(tokens, wordpiecetokenizer.DefaultSequenceSeparator)
}

// truncate drops tokens at the end of the longer side, of b if both are equally long, until
// n are left: Hugging Face's "longest first".
func truncate(a, b []string, n int) ([]string, []string) {
	for len(a)+len(b) > n {
		if len(a) > len(b) {
			a = a[:len(a)-1]
		} else {
			b = b[:len(b)-1]
		}
	}
	return a, b
}

// split returns the word pieces of a text.
func (t *tokenizer) split(text string) []string {
	return tokenizers.GetStrings(t.pieces.Tokenize(t.normalize(text)))
}

// normalize returns text as BERT's basic tokenizer prepares it: without control characters,
// with blanks around ideographs and punctuation, and in lower case or without accents if
// the model was trained so.
func (t *tokenizer) normalize(text string) string {
	text = text[:min(len(text), maxText)]
	if t.lower {
		text = strings.ToLower(text)
	}
	if t.stripAccents {
		text = norm.NFD.String(text)
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r == unicode.ReplacementChar || unicode.Is(unicode.C, r):
		case t.stripAccents && unicode.Is(unicode.Mn, r):
		case isPunctuation(r) || t.splitChinese && unicode.Is(unicode.Unified_Ideograph, r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPunctuation reports whether BERT splits text at r: at punctuation, and at any ASCII
// character that is neither letter, digit nor blank, such as "$".
func isPunctuation(r rune) bool {
	if r < unicode.MaxASCII {
		return r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}
