package indicator

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
)

// Category is one of Dr.Spider's nine categories of paraphrases (table 1), by the
// name of its perturbation.
type Category string

// The categories.
const (
	KeywordSynonym  Category = "keyword-synonym"
	KeywordCarrier  Category = "keyword-carrier"
	ColumnSynonym   Category = "column-synonym"
	ColumnCarrier   Category = "column-carrier"
	ColumnAttribute Category = "column-attribute"
	ColumnValue     Category = "column-value"
	ValueSynonym    Category = "value-synonym"
	Multitype       Category = "multitype"
	Others          Category = "others"
)

// Categories returns the nine, in the order of table 1.
func Categories() []Category {
	return []Category{KeywordSynonym, KeywordCarrier, ColumnSynonym, ColumnCarrier, ColumnAttribute, ColumnValue, ValueSynonym, Multitype, Others}
}

// Set is a set of categories other than multitype and others.
type Set uint16

// Has tells whether the category is in the set.
func (s Set) Has(c Category) bool { return s&setOf(c) != 0 }

// Len returns the number of categories.
func (s Set) Len() int { return bits.OnesCount16(uint16(s)) }

func setOf(categories ...Category) (s Set) {
	for _, c := range categories {
		s |= 1 << slices.Index(Categories(), c)
	}
	return s
}

// Change says which indicators differ between a question and its paraphrase.
type Change struct {
	// Kinds has, for each indicator that changed, the category it fits best.
	Kinds Set
	// Possible has every category that some change may fit.
	Possible Set
}

// Category returns the one label: others where nothing changed, multitype where
// changes are of several kinds.
func (c Change) Category() Category {
	switch c.Kinds.Len() {
	case 0:
		return Others
	case 1:
		return Categories()[bits.TrailingZeros16(uint16(c.Kinds))]
	}
	return Multitype
}

// Agrees tells whether a paraphrase with these changes can belong to the
// category. The paper's classifier is one of high recall too, and only removes
// paraphrases in which no indicator changed at all; here an indicator must have
// changed in the way that the category says, others may have as well, and a
// multitype paraphrase changes two in different ways.
func (c Change) Agrees(category Category) bool {
	switch category {
	case Others:
		return c.Kinds == 0
	case Multitype:
		return c.Kinds.Len() > 1
	}
	return c.Possible.Has(category)
}

// Classify compares two alignments with the same gold SQL.
//
// The paper says that it keeps what changed some indicator of keyword, column or
// value; it does not say how the categories are told apart, which is by the rules
// of this file:
//   - a keyword's phrase gives way to another phrase, or a carrier does, or a
//     phrase is added: keyword-synonym; a carrier or nothing takes the phrase's
//     place: keyword-carrier.
//   - a column's words give way to other words for it: column-synonym; to an
//     adjective: column-attribute, whatever becomes of the keyword that applies to
//     the column, as superlatives say both; to a constant of the column alone:
//     column-value; to nothing, where it is selected: column-carrier. Which of the
//     last two and column-synonym, where the paraphrase has new words, cannot be
//     told for sure: then all are possible.
//   - a constant is written in other letters: value-synonym.
//
// A change back of a column, from what implies to what names, is of the same
// category.
func (a *Aligner) Classify(before, after *Alignment) Change {
	c := comparison{Aligner: a, before: before, after: after}
	c.fresh = c.anyFresh()
	c.values()
	c.columns()
	c.keywords()
	return c.Change
}

type comparison struct {
	*Aligner
	Change
	before, after *Alignment
	fresh         bool                // the paraphrase has a content word that the question lacks
	attributes    []dataset.ColumnRef // columns that became adjectives, or adjectives that became columns
}

func (c *comparison) add(best Category, also ...Category) {
	c.Kinds |= setOf(best)
	c.Possible |= setOf(append(also, best)...)
}

// keys returns the keys of an element's mentions, sorted; nil where it is implied.
func keys(a *Alignment, match func(Mention) bool) []string {
	var out []string
	for _, m := range a.Mentions {
		if !m.Implied() && match(m) {
			out = append(out, m.Key)
		}
	}
	slices.Sort(out)
	return out
}

