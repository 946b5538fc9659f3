package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// comparisonRow is a row of data/comparisons.txt or of data/adjectives.txt: indicators
// of one sense by operator, "older" for > and "younger" for <. The files explain the flags.
type comparisonRow struct {
	words map[string][]string
	// The flags suffix ("2 or more"), turns ("older than" of a year of birth is <), levels ("more than" compares amounts of anything) and
	// bare (the value follows at once, as "over" has other senses).
	followsValue, mayMeanOpposite, ofAmounts, valueAtOnce bool
}

// newComparisonRow returns a row without words and with flags that blanks separate.
func newComparisonRow(flags string) *comparisonRow {
	has := func(flag string) bool { return slices.Contains(strings.Fields(flags), flag) }
	return &comparisonRow{words: map[string][]string{}, followsValue: has("suffix"), mayMeanOpposite: has("turns"), ofAmounts: has("levels"), valueAtOnce: has("bare")}
}

// operators are those that are replaced, and that replace them.
var operators = []string{">", "<", ">=", "<="}

// comparing is the sense of a phrase or an adjective.
type comparing struct {
	op  string
	row *comparisonRow
}

// comparisonPhrases are the fixed phrases ("more than"). Amounts is their first row,
// which has words for all four operators.
var comparisonPhrases, amounts = func() (phraseList[comparing], *comparisonRow) {
	list := phraseList[comparing]{}
	var amounts *comparisonRow
	for _, cells := range wordfile.Rows(comparisonText, 1+len(operators)) {
		row := newComparisonRow(cells[0])
		for i, op := range operators {
			row.words[op] = wordfile.Phrases(cells[1+i])
			for _, phrase := range row.words[op] {
				list.add(phrase, comparing{op, row})
			}
		}
		amounts = cmp.Or(amounts, row)
	}
	return list, amounts
}()

// comparatives are the adjectives. One that is in several pairs has the sense of the
// first.
var comparatives = func() map[string]comparing {
	list := map[string]comparing{}
	for _, cells := range wordfile.Rows(adjectiveText, 3) {
		row := newComparisonRow(cells[2])
		for i, op := range operators[:2] {
			row.words[op] = cells[i : i+1]
			if _, ok := list[cells[i]]; !ok {
				list[cells[i]] = comparing{op, row}
			}
		}
	}
	return list
}()

// indicator is a comparison that a question makes.
type indicator struct {
	first, end int // the tokens that are replaced
	value      int // the token that the value follows or, for a suffix, precedes
	comparing
	adjective bool // it is an adjective with "than"
	apart     bool // nouns separate the adjective from "than": "more pages than"
}

// indicators returns the comparisons that a question makes, from left to right and without overlaps.
func indicators(q *question) (found []indicator) {
	for i := 0; i < len(q.Words); i++ {
		n := phraseAt(q, i)
		if a := adjectiveAt(q, i); a.value > n.end { // the longer of the two
			n = a
		}
		if n.row != nil { // a phrase or an adjective begins here
			found = append(found, n)
			i = n.end - 1
		}
	}
	return found
}

// phraseAt returns the longest fixed phrase that begins with token i, or the zero indicator.
func phraseAt(q *question, i int) indicator {
	m, ok := comparisonPhrases.at(q, i)
	if !ok {
		return indicator{}
	}
	n := indicator{first: m.first, end: m.end, value: m.end, comparing: m.sense}
	if n.row.followsValue { // the value precedes: "30 or more"
		n.value = i
	}
	return n
}

// nounsBefore is how many words may separate an adjective from "than".
const nounsBefore = 3

// adjectiveAt returns the comparison by an adjective that begins with token i, "older than" or "more
// pages than", or the zero indicator. If nouns separate the adjective from
// "than", the indicator spans only the adjective.
func adjectiveAt(q *question, i int) indicator {
	sense, ok := comparatives[q.Word(i)]
	if !ok {
		return indicator{}
	}
	than := i + 1
	for than <= i+nounsBefore && isNounWord(q.Word(than)) {
		than++
	}
	if q.Word(than) != "than" {
		return indicator{}
	}
	n := indicator{first: i, end: than + 1, value: than + 1, comparing: sense, adjective: true}
	if than > i+1 { // only the adjective is replaced
		n.apart, n.end = true, i+1
	}
	return n
}

// isNounWord reports whether a word may separate an adjective from "than": any but conjunctions and marks.
func isNounWord(word string) bool {
	return !slices.Contains([]string{"", "than", "and", "or"}, word) && !strings.ContainsAny(word, ".,;?!()")
}
