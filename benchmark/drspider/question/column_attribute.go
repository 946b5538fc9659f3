package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// columnAttributeRules imply columns by adjectives: "with the highest age" becomes
// "oldest", "sorted by age" "from youngest to oldest" (Dr.Spider, table 1).
func columnAttributeRules() []rule {
	rules := []rule{
		columnRule("superlative before the noun", extremes),
		columnRule("superlative after the verb", mainExtremes),
		columnRule("comparative", comparisons),
		columnRule("order by adjectives", orders),
		columnRule("worked the longest", worked),
		columnRule("how with a superlative", howExtreme),
		columnRule("how with an average", howAverage),
		columnRule("how with an adjective", howPlain),
	}
	return append(rules, reopened(rules))
}

// columnRule makes a rule of a function over a subject.
func columnRule(name string, apply func(*subject, *drafts)) rule {
	return rule{name, func(src *source) []string {
		s := newSubject(src)
		if len(s.low) > maxWords {
			return nil
		}
		d := drafts{question: s.text}
		apply(s, &d)
		return d.list
	}}
}

// maxWords bounds the questions that are looked at, in tokens.
const maxWords = 120

var (
	highWords = []string{"highest", "largest", "greatest", "maximum", "biggest", "most", "top", "longest", "latest", "max", "best"}
	lowWords  = []string{"lowest", "smallest", "least", "minimum", "fewest", "shortest", "earliest", "min"}
)

// extreme is a superlative of a column: "the highest number of pages".
type extreme struct {
	start, end int // tokens, from the article on
	number     string
	adj        *adjectives
	column     dataset.ColumnRef
	words      []string // adjectives that stand for it before a noun
	high       bool
}

// extremeAt reads a superlative with its column at i.
func (s *subject) extremeAt(i int) (extreme, bool) {
	x := extreme{start: i}
	j := s.skip(i, "the", "a")
	if s.is(j, "top") && isNumeral(s.at(j+1)) {
		x.number = s.span(j+1, j+2)
		j += 2
	}
	switch {
	case s.is(j, highWords...):
		x.high = true
	case !s.is(j, lowWords...):
		return x, false
	}
	j++
	x.adj, x.end, x.column = adjectivesAt(s.sentence, j, s.db, s.columns)
	if filler, ok := s.firstOf(j, []string{"number of", "amount of", "value of", "level of"}); ok && x.adj == nil {
		x.adj, x.end, x.column = adjectivesAt(s.sentence, filler, s.db, s.columns)
	}
	if x.adj == nil || !s.closes(x.end) {
		return x, false
	}
	x.words = x.adj.least
	if x.high {
		x.words = x.adj.most
	}
	return x, len(x.words) > 0
}

// closes tells whether the name of a column that reaches to before i is not part
// of a longer phrase or a list.
func (s *subject) closes(i int) bool {
	if s.is(i, "and", "or", ",") {
		return i+1 >= len(s.low) || s.is(i+1, "what", "how", "which", "who", "whose", "list", "show", "give", "return", "sort", "order", "also", "has", "have", "is", "are", "was", "were") ||
			s.is(i, ",") && !s.isContent(i+1) && !s.is(i+1, "the", "and", "or", "a")
	}
	if s.is(i, "live", "lives", "come", "comes", "work", "works") {
		return true
	}
	return s.ends(i) && !s.is(i, "'s", "each", "group", "they", "it", "he", "she", "when")
}

// isNumeral tells whether a token is a number in digits or a small one in words.
func isNumeral(w string) bool {
	return isNumeric(w) || slices.Contains([]string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}, w)
}

// entityBefore returns the noun phrase that a clause about the column speaks of,
// where that clause begins at i: among the one that ends there and those before
// short phrases with a preposition ("countries in Asia"), the first that names
// the column's table, else the first that names any.
func (s *subject) entityBefore(i int, column dataset.ColumnRef) (start, end int, ok bool) {
	next := i
	for range 4 {
		from := next
		for next-from < 3 && s.isContent(from-1) {
			from--
		}
		if from == next {
			break
		}
		head := s.at(next - 1)
		switch {
		case s.names(column.Table, head):
			return from, next, true
		case ok:
		case s.isEntity(head), next == i && s.is(from-1, "the", "all") && isPlural(head):
			start, end, ok = from, next, true
		}
		if s.is(from-1, "the", "each", "every", "all") {
			from--
		}
		if !s.is(from-1, "in", "from", "of", "on", "at", "by") {
			break
		}
		next = from - 1
	}
	return start, end, ok
}

