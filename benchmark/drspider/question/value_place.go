package question

import (
	"slices"
	"strings"
)

// placeWords are the words of columns that hold where something is or comes from.
var placeWords = []string{"country", "nation", "city", "town", "state", "hometown", "region", "continent", "nationality", "citizenship", "district", "county", "province", "location", "birthplace", "birth place"}

// places: "singers whose citizenship is not France" become "singers who are not
// from France", "the country with code USA" "USA".
func places(s *subject, d *drafts) {
	for _, v := range s.values() {
		if !s.ofAny(v, placeWords...) || s.ofAny(v, "name") && !s.ofAny(v, "country", "city", "state") || isNumeric(v.inner) || v.Op != "=" && v.Op != "!=" || s.is(v.end, "and", "or", ",") {
			continue
		}
		_, adjective := s.adjectiveValue(v)
		if adjective {
			continue
		}
		if i, not, ok := s.placeFrom(v); ok && !s.means(v, s.at(i-1)) {
			d.add(s.with(i, v.end, s.fromPlace(i, not, v)))
		}
		// "from the country with code USA"
		i := v.start
		for s.means(v, s.at(i-1)) || s.is(i-1, "code", "name") {
			i--
		}
		if i < v.start && s.is(i-1, "with", "named", "called") && s.isContent(i-2) && s.means(v, s.at(i-2)) {
			if k := s.dropArticle(i - 2); s.is(k-1, "from", "in", "of") {
				d.add(s.with(k, v.end, placeName(v, s.span(v.start, v.end))))
			}
		}
	}
}

// placeName returns the name of a place as it stands in a sentence, with its
// article; words where it is no place that is known.
func placeName(v value, words string) string {
	c, ok := countryNamed(v.inner)
	if !ok {
		return words
	}
	for _, n := range c.names {
		if strings.EqualFold(n, "the "+v.inner) {
			return "the " + v.inner
		}
	}
	return v.inner
}

// adjectiveValue tells whether the question has a place by its adjective.
func (s *subject) adjectiveValue(v value) (country, bool) {
	for _, c := range countries() {
		if strings.EqualFold(c.adjective, v.inner) {
			return c, true
		}
	}
	return country{}, false
}

// placeFrom returns where the clause begins that says of an entity which place it
// has, and whether it denies it.
func (s *subject) placeFrom(v value) (start int, not, ok bool) {
	i := v.start
	if s.is(i-1, "the") && !v.quoted {
		i--
	}
	if s.is(i-1, "not") {
		not = true
		i--
	}
	verb := s.is(i-1, "is", "are", "was", "were")
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
	if i == end || !slices.ContainsFunc(s.low[i:end], func(w string) bool { return slices.Contains(placeWords, singular(w)) }) {
		return 0, false, false
	}
	if verb {
		return i - 1, not, s.is(i-1, "whose") && s.isContent(i-2)
	}
	i = s.dropArticle(i)
	if s.is(i-1, "with", "having") {
		return i - 1, not, s.isContent(i - 2)
	}
	if s.is(i-1, "have", "has") && s.is(i-2, "not") && s.is(i-3, "do", "does") && s.is(i-4, "that", "who", "which") {
		return i - 4, true, true
	}
	return i - 2, not, s.is(i-1, "have", "has") && s.is(i-2, "that", "who", "which")
}

// fromPlace returns "who are not from X" for the noun before the token i.
func (s *subject) fromPlace(i int, not bool, v value) string {
	name := placeName(v, s.span(v.start, v.end))
	preposition := "in "
	if isPerson(s.at(i - 1)) {
		preposition = "from "
	}
	if !not {
		return preposition + name
	}
	return s.copula(i, v.Column) + " not " + preposition + name
}

// ways: "with destination airport X" becomes "to X", "have destination X" "go to X".
func ways(s *subject, d *drafts) {
	for _, v := range s.values() {
		preposition, verb := "", ""
		switch {
		case s.ofAny(v, "destination", "dest", "arrival"):
			preposition, verb = "to ", "go"
		case s.ofAny(v, "source", "origin", "departure"):
			preposition, verb = "from ", "depart"
		default:
			continue
		}
		i := v.start
		for i > 0 && v.start-i < 3 && s.isContent(i-1) && (s.means(v, s.at(i-1)) || s.is(i-1, "destination", "source", "departure", "arrival", "origin")) {
			i--
		}
		if i == v.start || s.is(v.end, "and", "or") {
			continue
		}
		i = s.dropArticle(i)
		switch {
		case s.is(i-1, "with", "having"):
			d.add(s.with(i-1, v.start, preposition))
		case s.is(i-1, "have"):
			d.add(s.with(i-1, v.start, verb+" "+preposition))
		case s.is(i-1, "has"):
			d.add(s.with(i-1, v.start, strings.Replace(verb+"s ", "gos", "goes", 1)+preposition))
		}
	}
}
