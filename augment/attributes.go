package augment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// attributesSource proposes attributes of the table's entity that the table lacks, with
// types and values: the attributes that other tables about the entity have, the most
// similar to each column first. The paper asks a knowledge graph for them. A table whose
// name is no known entity gets none, see [lexicon.Attributes.OfTable]: its first column is a poor guide.
//
// An attribute is any other property of the entity, seldom one that could be taken for
// the column, so only few of them fill a bucket.
var attributesSource = Source{
	Name:    dataset.AttributesSource,
	Doc:     "What the tables of the same entity have, from the embedded attributes.",
	Propose: proposeAttributes,
	Caps:    map[dataset.Side]int{dataset.Add: 3},
}

// maxAttributes is the number of attributes proposed for a column.
const maxAttributes = 10

// proposeAttributes returns, for each column of a table, attributes of the table's entity as ADD names, the most similar
// to the column first and at most maxAttributes. It excludes the table's own names before it cuts the list.
func proposeAttributes(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
	t := a.table()
	attributes := lexicon.DefaultAttributes().OfTable(t.Name, lists.Map(t.Columns, func(c dataset.Column) string { return c.Name }))
	attributes = slices.DeleteFunc(attributes, func(a lexicon.Attribute) bool { return a.Special }) // only some entities of that name have these
	names := lists.Map(attributes, func(a lexicon.Attribute) string { return a.Name })
	out := make([][]Proposal, len(t.Columns))
	for i, column := range t.Columns {
		for rank, ranked := range r.Selector.Rank(column.Name, names, takenNames(t), maxAttributes) {
			c := dataset.Candidate{Name: ranked.Name, Evidence: t.Name, Similarity: ranked.Similarity}
			r.describe(&c, a.Unit.DB.ID, t, attributes[ranked.Index])
			out[i] = append(out[i], Proposal{Side: dataset.Add, Rank: rank, Candidate: c})
		}
	}
	return out, ctx.Err()
}

// drawCells sets the type and the cells of a candidate if its name is among the embedded values, or is an
// attribute of any known entity. Otherwise it leaves the candidate as it is.
func (r *Resources) drawCells(c *dataset.Candidate, db string, t *dataset.Table) {
	attribute, known := lexicon.DefaultCells().Named(c.Name)
	if !known {
		attribute, known = lexicon.DefaultAttributes().Named(c.Name)
	}
	if known {
		r.describe(c, db, t, attribute)
	}
}

// describe sets the type and the cells of a candidate: up to maxCells distinct random values of an attribute. They
// depend on the seed, database, table and attribute, so all columns of the table get the same.
func (r *Resources) describe(c *dataset.Candidate, db string, t *dataset.Table, attribute lexicon.Attribute) {
	c.Type = dataset.Type(attribute.Type)
	key := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s", r.Seed, db, t.Original, attribute.Name))
	rng := rand.New(rand.NewChaCha8(key))
	for range 2 * maxCells { // lists may hold fewer values
		if v := attribute.Value(rng); len(c.Cells) < maxCells && !slices.Contains(c.Cells, v) {
			c.Cells = append(c.Cells, v)
		}
	}
}
