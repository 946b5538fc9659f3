package perturb

import (
	"unicode"
	"unicode/utf8"
)

// Token is a word, a number or a mark of a question, by byte offsets.
type Token struct{ Start, End int }

// Tokens splits a question into runs of letters and digits, which hold hyphens,
// apostrophes, underscores, points and commas between two of them ("e-mail",
// "don't", "1,000"), and single marks. What is between tokens is space.
func Tokens(question string) []Token {
	var out []Token
	for i := 0; i < len(question); {
		r, size := utf8.DecodeRuneInString(question[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		end := i + size
		if isWord(r) {
			end = wordEnd(question, i)
		}
		out = append(out, Token{i, end})
		i = end
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordEnd returns where the word that begins at i ends.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isWord(r) {
			i += size
			continue
		}
		next, nextSize := utf8.DecodeRuneInString(s[i+size:])
		joins := r == '-' || r == '\'' || r == '’' || r == '_'
		joins = joins && isWord(next) || (r == '.' || r == ',') && unicode.IsDigit(next) && unicode.IsDigit(lastRune(s[:i]))
		if !joins || nextSize == 0 {
			break
		}
		i += size
	}
	return i
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
