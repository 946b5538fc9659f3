package feature

import (
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// endings are the inflections of verbs and adjectives with what the base may
// end in instead.
var endings = []struct{ suffix, base string }{
	{"ies", "y"}, {"ied", "y"}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}, {"es", ""}, {"es", "e"}, {"s", ""},
}

// Lemmas returns the lemmas of a name's words, joined by blanks.
func (e *Extractor) Lemmas(name string) string {
	words := lexicon.Words(name)
	for i, w := range words {
		words[i] = e.Lemma(w)
	}
	return strings.Join(words, " ")
}

// Lemma returns the base form of a word: a form by rule is taken only where the
// taxonomy knows it with more senses than the word itself.
func (e *Extractor) Lemma(word string) string {
	best, senses := word, e.Knowledge.Senses(word)
	try := func(form string) {
		if n := e.Knowledge.Senses(form); n > senses {
			best, senses = form, n
		}
	}
	try(lexicon.Singular(word))
	if best != word {
		return best
	}
	for _, r := range endings {
		stem, ok := strings.CutSuffix(word, r.suffix)
		if !ok || len(stem) < 2 {
			continue
		}
		try(stem + r.base)
		if n := len(stem); r.base == "" && stem[n-1] == stem[n-2] {
			try(stem[:n-1]) // planned: plan
		}
	}
	if best == word && senses == 0 {
		return lexicon.Singular(word)
	}
	return best
}
