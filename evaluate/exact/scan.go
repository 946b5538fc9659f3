package exact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTokens bounds the tokens of a query.
const maxTokens = 1 << 16

// kind is the word or sign of the official grammar that a token is.
type kind uint8

const (
	kindEnd    kind = iota // after the last token
	kindWord               // no word of the grammar
	kindString             // a value in quotes
	kindGlued              // quotes with text that touches them, as x"y": neither a name nor a value

	// The words that end a clause.
	kindSelect
	kindFrom
	kindWhere
	kindGroup
	kindOrder
	kindLimit
	kindIntersect
	kindUnion
	kindExcept
	kindJoin
	kindOn
	kindAs

	// Operators of conditions.
	kindNot
	kindBetween
	kindEqual
	kindGreater
	kindLess
	kindGreaterEqual
	kindLessEqual
	kindNotEqual
	kindIn
	kindLike
	kindIs
	kindExists

	// Operators of values; the star is the column too.
	kindMinus
	kindPlus
	kindStar
	kindSlash

	// Aggregates.
	kindNone // both an operator and an aggregate
	kindMax
	kindMin
	kindCount
	kindSum
	kindAvg

	kindAnd
	kindOr
	kindAsc
	kindDesc
	kindBy
	kindHaving
	kindDistinct
	kindOpen
	kindClose
	kindComma
	kindSemicolon
	kindBang
)

// grammar is the words and signs of the official grammar.
var grammar = map[string]kind{
	"select": kindSelect, "from": kindFrom, "where": kindWhere, "group": kindGroup, "order": kindOrder,
	"limit": kindLimit, "intersect": kindIntersect, "union": kindUnion, "except": kindExcept,
	"join": kindJoin, "on": kindOn, "as": kindAs,
	"not": kindNot, "between": kindBetween, "=": kindEqual, ">": kindGreater, "<": kindLess,
	">=": kindGreaterEqual, "<=": kindLessEqual, "!=": kindNotEqual, "in": kindIn, "like": kindLike,
	"is": kindIs, "exists": kindExists,
	"-": kindMinus, "+": kindPlus, "*": kindStar, "/": kindSlash,
	"none": kindNone, "max": kindMax, "min": kindMin, "count": kindCount, "sum": kindSum, "avg": kindAvg,
	"and": kindAnd, "or": kindOr, "asc": kindAsc, "desc": kindDesc, "by": kindBy, "having": kindHaving,
	"distinct": kindDistinct, "(": kindOpen, ")": kindClose, ",": kindComma, ";": kindSemicolon, "!": kindBang,
}

// isBetween reports whether k is one of the kinds first to last, in the order of their constants.
func (k kind) isBetween(first, last kind) bool { return first <= k && k <= last }

// endsClause reports whether k is a keyword that ends the clause before it.
func (k kind) endsClause() bool { return k.isBetween(kindSelect, kindExcept) }

// isJoinWord reports whether k is a keyword of a join.
func (k kind) isJoinWord() bool { return k.isBetween(kindJoin, kindAs) }

// isOperator reports whether k is an operator of a condition.
func (k kind) isOperator() bool { return k.isBetween(kindNot, kindExists) }

// isArithmetic reports whether k is an arithmetic operator, or none.
func (k kind) isArithmetic() bool { return k.isBetween(kindMinus, kindNone) }

// isAggregate reports whether k is an aggregate, or none.
func (k kind) isAggregate() bool { return k.isBetween(kindNone, kindAvg) }

// isSetOp reports whether k is a set operation.
func (k kind) isSetOp() bool { return k.isBetween(kindIntersect, kindExcept) }

// A token is a word of a query as the official tokenizer splits it. Its text is in
// lower case, except for values in quotes.
type token struct {
	word
	pos  int // byte offset in the query
	text string
}

// A scanner splits a query into tokens as process_sql.py does, with the word
// tokenizer of NLTK. It does not distinguish single and double quotes; each pair
// encloses a value, and text that touches a value is part of its token. The rest is
// split at blanks, before and after brackets and most signs, before a comma
// that no digit follows, and before a point that ends a sentence.
type scanner struct {
	schema       *Schema
	src          string
	lowered      string // src in lower case, of equal length
	toks         []token
	wordBegin    int  // of the current word; -1 without one
	wordHasValue bool // the current word has a value in quotes
}

// scan returns the tokens of src; they are valid until the next scan. The error
// is a *SyntaxError.
func (s *scanner) scan(src string) ([]token, error) {
	s.src, s.lowered, s.toks, s.wordBegin, s.wordHasValue = src, lower(src), s.toks[:0], -1, false
	for i := 0; i < len(src); {
		if len(s.toks) >= maxTokens {
			return nil, syntaxError(src, i, fmt.Sprintf("more than %d tokens", maxTokens))
		}
		var err error
		if i, err = s.scanAt(i); err != nil {
			return nil, err
		}
	}
	s.endWord(len(src))
	return s.toks, nil
}

// scanAt scans the character, value or sign that begins at byte i and returns its end. A blank or a sign ends the current
// word; anything else belongs to it or begins one.
func (s *scanner) scanAt(i int) (int, error) {
	switch c := s.src[i]; c {
	case ' ', '\t', '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x1f: // white space in Python
		s.endWord(i)
		return i + 1, nil
	case '"', '\'':
		n := strings.IndexAny(s.src[i+1:], `"'`)
		if n < 0 {
			return 0, syntaxError(s.src, i, "a quote without its pair")
		}
		s.extendWord(i)
		s.wordHasValue = true
		return i + n + 2, nil
	case ';', '@', '#', '$', '%', '&', '?', '!', '*', '(', ')', '[', ']', '{', '}', '<', '>':
		return s.addSign(i, i+1), nil
	case '`':
		return s.addSign(i, s.endOfRun(i)), nil
	case ',', ':':
		return s.scanComma(i), nil
	case '-':
		if strings.HasPrefix(s.src[i:], "--") {
			return s.addSign(i, i+2), nil
		}
	case '.':
		if end := s.endOfRun(i); end > i+1 || s.endsSentence(i) {
			return s.addSign(i, end), nil
		}
	default:
		if c >= utf8.RuneSelf {
			return s.scanWide(i), nil
		}
	}
	s.extendWord(i)
	return i + 1, nil
}

