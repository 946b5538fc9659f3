package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// columnAttributeRules returns the rules that imply columns by adjectives: "the singer with the highest age" becomes "the oldest singer",
// "sorted by age" becomes "from youngest to oldest" (Dr.Spider, table 1).
func columnAttributeRules() []rule {
	return []rule{
		columnRule("superlative before the noun", superlativeBeforeNoun),
		columnRule("comparative", compareByAdjective),
		columnRule("order by adjectives", orderByAdjectives),
	}
}

// columnRule returns a rule that calls a function which adds drafts of a subject. Questions of more than [maxWords] words get no drafts.
func columnRule(name string, apply func(*subject, *drafts)) rule {
	return rule{name, func(src *source) []string {
		s := newSubject(src)
		if len(s.Words) > maxWords {
			return nil
		}
		d := drafts{question: s.Text}
		apply(s, &d)
		return d.list
	}}
}

// maxWords bounds the questions that rules read, in tokens.
const maxWords = 120

// withExtreme matches a clause with the superlative of a column: "with the highest age", "whose ages are the 3 lowest".
var withExtreme = grammar.Must(`[(WITH EXTREME / RELATIVE has|have|had|with EXTREME / whose MEASURE BE the* (high=HIGH / LOW))]
	CLOSED !of|between|from|over|under|above|below`)

// superlativeBeforeNoun replaces a clause with the superlative of a column by a superlative before the noun: "the singer with the highest
// age", "the singer who has the highest age" and "the singer whose age is the highest" become "the oldest singer".
func superlativeBeforeNoun(s *subject, d *drafts) {
	for m := range withExtreme.All(s, len(s.Words)) {
		adj, _, column := adjectivesAt(s.sentence, m.Get("MEASURE").Start, s.db, s.columns)
		noun, ok := s.entityBefore(m.Start, column)
		if !ok {
			continue
		}
		number := s.words(m.Get("number"))
		if number != "" && !english.IsPlural(s.Word(noun.End-1)) {
			continue // "the singer with the 3 highest ages"
		}
		superlatives := adj.least
		if m.Has("high") {
			superlatives = adj.most
		}
		for _, superlative := range superlatives {
			if q, ok := s.modified(noun, m.Part, number, superlative); ok {
				d.add(q)
			}
		}
	}
}

// isNumeral reports whether a token begins with a digit or is a number up to ten in words.
func isNumeral(w string) bool { return smallNumeral.MatchString(w) }

// smallNumeral matches what begins with a digit, and the words for 2 to 10.
var smallNumeral = lazyregexp.New(`^(\d|(two|three|four|five|six|seven|eight|nine|ten)$)`)

var (
	// nounBefore matches a noun phrase of up to three words.
	nounBefore = grammar.Must("CONTENT{1,3}")
	// phraseBefore matches a preposition with a determiner, before a noun: "in the".
	phraseBefore = grammar.Must("in|from|of|on|at|by the|each|every|all?")
)

// entityBefore returns the noun phrase that a clause about a column modifies; the clause begins at i. It tries the noun phrase
// that ends at i and then those before prepositions: of "countries in Asia" first "Asia", then
// "countries". It returns the first that names the column's table, else the first that names any table or a person, or that is
// a plural after "the" or "all" right before the clause.
func (s *subject) entityBefore(i int, column dataset.ColumnRef) (entity phrase.Span, ok bool) {
	next := i // the end of the noun phrase
	for range 4 {
		noun, found := nounBefore.Before(s, next)
		if !found {
			break
		}
		head := s.Word(next - 1)
		if s.namesRows(column.Table, head) {
			return noun.Span, true
		}
		definite := next == i && english.IsPlural(head) && s.Is(noun.Start-1, "the", "all")
		if !ok && (definite || s.isEntity(head)) {
			entity, ok = noun.Span, true
		}
		before, found := phraseBefore.Before(s, noun.Start)
		if !found {
			break
		}
		next = before.Start
	}
	return entity, ok
}

// determiner matches the article or number before a noun that can take a superlative.
var determiner = grammar.Must("!which|what|whose|no|its|their|other|most|least (counted=NUMBER / article=(all the / the|a|an|all|each|every|any))?")

// modified returns the question with a number, which may be "", and a superlative before a noun phrase, and without the clause after
// it: "the singer with the highest age" and "oldest" give "the oldest singer". It returns false for a noun that cannot take a superlative.
func (s *subject) modified(noun, clause phrase.Span, number, adjective string) (string, bool) {
	before, ok := determiner.Before(s, noun.Start)
	if !ok || slices.ContainsFunc(s.Words[noun.Start:noun.End], modifier.MatchString) {
		return "", false
	}
	start, words := noun.Start, "the "+join(number, adjective)
	switch {
	case before.Has("counted"): // "3 singers" → "3 oldest singers"
		words = adjective
	case before.Has("article"): // "all the singers" → "the oldest singers"
		start, words = before.Start, matchCase("the", s.Span(noun.Start-1, noun.Start))+" "+join(number, adjective)
	}
	end := s.Tokens[clause.End-1].End
	parts := []string{s.Text[:s.Tokens[start].Start], words, s.words(noun), s.Span(noun.End, clause.Start), s.Text[end:]}
	return english.Tidy(strings.Join(parts, " ")), true
}

// modifier matches words that a superlative would contradict.
var modifier = lazyregexp.New(`(est|^(different|distinct|unique|average|other|same))$`)

// join joins two texts by a blank; either may be "".
func join(a, b string) string { return strings.TrimSpace(a + " " + b) }
