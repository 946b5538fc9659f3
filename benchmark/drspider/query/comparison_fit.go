package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/sqlast"
)

// fits tells whether an indicator may stand for the site: its operator is the
// site's, and so is the value beside it.
func (s *site) fits(q *question, n indicator, sites []*site) bool {
	said := n.op
	if n.row.turns && said == sqlast.Mirrored(s.op) {
		said = s.op
	}
	switch {
	case said != s.op:
		return false
	case n.row.suffix:
		return s.endsWith(q, n.value)
	case s.value.node == nil:
		others := slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.value.node == nil })
		return !others && comparesWithWords(q, n)
	}
	fillers := "fillers"
	if n.row.bare {
		fillers = "bare fillers"
	}
	return s.statedBehind(q, n.value, maxFillers, func(w string) bool { return s.names[english.Singular(w)] || listed(fillers, w) })
}

// maxFillers is how many words may stand between an indicator and its value.
const maxFillers = 4

// statedBehind tells whether the constant stands at token i, or behind a number of
// words that may stand between.
func (s *site) statedBehind(q *question, i, most int, between func(word string) bool) bool {
	for range most {
		if s.statedAt(q, i) || !between(q.word(i)) {
			break
		}
		i++
	}
	return s.statedAt(q, i)
}

// statedAt tells whether token i begins the site's constant.
func (s *site) statedAt(q *question, i int) bool {
	switch {
	case i < 0, i >= len(q.tokens):
		return false
	case !s.value.isNumber:
		return slices.ContainsFunc(mentions(q.text, s.value.text), func(m english.Token) bool { return m.Start == q.tokens[i].Start })
	}
	if n, ok := q.numeralAt(i); ok {
		return s.value.is(n.Value)
	}
	return s.value.is(1) && q.word(i) == "single"
}

// endsWith tells whether the constant stands before token i, or a word or two
// before it ("2 or more", "4 points or more").
func (s *site) endsWith(q *question, i int) bool {
	for k := i - 1; k >= i-3; k-- {
		if s.statedAt(q, k) {
			return true
		}
		if _, other := q.numeralAt(k); other {
			return false
		}
	}
	return false
}

// comparesWithWords tells whether an indicator is followed by words for a value
// that is no constant ("than the average"), as two columns or a query have.
func comparesWithWords(q *question, n indicator) bool {
	if n.row.bare || n.value >= len(q.words) {
		return false
	}
	for i := n.value; i < n.value+4; i++ {
		_, number := q.numeralAt(i)
		switch w := q.word(i); {
		case number && i < n.value+2, listed("ends of values", w):
			return false
		case listed("means", w):
			return true
		}
	}
	return true
}

// phrase returns what stands for another operator in the indicator's place, "" where
// nothing does.
func (s *site) phrase(q *question, n indicator, op string) string {
	asked := op // what the indicator says of it
	if n.op != s.op {
		asked = sqlast.Mirrored(op)
	}
	switch {
	case op == s.op:
		return ""
	case len(n.op) < len(op):
		return s.level(q, n, op)
	case len(n.row.words[asked]) == 0:
		return ""
	case n.adjective:
		return s.adjective(q, n, asked)
	}
	return n.row.words[asked][0]
}

// adjective returns the adjective for another operator.
func (s *site) adjective(q *question, n indicator, op string) string {
	was, now := q.word(n.first), n.row.words[op][0]
	switch {
	case was == "greater" && !n.apart: // "a horsepower smaller than 150" is not said
		now = "less"
	case now == "less" && strings.HasSuffix(q.word(n.first+1), "s"):
		now = "fewer"
	default:
		now = cmp.Or(oppositeFor(was, s.names), now)
	}
	if n.apart {
		return now
	}
	return now + " than"
}

// level returns "at least" or "at most" for a strict comparison of amounts, "" where
// it cannot be said.
func (s *site) level(q *question, n indicator, op string) string {
	words, before := amounts.words[op][0], q.word(n.first-1)
	switch {
	case !n.row.levels, n.apart, before == "at", q.negated(n.first):
		return ""
	case !s.statedBehind(q, n.value, 1, func(w string) bool { return w == "a" }): // "at least age 30"
		return ""
	case s.names[english.Singular(before)]:
		return "of " + words // "a weight of at least 10"
	case n.adjective && !listed("before amounts", before):
		return ""
	}
	return words
}

// denial matches words that deny what follows.
var denial = lazyregexp.New(`^(not|never|no|without|.*n['’]t)$`)

// negationReach is how many words before a comparison may deny it.
const negationReach = 6

// negated tells whether the words before token i deny what follows: "have not
// cost at least 1000" is not said.
func (q *question) negated(i int) bool {
	for _, w := range slices.Backward(q.words[max(0, i-negationReach):i]) {
		switch {
		case denial.MatchString(w):
			return true
		case listed("clause ends", w):
			return false
		}
	}
	return false
}
