package augment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
)

// DefaultAttributesKept is the number of attributes proposed for a column.
const DefaultAttributesKept = 10

// Attributed proposes what is known of a table's entity beside what the table
// has: the attributes that other tables about it have, the nearest to each
// column by embedding similarity, with types and values. It stands for a
// knowledge graph's has-a.
type Attributed struct {
	Attributes *lexicon.Attributes
	Reranker   *rerank.Reranker
	Kept       int // attributes proposed for a column; 0 stands for DefaultAttributesKept
	Seed       uint64
}

// Propose implements [Source].
func (a *Attributed) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]dataset.Candidate, error) {
	t := &u.DB.Tables[table]
	out := make([][]dataset.Candidate, len(t.Columns))
	entity, known := a.about(t)
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
		for _, ranked := range ranker.Rank(column.Name, names, own) {
			out[i] = append(out[i], dataset.Candidate{
				Name: ranked.Name, Source: "attributes", Evidence: entity, Similarity: ranked.Similarity,
				Type: dataset.Type(known[ranked.Index].Type), Cells: a.cells(u.DB.ID, t.Original, known[ranked.Index]),
			})
		}
	}
	return out, ctx.Err()
}

// about returns what a table is about and what is known of it: by its name, else
// by its first column, which often says what a row is ("film id", "player").
func (a *Attributed) about(t *dataset.Table) (entity string, known []lexicon.Attribute) {
	if known = a.Attributes.Of(t.Name); known != nil || len(t.Columns) == 0 {
		return t.Name, known
	}
	words := lexicon.Words(t.Columns[0].Name)
	for len(words) > 1 && slices.Contains([]string{"id", "name", "title", "code", "number", "key"}, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	entity = strings.Join(words, " ")
	return entity, a.Attributes.Of(entity)
}

// cells draws distinct values of an attribute, the same for all columns of a table.
func (a *Attributed) cells(db, table string, attribute lexicon.Attribute) []string {
	seed := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s", a.Seed, db, table, attribute.Name))
	rng := rand.New(rand.NewChaCha8(seed))
	var cells []string
	for range 2 * maxCells { // lists may hold fewer values
		if v := attribute.Value(rng); len(cells) < maxCells && !slices.Contains(cells, v) {
			cells = append(cells, v)
		}
	}
	return cells
}
