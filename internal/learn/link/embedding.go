package link

import (
	"math"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// DefaultThreshold is the default of [Embedding]. Below 0.5 precision falls
// faster than recall rises; above 0.7 the reverse.
const DefaultThreshold = 0.65

// pairBonus is added to the cosine of two words, so that they take precedence over one of nearly the same
// cosine.
const pairBonus = 0.1

// Embedding makes linkers that take whole names, and else the items whose name
// has a vector near that of a content word, or of two in a row.
type Embedding struct {
	Vectors   lexicon.Vectors
	Threshold float64 // least cosine, -1..1
}

// embedding links spans by whole names and by vectors.
type embedding struct {
	*lexical
	options Embedding
	vectors [][]float32 // of each of names; nil if the name has none
}

// Linker returns the linker of a database. It links whole names by their words, and parts of names by vectors alone: the
// infinite share keeps them out of the lexical index. The vector of a column's name leaves out the words that its table's name
// has too: they would make all its columns alike.
func (e Embedding) Linker(db *dataset.Database) Linker {
	l := &embedding{lexical: newLexical(db, math.Inf(1)), options: e}
	for _, n := range l.names {
		var words []string
		for i, w := range n.words {
			if !n.ignored[i] {
				words = append(words, w)
			}
		}
		v, _, _ := lexicon.Phrase(e.Vectors, strings.Join(words, " "))
		l.vectors = append(l.vectors, v)
	}
	return l
}

// Link implements [Linker]. Beside the candidates whose names match words, it proposes items for single words and for
// pairs of words by the cosine of their vectors. Cosines are halved so that such a candidate takes no words
// from one that matches.
func (l *embedding) Link(tokens []string) []Span {
	words := l.vocabulary.words(tokens)
	cands := l.candidates(words)
	content := func(i int) bool {
		return i < len(words) && !words[i].blocked() && !common[words[i].text] && !english.IsNumeric(words[i].text)
	}
	for i := range words {
		if !content(i) {
			continue
		}
		if p := l.near(words[i].text); p != nil {
			cands = append(cands, candidate{i, i + 1, p, best(p) / 2})
		}
		if content(i + 1) {
			if p := l.near(words[i].text + " " + words[i+1].text); p != nil {
				cands = append(cands, candidate{i, i + 2, p, (best(p) + pairBonus) / 2})
			}
		}
	}
	return l.resolve(words, cands)
}

// near returns the items whose names have a vector near that of a phrase, in the order of the schema; none
// for a phrase with an unknown word.
func (l *embedding) near(phrase string) []proposal {
	v, known, total := lexicon.Phrase(l.options.Vectors, phrase)
	if v == nil || known < total {
		return nil
	}
	var near []proposal
	for i, w := range l.vectors {
		if w == nil {
			continue
		}
		if cosine := float64(lexicon.Dot(v, w)); cosine >= l.options.Threshold {
			near = append(near, proposal{l.names[i].item, cosine})
		}
	}
	return near
}
