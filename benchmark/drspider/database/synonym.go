package database

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/rerank"
)

// SchemaSynonym is Dr.Spider's schema-synonym. The paper takes its synonyms from
// the names that ADVETA's authors chose by hand. Here they come from the REPLACE
// names of the buckets and from the dictionary, whose names are those that
// ADVETA's own word replacement makes (section 4.3), restricted to the domain of
// the table.
var SchemaSynonym = renaming("schema-synonym",
	"Renames a random half of the tables and columns that have synonyms, for the questions whose gold SQL mentions one of them.",
	source{"no-synonyms-or-buckets", func(p *perturb.Pass) bool { return p.Dictionary == nil && len(p.Buckets) == 0 }, synonyms})

// keptNames is how many names that a dictionary makes are kept for a column,
// the most similar ones, as far as there are vectors to tell: of ADVETA's 20
// those further down read like riddles ("additional building account").
const keptNames = 5

// keptSynonyms is how many synonyms of a word are used. Dictionaries have the
// best first; later ones are true in rare senses only.
const keptSynonyms = 4

// repeats is after how many samples without a new name the dictionary is taken to
// have no more; ADVETA's 5 leave many out where there are few.
const repeats = 25

// synonyms returns the REPLACE names of an entry's columns, then those that the
// dictionary makes of its name.
func synonyms(p *perturb.Pass, e entry) (out []dataset.Candidate) {
	for _, ref := range e.columns {
		for _, c := range p.Buckets[p.DB.ColumnID(ref).Key()].Replace {
			c.Cells = nil
			out = append(out, c)
		}
	}
	if p.Dictionary == nil {
		return out
	}
	natural, original := e.names(p.DB)
	keys := []string{"dictionary", p.DB.Tables[e.table].Original}
	if !e.isTable() {
		keys = append(keys, original)
	}
	var names []string
	var made []dataset.Candidate
	replacer := lexicon.NewReplacer(first{lexicon.In(p.Dictionary, domain(p, e.table)), keptSynonyms})
	replacer.Repeats = repeats
	for _, r := range replacer.Names(p.Rand(keys...), natural) {
		if fits(p, natural, r) {
			names = append(names, r.Name)
			made = append(made, unscored(r.Name, "dictionary", r.Evidence))
		}
	}
	var ranked []rerank.Ranked
	if p.Vectors != nil {
		ranked = (&rerank.Reranker{Vectors: p.Vectors, TopK: keptNames}).Rank(natural, names, nil)
	}
	if len(ranked) == 0 { // there are no vectors, or they do not know the name
		return append(out, made[:min(len(made), keptNames)]...)
	}
	for _, r := range ranked {
		c := made[r.Index]
		c.Similarity = r.Similarity
		out = append(out, c)
	}
	return out
}

// domain returns the domain of a table by its names.
func domain(p *perturb.Pass, table int) string {
	t := p.DB.Tables[table]
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	return p.Domains.Domain(t.Name, columns)
}

// first is a dictionary of the first n synonyms of each term.
type first struct {
	lexicon.Dictionary
	n int
}

func (f first) Synonyms(term string) []string {
	s := f.Dictionary.Synonyms(term)
	return s[:min(len(s), f.n)]
}

// fits tells whether a name made of another may stand for it as a synonym. It may
// not where the contrasts exclude one of the other, as a whole or in a part that
// was replaced, or where a part became narrower ("average" and "batting average"),
// was put in another order or was abbreviated only.
func fits(p *perturb.Pass, name string, r lexicon.Replacement) bool {
	if p.Contrasts.Excludes(strings.Join(lexicon.Words(name), " "), r.Name) {
		return false
	}
	for part := range strings.SplitSeq(r.Evidence, "; ") {
		from, to, _ := strings.Cut(part, " -> ")
		switch {
		case p.Contrasts.Excludes(from, to), containsWords(to, from), abbreviates(p, to, from):
			return false
		}
	}
	return true
}

func abbreviates(p *perturb.Pass, short, long string) bool {
	return p.Abbreviations != nil && slices.Contains(p.Abbreviations.Expand(short), long)
}

// containsWords tells whether a name has all words of another.
func containsWords(name, other string) bool {
	words := strings.Fields(lexicon.Normal(name))
	for w := range strings.FieldsSeq(lexicon.Normal(other)) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}
