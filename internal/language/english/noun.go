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
var nouns = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	for _, row := range wordfile.Rows(nounText, 2) {
		lists[row[0]] = append(lists[row[0]], strings.Fields(row[1])...)
	}
	return lists
})

// severals maps a noun to its irregular plural.
var severals = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for many, one := range plurals() {
		if m[one] == "" || many < m[one] {
			m[one] = many
		}
	}
	return m
})

// IsUncounted tells whether the last word of a noun phrase has no plural.
func IsUncounted(noun string) bool {
	_, last := CutLast(strings.ToLower(noun))
	return slices.Contains(nouns()["uncounted"], last)
}

// Plural and SingularPhrase inflect the last word of a noun phrase. What has no other
// form stays.
func Plural(noun string) string {
	head, last := CutLast(noun)
	lower := strings.ToLower(last)
	switch {
	case IsPluralPhrase(noun), IsUncounted(noun):
		return noun
	case severals()[lower] != "":
		return head + severals()[lower]
	case slices.Contains(nouns()["regular"], lower):
		return head + last + "s"
	}
	return head + regulars.of(last, inflection.Plural)
}

// SingularPhrase is the opposite of [Plural].
func SingularPhrase(noun string) string {
	if !IsPluralPhrase(noun) {
		return noun
	}
	head, last := CutLast(noun)
	if s := Singular(strings.ToLower(last)); !strings.EqualFold(s, last) {
		return head + CaseOf(last).Apply(s)
	}
	return noun
}

// IsPluralPhrase tells whether a noun phrase ends with a plural.
func IsPluralPhrase(noun string) bool {
	_, last := CutLast(strings.ToLower(noun))
	switch {
	case slices.Contains(nouns()["plural"], last):
		return true
	case slices.Contains(nouns()["singular"], last):
		return false
	}
	return Singular(last) != last
}

// CutLast cuts a phrase before its last word.
func CutLast(noun string) (head, last string) {
	if i := strings.LastIndexByte(noun, ' '); i >= 0 {
		return noun[:i+1], noun[i+1:]
	}
	return "", noun
}
