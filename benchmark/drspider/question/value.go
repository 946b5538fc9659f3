package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
)

// value is where a question mentions a constant of the gold SQL.
type value struct {
	*subject
	indicator.Mention
	tokens      phrase.Span // with the quotes around them
	inner       string      // the words without quotes
	quoted      bool
	columnWords []string // the singular words of its column's name; nil if it is compared with no column
}

// valueRule returns a rule that calls a function for each value of a question; the function adds drafts.
func valueRule(name string, apply func(value, *drafts)) rule {
	return columnRule(name, func(s *subject, d *drafts) {
		for _, v := range s.values() {
			apply(v, d)
		}
	})
}

// quotes are the tokens before and after a quotation.
var quotes = [][2]string{{"'", "'"}, {"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"`", "`"}, {"` `", "' '"}}

// values returns the mentions of constants that have words, in the order of the question. Their tokens include quotation marks.
func (s *subject) values() []value {
	var out []value
	for _, m := range s.alignment.Mentions {
		at, ok := s.tokensOf(m)
		if m.Kind != indicator.Value || !ok {
			continue
		}
		v := value{subject: s, Mention: m, tokens: at, inner: s.words(at)}
		if m.Column.Table >= 0 {
			v.columnWords = lexicon.Words(lexicon.Normal(s.db.Column(m.Column).Name))
		}
		for _, q := range quotes {
			n := strings.Count(q[0], " ") + 1 // tokens of the opening mark
			_, opens := s.Has(at.Start-n, q[0])
			if end, closes := s.Has(at.End, q[1]); opens && closes {
				v.tokens, v.quoted = phrase.Span{Start: at.Start - n, End: end}, true
			}
		}
		out = append(out, v)
	}
	return out
}

// tokensOf returns the tokens of a mention. It returns false if the mention is implied, or begins or ends
// within a token.
func (s *subject) tokensOf(m indicator.Mention) (phrase.Span, bool) {
	at := phrase.Span{
		Start: slices.IndexFunc(s.Tokens, func(t english.Token) bool { return t.Start == m.Start }),
		End:   slices.IndexFunc(s.Tokens, func(t english.Token) bool { return t.End == m.End }) + 1,
	}
	return at, at.Start >= 0 && !at.Empty()
}

// Class returns the number of tokens from i on that are of the named class. It knows the classes of subject and
//
//	COLUMN    a noun for the value's column
//	ROWS      a noun for the rows of the value's table
//	OWNNAME   the same, where the value is the name of the row: "airline" before "JetBlue"
//
// and, for the first token of the value itself, [traits].
func (v value) Class(name string, i int) int {
	switch name {
	case "COLUMN":
		return phrase.One(v.isContent(i) && v.isColumnNoun(v.Word(i)))
	case "ROWS":
		return phrase.One(v.isRowNoun(i))
	case "OWNNAME":
		return phrase.One(v.isRowNoun(i) && v.isNameColumn(v.Column, v.Word(i)))
	}
	if is, ok := traits[name]; ok && i == v.tokens.Start {
		return phrase.One(is(v))
	}
	return v.subject.Class(name, i)
}

// isRowNoun reports whether the token i is a noun for the rows of the value's table.
func (v value) isRowNoun(i int) bool { return v.isContent(i) && v.namesRows(v.Column.Table, v.Word(i)) }

// traits are the classes of values.
var traits = map[string]func(value) bool{
	"ALONE":  value.isClear,                             // can be understood without its column
	"EQUAL":  func(v value) bool { return v.Op == "=" }, // the column has to be equal to it
	"KEY":    value.isKeyName,                           // the rows of its table are known by it
	"KIND":   value.isKind,                              // a kind of the rows of its table
	"ONE":    func(v value) bool { return strings.EqualFold(v.inner, "one") },
	"PROPER": value.isProper,
}

// isColumnNoun reports whether a noun of the question names the column of a value: it is
// one of the words of the column's name, or has the whole name as a synonym.
func (v value) isColumnNoun(noun string) bool {
	noun = english.SingularPhrase(strings.ToLower(noun))
	if v.ofAny(noun, lexicon.Normal(noun)) {
		return true
	}
	return v.columnWords != nil && slices.Contains(v.Synonyms(noun), strings.Join(v.columnWords, " "))
}

// ofAny reports whether the name of the value's column has one of the words.
func (v value) ofAny(words ...string) bool {
	return slices.ContainsFunc(v.columnWords, func(w string) bool { return slices.Contains(words, w) })
}

// lastColumnWord returns the last word of the name of the value's column, "" if the value has no column.
func (v value) lastColumnWord() string {
	if len(v.columnWords) == 0 {
		return ""
	}
	return v.columnWords[len(v.columnWords)-1]
}

// isName reports whether each word of the value begins with a capital.
func (v value) isName() bool { return isCapital(v.inner) }

// isProper reports whether the value is a name or a quotation.
func (v value) isProper() bool { return v.quoted || v.isName() }

// on matches a pattern around the value, which takes the place of the pattern's anchor VALUE.
func (v value) on(p *phrase.Pattern) (phrase.Match, bool) { return p.On(v, v.tokens) }
