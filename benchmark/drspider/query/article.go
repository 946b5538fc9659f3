package query

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/perturb"
)

// definite are names, in lower case, that go with "the", and endings of such names.
var (
	definite = strings.Fields("usa us u.s. u.s.a. uk u.k. uae eu ussr netherlands philippines bahamas maldives gambia caribbean antarctic arctic vatican")
	heads    = strings.Fields("states kingdom republic islands emirates federation union empire isles antilles")
)

// goesWithThe tells whether a name goes with "the" wherever it stands.
func goesWithThe(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 {
		return false
	}
	return slices.Contains(definite, strings.Join(words, " ")) || words[0] == "united" && len(words) > 1 || slices.Contains(heads, words[len(words)-1])
}

// takesArticle tells whether a text may take the place of the one at a place of the
// question as far as the article goes: "the" before the old one must go with the new
// one too, and where there is none the new one must not need it. Where a noun
// follows, as in "the Alton airport", the article is the noun's.
func (q *question) takesArticle(at perturb.Token, text string) bool {
	first := slices.IndexFunc(q.tokens, func(t perturb.Token) bool { return t.Start >= at.Start })
	next := slices.IndexFunc(q.tokens, func(t perturb.Token) bool { return t.Start >= at.End })
	possessive := slices.ContainsFunc(q.tokens, func(t perturb.Token) bool { return t.Start < at.End && t.End > at.End })
	if !possessive && next >= 0 && !q.endsNoun(next) || quoted(q.text, at) {
		return true
	}
	was := q.text[at.Start:at.End]
	if q.word(first-1) == "the" {
		return goesWithThe(text) || sameHead(was, text)
	}
	return goesWithThe(was) || !goesWithThe(text)
}

// endsNoun tells whether token i, right behind a name, does not belong to the same
// noun: it is a mark or a word of grammar.
func (q *question) endsNoun(i int) bool {
	w := q.text[q.tokens[i].Start:q.tokens[i].End]
	return !inWord([]rune(w)[0]) || slices.Contains(afterNouns, strings.ToLower(w))
}

// afterNouns are words that follow a whole noun.
var afterNouns = strings.Fields(`and or but nor not in on at of to from for by with without as than who whose whom which that where when while
	is are was were be been has have had do does did can could will would should may might must also only too both either s`)

// sameHead tells whether two names of several words end in the same noun: "the
// Ford Motor Company", "the Toyota Company".
func sameHead(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return len(x) > 1 && len(y) > 1 && strings.EqualFold(x[len(x)-1], y[len(y)-1])
}
