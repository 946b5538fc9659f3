package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// inApposition matches the words between a noun and the name of the thing: "with the name". After a request the name is asked for: "Give
// the airline 'UAL'."
var inApposition = grammar.Must("!give|find|show|list|return|get|me article=ARTICLE? ENTITY&!PLURAL [(named|called|titled|entitled / NAMED)] VALUE&EQUAL&KEY !AND")

// apposition puts a name right after its noun: "the document with the name 'X'", "the document named 'X'" and "the
// document whose name is 'X'" become "the document 'X'".
func apposition(v value, d *drafts) {
	m, ok := v.on(inApposition)
	if !ok {
		return
	}
	noun := m.Part.Start - 1
	if v.Column.Table >= 0 && !v.namesRows(v.Column.Table, v.Word(noun)) { // the name of something else
		return
	}
	if v.quoted {
		d.add(v.replace(m.Part, ""))
		if v.isName() {
			d.add(v.with(m.Part.Start, v.tokens.End, v.inner))
		}
		return
	}
	_, last := english.CutLast(strings.ToLower(v.inner))
	switch {
	case v.Is(noun-1, "a", "an"): // "a document named X" is not "a document X"
		return
	case last == v.Word(noun): // "the museum named Plaza Museum" becomes "the Plaza Museum"
		d.add(v.with(noun, v.tokens.End, v.inner))
		return
	}
	d.add(v.replace(m.Part, ""))
	if !english.IsNumeric(v.inner) && !isPerson(v.Word(noun)) {
		d.add(v.with(m.Part.Start, v.tokens.End, "\""+v.inner+"\""))
	}
}

// isKeyName reports whether people know the rows of a table by the value's column: by a
// name, a title or a code, or by a column that is called as the rows are ("airline" of airlines).
func (v value) isKeyName() bool {
	isKnown := slices.Contains(words.Words("known"), v.lastColumnWord())
	return isKnown || len(v.columnWords) == 1 && v.namesRows(v.Column.Table, v.columnWords[0])
}

// ofKind matches a noun with its kind in a clause: "templates with type code PP".
var ofKind = grammar.Must(`
	[(ARTICLE noun=(CONTENT{0,2} ENTITY|ROWS) / noun=(ENTITY{0,2} ENTITY|ROWS))
	(titled|entitled / NAMED / RELATIVE have|has ARTICLE? COLUMN|ROWS+) VALUE&EQUAL&KIND]`)

// kindBeforeNoun puts a kind before its noun: "templates with type code PP or PPT" become "PP or PPT templates". A single kind in quotation
// marks gives another draft without the marks.
func kindBeforeNoun(s *subject, d *drafts) {
	values := s.values()
	for k, v := range values {
		m, ok := v.on(ofKind)
		if !ok {
			continue
		}
		noun, end := m.Get("noun"), v.tokens.End
		switch {
		case k+1 < len(values) && s.joined(v, values[k+1]): // "PP or PPT"
			end = values[k+1].tokens.End
		case s.Is(end, "or", "and", ","), k > 0 && s.Is(v.tokens.Start-1, "or"): // in a longer list, or the second of two
			continue
		}
		d.add(s.with(noun.Start, end, s.Span(v.tokens.Start, end)+" "+s.words(noun)))
		if v.quoted && end == v.tokens.End {
			d.add(s.with(noun.Start, end, v.inner+" "+s.words(noun)))
		}
	}
}

// isKind reports whether a value can precede a noun as its kind, by the last word of its column's name: "PP templates" for a type code.
func (v value) isKind() bool {
	kind := v.lastColumnWord()
	return kind == "type" || v.isProper() && slices.Contains(words.Words("kind"), kind)
}

// joined reports whether "or" alone comes between two values of one column.
func (s *subject) joined(a, b value) bool {
	between := phrase.Span{Start: a.tokens.End, End: b.tokens.Start}
	return a.Column == b.Column && strings.EqualFold(s.words(between), "or")
}
