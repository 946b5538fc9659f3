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
// 4.3), in the order of their similarity to the column.
type Replaced struct {
	Replacer lexicon.Replacer
	Reranker *rerank.Reranker
	Seed     uint64
}

// Propose implements [Source].
func (r *Replaced) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]dataset.Candidate, error) {
	t := &u.DB.Tables[table]
	var own []string
	for _, c := range t.Columns {
		own = append(own, c.Name, c.Original)
	}
	out := make([][]dataset.Candidate, len(t.Columns))
	for i, column := range t.Columns {
		seed := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s", r.Seed, u.DB.ID, t.Original, column.Original))
		replacements := r.Replacer.Names(rand.New(rand.NewChaCha8(seed)), column.Name)
		names := make([]string, len(replacements))
		for j, n := range replacements {
			names[j] = n.Name
		}
		for _, ranked := range r.Reranker.Rank(column.Name, names, own) {
			out[i] = append(out[i], dataset.Candidate{
				Name: ranked.Name, Source: "dictionary", Evidence: replacements[ranked.Index].Evidence, Similarity: ranked.Similarity,
			})
		}
	}
	return out, ctx.Err()
}
