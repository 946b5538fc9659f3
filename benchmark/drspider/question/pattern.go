package question

import (
	_ "embed" // phrases.txt, words.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

//go:embed data/phrases.txt
var phrasesText string

//go:embed data/words.txt
var wordsText string

// words are the lists of data/words.txt.
var words = wordfile.ReadLists(wordsText)

// grammar reads the patterns of this package. The classes are those of sentence,
// subject and value.
var grammar = phrase.MustGrammar(phrasesText, []string{"VALUE", "PLACE"}, []string{
	"ANY", "CONTENT", "CAPITAL", "VERB", "PARTICIPLE", "PAST", "COMPARATIVE", "PROGRESSIVE", "PASSIVE", "PLURAL", "NUMBER", "NUMERIC",
	"ENTITY", "MEASURE", "CONSTANT", "MARK",
	"COLUMN", "ROWS", "OWNNAME",
	"ALONE", "EQUAL", "KEY", "KIND", "ONE", "PROPER",
})

// wordClasses are the classes that depend on the word alone.
var wordClasses = map[string]func(word string) bool{
	"ANY":         func(w string) bool { return w != "" },
	"PARTICIPLE":  func(w string) bool { return participles[w] }, // can follow "are"
	"PAST":        ending("ed"),
	"COMPARATIVE": ending("er"),
	"PROGRESSIVE": ending("ing"),
	"PASSIVE":     participle, // may be a participle after a noun: "cars made in Italy"
	"PLURAL":      english.IsPlural,
	"NUMBER":      isNumeral,
	"NUMERIC":     english.IsNumeric,
	"MARK":        func(w string) bool { return slices.Contains([]string{"“", "(", "-", ":"}, w) }, // no noun phrase goes over it
}

// ending returns the class of the words that end in a suffix.
func ending(suffix string) func(word string) bool {
	return func(w string) bool { return strings.HasSuffix(w, suffix) }
}

// Class returns 1 if the token i is of the named class, else 0. It knows [wordClasses] and
//
//	CONTENT  a word that is no function word
//	CAPITAL  a word that begins with a capital
//	VERB     a verb or participle
func (s sentence) Class(name string, i int) int {
	switch name {
	case "CONTENT":
		return phrase.One(s.isContent(i))
	case "CAPITAL":
		return phrase.One(isCapital(s.Span(i, i+1)))
	case "VERB":
		return phrase.One(s.verbAt(i))
	}
	is, ok := wordClasses[name]
	return phrase.One(ok && is(s.Word(i)))
}

// Class returns the number of tokens from i on that are of the named class. It knows the classes of sentence and
//
//	ENTITY    a noun for what the rows of a table are
//	MEASURE   the name of a column with adjectives, which the gold SQL uses; it may have several tokens
//	CONSTANT  the first word for a value
func (s *subject) Class(name string, i int) int {
	switch name {
	case "ENTITY":
		return phrase.One(s.isContent(i) && s.isEntity(s.Word(i)))
	case "MEASURE":
		_, end, _ := adjectivesAt(s.sentence, i, s.db, s.columns)
		return end - i
	case "CONSTANT":
		return phrase.One(s.valueAt(i))
	}
	return s.sentence.Class(name, i)
}

// words is the text of a span.
func (s *subject) words(at phrase.Span) string { return s.Span(at.Start, at.End) }

// replace returns the question with other words for a span.
func (s *subject) replace(at phrase.Span, words string) string {
	return s.with(at.Start, at.End, words)
}

// patterns parses a list of patterns, one on each line.
func patterns(list string) []*phrase.Pattern {
	var out []*phrase.Pattern
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, grammar.Must(line))
		}
	}
	return out
}

// onAny reports whether one of the patterns matches around the span, which takes the place of its anchor.
func (s *subject) onAny(list []*phrase.Pattern, at phrase.Span) bool {
	return slices.ContainsFunc(list, func(p *phrase.Pattern) bool {
		_, ok := p.On(s, at)
		return ok
	})
}

// verbAt reports whether the content word at i may be a verb, a participle or a comparative ("older than"), and so no
// further part of a noun phrase.
func (s sentence) verbAt(i int) bool {
	w := s.Word(i)
	if strings.HasSuffix(w, "er") && s.Is(i+1, "than") { // "older than"
		return true
	}
	return participles[w] || strings.HasSuffix(w, "ed")
}
