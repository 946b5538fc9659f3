// Package augment finds names for columns: ADVETA's contextualized table
// augmentation (section 4).
//
// A [Source] proposes names for the columns of a table: [Retrieved] takes them
// from the headers of similar web tables, ordered by embedding similarity,
// [Replaced] from a dictionary. An [Augmenter] has an NLI model judge every
// proposal against its column in both directions, and a policy puts it into the
// REPLACE bucket, the ADD bucket or neither. Everything that was decided comes
// with its reason, see [Column].
package augment

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// Source proposes names for the columns of one table of a unit.
//
// The result has one list a column, best first, without names that the table
// already has. A proposal's Forward and Backward are not set.
type Source interface {
	Propose(ctx context.Context, u *dataset.Unit, table int) ([][]dataset.Candidate, error)
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
}

// Propose returns the proposals of all sources for the columns of a table, the
// first source's first; a name proposed twice keeps its first source.
func (a *Augmenter) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]dataset.Candidate, error) {
	t := &u.DB.Tables[table]
	merged := make([][]dataset.Candidate, len(t.Columns))
	seen := make([]map[string]bool, len(t.Columns))
	for _, s := range a.Sources {
		lists, err := s.Propose(ctx, u, table)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", u.DB.ID, t.Original, err)
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
	return merged, nil
}

// Unit finds names for the columns of a unit, in the order of the schema: for all but
// those that are derived from others and those whose name is made up ("column 3").
func (a *Augmenter) Unit(ctx context.Context, u *dataset.Unit) ([]Column, error) {
	columns, _, err := a.unit(ctx, u)
	return columns, err
}

func (a *Augmenter) unit(ctx context.Context, u *dataset.Unit) (columns []Column, entries []nli.TableEntity, err error) {
	u = nameable(u)
	for t := range u.DB.Tables {
		table := &u.DB.Tables[t]
		if len(table.Columns) == 0 {
			continue
		}
		name, entry, err := a.Entities.Known(ctx, u.DB.ID, table, a.Known)
		if err != nil {
			return nil, nil, fmt.Errorf("%s.%s: %w", u.DB.ID, table.Original, err)
		}
		if entry != nil {
			entries = append(entries, *entry)
		}
		found, err := a.table(ctx, u, t, name)
		if err != nil {
			return nil, nil, err
		}
		columns = append(columns, found...)
	}
	return columns, entries, nil
}

// table finds names for the columns of a table about entity.
func (a *Augmenter) table(ctx context.Context, u *dataset.Unit, t int, entity string) ([]Column, error) {
	proposals, err := a.Propose(ctx, u, t)
	if err != nil {
		return nil, err
	}
	table := &u.DB.Tables[t]
	decisions, err := a.score(ctx, entity, table, proposals)
	if err == nil {
		err = a.rejectConflicts(ctx, entity, table, proposals, decisions)
	}
	if err == nil {
		err = a.rejectDoubtful(ctx, entity, table, proposals, decisions)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", u.DB.ID, table.Original, err)
	}
	columns := make([]Column, len(table.Columns))
	for i := range columns {
		columns[i] = a.sort(dataset.ColumnID{DB: u.DB.ID, Table: table.Original, Column: table.Columns[i].Original}, proposals[i], decisions[i])
	}
	return columns, nil
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
