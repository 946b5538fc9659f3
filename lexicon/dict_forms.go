package lexicon

import (
	"slices"

	"github.com/jinzhu/inflection"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// Forms is a [Dictionary] that finds a term also by another form. A plural takes
// the synonyms of its singular, in the plural. A listed abbreviation of two or
// more letters that stands for one word alone takes that word and its synonyms;
// others would bring the synonyms of the wrong word. The term as written comes
// first, and where it has synonyms no other form is asked.
type Forms struct {
	Dictionary
	Abbreviations *Abbreviations // nil for none
}

// Synonyms returns the synonyms of the first form of term that has any.
func (f Forms) Synonyms(term string) []string {
	if found := f.Dictionary.Synonyms(term); len(found) > 0 {
		return found
	}
	if one := inflectHead(term, english.Singular); one != term {
		if found := plurals(f.Dictionary.Synonyms(one), term); len(found) > 0 {
			return found
		}
	}
	if f.Abbreviations == nil || len(term) < 2 {
		return nil
	}
	words := f.Abbreviations.ExpandListed(term)
	if len(words) != 1 {
		return nil
	}
	for _, s := range f.Dictionary.Synonyms(words[0]) {
		if s != term {
			words = appendNew(words, []string{s})
		}
	}
	return words
}

// In returns f over what its dictionary is for tables of a domain.
func (f Forms) In(domain string) Dictionary {
	return Forms{Dictionary: In(f.Dictionary, domain), Abbreviations: f.Abbreviations}
}

// plurals returns the plurals of terms, without repeats and without the term
// that they are to replace.
func plurals(terms []string, except string) []string {
	var out []string
	for _, t := range terms {
		p := inflectHead(t, inflection.Plural)
		if english.IsPlural(t) {
			p = t // a plural already, of which the library would make another
		}
		if p != except && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// InNumber returns a noun phrase in the number of a phrase that it is to replace. A phrase without a singular of its
// own ("staff") counts as a singular.
func InNumber(phrase, like string) string {
	if english.SingularPhrase(like) == like {
		return inflectHead(phrase, english.Singular)
	}
	return plurals([]string{phrase}, "")[0]
}

// inflectHead inflects the head of a noun phrase: "dates of birth". A phrase that ends in a preposition ("born on")
// stays as it is.
func inflectHead(phrase string, inflect func(string) string) string {
	if _, last := english.CutLast(phrase); english.IsPreposition(last) {
		return phrase
	}
	before, head, after := english.CutHead(phrase)
	return before + inflect(head) + after
}
