package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// placeWords are the words of columns that hold where something is or comes from.
var placeWords = words.Words("place")

var (
	hasPlace = grammar.Must(`
		(CONTENT&!COLUMN [whose label=COLUMN{1,3} of? BE not=not?
		/ CONTENT&!COLUMN [WITH ARTICLE? label=COLUMN{1,3} of? not=not?
		/ !COLUMN [RELATIVE not=(do|does not) have|has ARTICLE? label=COLUMN{1,3} of?
		/ !COLUMN [RELATIVE have|has ARTICLE? label=COLUMN{1,3} of? not=not?) the? VALUE&SITE] !AND`)
	placeWithCode = grammar.Must("from|in|of [ARTICLE? COLUMN with|named|called COLUMN|code|name+ VALUE&SITE] !AND")
)

// places: "singers whose citizenship is not France" become "singers who are not
// from France", "from the country with code USA" "from the USA".
func places(v value, d *drafts) {
	if m, ok := v.on(hasPlace); ok && v.namesPlace(m.Get("label")) {
		d.add(v.replace(m.Part, v.fromPlace(m.Part.Start, m.Has("not"))))
	}
	if m, ok := v.on(placeWithCode); ok {
		d.add(v.replace(m.Part, v.placeName()))
	}
}

// isSite tells whether a value is where something is or comes from, by the name of
// the place: the value's column holds places and not their names alone.
func (v value) isSite() bool {
	switch {
	case v.isElsewhere(), english.IsNumeric(v.inner), isCountryAdjective(v.inner), !slices.Contains([]string{"=", "!="}, v.Op):
		return false
	case v.ofAny("name"):
		return v.ofAny("country", "city", "state")
	}
	return v.ofAny(placeWords...)
}

func (v value) namesPlace(words phrase.Span) bool {
	return slices.ContainsFunc(v.Words[words.Start:words.End], func(w string) bool { return slices.Contains(placeWords, english.SingularPhrase(w)) })
}

// placeName returns the name of a place as it stands in a sentence, with its
// article; the words for the value where it is no place that is known.
func (v value) placeName() string {
	c, ok := countryNamed(v.inner)
	switch {
	case !ok:
		return v.words(v.tokens)
	case slices.ContainsFunc(c.names, func(n string) bool { return strings.EqualFold(n, "the "+v.inner) }):
		return "the " + v.inner
	}
	return v.inner
}

// fromPlace returns "who are not from X" for the noun before the token i.
func (v value) fromPlace(i int, not bool) string {
	place := "in " + v.placeName()
	if isPerson(v.Word(i - 1)) {
		place = "from " + v.placeName()
	}
	if not {
		return v.copula(i, v.Column) + " not " + place
	}
	return place
}

// ways: "with destination airport X" becomes "to X", "have destination X" "go to X".
func ways(v value, d *drafts) {
	switch {
	case v.ofAny("destination", "dest", "arrival"):
		v.rewrite(d, goingTo, nil)
	case v.ofAny("source", "origin", "departure"):
		v.rewrite(d, departingFrom, nil)
	}
}

var goingTo = rewrites(`
	[WITH ARTICLE? WAY{1,3}] VALUE !and|or  => to
	[have ARTICLE? WAY{1,3}] VALUE !and|or  => go to
	[has ARTICLE? WAY{1,3}] VALUE !and|or   => goes to
`)

var departingFrom = rewrites(`
	[WITH ARTICLE? WAY{1,3}] VALUE !and|or  => from
	[have ARTICLE? WAY{1,3}] VALUE !and|or  => depart from
	[has ARTICLE? WAY{1,3}] VALUE !and|or   => departs from
`)
