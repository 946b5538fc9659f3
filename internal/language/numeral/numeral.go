// Package numeral finds the numbers that a question states, in digits or in
// words, and writes other numbers in the same format: "3" becomes "4", "3rd"
// "4th", "three" "four", "Third" "Fourth" (Dr.Spider, section 3.3).
package numeral

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
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
	// Doubtful is set if the words may state no number: "one" that follows no word
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
	for i := 1; i < len(words)-1; { // the first and the last word are empty
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
	if len(found) != 1 || found[0].End-found[0].Start != len(text) {
		return Numeral{}, false
	}
	return found[0], true
}

// word is a run of letters and digits of a question; digits hold points and
// commas between two of them.
type word struct {
	start, end int
	lower      string
	gap        string // the text between the word before and this one
}

// split returns the words of a text between two empty ones, so that each has one
// on either side.
func split(s string) []word {
	out := []word{{}}
	for end := 0; ; {
		next := strings.IndexFunc(s[end:], inWord)
		if next < 0 {
			return append(out, word{})
		}
		start, gap := end+next, s[end:end+next]
		if len(out) == 1 {
			gap = "" // no word is before it
		}
		end = wordEnd(s, start)
		out = append(out, word{start, end, strings.ToLower(s[start:end]), gap})
	}
}

// point matches a point or comma between two digits.
var point = lazyregexp.New(`^\d[.,]\d`)

// wordEnd returns where the word that begins at i ends. A point or comma between two digits is part of it.
func wordEnd(s string, i int) int {
	for {
		i = len(s) - len(strings.TrimLeftFunc(s[i:], inWord))
		if !point.MatchString(s[i-1:]) { // the last character of the word, and what follows
			return i
		}
		i++ // past the point or comma
	}
}

// inWord reports whether a rune is part of a word.
func inWord(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nd, unicode.M)
}

// joined reports whether only a blank or a hyphen separates a word from the one before.
func (w word) joined() bool { return slices.Contains([]string{" ", "-"}, w.gap) }

// alone reports whether no mark joins the words from i to before j with those around them, so that they are
// no part of a code, a date, a time or a decade.
func alone(words []word, i, j int) bool {
	if slices.Contains(bonds, words[i].gap) {
		return false
	}
	next := words[j]
	switch next.gap {
	case "-", "–": // a range or a date if a number follows; a word may: "5-star"
		return !english.IsNumeric(next.lower)
	}
	return !slices.Contains(bonds, next.gap)
}

// bonds are marks that join the words around them to one expression, such as a date or a code.
var bonds = []string{"-", "–", "/", ":", "'", "’", ".", "@", "\\", "^"}

// doubtful reports whether the words from i to before j, the number v in a style, may have another sense:
// "one" as a pronoun, "first" of a name, "second" as a unit of time.
func doubtful(words []word, i, j int, v float64, style Style) bool {
	before, after := words[i-1].lower, words[j]
	if after.gap == "-" {
		return true // "one-way", "two-thirds", "second-hand"
	}
	type written struct {
		as Style
		v  float64
	}
	switch (written{style, v}) {
	case written{Word, 1}: // "which one"
		return !slices.Contains(countsOne, before)
	case written{OrdinalWord, 1}: // "first name"
		return strings.HasPrefix(after.lower, "name")
	case written{OrdinalWord, 2}: // "per second"
		return slices.Contains(countsUnits, before)
	}
	return false
}

// countsUnits lists words after which "second" is the unit of time.
var countsUnits = strings.Fields("per a every")

// countsOne lists words after which "one" counts.
var countsOne = strings.Fields("than least most exactly only over above under below exceeds exceed equals equal is top just has have with")
