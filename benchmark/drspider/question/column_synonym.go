package question

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
)

// columnSynonymRules replace the words for columns by synonyms: "the hometown" by
// "the birthplace".
func columnSynonymRules() []rule {
	return []rule{
		columnRule("synonym", replaceColumns),
		columnRule("two synonyms", replaceTwoColumns),
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

func replaceColumns(s *subject, d *drafts) {
	for _, places := range s.columnPlaces() {
		for _, w := range s.replacements(places[0]) {
			if q, ok := s.replaced(places, w); ok {
				d.add(q)
			}
		}
	}
}

// replaceTwoColumns replaces two columns at once, each by its best synonym.
func replaceTwoColumns(s *subject, d *drafts) {
	all := s.columnPlaces()
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			one, two := s.replacements(all[i][0]), s.replacements(all[j][0])
			if len(one) == 0 || len(two) == 0 {
				continue
			}
			if q, ok := s.replaced(all[i], one[0]); ok {
				next := *s.source
				next.question, next.alignment = q, indicator.New(s.ex, s.db).Align(q)
				again := newSubject(&next)
				for _, places := range again.columnPlaces() {
					if again.words(places[0].Span) == s.words(all[j][0].Span) {
						if q, ok := again.replaced(places, two[0]); ok {
							d.add(q)
						}
					}
				}
			}
		}
	}
}

// replaced returns the question with a synonym in all places, in the number and
// case of each.
func (s *subject) replaced(places []place, synonym string) (string, bool) {
	again := s.sentence
	for _, p := range slices.Backward(places) {
		words, at := synonym, p.Span
		if head, ok := strings.CutPrefix(synonym, headOnly); ok {
			words, at.Start = head, p.End-1
		}
		many := english.IsPlural(s.Word(p.End - 1))
		if many {
			words = english.Plural(words)
		}
		switch {
		case english.IsPlural(words) && !many && s.onAny(takesOne, p.Span):
			return "", false // "what is the details"
		case many && strings.Contains(words, " of ") && s.Is(p.End, "by", "of"):
			return "", false // "the titles of song by singers"
		case strings.Contains(words, " ") && s.Is(p.Start-1, "'s", "a", "an", "most"), !s.clear(words, p):
			return "", false
		}
		again = newSentence(again.with(at.Start, at.End, matchCase(words, s.Span(at.Start, at.Start+1))))
	}
	return again.Text, true
}

// takesOne are places where the words around want a singular.
var takesOne = patterns(`
	is|each|every PLACE
	is ANY PLACE
	PLACE is|was|has
`)

// headOnly marks a synonym of the last word of a place.
const headOnly = "~ "

// place is where a question names a column.
type place struct {
	phrase.Span
	column dataset.ColumnRef
}

// columnPlaces returns where the question names columns by words of their own, in
// order, the places with the same words together. What names a value ("the city of
// Paris"), verbs and parts of longer names are left out, and with them all places
// of these words.
func (s *subject) columnPlaces() [][]place {
	var order []string
	places := map[string][]place{}
	bad := map[string]bool{}
	for _, m := range s.alignment.Mentions {
		at, ok := s.tokensOf(m)
		if !ok || m.Kind != indicator.Column || !slices.Contains([]indicator.Via{indicator.Name, indicator.Part}, m.Via) {
			continue
		}
		p, words := place{at, m.Column}, english.SingularPhrase(strings.Join(s.Words[at.Start:at.End], " "))
		if places[words] == nil {
			order = append(order, words)
		}
		places[words] = append(places[words], p)
		bad[words] = bad[words] || !s.plainNoun(p, m.Via)
	}
	var out [][]place
	for _, words := range order {
		if !bad[words] {
			out = append(out, places[words])
		}
	}
	return out
}

// notPlain are places whose words are part of a longer name, stand for a value or
// are no noun: "weight class", "first and last name", "the city of Paris", "how
// much does it cost".
var notPlain = patterns(`
	PLACE CONTENT&!VERB
	PLACE "|'|MARK|CONSTANT
	PLACE of the|"|'* CONSTANT
	SHARED and|or|, PLACE
	do|does|did ANY PLACE
	do|does|did ANY ANY PLACE
`)

