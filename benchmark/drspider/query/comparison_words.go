package query

import (
	"slices"
	"strings"
)

// comparisonRow is a row of indicators with one sense, by operator (Dr.Spider,
// tables 5 and 8). The paper prints those of >= and <= in each other's place; its
// own example in section 3.3 has "at least" for >=, as here. The first indicator
// of an operator is the one that is written, all are read.
type comparisonRow struct {
	words map[string][]string
	// suffix: the value stands before the indicator ("2 or more").
	suffix bool
	// turns: the sense may run against the order of the values ("older than" of a
	// year of birth is <).
	turns bool
	// levels: it compares amounts of anything, so that "at least" and "at most"
	// have its sense too.
	levels bool
	// bare: the value or its article follows at once, as the word has other
	// senses.
	bare bool
}

// amounts is the row that has all four operators.
var amounts = &comparisonRow{levels: true, words: map[string][]string{
	">":  {"more than"},
	"<":  {"less than", "fewer than"},
	">=": {"at least", "no less than", "no fewer than", "not less than", "not fewer than", "a minimum of", "more than or equal to", "greater than or equal to", "larger than or equal to", "higher than or equal to", "equal to or more than", "equal to or greater than"},
	"<=": {"at most", "no more than", "not more than", "up to", "a maximum of", "less than or equal to", "fewer than or equal to", "smaller than or equal to", "lower than or equal to", "equal to or less than"},
}}

// comparisonRows lists the rows of fixed phrases.
var comparisonRows = []*comparisonRow{
	amounts,
	{words: map[string][]string{">": {"over"}, "<": {"under"}}, levels: true, bare: true},
	{words: map[string][]string{">": {"above"}, "<": {"below", "beneath"}}},
	{words: map[string][]string{">": {"exceeds"}, "<": {"falls below"}}},
	{words: map[string][]string{">": {"exceed"}, "<": {"fall below"}}},
	{words: map[string][]string{">": {"exceeding"}, "<": {"falling below"}}},
	{words: map[string][]string{">": {"after"}, "<": {"before", "prior to"}}, bare: true},
	{words: map[string][]string{">": {"more expensive than"}, "<": {"cheaper than", "less expensive than"}}},
	{words: map[string][]string{">": {">"}, "<": {"<"}}, bare: true},
	{words: map[string][]string{">=": {"no earlier than", "not earlier than", "not before"}, "<=": {"no later than", "not later than", "not after"}}},
	{words: map[string][]string{">=": {"no older than"}, "<=": {"no younger than"}}, turns: true},
	{suffix: true, words: map[string][]string{">=": {"or more", "and more"}, "<=": {"or less", "or fewer", "and less"}}},
	{suffix: true, words: map[string][]string{">=": {"or above", "and above", "or over", "and over"}, "<=": {"or below", "and below", "or under", "and under"}}},
	{suffix: true, words: map[string][]string{">=": {"or after"}, "<=": {"or before"}}},
	{suffix: true, words: map[string][]string{">=": {"or later", "and later"}, "<=": {"or earlier", "and earlier"}}},
	{suffix: true, words: map[string][]string{">=": {"or higher", "and higher"}, "<=": {"or lower", "and lower"}}},
	{suffix: true, words: map[string][]string{">=": {"or greater", "or larger", "or bigger"}, "<=": {"or smaller"}}},
	{suffix: true, turns: true, words: map[string][]string{">=": {"or older", "and older"}, "<=": {"or younger", "and younger"}}},
}

// comparative is a pair of adjectives; between them and "than" a noun may stand
// ("a greater weight than 10").
type comparative struct {
	more, less    string
	turns, levels bool
}

var comparatives = []comparative{
	{more: "more", less: "less"},
	{more: "more", less: "fewer"},
	{more: "higher", less: "lower", levels: true},
	{more: "larger", less: "smaller", levels: true},
	{more: "bigger", less: "smaller", levels: true},
	{more: "greater", less: "smaller", levels: true},
	{more: "older", less: "younger", turns: true},
	{more: "later", less: "earlier", turns: true},
	{more: "heavier", less: "lighter"},
	{more: "longer", less: "shorter", levels: true},
	{more: "taller", less: "shorter"},
	{more: "faster", less: "slower", turns: true},
	{more: "better", less: "worse", turns: true},
	{more: "richer", less: "poorer"},
	{more: "stronger", less: "weaker"},
	{more: "wider", less: "narrower"},
	{more: "deeper", less: "shallower"},
	{more: "thicker", less: "thinner"},
	{more: "warmer", less: "colder"},
	{more: "hotter", less: "colder"},
	{more: "closer", less: "farther", turns: true},
	{more: "nearer", less: "farther", turns: true},
	{more: "newer", less: "older", turns: true},
}

// indicator is a comparison that a question makes.
type indicator struct {
	first, end int // the tokens that are replaced
	value      int // the token from which on, or before which, the value stands
	op         string
	row        *comparisonRow
	adjective  bool // the tokens are an adjective whose "than" may stand apart
	apart      bool
}

// indicators returns the comparisons of a question in order.
func indicators(q *question) (found []indicator) {
	for i := 0; i < len(q.words); {
		n, ok := phraseAt(q, i)
		if a, is := adjectiveAt(q, i); is && (!ok || a.value > n.end) {
			n, ok = a, true
		}
		if !ok {
			i++
			continue
		}
		found = append(found, n)
		i = max(n.end, i+1)
	}
	return found
}

// phraseAt returns the longest indicator that begins with token i.
func phraseAt(q *question, i int) (best indicator, ok bool) {
	for _, row := range comparisonRows {
		for _, op := range []string{">", "<", ">=", "<="} {
			for _, phrase := range row.words[op] {
				end, holds := q.holds(i, phrase)
				if !holds || end <= best.end {
					continue
				}
				best, ok = indicator{first: i, end: end, value: end, op: op, row: row}, true
				if row.suffix {
					best.value = i
				}
			}
		}
	}
	return best, ok
}

// nounsBefore is how many words may stand between an adjective and "than".
const nounsBefore = 3

// adjectiveAt returns the comparison by an adjective that stands at token i.
func adjectiveAt(q *question, i int) (indicator, bool) {
	pair := slices.IndexFunc(comparatives, func(c comparative) bool { return q.word(i) == c.more || q.word(i) == c.less })
	if pair < 0 {
		return indicator{}, false
	}
	for than := i + 1; than <= i+1+nounsBefore; than++ {
		w := q.word(than)
		if w == "than" {
			c := comparatives[pair]
			n := indicator{first: i, end: than + 1, value: than + 1, op: ">", adjective: true, apart: than > i+1}
			if q.word(i) == c.less {
				n.op = "<"
			}
			n.row = &comparisonRow{turns: c.turns, levels: c.levels, words: map[string][]string{">": {c.more}, "<": {c.less}}}
			if n.apart {
				n.end = i + 1
			}
			return n, true
		}
		if w == "" || strings.ContainsAny(w, ".,;?!()") || w == "and" || w == "or" {
			break
		}
	}
	return indicator{}, false
}
