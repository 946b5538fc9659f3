package perturb

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// maxText bounds the texts that are looked at, for the work grows with the square of
// their length. BIRD's have less than 2 kB.
const maxText = 16 << 10

// linkText returns the links of a text; one that is too long has none.
func linkText(text string, scope *textScope) []EvidenceLink {
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

// linker goes over the tokens of a text from left to right.
type linker struct {
	text   string
	scope  *textScope
	tokens []textToken
	listed []bool // tokens that are links, after which a list may go on
	links  []EvidenceLink
}

// noToken is the token before the first and behind the last.
var noToken = textToken{kind: opText}

func (l *linker) tok(i int) textToken {
	if i < 0 || i >= len(l.tokens) {
		return noToken
	}
	return l.tokens[i]
}

// is tells whether a token is one of some words or operators.
func (l *linker) is(i int, words ...string) bool {
	t := l.tok(i)
	return (t.kind == wordText || t.kind == opText) && slices.Contains(words, t.lower)
}

func (l *linker) isValue(i int) bool {
	t := l.tok(i)
	return t.kind == valueText || t.kind == wordText && t.text[0] >= '0' && t.text[0] <= '9' ||
		(l.is(i, "+", "-")) && l.tok(i+1).kind == wordText && l.tok(i+1).start == t.end && l.isValue(i+1) ||
		l.is(i, "null", "true", "false")
}

// token looks at one token and returns the last that it dealt with.
func (l *linker) token(i int) int {
	t := l.tok(i)
	if t.kind != wordText && t.kind != phraseText && t.kind != quotedText {
		return i
	}
	if l.is(i+1, ".") && l.adjacent(i, i+2) && l.tok(i+2).kind <= quotedText {
		return l.dotted(i)
	}
	if ref, ok := l.scope.column(t.text, l.hint(i)); ok && l.column(i, ref) {
		l.add(t, ref)
		l.listed[i] = true
		return i
	}
	if table := l.scope.db.Table(t.text); table >= 0 && l.table(i, l.scope.db.Tables[table].Original) {
		l.links = append(l.links, EvidenceLink{t.start, t.end, l.scope.db.Tables[table].Original, "", l.quote(t)})
	}
	return i
}

var aliasLike = regexp.MustCompile(`^[tT]\d{1,2}$`)

// adjacent tells whether nothing stands between tokens but one dot and quotes.
func (l *linker) adjacent(i, j int) bool {
	between := strings.Trim(l.text[l.tok(i).end:max(l.tok(i).end, l.tok(j).start)], "`\"[]")
	return between == "."
}

// dotted deals with "table.column".
func (l *linker) dotted(i int) int {
	t, c := l.tok(i), l.tok(i+2)
	ref, exact, ok := l.scope.qualified(t.text, c.text)
	if !ok && !exact && aliasLike.MatchString(t.text) { // an alias of another wording of the query
		ref, ok = l.scope.column(c.text, -1)
	}
	if !ok || t.joined || c.kind != quotedText && l.is(i+3, ".") && l.adjacent(i+2, i+4) {
		return i + 2
	}
	if exact {
		l.links = append(l.links, EvidenceLink{t.start, t.end, l.scope.db.Tables[ref.Table].Original, "", l.quote(t)})
	}
	l.add(c, ref)
	l.listed[i+2] = true
	return i + 2
}

func (l *linker) add(t textToken, ref dataset.ColumnRef) {
	id := l.scope.db.ColumnID(ref)
	l.links = append(l.links, EvidenceLink{t.start, t.end, id.Table, id.Column, l.quote(t)})
}

func (l *linker) quote(t textToken) byte {
	if t.kind == quotedText {
		return l.text[t.start-1]
	}
	return 0
}

// hint returns the table of "Country value in the gasstations table" and "language in
// foreign_data", or -1.
func (l *linker) hint(i int) int {
	j := i + 1
	if l.is(j, "value", "values", "column", "field") {
		j++
	}
	if !l.is(j, "in", "from", "of") {
		return -1
	}
	if j++; l.is(j, "the") {
		j++
	}
	if l.is(j, "table") {
		j++
	}
	table := l.scope.db.Table(l.tok(j).text)
	if table < 0 || l.tok(j).kind == valueText || !l.table(j, l.scope.db.Tables[table].Original) {
		return -1
	}
	if _, ok := l.scope.db.Lookup(l.scope.db.Tables[table].Original, l.tok(i).text); !ok {
		return -1
	}
	return table
}

// table tells whether a word that is a table's name stands for it.
func (l *linker) table(i int, name string) bool {
	t := l.tok(i)
	return t.kind == quotedText || !t.joined && (l.is(i+1, "table") || l.is(i-1, "table") || l.tok(i-1).text == "FROM" || distinct(name, t.text))
}

// column tells whether a word that is a column's name stands for it.
func (l *linker) column(i int, ref dataset.ColumnRef) bool {
	t, name := l.tok(i), l.scope.db.Column(ref).Original
	switch {
	case t.kind != wordText:
		return t.kind == quotedText || !t.joined
	case t.joined && (!distinct(name, t.text) || name == strings.ToUpper(name) && !strings.Contains(name, "_")), l.is(i+1, "(") && isFunction(t.lower):
		return false
	case distinct(name, t.text), l.predicate(i):
		return true
	case !l.closes(i):
		return l.capital(i, name)
	}
	return l.opens(i) || l.refersTo(i) || l.inList(i) || l.capital(i, name)
}

// predicate tells whether a word is compared with something: "x > 3", "x is null",
// "x LIKE 'a%'". What "=" defines, as in "age = SUBTRACT(…)", is no column.
func (l *linker) predicate(i int) bool {
	switch op := l.tok(i + 1); {
	case l.is(i+1, "="):
		return l.isValue(i+2) || l.is(i+2, "+", "-") || l.isColumn(i+2) || l.verb(i-1) || l.is(i-1, "where", "when", "and", "or")
	case op.kind == opText && op.text != "" && strings.IndexByte("<>!", op.text[0]) >= 0:
		return l.isValue(i+2) || l.isColumn(i+2) || l.is(i+3, "(")
	case l.is(i+1, "is"):
		return l.is(i+2, "null", "empty") || l.is(i+2, "not") && (l.is(i+3, "null", "empty") || l.isValue(i+3))
	case l.is(i+1, "in"):
		return l.is(i+2, "(")
	case l.is(i+1, "not"):
		return l.is(i+2, "in") && l.is(i+3, "(") || l.is(i+2, "like", "between")
	case l.is(i+1, "like", "between", "contains", "include", "includes"):
		return l.isValue(i + 2)
	}
	return l.is(i+1, "has") && l.is(i+2, "value", "values")
}

// isColumn tells whether a token is a column's name by its form, or with its table.
func (l *linker) isColumn(i int) bool {
	t := l.tok(i)
	if l.is(i+1, ".") {
		_, _, ok := l.scope.qualified(t.text, l.tok(i+2).text)
		return ok
	}
	ref, ok := l.scope.column(t.text, -1)
	return ok && (t.kind == quotedText || t.kind == phraseText || distinct(l.scope.db.Column(ref).Original, t.text))
}

// closes tells whether a term of a formula or list may end behind a word.
func (l *linker) closes(i int) bool {
	if i+1 >= len(l.tokens) || l.tok(i+1).kind == opText && l.tok(i+1).text != "(" {
		return true
	}
	return l.is(i+1, "where", "when", "and", "or", "as", "desc", "asc", "then", "else", "end") ||
		l.hint(i) >= 0 || l.is(i+1, "with") && l.tok(i+1).text == "WITH"
}

// opens tells whether a term of a formula may begin at a word: it is the argument of
// a function, or stands behind an operator.
func (l *linker) opens(i int) bool {
	if l.is(i-1, "distinct") && l.is(i-2, "(") {
		i--
	}
	switch {
	case l.is(i-1, "("):
		return l.call(i - 1)
	case l.is(i-1, "=") && l.isValue(i-2): // "1 = yes" says what a value means
		return false
	case l.is(i-1, "*", "/", "=", "<", ">", "< =", "> =", "<=", ">=", "!="):
		return true
	case l.is(i-1, "+", "-"):
		return l.tok(i-1).start > l.tok(i-2).end && !l.is(i-2, "=")
	case l.is(i-1, ","):
		return l.inCall(i - 1)
	}
	return l.tok(i-1).text == "BY" || l.is(i-1, "by") && l.is(i-2, "order", "group", "partition")
}

// call tells whether a parenthesis holds the arguments of a function.
func (l *linker) call(i int) bool {
	for l.is(i-1, "(") {
		i--
	}
	f := l.tok(i - 1)
	return f.kind == wordText && (isFunction(f.lower) || f.end == l.tok(i).start)
}

// inCall tells whether a comma stands between arguments of a function.
func (l *linker) inCall(i int) bool {
	depth := 0
	for j := i - 1; j >= 0; j-- {
		switch {
		case l.is(j, ")"):
			depth++
		case l.is(j, "(") && depth == 0:
			return l.call(j)
		case l.is(j, "("):
			depth--
		case l.is(j, ";"):
			return false
		}
	}
	return false
}

// verb tells whether a token ends a phrase that says what something is called in the
// database: "refers to", "means".
func (l *linker) verb(i int) bool {
	return l.is(i, "to", "by") && l.is(i-1, "refers", "refer", "referred", "pertains", "represented") ||
		l.is(i, "refers", "means", "mean", "represents", "denotes")
}

// refersTo tells whether a word stands behind such a phrase, maybe in parentheses.
func (l *linker) refersTo(i int) bool {
	if l.is(i-1, "(") {
		i--
	}
	if l.is(i-1, "the") && (l.is(i+1, ";", ",") || i+1 >= len(l.tokens)) {
		i--
	}
	return l.verb(i - 1)
}

// inList tells whether a word goes on with a list of columns.
func (l *linker) inList(i int) bool {
	j := i - 1
	if !l.is(j, ",", "and", "or", "+") {
		return false
	}
	if l.is(j, "and", "or") && l.is(j-1, ",") {
		j--
	}
	return j > 0 && l.listed[j-1]
}

// capital tells whether a word is spelled as the schema spells it, with a capital that
// prose would not give it here: it begins no clause and is part of no proper name.
func (l *linker) capital(i int, name string) bool {
	t, prev, next := l.tok(i), l.tok(i-1), l.tok(i+1)
	if t.text != name || t.lower == t.text {
		return false
	}
	if next.kind == wordText && next.lower != next.text && next.text != strings.ToUpper(next.text) && !l.is(i+1, "and", "or", "where", "is") || l.is(i+1, "(") {
		return false
	}
	return prev.kind == wordText && prev.lower == prev.text && !l.isValue(i-1) || l.is(i-1, ",") && i > 1 && l.listed[i-2]
}
