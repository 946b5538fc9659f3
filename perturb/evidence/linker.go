package evidence

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// maxText bounds the texts that are searched, in bytes: the work grows with the square of their
// length. BIRD's texts have less than 2 kB.
const maxText = 16 << 10

// linkText returns the links of a text. A text longer than maxText has none.
func linkText(text string, scope *textScope) []Link {
	if len(text) > maxText {
		return nil
	}
	known := func(name string) bool {
		_, ok := scope.column(name, -1)
		return ok
	}
	l := linker{text: text, scope: scope, tokens: textTokens(text, scope.phrases, known)}
	l.listed = make([]bool, len(l.tokens))
	for i := 0; i < len(l.tokens); i++ {
		i = l.token(i)
	}
	return l.links
}

// linker finds links in the tokens of a text, from left to right.
type linker struct {
	text   string
	scope  *textScope
	tokens []textToken
	listed []bool // tokens that are links, after which a list may go on
	links  []Link
}

// noToken is the token before the first and behind the last.
var noToken = textToken{kind: opText, form: "o"}

func (l *linker) tok(i int) textToken {
	if i < 0 || i >= len(l.tokens) {
		return noToken
	}
	return l.tokens[i]
}

// is reports whether the token at i is one of some words or operators.
func (l *linker) is(i int, words ...string) bool { return slices.Contains(words, l.tok(i).lower) }

// The forms of values, and of those that may stand behind a sign.
var (
	valueForm = lazyregexp.New(`^(v|w[0-9]|w(?i:null|true|false)$)`)
	wordValue = lazyregexp.New(`^w([0-9]|(?i:null|true|false)$)`)
)

// isValue reports whether a value begins at token i: a number, a quoted text, null, true or
// false, or a sign directly before one.
func (l *linker) isValue(i int) bool {
	t, next := l.tok(i), l.tok(i+1)
	if l.is(i, "+", "-") {
		return next.start == t.end && wordValue.MatchString(next.form)
	}
	return valueForm.MatchString(t.form)
}

// token adds a link if the token at i is one, and returns the position of the last token that it
// used.
func (l *linker) token(i int) int {
	t := l.tok(i)
	switch {
	case !t.kind.name():
		return i
	case l.isDotted(i):
		return l.dotted(i)
	}
	if ref, ok := l.scope.column(t.text, l.hint(i)); ok && l.column(i, ref) {
		l.add(t, ref)
		l.listed[i] = true
		return i
	}
	if table := l.scope.db.Table(t.text); table >= 0 && l.table(i, table) {
		l.addTable(t, table)
	}
	return i
}

// isDotted reports whether the token at i is the first name of "table.column".
func (l *linker) isDotted(i int) bool { return l.hasDot(i) && l.tok(i+2).kind.name() }

// hasDot reports whether only a dot, and perhaps quotes, separate token i from token i+2.
func (l *linker) hasDot(i int) bool {
	end := l.tok(i).end
	return l.is(i+1, ".") && strings.Trim(l.text[end:max(end, l.tok(i+2).start)], "`\"[]") == "."
}

var aliasLike = lazyregexp.New(`^[tT]\d{1,2}$`)

// dotted adds the links of "table.column" and returns the position of its last token.
func (l *linker) dotted(i int) int {
	t, c := l.tok(i), l.tok(i+2)
	ref, exact, ok := l.scope.qualified(t.text, c.text)
	if !ok && !exact && aliasLike.MatchString(t.text) { // an alias of another wording of the query
		ref, ok = l.scope.column(c.text, -1)
	}
	goesOn := c.kind != quotedText && l.hasDot(i+2)
	switch {
	case !ok, t.joined, goesOn:
		return i + 2
	case exact:
		l.addTable(t, ref.Table)
	}
	l.add(c, ref)
	l.listed[i+2] = true
	return i + 2
}

func (l *linker) add(t textToken, ref dataset.ColumnRef) {
	id := l.scope.db.ColumnID(ref)
	l.links = append(l.links, Link{t.start, t.end, id.Table, id.Column, l.quote(t)})
}

func (l *linker) addTable(t textToken, table int) {
	l.links = append(l.links, Link{t.start, t.end, l.scope.db.Tables[table].Original, "", l.quote(t)})
}

// quote returns the quote before a quoted name, 0 for any other token.
func (l *linker) quote(t textToken) byte {
	if t.kind == quotedText {
		return l.text[t.start-1]
	}
	return 0
}

// hint returns the table that the text names with the column at i, as in "Country in the
// gasstations table", or -1.
func (l *linker) hint(i int) int {
	j, ok := l.matched(i, "of")
	if !ok {
		return -1
	}
	table := l.scope.db.Table(l.tok(j).text)
	if table < 0 || !l.table(j, table) {
		return -1
	}
	if _, ok := l.scope.db.Lookup(l.scope.db.Tables[table].Original, l.tok(i).text); !ok {
		return -1
	}
	return table
}

// table reports whether the token at i, which is the name of a table, means that table here.
func (l *linker) table(i, table int) bool {
	t := l.tok(i)
	switch {
	case t.kind == quotedText:
		return true
	case t.joined, t.kind == valueText:
		return false
	}
	return distinct(l.scope.db.Tables[table].Original, t.text) || l.matches(i, "table")
}

// column reports whether the token at i, which is the name of the column ref, means that column
// here.
func (l *linker) column(i int, ref dataset.ColumnRef) bool {
	t, name := l.tok(i), l.scope.db.Column(ref).Original
	clear := distinct(name, t.text)
	switch {
	case t.kind == quotedText:
		return true
	case t.joined && (t.kind == phraseText || !clear || capitals.MatchString(name)):
		return false
	case t.kind == phraseText:
		return true
	case l.is(i+1, "(") && isFunction(t.lower):
		return false
	case clear, l.matches(i, "predicate"):
		return true
	case l.closes(i) && l.matches(i, "term"):
		return true
	}
	return l.capital(i, name)
}

// capitals matches names without small letters and "_".
var capitals = lazyregexp.New(`^[^\p{Ll}_]*$`)

// closes reports whether a term of a formula or list may end after token i.
func (l *linker) closes(i int) bool { return l.matches(i, "end") || l.hint(i) >= 0 }

// capital reports whether the token at i has the capital of the schema's spelling, in a place
// where prose would write none.
func (l *linker) capital(i int, name string) bool {
	t := l.tok(i)
	return t.text == name && t.text != t.lower && l.matches(i, "capital")
}

// isColumn reports whether the token at i is a column's name by its form alone, or together with
// its table.
func (l *linker) isColumn(i int) bool {
	t := l.tok(i)
	if l.is(i+1, ".") {
		_, _, ok := l.scope.qualified(t.text, l.tok(i+2).text)
		return ok
	}
	ref, ok := l.scope.column(t.text, -1)
	if t.kind == wordText {
		return ok && distinct(l.scope.db.Column(ref).Original, t.text)
	}
	return ok && t.kind.name()
}

// call reports whether the parenthesis at i opens the arguments of a function.
func (l *linker) call(i int) bool {
	for l.is(i-1, "(") {
		i--
	}
	f := l.tok(i - 1)
	return f.kind == wordText && (isFunction(f.lower) || f.end == l.tok(i).start)
}

// inCall reports whether the comma at i separates arguments of a function.
func (l *linker) inCall(i int) bool {
	depth := 0
	for j := i - 1; j >= 0; j-- {
		switch {
		case l.is(j, ";"):
			return false
		case l.is(j, ")"):
			depth++
		case !l.is(j, "("):
		case depth == 0:
			return l.call(j)
		default:
			depth--
		}
	}
	return false
}
