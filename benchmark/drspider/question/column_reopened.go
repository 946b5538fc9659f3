package question

import (
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// reopening is the name of the rule reopened.
const reopening = "asked in another way as well"

// reopeningRule gives the drafts of other rules another opening, as most paraphrases
// that the paper shows have one: "What are" becomes "Show me" (tables 1 and 4).
func reopeningRule(rules []rule) rule {
	return rule{reopening, func(src *source) []string {
		var out []string
		for _, r := range rules {
			for _, q := range r.apply(src) {
				out = append(out, withOtherOpenings(q)...)
			}
		}
		return out
	}}
}

// reopenings are how a question may begin, with other openings for what follows.
var reopenings = []struct {
	*phrase.Pattern
	openings []string
}{
	{grammar.Must("^ what is [the|all|different]"), []string{"give me ", "find ", "can you tell me ?"}},
	{grammar.Must("^ what are [the|all|different]"), []string{"give me ", "list ", "can you tell me ?"}},
	{grammar.Must("^ (count [the number] / find|return|show|list|give me+ [] / find|return|show|list|give [the|all|names|number])"), []string{"can you give me ?", "I want to know "}},
}

var (
	// asksWhich matches the beginning of a question with "how many" or "which".
	asksWhich = grammar.Must("^ (how many / which !of)")
	// sentenceStop matches the end of a sentence.
	sentenceStop = grammar.Must("?|.")
	// secondRequest matches a further request in the sentence: ", and sort".
	secondRequest = grammar.Must("AND and|,|then* sort|order|list|show|return|give")
)

// withOtherOpenings returns a question with other openings.
func withOtherOpenings(question string) []string {
	s := newSentence(question)
	switch {
	case secondRequest.Within(s, 0, len(s.Words)), sentenceStop.Within(s, 0, s.last()):
		return nil // several requests
	case asksWhich.Fits(s, 0):
		if s.inverted() {
			return nil
		}
		clause := lowerVerb(s.Span(0, s.last()))
		return []string{asRequest("tell me " + clause), asQuestion("can you tell me " + clause)}
	}
	var out []string
	for _, r := range reopenings {
		if m, ok := r.At(s, 0); ok {
			for _, opening := range r.openings {
				out = append(out, openWith(opening, s.Span(m.Part.Start, s.last())))
			}
		}
	}
	return out
}

var (
	// movedVerb matches "do" or "are there" outside relative clauses.
	movedVerb = grammar.Must("!RELATIVE do|does|did / BE there")
	// stranded matches a preposition at the end: "live in?".
	stranded = grammar.Must("in|from|at|of|to|on|with|for|by $")
	// movedBe matches a form of "be" outside relative clauses.
	movedBe = grammar.Must("!RELATIVE BE")
	// movedBeEach matches "is each".
	movedBeEach = grammar.Must("!RELATIVE BE every|each")
	// movedBeBefore matches "is the", "is it", "is Rome".
	movedBeBefore = grammar.Must("!RELATIVE BE the|this|these|it|they|CAPITAL")
)

// inverted reports whether the verb of a question precedes its subject, as it cannot in an indirect question: "how
// many visitors are there", "what year was the house built".
func (s sentence) inverted() bool {
	return movedVerb.Within(s, 0, len(s.Words)) || s.strands() || s.movesBe()
}

// strands reports whether a question ends with a preposition.
func (s sentence) strands() bool { return stranded.Fits(s, s.last()-1) }

// movesBe reports whether a form of "be" precedes the subject of a question.
func (s sentence) movesBe() bool {
	n := len(s.Words)
	switch {
	case s.strands():
		return movedBe.Within(s, 0, n)
	case participle(s.Word(s.last() - 1)):
		return movedBeEach.Within(s, 0, n) || movedBeBefore.Within(s, 0, n)
	}
	return movedBeEach.Within(s, 0, n)
}
