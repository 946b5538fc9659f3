package english

import (
	_ "embed" // nouns.txt
	"slices"
	"strings"
	"sync"

	"github.com/jinzhu/inflection"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed nouns.txt
var nounText string

// nouns are lists of nouns by name.
var nouns = sync.OnceValue(func() wordfile.Lists { return wordfile.ReadLists(nounText) })

// irregularPlurals maps a noun to its irregular plural.
var irregularPlurals = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for many, one := range plurals() {
		if m[one] == "" || many < m[one] {
			m[one] = many
		}
	}
	return m
})

// IsUncounted reports whether the last word of a noun phrase has no plural: "staff", "annual income".
func IsUncounted(noun string) bool {
	return slices.Contains(nouns().Words("uncounted"), lastWord(strings.ToLower(noun)))
}

// IsAttributive reports whether a word is a plural that stands before nouns: "sports" in "sports club".
func IsAttributive(word string) bool { return slices.Contains(nouns().Words("attributive"), word) }

// IsPlural reports whether a noun phrase is in the plural, by the form of its head: "points per game" and "staff" are,
// "date of births", "status" and "series" are not. A phrase of one word is its own head.
func IsPlural(noun string) bool {
	_, head, _ := CutHead(strings.ToLower(noun))
	switch {
	case slices.Contains(nouns().Words("plural"), head):
		return true
	case IsFunction(head): // "does", "besides"
		return false
	}
	return Singular(head) != head
}

// Plural returns a noun phrase with its head in the plural: "point per game" gives "points per game". A phrase that is
// plural already, or whose noun has no plural, stays.
func Plural(noun string) string {
	before, head, after := CutHead(noun)
	lower := strings.ToLower(head)
	switch {
	case IsPlural(head), IsUncounted(head):
		return noun
	case irregularPlurals()[lower] != "":
		head = irregularPlurals()[lower]
	case slices.Contains(nouns().Words("regular"), lower):
		head += "s"
	default:
		head = regulars.get(head, inflection.Plural)
	}
	return before + head + after
}

// SingularPhrase returns a noun phrase with its head in the singular: "dates of birth" gives "date of birth". A phrase
// that has no other singular stays ("staff").
func SingularPhrase(noun string) string {
	if !IsPlural(noun) {
		return noun
	}
	before, head, after := CutHead(noun)
	if s := Singular(strings.ToLower(head)); !strings.EqualFold(s, head) {
		return before + CaseOf(head).Apply(s) + after
	}
	return noun
}

// CutHead splits a noun phrase around its head, the word before the first preposition, else the last word: "home points
// per game" gives "home ", "points" and " per game".
func CutHead(noun string) (before, head, after string) {
	end := len(noun)
	for i := strings.IndexByte(noun, ' '); i > 0; { // i is the blank before the next word
		next, _, _ := strings.Cut(noun[i+1:], " ")
		if IsPreposition(strings.ToLower(next)) {
			end = i
			break
		}
		if i += 1 + len(next); i == len(noun) {
			break
		}
	}
	before, head = CutLast(noun[:end])
	return before, head, noun[end:]
}

// CutLast splits a phrase before its last word: "pet type" gives "pet " and "type".
func CutLast(phrase string) (before, last string) {
	i := strings.LastIndexByte(phrase, ' ') + 1
	return phrase[:i], phrase[i:]
}

// lastWord returns the last word of a phrase.
func lastWord(phrase string) string {
	_, last := CutLast(phrase)
	return last
}
