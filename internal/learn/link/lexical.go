package link

import (
	"math"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// DefaultMinShare is the default of [Partial]. Names have up to four words that
// count, so that 0.3 asks for one of three.
const DefaultMinShare = 0.3

// Exact returns the linker that wants whole names. Words compare by singular or
// lemma, and whether they are written together does not matter ("hometown").
func Exact(db *dataset.Database) Linker { return newLexical(db, math.Inf(1)) }

// Partial makes linkers that also take a run of words of a name.
type Partial struct {
	// MinShare is the share of the name's words that the run must have, 0..1. Words
	// of its table's name in a column's, and words like "data" in a table's, do not
	// count.
	MinShare float64
}

// Linker returns the linker of a database.
func (p Partial) Linker(db *dataset.Database) Linker { return newLexical(db, p.MinShare) }

// lexical links spans by their words.
type lexical struct {
	*schema
	runs map[string][]proposal // by the words of a run, written together
}

// newLexical indexes whole names, and the parts of names of at least minShare.
func newLexical(db *dataset.Database, minShare float64) *lexical {
	l := &lexical{newSchema(db), map[string][]proposal{}}
	for _, n := range l.names {
		seen := map[string]bool{}
		for length := len(n.words); length > 0; length-- {
			for i := 0; i+length <= len(n.words); i++ {
				share := n.share(i, i+length)
				key := strings.Join(n.words[i:i+length], "")
				whole := length == len(n.words)
				if seen[key] || (!whole && share < minShare) { // the name has the same words earlier, or the run is too small a part
					continue
				}
				if !whole && length == 1 && !isContent(n.words[i]) { // a common word or a number alone mentions nothing
					continue
				}
				seen[key] = true
				l.runs[key] = append(l.runs[key], proposal{n.item, share})
			}
		}
	}
	return l
}

// isContent reports whether a single word may mention a name: it is no common word and no
// number.
func isContent(w string) bool { return !common[w] && !english.IsNumeric(w) }

// share is the share, 0..1, of the words from i to before j among those of the name that
// count, see [name.weights].
func (n *name) share(i, j int) float64 {
	part, all := n.weights(i, j)
	return float64(part) / float64(all)
}

// Link implements [Linker].
func (l *lexical) Link(tokens []string) []Span {
	words := l.vocabulary.words(tokens)
	return l.resolve(words, l.candidates(words))
}

// candidates returns the runs of words that are names or parts of them. A run is the stronger the more words
// it has, and the greater its share of the name.
func (l *lexical) candidates(words []word) []candidate {
	var cands []candidate
	var key []byte
	for i := range words {
		key = key[:0]
		for j := i; j < min(i+maxName, len(words)) && !words[j].blocked(); j++ {
			key = append(key, words[j].form...)
			if proposals := l.runs[string(key)]; proposals != nil {
				cands = append(cands, candidate{i, j + 1, proposals, float64(j+1-i) + best(proposals)/2})
			}
		}
	}
	return cands
}
