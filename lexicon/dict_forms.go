package lexicon

import (
	"slices"

	"github.com/jinzhu/inflection"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// Forms is a [Dictionary] that also looks up other forms of a term that has no synonyms as written. A plural gets the synonyms
// of its singular, in the plural. A listed abbreviation of one word, with two or more letters, gets that word and its
// synonyms; other abbreviations would bring the synonyms of the wrong word.
type Forms struct {
	Dictionary
	Abbreviations *Abbreviations // nil for none
}

// Synonyms returns the synonyms of the first form of term that has any: as written, in the singular (the synonyms then in the plural),
// or with its abbreviation expanded (the long form is then the first synonym).
func (f Forms) Synonyms(term string) []string {
	if found := f.Dictionary.Synonyms(term); len(found) > 0 {
		return found
	}
	if singular := inflectHead(term, english.Singular); singular != term {
		if found := plurals(f.Dictionary.Synonyms(singular), term); len(found) > 0 {
			return found
		}
	}
	if f.Abbreviations == nil || len(term) < 2 {
		return nil
	}
	words := f.Abbreviations.ExpandListed(term)
	if len(words) != 1 { // unknown or ambiguous
		return nil
	}
	for _, s := range f.Dictionary.Synonyms(words[0]) {
		if s != term {
			words = appendNew(words, s)
		}
	}
	return words
}

// In returns f with its dictionary restricted to a domain.
func (f Forms) In(domain string) Dictionary {
	return Forms{Dictionary: In(f.Dictionary, domain), Abbreviations: f.Abbreviations}
}

// plurals returns the plurals of terms, without repeats and without except, the plural that they are to replace.
func plurals(terms []string, except string) []string {
	var out []string
	for _, t := range terms {
		p := inflectHead(t, inflection.Plural)
		if english.IsPlural(t) {
			p = t // the library would inflect a plural again
		}
		if p != except && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// InNumber returns a noun phrase in the grammatical number of like, the phrase that it replaces: "pupil" like "students" →
// "pupils". If like has no other singular ("staff"), the result is singular.
func InNumber(phrase, like string) string {
	if english.SingularPhrase(like) == like {
		return inflectHead(phrase, english.Singular)
	}
	return plurals([]string{phrase}, "")[0]
}

// inflectHead returns a noun phrase with its head inflected: "date of birth" → "dates of birth". It returns a phrase that ends in
// a preposition ("born on") unchanged.
func inflectHead(phrase string, inflect func(string) string) string {
	if _, last := english.CutLast(phrase); english.IsPreposition(last) {
		return phrase
	}
	before, head, after := english.CutHead(phrase)
	return before + inflect(head) + after
}
