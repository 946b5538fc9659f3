package augment

import (
	"cmp"
	"context"
	"math"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/rerank"
)

// thesaurusSource proposes the names that a thesaurus of headings has for a column: those
// of the sense that the heading has in this table.
var thesaurusSource = Source{
	Name:       dataset.ThesaurusSource,
	Doc:        "Names by a thesaurus of headings, in the sense that the heading has in the table.",
	Propose:    proposeHeadings,
	Features:   senseFeatures,
	KnowsTable: true,
	Apart:      true,
	Synonyms:   true,
}

// proposeHeadings returns, for each column of a table, the names that the thesaurus has for the column's sense, REPLACE
// names first. ADD names get a type and cells.
func proposeHeadings(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
	t := a.table()
	thesaurus := heading.Default()
	out := make([][]Proposal, len(t.Columns))
	near := a.agreed() // headers of tables of the same kind, as cues for the senses
	for i, column := range t.Columns {
		c := thesaurus.Of(t, i)
		c.Near = near
		names := thesaurus.Names(c)
		for rank, name := range names.Replace {
			out[i] = append(out[i], r.headingProposal(column, dataset.Replace, rank, name))
		}
		for rank, name := range names.Add {
			p := r.headingProposal(column, dataset.Add, rank, name)
			r.drawCells(&p.Candidate, a.Unit.DB.ID, t)
			if name.Contrast { // it pairs with the column, as "end" with "start"
				p.Type = cmp.Or(p.Type, column.Type)
			}
			out[i] = append(out[i], p)
		}
	}
	return out, ctx.Err()
}

// headingProposal returns a name of the thesaurus as the proposal for a column and side.
func (r *Resources) headingProposal(column dataset.Column, side dataset.Side, rank int, name heading.Name) Proposal {
	return Proposal{
		Candidate: dataset.Candidate{Name: name.Text, Evidence: name.Sense, Similarity: r.Selector.Similarity(column.Name, name.Text)},
		Side:      side, Rank: rank,
		Votes: name.Votes, Margin: name.Margin, Default: name.Default, Composed: name.Composed, Contrast: name.Contrast,
	}
}

// agreedShare is the share of the tables of the same kind from which on a header is a cue for the sense of others.
const agreedShare = 0.15

// agreed returns the headers that enough tables of the same kind have, in lower case.
func (a *Asked) agreed() []string {
	var names []string
	for _, h := range a.Agreement.Headers {
		if h.Support >= leastSupport && h.Share >= agreedShare {
			names = append(names, rerank.Lower(lexicon.Bare(h.Name)))
		}
	}
	return names
}

// senseFeatures reports how clearly the table shows the sense that a name was taken from: the cues for it (votes), and how many more
// they are than those of the next sense (margin).
func senseFeatures(_ *dataset.Column, p *Proposal, report func(name string, value float64)) {
	const most = 8 // further cues prove no more
	report("votes "+p.group(), math.Log1p(float64(min(p.Votes, most))))
	report("margin "+p.group(), math.Log1p(float64(min(p.Margin, most))))
	if p.Default {
		report("sense by default, "+p.group(), 1)
	}
}
