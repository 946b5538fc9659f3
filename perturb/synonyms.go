package perturb

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Synonyms returns the dictionary's synonyms of a term, nil without a dictionary.
func (r Resources) Synonyms(term string) []string {
	if r.Dictionary == nil {
		return nil
	}
	return r.Dictionary.Synonyms(term)
}

// Expand returns the words or phrases that a term may abbreviate, nil without a list of abbreviations.
func (r Resources) Expand(term string) []string {
	if r.Abbreviations == nil {
		return nil
	}
	return r.Abbreviations.Expand(term)
}

// HasVector reports whether the vectors know a term.
func (r Resources) HasVector(term string) bool {
	if r.Vectors == nil {
		return false
	}
	_, ok := r.Vectors.Lookup(nil, term)
	return ok
}

// Domain returns the domain of a table by its names, "" if they imply none.
func (r Resources) Domain(t dataset.Table) string {
	return r.Domains.Domain(t.Name, lists.Map(t.Columns, func(c dataset.Column) string { return c.Name }))
}

// HoldsWords reports whether a name has all words of the other, in any order, singular or plural.
func HoldsWords(name, other string) bool {
	words := strings.Fields(lexicon.Normal(name))
	return !slices.ContainsFunc(strings.Fields(lexicon.Normal(other)), func(w string) bool { return !slices.Contains(words, w) })
}

// Bare returns the form in which names are compared: singular words, written together.
func Bare(name string) string { return strings.ReplaceAll(lexicon.Normal(name), " ", "") }

// OwnNames returns the bare names of a database's tables and columns.
func OwnNames(db *dataset.Database) map[string]bool {
	own := map[string]bool{}
	for _, t := range db.Tables {
		own[Bare(t.Name)], own[Bare(t.Original)] = true, true
		for _, c := range t.Columns {
			own[Bare(c.Name)], own[Bare(c.Original)] = true, true
		}
	}
	return own
}
