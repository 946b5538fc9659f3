package indicator

import (
	_ "embed" // frame.txt
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
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

// Has reports whether the category is in the set.
func (s Set) Has(c Category) bool { return s&setOf(c) != 0 }

// Len returns the number of categories.
func (s Set) Len() int { return bits.OnesCount16(uint16(s)) }

// setOf returns categories as a set.
func setOf(categories ...Category) (s Set) {
	for _, c := range categories {
		s |= 1 << slices.Index(Categories(), c)
	}
	return s
}

// Change is the indicators that differ between a question and its paraphrase.
type Change struct {
	// Kinds has, for each indicator that changed, the category it fits best.
	Kinds Set
	// Possible has every category that some change may fit.
	Possible Set
}

// Agrees reports whether a paraphrase with these changes can belong to the category: for others it must have no change, for multitype
// two kinds of changes, and for the rest a change that fits the category, among any others. As in the paper the classifier has a high
// recall, but the paper's removes only paraphrases without any changed indicator.
func (c Change) Agrees(category Category) bool {
	switch category {
	case Others:
		return c.Kinds == 0
	case Multitype:
		return c.Kinds.Len() > 1
	}
	return c.Possible.Has(category) // not only the category that a change fits best
}

// Is reports whether a paraphrase with these changes belongs to the category and to no other: for others and multitype as [Change.Agrees],
// for the rest if the category is the best one for each change.
func (c Change) Is(category Category) bool {
	switch category {
	case Others, Multitype:
		return c.Agrees(category)
	}
	return c.Kinds == setOf(category)
}

// Within reports whether a paraphrase has a change of the first category, and no change of a category other than first and others.
func (c Change) Within(first Category, others ...Category) bool {
	return c.Kinds.Has(first) && c.Kinds&^setOf(append(others, first)...) == 0
}

// Classify returns the changes between the alignments of a question and of its paraphrase with the same gold SQL.
//
// The paper keeps paraphrases that change some indicator of keyword, column or
// value, and does not define how it sorts them. These are the rules of this file:
//   - another phrase replaces a keyword's phrase or carrier, or a
//     phrase is added: keyword-synonym; a carrier or nothing replaces the
//     phrase: keyword-carrier.
//   - other words replace a column's: column-synonym; an
//     adjective does: column-attribute, whatever happens to the keyword that applies to
//     the column, as superlatives express both; a constant of the column alone does:
//     column-value; nothing does, and the SQL selects it: column-carrier. If the
//     paraphrase has new words, these last two cannot be distinguished from
//     column-synonym: then all are possible.
//   - a constant is written in other letters: value-synonym.
//
// The opposite change of a column, from implied to named, is of the same
// category.
func (a *Aligner) Classify(before, after *Alignment) Change {
	c := comparison{Aligner: a, before: before, after: after}
	c.hasNewWord = c.hasNewContentWord()
	c.values()
	c.columns()
	c.keywords()
	return c.Change
}

// comparison compares the alignments of a question and of its paraphrase, and collects the changes.
type comparison struct {
	*Aligner
	Change
	before, after *Alignment
	hasNewWord    bool                // the paraphrase has a content word that the question lacks
	attributes    []dataset.ColumnRef // columns that became adjectives, or adjectives that became columns
}

// add adds a change that fits one category best and may fit others.
func (c *comparison) add(best Category, also ...Category) {
	c.Kinds |= setOf(best)
	c.Possible |= setOf(append(also, best)...)
}

// named returns the mentions of an element by words, but not those by an adjective.
func (a *Alignment) named(e Element) []Mention {
	return slices.DeleteFunc(a.Spoken(e.Kind), func(m Mention) bool { return m.Element != e || m.Via == Attribute })
}

// WordsFor returns the first words by which a question names a column, whole or in part, or "". It does not count words within a value, nor
// synonyms and adjectives.
func (a *Alignment) WordsFor(column dataset.ColumnRef) string {
	values := a.Spoken(Value)
	for _, m := range a.Spoken(Column) {
		isOfValue := slices.ContainsFunc(values, func(v Mention) bool { return v.Start <= m.Start && m.End <= v.End }) // the team of "Red Team"
		if m.Column == column && (m.Via == Name || m.Via == Part) && !isOfValue {
			return m.Key
		}
	}
	return ""
}

// Spoken returns the mentions of a kind by words.
func (a *Alignment) Spoken(k Kind) []Mention {
	return slices.DeleteFunc(a.Of(k), Mention.Implied)
}

// valueKeys returns the keys of all mentions of a constant, sorted and without repeats: a constant that the SQL compares
// several times is one indicator.
func (a *Alignment) valueKeys(value string) []string {
	var out []string
	for _, m := range a.Spoken(Value) {
		if m.Value == value {
			out = append(out, m.Key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// values adds the changes of the words for each constant.
func (c *comparison) values() {
	for _, e := range c.Elements {
		if e.Kind != Value {
			continue
		}
		before, after := c.before.valueKeys(e.Value), c.after.valueKeys(e.Value)
		switch {
		case after == nil && c.after.Carries(e): // no change of the value: "multiple" is the comparison and its constant
		case !slices.Equal(before, after):
			c.add(ValueSynonym)
		case !c.hasNewWord && c.losesNeighbour(e): // the value alone implies its column
			c.add(ColumnValue, ColumnCarrier)
		}
	}
}

// losesNeighbour reports whether the paraphrase lacks the content word before or after a mention of the constant value in the question.
// Such a word may mention the column though no linker finds it: "pet" for the column pet type in "a dog as a pet".
func (c *comparison) losesNeighbour(value Element) bool {
	return slices.ContainsFunc(c.before.named(value), func(m Mention) bool {
		tokens := c.before.Tokens
		start := slices.IndexFunc(tokens, func(t english.Token) bool { return t.Start >= m.Start })
		end := start
		for end < len(tokens) && tokens[end].Start < m.End {
			end++
		}
		return c.losesContentWord(start-1, -1) || c.losesContentWord(end, 1)
	})
}

// losesContentWord reports whether the paraphrase lacks the first content word of the question from token i on, in steps of 1 or -1. It
// returns false if that word is part of a mention, which is compared as such.
func (c *comparison) losesContentWord(i, step int) bool {
	for ; i >= 0 && i < len(c.before.Tokens); i += step {
		if w := c.before.singular[i]; isContent(w) {
			return !c.before.isMentioned(i) && c.after.count(w) < c.before.count(w)
		}
	}
	return false
}

// Carries reports whether a carrier phrase mentions the comparison with a constant, and so the constant too: "multiple" for "more than one".
func (a *Alignment) Carries(value Element) bool {
	return slices.ContainsFunc(a.Mentions, func(m Mention) bool {
		return m.Keyword == value.Op && m.Value == value.Value && m.Via == Carrier
	})
}

// columns adds the changes of the words for each column, in both directions.
func (c *comparison) columns() {
	for _, e := range c.Elements {
		if e.Kind == Column {
			c.column(e, c.before, c.after)
			c.column(e, c.after, c.before)
		}
	}
	// "The names of the makers" may mention a column whose own name lacks the word "name".
	if c.Kinds == 0 && !c.hasNewWord && c.after.count("name") < c.before.count("name") {
		c.add(ColumnCarrier)
	}
}

// column adds a change for each mention of a column in one question that the other question lacks, and for a new word next to a mention in
// the paraphrase.
func (c *comparison) column(e Element, from, to *Alignment) {
	for _, m := range from.named(e) {
		if from.count(m.Key) > to.count(m.Key) {
			c.addLostColumn(e, m.Key, from, to)
		}
	}
	if to != c.after { // new words are those of the paraphrase
		return
	}
	for _, m := range to.Spoken(Column) {
		if m.Element == e && c.hasNewNeighbour(m) {
			c.add(ColumnSynonym)
		}
	}
}

// addLostColumn adds the change of a column that one question, from, mentions by the words of a key and the other, to, does not. The best
// category depends on how the other question mentions the column: by an adjective, by other words, or not at all.
func (c *comparison) addLostColumn(e Element, key string, from, to *Alignment) {
	var also []Category      // what the change may be too
	implied := ColumnSynonym // the best category if no words mention the column; the last condition that holds decides
	if e.Has(Select | GroupBy) {
		implied = ColumnCarrier
		also = append(also, ColumnCarrier)
	}
	if c.hasValue(e, to) {
		implied = ColumnValue
		also = append(also, ColumnValue)
	}
	if c.hasNewWord { // which may be a synonym that no dictionary has
		implied = ColumnSynonym
		also = append(also, ColumnSynonym)
	}
	renamed := c.renamed(e, key, to)
	switch {
	case c.hasAdjective(e, to, from), !renamed && c.hasAdjective(e, to, nil): // an old adjective counts only if no other words name the column
		c.attributes = append(c.attributes, e.Column)
		c.add(ColumnAttribute, also...)
	case renamed:
		c.add(ColumnSynonym, also...)
	default:
		c.add(implied, also...)
	}
}

// renamed reports whether the question in, before or after, names a column by words other than the key: by a part of the key, or by
// words that it has more often than the other question.
func (c *comparison) renamed(e Element, key string, in *Alignment) bool {
	other := c.after
	if in == c.after {
		other = c.before
	}
	return slices.ContainsFunc(in.named(e), func(m Mention) bool {
		return m.Key != key && (strings.Contains(key, m.Key) || in.count(m.Key) > other.count(m.Key))
	})
}

// hasNewNeighbour reports whether the paraphrase has a new content word right before or after a mention: "audience share" for "share".
func (c *comparison) hasNewNeighbour(m Mention) bool {
	for i, t := range c.after.Tokens {
		adjacent := t.End+1 == m.Start || m.End+1 == t.Start // with one byte between, a blank
		if adjacent && c.isNewContentWord(i) {
			return true
		}
	}
	return false
}

// hasAdjective reports whether a question has an adjective that implies the column and that the other question lacks: "old" or the part
// "old" of "12-year-old" for an age. Other may be nil: then any such adjective counts.
func (c *comparison) hasAdjective(e Element, in, other *Alignment) bool {
	forms := Attributes(c.db.Column(e.Column).Name)
	isForm := func(w string) bool { return slices.Contains(forms, w) }
	for i, word := range in.singular {
		isNew := other == nil || other.count(word) == 0
		if isNew && slices.ContainsFunc(strings.Split(in.lower(i), "-"), isForm) {
			return true
		}
	}
	return false
}

// hasValue reports whether a question mentions a constant that the gold SQL compares with the column.
func (c *comparison) hasValue(column Element, in *Alignment) bool {
	return slices.ContainsFunc(in.Spoken(Value), func(m Mention) bool { return m.Column == column.Column })
}

// keywords adds the changes of the phrases for each keyword, unless the change of a column to an adjective includes them.
func (c *comparison) keywords() {
	var seen []string
	for _, e := range c.Elements {
		if e.Kind == Keyword && !slices.Contains(seen, e.Keyword) && !c.appliesToAdjective(e.Keyword) {
			seen = append(seen, e.Keyword)
			c.keyword(e.Keyword)
		}
	}
}

// appliesToAdjective reports whether the keyword applies to a column that became an adjective. The new phrase for the keyword is then part of
// the column's change: "oldest" for "highest age".
func (c *comparison) appliesToAdjective(keyword string) bool {
	return slices.ContainsFunc(c.Elements, func(e Element) bool {
		return e.Keyword == keyword && slices.Contains(c.attributes, e.Column)
	})
}

// keyword adds the change of the phrases for one keyword, if there is one.
func (c *comparison) keyword(keyword string) {
	before, after := c.before.phrases(keyword), c.after.phrases(keyword)
	removed, added := without(before, after), without(after, before)
	switch {
	case len(removed)+len(added) == 0:
	case len(added) == 0 && len(after) > 0: // no change: another phrase for the keyword is left
	case len(added) == 0, slices.ContainsFunc(added, func(m Mention) bool { return m.Via == Carrier }):
		c.add(KeywordCarrier)
	default:
		c.add(KeywordSynonym)
	}
}

// without returns the mentions of a without those that b has by the same key. Each mention of b removes one of a.
func without(a, b []Mention) []Mention {
	rest := slices.Clone(b)
	return slices.DeleteFunc(slices.Clone(a), func(m Mention) bool {
		i := slices.IndexFunc(rest, func(n Mention) bool { return n.Key == m.Key })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
		return true
	})
}

// phrases returns the mentions of a keyword that are not implied.
func (a *Alignment) phrases(keyword string) []Mention {
	return slices.DeleteFunc(a.Spoken(Keyword), func(m Mention) bool { return m.Keyword != keyword })
}

// count returns how often the question has the singular words of a key one after the other.
func (a *Alignment) count(key string) int {
	return len(english.Runs(a.singular, strings.Fields(key)))
}

// isMentioned reports whether a token is part of a mention of a keyword, column or value.
func (a *Alignment) isMentioned(i int) bool {
	t := a.Tokens[i]
	return slices.ContainsFunc(a.Mentions, func(m Mention) bool {
		return m.Kind != Table && m.Holds(t)
	})
}

// lower returns the token i in lower case.
func (a *Alignment) lower(i int) string {
	return strings.ToLower(a.Question[a.Tokens[i].Start:a.Tokens[i].End])
}

// hasNewContentWord reports whether the paraphrase has a new content word.
func (c *comparison) hasNewContentWord() bool {
	for i := range c.after.Tokens {
		if c.isNewContentWord(i) {
			return true
		}
	}
	return false
}

// isNewContentWord reports whether the token i of the paraphrase is a content word that the
// question lacks and that mentions no keyword, constant or table.
func (c *comparison) isNewContentWord(i int) bool {
	w, t := c.after.singular[i], c.after.Tokens[i]
	if !isContent(w) || c.before.count(w) > 0 {
		return false
	}
	return !slices.ContainsFunc(c.after.Mentions, func(m Mention) bool { return m.Kind != Column && m.Holds(t) })
}

// isContent reports whether a word begins with a letter and is none of the [frameWords].
func isContent(w string) bool { return startsLetter.MatchString(w) && !frameWords()[w] }

// startsLetter matches words that begin with a small letter or one outside ASCII.
var startsLetter = lazyregexp.New(`^[a-z\x{80}-\x{10FFFF}]`)

//go:embed data/frame.txt
var frameText string

// frameWords are words that questions of any database are made of: articles, pronouns, prepositions, auxiliaries, verbs of
// showing.
var frameWords = sync.OnceValue(func() map[string]bool { return wordfile.ReadSet(frameText) })
