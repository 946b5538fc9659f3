package augment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
)

// DefaultAttributesKept is the number of attributes proposed for a column.
const DefaultAttributesKept = 10

// Attributed proposes what is known of a table's entity beside what the table
// has: the attributes that other tables about it have, the nearest to each
// column by embedding similarity, with types and values. It stands for a
// knowledge graph's has-a. A table that its name does not say to be about an entity
// gets none: its first column is a poor guide.
type Attributed struct {
	Attributes *lexicon.Attributes
	Reranker   *rerank.Reranker
	Kept       int // attributes proposed for a column; 0 stands for DefaultAttributesKept
	Seed       uint64
}

// Propose implements [Source].
func (a *Attributed) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	out := make([][]Proposal, len(t.Columns))
	known := a.Attributes.Of(t.Name)
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.Name
	}
	var own []string
	for _, c := range t.Columns {
		own = append(own, c.Name, c.Original)
	}
	ranker := *a.Reranker
	ranker.TopK = a.Kept
	if ranker.TopK == 0 {
		ranker.TopK = DefaultAttributesKept
	}
	for i, column := range t.Columns {
		for rank, ranked := range ranker.Rank(column.Name, names, own) {
			out[i] = append(out[i], Proposal{Side: dataset.Add, Rank: rank, Candidate: dataset.Candidate{
				Name: ranked.Name, Source: "attributes", Evidence: t.Name, Similarity: ranked.Similarity,
				Type: dataset.Type(known[ranked.Index].Type), Cells: draw(a.Seed, u.DB.ID, t.Original, known[ranked.Index]),
			}})
		}
	}
	return out, ctx.Err()
}

// draw draws distinct values of an attribute, the same for all columns of a table.
func draw(seed uint64, db, table string, attribute lexicon.Attribute) []string {
	key := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s", seed, db, table, attribute.Name))
	rng := rand.New(rand.NewChaCha8(key))
	var cells []string
	for range 2 * maxCells { // lists may hold fewer values
		if v := attribute.Value(rng); len(cells) < maxCells && !slices.Contains(cells, v) {
			cells = append(cells, v)
		}
	}
	return cells
}
