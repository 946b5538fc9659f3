package question

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
)

// columnSynonymRules returns the rules that replace the words for columns by synonyms: "the hometown" by
// "the birthplace".
func columnSynonymRules() []rule {
	return []rule{
		columnRule("synonym", replaceColumns),
	}
}

//go:embed data/column_synonyms.txt
var synonymsText string

// questionSynonyms are the synonyms that suit a sentence.
var questionSynonyms = sync.OnceValue(func() *lexicon.Thesaurus {
	fail := func(err error) { panic(err) } // a test keeps the file well-formed
	t, err := lexicon.ReadThesaurus("column_synonyms.txt", strings.NewReader(synonymsText), fail)
	if err != nil {
		fail(err)
	}
	return t
})

// replaceColumns adds a draft for each synonym of the words for a column, which replaces them at all their places: "the capacity of the venue"
// becomes "the size of the venue".
func replaceColumns(s *subject, d *drafts) {
	for _, occurrences := range s.columnOccurrences() {
		for _, w := range s.replacements(occurrences[0]) {
			if q, ok := s.replaced(occurrences, w); ok {
				d.add(q)
			}
		}
	}
}

// replaced returns the question with a synonym in the place of all occurrences of a column's words, in the number and
// case of each. It returns false if the synonym does not fit at one of them.
func (s *subject) replaced(occurrences []occurrence, synonym string) (string, bool) {
	if s.splitsWord(occurrences, synonym) || s.breaksNamePair(synonym) {
		return "", false
	}
	next := s.sentence
	for _, p := range slices.Backward(occurrences) {
		words, at := synonym, p.Span
		if head, ok := strings.CutPrefix(synonym, headOnly); ok { // replaces the last word only
			words, at.Start = head, p.End-1
		}
		if english.IsPlural(s.Word(p.End - 1)) {
			words = english.Plural(words)
		}
		if !s.fits(p, words) || !s.isNew(words, p) {
			return "", false
		}
		next = newSentence(next.with(at.Start, at.End, matchCase(words, s.Span(at.Start, at.Start+1))))
	}
	return next.Text, true
}

// splitsWord reports whether a synonym lacks a word before the head of a column's name that the question has elsewhere too: "purchaser
// name" for "buyer name" in a question about "which buyers" would use two words for one thing.
func (s *subject) splitsWord(occurrences []occurrence, synonym string) bool {
	place := occurrences[0].Span
	return slices.ContainsFunc(s.Words[place.Start:place.End-1], func(w string) bool {
		isWord := func(other string) bool { return english.Singular(other) == english.Singular(w) }
		return !functionWords[w] && !slices.ContainsFunc(wordsOf(synonym), isWord) && lists.Count(s.Words, isWord) > len(occurrences)
	})
}

// pairs are names that go together, each with those that it does not go with: "the given name and last name".
var pairs = map[string][]string{
	"given name": {"last name", "surname"}, "forename": {"last name", "family name"}, "family name": {"first name", "forename"},
}

// breaksNamePair reports whether the question has a name that a synonym does not go with, by [pairs]: "last name" for "given name".
func (s *subject) breaksNamePair(synonym string) bool {
	text := " " + english.SingularPhrase(strings.Join(s.Words, " ")) + " "
	return slices.ContainsFunc(pairs[synonym], func(name string) bool {
		return strings.Contains(strings.ReplaceAll(text, "names ", "name "), " "+name+" ")
	})
}

// fits reports whether words fit into the place of a column's name, by the words around it: after "the singer's" only one word, after "each"
// only a singular.
func (s *subject) fits(p occurrence, words string) bool {
	many := english.IsPlural(s.Word(p.End - 1))
	switch {
	case strings.Contains(words, " ") && s.onAny(fitsOneWordOnly, p.Span):
		return false
	case many && strings.Contains(words, " of "): // "the titles of song by singers"
		return !s.Is(p.End, "by", "of")
	case !many && english.IsPlural(words): // "what is the details"
		return !s.onAny(fitsSingularOnly, p.Span)
	}
	return true
}

// fitsOneWordOnly are places that no phrase of several words fits: "the singer's PLACE".
var fitsOneWordOnly = patterns(`
	's|a|an|most PLACE
`)

