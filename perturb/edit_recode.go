package perturb

import (
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// RecodeColumn replaces a column that is part of no key by one or several columns that hold the
// same in another form (Dr.Spider, section 3.1).
type RecodeColumn struct {
	EditDefaults
	recode.Recoding
	From dataset.Candidate `json:"from"` // Evidence describes how the map was found
}

// RemovesColumn returns true: the column has no counterpart after the edit.
func (RecodeColumn) RemovesColumn() bool { return true }

// candidate returns the candidate whose name the edit gives.
func (e RecodeColumn) candidate() dataset.Candidate { return e.From }

// Touches returns the recoded column.
func (e RecodeColumn) Touches() (table, column string) { return e.Table, e.Column }

// validate checks the names and types of the new columns.
func (e RecodeColumn) validate() (err error) {
	for _, c := range e.Into {
		err = errors.Join(err, checkIdent(c.Name), checkNatural(c.Natural), checkType(c.Type))
	}
	return err
}

// schema appends the new columns to the table and marks the old one as removed. It returns an error
// if the old one must stay ([schemaChange.removable]) or if a new name is taken.
func (e RecodeColumn) schema(s *schemaChange) error {
	if err := e.Validate(); err != nil {
		return err
	}
	ref, err := s.removable(e.Table, e.Column)
	if err != nil {
		return fmt.Errorf("%w, expected one that can be recoded", err)
	}
	t := &s.after.Tables[ref.Table]
	for i, into := range e.Into {
		if s.columnEverTaken(ref.Table, into.Name) {
			return fmt.Errorf("table %s has a column %s already", e.Table, into.Name)
		}
		t.Columns = append(t.Columns, dataset.Column{
			Name: into.Natural, Original: into.Name, Type: into.Type, Samples: e.Map.Samples(s.before.Column(ref).Samples, i),
		})
	}
	t.Columns[ref.Column].Original = removed
	return nil
}

// content derives each new column from the cells of the old one, then drops that.
func (e RecodeColumn) content(*sqlast.Dialect) []sqldata.Write {
	var writes []sqldata.Write
	for i, into := range e.Into {
		writes = append(writes, sqldata.DeriveColumn{
			Table: e.Table, Column: e.Column, Name: into.Name, Type: into.Declared(),
			Cell: func(v sqldata.Value) (sqldata.Value, error) {
				now, err := e.Map.Apply(v, len(e.Into))
				if err != nil {
					return sqldata.Value{}, err
				}
				return now[i], nil
			},
		})
	}
	return append(writes, sqldata.DropColumn{Table: e.Table, Column: e.Column})
}

// gold rewrites gold SQL to read the new columns.
func (e RecodeColumn) gold(g *goldChange) {
	g.setWay(recoded)
	g.detach(e.Table, e.Column)
	g.recodings = append(g.recodings, &e.Recoding)
}

// Shows reports whether the answer of an example's gold SQL shows values of the column, as they
// are or as an aggregate of the same unit. The error is a [*Refusal], or is for an
// ill-formed edit.
func (e RecodeColumn) Shows(ex *Example) (bool, error) {
	r, err := recode.NewRewriter(ex.Gold, ex.Binding, []*recode.Recoding{&e.Recoding})
	if err != nil {
		return false, err
	}
	shows, err := r.Shows()
	return shows, asRefusal(err)
}

// Expected returns what the rewritten gold SQL must answer after the edits, given the answer
// before ([recode.Rewriter.Answer]): the same answer if no edit is a [RecodeColumn]. It returns an
// error for a value outside of the map, or the [*Refusal] of [RewriteGold].
func Expected(ex *Example, edits []Edit, before *sqldata.Result) (*sqldata.Result, error) {
	var recodings []*recode.Recoding
	for _, e := range edits {
		if r, ok := e.(RecodeColumn); ok {
			recodings = append(recodings, &r.Recoding)
		}
	}
	if len(recodings) == 0 {
		return before, nil
	}
	r, err := recode.NewRewriter(ex.Gold, ex.Binding, recodings)
	if err != nil {
		return nil, err
	}
	answer, err := r.Answer(before)
	return answer, asRefusal(err)
}
