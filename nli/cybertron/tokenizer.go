package cybertron

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nlpodyssey/cybertron/pkg/tokenizers"
	"github.com/nlpodyssey/cybertron/pkg/tokenizers/wordpiecetokenizer"
	"github.com/nlpodyssey/cybertron/pkg/vocabulary"
	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/nli"
)

// maxText is the number of bytes of a premise or hypothesis after which it is cut.
const maxText = 1 << 16

// tokenizer turns a pair into the tokens of a model.
type tokenizer struct {
	splitter
	files   []string // that it was read from
	start   string
	between []string // separates premise and hypothesis
	end     string
	max     int // tokens of a pair
}

// splitter splits a text into entries of a vocabulary.
type splitter interface{ split(text string) []string }

// wordPieces splits texts for BERT. It normalizes text before it calls cybertron's tokenizer,
// which neither strips accents nor splits at hyphens.
type wordPieces struct {
	pieces       *wordpiecetokenizer.WordPieceTokenizer
	lower        bool // fold case
	stripAccents bool
	splitChinese bool // each ideograph is a word
}

// maxTokens returns the number of tokens that a text may have under the options.
func (c *config) maxTokens(o Options) int {
	positions := c.MaxPositions - c.unusedPositions()
	if o.MaxTokens > 0 {
		return min(positions, o.MaxTokens)
	}
	return positions
}

// readTokenizer returns the tokenizer of the model's family, and its vocabulary in the order of the model's rows.
func readTokenizer(dir string, c *config, o Options) (*tokenizer, []string, error) {
	read := readWordPieces
	if c.ModelType == "roberta" {
		read = readBytePairs
	}
	t, terms, err := read(dir, c.VocabSize)
	if err != nil {
		return nil, nil, err
	}
	t.max = c.maxTokens(o)
	if least := t.specialTokens() + 2; t.max < least { // a token for each side
		return nil, nil, fmt.Errorf("%s: room for %d tokens, expected at least %d", dir, t.max, least)
	}
	return t, terms, nil
}

// specialTokens returns the number of special tokens of a pair.
func (t *tokenizer) specialTokens() int { return len(t.between) + 2 }

// readWordPieces returns BERT's tokenizer and its vocabulary of size entries, from vocab.txt and tokenizer_config.json, with
// BERT's defaults for missing fields.
func readWordPieces(dir string, size int) (*tokenizer, []string, error) {
	terms, err := readVocabulary(dir, size)
	if err != nil {
		return nil, nil, err
	}
	var c struct {
		DoLowerCase          *bool `json:"do_lower_case"`
		StripAccents         *bool `json:"strip_accents"`
		TokenizeChineseChars *bool `json:"tokenize_chinese_chars"`
	}
	if err := readJSON(filepath.Join(dir, tokenizerFile), &c); err != nil {
		return nil, nil, err
	}
	lower := orDefault(c.DoLowerCase, true)
	return &tokenizer{
		splitter: &wordPieces{
			pieces:       wordpiecetokenizer.New(vocabulary.New(terms)),
			lower:        lower,
			stripAccents: orDefault(c.StripAccents, lower),
			splitChinese: orDefault(c.TokenizeChineseChars, true),
		},
		files:   []string{vocabFile, tokenizerFile},
		start:   wordpiecetokenizer.DefaultClassToken,
		between: []string{wordpiecetokenizer.DefaultSequenceSeparator},
		end:     wordpiecetokenizer.DefaultSequenceSeparator,
	}, terms, nil
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

// orDefault returns the value of a field, or def if the field is missing.
func orDefault(b *bool, def bool) bool {
	if b == nil {
		return def
	}
	return *b
}

// pairTokens returns the tokens "[CLS] premise [SEP] hypothesis [SEP]", or RoBERTa's "<s> premise
// </s> </s> hypothesis </s>". BERT finds the segments by the separators. Text cannot contain one,
// as its brackets become words of their own.
func (t *tokenizer) pairTokens(p nli.Pair) []string {
	first, second := p.Sentences()
	premise, hypothesis := truncate(t.split(cut(first)), t.split(cut(second)), t.max-t.specialTokens())
	return slices.Concat([]string{t.start}, premise, t.between, hypothesis, []string{t.end})
}

// cut returns the first maxText bytes of a text.
func cut(text string) string { return text[:min(len(text), maxText)] }

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
func (t *wordPieces) split(text string) []string {
	return tokenizers.GetStrings(t.pieces.Tokenize(t.normalize(text)))
}

// normalize returns text as BERT's basic tokenizer prepares it: without control characters,
// with blanks around ideographs and punctuation, and in lower case or without accents if
// the model was trained so.
func (t *wordPieces) normalize(text string) string {
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
		case r == unicode.ReplacementChar, unicode.Is(unicode.C, r): // dropped
		case t.stripAccents && unicode.Is(unicode.Mn, r): // a combining accent, dropped
		case isPunctuation(r), t.splitChinese && unicode.Is(unicode.Unified_Ideograph, r):
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