func (c *comparison) values() {
	for _, e := range c.Elements {
		if e.Kind != Value {
			continue
		}
		// The same constant compared in several places is one indicator.
		match := func(m Mention) bool { return m.Kind == Value && m.Value == e.Value }
		before, after := slices.Compact(keys(c.before, match)), slices.Compact(keys(c.after, match))
		if len(after) == 0 && carried(c.after, e) {
			continue // "multiple" says the comparison and its constant
		}
		switch {
		case !slices.Equal(before, after):
			c.add(ValueSynonym)
		case !c.fresh && c.bared(e):
			c.add(ColumnValue, ColumnCarrier)
		}
	}
}

// bared tells whether a content word beside a constant is gone: "as a pet" behind
// 'dog', which no linker finds to stand for the column.
func (c *comparison) bared(value Element) bool {
	for _, m := range c.before.Mentions {
		if m.Element != value || m.Implied() {
			continue
		}
		first := slices.IndexFunc(c.before.Tokens, func(t english.Token) bool { return t.Start >= m.Start })
		for _, step := range []int{-1, 1} {
			for i := first + step; i >= 0 && i < len(c.before.Tokens); i += step {
				w := c.before.singular(i)
				if c.before.Tokens[i].Start < m.End && step > 0 || !isLetters(w) || isFrame(w) {
					continue
				}
				if !c.before.stands(i) && c.after.count(w) < c.before.count(w) {
					return true
				}
				break
			}
		}
	}
	return false
}

// carried tells whether a carrier stands for the comparison with a constant.
func carried(a *Alignment, value Element) bool {
	return slices.ContainsFunc(a.Mentions, func(m Mention) bool {
		return m.Kind == Keyword && m.Keyword == value.Op && m.Value == value.Value && m.Via == Carrier
	})
}

func (c *comparison) columns() {
	for _, e := range c.Elements {
		if e.Kind == Column {
			c.column(e, c.before, c.after)
			c.column(e, c.after, c.before)
		}
	}
	// "The names of the makers" may be a column of another name.
	if c.Kinds == 0 && !c.fresh && c.after.count("name") < c.before.count("name") {
		c.add(ColumnCarrier)
	}
}

// column adds what became of the words for a column of one question in the other.
func (c *comparison) column(e Element, from, to *Alignment) {
	for _, m := range from.Mentions {
		if m.Element != e || m.Implied() || m.Via == Attribute || from.count(m.Key) <= to.count(m.Key) {
			continue
		}
		c.gone(e, m.Key, from, to)
	}
	for _, m := range to.Mentions {
		if to == c.after && m.Element == e && !m.Implied() && c.grown(m) {
			c.add(ColumnSynonym)
		}
	}
}

// gone adds that the words of a key no longer stand for a column.
func (c *comparison) gone(e Element, key string, from, to *Alignment) {
	var also []Category
	if c.fresh {
		also = append(also, ColumnSynonym)
	}
	if e.Has(Select | GroupBy) {
		also = append(also, ColumnCarrier)
	}
	if c.hasValue(e, to) {
		also = append(also, ColumnValue)
	}
	best := ColumnSynonym
	switch {
	case c.attribute(e, to, from), !c.renamed(e, key, to) && c.attribute(e, to, nil):
		c.attributes = append(c.attributes, e.Column)
		best = ColumnAttribute
	case c.renamed(e, key, to):
	case c.hasValue(e, to):
		best = c.orSynonym(ColumnValue)
	case e.Has(Select | GroupBy):
		best = c.orSynonym(ColumnCarrier)
	}
	c.add(best, also...)
}

// orSynonym returns the category of a column whose words are gone: a synonym where
// the paraphrase has new words.
func (c *comparison) orSynonym(implied Category) Category {
	if c.fresh {
		return ColumnSynonym
	}
	return implied
}

// renamed tells whether a question names a column by words other than those of the
// key.
func (c *comparison) renamed(e Element, key string, in *Alignment) bool {
	other := c.after
	if in == c.after {
		other = c.before
	}
	return slices.ContainsFunc(in.Mentions, func(m Mention) bool {
		return m.Element == e && !m.Implied() && m.Via != Attribute && m.Key != key && (strings.Contains(key, m.Key) || in.count(m.Key) > other.count(m.Key))
	})
}

// grown tells whether a new word stands right beside a column's in the paraphrase:
// "audience share" of "share".
func (c *comparison) grown(m Mention) bool {
	for i, t := range c.after.Tokens {
		if (t.End+1 == m.Start || m.End+1 == t.Start) && c.isFresh(i) {
			return true
		}
	}
	return false
}

