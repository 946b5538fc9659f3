package augment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
)

// Replaced proposes names whose words a dictionary replaces (ADVETA, section
// 4.3), in the order of their similarity to the column. Where the names of a
// table, or its caption, tell its domain, synonyms that hold in that domain alone come first.
type Replaced struct {
	Replacer lexicon.Replacer
	Domains  *lexicon.DomainWords // nil for synonyms that hold everywhere alone
	Reranker *rerank.Reranker
	Seed     uint64
}

// Propose implements [Source].
func (r *Replaced) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]dataset.Candidate, error) {
	t := &u.DB.Tables[table]
	var own, names []string
	for _, c := range t.Columns {
		own = append(own, c.Name, c.Original)
		names = append(names, c.Name)
	}
	replacer := r.Replacer
	if r.Domains != nil {
		replacer.Dictionary = lexicon.In(replacer.Dictionary, r.Domains.Domain(title(t), names))
	}
	out := make([][]dataset.Candidate, len(t.Columns))
	for i, column := range t.Columns {
		seed := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s", r.Seed, u.DB.ID, t.Original, column.Original))
		replacements := replacer.Names(rand.New(rand.NewChaCha8(seed)), column.Name)
		proposed := make([]string, len(replacements))
		for j, n := range replacements {
			proposed[j] = n.Name
		}
		for _, ranked := range r.Reranker.Rank(column.Name, proposed, own) {
			out[i] = append(out[i], dataset.Candidate{
				Name: ranked.Name, Source: "dictionary", Evidence: replacements[ranked.Index].Evidence, Similarity: ranked.Similarity,
			})
		}
	}
	return out, ctx.Err()
}
