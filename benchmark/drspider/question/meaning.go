package question

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// meaning compares the meaning of a draft with that of its question where the factuality model fails: to the model
// "cats and dogs" entail "cats or dogs", and a question with a condition entails the same without it.
type meaning struct {
	category indicator.Category
	before   *indicator.Alignment
}

// differs reports whether a draft, by its alignment, asks something else than the question: it has more or fewer "or"s, it lacks a mention
// of the question or "distinct", or it asks for a number without its things ("and the largest number?").
func (m meaning) differs(after *indicator.Alignment) bool {
	dangles := func(a *indicator.Alignment) bool {
		s := newSentence(a.Question)
		return dangling.Within(s, 0, len(s.Words))
	}
	switch {
	case alternatives(m.before) != alternatives(after), m.losesDistinct(after):
		return true
	case dangles(after) && !dangles(m.before):
		return true
	}
	return slices.ContainsFunc(m.before.Mentions, func(e indicator.Mention) bool {
		return !e.Implied() && !mentions(after, e.Element) && m.loses(e, after)
	})
}

// losesDistinct reports whether the question asks for distinct answers in words and a draft does not.
func (m meaning) losesDistinct(after *indicator.Alignment) bool {
	return slices.ContainsFunc(m.before.Spoken(indicator.Keyword), func(e indicator.Mention) bool {
		return e.Keyword == "distinct" && !mentions(after, e.Element)
	})
}

// omits reports whether a question realised from the gold SQL lacks the unit of a number, which no gold SQL has, or the word for distinct
// answers. The realiser may leave out both, though the example's question has them.
func (m meaning) omits(after *indicator.Alignment) bool {
	before, draft := newSentence(m.before.Question), newSentence(after.Question)
	for u := range measured.All(before, len(before.Words)) {
		if !draft.holds(english.SingularPhrase(before.Span(u.Part.Start, u.Part.End))) {
			return true
		}
	}
	return m.losesDistinct(after)
}

// mustKeep lists the categories that change no column, and those that change no table: their drafts must keep the
// words for these.
var mustKeep = map[indicator.Kind][]indicator.Category{
	indicator.Column: {indicator.KeywordSynonym, indicator.KeywordCarrier, indicator.ValueSynonym, indicator.Others},
	indicator.Table:  {indicator.KeywordSynonym, indicator.KeywordCarrier, indicator.Others},
}

// loses reports whether the draft lost the element of a mention that the aligner does not find in it. In a category that must keep the words
// for tables or columns, an element is lost if the question has its whole name. In others it is not lost if the category leaves out such
// elements, or replaces them by words that the aligner does not know.
func (m meaning) loses(e indicator.Mention, after *indicator.Alignment) bool {
	switch {
	case e.Kind == indicator.Value:
		return m.losesValue(e, after)
	case slices.Contains(mustKeep[e.Kind], m.category): // other mentions than a whole name are too uncertain
		return e.Via == indicator.Name
	case e.Kind != indicator.Column: // a table that the category may change, or a keyword
		return false
	}
	sorts := m.category == indicator.Multitype && e.Has(indicator.OrderBy)
	return (sorts || m.category == indicator.ColumnSynonym) && !addsContentWord(m.before, after)
}

// losesValue reports whether the draft lost a constant that the aligner does not find in it. The constant is not lost if the draft has
// another known form of it. Else a number is lost, but a name is not if the category changes values and the draft keeps half of the
// name's words ("JetBlue" of "JetBlue Airways") or has a new content word.
func (m meaning) losesValue(e indicator.Mention, after *indicator.Alignment) bool {
	_, err := strconv.ParseFloat(e.Value, 64)
	switch {
	case after.Carries(e.Element), hasForm(after, e):
		return false // "multiple" mentions the comparison and its constant
	case err == nil, m.category != indicator.ValueSynonym && m.category != indicator.Multitype:
		return true
	}
	draft, words := newSentence(after.Question).Words, newSentence(e.Text).Words
	kept := lists.Filter(words, func(w string) bool { return slices.Contains(draft, w) })
	return 2*len(kept) < len(words) && !addsContentWord(m.before, after)
}

// mentions reports whether words of an aligned question mention an element. A constant that the gold SQL compares several
// times, which gives several elements, needs only one mention.
func mentions(a *indicator.Alignment, e indicator.Element) bool {
	return slices.ContainsFunc(a.Spoken(e.Kind), func(m indicator.Mention) bool {
		if e.Kind == indicator.Value {
			return m.Value == e.Value
		}
		return m.Element == e
	})
}