// fitsSingularOnly are places that only a singular fits: "each PLACE".
var fitsSingularOnly = patterns(`
	is|each|every PLACE
	is ANY PLACE
	PLACE is|was|has
`)

// headOnly begins a synonym that replaces the last word of a place alone.
const headOnly = "~ "

// occurrence is where a question names a column.
type occurrence struct {
	phrase.Span
	column dataset.ColumnRef
}

// columnOccurrences returns the places where the question names columns by words of their names, in one list for each
// wording, such as "home town". It drops a wording if [subject.isPlainNoun] is false for one of its places.
func (s *subject) columnOccurrences() [][]occurrence {
	var order []string
	occurrences := map[string][]occurrence{}
	dropped := map[string]bool{} // wordings
	for _, m := range s.alignment.Mentions {
		at, ok := s.tokensOf(m)
		if !ok || m.Kind != indicator.Column || !slices.Contains([]indicator.Via{indicator.Name, indicator.Part}, m.Via) {
			continue
		}
		p, words := occurrence{at, m.Column}, english.SingularPhrase(strings.Join(s.Words[at.Start:at.End], " "))
		if occurrences[words] == nil {
			order = append(order, words)
		}
		occurrences[words] = append(occurrences[words], p)
		if !s.isPlainNoun(p, m.Via) {
			dropped[words] = true
		}
	}
	var out [][]occurrence
	for _, words := range order {
		if !dropped[words] {
			out = append(out, occurrences[words])
		}
	}
	return out
}

// notPlain are places whose words belong to a longer name, name a value or are no noun: "weight class", "first and
// last name", "the city of Paris", "how much does it cost".
var notPlain = patterns(`
	PLACE CONTENT&!VERB
	PLACE "|'|MARK|CONSTANT
	PLACE of the|"|'* CONSTANT
	SHARED and|or|, PLACE
	do|does|did ANY PLACE
	do|does|did ANY ANY PLACE
`)

// isPlainNoun reports whether a place is a noun phrase of its own that names the
// column: no verb, no part of a longer name, and not the name of a value ("the city of Paris").
func (s *subject) isPlainNoun(p occurrence, via indicator.Via) bool {
	switch {
	case s.onAny(notPlain, p.Span), s.quoted(p.Start), s.Is(p.Start-1, "("):
		return false
	case p.End-p.Start == 1 && s.onAny(maybeVerb, p.Span): // "that costs more"
		return false
	case s.Is(p.End-1, "title") && s.Is(p.End, "is", "are", "was"): // "whose title is"
		return false
	}
	last := english.SingularPhrase(s.Word(p.End - 1))
	if participles[last] || likeVerb.MatchString(last) { // "rating" is a noun only if it is on the list
		return isTermInAnyNumber(strings.Join(s.Words[p.Start:p.End], " "))
	}
	if via != indicator.Part {
		return true
	}
	// A part of the name must end as the name does, and follow no content word.
	name := lexicon.Words(lexicon.Normal(s.db.Column(p.column).Name))
	return !s.isContent(p.Start-1) && len(name) > 0 && name[len(name)-1] == last
}

// maybeVerb are places in which one word may be a verb: "that costs more".
var maybeVerb = patterns(`
	that|who|which|to PLACE
`)

// likeVerb matches a word that has the form of a verb.
var likeVerb = lazyregexp.New(`(ed|ing)$`)

// valueAt reports whether the mention of a value begins at the token i.
func (s *subject) valueAt(i int) bool {
	return s.Word(i) != "" && slices.ContainsFunc(s.alignment.Of(indicator.Value), func(m indicator.Mention) bool {
		return m.Start == s.Tokens[i].Start
	})
}

// quoted reports whether the token i is within a quotation: an odd number of quotation marks comes before it.
func (s *subject) quoted(i int) bool {
	odd := false
	for k := range i {
		if s.Is(k, "\"", "'", "“", "”") {
			odd = !odd
		}
	}
	return odd
}

