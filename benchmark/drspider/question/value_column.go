package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/numeral"
	"github.com/tabperturb/tabperturb/lexicon"
)

// columnValueRules let a value imply its column: "the city of Paris" becomes
// "Paris", "the document with the name X" "the document X" (Dr.Spider, tables 1
// and 4).
func columnValueRules() []rule {
	rules := []rule{
		columnRule("column before its value left out", columnBefore),
		columnRule("column after its value left out", columnAfter),
		columnRule("all columns beside values left out", allColumns),
		columnRule("name in apposition", apposition),
		columnRule("kind before the noun", kinds),
		columnRule("place by a preposition", places),
		columnRule("from and to", ways),
		columnRule("age by its number", ages),
		columnRule("year by a verb", years),
		columnRule("first and last name in one", wholeNames),
		columnRule("kind without its column", asKind),
	}
	return append(rules, reopened(rules))
}

// means tells whether a noun of the question names the column of a value: it is
// one of the words of the column's name, or a synonym of it.
func (s *subject) means(v value, noun string) bool {
	noun = singular(strings.ToLower(noun))
	words := s.columnWords(v)
	if len(words) == 0 || noun == "" {
		return false
	}
	if slices.Contains(words, noun) || slices.Contains(words, lexicon.Normal(noun)) {
		return true
	}
	return s.Dictionary != nil && slices.Contains(s.Dictionary.Synonyms(noun), strings.Join(words, " "))
}

// beside are the prepositions and verbs behind which a value can stand alone.
var beside = []string{
	"in", "from", "at", "to", "into", "of", "by", "on", "since", "after", "before", "for", "via", "not",
	"both", "either", "and", "or", "but", "use", "uses", "using", "speak", "speaks", "speaking", "contain", "contains", "containing",
}

// needed are words of columns whose values say nothing without them: what is
// "Cancelled" or "M" would be anybody's guess.
var needed = []string{"status", "result", "type", "code", "category", "class", "method", "gender", "sex", "grade", "level", "size", "rank", "description", "position"}

// cutBefore returns where the words for the column begin that stand before a
// value and can go: "city" of "in city X", "the city of" of "in the city of X".
func (s *subject) cutBefore(v value) (int, bool) {
	if s.ofAny(v, needed...) {
		return 0, false
	}
	i := v.start
	of := s.is(i-1, "of") && !s.is(i-2, "all", "any")
	if of {
		i--
	}
	end := i
	for i > 0 && end-i < 3 && s.isContent(i-1) && (s.means(v, s.at(i-1)) || s.ownName(v, i-1)) {
		i--
	}
	if i == end {
		return 0, false
	}
	i = s.dropArticle(i)
	if s.is(i-1, "of") {
		return i, !of && (s.ofAny(v, placeWords...) || s.ofAny(v, "year") || s.ownName(v, end-1))
	}
	return i, s.is(i-1, beside...) && !(s.is(i-1, "for") && of)
}

// ownName tells whether the token i names the rows of the value's own table, which
// the value is the name of: "airline" before "JetBlue".
func (s *subject) ownName(v value, i int) bool {
	return v.Column.Table >= 0 && s.names(v.Column.Table, s.at(i)) && s.nameColumn(v.Column, s.at(i))
}

// dropArticle returns i, or the position of the article before it.
func (s *subject) dropArticle(i int) int {
	if s.is(i-1, "the", "a", "an") {
		return i - 1
	}
	return i
}

// columnBefore: "from City 'X'" becomes "from 'X'", "in the year of 1970" "in 1970".
// Several such values are for allColumns.
func columnBefore(s *subject, d *drafts) {
	var before []value
	for _, v := range s.values() {
		if _, ok := s.cutBefore(v); ok && s.standsAlone(v) {
			before = append(before, v)
		}
	}
	if len(before) != 1 || s.is(before[0].start-1, "and", "or") {
		return
	}
	v := before[0]
	i, _ := s.cutBefore(v)
	if s.is(i-1, "and", "or") {
		return
	}
	d.add(s.with(i, v.start, ""))
	if v.quoted && isCapital(v.inner) {
		d.add(s.with(i, v.end, v.inner))
	}
}

// standsAlone tells whether a value says what it is without its column: a number
// only where it is a year.
func (s *subject) standsAlone(v value) bool {
	if !isNumeric(v.inner) {
		return len(v.inner) > 1
	}
	n, ok := numeral.Parse(v.inner)
	return ok && s.ofAny(v, "year", "date") && n.Value >= 1000 && n.Value < 2200
}

// allColumns leaves out the columns before and after all values at once.
func allColumns(s *subject, d *drafts) {
	again, n := s.sentence, 0
	for _, v := range slices.Backward(s.values()) {
		if i, ok := s.cutBefore(v); ok && s.standsAlone(v) {
			again = newSentence(again.with(i, v.start, ""))
			n++
		} else if j, ok := s.cutAfter(v); ok {
			again = newSentence(again.with(v.end, j, ""))
			n++
		}
	}
	if n > 1 {
		d.add(again.text)
	}
}

// cutAfter returns where the words for the column end that stand after a value and
// can go: "region" of "the Caribbean region".
func (s *subject) cutAfter(v value) (int, bool) {
	j := v.end
	if s.ofAny(v, needed...) || s.is(v.start-1, "with") || s.is(v.start-1, "the") && s.is(v.start-2, "with") {
		return 0, false
	}
	for j < len(s.low) && j-v.end < 2 && s.isContent(j) && s.means(v, s.at(j)) && !s.ownName(v, j) {
		j++
	}
	named := v.quoted || isCapital(v.inner)
	if s.is(v.start-1, "and", "or") && j > v.end && isPlural(s.at(j-1)) && !isCapital(s.span(max(v.start-2, 0), v.start-1)) {
		return 0, false // the noun is of what stands before as well
	}
	return j, named && j > v.end && (s.ends(j) || s.verbAt(j)) && s.standsAlone(v) && !(v.Column.Table >= 0 && s.names(v.Column.Table, s.at(j-1)))
}

// columnAfter: "Gelderland district" becomes "Gelderland", "the AHD airport" "AHD".
func columnAfter(s *subject, d *drafts) {
	for _, v := range s.values() {
		if j, ok := s.cutAfter(v); ok {
			start := v.start
			if s.is(start-1, "the") && (v.quoted || v.inner == strings.ToUpper(v.inner) || !s.ofAny(v, "region") && !strings.Contains(v.inner, " ")) {
				start--
			}
			d.add(s.with(start, j, s.span(v.start, v.end)))
		}
		// "dog pets" and "cat or dog pet" are "dogs" and "cats or dogs"
		if j := v.end; s.is(j, "pet", "pets") && s.means(v, "pet") && !v.quoted {
			d.add(s.pluralBefore(v, j+1))
		}
	}
}

// pluralBefore puts a value and those joined to it into the plural and drops what
// follows up to before end.
func (s *subject) pluralBefore(v value, end int) string {
	start, words := v.start, plural(v.inner)
	if s.is(start-1, "or", "and") && s.isContent(start-2) {
		words = plural(s.at(start-2)) + " " + s.at(start-1) + " " + words
		start -= 2
	}
	if s.is(start-1, "a", "an") {
		start--
	}
	return s.with(start, end, words)
}
