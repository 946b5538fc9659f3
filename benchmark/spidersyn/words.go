package spidersyn

import (
	_ "embed" // data/words.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/words.txt
var wordText string

// word is a word of a question. A token in which hyphens or underscores join
// words has several.
type word struct {
	start, end int    // bytes in the question, without a possessive ending
	text       string // lower case; empty for marks and quotations
	singular   string // text in the singular
	token      int    // of english.Tokens
}

// in reports whether the word is of a linked span.
func (w word) in(s link.Span) bool { return s.Start <= w.token && w.token < s.End }

// questionWords splits a question into its tokens and their words. A quoted token is a value, so it is the mark `"`
// among the tokens and has no word with text.
func questionWords(question string) (tokens []string, words sentence) {
	spans := english.Tokens(question)
	quoted := english.Quoted(question, spans)
	for i, t := range spans {
		text := t.Of(question)
		if quoted[i] {
			text = `"`
		}
		tokens = append(tokens, text)
		words = append(words, tokenWords(text, t.Start, i)...)
	}
	return tokens, words
}

// tokenWords returns the words of a token that begins at byte start: "home-town" has two. A mark, or a token that the
// lexicon splits otherwise ("FlightNo", "1st-class"), is one word without text.
func tokenWords(text string, start, token int) []word {
	stem := withoutPossessive(text)
	lower := strings.ToLower(stem)
	pieces := strings.FieldsFunc(lower, isJoint)
	if len(pieces) == 0 || len(lower) != len(stem) || strings.Join(lexicon.Words(stem), " ") != strings.Join(pieces, " ") {
		return []word{{start: start, end: start + len(text), token: token}}
	}
	var words []word
	at := 0
	for _, p := range pieces {
		at += strings.Index(lower[at:], p)
		words = append(words, word{start: start + at, end: start + at + len(p), text: p, singular: english.Singular(p), token: token})
		at += len(p)
	}
	return words
}

// isJoint reports whether a mark joins words to one token.
func isJoint(r rune) bool { return strings.ContainsRune("-_", r) }

// withoutPossessive returns a token without "'s" at its end.
func withoutPossessive(token string) string {
	for _, ending := range []string{"'s", "’s", "'S", "’S"} {
		if stem, ok := strings.CutSuffix(token, ending); ok {
			return stem
		}
	}
	return token
}

// classes are the classes of words of data/words.txt.
var classes = wordfile.ReadLists(wordText)

// isOfClass reports whether a word is of a class.
func isOfClass(class, w string) bool { return slices.Contains(classes.Words(class), w) }

// sentence is a question as the list of its words, on which patterns match.
type sentence []word

// Word returns the word at i, or "" for marks and beyond the question.
func (s sentence) Word(i int) string {
	if i < 0 || i >= len(s) {
		return ""
	}
	return s[i].text
}

// Class implements [phrase.Text]: it returns 1 if the word at i is of a class, else 0. A word is of PLURAL if its singular differs,
// and of another class if data/words.txt lists its singular there.
func (s sentence) Class(name string, i int) int {
	switch {
	case s.Word(i) == "":
		return 0
	case name == "PLURAL":
		return phrase.One(s[i].singular != s[i].text)
	}
	return phrase.One(isOfClass(name, s[i].singular))
}

var grammar = phrase.MustGrammar("", []string{"VALUE"}, []string{"PLURAL", "REQUEST"})

// verbs match the words around a verb, as in "do they teach" and "to order" ("flights to
// airports" has none), or around the imperative of a question ("Show the …").
var verbs = []*phrase.Pattern{
	grammar.Must("they|we|i|you|he|she|it|who|not|please VALUE"),
	grammar.Must("to !PLURAL VALUE"),
	grammar.Must("^ VALUE the|all|each|every|me|us|how|what|which"),
}

// requests match the words around a request: it is at the beginning, before what it asks for, or
// of another thing ("the channel that shows").
var requests = []*phrase.Pattern{
	grammar.Must("^ VALUE"),
	grammar.Must("that VALUE"),
	grammar.Must("VALUE the|all|each|every|me|us|them|by|their|its"),
}

// setPhrases match the words around the noun of a set phrase: "into account", "in order to", but not "in the order of".
var setPhrases = []*phrase.Pattern{
	grammar.Must("into VALUE"),
	grammar.Must("in|on|by|with VALUE of|to"),
}

// isSetNoun reports whether the word at i is the noun of a set phrase: "account" in "into account".
func (s sentence) isSetNoun(i int) bool {
	return s.Class("SETNOUN", i) > 0 && s.matchesAny(setPhrases, i, i+1)
}

// matchesAny reports whether one of the patterns matches with VALUE at the words from start to
// before end.
func (s sentence) matchesAny(patterns []*phrase.Pattern, start, end int) bool {
	return slices.ContainsFunc(patterns, func(p *phrase.Pattern) bool {
		_, ok := p.On(s, phrase.Span{Start: start, End: end})
		return ok
	})
}

// isVerb reports whether the words around the words first to last show that they are
// used as a verb.
func (s sentence) isVerb(first, last int) bool { return s.matchesAny(verbs, first, last+1) }

// mayBeVerb reports whether the words first to last are one word that may be a verb: one that is listed as a verb too, or a
// singular after a plural ("How many visits price less than 100"). A word that begins a sentence or follows an article
// or the like is taken for a noun; pronouns and auxiliaries (class SUBJECT) may precede a verb.
func (s sentence) mayBeVerb(first, last int) bool {
	before := s.Word(first - 1)
	switch {
	case first != last, before == "", namesNothing(before) && !isOfClass("SUBJECT", before):
		return false
	case s.Class("VERB", first) > 0:
		return true
	}
	return s.Class("PLURAL", first-1) > 0 && s.Class("PLURAL", first) == 0
}

// isImperative reports whether the word at i asks for something, as "Show" in "Show the names".
func (s sentence) isImperative(i int) bool {
	return s.Class("REQUEST", i) > 0 && s.matchesAny(requests, i, i+1)
}
