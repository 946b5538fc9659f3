package query

import (
	"slices"
	"strings"
)

// opposites lists words for the ends of an order and what stands for the other
// end (Dr.Spider, table 10, and their like). A word that is read stands on the
// left; the longest that fits counts.
var opposites = []struct{ word, other string }{
	{"most", "least"},
	{"least", "most"},
	{"fewest", "most"},
	{"greatest number", "fewest number"},
	{"fewest number", "greatest number"},
	{"greatest amount", "smallest amount"}, // table 10 has "fewest amount", which is not said
	{"fewest amount", "greatest amount"},
	{"highest", "lowest"},
	{"lowest", "highest"},
	{"largest", "smallest"},
	{"smallest", "largest"},
	{"biggest", "smallest"},
	{"greatest", "smallest"},
	{"maximum", "minimum"},
	{"minimum", "maximum"},
	{"maximal", "minimal"},
	{"minimal", "maximal"},
	{"max", "min"},
	{"min", "max"},
	{"oldest", "youngest"},
	{"youngest", "oldest"},
	{"eldest", "youngest"},
	{"newest", "oldest"},
	{"earliest", "latest"},
	{"latest", "earliest"},
	{"soonest", "latest"},
	{"most recent", "earliest"},
	{"most recently", "earliest"},
	{"longest", "shortest"},
	{"shortest", "longest"},
	{"tallest", "shortest"},
	{"heaviest", "lightest"},
	{"lightest", "heaviest"},
	{"fastest", "slowest"},
	{"slowest", "fastest"},
	{"quickest", "slowest"},
	{"best", "worst"},
	{"worst", "best"},
	{"strongest", "weakest"},
	{"weakest", "strongest"},
	{"richest", "poorest"},
	{"poorest", "richest"},
	{"deepest", "shallowest"},
	{"shallowest", "deepest"},
	{"widest", "narrowest"},
	{"narrowest", "widest"},
	{"thickest", "thinnest"},
	{"thinnest", "thickest"},
	{"hottest", "coldest"},
	{"warmest", "coldest"},
	{"coldest", "warmest"},
	{"closest", "farthest"},
	{"nearest", "farthest"},
	{"farthest", "nearest"},
	{"furthest", "nearest"},
	{"cheapest", "most expensive"},
	{"most expensive", "cheapest"},
	{"priciest", "cheapest"},
	{"rarest", "most common"},
	{"commonest", "rarest"},
	{"hardest", "easiest"},
	{"easiest", "hardest"},
	{"busiest", "least busy"},
	{"first", "last"},
	{"last", "first"},
	{"top", "bottom"},
	{"bottom", "top"},
}

// poles lists pairs of plain adjectives and names that "from … to …" takes as
// well as superlatives.
var poles = [][2]string{
	{"old", "young"}, {"old", "new"}, {"low", "high"}, {"small", "large"}, {"small", "big"}, {"short", "long"}, {"short", "tall"},
	{"early", "late"}, {"early", "recent"}, {"cheap", "expensive"}, {"slow", "fast"}, {"light", "heavy"}, {"bad", "good"},
	{"a", "z"}, {"best", "worst"}, {"most", "least"}, {"most", "fewest"}, {"less", "more"}, {"few", "many"}, {"lower", "higher"}, {"smaller", "larger"},
	{"smaller", "bigger"}, {"younger", "older"}, {"shorter", "longer"}, {"earlier", "later"}, {"newest", "oldest"}, {"smallest", "greatest"},
	{"smallest", "biggest"}, {"shortest", "tallest"}, {"least recent", "most recent"}, {"most recent", "least recent"}, {"oldest", "most recent"},
	{"earliest", "most recent"}, {"cheapest", "most expensive"}, {"least expensive", "most expensive"}, {"most", "few"}, {"first", "last"}, {"least", "greatest"},
}

