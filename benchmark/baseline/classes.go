package baseline

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// class is a set of word classes. As in TextFooler's released code nouns and
// verbs are one: most nouns of column names are verbs as well ("rank", "name").
type class uint8

const (
	noun class = 1 << iota
	adjective
	adverb
	function // articles, prepositions, pronouns, auxiliaries: never replaced
)

var classNames = map[string]class{"noun": noun, "adjective": adjective, "adverb": adverb, "function": function}

//go:embed data/classes.txt
var classesText string

// listed returns the classes of the words of data/classes.txt.
var listed = sync.OnceValue(func() map[string]class {
	m := map[string]class{}
	for line := range wordfile.Lines(classesText) {
		classes, words, _ := strings.Cut(line, ": ")
		var union class
		for name := range strings.SplitSeq(classes, "+") {
			union |= classNames[name]
		}
		for _, w := range strings.Fields(words) {
			m[w] = union
		}
	}
	return m
})

// endings have the classes of words that are not listed; the first that fits
// counts. A word of less than three letters before the ending has none.
var endings = []struct {
	suffix  string
	classes class
}{
	{"ly", adverb},
	{"ous", adjective}, {"less", adjective}, {"ful", adjective}, {"able", adjective}, {"ible", adjective},
	{"ive", adjective}, {"al", adjective}, {"ic", adjective}, {"ular", adjective}, {"like", adjective},
	{"wide", adjective | adverb},
	{"ish", adjective | noun}, {"ese", adjective | noun}, {"ian", adjective | noun}, {"ean", adjective | noun},
	{"ican", adjective | noun}, {"ed", adjective | noun}, {"ing", adjective | noun},
}

// classesOf returns the classes that a lower-case word may be of, in place of the tagger of the original
// attackers. It looks the word up in lists, then takes it for the comparative ("older") or the opposite
// ("unknown") of a listed adjective, then looks at its ending. Any other word is a noun.
func classesOf(word string) class {
	if english.IsFunction(word) {
		return function
	}
	if classes, ok := listed()[word]; ok {
		return classes
	}
	compared := func(w string) bool { return listed()[w]&adjective != 0 }
	if strings.HasSuffix(word, "er") || strings.HasSuffix(word, "est") {
		if english.Lemmas(word, compared) != nil {
			return adjective
		}
	}
	if positive, ok := strings.CutPrefix(word, "un"); ok && compared(positive) {
		return adjective
	}
	for _, e := range endings {
		if strings.HasSuffix(word, e.suffix) && len(word) >= len(e.suffix)+3 {
			return e.classes
		}
	}
	return noun
}

// sameClass reports whether two words share a word class, so that one may replace the other.
func sameClass(a, b string) bool { return classesOf(a)&classesOf(b) != 0 }
