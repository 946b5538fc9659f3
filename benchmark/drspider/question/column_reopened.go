package question

import (
	"slices"
	"strings"
)

// reopening is the name of the rule reopened.
const reopening = "asked in another way as well"

// isReopened tells whether a note, of one rule or of two, is of a draft by reopened.
func isReopened(note string) bool { return strings.Contains(note, reopening) }

// reopened gives the drafts of other rules another opening, as most paraphrases
// that the paper shows have one: "What are" becomes "Show me" (tables 1 and 4).
func reopened(rules []rule) rule {
	return rule{reopening, func(src *source) []string {
		var out []string
		for _, r := range rules {
			for _, q := range r.apply(src) {
				out = append(out, openedAnew(q)...)
			}
		}
		return out
	}}
}

// openedAnew returns a question with other openings.
func openedAnew(question string) []string {
	s := newSentence(question)
	rest := func(i int) string { return s.span(i, s.last()) }
	if slices.ContainsFunc(s.low[:s.last()], func(w string) bool { return w == "?" || w == "." }) {
		return nil // several sentences
	}
	for i := range s.low {
		if s.is(i, "and", ",") && s.is(s.skip(i, "and", ",", "then"), "sort", "order", "list", "show", "return", "give") {
			return nil // a second request
		}
	}
	switch {
	case s.is(0, "what") && s.is(1, "is", "are") && s.is(2, "the", "all", "different"):
		verb := "list "
		if s.is(1, "is") {
			verb = "find "
		}
		return []string{ordered("give me " + rest(2)), ordered(verb + rest(2)), asked("can you tell me " + rest(2))}
	case (s.is(0, "how") && s.is(1, "many") || s.is(0, "which") && !s.is(1, "of")) && !s.inverted():
		return []string{ordered("tell me " + lowerFirst(rest(0))), asked("can you tell me " + lowerFirst(rest(0)))}
	case s.is(0, "count") && !s.has(1, "the number"):
		return nil
	case s.is(0, "count", "find", "return", "show", "list", "give") && (s.is(1, "the", "all", "names", "number") || s.is(1, "me")):
		i := s.skip(1, "me")
		return []string{asked("can you give me " + rest(i)), ordered("I want to know " + rest(i))}
	}
	return nil
}

// inverted tells whether the verb of a question stands before its subject, as it
// cannot in an indirect one: "how many visitors are there", "what year was the
// house built".
func (s sentence) inverted() bool {
	for i := range s.low {
		if s.is(i, "do", "does", "did") && !s.is(i-1, "that", "who", "which") || s.is(i, "is", "are", "was", "were") && s.is(i+1, "there") {
			return true
		}
	}
	return s.strands() || s.movesBe()
}

// strands tells whether a question ends with a preposition.
func (s sentence) strands() bool {
	return s.is(s.last()-1, "in", "from", "at", "of", "to", "on", "with", "for", "by")
}

// movesBe tells whether a form of "be" stands before the subject of a question.
func (s sentence) movesBe() bool {
	for i := range s.low {
		if s.is(i, "is", "are", "was", "were") && !s.is(i-1, "that", "who", "which") && (s.strands() || s.is(i+1, "every", "each") || s.subjectAt(i+1) && participle(s.at(s.last()-1))) {
			return true
		}
	}
	return false
}

// subjectAt tells whether the subject of a question, and none of its complements,
// may begin at the token i: an article or a name.
func (s sentence) subjectAt(i int) bool {
	return s.is(i, "the", "this", "these", "it", "they") || i < len(s.low) && isCapital(s.span(i, i+1))
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
