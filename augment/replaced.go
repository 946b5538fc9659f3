package augment

import (
	"context"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
)

// Replaced proposes names of which a dictionary replaces one word or phrase (ADVETA,
// section 4.3, which replaces several), in the order of their similarity to the column. Where the names of a
// table, or its caption, tell its domain, synonyms that hold in that domain alone come first.
type Replaced struct {
	Dictionary lexicon.Dictionary
	Domains    *lexicon.DomainWords // nil for synonyms that hold everywhere alone
	Reranker   *rerank.Reranker
}

// Propose implements [Source].
func (r *Replaced) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	var own, names []string
	for _, c := range t.Columns {
		own = append(own, c.Name, c.Original)
		names = append(names, c.Name)
	}
	dictionary := r.Dictionary
	if r.Domains != nil {
		dictionary = lexicon.In(dictionary, r.Domains.Domain(title(t), names))
	}
	out := make([][]Proposal, len(t.Columns))
	for i, column := range t.Columns {
		replacements := lexicon.ReplaceOne(dictionary, lexicon.Bare(column.Name))
		proposed := make([]string, len(replacements))
		for j, n := range replacements {
			proposed[j] = n.Name
		}
		for _, ranked := range r.Reranker.Rank(column.Name, proposed, own) {
			out[i] = append(out[i], Proposal{Rank: ranked.Index, Candidate: dataset.Candidate{
				Name: ranked.Name, Source: "dictionary", Evidence: replacements[ranked.Index].Evidence, Similarity: ranked.Similarity,
			}})
		}
	}
	return out, ctx.Err()
}
