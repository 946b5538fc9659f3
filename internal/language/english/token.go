package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word, a number or a mark of a text, by byte offsets.
type Token struct{ Start, End int }

// Of returns the token's part of the text that was split.
func (t Token) Of(text string) string { return text[t.Start:t.End] }

// Tokens splits a text into runs of letters and digits, which hold hyphens,
// apostrophes, underscores, points and commas between two of them ("e-mail",
// "don't", "1,000"), and single marks. What is between tokens is space.
func Tokens(text string) []Token {
	var out []Token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		end := i + size
		if isWord(r) {
			end = wordEnd(text, i)
		}
		out = append(out, Token{i, end})
		i = end
	}
	return out
}

// IsNumeric reports whether a word begins with a digit.
func IsNumeric(word string) bool { return strings.IndexAny(word, "0123456789") == 0 }

// isWord reports whether a rune is a letter, a digit or a mark on one.
func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.Nd, unicode.M) }

// wordEnd returns where the word that begins at i ends.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) && !joins(s[:i], r, s[i+size:]) {
			break
		}
		i += size
	}
	return i
}

// joins reports whether a mark makes one word of the letters or digits around it: "e-mail", "1,000".
func joins(before string, mark rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch mark {
	case '-', '\'', '’', '_':
		return isWord(next)
	case '.', ',':
		last, _ := utf8.DecodeLastRuneInString(before)
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	}
	return false
}
