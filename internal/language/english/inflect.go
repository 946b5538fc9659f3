package english

import (
	_ "embed" // irregular.txt, plurals.txt
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jinzhu/inflection"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

var (
	//go:embed irregular.txt
	irregularText string
	//go:embed plurals.txt
	pluralText string
)

// irregular maps an irregular form of a verb or adjective to its lemma, plurals
// an irregular plural to its singular.
var (
	irregular = sync.OnceValue(func() map[string]string { return forms(irregularText) })
	plurals   = sync.OnceValue(func() map[string]string { return forms(pluralText) })
)

// forms reads lines of a base form with its other forms, and returns the first
// base form of each.
func forms(text string) map[string]string {
	m := make(map[string]string)
	for line := range wordfile.Lines(text) {
		f := strings.Fields(line)
		for _, form := range f[1:] {
			if _, ok := m[form]; !ok {
				m[form] = f[0]
			}
		}
	}
	return m
}

// Singular returns the singular of a lower-case noun, or the word itself if it has
// none. Data and media stay, and so do words of up to three letters, but for irregular
// plurals.
func Singular(word string) string {
	if one, ok := plurals()[word]; ok {
		return one
	}
	// The library's patterns are slow: only what can be a plural goes there, once.
	if len(word) < 4 || word[len(word)-1] != 's' {
		return word
	}
	switch word[len(word)-2] {
	case 's', 'u', 'i': // "class", "status", "basis"
		return word
	}
	return singulars.get(word, inflection.Singular)
}

// inflected stores the results of a slow function, at most mostInflected of words up to longest bytes: texts are
// untrusted.
type inflected struct {
	known sync.Map // of words to words
	n     atomic.Int64
}

var singulars, regulars inflected

const mostInflected, longest = 1 << 16, 32

// get returns the stored result for a word. Without one it calls inflect and stores its result, unless the word is too long
// or there are enough.
func (f *inflected) get(word string, inflect func(string) string) string {
	if other, ok := f.known.Load(word); ok {
		return other.(string)
	}
	other := inflect(word)
	if len(word) <= longest && f.n.Add(1) <= mostInflected {
		f.known.Store(strings.Clone(word), other)
	}
	return other
}

// Lemmas returns the forms that a lower-case word may be an inflection of, the
// likeliest first, without the word itself: "written" gives write, "cities"
// city, "stopping" stop. Rules accept any ending, so a form counts only where
// known holds of it.
func Lemmas(word string, known func(string) bool) []string {
	var lemmas []string
	add := func(form string) {
		if form != word && !slices.Contains(lemmas, form) && known(form) {
			lemmas = append(lemmas, form)
		}
	}
	if lemma, ok := irregular()[word]; ok {
		add(lemma)
	}
	if len(word) < 4 && !strings.HasSuffix(word, "s") { // too short for an ending
		return lemmas
	}
	add(Singular(word))
	for _, rule := range suffixes {
		if stem, ok := strings.CutSuffix(word, rule.suffix); ok && len(stem) > 1 {
			add(stem + rule.ending)
			if rule.double && doubled(stem) {
				add(stem[:len(stem)-1])
			}
		}
	}
	return lemmas
}

// suffixes are tried in order. A doubling rule also undoes a doubled consonant.
var suffixes = []struct {
	suffix, ending string
	double         bool
}{
	{"ies", "y", false},
	{"es", "", false},
	{"s", "", false},
	{"ied", "y", false},
	{"ed", "e", false},
	{"ed", "", true},
	{"ing", "e", false},
	{"ing", "", true},
	{"iest", "y", false},
	{"est", "e", false},
	{"est", "", true},
	{"ier", "y", false},
	{"er", "e", false},
	{"er", "", true},
}

// doubled reports whether a stem ends with a doubled letter: "stopp".
func doubled(stem string) bool {
	n := len(stem)
	return n > 2 && stem[n-1] == stem[n-2]
}

// IsPast reports whether a lower-case verb has the form of a past tense. A verb whose forms are equal ("put") has
// not.
func IsPast(verb string) bool {
	if lemma, ok := irregular()[verb]; ok {
		return lemma != verb
	}
	if stem, ok := strings.CutSuffix(verb, "ed"); ok { // not "need" and "exceed"
		return len(stem) > 2 && strings.ContainsAny(stem, "aeiouy") && !strings.HasSuffix(stem, "e")
	}
	return false
}

// Base returns the base form of a lower-case verb in the past tense: "hosted" gives "host"; "" for other words.
func Base(verb string) string {
	if lemma, ok := irregular()[verb]; ok {
		return lemma
	}
	stem, ok := strings.CutSuffix(verb, "ed")
	if !ok || !IsPast(verb) {
		return ""
	}
	n := len(stem)
	switch {
	case strings.HasSuffix(stem, "i"): // "carried"
		return stem[:n-1] + "y"
	case doubled(stem) && !strings.ContainsAny(stem[n-1:], "sl"): // "stopped", but not "passed" and "called"
		return stem[:n-1]
	// The stem is whole: "watched", "played".
	case slices.ContainsFunc(wholeEndings, func(e string) bool { return strings.HasSuffix(stem, e) }), strings.ContainsAny(stem[n-1:], "aeiouwxy"):
		return stem
	case strings.ContainsAny(stem[n-1:], "svzcg"): // "used", "served"
		return stem + "e"
	case n > 3 && strings.ContainsAny(stem[n-2:n-1], "aeiou") && strings.ContainsAny(stem[n-3:n-2], "aeiou"):
		return stem // "joined", "treated"
	}
	return stem + "e"
}

// wholeEndings are endings of verbs that take "ed", where others take "d".
var wholeEndings = strings.Fields("st ss ck sk sh ch rt nt lt ct pt ft ld rd nd rn wn gn er it et on en in ll rk lk nk mp lp rm lm sp")
