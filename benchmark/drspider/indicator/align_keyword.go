package indicator

import (
	_ "embed" // attributes.txt
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/attributes.txt
var attributeText string

// attributeForms maps a word of a column name to the words that imply it.
var attributeForms = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, row := range wordfile.Rows(attributeText, 2) {
		for w := range strings.SplitSeq(row[0], ", ") {
			m[w] = append(m[w], strings.Split(row[1], ", ")...)
		}
	}
	return m
})

// Attributes returns the words that imply a column of this natural name: "old",
// "oldest", … of "age"; nil where there are none.
func Attributes(column string) []string {
	var out []string
	for _, w := range lexicon.Words(column) {
		for _, f := range attributeForms()[english.Singular(w)] {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// keywords adds a mention of each keyword of the gold SQL by one phrase of the question. Phrases whose foremost sense is the keyword come
// first, then those that have it as their second sense, and so on. Each phrase left becomes another mention of the first keyword that
// is its foremost sense.
func (w *aligning) keywords() {
	found := keywordPhrases().find(w.words)
	for rank := range 6 { // no phrase has more senses
		for _, e := range w.unmentioned(Keyword) {
			if o := w.pickOccurrence(found, e, rank); o != nil {
				o.taken = true
				w.mentionKeyword(e, o)
			}
		}
	}
	for _, o := range found {
		if o.taken {
			continue
		}
		for _, e := range w.Elements {
			if o.rank(e.Keyword) == 0 {
				w.mentionKeyword(e, o)
				break
			}
		}
	}
}

// mentionKeyword adds the mention of a keyword by a phrase, unless the phrase is only a number.
func (w *aligning) mentionKeyword(e Element, o *occurrence) {
	if o.start == o.end { // numbers at the ends are cut off, and nothing is left
		return
	}
	via := Name
	if o.senses[o.rank(e.Keyword)].carrier {
		via = Carrier
	}
	w.mention(e, o.start, o.end, via, o.key)
}

// unmentioned returns the elements of a kind without a mention yet.
func (w *aligning) unmentioned(k Kind) []Element {
	return lists.Filter(w.Elements, func(e Element) bool { return e.Kind == k && !w.mentioned(e) })
}

// pickOccurrence returns a phrase that is not taken and has the keyword at that rank of its senses, or nil: for a
// comparison the one nearest to its constant, else the first.
func (w *aligning) pickOccurrence(found []*occurrence, e Element, rank int) *occurrence {
	var best *occurrence
	at := w.constantPositions(e)
	near := func(o *occurrence) int { // from the phrase to the nearest constant, in bytes
		d := math.MaxInt
		for _, p := range at {
			gap := p - w.words[o.end-1].End // negative for a phrase after its constant, such as "or more"
			d = min(d, max(gap, -2*gap))    // such a gap counts twice: a phrase before the constant is preferred
		}
		return d
	}
	for _, o := range found {
		// A phrase that is only a number has start == end.
		if o.taken || o.start == o.end || o.rank(e.Keyword) != rank {
			continue
		}
		if best == nil || near(o) < near(best) {
			best = o
		}
	}
	return best
}

// constantPositions returns the byte positions at which the question mentions the constant of a comparison.
func (w *aligning) constantPositions(e Element) []int {
	var out []int
	for _, m := range w.out.Spoken(Value) {
		if m.Value == e.Value && m.Column == e.Column {
			out = append(out, m.Start)
		}
	}
	return out
}

// maxSynonyms bounds the synonyms of a name that aligners try.
const maxSynonyms = 40

// synonyms adds a mention of each column that has none yet, by the first of its synonyms that the question has, and masks its words.
func (w *aligning) synonyms() {
	for i, e := range w.Elements {
		if e.Kind != Column || w.mentioned(e) {
			continue
		}
		for _, s := range w.synonymWords[i] {
			if i, j := w.find(s); i >= 0 {
				w.mention(e, i, j, Synonym, w.key(i, j))
				w.mask(i, j)
				break
			}
		}
	}
}

// synonymsOf returns up to [maxSynonyms] synonyms of a column's name and of its endings ("home city" and "city"), each as singular
// words.
func synonymsOf(column string) [][]string {
	words := strings.Fields(lexicon.Normal(column))
	var out [][]string
	for i := range words {
		head := strings.Join(words[i:], " ") // the whole name first
		for _, s := range lexicon.DefaultThesaurus().Synonyms(head) {
			if len(out) < maxSynonyms {
				out = append(out, strings.Fields(lexicon.Normal(s)))
			}
		}
	}
	return out
}

// find returns the first place in the question, from token start to before end, that has the words and is not masked. Start is -1 if there
// is none.
func (w *aligning) find(words []string) (start, end int) {
	free := make([]string, len(w.words))
	for i, word := range w.words {
		if !word.masked {
			free[i] = word.singular
		}
	}
	if at := english.Runs(free, words); len(at) > 0 {
		return at[0], at[0] + len(words)
	}
	return -1, -1
}

// attributes adds mentions of columns that have none yet by adjectives: "oldest" for an age. It does so only for columns that the gold SQL
// compares, sorts by or aggregates.
func (w *aligning) attributes() {
	for _, e := range w.unmentioned(Column) {
		if !w.measured(e) {
			continue
		}
		forms := Attributes(w.db.Column(e.Column).Name)
		for i, word := range w.words {
			if !word.masked && slices.Contains(forms, word.text) {
				w.mention(e, i, i+1, Attribute, word.text)
			}
		}
	}
}

// measured reports whether the gold SQL compares a column, sorts by it or aggregates it.
func (w *aligning) measured(column Element) bool {
	return column.Has(Where|Having|OrderBy) || slices.ContainsFunc(w.Elements, func(e Element) bool {
		return e.Kind == Keyword && e.Column == column.Column
	})
}
