package questionpair

import (
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Table is what was learned of single words from pairs of questions.
type Table struct {
	// Words are base forms, ascending, each with what it costs to lose it.
	Words map[string]WordScore
	// Pairs are two base forms, ascending, joined by a tab: the log-odds that a
	// question and its paraphrase have the one if the other has the other.
	Pairs map[string]float64
	// Doubt is the share of the logit taken off what is known of names, 0 but in
	// training: names of the training databases are known better than new ones.
	Doubt float64 `json:"-"`
}

// WordScore is what is known of a word.
type WordScore struct {
	// Loss is the log-odds that the question asks something else where the other
	// question has nothing for the word.
	Loss float64
	// Rarity is the logarithm of how many databases ask without the word for one
	// that asks with it.
	Rarity float64
}

// The score of words that the table lacks.
const (
	unknownLoss   = 2.5
	unknownRarity = 5.0
)

// word returns the score of a word, a default one if the table lacks it.
func (t *Table) word(text string) WordScore {
	if s, ok := t.Words[text]; ok {
		return s
	}
	return WordScore{Loss: unknownLoss, Rarity: unknownRarity}
}

// pair returns the score of two base forms in either order, 0 if unknown.
func (t *Table) pair(a, b string) float64 {
	return t.Pairs[PairKey(a, b)]
}

// PairKey is the key of Table.Pairs.
func PairKey(a, b string) string {
	if a > b {
		a, b = b, a
	}
	return a + "\t" + b
}

// Open returns the words of a and of b for which the other question has no word of the same stem. lost are
// those of either for which it has no similar word either. Values are left out. A table is learned from
// these words.
func (e *Extractor) Open(a, b Question) (left, right, lost []string) {
	al := newAlignment(a, b)
	al.equal() // gives words of one stem the cover stemCover or 1
	left, right = al.a.below(stemCover), al.b.below(stemCover)
	al.similar(e, &Table{})
	al.a.repeats(&al.b)
	al.b.repeats(&al.a)
	return left, right, append(al.a.below(uncovered), al.b.below(uncovered)...)
}

// below returns the base forms of words that are covered less than cover, each once, without values and implied words.
func (s *side) below(cover float64) []string {
	var out []string
	for i, t := range s.words {
		if s.cover[i] < cover && t.isPlain() && !slices.Contains(out, t.Text) {
			out = append(out, t.Text)
		}
	}
	return out
}

// logit returns the logarithm of the odds of p, which is first bounded to .005 to .995.
func logit(p float64) float64 {
	p = min(max(p, .005), .995)
	return math.Log(p / (1 - p))
}

// sigmoid is the inverse of logit.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// texts returns the base forms of tokens.
func texts(tokens []Token) []string { return lists.Map(tokens, func(t Token) string { return t.Text }) }

// join joins base forms to a phrase.
func join(tokens []Token) string { return strings.Join(texts(tokens), " ") }
