package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LetterCase is the use of capitals in a text.
type LetterCase uint8

// The letter cases.
const (
	LowerCase   LetterCase = iota
	Capitalized            // its first letter
	TitleCase              // the first letter of each of several words
	UpperCase              // all of its letters, two at least
)

// CaseOf returns the letter case of a text: "ID" is in upper case, "Last Name" in title case, "Name" is capitalized.
func CaseOf(text string) LetterCase {
	words := strings.FieldsFunc(text, splitsWords)
	switch {
	case !startsUpper(text):
		return LowerCase
	case len(text) > 1 && strings.ToUpper(text) == text:
		return UpperCase
	case len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !startsUpper(w) }):
		return TitleCase
	}
	return Capitalized
}

// splitsWords reports whether a rune separates words in title case.
func splitsWords(r rune) bool { return strings.ContainsRune(" -", r) }

// startsUpper reports whether a text begins with a capital.
func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

// Apply adds the capitals of c to a text. The text should be in lower case: Apply keeps the capitals that it has.
func (c LetterCase) Apply(text string) string {
	switch c {
	case Capitalized:
		return Capital(text)
	case TitleCase:
		previous := ' '
		return strings.Map(func(r rune) rune {
			starts := splitsWords(previous)
			if previous = r; starts {
				return unicode.ToUpper(r)
			}
			return r
		}, text)
	case UpperCase:
		return strings.ToUpper(text)
	}
	return text
}

// Capital returns a text with a capital as its first letter.
func Capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[size:]
}
