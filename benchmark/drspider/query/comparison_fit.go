package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/sqlast"
)

// fits reports whether an indicator of the question may express the site: it has the
// site's operator, and the site's value next to it.
func (s *site) fits(q *question, n indicator, sites []*site) bool {
	turned := n.row.turns && n.op == sqlast.Mirrored(s.op)
	switch {
	case n.op != s.op && !turned:
		return false
	case n.row.suffix:
		return s.statesConstantBefore(q, n.value)
	case s.value.node == nil:
		others := slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.value.node == nil })
		return !others && comparesWithWords(q, n)
	}
	fillers := "fillers"
	if n.row.bare {
		fillers = "bare fillers"
	}
	return s.statesConstantFrom(q, n.value, maxFillers, func(w string) bool { return s.names[english.Singular(w)] || listed(fillers, w) })
}

// saysNoValue reports whether an indicator is followed by words that are neither a number nor begin a value: "less than full
// time" says of a comparison what its number says again.
func (q *question) saysNoValue(n indicator) bool {
	for i := n.value; i <= n.value+2; i++ {
		if _, number := q.numeralAt(i); number {
			return false
		}
	}
	return !n.row.suffix && n.row.levels && q.Word(n.value) != "" && !listed("beginnings of values", q.Word(n.value))
}

// maxFillers is how many words may separate an indicator from its value: "older than the
// age of 30".
const maxFillers = 4

// statesConstantFrom reports whether the site's constant begins at token i, or after up to most
// words that may come before it.
func (s *site) statesConstantFrom(q *question, i, most int, between func(word string) bool) bool {
	for range most {
		if s.statesConstantAt(q, i) || !between(q.Word(i)) {
			break
		}
		i++
	}
	return s.statesConstantAt(q, i)
}

// statesConstantAt reports whether token i begins the site's constant.
func (s *site) statesConstantAt(q *question, i int) bool {
	switch {
	case i < 0, i >= len(q.Tokens):
		return false
	case !s.value.isNumber:
		return slices.ContainsFunc(mentions(q.Text, s.value.text), func(m english.Token) bool { return m.Start == q.Tokens[i].Start })
	}
	if n, ok := q.numeralAt(i); ok {
		return s.value.equals(n.Value)
	}
	return s.value.equals(1) && q.Word(i) == "single"
}

// statesConstantBefore reports whether the site's constant ends before token i, with at most two
// words between: "2 or more", "4 points or more".
func (s *site) statesConstantBefore(q *question, i int) bool {
	for k := i - 1; k >= i-3; k-- {
		if s.statesConstantAt(q, k) {
			return true
		}
		if _, other := q.numeralAt(k); other {
			return false
		}
	}
	return false
}

// comparesWithWords reports whether an indicator is followed by words for a value that
// is no constant but a column or a query: "older than the average".
func comparesWithWords(q *question, n indicator) bool {
	if n.row.bare || n.value >= len(q.Words) {
		return false
	}
	for i := n.value; i < n.value+4; i++ {
		_, number := q.numeralAt(i)
		switch w := q.Word(i); {
		case number && i < n.value+2, listed("ends of values", w):
			return false
		case listed("means", w):
			return true
		}
	}
	return true
}

// phrase returns the words for another operator that can replace the indicator, "" where
// there are none: for "older than" and < it is "younger than".
func (s *site) phrase(q *question, n indicator, op string) string {
	asked := op // as the indicator reads, whose sides may be mirrored
	if n.op != s.op {
		asked = sqlast.Mirrored(op)
	}
	switch {
	case op == s.op, listed("moves", q.Word(n.first-1)): // "fallen below" has no "fallen above"
		return ""
	case len(n.op) < len(op):
		return s.inclusivePhrase(q, n, op)
	case len(n.row.words[asked]) == 0:
		return ""
	case n.adjective:
		return s.adjective(q, n, asked)
	}
	words := n.row.words[asked][0]
	if sqlast.Aggregate(s.side) == "count" {
		return strings.ReplaceAll(words, "less", "fewer")
	}
	return words
}

// adjective returns the adjective for another operator with its "than", unless nouns
// separate the two: "older than" → "younger than", "more pages than" → "fewer".
func (s *site) adjective(q *question, n indicator, op string) string {
	old, adjective := q.Word(n.first), n.row.words[op][0]
	switch {
	case old == "greater" && !n.apart: // nobody writes "a horsepower smaller than 150"
		adjective = "less"
	case adjective == "less" && strings.HasSuffix(q.Word(n.first+1), "s"):
		adjective = "fewer"
	default:
		adjective = cmp.Or(oppositeFor(old, s.names), adjective)
	}
	if n.apart {
		return adjective
	}
	return adjective + " than"
}

// inclusivePhrase returns "at least" or "at most" in the place of a strict comparison of amounts,
// "" where that would not be English: "more than 3" → "at least 3".
func (s *site) inclusivePhrase(q *question, n indicator, op string) string {
	words, before := amounts.words[op][0], q.Word(n.first-1)
	switch {
	case !n.row.levels, n.apart, before == "at", q.negated(n.first):
		return ""
	case slices.Contains([]string{"over", "under", "above", "below"}, q.Word(n.first)) && english.IsPlural(before) && !s.names[english.Singular(before)] && !english.IsPlural(q.Word(n.value+1)):
		return "" // "adverts over 1000" are none at most 1000
	case !s.statesConstantFrom(q, n.value, 1, func(w string) bool { return w == "a" }): // "at least age 30"
		return ""
	case s.names[english.Singular(before)]:
		return "of " + words // "a weight of at least 10"
	case n.adjective && !listed("before amounts", before):
		return ""
	}
	return words
}

// denial matches words that negate what follows.
var denial = lazyregexp.New(`^(not|never|no|without|.*n['’]t)$`)

// negationReach is how many words before a comparison a negation may be.
const negationReach = 6

// negated reports whether the words before token i negate what follows. Nobody writes
// "have not cost at least 1000".
func (q *question) negated(i int) bool {
	for _, w := range slices.Backward(q.Words[max(0, i-negationReach):i]) {
		switch {
		case denial.MatchString(w):
			return true
		case listed("clause ends", w):
			return false
		}
	}
	return false
}
