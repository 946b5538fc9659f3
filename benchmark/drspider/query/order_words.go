package query

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// opposed is a word for one end of an order with its opposite: "oldest", "youngest".
type opposed struct{ word, other string }

// superlative is a word for an end of an order in a question.
type superlative match[opposed]

// isBound reports whether the word bounds a list rather than orders it: "the first 3".
func (e superlative) isBound() bool { return listed("bounds", e.sense.word) }

// superlatives are the words for the ends of an order. Poles are the pairs that "from … to
// …" takes: "low" and "high", "oldest" and "youngest".
var superlatives, poles = func() (phraseList[opposed], map[opposed]bool) {
	ends, pairs := phraseList[opposed]{}, map[opposed]bool{}
	add := func(row []string) {
		pairs[opposed{row[0], row[1]}], pairs[opposed{row[1], row[0]}] = true, true
	}
	for _, row := range wordfile.Rows(superlativeText, 2) {
		ends.add(row[0], opposed{row[0], row[1]})
		add(row)
	}
	for _, row := range wordfile.Rows(poleText, 2) {
		add(row)
	}
	return ends, pairs
}()

// superlativesIn returns the superlatives of a question, such as "oldest", from left to right.
func superlativesIn(q *question) (found []superlative) {
	for m := range superlatives.in(q) {
		if e := superlative(m); q.isSuperlative(e) {
			found = append(found, e)
		}
	}
	return found
}

// superlativeRules decide by the words around a word, "#" for a number after it, whether
// it is a superlative: "least" in "at least", "most" in "most of them" and "first" in
// "first name" are none. The first rule that matches counts.
var superlativeRules = []struct {
	is      bool
	pattern *lazyregexp.Regexp
}{
	{true, lazyregexp.New(`^the (most|least|top|bottom) `)},
	{false, lazyregexp.New(`^at (most|least) [^ ]*$| (most|least) of$`)},
	{false, lazyregexp.New(`^(and|or) (first|last) `)},
	{true, lazyregexp.New(` (first|last|top|bottom) #$`)},
	{false, lazyregexp.New(` (top|bottom) | (first|last) ([[:ascii:]]?|` + strings.Join(words.Words("after part"), "|") + `)$`)},
}

// isSuperlative reports by [superlativeRules] whether a word is a superlative in its place. If no rule matches it is.
func (q *question) isSuperlative(e superlative) bool {
	after := q.Word(e.end)
	if _, number := q.numeralAt(e.end); number {
		after = "#"
	}
	around := q.Word(e.first-1) + " " + e.sense.word + " " + after
	for _, rule := range superlativeRules {
		if rule.pattern.MatchString(around) {
			return rule.is
		}
	}
	return true
}

// direction is the sense of an indicator of a sorting order.
type direction struct {
	desc  bool
	other string // the indicator of the opposite order
}

// directions are the phrases of data/directions.txt.
var directions = func() phraseList[direction] {
	list := phraseList[direction]{}
	for _, row := range wordfile.Rows(directionText, 2) {
		asc := wordfile.Phrases(row[0])
		written, replacesOnly := strings.CutPrefix(row[1], "= ") // not looked for in questions
		desc := wordfile.Phrases(written)
		for _, phrase := range asc {
			list.add(phrase, direction{false, desc[0]})
		}
		if replacesOnly {
			continue
		}
		for _, phrase := range desc {
			list.add(phrase, direction{true, asc[0]})
		}
	}
	return list
}()

// sortings returns the phrases of a question for sorting orders. Of two adjacent ones it returns the first: "descending" of "in
// descending alphabetical order".
func sortings(q *question) (found []match[direction]) {
	last := -1
	for m := range directions.in(q) {
		if m.first > last { // not adjacent
			found = append(found, m)
			last = m.end
		}
	}
	return found
}

// fromTo is "from A to B" in a question: the first token of A and of B, and the token
// after them.
type fromTo struct{ from, to [2]int }

// rangesIn returns each "from A to B" whose A and B are opposites: "from low to high".
func rangesIn(q *question) (found []fromTo) {
	for i, w := range q.Words {
		if w != "from" {
			continue
		}
		for _, a := range q.phrases(i + 1) {
			if q.Word(a[1]) != "to" {
				continue
			}
			for _, b := range q.phrases(a[1] + 1) {
				if poles[opposed{q.span(a), q.span(b)}] {
					found = append(found, fromTo{a, b})
				}
			}
		}
	}
	return found
}

// phrases returns the ranges of one word and of two words that begin at token i,
// or after "the" at token i.
func (q *question) phrases(i int) [][2]int {
	if q.Word(i) == "the" {
		i++
	}
	return [][2]int{{i, i + 1}, {i, i + 2}}
}

// span returns the words from t[0] to before t[1], joined by blanks, or "" if the question is shorter.
func (q *question) span(t [2]int) string {
	if t[1] > len(q.Words) {
		return ""
	}
	return strings.Join(q.Words[t[0]:t[1]], " ")
}