// endOfRun returns the end of the repetitions of the byte at i: 3 for "..." and i 0.
func (s *scanner) endOfRun(i int) int {
	end := i + 1
	for end < len(s.src) && s.src[end] == s.src[i] {
		end++
	}
	return end
}

// scanComma scans a comma or colon and returns its end. It is a sign unless a digit follows.
// NLTK's pattern consumes the next character too, so the second of two commas
// begins a word, unless it is the last character.
func (s *scanner) scanComma(i int) int {
	next, _ := utf8.DecodeRuneInString(s.src[i+1:])
	if unicode.IsDigit(next) {
		s.extendWord(i)
		return i + 1
	}
	s.addSign(i, i+1)
	if strings.ContainsRune(",:", next) && i+2 < len(s.src) {
		s.extendWord(i + 1)
		return i + 2
	}
	return i + 1
}

// endsSentence reports whether the point at i ends a sentence: only closing
// brackets and blanks follow, or a blank follows and no initial, such as "J.", precedes.
func (s *scanner) endsSentence(i int) bool {
	if strings.TrimLeft(s.src[i+1:], ")]}> \t\r\n") == "" {
		return true
	}
	if s.wordBegin < 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s.src[i+1:])
	initial := s.wordBegin == i-1 && 'a' <= s.lowered[s.wordBegin] && s.lowered[s.wordBegin] <= 'z'
	return unicode.IsSpace(next) && !initial
}

// scanWide scans a character beyond ASCII and returns its end.
func (s *scanner) scanWide(i int) int {
	r, n := utf8.DecodeRuneInString(s.src[i:])
	switch {
	case unicode.IsSpace(r):
		s.endWord(i)
	case strings.ContainsRune("«»“”‘’„", r):
		s.addSign(i, i+n)
	default:
		s.extendWord(i)
	}
	return i + n
}

// extendWord begins a word at i, unless the current word goes on there.
func (s *scanner) extendWord(i int) {
	if s.wordBegin < 0 {
		s.wordBegin = i
	}
}

// addSign ends the current word and adds the sign from i to end. It returns end.
func (s *scanner) addSign(i, end int) int {
	s.endWord(i)
	s.addToken(i, s.lowered[i:end])
	return end
}

// contractions are words that the tokenizer splits after the third letter.
var contractions = []string{"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}

// endWord ends the current word, if any, before end and adds it.
func (s *scanner) endWord(end int) {
	begin, value := s.wordBegin, s.wordHasValue
	if begin < 0 {
		return
	}
	s.wordBegin, s.wordHasValue = -1, false
	text := s.lowered[begin:end]
	switch {
	case value:
		s.addValue(begin, end)
	case slices.Contains(contractions, text):
		s.addToken(begin, text[:3])
		s.addToken(begin+3, text[3:])
	default:
		s.addToken(begin, text)
	}
}

// addValue adds a word that has a value in quotes. An equals sign right before
// the value becomes a token of its own: ="x" gives = and "x".
func (s *scanner) addValue(begin, end int) {
	if s.src[begin] == '=' && isQuote(s.src[begin+1]) {
		s.addToken(begin, "=")
		begin++
	}
	inner := s.src[begin+1 : end-1]
	k := kindString // unless other text touches the value
	if !isQuote(s.src[begin]) || !isQuote(s.src[end-1]) || strings.ContainsAny(inner, `"'`) {
		k = kindGlued
	}
	s.toks = append(s.toks, token{word{kind: k, table: -1, column: -1}, begin, s.src[begin:end]})
}

// isQuote reports whether a byte is a single or double quote.
func isQuote(c byte) bool { return strings.IndexByte(`"'`, c) >= 0 }

// addToken adds a token. An equals sign joins with the !, < or > before it, even across
// blanks.
func (s *scanner) addToken(pos int, text string) {
	w, ok := s.schema.words[text]
	if !ok {
		w = word{kind: kindWord, table: -1, column: -1} // no keyword, and no name of the schema
	}
	if n := len(s.toks); w.kind == kindEqual && n > 0 {
		last := &s.toks[n-1]
		if joined, ok := withEqual[last.kind]; ok {
			last.kind, last.text = joined.kind, joined.text
			return
		}
	}
	s.toks = append(s.toks, token{w, pos, text})
}

// withEqual gives the operator of a sign that an equals sign follows.
var withEqual = map[kind]struct {
	kind kind
	text string
}{kindBang: {kindNotEqual, "!="}, kindGreater: {kindGreaterEqual, ">="}, kindLess: {kindLessEqual, "<="}}

// lower returns s in lower case and of equal length: characters whose lower case has
// another length stay, as do all beyond ASCII if s is not UTF-8.
func lower(s string) string {
	ascii := !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
	if ascii || !utf8.ValidString(s) {
		return lowerASCII(s)
	}
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

// lowerASCII returns s with the letters A to Z in lower case.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// syntaxError returns an error with a message at a byte of src.
func syntaxError(src string, pos int, msg string) *SyntaxError {
	before := src[:pos]
	return &SyntaxError{strings.Count(before, "\n") + 1, pos - strings.LastIndexByte(before, '\n'), msg}
}
