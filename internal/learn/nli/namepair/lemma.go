package namepair

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Lemmas returns the lemmas of a name's words, joined by blanks.
func (e *Extractor) Lemmas(name string) string {
	return strings.Join(lists.Map(lexicon.Words(name), e.Lemma), " ")
}

// Lemma returns the base form of a word: among its possible lemmas, the one with most senses in the
// taxonomy; the word itself if none has more senses than it.
func (e *Extractor) Lemma(word string) string {
	return e.lemmas.Get(cache.Key{Text: word}, keptLemmas, e.findLemma)
}

// findLemma computes [Extractor.Lemma] of the text of k: the possible base form that has the most senses, if more than
// the word. If neither has a sense in the taxonomy, it returns the singular of the word.
func (e *Extractor) findLemma(k cache.Key) string {
	word := k.Text
	best, senses := word, e.Knowledge.Senses(word)
	known := func(form string) bool { return e.Knowledge.Senses(form) > senses }
	for _, form := range english.Lemmas(word, known) {
		if n := e.Knowledge.Senses(form); n > senses {
			best, senses = form, n
		}
	}
	if senses == 0 {
		return english.Singular(word)
	}
	return best
}
