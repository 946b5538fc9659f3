package perturb

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
)

// Synonyms returns the dictionary's synonyms of a term, nil without a dictionary.
func (r Resources) Synonyms(term string) []string {
	if r.Dictionary == nil {
		return nil
	}
	return r.Dictionary.Synonyms(term)
}

// Expand returns what a term may abbreviate.
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

// Renamer makes names of tables and columns from the dictionary.
type Renamer struct {
	Kept    int // how many names are kept, the most similar ones, if the vectors know the original name
	Repeats int // consecutive samples without a new name that end the search
}

// keptSynonyms is how many synonyms of a word are used. Dictionaries have the
// best first; later ones are true in rare senses only.
const keptSynonyms = 4

// firstSynonyms is a dictionary of the first synonyms of each term.
type firstSynonyms struct{ lexicon.Dictionary }

func (f firstSynonyms) Synonyms(term string) []string {
	s := f.Dictionary.Synonyms(term)
	return s[:min(len(s), keptSynonyms)]
}

// Names returns names that may replace the natural name of a table or of one of its columns, the
// best first.
func (n Renamer) Names(r Resources, rng *rand.Rand, t dataset.Table, natural string) []dataset.Candidate {
	if r.Dictionary == nil {
		return nil
	}
	replacer := lexicon.NewReplacer(firstSynonyms{lexicon.In(r.Dictionary, r.Domain(t))})
	replacer.Repeats = n.Repeats
	var names []string
	var candidates []dataset.Candidate // of these names
	for _, replacement := range replacer.Names(rng, natural) {
		if n.isSynonym(r, natural, replacement) {
			names = append(names, replacement.Name)
			candidates = append(candidates, Certain(replacement.Name, dataset.DictionarySource, replacement.Evidence))
		}
	}
	if r.Vectors == nil {
		return candidates
	}
	ranked := (&rerank.Reranker{Vectors: r.Vectors}).Rank(natural, names, nil, n.Kept)
	if len(ranked) == 0 { // the vectors do not know the name
		return candidates
	}
	return lists.Map(ranked, func(name rerank.Ranked) dataset.Candidate {
		c := candidates[name.Index]
		c.Similarity = name.Similarity
		return c
	})
}

// isSynonym reports whether a proposed name may replace another as a synonym. It may not if the contrasts
// exclude the two, as a whole or in a replaced part, or if a part became narrower ("average" and
// "batting average") or changed its order.
func (n Renamer) isSynonym(r Resources, name string, to lexicon.Replacement) bool {
	if r.Contrasts.Excludes(strings.Join(lexicon.Words(name), " "), to.Name) {
		return false
	}
	for part := range strings.SplitSeq(to.Evidence, "; ") {
		original, synonym, _ := strings.Cut(part, " -> ")
		if r.Contrasts.Excludes(original, synonym) || holdsWords(synonym, original) {
			return false
		}
	}
	return true
}

// holdsWords reports whether a name has all words of another.
func holdsWords(name, other string) bool {
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
