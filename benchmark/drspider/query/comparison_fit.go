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
	turned := n.row.mayMeanOpposite && n.op == sqlast.Mirrored(s.op) // "older than" for a year of birth <
	switch {
	case n.op != s.op && !turned:
		return false
	case n.row.followsValue: // "30 or more"
		return s.statesConstantBefore(q, n.value)
	case s.value.node == nil: // a column or a query, whose words are not known: only if there is one such site
		others := slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.value.node == nil })
		return !others && comparesWithWords(q, n)
	}
	fillers := "fillers"
	if n.row.valueAtOnce {
		fillers = "bare fillers"
	}
	return s.statesConstantFrom(q, n.value, maxFillers, func(w string) bool { return s.names[english.Singular(w)] || listed(fillers, w) })
}

// lacksValue reports whether an indicator of amounts, which precedes its value, is followed by words that neither have a number nor begin
// a value: "less than full time".
func (q *question) lacksValue(n indicator) bool {
	for i := n.value; i <= n.value+2; i++ {
		if _, number := q.numeralAt(i); number {
			return false
		}
	}
	return !n.row.followsValue && n.row.ofAmounts && q.Word(n.value) != "" && !listed("beginnings of values", q.Word(n.value))
}

// maxFillers is how many words may separate an indicator from its value: "older than the
// age of 30".
const maxFillers = 4

// statesConstantFrom reports whether the site's constant begins at token i, or after up to most words from i on
// that between accepts.
func (s *site) statesConstantFrom(q *question, i, most int, between func(word string) bool) bool {
	for range most {
		if s.statesConstantAt(q, i) || !between(q.Word(i)) {
			break
		}
		i++
	}
	return s.statesConstantAt(q, i)
}

// statesConstantAt reports whether the site's constant begins with token i: as a number ("3", "three", "single" for 1), or verbatim if
// it is a text.
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

// comparesWithWords reports whether an indicator may be followed by words for a column or a query rather
// than a constant: "older than the average". It returns false if one of the next two words is a number.
func comparesWithWords(q *question, n indicator) bool {
	if n.row.valueAtOnce || n.value >= len(q.Words) { // "over", which has other senses, or nothing follows
		return false
	}
	for i := n.value; i < n.value+4; i++ {
		_, number := q.numeralAt(i)
		switch w := q.Word(i); {
		case number && i < n.value+2, listed("ends of values", w): // "than 30", or "than any", which means other values in the other direction
			return false
		case listed("means", w):
			return true
		}
	}
	return true
}

// phrase returns the words that replace the indicator n if the site gets the operator op, "" where
// there are none: for "older than" and < it is "younger than". The row of n lists the words of its sense for each operator.
func (s *site) phrase(q *question, n indicator, op string) string {
	asked := op // the operator that the words express, mirrored if n is turned: "older than" for a year of birth <
	if n.op != s.op {
		asked = sqlast.Mirrored(op)
	}
	switch {
	case op == s.op, listed("moves", q.Word(n.first-1)): // "fallen below" has no "fallen above"
		return ""
	case len(n.op) < len(op): // an inclusive operator for a strict one
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

// adjective returns the words that replace an adjective for another operator: with "than", as in "older than" → "younger than", or
// the adjective alone if nouns separate the two, as in "more pages than" → "fewer".
func (s *site) adjective(q *question, n indicator, op string) string {
	old, adjective := q.Word(n.first), n.row.words[op][0]
	switch {
	case old == "greater" && !n.apart: // nobody writes "a horsepower smaller than 150"
		adjective = "less"
	case adjective == "less" && strings.HasSuffix(q.Word(n.first+1), "s"): // "fewer pages"
		adjective = "fewer"
	default:
		adjective = cmp.Or(oppositeFor(old, s.names), adjective)
	}
	if n.apart {
		return adjective
	}
	return adjective + " than"
}

// inclusivePhrase returns "at least" or "at most" for a strict comparison of amounts: "more than 3" → "at least 3". It
// returns "" where that would not be English, or if nouns separate the adjective from "than" ("more pages than 3").
func (s *site) inclusivePhrase(q *question, n indicator, op string) string {
	words, before := amounts.words[op][0], q.Word(n.first-1)
	isPreposition := slices.Contains([]string{"over", "under", "above", "below"}, q.Word(n.first))
	ofThings := english.IsPlural(before) && !s.names[english.Singular(before)] // "adverts over 1000"
	switch {
	case !n.row.ofAmounts, n.apart, before == "at", q.negated(n.first):
		return ""
	case isPreposition && ofThings && !english.IsPlural(q.Word(n.value+1)): // not "adverts at most 1000"
		return ""
	case !s.statesConstantFrom(q, n.value, 1, func(w string) bool { return w == "a" }): // "at least age 30"
		return ""
	case s.names[english.Singular(before)]:
		return "of " + words // "a weight of at least 10"
	case n.adjective && !listed("before amounts", before): // not "singers at least 30"
		return ""
	}
	return words
}

// denial matches words that negate what follows.
var denial = lazyregexp.New(`^(not|never|no|without|.*n['’]t)$`)

// negationReach is how many words before a comparison a negation may be.
const negationReach = 6

// negated reports whether a negation is among the [negationReach] words before token i in the same clause. Then no inclusive phrase
// may follow: nobody writes "have not cost at least 1000".
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