// modified returns the question with an adjective before the noun phrase from
// start to before end, and the tokens from cut to before cutEnd dropped.
func (s *subject) modified(start, end, cut, cutEnd int, number, adjective string) (string, bool) {
	for i := start; i < end; i++ {
		if w := s.at(i); strings.HasSuffix(w, "est") || slices.Contains([]string{"different", "distinct", "unique", "average", "other", "same"}, w) {
			return "", false
		}
	}
	noun := s.span(start, end)
	if s.is(start-1, "which", "what", "whose", "no", "its", "their", "other", "most", "least") {
		return "", false
	}
	before := s.text[:s.toks[start].Start]
	switch {
	case isNumeral(s.at(start - 1)):
		number = ""
	case s.is(start-1, "the", "a", "an", "all", "each", "every", "any"):
		before = s.text[:s.toks[start-1].Start]
		if s.is(start-2, "all", "of") && s.is(start-1, "the") && s.is(start-2, "all") {
			before = s.text[:s.toks[start-2].Start]
		}
		adjective = matchCase("the", s.span(start-1, start)) + " " + join(number, adjective)
	default:
		adjective = "the " + join(number, adjective)
	}
	rest := ""
	if end < cut {
		rest = s.span(end, cut)
	}
	return tidy(strings.Join([]string{before, adjective, noun, rest, s.text[s.toks[cutEnd-1].End:]}, " ")), true
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// extremes: "the singer with the highest age", "the singer who has the highest
// age", "the singer whose age is the highest".
func extremes(s *subject, d *drafts) {
	for i := 1; i < len(s.low); i++ {
		var x extreme
		ok, cut := false, i
		switch {
		case s.is(i, "with", "having"):
			x, ok = s.extremeAt(i + 1)
		case s.is(i, "that", "who", "which") && s.is(i+1, "has", "have", "had", "with"):
			x, ok = s.extremeAt(i + 2)
		case s.is(i, "whose"):
			x, ok = s.whoseExtreme(i)
		}
		if !ok {
			continue
		}
		start, end, ok := s.entityBefore(cut, x.column)
		if !ok || x.number != "" && !isPlural(s.at(end-1)) {
			continue
		}
		for _, w := range x.words {
			if q, ok := s.modified(start, end, cut, x.end, x.number, w); ok {
				d.add(q)
			}
		}
	}
}

// whoseExtreme reads "whose age is the highest" at i.
func (s *subject) whoseExtreme(i int) (extreme, bool) {
	adj, j, column := adjectivesAt(s.sentence, i+1, s.db, s.columns)
	if adj == nil || !s.is(j, "is", "are", "was", "were") {
		return extreme{}, false
	}
	j = s.skip(j+1, "the")
	x := extreme{start: i, end: j + 1, adj: adj, column: column, high: s.is(j, highWords...)}
	if !x.high && !s.is(j, lowWords...) || !s.closes(j+1) {
		return x, false
	}
	x.words = adj.least
	if x.high {
		x.words = adj.most
	}
	return x, len(x.words) > 0
}

// mainExtremes: "which model has the largest horsepower" becomes "which model is
// the most powerful".
func mainExtremes(s *subject, d *drafts) {
	for i := 2; i < len(s.low); i++ {
		be, ok := map[string]string{"has": "is", "have": "are", "had": "was"}[s.at(i)]
		x, found := s.extremeAt(i + 1)
		start := i
		for start > 0 && s.isContent(start-1) {
			start--
		}
		if !ok || !found || start == i || !s.is(start-1, "which", "what") {
			continue
		}
		if s.at(i) == "had" && isPlural(s.at(i-1)) {
			be = "were"
		}
		for _, w := range x.words {
			d.add(s.with(i, x.end, be+" the "+join(x.number, w)))
		}
	}
}

// worked: "has worked the greatest number of years" becomes "has worked the
// longest".
func worked(s *subject, d *drafts) {
	for i := 1; i < len(s.low); i++ {
		j := s.skip(i, "the")
		high := s.is(j, highWords...)
		if j == i || !high && !s.is(j, lowWords...) || !strings.HasSuffix(s.at(i-1), "ed") {
			continue
		}
		k, _ := s.firstOf(j+1, []string{"number of", "amount of"})
		if !s.is(k, "years", "year", "months", "days", "hours", "minutes", "time") || !s.closes(k+1) {
			continue
		}
		word := "the shortest"
		if high {
			word = "the longest"
		}
		d.add(s.with(i, k+1, word))
	}
}