// attribute tells whether a question has an adjective that implies the column, and
// that the other, unless nil, has not.
func (c *comparison) attribute(e Element, in, other *Alignment) bool {
	forms := Attributes(c.db.Column(e.Column).Name)
	for i := range in.Tokens {
		word := in.singular(i)
		if slices.ContainsFunc(strings.Split(in.lower(i), "-"), func(w string) bool { return slices.Contains(forms, w) }) && (other == nil || other.count(word) == 0) {
			return true
		}
	}
	return false
}

func (c *comparison) hasValue(column Element, in *Alignment) bool {
	return slices.ContainsFunc(in.Mentions, func(m Mention) bool {
		return m.Kind == Value && !m.Implied() && m.Column == column.Column
	})
}

// keywords compares the phrases for each keyword.
func (c *comparison) keywords() {
	var seen []string
	for _, e := range c.Elements {
		if e.Kind == Keyword && !slices.Contains(seen, e.Keyword) && !c.attributed(e.Keyword) {
			seen = append(seen, e.Keyword)
			c.keyword(e.Keyword)
		}
	}
}

// attributed tells whether the keyword applies to a column that an adjective took
// the place of: what became of the keyword's phrase is part of that.
func (c *comparison) attributed(keyword string) bool {
	return slices.ContainsFunc(c.Elements, func(e Element) bool {
		return e.Kind == Keyword && e.Keyword == keyword && slices.Contains(c.attributes, e.Column)
	})
}

func (c *comparison) keyword(keyword string) {
	gone, came := c.phrases(c.before, keyword), c.phrases(c.after, keyword)
	for i := 0; i < len(gone); i++ {
		if j := slices.IndexFunc(came, func(m Mention) bool { return m.Key == gone[i].Key }); j >= 0 {
			gone, came = slices.Delete(gone, i, i+1), slices.Delete(came, j, j+1)
			i--
		}
	}
	carrier := func(m Mention) bool { return m.Via == Carrier }
	switch {
	case len(gone)+len(came) == 0:
	case slices.ContainsFunc(came, carrier), len(came) == 0:
		c.add(KeywordCarrier)
	default:
		c.add(KeywordSynonym)
	}
}

func (c *comparison) phrases(a *Alignment, keyword string) []Mention {
	var out []Mention
	for _, m := range a.Mentions {
		if m.Kind == Keyword && m.Keyword == keyword && !m.Implied() {
			out = append(out, m)
		}
	}
	return out
}

// count returns how often the words of a key stand in the question one behind the
// other.
func (a *Alignment) count(key string) int {
	want := strings.Fields(key)
	found := 0
	for i := 0; len(want) > 0 && i+len(want) <= len(a.Tokens); i++ {
		n := 0
		for n < len(want) && a.singular(i+n) == want[n] {
			n++
		}
		if n == len(want) {
			found++
		}
	}
	return found
}

// stands tells whether a token stands for a keyword, column or value.
func (a *Alignment) stands(i int) bool {
	t := a.Tokens[i]
	return slices.ContainsFunc(a.Mentions, func(m Mention) bool {
		return m.Kind != Table && m.Start <= t.Start && t.End <= m.End
	})
}

func (a *Alignment) lower(i int) string {
	return strings.ToLower(a.Question[a.Tokens[i].Start:a.Tokens[i].End])
}

func (a *Alignment) singular(i int) string { return english.Singular(a.lower(i)) }

// anyFresh tells whether the paraphrase has a new content word.
func (c *comparison) anyFresh() bool {
	for i := range c.after.Tokens {
		if c.isFresh(i) {
			return true
		}
	}
	return false
}

// isFresh tells whether a token of the paraphrase is a content word that the
// question lacks: no keyword, constant or table, and none of the words that
// questions of any database are made of.
func (c *comparison) isFresh(i int) bool {
	w, t := c.after.singular(i), c.after.Tokens[i]
	return isLetters(w) && !isFrame(w) && c.before.count(w) == 0 && !slices.ContainsFunc(c.after.Mentions, func(m Mention) bool {
		return m.Start <= t.Start && t.End <= m.End && m.Kind != Column
	})
}

func isLetters(w string) bool { return w != "" && (w[0] >= 'a' && w[0] <= 'z' || w[0] >= 0x80) }
