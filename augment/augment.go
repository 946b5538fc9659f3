// Package augment finds names for columns: ADVETA's contextualized table
// augmentation (section 4).
//
// A [Source] proposes names for the columns of a table: [Headed] from a thesaurus of
// headings, [Retrieved] from the headers of similar web tables, [Replaced] from a
// dictionary of words, [Attributed] from what is known of the table's entity, [Proposed]
// from a large model. An
// [Augmenter] has an NLI model judge every proposal against its column in both
// directions, and a policy puts it into the REPLACE bucket, the ADD bucket or neither.
// A model of [Validity] then predicts whether people accept it. Everything that was
// decided comes with its reason, see [Column].
package augment

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
)

// Source proposes names for the columns of one table of a unit.
//
// The result has one list a column, best first, without names that the table
// already has. A proposal's Forward and Backward are not set.
type Source interface {
	Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error)
}

// Sources returns the sources of the embedded books and of an index of web tables, the
// surest first.
func Sources(index *retriever.Index, tables int, dictionary lexicon.Dictionary, r *rerank.Reranker, seed uint64) []Source {
	attributes := lexicon.DefaultAttributes()
	return []Source{
		&Headed{Thesaurus: heading.Default(), Attributes: attributes, Reranker: r, Seed: seed},
		&Retrieved{Index: index, Selector: rerank.NewSelector(r), Tables: tables},
		&Replaced{Dictionary: dictionary, Domains: lexicon.DefaultDomainWords(), Reranker: r},
		&Attributed{Attributes: attributes, Reranker: r, Seed: seed},
	}
}

// Proposal is a name that a source proposes.
type Proposal struct {
	dataset.Candidate
	Side   dataset.Side // the bucket that the source means it for; "" where it cannot tell
	Rank   int          // among what the source proposes for the column and side, from 0
	Weight float64      // agreement of the retrieved tables on it; 0 for other sources
	Near   float64      // score of the best retrieved table; 0 for other sources
	Votes  int          // cues for the sense that it was taken from; 0 for other sources, as the next
	Margin int          // by which they are more than those of the next sense

	Grade    string // by a judge; "" where there is none
	Default  bool   // no cue spoke for the sense, which is what an ordinary table means
	Composed bool   // it was found by the parts of the column's name, not by all of it
}

// Column is what was found for one column.
type Column struct {
	ID       dataset.ColumnID
	Bucket   dataset.Bucket
	Rejected []Rejected
}

// Rejected is a proposal that went into neither bucket, and why.
type Rejected struct {
	dataset.Candidate
	Reason string `json:"reason"`
}

// Augmenter turns proposals into buckets.
type Augmenter struct {
	Sources    []Source
	Classifier nli.Classifier
	Policy     nli.Policy
	Entities   *nli.EntityPredictor
	Known      *nli.Entities // entities that need no prediction; may be nil
	Validity   *Validity     // predicts whether people accept a name; nil where entailments alone decide
	Judge      *chat.Client  // grades names by the guide, which moves their validity; may be nil, and needs Validity
}

// Propose returns the proposals of all sources for the columns of a table, the
// first source's first; a name proposed twice keeps its first source. Where the error
// is an [*Unanswered] they lack those of that model alone.
func (a *Augmenter) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	merged := make([][]Proposal, len(t.Columns))
	seen := make([]map[string]bool, len(t.Columns))
	var missing error
	for _, s := range a.Sources {
		lists, err := s.Propose(ctx, u, table)
		if err != nil {
			if _, ok := errors.AsType[*Unanswered](err); !ok {
				return nil, err
			}
			missing = err
		}
		for i, list := range lists {
			if seen[i] == nil {
				seen[i] = map[string]bool{}
			}
			for _, c := range list {
				if !seen[i][c.Name] {
					seen[i][c.Name] = true
					merged[i] = append(merged[i], c)
				}
			}
		}
	}
	return merged, missing
}

// Unit finds names for the columns of a unit, in the order of the schema: for all but
// those that are derived from others and those whose name is made up ("column 3").
func (a *Augmenter) Unit(ctx context.Context, u *dataset.Unit) ([]Column, error) {
	f, err := a.unit(ctx, u)
	return f.columns, err
}

