package question

import (
	"slices"
	"strings"
)

// apposition: "the document with the name 'X'", "the document named 'X'" and "the
// document whose name is 'X'" become "the document 'X'".
func apposition(s *subject, d *drafts) {
	for _, v := range s.values() {
		if v.Op != "=" || !s.nameLike(v) || s.is(v.end, "and", "or", ",") {
			continue
		}
		start, ok := s.namedFrom(v)
		if !ok || !s.isContent(start-1) || !s.isEntity(s.at(start-1)) {
			continue
		}
		if s.is(s.dropArticle(start-1)-1, "give", "find", "show", "list", "return", "get", "me") {
			continue // what is asked for would be known: "Give the airline 'UAL'."
		}
		if isPlural(s.at(start-1)) || s.is(start-2, "a", "an") && !v.quoted {
			continue
		}
		if _, last := cutLast(strings.ToLower(v.inner)); last == s.at(start-1) && !v.quoted { // "the museum named Plaza Museum"
			d.add(s.with(start-1, v.end, v.inner))
			continue
		}
		d.add(s.with(start, v.start, ""))
		if v.quoted && isCapital(v.inner) {
			d.add(s.with(start, v.end, v.inner))
		}
		if !v.quoted && !isNumeric(v.inner) && !isPerson(s.at(start-1)) {
			d.add(s.with(start, v.end, "\""+v.inner+"\""))
		}
	}
}

// nameLike tells whether a value is what the rows of its table are known by: a
// name, a title or a code.
func (s *subject) nameLike(v value) bool {
	words := s.columnWords(v)
	return len(words) > 0 && slices.Contains([]string{"name", "title", "code", "abbreviation", "episode"}, words[len(words)-1]) || len(words) == 1 && v.Column.Table >= 0 && s.names(v.Column.Table, words[0])
}

// namedFrom returns where "with the name" or another phrase of it begins before a
// value.
func (s *subject) namedFrom(v value) (int, bool) {
	i := v.start
	if s.is(i-1, "named", "called", "titled", "entitled") {
		return i - 1, true
	}
	is := s.is(i-1, "is")
	if is {
		i--
	}
	if s.is(i-1, "of") {
		i--
	}
	end := i
	for i > 0 && end-i < 4 && s.isContent(i-1) && (s.means(v, s.at(i-1)) || s.is(i-1, "name", "names") || s.names(v.Column.Table, s.at(i-1))) {
		i--
	}
	if i == end {
		return 0, false
	}
	i = s.dropArticle(i)
	switch {
	case is:
		return i - 1, s.is(i-1, "whose")
	case s.is(i-1, "with", "having", "by"):
		return i - 1, true
	}
	return i - 2, s.is(i-1, "has") && s.is(i-2, "that", "which", "who")
}

// kinds: "templates with type code PP or PPT" become "PP or PPT templates".
func kinds(s *subject, d *drafts) {
	values := s.values()
	for k, v := range values {
		words := s.columnWords(v)
		if len(words) == 0 || !slices.Contains([]string{"type", "code", "kind", "category", "genre", "class", "breed"}, words[len(words)-1]) || v.Op != "=" ||
			!v.quoted && !isCapital(v.inner) && words[len(words)-1] != "type" {
			continue
		}
		end := v.end
		if k+1 < len(values) && s.is(end, "or") && values[k+1].Column == v.Column && values[k+1].start == end+1 {
			end = values[k+1].end
		} else if s.is(end, "or", "and", ",") || k > 0 && s.is(v.start-1, "or") {
			continue
		}
		i, ok := s.namedFrom(v)
		if !ok {
			i, ok = s.havingFrom(v)
		}
		if s.is(v.start-1, "named", "called") || !ok || !s.isContent(i-1) || !s.names(v.Column.Table, s.at(i-1)) && !s.isEntity(s.at(i-1)) {
			continue
		}
		start := i - 1
		for start > 0 && i-start < 3 && s.isContent(start-1) && s.isEntity(s.at(start-1)) {
			start--
		}
		wide := start
		for i-wide < 3 && s.isContent(wide-1) {
			wide--
		}
		if s.is(wide-1, "a", "an", "the") { // "an insurance policy" is one word
			start = wide
		}
		d.add(s.with(start, end, s.span(v.start, end)+" "+s.span(start, i)))
		if v.quoted && end == v.end {
			d.add(s.with(start, end, v.inner+" "+s.span(start, i)))
		}
	}
}

// havingFrom is namedFrom for "that have the code".
func (s *subject) havingFrom(v value) (int, bool) {
	i := v.start
	for i > 0 && s.isContent(i-1) && (s.means(v, s.at(i-1)) || s.names(v.Column.Table, s.at(i-1))) {
		i--
	}
	if i == v.start {
		return 0, false
	}
	i = s.dropArticle(i)
	return i - 2, s.is(i-1, "have", "has") && s.is(i-2, "that", "which", "who")
}

// wholeNames: "the man with the first name X and the last name Y" becomes "X Y".
func wholeNames(s *subject, d *drafts) {
	values := s.values()
	for k := 0; k+1 < len(values); k++ {
		a, b := values[k], values[k+1]
		if !s.ofAny(a, "first", "given", "fname") || !s.ofAny(b, "last", "family", "surname", "lname") {
			continue
		}
		i := a.start
		for i > 0 && (s.isContent(i-1) && s.means(a, s.at(i-1)) || s.is(i-1, "is", "the", "of")) {
			i--
		}
		if i == a.start || !s.is(i-1, "with", "whose") || !s.isContent(i-2) {
			continue
		}
		name := a.inner + " " + b.inner
		d.add(s.with(i-1, b.end, name))
		d.add(s.with(s.dropArticle(i-2), b.end, name))
	}
}

// asKind: "own cats as pets" becomes "own cats", "have a republic as their form of
// government" "are republics".
func asKind(s *subject, d *drafts) {
	for _, v := range s.values() {
		i := v.end
		if !s.is(i, "as") || strings.ToLower(v.inner) != v.inner {
			continue
		}
		j := s.skip(i+1, "a", "an", "their", "its", "his", "her")
		end := j
		for end < len(s.low) && end-j < 4 && (s.isContent(end) && s.means(v, s.at(end)) || s.is(end, "of") && s.means(v, s.at(end+1))) {
			end++
		}
		if end == j || !s.ends(end) {
			continue
		}
		one := s.is(v.start-1, "a", "an")
		if k := v.start - 2; one && s.is(k, "have", "has") && s.names(v.Column.Table, s.at(k-1)) {
			be, noun := "is "+s.at(k+1), v.inner
			if s.is(k, "have") {
				be, noun = "are", plural(v.inner)
			}
			d.add(s.with(k, end, be+" "+noun))
			continue
		}
		d.add(s.with(i, end, ""))
	}
}
