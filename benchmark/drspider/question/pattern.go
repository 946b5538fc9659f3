package question

import (
	_ "embed" // phrases.txt
	"regexp"
	"strings"

	"github.com/tabperturb/tabperturb/internal/phrase"
)

//go:embed data/phrases.txt
var phrasesText string

// grammar reads the patterns of this package. The classes are those of subject and
// of value.
var grammar = phrase.MustGrammar(phrasesText,
	"CONTENT", "VERB", "PARTICIPLE", "PAST", "COMPARATIVE", "ENTITY", "PERSON", "PLURAL", "NUMBER", "NUMERIC", "MEASURE",
	"COLUMN", "ROWS", "OWNNAME")

// Word is the token i in lower case, "" outside the question.
func (s *subject) Word(i int) string { return s.at(i) }

// Class returns how many tokens from i on are
//
//	CONTENT   a word that is no function word
//	VERB         a verb or participle
//	PARTICIPLE   a participle that can follow "are"
//	PAST         a form in "-ed"
//	COMPARATIVE  a form in "-er"
//	ENTITY    a noun for what the rows of a table are
//	PERSON    a noun for people
//	PLURAL    a plural
//	NUMBER    a number
//	NUMERIC   a number in digits
//	MEASURE   the name of a column with adjectives, which the gold SQL uses
func (s *subject) Class(name string, i int) int {
	word, ok := s.at(i), false
	switch name {
	case "CONTENT":
		ok = s.isContent(i)
	case "VERB":
		ok = s.verbAt(i)
	case "PARTICIPLE":
		ok = participles[word]
	case "PAST":
		ok = strings.HasSuffix(word, "ed")
	case "COMPARATIVE":
		ok = strings.HasSuffix(word, "er")
	case "ENTITY":
		ok = s.isContent(i) && s.isEntity(word)
	case "PERSON":
		ok = isPerson(word)
	case "PLURAL":
		ok = isPlural(word)
	case "NUMBER":
		ok = isNumeral(word)
	case "NUMERIC":
		ok = isNumeric(word)
	case "MEASURE":
		_, end, _ := adjectivesAt(s.sentence, i, s.db, s.columns)
		return end - i
	}
	return length(ok)
}

// length is the number of words that a class takes which is of one word.
func length(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// rewrite is a pattern with the words that take the place of its part.
type rewrite struct {
	*phrase.Pattern
	with string
}

// rewrites reads a table of rewrites, one a line:
//
//	[older than VALUE]  => over YEARS
//
// Words in capitals stand for what the pattern's element of that name took, or for
// what the rule says.
func rewrites(table string) []rewrite {
	var out []rewrite
	for line := range strings.Lines(table) {
		if pattern, with, ok := strings.Cut(line, "=>"); ok {
			out = append(out, rewrite{grammar.Must(pattern), strings.TrimSpace(with)})
		}
	}
	return out
}

var variable = regexp.MustCompile(`[A-Z]{2,}`)

// fill puts words for the variables of a text.
func (s *subject) fill(text string, m phrase.Match, variables map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if words, ok := variables[name]; ok {
			return words
		}
		return s.words(m.Get(name))
	})
}

// words is the text of a span.
func (s *subject) words(at phrase.Span) string { return s.span(at.Start, at.End) }

// replace returns the question with other words for a span.
func (s *subject) replace(at phrase.Span, words string) string {
	return s.with(at.Start, at.End, words)
}
