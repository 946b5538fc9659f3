package question

import (
	_ "embed" // value_years.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

var ageForms = rewrites(`
	[older than VALUE]                      => over YEARS
	[younger than VALUE]                    => under YEARS
	above|over|under|below [age VALUE]      => YEARS
	[above|over age VALUE]                  => over YEARS
	[under|below age VALUE]                 => under YEARS
	RELATIVE is|are [age VALUE]             => INNER years old
	[CONTENT RELATIVE is|are age VALUE]     => INNER-year-old CONTENT
	[aged VALUE]                            => INNER years old
	is|are [aged either VALUE or NUMBER]    => either VALUE or NUMBER years old
	is|are [aged either VALUE or NUMBER]    => VALUE or NUMBER years old
	!is|are [aged either VALUE or NUMBER]   => who are either VALUE or NUMBER years old
	!is|are [aged either VALUE or NUMBER]   => who are VALUE or NUMBER years old
`)

// ages: "older than 20", "above age 20" and "whose age is over 20" become "over
// 20"; "age 3" becomes "3 years old".
func ages(v value, d *drafts) {
	if v.kindOf() != "age" || !isNumeral(strings.ToLower(v.inner)) {
		return
	}
	years := v.inYears()
	v.rewrite(d, ageForms, map[string]string{"YEARS": years})
	for c := range v.comparisons() {
		if c.End == v.tokens.Start && c.column == v.Column && c.isClause() {
			d.add(v.with(c.Start, v.tokens.End, c.pick("over ", "under ")+years))
		}
	}
}

// inYears returns the number of an age with its unit, which only people go without:
// "over 20", but "pets over 1 year old".
func (v value) inYears() string {
	switch {
	case slices.ContainsFunc(v.tableNames(v.db.Tables[v.Column.Table]), isPerson), v.Is(v.tokens.End, "year", "years"):
		return v.inner
	case v.inner == "1", strings.EqualFold(v.inner, "one"):
		return v.inner + " year old"
	}
	return v.inner + " years old"
}

// yearVerbs say what happened in the year of a column.
//
//go:embed data/value_years.txt
var yearsText string

var yearVerbs = wordfile.Rows(yearsText, 2)

var dated = grammar.Must("CONTENT [DATED when=before|after|since? either=either?] VALUE&ALONE&DIGITS")

// years: "whose birth year is 1948" and "with a birth year before 1945" become "born
// in 1948" and "born before 1945".
func years(v value, d *drafts) {
	m, ok := v.on(dated)
	if !ok {
		return
	}
	when := "in"
	if m.Has("when") {
		when = v.words(m.Get("when"))
	}
	for _, y := range yearVerbs {
		if verb := y[1]; v.ofAny(y[0]) {
			if m.Has("either") {
				d.add(v.replace(m.Part, verb+" either "+when))
			}
			d.add(v.replace(m.Part, verb+" "+when))
			return
		}
	}
}
