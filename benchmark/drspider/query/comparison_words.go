package query

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// comparisonRow is a row of indicators with one sense, by operator: a row of
// data/comparisons.txt or of data/adjectives.txt, which say what the flags mean.
type comparisonRow struct {
	words                       map[string][]string
	suffix, turns, levels, bare bool
}

func newComparisonRow(flags string) *comparisonRow {
	has := func(flag string) bool { return slices.Contains(strings.Fields(flags), flag) }
	return &comparisonRow{words: map[string][]string{}, suffix: has("suffix"), turns: has("turns"), levels: has("levels"), bare: has("bare")}
}

// operators are those that are replaced, and what replaces them.
var operators = []string{">", "<", ">=", "<="}

// comparing is what a phrase or an adjective says.
type comparing struct {
	op  string
	row *comparisonRow
}

// comparisonPhrases are the fixed phrases, of which amounts is the row that has all
// four operators.
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
		if amounts == nil {
			amounts = row
		}
	}
	return list, amounts
}()

// comparatives are the adjectives; the first pair that has one counts.
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
	value      int // the token from which on, or before which, the value stands
	comparing
	adjective bool // the tokens are an adjective whose "than" may stand apart
	apart     bool
}

// indicators returns the comparisons of a question in order.
func indicators(q *question) (found []indicator) {
	for i := 0; i < len(q.words); i++ {
		n, ok := phraseAt(q, i)
		if a, is := adjectiveAt(q, i); is && a.value > n.end {
			n, ok = a, true
		}
		if ok {
			found = append(found, n)
			i = n.end - 1
		}
	}
	return found
}

// phraseAt returns the longest indicator that begins with token i.
func phraseAt(q *question, i int) (indicator, bool) {
	m, ok := comparisonPhrases.at(q, i)
	if !ok {
		return indicator{}, false
	}
	n := indicator{first: m.first, end: m.end, value: m.end, comparing: m.sense}
	if n.row.suffix {
		n.value = i
	}
	return n, true
}

// nounsBefore is how many words may stand between an adjective and "than".
const nounsBefore = 3

// adjectiveAt returns the comparison by an adjective that stands at token i.
func adjectiveAt(q *question, i int) (indicator, bool) {
	is, ok := comparatives[q.word(i)]
	if !ok {
		return indicator{}, false
	}
	than := i + 1
	for than <= i+nounsBefore && q.inNoun(than) {
		than++
	}
	if q.word(than) != "than" {
		return indicator{}, false
	}
	n := indicator{first: i, end: than + 1, value: than + 1, comparing: is, adjective: true}
	if than > i+1 {
		n.apart, n.end = true, i+1
	}
	return n, true
}

// inNoun tells whether token i may stand between an adjective and "than".
func (q *question) inNoun(i int) bool {
	switch w := q.word(i); w {
	case "", "than", "and", "or":
		return false
	default:
		return !strings.ContainsAny(w, ".,;?!()")
	}
}
