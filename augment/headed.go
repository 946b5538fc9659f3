package augment

import (
	"context"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/rerank"
)

// Headed proposes what a thesaurus of headings says of a column in its table. It is
// the first book of the dictionary: what it says of a heading, it says of the sense
// that the heading has there.
type Headed struct {
	Thesaurus  *heading.Thesaurus
	Attributes *lexicon.Attributes // give types and values of names to add
	Reranker   *rerank.Reranker
	Seed       uint64
}

// Propose implements [Source].
func (h *Headed) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	out := make([][]Proposal, len(t.Columns))
	for i := range t.Columns {
		column := &t.Columns[i]
		names := h.Thesaurus.Names(h.Thesaurus.Of(t, i))
		propose := func(side dataset.Side, list []heading.Name) {
			for rank, name := range list {
				c := dataset.Candidate{
					Name: name.Text, Source: "thesaurus", Evidence: name.Sense,
					Similarity: h.Reranker.Similarity(column.Name, name.Text),
				}
				if attribute, known := h.Attributes.Named(name.Text); known && side == dataset.Add {
					c.Type, c.Cells = dataset.Type(attribute.Type), draw(h.Seed, u.DB.ID, t.Original, attribute)
				}
				out[i] = append(out[i], Proposal{Candidate: c, Side: side, Rank: rank, Votes: name.Votes, Margin: name.Margin, Default: name.Default, Composed: name.Composed})
			}
		}
		propose(dataset.Replace, names.Replace)
		propose(dataset.Add, names.Add)
	}
	return out, ctx.Err()
}
