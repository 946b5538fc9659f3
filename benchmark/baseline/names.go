package baseline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// Bounds on the work on one column.
const (
	maxWords = 12  // words of a name; a longer one is a sentence and is left alone
	maxNames = 200 // names that replacing words makes
)

// noVectors is the reason why an attacker that searches vectors finds nothing.
const noVectors = "no-vectors"

// searchable is a table of vectors whose terms can be searched, as
// [lexicon.Table] is.
type searchable interface {
	lexicon.Vectors
	Nearest(vec []float32, k int) []lexicon.Near
}

// finder finds near terms, and remembers them for the columns of one database.
type finder struct {
	vectors searchable
	near    map[string][]lexicon.Near
}

// newFinder returns a finder of terms in vectors, false if these cannot be searched.
func newFinder(v lexicon.Vectors) (*finder, bool) {
	vectors, ok := v.(searchable)
	if t, isTable := v.(*lexicon.Table); !ok || isTable && t == nil { // a nil table is no vectors
		return nil, false
	}
	return &finder{vectors, map[string][]lexicon.Near{}}, true
}

// nearest returns the terms nearest to a name, other than the name: twice as many as are ranked, since some
// turn out to be names of the table. It returns none for a name without a known word.
func (f *finder) nearest(name string) []lexicon.Near {
	key := lexicon.Key(name)
	if found, ok := f.near[key]; ok {
		return found
	}
	var found []lexicon.Near
	if vec, _, _ := lexicon.Phrase(f.vectors, key); vec != nil {
		found = slices.DeleteFunc(f.vectors.Nearest(vec, 2*addEnd), func(n lexicon.Near) bool { return n.Term == key })
	}
	f.near[key] = found
	return found
}

// substitute is a word that may replace another, or the word itself.
type substitute struct {
	word  string
	score float64 // at most 0, which is that of the word itself; the best is highest
}

// replaced is a name with some of its words replaced.
type replaced struct {
	words    []string
	score    float64 // the sum of its substitutes'
	evidence []string
}

// combine returns the names with one or more of the words replaced, the highest sum of scores first, and at
// equal sums in the order of options, which has the substitutes of each word. It is a beam search: it
// keeps the best maxNames beginnings of names after each word.
func combine(words []string, options [][]substitute) []replaced {
	beam := []replaced{{}}
	for i, w := range words {
		var next []replaced
		for _, b := range beam {
			for _, o := range slices.Concat([]substitute{{word: w}}, options[i]) {
				n := replaced{append(slices.Clone(b.words), o.word), b.score + o.score, b.evidence}
				if o.word != w {
					n.evidence = append(slices.Clone(b.evidence), w+" -> "+o.word)
				}
				next = append(next, n)
			}
		}
		slices.SortStableFunc(next, func(a, b replaced) int { return cmp.Compare(b.score, a.score) })
		beam = next[:min(len(next), maxNames)]
	}
	return slices.DeleteFunc(beam, func(r replaced) bool { return len(r.evidence) == 0 })
}

// options returns the substitutes of each word that is replaceable, none for others. It drops those that are
// not replaceable themselves or of another class than the word.
func options(words []string, substitutes func(i int) ([]substitute, error)) ([][]substitute, error) {
	out := make([][]substitute, len(words))
	for i, w := range words {
		if !replaceable(w) {
			continue
		}
		all, err := substitutes(i)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			if s.word != w && replaceable(s.word) && sameClass(w, s.word) {
				out[i] = append(out[i], s)
			}
		}
	}
	return out, nil
}

// replaceable reports whether a term is a word with a meaning of its own.
func replaceable(term string) bool { return isWord(term) && classesOf(term)&function == 0 }

// isWord reports whether a term is a single word of two or more letters from a to z.
func isWord(term string) bool {
	return len(term) > 1 && strings.Trim(term, "abcdefghijklmnopqrstuvwxyz") == ""
}

// wordsOf returns the words of a column's name, nil if they are more than maxWords.
func wordsOf(db *dataset.Database, ref dataset.ColumnRef) []string {
	words := lexicon.Words(db.Column(ref).Name)
	if len(words) > maxWords {
		return nil
	}
	return words
}

// candidate returns a name as a candidate for a column, with its similarity to the column's own name.
func (r replaced) candidate(p *perturb.Pass, ref dataset.ColumnRef, source string) dataset.Candidate {
	name := strings.Join(r.words, " ")
	target, _, _ := lexicon.Phrase(p.Vectors, p.DB.Column(ref).Name)
	vec, _, _ := lexicon.Phrase(p.Vectors, name)
	return dataset.Candidate{
		Name: name, Source: source, Evidence: strings.Join(r.evidence, "; "), Similarity: cosine(target, vec),
	}
}

// cosine is rounded, so that files do not depend on how a processor adds.
func cosine(a, b []float32) float64 { return decimal.Round(lexicon.Cosine(a, b)) }