// hasForm reports whether a draft has another form of a constant by the data of the value rules: another name or the
// adjective of a country, or a form of data/value_forms.txt.
func hasForm(a *indicator.Alignment, value indicator.Mention) bool {
	s := newSentence(a.Question)
	holds := func(form string) bool { return s.holds(strings.TrimPrefix(form, "the ")) }
	for _, name := range []string{value.Value, value.Text} {
		c := countryNamed(name)
		if slices.ContainsFunc(append(slices.Clone(c.names), c.adjective, c.official), holds) {
			return true
		}
	}
	// the constant's own forms, in SQL and in the question
	own := []string{strings.ToLower(value.Value), strings.ToLower(value.Text), english.Singular(strings.ToLower(value.Text))}
	isOwn := func(w string) bool { return slices.Contains(own, strings.ToLower(w)) }
	return slices.ContainsFunc(valueForms(), func(f forms) bool {
		return slices.ContainsFunc(slices.Concat(f.words, f.codes), isOwn) && slices.ContainsFunc(f.words, holds)
	})
}

// holds reports whether the sentence has the words of a phrase one after the other, each as it is or in the plural.
func (s sentence) holds(phrase string) bool {
	words := newSentence(phrase).Words
	for i := range s.Words {
		n := 0 // words of the phrase found from i on
		for n < len(words) && slices.Contains([]string{s.Word(i + n), english.SingularPhrase(s.Word(i + n))}, words[n]) {
			n++
		}
		if n > 0 && n == len(words) {
			return true
		}
	}
	return false
}

// addsContentWord reports whether a draft has a content word that the question lacks. It may be another word for a column or a constant,
// which no list has.
func addsContentWord(before, after *indicator.Alignment) bool {
	known := map[string]bool{}
	for _, w := range newSentence(before.Question).Words {
		known[english.SingularPhrase(w)] = true
	}
	now := newSentence(after.Question)
	for i, w := range now.Words {
		if now.isContent(i) && !known[english.SingularPhrase(w)] {
			return true
		}
	}
	return false
}

var (
	// dangling is a number that counts nothing at the end of a sentence: "and the largest number?".
	dangling = grammar.Must("!CONTENT number|numbers|count FULLSTOP / EXTENT number|numbers|count FULLSTOP")
	// coordinating leaves out comparisons like "10 or more", and has "over 20 or less than 10".
	coordinating = grammar.Must("or|nor is|was|the|exactly* (!COMPARING / COMPARING than / above|below|over|under|after|before CONTENT|NUMERIC|NUMBER|the)")
	// measured matches a number with its unit: "10000 grams".
	measured = grammar.Must("NUMERIC|NUMBER|hundred|thousand|million|billion [UNIT]")
)

// alternatives returns the number of "or"s and "nor"s that join alternatives in a question, without those in constants and in comparisons
// ("10 or more").
func alternatives(a *indicator.Alignment) int {
	s, n := newSentence(a.Question), 0
	for m := range coordinating.All(s, len(s.Words)) {
		t := s.Tokens[m.Start]
		if !slices.ContainsFunc(a.Of(indicator.Value), func(m indicator.Mention) bool { return m.Holds(t) }) {
			n++
		}
	}
	return n
}

// foreign finds paraphrases that name something of the schema that neither the
// question nor its gold SQL does. The factuality model does not know the schema:
// to it the name of a sister column may be a good synonym.
type foreign struct {
	linker  link.Linker
	db      *dataset.Database
	allowed map[string]bool // keys of names
}

// newForeign returns a check for paraphrases of an example that name other tables or columns than the question and its gold SQL do.
func newForeign(db *dataset.Database, ex *perturb.Example) *foreign {
	f := &foreign{link.Exact(db), db, map[string]bool{}}
	for _, name := range f.namesIn(ex.Question) {
		f.allowed[name] = true
	}
	for _, ref := range ex.Own {
		f.allowed[lexicon.Key(db.Column(ref).Name)] = true
	}
	for _, table := range ex.Binding.Tables() {
		if t := db.Table(table); t >= 0 {
			f.allowed[lexicon.Key(db.Tables[t].Name)] = true
		}
	}
	return f
}

// in reports whether a paraphrase names a table or column of the schema that is not allowed.
func (f *foreign) in(paraphrase string) bool {
	return slices.ContainsFunc(f.namesIn(paraphrase), func(name string) bool { return !f.allowed[name] })
}

// namesIn returns the keys of the tables and columns whose whole names a question has.
func (f *foreign) namesIn(question string) []string {
	var tokens, names []string
	for _, t := range english.Tokens(question) {
		tokens = append(tokens, question[t.Start:t.End])
	}
	for _, s := range f.linker.Link(tokens) {
		name := f.db.Tables[s.Item.Table].Name
		if !s.Item.IsTable() {
			name = f.db.Tables[s.Item.Table].Columns[s.Item.Column].Name
		}
		names = append(names, lexicon.Key(name))
	}
	return names
}
