package vectors

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

// ranked returns the words that may get vectors, best first: those of headers, then those with the highest score. It leaves
// out inflections of a word of WordNet, because a lookup finds them by their lemma. There may be more words than the table
// keeps, because the decomposition gains by them.
func (b *builder) ranked(rows *lowrank.Matrix) []int {
	lemma := b.lemmatizer()
	links := b.links()
	type scored struct {
		word  int
		score float64
	}
	var words []scored
	for w, term := range b.words.list {
		if idx, _ := rows.Row(w); len(idx) == 0 || lemma(term) != term {
			continue
		}
		score := b.score(w, term, links[w])
		if b.headers.tables[w] >= headerCount {
			score += headerScore
		}
		words = append(words, scored{w, score})
	}
	slices.SortFunc(words, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.word, y.word))
	})
	words = words[:min(len(words), max(basisRows, b.opt.Rows))]
	out := make([]int, len(words))
	for i, w := range words {
		out[i] = w.word
	}
	return out
}

// basisRows is the number of words that the decomposition sees: rare ones spread
// the dimensions over more of meaning. With the words of the table alone,
// SimLex-999 falls by 0.013.
const basisRows = 60_000

// headerScore lifts the words of headers above all others.
const headerScore = 100

// score returns how much is known about a term, word w of the vocabulary: it grows with its senses and its links, and is higher
// for a term of several words if headers have all of them.
func (b *builder) score(w int, term string, links int) float64 {
	score := 2*math.Log2(1+float64(len(b.wordnet.ofWord[term]))) + math.Log2(1+float64(links))
	if !strings.Contains(term, " ") {
		return score
	}
	for part := range strings.FieldsSeq(term) {
		if id, ok := b.words.id[part]; !ok || b.headers.tables[id] < headerCount {
			return score
		}
	}
	return score + 2
}

// links counts the paraphrases, synonyms and antonyms of each word.
func (b *builder) links() []int {
	n := make([]int, len(b.words.list))
	for _, edges := range [][]edge{b.para, b.synonyms, b.antonyms} {
		for _, e := range edges {
			n[e.a]++
			n[e.b]++
		}
	}
	return n
}

// alias is an abbreviation and its expansions.
type alias struct {
	short string
	long  []string
}

// readAliases reads a file of abbreviations, each with its expansions separated by commas after a tab.
func (b *builder) readAliases(path string) error {
	return b.readLines(path, func(_ int, text string) error {
		if strings.HasPrefix(text, "#") {
			return nil
		}
		short, long, ok := strings.Cut(text, "\t")
		key := lexicon.Key(short)
		if !ok || !usable(key) {
			return errors.New("expected an abbreviation, a tab and its expansions")
		}
		b.aliases = append(b.aliases, alias{key, strings.Split(long, ",")})
		return nil
	})
}

// addAliases gives each alias the mean vector of its expansions, in the place of any vector that it has. An expansion that is no
// term has the mean vector of its words or of their lemmas. It returns terms and vectors with the new ones.
func addAliases(aliases []alias, terms []string, vectors [][]float64) ([]string, [][]float64) {
	at := make(map[string]int, len(terms))
	for i, t := range terms {
		at[t] = i
	}
	known := func(term string) bool { _, ok := at[term]; return ok }
	find := func(term string) (int, bool) {
		if i, ok := at[term]; ok {
			return i, true
		}
		for _, lemma := range english.Lemmas(term, known) {
			return at[lemma], true
		}
		return 0, false
	}
	for _, a := range aliases {
		var sum []float64
		for _, long := range a.long {
			if i, ok := find(lexicon.Key(long)); ok {
				sum = addUnit(sum, vectors[i])
				continue
			}
			var mean []float64
			for _, w := range lexicon.Words(long) {
				if i, ok := find(w); ok && isContent(w) {
					mean = addUnit(mean, vectors[i])
				}
			}
			sum = addUnit(sum, mean)
		}
		if sum == nil {
			continue
		}
		if i, ok := at[a.short]; ok {
			vectors[i] = sum
			continue
		}
		at[a.short] = len(terms)
		terms, vectors = append(terms, a.short), append(vectors, sum)
	}
	return terms, vectors
}

// addUnit adds v, scaled to unit length, to sum.
func addUnit(sum, v []float64) []float64 {
	norm := lists.Sum(v, func(x float64) float64 { return x * x })
	if norm == 0 {
		return sum
	}
	if sum == nil {
		sum = make([]float64, len(v))
	}
	for i, x := range v {
		sum[i] += x / math.Sqrt(norm)
	}
	return sum
}
