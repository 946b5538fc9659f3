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
	isColumn := func(name string) bool {
		_, ok := scope.column(name, -1)
		return ok
	}
	l := linker{text: text, scope: scope, tokens: textTokens(text, scope.phrases, isColumn)}
	l.listed = make([]bool, len(l.tokens))
	for i := 0; i < len(l.tokens); i++ {
		i = l.linkToken(i)
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

// noToken is the token before the first and after the last: an operator that equals no other.
var noToken = textToken{kind: opText, form: "o"}

// token returns the token at i, noToken outside of the text.
func (l *linker) token(i int) textToken {
	if i < 0 || i >= len(l.tokens) {
		return noToken
	}
	return l.tokens[i]
}

// isOneOf reports whether the token at i is one of some words or operators, which are in lower case.
func (l *linker) isOneOf(i int, words ...string) bool {
	return slices.Contains(words, l.token(i).lower)
}

// The forms ([textToken.form]) of values, and of those that may follow a sign: quoted texts (v), and
// words (w) that begin with a digit or are NULL, TRUE or FALSE.
var (
	valueForm = lazyregexp.New(`^(v|w[0-9]|w(?i:null|true|false)$)`)
	wordValue = lazyregexp.New(`^w([0-9]|(?i:null|true|false)$)`)
)

// isValue reports whether a value begins at token i: a number, a quoted text, null, true or
// false, or a sign directly before one.
func (l *linker) isValue(i int) bool {
	t, next := l.token(i), l.token(i+1)
	if l.isOneOf(i, "+", "-") {
		return next.start == t.end && wordValue.MatchString(next.form)
	}
	return valueForm.MatchString(t.form)
}

// linkToken adds a link if the token at i is one, and returns the position of the last token that
// the link covers.
func (l *linker) linkToken(i int) int {
	t := l.token(i)
	switch {
	case !t.kind.canBeName():
		return i
	case l.isDotted(i):
		return l.linkDotted(i)
	}
	if ref, ok := l.scope.column(t.text, l.namedTable(i)); ok && l.meansColumn(i, ref) {
		l.addColumn(t, ref)
		l.listed[i] = true
		return i
	}
	if table := l.scope.db.Table(t.text); table >= 0 && l.meansTable(i, table) {
		l.addTable(t, table)
	}
	return i
}

// isDotted reports whether the token at i is the first name of "table.column".
func (l *linker) isDotted(i int) bool { return l.hasDot(i) && l.token(i+2).kind.canBeName() }

// hasDot reports whether only a dot, and perhaps quotes, separate token i from token i+2.
func (l *linker) hasDot(i int) bool {
	end := l.token(i).end
	return l.isOneOf(i+1, ".") && strings.Trim(l.text[end:max(end, l.token(i+2).start)], "`\"[]") == "."
}

// aliasLike matches the aliases that Spider and BIRD use in gold SQL: "T1".
var aliasLike = lazyregexp.New(`^[tT]\d{1,2}$`)

// linkDotted adds the links of "table.column", whose first token is at i, and returns the position of
// its last token. It adds none if the prefix resolves to no table with the column, or if a further
// ".name" follows.
func (l *linker) linkDotted(i int) int {
	t, c := l.token(i), l.token(i+2)
	ref, exact, ok := l.scope.qualified(t.text, c.text)
	if !ok && !exact && aliasLike.MatchString(t.text) { // an alias of another wording of the gold SQL
		ref, ok = l.scope.column(c.text, -1)
	}
	goesOn := c.kind != quotedText && l.hasDot(i+2)
	switch {
	case !ok, t.joined, goesOn: // no column, a part of a word, or a longer path
		return i + 2
	case exact:
		l.addTable(t, ref.Table)
	}
	l.addColumn(c, ref)
	l.listed[i+2] = true
	return i + 2
}

// addColumn adds a link of the token t to a column.
func (l *linker) addColumn(t textToken, ref dataset.ColumnRef) {
	id := l.scope.db.ColumnID(ref)
	l.links = append(l.links, Link{t.start, t.end, id.Table, id.Column, l.quote(t)})
}

// addTable adds a link of the token t to the table at a position of the schema.
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

// namedTable returns the position of the table that the text names with the column at i, as in "Country in the
// gasstations table", or -1.
func (l *linker) namedTable(i int) int {
	j, ok := l.matched(i, "of") // the pattern of words such as "in the"; j is the token after them
	if !ok {
		return -1
	}
	table := l.scope.db.Table(l.token(j).text)
	if table < 0 || !l.meansTable(j, table) {
		return -1
	}
	if _, ok := l.scope.db.Lookup(l.scope.db.Tables[table].Original, l.token(i).text); !ok {
		return -1
	}
	return table
}

// meansTable reports whether the token at i, which is the name of a table, means that table here: it is quoted, no plain word, or
// matches the patterns "table" of data/patterns.txt.
func (l *linker) meansTable(i, table int) bool {
	t := l.token(i)
	switch {
	case t.kind == quotedText:
		return true
	case t.joined, t.kind == valueText: // a part of a longer word, or a value
		return false
	}
	return isDistinctive(l.scope.db.Tables[table].Original, t.text) || l.matches(i, "table")
}

// meansColumn reports whether the token at i, which is the name of the column ref, means that column
// here: by quotes, by its form, or by the words around it, for which data/patterns.txt has the patterns
// "predicate" ("age = 20") and "term" (an argument of a function, or an item of a list).
func (l *linker) meansColumn(i int, ref dataset.ColumnRef) bool {
	t, name := l.token(i), l.scope.db.Column(ref).Original
	distinctive := isDistinctive(name, t.text)
	isPartLike := t.kind == phraseText || !distinctive || capitals.MatchString(name) // "K" in "K-12"
	switch {
	case t.kind == quotedText:
		return true
	case t.joined && isPartLike:
		return false // a part of a longer word
	case t.kind == phraseText:
		return true
	case l.isOneOf(i+1, "(") && isFunction(t.lower):
		return false // a function such as count
	case distinctive, l.matches(i, "predicate"):
		return true
	case l.endsTerm(i) && l.matches(i, "term"):
		return true
	}
	return l.hasSchemaCapital(i, name)
}

// capitals matches names without small letters and underscores.
var capitals = lazyregexp.New(`^[^\p{Ll}_]*$`)

// endsTerm reports whether a term of a formula or list may end after token i.
func (l *linker) endsTerm(i int) bool { return l.matches(i, "end") || l.namedTable(i) >= 0 }

// hasSchemaCapital reports whether the token at i has the capital of the schema's spelling, in a place
// where prose would write none.
func (l *linker) hasSchemaCapital(i int, name string) bool {
	t := l.token(i)
	return t.text == name && t.text != t.lower && l.matches(i, "capital")
}

// isColumn reports whether the token at i is the name of a column whatever the words around it: it is in quotes,
// no plain word, spelled as no word of prose is, or followed by ".column" as the name of its table.
func (l *linker) isColumn(i int) bool {
	t := l.token(i)
	if l.isOneOf(i+1, ".") {
		_, _, ok := l.scope.qualified(t.text, l.token(i+2).text)
		return ok
	}
	ref, ok := l.scope.column(t.text, -1)
	if t.kind == wordText {
		return ok && isDistinctive(l.scope.db.Column(ref).Original, t.text)
	}
	return ok && t.kind.canBeName()
}

// opensCall reports whether the parenthesis at i, or one that it directly follows, opens the arguments
// of a function: it follows the name of a known function, or a word without a blank between.
func (l *linker) opensCall(i int) bool {
	for l.isOneOf(i-1, "(") {
		i--
	}
	f := l.token(i - 1)
	return f.kind == wordText && (isFunction(f.lower) || f.end == l.token(i).start)
}

// separatesArguments reports whether the comma at i separates arguments of a function.
func (l *linker) separatesArguments(i int) bool {
	depth := 0 // of parentheses that are closed before i
	for j := i - 1; j >= 0; j-- {
		switch {
		case l.isOneOf(j, ";"):
			return false
		case l.isOneOf(j, ")"):
			depth++
		case !l.isOneOf(j, "("):
		case depth == 0:
			return l.opensCall(j)
		default:
			depth--
		}
	}
	return false
}
