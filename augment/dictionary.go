package augment

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// dictionarySource proposes a column's name with one word or phrase replaced by a
// dictionary, the most similar first. ADVETA replaces several words. Synonyms of the
// domain that the table's names or caption show come first.
//
// People seldom use such names, so only few of them fill a bucket.
var dictionarySource = Source{
	Name:     dataset.DictionarySource,
	Doc:      "Names in which a dictionary replaced words.",
	Paper:    "ADVETA, section 4.3",
	Propose:  proposeReplacements,
	Features: replacedFeatures,
	Caps:     map[dataset.Side]int{dataset.Replace: 2},
	Synonyms: true,
}

// proposeReplacements returns, for each column of a table, its name with one word or phrase replaced by the dictionary,
// the most similar first. Each proposal has its rank in the dictionary.
func proposeReplacements(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
	t := a.table()
	dictionary := lexicon.In(r.Dictionary, lexicon.DefaultDomainWords().Domain(tableTitle(t), columnNames(t)))
	out := make([][]Proposal, len(t.Columns))
	for i, column := range t.Columns {
		replacements := lexicon.ReplaceOne(dictionary, lexicon.Bare(column.Name))
		names := lists.Map(replacements, func(r lexicon.Replacement) string { return r.Name })
		for _, ranked := range r.Selector.Rank(column.Name, names, takenNames(t), r.Selector.TopK) {
			out[i] = append(out[i], Proposal{Rank: ranked.Index, Candidate: dataset.Candidate{
				Name: ranked.Name, Evidence: replacements[ranked.Index].Evidence, Similarity: ranked.Similarity,
			}})
		}
	}
	return out, ctx.Err()
}

// replacedFeatures reports whether the dictionary replaced the whole name of the column,
// as the evidence "town -> city" shows for the column "town".
func replacedFeatures(column *dataset.Column, p *Proposal, report func(name string, value float64)) {
	term, _, _ := strings.Cut(p.Evidence, " -> ")
	if lexicon.Normal(term) != lexicon.Normal(lexicon.Bare(column.Name)) {
		return
	}
	if strings.Contains(term, " ") {
		report("phrase by the dictionary", 1)
	} else {
		report("word by the dictionary", 1)
	}
}