// plainNoun reports whether a place is a noun phrase of its own that stands for the
// column and not for one of its values.
func (s *subject) plainNoun(p place, via indicator.Via) bool {
	head, oneWord := s.Word(p.End-1), p.End-p.Start == 1
	switch {
	case s.onAny(notPlain, p.Span), s.quoted(p.Start), s.Is(p.Start-1, "("):
		return false
	case oneWord && s.Is(p.Start-1, "that", "who", "which", "to"), head == "title" && s.Is(p.End, "is", "are", "was"):
		return false // "that costs more", "whose title is"
	}
	last := english.SingularPhrase(head)
	switch name := lexicon.Words(lexicon.Normal(s.db.Column(p.column).Name)); {
	case participles[last], strings.HasSuffix(last, "ed"), strings.HasSuffix(last, "ing"):
		return known(strings.Join(s.Words[p.Start:p.End], " "))
	case via == indicator.Part:
		return len(name) > 0 && name[len(name)-1] == last && !s.isContent(p.Start-1)
	}
	return true
}

// valueAt reports whether words for a value begin at the token i, or stand before it
// ("the Caribbean region").
func (s *subject) valueAt(i int) bool {
	return s.Word(i) != "" && slices.ContainsFunc(s.alignment.Mentions, func(m indicator.Mention) bool {
		return m.Kind == indicator.Value && m.Start == s.Tokens[i].Start
	})
}

// quoted reports whether the token i stands in quotes.
func (s *subject) quoted(i int) bool {
	n := 0
	for k := range i {
		if s.Is(k, "\"", "'", "“", "”") {
			n++
		}
	}
	return n%2 == 1
}

// replacements returns synonyms for the words of a place, in the singular: those of the
// sense that the column has in its table, or of the file of this package; for the whole,
// else for its head, which are marked.
func (s *subject) replacements(p place) []string {
	words := strings.ToLower(s.words(p.Span))
	out := s.sensed(p, words)
	for _, w := range s.synonyms(words) {
		if !slices.Contains(out, w) && saysOtherwise(w, words) {
			out = append(out, w)
		}
	}
	if len(out) > 0 || p.End-p.Start == 1 || known(words) {
		return out
	}
	for _, w := range s.synonyms(s.Word(p.End - 1)) {
		if !strings.Contains(w, " ") {
			return []string{headOnly + w}
		}
	}
	return nil
}

// sensed returns the names that may stand for the column of a place, where its words are
// the column's name.
func (s *subject) sensed(p place, words string) []string {
	if s.senses == nil || lexicon.Normal(words) != lexicon.Normal(lexicon.Bare(s.db.Column(p.column).Name)) {
		return nil
	}
	return nounsOf(s.senses, s.db, p.column)
}

// known reports whether the file of this package has the term, in either number.
func known(term string) bool { return listed(term) || listed(english.SingularPhrase(term)) }

// listed reports whether the file of this package has the term as it is written.
func listed(term string) bool {
	return len(questionSynonyms().Synonyms(term)) > 0 || len(lexicon.RestrictedSynonyms(questionSynonyms(), term)) > 0
}

// synonyms returns the synonyms of a term in the file of this package, in the singular,
// in the domain of the database.
func (s *subject) synonyms(term string) []string {
	for _, t := range []string{term, english.SingularPhrase(term)} {
		if listed(t) {
			list := lexicon.In(questionSynonyms(), s.domain()).Synonyms(t)
			return slices.DeleteFunc(list, func(w string) bool { return w == t })
		}
	}
	return nil
}

// unlikeNoun reports whether a synonym cannot stand for a noun in a sentence: it
// ends with a preposition, a participle or an adjective of header style.
func unlikeNoun(words string) bool {
	_, last := english.CutLast(words)
	switch {
	case functionWords[last], participles[last], strings.HasSuffix(last, "ed"):
		return true
	}
	return slices.Contains([]string{"old", "no", "full", "out"}, last)
}

// domain returns the domain of the tables that the gold SQL uses, "" where they
// are of none or of several.
func (s *subject) domain() string {
	var domains []string
	for _, e := range s.elements {
		if e.Kind != indicator.Table {
			continue
		}
		if d := s.Domain(s.db.Tables[e.Table]); d != "" && !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	if len(domains) == 1 {
		return domains[0]
	}
	return ""
}

// clear reports whether a synonym names no other table or column of the schema, and
// the question does not say it yet.
func (s *subject) clear(synonym string, p place) bool {
	name := lexicon.Normal(synonym)
	isName := func(other string) bool { return lexicon.Normal(other) == name }
	isOwn := isName(s.db.Column(p.column).Name)
	words := lexicon.Words(name)
	taken := slices.ContainsFunc(s.db.Tables, func(t dataset.Table) bool {
		return isName(t.Name) || !isOwn && slices.ContainsFunc(t.Columns, func(c dataset.Column) bool { return isName(c.Name) })
	})
	if taken || len(words) == 0 || strings.Contains(strings.ToLower(s.Text), synonym) {
		return false
	}
	return words[0] != english.SingularPhrase(s.Word(p.Start-1)) && words[len(words)-1] != english.SingularPhrase(s.Word(p.End))
}