// replacements returns synonyms, in the singular, for the words of a place: those of the sense that the column has in its
// table, then those of data/column_synonyms.txt. If neither has the words, it returns [headOnly] and a synonym of their last
// word.
func (s *subject) replacements(p occurrence) []string {
	words := strings.ToLower(s.words(p.Span))
	out := s.senseNames(p, words)
	for _, w := range s.synonyms(words) {
		if !slices.Contains(out, w) && addsWord(w, words) {
			out = append(out, w)
		}
	}
	if oneWord := p.End-p.Start == 1; oneWord || len(out) > 0 || isTermInAnyNumber(words) {
		return out
	}
	ofHead := s.synonyms(s.Word(p.End - 1))
	if at := slices.IndexFunc(ofHead, func(w string) bool { return !strings.Contains(w, " ") }); at >= 0 {
		return []string{headOnly + ofHead[at]}
	}
	return nil
}

// senseNames returns the names of the column's sense that may replace the words of a place. It returns none if the words are not the
// column's whole name.
func (s *subject) senseNames(p occurrence, words string) []string {
	if s.senses == nil || lexicon.Normal(words) != lexicon.Normal(lexicon.Bare(s.db.Column(p.column).Name)) {
		return nil
	}
	return nounsOf(s.senses, s.db, p.column)
}

// isTermInAnyNumber reports whether data/column_synonyms.txt has the term, in either number.
func isTermInAnyNumber(term string) bool { return isTerm(term) || isTerm(english.SingularPhrase(term)) }

// isTerm reports whether data/column_synonyms.txt has the term as it is written.
func isTerm(term string) bool {
	return len(questionSynonyms().Synonyms(term)) > 0 || len(lexicon.RestrictedSynonyms(questionSynonyms(), term)) > 0
}

// synonyms returns the synonyms, in the singular, that data/column_synonyms.txt has for a term in either number in the domain of the
// gold SQL's tables.
func (s *subject) synonyms(term string) []string {
	for _, t := range []string{term, english.SingularPhrase(term)} {
		if isTerm(t) {
			list := lexicon.In(questionSynonyms(), s.domain()).Synonyms(t)
			return slices.DeleteFunc(list, func(w string) bool { return w == t })
		}
	}
	return nil
}

// unlikeNoun reports whether a name cannot replace a noun in a sentence: it ends with a preposition, a participle or
// an adjective of headers ("years old").
func unlikeNoun(name string) bool {
	_, last := english.CutLast(name)
	switch {
	case functionWords[last], participles[last], strings.HasSuffix(last, "ed"):
		return true
	}
	return slices.Contains(words.Words("header"), last)
}

// domain returns the only domain of the tables that the gold SQL uses, or "" if they
// have none or several.
func (s *subject) domain() string {
	domains := map[string]bool{}
	for _, e := range s.elements {
		if e.Kind == indicator.Table {
			domains[s.Domain(s.db.Tables[e.Table])] = true
		}
	}
	delete(domains, "")
	if len(domains) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(domains))[0]
}

// isNew reports whether a synonym for the words of a place is none of the question's words and no name of another table or column of
// the schema, and does not repeat the word before or after the place.
func (s *subject) isNew(synonym string, p occurrence) bool {
	words := lexicon.Words(lexicon.Normal(synonym))
	if len(words) == 0 || s.namesOther(synonym, p.column) || strings.Contains(strings.ToLower(s.Text), synonym) {
		return false
	}
	before, after := english.SingularPhrase(s.Word(p.Start-1)), english.SingularPhrase(s.Word(p.End))
	return words[0] != before && words[len(words)-1] != after
}

// namesOther reports whether words are the name of a table, of another column than the one given, or of one that ADD may add to the
// schema.
func (s *subject) namesOther(words string, column dataset.ColumnRef) bool {
	isName := func(name string) bool { return lexicon.Normal(name) == lexicon.Normal(words) }
	if slices.ContainsFunc(s.db.Tables, func(t dataset.Table) bool { return isName(t.Name) }) {
		return true
	}
	if isName(s.db.Column(column).Name) {
		return false
	}
	if s.senses.Adds(column, words) {
		return true
	}
	for other := range s.db.AllColumns() {
		if isName(s.db.Column(other).Name) {
			return true
		}
	}
	return false
}
