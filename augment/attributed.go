package augment

import (
	"cmp"
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
// gets none: its first column is a poor guide. Attributes of the column's own type come
// first: a linker takes a date for a date.
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
	ranker.TopK = -1
	for i, column := range t.Columns {
		nearest := ranker.Rank(column.Name, names, own)
		slices.SortStableFunc(nearest, func(x, y rerank.Ranked) int {
			return unlike(&column, known[x.Index]) - unlike(&column, known[y.Index])
		})
		if kept := cmp.Or(a.Kept, DefaultAttributesKept); kept > 0 {
			nearest = nearest[:min(kept, len(nearest))]
		}
		for rank, ranked := range nearest {
			out[i] = append(out[i], Proposal{Side: dataset.Add, Rank: rank, Candidate: dataset.Candidate{
				Name: ranked.Name, Source: "attributes", Evidence: t.Name, Similarity: ranked.Similarity,
				Type: dataset.Type(known[ranked.Index].Type), Cells: draw(a.Seed, u.DB.ID, t.Original, known[ranked.Index]),
			}})
		}
	}
	return out, ctx.Err()
}

// unlike is 1 where an attribute has not the type of a column, else 0.
func unlike(column *dataset.Column, attribute lexicon.Attribute) int {
	if string(column.Type) == attribute.Type {
		return 0
	}
	return 1
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