// found is what was found for a unit.
type found struct {
	columns    []Column
	entities   []nli.TableEntity
	unanswered int      // tables about which a model gave no answer
	problems   []string // what is to be said of these
}

func (a *Augmenter) unit(ctx context.Context, u *dataset.Unit) (found, error) {
	var f found
	u = nameable(u)
	for t := range u.DB.Tables {
		table := &u.DB.Tables[t]
		d, err := a.decisions(ctx, u, t)
		if err == nil && a.Validity != nil {
			err = a.validate(ctx, u, t, &d)
		}
		if err != nil {
			return found{}, fmt.Errorf("%s.%s: %w", u.DB.ID, table.Original, err)
		}
		if d.entity != nil {
			f.entities = append(f.entities, *d.entity)
		}
		f.note(u.DB.ID+"."+table.Original, d.unanswered)
		for i, c := range table.Columns {
			f.columns = append(f.columns, a.sort(dataset.ColumnID{DB: u.DB.ID, Table: table.Original, Column: c.Original}, d.proposals[i], d.decisions[i]))
		}
	}
	return f, nil
}

// note counts a table about which models gave no answer.
func (f *found) note(table string, unanswered []*Unanswered) {
	if len(unanswered) > 0 {
		f.unanswered++
	}
	for _, why := range unanswered {
		if why.told() {
			f.problems = append(f.problems, table+": "+why.Error())
		}
	}
}

// decided is what was decided on the names for a table.
type decided struct {
	proposals  [][]Proposal
	decisions  [][]nli.Decision
	entity     *nli.TableEntity // what the table is about, where that had to be predicted
	unanswered []*Unanswered
}

// miss takes an error in where it says that a model gave no answer.
func (d *decided) miss(err error) error {
	if why, ok := errors.AsType[*Unanswered](err); ok {
		d.unanswered = append(d.unanswered, why)
		return nil
	}
	return err
}

// decisions returns the proposals for the columns of a table with what entailments
// decide on them.
func (a *Augmenter) decisions(ctx context.Context, u *dataset.Unit, t int) (d decided, err error) {
	table := &u.DB.Tables[t]
	if len(table.Columns) == 0 {
		return d, nil
	}
	entity, entry, err := a.Entities.Known(ctx, u.DB.ID, table, a.Known)
	if err != nil {
		return d, err
	}
	d.entity = entry
	d.proposals, err = a.Propose(ctx, u, t)
	if err = d.miss(err); err != nil {
		return d, err
	}
	d.decisions, err = a.score(ctx, entity, table, d.proposals)
	if err == nil {
		err = a.rejectConflicts(ctx, entity, table, d.proposals, d.decisions)
	}
	if err == nil {
		err = a.rejectDoubtful(ctx, entity, table, d.proposals, d.decisions)
	}
	return d, err
}

// validate rejects the names that people are not likely to accept.
func (a *Augmenter) validate(ctx context.Context, u *dataset.Unit, t int, d *decided) error {
	a.predict(&u.DB.Tables[t], d.proposals, d.decisions)
	if a.Judge != nil {
		if err := d.miss(a.judge(ctx, u, t, d.proposals, d.decisions)); err != nil {
			return err
		}
	}
	a.rejectInvalid(d.proposals, d.decisions)
	return nil
}

// Sided calls each for the proposals for a unit that entailments or their source give a
// bucket: those of which the validity is to be told.
func (a *Augmenter) Sided(ctx context.Context, u *dataset.Unit, each func(t *dataset.Table, column int, side dataset.Side, p *Proposal) error) error {
	u = nameable(u)
	for t := range u.DB.Tables {
		table := &u.DB.Tables[t]
		d, err := a.decisions(ctx, u, t)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", u.DB.ID, table.Original, err)
		}
		for i, list := range d.proposals {
			for j := range list {
				if side := d.decisions[i][j].Side; side != "" {
					if err := each(table, i, side, &list[j]); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// title is what says what a table is about: its name, or its caption where the name
// says nothing. The predicted entity is not asked: on Spider without its names it
// brought retrieval and dictionary no more names that people gave, but fewer.
func title(t *dataset.Table) string {
	if dataset.Named(t.Name) {
		return t.Name
	}
	return t.Caption
}
