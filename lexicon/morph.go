package lexicon

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed embedded/irregular.txt
var irregularText string

// irregular maps an irregular form of a verb or adjective to its lemma.
var irregular = sync.OnceValue(func() map[string]string {
	m := make(map[string]string)
	for line := range strings.Lines(irregularText) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		for _, form := range f[1:] {
			if _, ok := m[form]; !ok {
				m[form] = f[0]
			}
		}
	}
	return m
})

// Lemmas returns the forms that a lower-case word may be an inflection of, the
// likeliest first, without the word itself: "written" gives write, "cities"
// city, "stopping" stop. Rules accept any ending, so a form counts only where
// known holds of it.
func Lemmas(word string, known func(string) bool) []string {
	var lemmas []string
	add := func(form string) {
		if form != word && len(form) > 1 && !slices.Contains(lemmas, form) && known(form) {
			lemmas = append(lemmas, form)
		}
	}
	if lemma, ok := irregular()[word]; ok {
		add(lemma)
	}
	if len(word) < 4 && !strings.HasSuffix(word, "s") {
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

func doubled(stem string) bool {
	n := len(stem)
	return n > 2 && stem[n-1] == stem[n-2]
}

// compound splits a word written together, as in "firstname", into the two
// known words whose shorter one is longest.
func compound(word string, known func(string) bool) (first, second string, ok bool) {
	const shortest = 3
	for n := len(word) / 2; n >= shortest; n-- {
		for _, at := range []int{n, len(word) - n} {
			if known(word[:at]) && known(word[at:]) {
				return word[:at], word[at:], true
			}
		}
	}
	return "", "", false
}
