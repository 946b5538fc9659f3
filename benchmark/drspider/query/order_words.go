package query

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// opposed is a word for one end of an order with what stands for the other end.
type opposed struct{ word, other string }

// end is such a word in a question.
type end match[opposed]

// bound tells whether the word says where a list is cut rather than how it is
// ordered; it counts only where there is nothing else.
func (e end) bound() bool { return listed("bounds", e.sense.word) }

// superlatives are the words for the ends of an order, and poles what "from … to …"
// takes.
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

// ends returns the words of a question for the ends of orders.
func ends(q *question) (found []end) {
	for m := range superlatives.in(q) {
		if e := end(m); q.isEnd(e) {
			found = append(found, e)
		}
	}
	return found
}

// endRules tell which of the words for ends are superlatives, by the words around
// them, "#" for a number behind: not those of "at least" and "at most", of "most of
// them", of first and last names. The first rule that matches counts.
var endRules = []struct {
	is      bool
	pattern *lazyregexp.Regexp
}{
	{true, lazyregexp.New(`^the (most|least|top|bottom) `)},
	{false, lazyregexp.New(`^at (most|least) [^ ]*$| (most|least) of$`)},
	{false, lazyregexp.New(`^(and|or) (first|last) `)},
	{true, lazyregexp.New(` (first|last|top|bottom) #$`)},
	{false, lazyregexp.New(` (top|bottom) | (first|last) ([[:ascii:]]?|` + strings.Join(words.Words("after part"), "|") + `)$`)},
}

func (q *question) isEnd(e end) bool {
	after := q.word(e.end)
	if _, number := q.numeralAt(e.end); number {
		after = "#"
	}
	around := q.word(e.first-1) + " " + e.sense.word + " " + after
	for _, rule := range endRules {
		if rule.pattern.MatchString(around) {
			return rule.is
		}
	}
	return true
}

// direction is what an indicator of a sorting order says, and the one for the other
// order.
type direction struct {
	desc  bool
	other string
}

// directions are the phrases of data/directions.txt.
var directions = func() phraseList[direction] {
	list := phraseList[direction]{}
	for _, row := range wordfile.Rows(directionText, 2) {
		asc := wordfile.Phrases(row[0])
		written, unread := strings.CutPrefix(row[1], "= ")
		desc := wordfile.Phrases(written)
		for _, phrase := range asc {
			list.add(phrase, direction{false, desc[0]})
		}
		if unread {
			continue
		}
		for _, phrase := range desc {
			list.add(phrase, direction{true, asc[0]})
		}
	}
	return list
}()

// sortings returns the sorting orders that a question names. "In descending
// alphabetical order" names one.
func sortings(q *question) (found []match[direction]) {
	last := -1
	for m := range directions.in(q) {
		if m.first > last {
			found = append(found, m)
			last = m.end
		}
	}
	return found
}

// course is "from A to B" in a question: the tokens of A and of B.
type course struct{ from, to [2]int }

// courses returns the courses whose ends are opposites.
func courses(q *question) (found []course) {
	for i, w := range q.words {
		if w != "from" {
			continue
		}
		for _, a := range q.phrases(i + 1) {
			if q.word(a[1]) != "to" {
				continue
			}
			for _, b := range q.phrases(a[1] + 1) {
				if poles[opposed{q.span(a), q.span(b)}] {
					found = append(found, course{a, b})
				}
			}
		}
	}
	return found
}

// phrases returns the one or two words that begin at token i, or behind "the".
func (q *question) phrases(i int) [][2]int {
	if q.word(i) == "the" {
		i++
	}
	return [][2]int{{i, i + 1}, {i, i + 2}}
}

func (q *question) span(t [2]int) string {
	if t[1] > len(q.words) {
		return ""
	}
	return strings.Join(q.words[t[0]:t[1]], " ")
}
