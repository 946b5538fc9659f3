package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// columnValueRules let a value imply its column: "the city of Paris" becomes
// "Paris", "the document with the name X" "the document X" (Dr.Spider, tables 1
// and 4).
func columnValueRules() []rule {
	rules := []rule{
		columnRule("column before its value left out", columnBefore),
		valueRule("column after its value left out", columnAfter),
		valueRule("name in apposition", apposition),
		columnRule("kind before the noun", kinds),
	}
	return append(rules, reopened(rules))
}

// needed are words of columns whose values say nothing without them: what is
// "Cancelled" or "M" would be anybody's guess.
var needed = words.Words("needed")

// placeWords are the words of columns that hold where something is or comes from.
var placeWords = words.Words("place")

// The words for a column that can go before its value, and after it.
var (
	labelBefore = grammar.Must("(BESIDE [ARTICLE? LABEL{1,3} of? / for [ARTICLE? LABEL{1,3})] VALUE&ALONE")
	placeBefore = grammar.Must("of [ARTICLE? LABEL{1,3}] VALUE&ALONE")
	ownBefore   = grammar.Must("of [ARTICLE? LABEL{0,2} OWNNAME] VALUE&ALONE")
	labelAfter  = grammar.Must("!with the? VALUE&ALONE&PROPER [(COLUMN&!OWNNAME COLUMN&!ROWS / COLUMN&!ROWS)] !CONTENT&!VERB|NUMERIC")
)

// labelBefore returns the words for the column that stand before a value that
// says what it is without them: "city" of "in city X", "the city of" of "in the
// city of X".
func (v value) labelBefore() (phrase.Span, bool) {
	if v.ofAny(needed...) || v.isElsewhere() {
		return phrase.Span{}, false
	}
	m, ok := v.on(labelBefore)
	if !ok {
		m, ok = v.on(ownBefore)
	}
	if !ok && (v.ofAny(placeWords...) || v.ofAny("year")) {
		m, ok = v.on(placeBefore)
	}
	onPlace := v.ofAny(placeWords...) && v.Is(m.Part.Start-1, "on") // "on the continent of Europe", but "in Europe"
	return m.Part, ok && !onPlace && !v.isHad(m.Part)
}

var haves = grammar.Must("has|have|had|having either*")

// isHad tells whether what stands there is what something has: "has the name X" says
// nothing without "the name".
func (v value) isHad(label phrase.Span) bool {
	_, ok := haves.Before(v, label.Start)
	return ok
}

// isElsewhere tells whether another column of the table has the value too: without its
// own it could be of either, as a county and a city can.
func (v value) isElsewhere() bool {
	if v.content == nil || v.Column.Table < 0 {
		return false
	}
	for i := range v.db.Tables[v.Column.Table].Columns {
		other := dataset.ColumnRef{Table: v.Column.Table, Column: i}
		if other != v.Column && slices.ContainsFunc(v.content.Distinct(v.ctx, other), func(cell sqldata.Value) bool { return strings.EqualFold(cell.String(), v.inner) }) {
			return true
		}
	}
	return false
}

// standsAlone tells whether a value says what it is without its column: a number
// only where it is a year.
func (v value) standsAlone() bool {
	if !english.IsNumeric(v.inner) {
		return len(v.inner) > 1
	}
	n, _ := numeral.Parse(v.inner) // 0 where it is none
	return v.ofAny("year", "date") && n.Value >= 1000 && n.Value < 2200
}

// columnBefore: "from City 'X'" becomes "from 'X'", "in the year of 1970" "in 1970".
// Several such values are for allColumns.
func columnBefore(s *subject, d *drafts) {
	values := slices.DeleteFunc(s.values(), func(v value) bool {
		_, ok := v.labelBefore()
		return !ok
	})
	if len(values) != 1 {
		return
	}
	v := values[0]
	label, _ := v.labelBefore()
	if s.Is(label.Start-1, "and", "or") {
		return
	}
	d.add(s.replace(label, ""))
	if v.quoted && v.isName() {
		d.add(s.with(label.Start, v.tokens.End, v.inner))
	}
}

// labelAfter returns the words for the column that stand after a name and can go:
// "region" of "the Caribbean region".
func (v value) labelAfter() (phrase.Span, bool) {
	if v.ofAny(needed...) || v.isElsewhere() {
		return phrase.Span{}, false
	}
	m, ok := v.on(labelAfter)
	return m.Part, ok && !v.sharesNoun(m.Part)
}

// sharesNoun tells whether the noun behind a value is of what stands before as
// well: "cats and Siamese dogs".
func (v value) sharesNoun(noun phrase.Span) bool {
	before := v.tokens.Start - 1
	return v.Is(before, "and", "or") && english.IsPlural(v.Word(noun.End-1)) && !isCapital(v.Span(max(before-1, 0), before))
}

// columnAfter: "Gelderland district" becomes "Gelderland", "the AHD airport" "AHD".
func columnAfter(v value, d *drafts) {
	if label, ok := v.labelAfter(); ok {
		start := v.tokens.Start
		if v.Is(start-1, "the") && v.dropsArticle() {
			start--
		}
		d.add(v.with(start, label.End, v.words(v.tokens)))
	}
}

// dropsArticle tells whether a value takes no article where the noun behind it is
// gone, as "the Caribbean" does.
func (v value) dropsArticle() bool {
	if v.ofAny("region") || strings.Contains(v.inner, " ") {
		return v.quoted || v.inner == strings.ToUpper(v.inner)
	}
	return true
}