// directions lists indicators of an ascending order with those of a descending
// one (Dr.Spider, table 9, and their like). All are read, the first of a
// direction is written; an adverb has an opposite that is only written.
var directions = []struct {
	asc, desc []string
	adverb    bool
}{
	{asc: []string{"ascending"}, desc: []string{"descending"}},
	{asc: []string{"ascendingly"}, desc: []string{"descendingly"}},
	{asc: []string{"asc"}, desc: []string{"desc"}},
	{asc: []string{"increasing"}, desc: []string{"decreasing"}},
	{asc: []string{"increasingly"}, desc: []string{"decreasingly"}},
	{asc: []string{"alphabetical order"}, desc: []string{"reverse alphabetical order", "reversed alphabetical order", "inverse alphabetical order"}},
	{asc: []string{"alphabetic order"}, desc: []string{"reverse alphabetic order", "reversed alphabetic order"}},
	{asc: []string{"alphabetical name order"}, desc: []string{"reverse alphabetical name order"}},
	{asc: []string{"lexicographical order"}, desc: []string{"reversed lexicographical order", "reverse lexicographical order"}},
	{asc: []string{"lexicographic order"}, desc: []string{"reversed lexicographic order", "reverse lexicographic order"}},
	{asc: []string{"lexical order"}, desc: []string{"reversed lexical order", "reverse lexical order"}},
	{asc: []string{"alphabetically"}, desc: []string{"in reverse alphabetical order"}, adverb: true},
	{asc: []string{"lexicographically"}, desc: []string{"in reversed lexicographical order"}, adverb: true},
	{asc: []string{"chronological order"}, desc: []string{"reverse chronological order", "reversed chronological order"}},
	{asc: []string{"chronologically"}, desc: []string{"in reverse chronological order"}, adverb: true},
}

// end is a word of a question for one end of an order.
type end struct {
	first, last int // tokens, last exclusive
	word, other string
}

// ends returns the words of a question for the ends of orders.
func ends(q *question) (found []end) {
	for i := 0; i < len(q.words); {
		best := end{}
		for _, o := range opposites {
			if last, ok := q.holds(i, o.word); ok && last > best.last && q.isEnd(i, last, o.word) {
				best = end{i, last, o.word, o.other}
			}
		}
		if best.last == 0 {
			i++
			continue
		}
		found = append(found, best)
		i = best.last
	}
	return found
}

// isEnd tells whether the tokens from i to before last are a superlative: not of
// "at least" or "at most", nor of "most of them", nor of a first or last name.
func (q *question) isEnd(i, last int, word string) bool {
	before, after := q.word(i-1), q.word(last)
	switch word {
	case "most", "least":
		return before != "at" && (after != "of" || before == "the")
	case "first", "last":
		_, number := q.numeralAt(last)
		return before != "and" && before != "or" && (number || len(after) > 1 && !slices.Contains(afterPart, after))
	case "top", "bottom":
		_, number := q.numeralAt(last)
		return number || before == "the"
	}
	return true
}

// afterPart are the words after "first" or "last" of a name, a list or a time.
var afterPart = strings.Fields("name names named middle initial and or letter year month week day days years time line lines half")

// direction is an indicator of a sorting order in a question.
type direction struct {
	first, last int // tokens, last exclusive
	desc        bool
	other       string
}

// sortings returns the sorting orders that a question names. "In descending
// alphabetical order" names one.
func sortings(q *question) (found []direction) {
	for i := 0; i < len(q.words); {
		best := direction{}
		for _, d := range directions {
			for _, phrase := range d.asc {
				if last, ok := q.holds(i, phrase); ok && last > best.last {
					best = direction{i, last, false, d.desc[0]}
				}
			}
			for _, phrase := range d.desc {
				if last, ok := q.holds(i, phrase); ok && last > best.last && !d.adverb {
					best = direction{i, last, true, d.asc[0]}
				}
			}
		}
		if best.last == 0 {
			i++
			continue
		}
		if n := len(found); n == 0 || found[n-1].last < best.first {
			found = append(found, best)
		}
		i = best.last
	}
	return found
}

// course is "from A to B" in a question: the tokens of A and of B.
type course struct{ from, to [2]int }

// courses returns the courses whose ends are opposites.
func courses(q *question) (found []course) {
	for i := range q.words {
		if q.word(i) != "from" {
			continue
		}
		for _, a := range q.phrases(i + 1) {
			if q.word(a[1]) != "to" {
				continue
			}
			for _, b := range q.phrases(a[1] + 1) {
				if opposed(q.span(a), q.span(b)) {
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

func opposed(a, b string) bool {
	for _, p := range poles {
		if p == [2]string{a, b} || p == [2]string{b, a} {
			return true
		}
	}
	for _, o := range opposites {
		if o.word == a && o.other == b || o.word == b && o.other == a {
			return true
		}
	}
	return false
}
