package perturb

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textToken is a token of a text in which prose and SQL are mixed.
type textToken struct {
	start, end int
	kind       textKind
	text       string // a quoted name without its quotes
	lower      string
	joined     bool // a word that is part of a longer one: of "T-shirt", "member's", "K-12"
}

type textKind uint8

const (
	wordText   textKind = iota // letters, digits and "_"
	phraseText                 // a column's name that is no plain word, as the schema spells it
	quotedText                 // `…`, or […] around a column's name: start and end are those of the name
	valueText                  // '…' or "…"
	opText                     // an operator, or one character
)

// textTokens splits a text. phrases are the names that tokens would split, the longest
// first; name tells whether a text in double quotes or brackets is the name of a column.
func textTokens(text string, phrases []string, name func(string) bool) []textToken {
	l := textLexer{text: text, phrases: phrases, name: name}
	for l.at < len(text) {
		l.next()
	}
	for i := range l.tokens {
		l.join(i)
	}
	return l.tokens
}

type textLexer struct {
	text    string
	at      int
	phrases []string
	name    func(string) bool
	tokens  []textToken
}

func (l *textLexer) add(kind textKind, start, end int) {
	t := l.text[start:end]
	l.tokens = append(l.tokens, textToken{start: start, end: end, kind: kind, text: t, lower: strings.ToLower(t)})
}

// before and after return the characters around a position, 0 at the ends.
func (l *textLexer) before(at int) rune {
	r, size := utf8.DecodeLastRuneInString(l.text[:at])
	if size == 0 {
		return 0
	}
	return r
}

func (l *textLexer) after(at int) rune {
	r, size := utf8.DecodeRuneInString(l.text[at:])
	if size == 0 {
		return 0
	}
	return r
}

func (l *textLexer) next() {
	start := l.at
	r, size := utf8.DecodeRuneInString(l.text[start:])
	l.at += size
	switch {
	case strings.ContainsRune(" \t\r\n", r):
		return
	case r == '\'' || r == '"':
		if end := l.closing(start); end > 0 {
			l.quoted(start, end, r)
			return
		}
	case r == '`' || r == '[':
		closer := "`"
		if r == '[' {
			closer = "]"
		}
		n := strings.Index(l.text[start+1:], closer)
		if n > 0 && (r == '`' || l.name(l.text[start+1:start+1+n])) {
			l.add(quotedText, start+1, start+1+n)
			l.at = start + n + 2
			return
		}
	case l.phrase(start):
		return
	case wordRune(r):
		for l.at < len(l.text) && wordRune(l.after(l.at)) {
			_, size := utf8.DecodeRuneInString(l.text[l.at:])
			l.at += size
		}
		l.add(wordText, start, l.at)
		return
	case strings.ContainsRune("<>=!", r):
		// Comparisons are written with blanks within too: "> =".
		for l.at < len(l.text) && strings.IndexByte("<>= ", l.text[l.at]) >= 0 {
			if rest := strings.TrimLeft(l.text[l.at:], " "); rest == "" || strings.IndexByte("<>=", rest[0]) < 0 {
				break
			}
			l.at++
		}
	}
	l.add(opText, start, l.at)
}

// quoted adds what stands in quotes: a value, or a column's name in double quotes.
func (l *textLexer) quoted(start, end int, quote rune) {
	if inner := l.text[start+1 : end]; quote == '"' && l.name(inner) {
		l.add(quotedText, start+1, end)
	} else {
		l.add(valueText, start, end+1)
	}
	l.at = end + 1
}

// closing returns where the quotes that open at a position close, or 0 where they
// do not open any: an apostrophe stands behind a letter. A quote before a letter is an
// apostrophe within, and a doubled one stands for itself.
func (l *textLexer) closing(start int) int {
	quote := l.text[start]
	if quote == '\'' && wordRune(l.before(start)) {
		return 0
	}
	for i := start + 1; i < len(l.text); i++ {
		switch {
		case l.text[i] != quote:
		case i+1 < len(l.text) && l.text[i+1] == quote && i > start+1:
			i++
		case quote == '"' || !wordRune(l.after(i+1)) || strings.HasPrefix(l.text[i+1:], "OR ") || strings.HasPrefix(l.text[i+1:], "AND "):
			return i
		}
	}
	return 0
}

// phrase adds the longest name of several words that begins here.
func (l *textLexer) phrase(start int) bool {
	if wordRune(l.before(start)) {
		return false
	}
	for _, p := range l.phrases {
		if !strings.HasPrefix(l.text[start:], p) {
			continue
		}
		end := start + len(p)
		last, _ := utf8.DecodeLastRuneInString(p)
		if !wordRune(last) || !wordRune(l.after(end)) {
			l.at = end
			l.add(phraseText, start, end)
			return true
		}
	}
	return false
}

// join marks a word that an apostrophe or a hyphen without blanks makes part of a
// longer one.
func (l *textLexer) join(i int) {
	t := &l.tokens[i]
	if t.kind != wordText && t.kind != phraseText {
		return
	}
	at := func(p int) byte {
		if p < 0 || p >= len(l.text) {
			return ' '
		}
		return l.text[p]
	}
	wordAt := func(p int) bool { return p >= 0 && p < len(l.text) && wordRune(l.after(p)) }
	wordTo := func(p int) bool { return p > 0 && wordRune(l.before(p)) }
	t.joined = at(t.end) == '\'' && wordAt(t.end+1) || at(t.start-1) == '\'' && wordTo(t.start-1) ||
		at(t.end) == '-' && wordAt(t.end+1) || at(t.start-1) == '-' && wordTo(t.start-1)
}

// The words that texts use as functions. A column of such a name before "(" is a call.
var textFunctions = strings.Fields(`count sum avg average min max divide division multiply subtract total round abs year month
	day date time strftime substr substring length cast distinct iif group_concat lower upper now coalesce ifnull datetime
	julianday rank percentage ratio difference add cound timediff dense_rank row_number`)

func isFunction(word string) bool { return slices.Contains(textFunctions, word) }
