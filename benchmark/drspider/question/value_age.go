package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// ages: "older than 20", "above age 20" and "whose age is over 20" become "over
// 20"; "age 3" becomes "3 years old".
func ages(s *subject, d *drafts) {
	for _, v := range s.values() {
		words := s.columnWords(v)
		if len(words) == 0 || words[len(words)-1] != "age" || !isNumeral(strings.ToLower(v.inner)) {
			continue
		}
		i := v.start
		switch {
		case s.is(i-1, "than") && s.is(i-2, "older", "younger"):
			d.add(s.with(i-2, v.end, overUnder(s.at(i-2))+" "+s.inYears(v)))
		case s.is(i-1, "age") && s.is(i-2, "above", "over", "under", "below"):
			d.add(s.with(i-1, v.end, s.inYears(v)))
			d.add(s.with(i-2, v.end, overUnder(s.at(i-2))+" "+s.inYears(v)))
		case s.is(i-1, "age") && s.is(i-2, "is", "are") && s.is(i-3, "that", "who", "which"):
			d.add(s.with(i-1, v.end, v.inner+" years old"))
			if s.isContent(i - 4) {
				d.add(s.with(i-4, v.end, v.inner+"-year-old "+s.at(i-4)))
			}
		case s.is(i-1, "aged"):
			d.add(s.with(i-1, v.end, v.inner+" years old"))
		case s.is(i-1, "either") && s.is(i-2, "aged") && s.is(v.end, "or") && isNumeral(s.at(v.end+1)):
			be := "who are "
			if s.is(i-3, "are", "is") {
				be = ""
			}
			d.add(s.with(i-2, v.end+2, be+s.span(i-1, v.end+2)+" years old"))
			d.add(s.with(i-2, v.end+2, be+s.span(v.start, v.end+2)+" years old"))
		}
		s.agedClause(v, d)
	}
}

// agedClause: "with an age greater than 20" and "whose age is over 20" become "over
// 20".
func (s *subject) agedClause(v value, d *drafts) {
	for j := max(1, v.start-8); j < v.start; j++ {
		relative := s.is(j, "that", "who", "which") && s.is(j+1, "have", "has")
		if !relative && !s.is(j, "whose", "with", "having") || !s.isContent(j-1) {
			continue
		}
		k := j + 1
		if relative {
			k++
		}
		c, ok := s.comparisonAt(k)
		if !ok || c.end != v.start || c.column != (dataset.ColumnRef{Table: v.Column.Table, Column: v.Column.Column}) {
			continue
		}
		word := "under"
		if c.high {
			word = "over"
		}
		d.add(s.with(j, v.end, word+" "+s.inYears(v)))
	}
}

// inYears returns the number of an age with its unit, which only people go without:
// "over 20", but "pets over 1 year old".
func (s *subject) inYears(v value) string {
	switch {
	case slices.ContainsFunc(s.tableNames(s.db.Tables[v.Column.Table]), isPerson) || s.is(v.end, "year", "years"):
		return v.inner
	case v.inner == "1" || strings.EqualFold(v.inner, "one"):
		return v.inner + " year old"
	}
	return v.inner + " years old"
}

func overUnder(word string) string {
	if slices.Contains([]string{"older", "above", "over"}, word) {
		return "over"
	}
	return "under"
}

// yearVerbs say what happened in the year of a column.
var yearVerbs = []struct{ words, verb string }{
	{"birth", "born"}, {"founded", "founded"}, {"founding", "founded"}, {"foundation", "founded"}, {"open", "opened"}, {"opening", "opened"},
	{"release", "released"}, {"released", "released"}, {"publication", "published"}, {"built", "built"}, {"construction", "built"},
}

// years: "whose birth year is 1948" and "with a birth year before 1945" become "born
// in 1948" and "born before 1945".
func years(s *subject, d *drafts) {
	for _, v := range s.values() {
		if !s.standsAlone(v) || !isNumeric(v.inner) {
			continue
		}
		i := v.start
		for s.is(i-1, "either") {
			i--
		}
		preposition := "in"
		if s.is(i-1, "before", "after", "since") {
			preposition = s.at(i - 1)
			i--
		}
		verb := s.is(i-1, "is", "are", "was")
		if verb {
			i--
		}
		if s.is(i-1, "of") {
			i--
		}
		end := i
		for i > 0 && end-i < 3 && s.isContent(i-1) && s.means(v, s.at(i-1)) {
			i--
		}
		if i == end {
			continue
		}
		i = s.dropArticle(i)
		if verb && !s.is(i-1, "whose") || !verb && !s.is(i-1, "with", "having") || !s.isContent(i-2) {
			continue
		}
		for _, y := range yearVerbs {
			if s.ofAny(v, y.words) {
				either := ""
				if s.is(v.start-1, "either") {
					either = " either"
				}
				d.add(s.with(i-1, v.start, y.verb+either+" "+preposition))
				if either != "" {
					d.add(s.with(i-1, v.start, y.verb+" "+preposition))
				}
				break
			}
		}
	}
}
