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

// columnValueRules let a value imply its column: "the city of Paris" becomes
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
	// labelBefore matches the words for a column before its value: "city" of "in city X".
	labelBefore = grammar.Must("(BESIDE [ARTICLE? LABEL{1,3} of? / for [ARTICLE? LABEL{1,3} / of [ARTICLE? LABEL{0,2} OWNNAME)] VALUE&ALONE")
	// placeBefore matches the same after "of": "the city" of "of the city X".
	placeBefore = grammar.Must("of [ARTICLE? LABEL{1,3}] VALUE&ALONE")
	// labelAfter matches the words for a column after its value: "region" of "Caribbean region".
	labelAfter = grammar.Must("!with the? VALUE&ALONE&PROPER [(COLUMN&!OWNNAME COLUMN&!ROWS / COLUMN&!ROWS)] !CONTENT&!VERB|NUMERIC")
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
	m, ok := v.on(labelBefore)
	if !ok && (isPlace || v.ofAny("year")) {
		m, ok = v.on(placeBefore)
	}
	if _, had := haves.Before(v, m.Part.Start); !ok || had {
		return phrase.Span{}, false // "has the name X" means nothing without "the name"
	}
	onPlace := isPlace && v.Is(m.Part.Start-1, "on") // "on the continent of Europe", but "in Europe"
	return m.Part, !onPlace
}

// needsColumn reports whether a value is unclear without its column: nobody understands such values alone, or another
// column of the table has the value too, as a county and a city can share a name.
func (v value) needsColumn() bool {
	switch {
	case v.ofAny(words.Words("needed")...):
		return true
	case v.content == nil, v.Column.Table < 0:
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

// isClear reports whether a value of this form can be understood without its column: a number
// only if it is a year.
func (v value) isClear() bool {
	if !english.IsNumeric(v.inner) {
		return len(v.inner) > 1
	}
	n, _ := numeral.Parse(v.inner) // 0 for what is no number
	return isYear(n.Value, 1000, 2200) && v.ofAny("year", "date")
}

// isYear reports whether a number is at least the year first and before the year end.
func isYear(n, first, end float64) bool { return n >= first && n < end }

// columnBefore leaves out the column before its value: "from City 'X'" becomes "from 'X'", "in the year of 1970" becomes
// "in 1970". With several such values the question stays.
func columnBefore(s *subject, d *drafts) {
	found := lists.Filter(s.values(), func(v value) bool { _, ok := v.labelBefore(); return ok })
	if len(found) != 1 {
		return
	}
	v := found[0]
	label, _ := v.labelBefore()
	if s.Is(label.Start-1, "and", "or") {
		return
	}
	d.add(s.replace(label, ""))
	if v.quoted && v.isName() {
		d.add(s.with(label.Start, v.tokens.End, v.inner))
	}
}

// labelAfter returns the words for the column that follow a name and can go:
// "region" of "the Caribbean region".
func (v value) labelAfter() (phrase.Span, bool) {
	if v.needsColumn() {
		return phrase.Span{}, false
	}
	m, ok := v.on(labelAfter)
	return m.Part, ok && !v.sharesNoun(m.Part)
}

// sharesNoun reports whether the noun after a value belongs to the words before the value too: "cats and Siamese dogs".
func (v value) sharesNoun(noun phrase.Span) bool {
	before := v.tokens.Start - 1
	if !v.Is(before, "and", "or") || isCapital(v.Span(before-1, before)) {
		return false
	}
	return english.IsPlural(v.Word(noun.End - 1))
}

// columnAfter leaves out the column after its value: "Gelderland district" becomes "Gelderland", "the AHD airport" becomes
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
	d.add(v.with(start, label.End, v.words(v.tokens)))
}

// dropsArticle reports whether a value takes no article once the noun after it is gone. "The Caribbean" keeps it.
func (v value) dropsArticle() bool {
	if v.quoted || v.inner == strings.ToUpper(v.inner) {
		return true
	}
	return !v.ofAny("region") && !strings.Contains(v.inner, " ")
}
