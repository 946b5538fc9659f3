// Package numeral finds the numbers that a question states, in digits or in
// words, and writes other numbers in the same format: "3" becomes "4", "3rd"
// "4th", "three" "four", "Third" "Fourth" (Dr.Spider, section 3.3).
package numeral

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/english"
)

// Style is how a number is written.
type Style uint8

// The styles.
const (
	Digits      Style = iota // "3", "1,234", "-3.5", "8 million"
	Ordinal                  // "3rd"
	Word                     // "three", "twenty-five", "two hundred"
	OrdinalWord              // "third"
)

// Numeral is a number that a question states.
type Numeral struct {
	Start, End int // byte offsets in the question
	Value      float64
	Style      Style
	// Doubtful says that the words may state no number: "one" that follows no word
	// of comparison ("which one"), "first" before "name", "second" after "per".
	Doubtful bool

	// The format of digits.
	decimals int   // digits after the point
	grouped  bool  // thousands are set off by commas
	scale    scale // the word that multiplies them, if any
	// The letter case, and what joins tens and units.
	letters english.LetterCase
	joiner  string
}

// Find returns the numerals of a question in order; they do not overlap. Parts
// of names, codes, dates and times are none ("A340", "2009-01-01", "10:30",
// "1980s", "007"), nor are numbers of more than 15 digits.
func Find(question string) []Numeral {
	var out []Numeral
	words := split(question)
	for i := 0; i < len(words); {
		n, next, ok := digitsAt(question, words, i)
		if !ok {
			n, next, ok = wordsAt(question, words, i)
		}
		if !ok {
			i++
			continue
		}
		out = append(out, n)
		i = next
	}
	return out
}

// Parse reads text that is one numeral as a whole.
func Parse(text string) (Numeral, bool) {
	found := Find(text)
	if len(found) != 1 || found[0].Start != 0 || found[0].End != len(text) {
		return Numeral{}, false
	}
	return found[0], true
}

// word is a run of letters and digits of a question; digits hold points and
// commas between two of them.
type word struct {
	start, end int
	lower      string
}

func split(s string) []word {
	var out []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !inWord(r) {
			i += size
			continue
		}
		end := i + size
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			point := (r == '.' || r == ',') && isDigit(s, end-1) && isDigit(s, end+1)
			if !inWord(r) && !point {
				break
			}
			end += size
		}
		out = append(out, word{i, end, strings.ToLower(s[i:end])})
		i = end
	}
	return out
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func isDigit(s string, i int) bool { return i >= 0 && i < len(s) && '0' <= s[i] && s[i] <= '9' }

// alone tells whether the words from i to before j stand apart from what is
// around them, so that they are no part of a code, a date, a time or a decade.
func alone(s string, words []word, i, j int) bool {
	if i > 0 && slices.Contains(bonds, s[words[i-1].end:words[i].start]) {
		return false
	}
	if j == len(words) {
		return true
	}
	between := s[words[j-1].end:words[j].start]
	if between == "-" || between == "–" {
		return !isDigit(s, words[j].start)
	}
	return !slices.Contains(bonds, between)
}

// bonds join what stands on both sides to one expression.
var bonds = []string{"-", "–", "/", ":", "'", "’", ".", "@", "\\", "^"}

// doubtful tells whether the words from i to before j, which make up the number
// v, may be used in another sense.
func doubtful(s string, words []word, i, j int, v float64, style Style) bool {
	before, after := "", ""
	if i > 0 {
		before = words[i-1].lower
	}
	if j < len(words) {
		after = words[j].lower
		if s[words[j-1].end:words[j].start] == "-" {
			return style == Word || style == OrdinalWord // "one-way", "two-thirds", "second-hand"
		}
	}
	switch {
	case style == Word && v == 1:
		return !slices.Contains(countsOne, before)
	case style == OrdinalWord && v == 1:
		return strings.HasPrefix(after, "name")
	case style == OrdinalWord && v == 2:
		return before == "per" || before == "a" || before == "every"
	}
	return false
}

// countsOne lists words after which "one" counts.
var countsOne = strings.Fields("than least most exactly only over above under below exceeds exceed equals equal is top just has have with")
