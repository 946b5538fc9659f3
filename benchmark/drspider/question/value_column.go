package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// columnValueRules returns the rules that let a value imply its column: "the city of Paris" becomes
// "Paris", "the document with the name X" "the document X" (Dr.Spider, tables 1
// and 4).
func columnValueRules() []rule {
	return []rule{
		columnRule("column before its value left out", columnBefore),
		valueRule("column after its value left out", columnAfter),
		valueRule("name in apposition", apposition),
		columnRule("kind before the noun", kindBeforeNoun),
	}
}

// The words for a column that can go before its value, and after it.
var (
	// labelBeforePattern matches the words for a column before its value: "city" of "in city X".
	labelBeforePattern = grammar.Must("(BESIDE [ARTICLE? LABEL{1,3} of? / for [ARTICLE? LABEL{1,3} / of [ARTICLE? LABEL{0,2} OWNNAME)] VALUE&ALONE")
	// placeBeforePattern matches the same after "of": "the city" of "of the city X".
	placeBeforePattern = grammar.Must("of [ARTICLE? LABEL{1,3}] VALUE&ALONE")
	// labelAfterPattern matches the words for a column after its value: "region" of "Caribbean region".
	labelAfterPattern = grammar.Must("!with the? VALUE&ALONE&PROPER [(COLUMN&!OWNNAME COLUMN&!ROWS / COLUMN&!ROWS)] !CONTENT&!VERB|NUMERIC")
	// haves matches a form of "have".
	haves = grammar.Must("has|have|had|having either*")
)

// labelBefore returns the words for the column before a value that is clear without them: "city" of "in city X", "the
// city of" of "in the city of X".
func (v value) labelBefore() (label phrase.Span, ok bool) {
	if v.needsColumn() {
		return phrase.Span{}, false
	}
	isPlace := v.ofAny(words.Words("place")...)
	m, ok := v.on(labelBeforePattern)
	if !ok && (isPlace || v.ofAny("year")) { // "of the city X", "of the year X"
		m, ok = v.on(placeBeforePattern)
	}
	if _, had := haves.Before(v, m.Part.Start); !ok || had {
		return phrase.Span{}, false // "has the name X" means nothing without "the name"
	}
	onPlace := isPlace && v.Is(m.Part.Start-1, "on") // "on the continent of Europe" would have to become "in Europe"
	return m.Part, !onPlace
}

// needsColumn reports whether a value is unclear without its column: people do not understand values of such a column alone, or another
// column of the table has the value too, as a county and a city can share a name.
func (v value) needsColumn() bool {
	switch {
	case v.ofAny(words.Words("needed")...):
		return true
	case v.content == nil, v.Column.Table < 0: // no other columns to look at
		return false
	}
	isValue := func(cell sqldata.Value) bool { return strings.EqualFold(cell.String(), v.inner) }
	for i := range v.db.Tables[v.Column.Table].Columns {
		other := dataset.ColumnRef{Table: v.Column.Table, Column: i}
		if other != v.Column && slices.ContainsFunc(v.content.Distinct(v.ctx, other), isValue) {
			return true
		}
	}
	return false
}

// isClear reports whether a value can be understood without its column, by its form: a number
// only if it is a year, other values if they have more than one letter.
func (v value) isClear() bool {
	if !english.IsNumeric(v.inner) {
		return len(v.inner) > 1
	}
	n, _ := numeral.Parse(v.inner) // 0 for what is no number
	return isYear(n.Value, 1000, 2200) && v.ofAny("year", "date")
}

// isYear reports whether a number is at least the year first and before the year end.
func isYear(n, first, end float64) bool { return n >= first && n < end }

// columnBefore drops the words for a column before its value: "from City 'X'" becomes "from 'X'", "in the year of 1970" becomes
// "in 1970". It adds no draft if several values have such words.
func columnBefore(s *subject, d *drafts) {
	found := lists.Filter(s.values(), func(v value) bool { _, ok := v.labelBefore(); return ok })
	if len(found) != 1 {
		return
	}
	v := found[0]
	label, _ := v.labelBefore()
	if s.Is(label.Start-1, "and", "or") { // in a list
		return
	}
	d.add(s.replace(label, ""))
	if v.quoted && v.isName() {
		d.add(s.with(label.Start, v.tokens.End, v.inner))
	}
}

// labelAfter returns the words for the column that follow a value and that a draft can drop:
// "region" of "the Caribbean region". It returns false if there are none.
func (v value) labelAfter() (phrase.Span, bool) {
	if v.needsColumn() {
		return phrase.Span{}, false
	}
	before := v.tokens.Start - 1
	if v.Is(before, "the") {
		before--
	}
	if v.Is(before, "in") && !v.ofAny(words.Words("place")...) {
		return phrase.Span{}, false // "in the Slavic family" is not "in Slavic"
	}
	m, ok := v.on(labelAfterPattern)
	return m.Part, ok && !v.sharesNoun(m.Part)
}

// sharesNoun reports whether the noun after a value may belong to a word before "and" and the value too: a plural, as in "black and white
// dogs". It does not if that word is a name.
func (v value) sharesNoun(noun phrase.Span) bool {
	before := v.tokens.Start - 1 // "and"
	if !v.Is(before, "and", "or") || isCapital(v.Span(before-1, before)) {
		return false
	}
	return english.IsPlural(v.Word(noun.End - 1))
}

// columnAfter drops the words for a column after its value: "Gelderland district" becomes "Gelderland", "the AHD airport" becomes
// "AHD".
func columnAfter(v value, d *drafts) {
	label, ok := v.labelAfter()
	if !ok {
		return
	}
	start := v.tokens.Start
	if v.Is(start-1, "a", "an") {
		return // "an APS diagnosis" is one of several
	}
	if v.Is(start-1, "the") && v.dropsArticle() {
		start--
	}
	if v.Is(start-1, "of") && v.ofAny(words.Words("manner")...) {
		return // "cheeses of the Hard style" are not "of Hard"
	}
	d.add(v.with(start, label.End, v.words(v.tokens)))
}

// dropsArticle reports whether "the" before a value goes with the noun after it: it does before quotations, capitals ("AHD") and single
// words, but regions keep it ("the Caribbean").
func (v value) dropsArticle() bool {
	if v.quoted || v.inner == strings.ToUpper(v.inner) {
		return true
	}
	return !v.ofAny("region") && !strings.Contains(v.inner, " ")
}
