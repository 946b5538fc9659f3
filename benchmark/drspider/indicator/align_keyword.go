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

// keywords adds a mention of each keyword of the gold SQL: the phrase of its foremost sense, for a comparison the one
// nearest to its constant. Each phrase left then becomes another mention of a keyword of its foremost sense.
func (w *aligning) keywords() {
	found := keywordPhrases().find(w.words)
	for rank := range 6 {
		for _, e := range w.unmentioned(Keyword) {
			if o := w.pickOccurrence(found, e, rank); o != nil {
				o.taken = true
				w.keyword(e, o)
			}
		}
	}
	for _, o := range found {
		if o.taken {
			continue
		}
		for _, e := range w.Elements {
			if o.rank(e.Keyword) == 0 {
				w.keyword(e, o)
				break
			}
		}
	}
}

// keyword adds the mention of a keyword by a phrase; none if the phrase is only a number.
func (w *aligning) keyword(e Element, o *occurrence) {
	if o.start == o.end {
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

// pickOccurrence returns the phrase nearest to the constant among the free ones that have the keyword at that rank of their
// senses, or nil.
func (w *aligning) pickOccurrence(found []*occurrence, e Element, rank int) *occurrence {
	var best *occurrence
	at := w.constantPositions(e)
	near := func(o *occurrence) int { // from the phrase to the nearest constant, in bytes
		d := math.MaxInt
		for _, p := range at {
			gap := p - w.words[o.end-1].End
			d = min(d, max(gap, -2*gap)) // "or more" follows its constant: such a gap counts twice
		}
		return d
	}
	for _, o := range found {
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

// synonyms adds mentions of columns that have none yet, by synonyms that the embedded dictionary has for their names
// or for the last words of these.
func (w *aligning) synonyms() {
	for i, e := range w.Elements {
		if e.Kind != Column || w.mentioned(e) {
			continue
		}
		for _, s := range w.named[i] {
			if i, j := w.find(s); i >= 0 {
				w.mention(e, i, j, Synonym, w.key(i, j))
				w.mask(i, j)
				break
			}
		}
	}
}

// synonymsOf returns synonyms of a column's name, each as singular words.
func synonymsOf(column string) [][]string {
	words := strings.Fields(lexicon.Normal(column))
	var out [][]string
	for i := range words {
		head := strings.Join(words[i:], " ")
		for _, s := range lexicon.DefaultThesaurus().Synonyms(head) {
			if len(out) < maxSynonyms {
				out = append(out, strings.Fields(lexicon.Normal(s)))
			}
		}
	}
	return out
}

// find returns the first tokens from start to before end that are the words and that no mention has taken, else -1.
func (w *aligning) find(words []string) (start, end int) {
	free := make([]string, len(w.words))
	for i, word := range w.words {
		if !word.masked {
			free[i] = word.one
		}
	}
	for _, i := range english.Runs(free, words) {
		return i, i + len(words)
	}
	return -1, -1
}

// attributes adds mentions of columns that have none yet, by adjectives: "oldest" of an age. Only a column that the gold SQL compares,
// sorts by or aggregates can have one.
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
