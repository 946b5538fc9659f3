package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// What is asked for would be known: "Give the airline 'UAL'."
var inApposition = grammar.Must("!give|find|show|list|return|get|me article=ARTICLE? ENTITY&!PLURAL [(named|called|titled|entitled / NAMED)] VALUE&EQUAL&KEY !AND")

// apposition: "the document with the name 'X'", "the document named 'X'" and "the
// document whose name is 'X'" become "the document 'X'".
func apposition(v value, d *drafts) {
	m, ok := v.on(inApposition)
	if !ok {
		return
	}
	noun := m.Part.Start - 1
	if !v.quoted && v.Is(noun-1, "a", "an") || v.Column.Table >= 0 && !v.names(v.Column.Table, v.Word(noun)) {
		return
	}
	if _, last := english.CutLast(strings.ToLower(v.inner)); last == v.Word(noun) && !v.quoted { // "the museum named Plaza Museum"
		d.add(v.with(noun, v.tokens.End, v.inner))
		return
	}
	d.add(v.replace(m.Part, ""))
	switch {
	case v.quoted && v.isName():
		d.add(v.with(m.Part.Start, v.tokens.End, v.inner))
	case !v.quoted && !english.IsNumeric(v.inner) && !isPerson(v.Word(noun)):
		d.add(v.with(m.Part.Start, v.tokens.End, "\""+v.inner+"\""))
	}
}

// isKeyName tells whether a value is what the rows of its table are known by: a
// name, a title or a code.
func (v value) isKeyName() bool {
	named := words.Words("known")
	return slices.Contains(named, v.kindOf()) || len(v.columnWords) == 1 && v.names(v.Column.Table, v.columnWords[0])
}

var ofKind = grammar.Must(`
	[noun=(ARTICLE CONTENT{0,2} ENTITY|ROWS / ENTITY{0,2} ENTITY|ROWS)
	(titled|entitled / NAMED / RELATIVE have|has ARTICLE? COLUMN|ROWS+) VALUE&EQUAL&KIND]`)

// kinds: "templates with type code PP or PPT" become "PP or PPT templates".
func kinds(s *subject, d *drafts) {
	values := s.values()
	for k, v := range values {
		m, ok := v.on(ofKind)
		if !ok {
			continue
		}
		noun, end := m.Get("noun"), v.tokens.End
		if s.Is(noun.Start, "the", "a", "an") {
			noun.Start++
		}
		switch {
		case k+1 < len(values) && s.joined(v, values[k+1]):
			end = values[k+1].tokens.End
		case s.Is(end, "or", "and", ","), k > 0 && s.Is(v.tokens.Start-1, "or"):
			continue
		}
		d.add(s.with(noun.Start, end, s.Span(v.tokens.Start, end)+" "+s.words(noun)))
		if v.quoted && end == v.tokens.End {
			d.add(s.with(noun.Start, end, v.inner+" "+s.words(noun)))
		}
	}
}

// isKind tells whether a value can stand before a noun as its kind.
func (v value) isKind() bool {
	kind := v.kindOf()
	return kind == "type" || (v.quoted || v.isName()) && slices.Contains(words.Words("kind"), kind)
}

// joined tells whether two values of one column are joined by "or".
func (s *subject) joined(a, b value) bool {
	return a.Column == b.Column && s.Is(a.tokens.End, "or") && b.tokens.Start == a.tokens.End+1
}
