package evidence

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// textToken is a token of a text in which prose and SQL are mixed.
type textToken struct {
	start, end int
	kind       textKind
	text       string // a quoted name without its quotes
	lower      string // of words and operators; "" of all else
	form       string // the text behind a letter for the kind: w, p, q, v or o
	joined     bool   // a word that is part of a longer one: of "T-shirt", "member's", "K-12"
}

type textKind uint8

const (
	wordText   textKind = iota // letters, digits and "_"
	phraseText                 // a column's name that is no plain word, as the schema spells it
	quotedText                 // `…`, or […] around a column's name: start and end are those of the name
	valueText                  // '…' or "…"
	opText                     // an operator, or one character
)

// canBeName reports whether tokens of the kind may be names of tables or columns.
func (k textKind) canBeName() bool { return k <= quotedText }

// textTokens splits a text into tokens. phrases are the names of columns that tokens would split,
// the longest first; name reports whether a text in double quotes or brackets is the name of a
// column.
func textTokens(text string, phrases []string, name func(string) bool) []textToken {
	l := textLexer{text: text, phrases: phrases, name: name}
	for l.at < len(text) {
		l.next()
	}
	for i := range l.tokens {
		l.markJoined(i)
	}
	return l.tokens
}

// textLexer splits a text into tokens, see [textTokens].
type textLexer struct {
	text    string
	at      int               // byte offset of the next token
	phrases []string          // names of columns that tokens would split, the longest first
	name    func(string) bool // reports whether a quoted text is the name of a column
	tokens  []textToken
}

// add appends the token of text[start:end].
func (l *textLexer) add(kind textKind, start, end int) {
	t := textToken{start: start, end: end, kind: kind, text: l.text[start:end]}
	t.form = "wpqvo"[kind:kind+1] + t.text // the letter of the kind before the text
	switch kind {
	case wordText, opText:
		t.lower = strings.ToLower(t.text)
	}
	l.tokens = append(l.tokens, t)
}

// The forms of tokens, and what may follow the quote that closes a value: an apostrophe
// precedes a letter. Comparisons may have blanks within: "> =".
var (
	wordToken       = lazyregexp.New(`^[\pL\p{Nd}_]+`)
	comparisonToken = lazyregexp.New(`^[<>=!]( *[<>=])*`)
	nameToken       = lazyregexp.New("^(`[^`]+`|\\[[^\\]]+\\])")
	closingQuote    = lazyregexp.New(`^'([^\pL\p{Nd}_]|$|OR |AND )`)
)

// next reads one token, or skips one character of white space. A quote that nothing closes is an operator token, as is any
// other character that begins no word, phrase or comparison. Brackets quote the name of a column only; any other "[" is an operator.
func (l *textLexer) next() {
	start := l.at
	rest := l.text[start:]
	r, size := utf8.DecodeRuneInString(rest)
	l.at += size
	switch r {
	case ' ', '\t', '\r', '\n':
		return
	case '\'', '"':
		if end := l.closingQuoteOf(start); end > 0 {
			l.addQuoted(start, end, r)
			return
		}
	case '`', '[':
		name := nameToken.FindString(rest)
		if name != "" && (r == '`' || l.name(name[1:len(name)-1])) {
			l.add(quotedText, start+1, start+len(name)-1)
			l.at = start + len(name)
			return
		}
	default:
		if l.addPhrase(start) {
			return
		}
		if word := wordToken.FindString(rest); word != "" {
			l.at = start + len(word)
			l.add(wordText, start, l.at)
			return
		}
		l.at = start + max(size, len(comparisonToken.FindString(rest)))
	}
	l.add(opText, start, l.at)
}

// addQuoted adds a text in quotes: a value with its quotes, or a column's name without its double quotes.
func (l *textLexer) addQuoted(start, end int, quote rune) {
	if inner := l.text[start+1 : end]; quote == '"' && l.name(inner) {
		l.add(quotedText, start+1, end)
	} else {
		l.add(valueText, start, end+1)
	}
	l.at = end + 1
}

// closingQuoteOf returns the position of the quote that closes the one at start, or 0 if that one is an
// apostrophe: one after a letter. Within a text, a quote before a letter is an apostrophe, and a
// doubled quote is part of the text.
func (l *textLexer) closingQuoteOf(start int) int {
	quote := l.text[start : start+1]
	if quote == "'" && l.inWord(start) {
		return 0
	}
	for i := start + 1; i < len(l.text); i++ {
		rest := l.text[i:]
		switch {
		case rest[:1] != quote:
		case strings.HasPrefix(rest[1:], quote) && i > start+1: // doubled; at the start it closes an empty text
			i++
		case quote == `"`, closingQuote.MatchString(rest):
			return i
		}
	}
	return 0
}

// inWord reports whether a letter, a digit or "_" precedes a position.
func (l *textLexer) inWord(at int) bool {
	r, _ := utf8.DecodeLastRuneInString(l.text[:at])
	return isWordRune(r)
}

// addPhrase adds the longest name of l.phrases that begins at start, unless it is a part of longer
// words, and reports whether there is one.
func (l *textLexer) addPhrase(start int) bool {
	if l.inWord(start) {
		return false
	}
	for _, p := range l.phrases {
		end := start + len(p)
		if !strings.HasPrefix(l.text[start:], p) || l.inWord(end) && wordToken.MatchString(l.text[end:]) {
			continue
		}
		l.at = end
		l.add(phraseText, start, end)
		return true
	}
	return false
}

// What joins a word to a part before or behind it.
var (
	joinsBehind = lazyregexp.New(`^['-][\pL\p{Nd}_]`)
	joinsBefore = lazyregexp.New(`[\pL\p{Nd}_]['-]$`)
)

// markJoined marks the word at i if an apostrophe or a hyphen without blanks makes it part of a longer
// one, as in "T-shirt".
func (l *textLexer) markJoined(i int) {
	t := &l.tokens[i]
	switch t.kind {
	case wordText, phraseText:
		before := l.text[max(0, t.start-utf8.UTFMax-1):t.start] // at least one character and the apostrophe or hyphen
		t.joined = joinsBehind.MatchString(l.text[t.end:]) || joinsBefore.MatchString(before)
	}
}

// The words that texts use as functions. A column of such a name before "(" is a call.
var textFunctions = strings.Fields(`count sum avg average min max divide division multiply subtract total round abs year month
	day date time strftime substr substring length cast distinct iif group_concat lower upper now coalesce ifnull datetime
	julianday rank percentage ratio difference add cound timediff dense_rank row_number`)

// isFunction reports whether texts use a word as a function.
func isFunction(word string) bool { return slices.Contains(textFunctions, word) }
