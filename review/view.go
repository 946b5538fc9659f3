package review

import (
	"cmp"
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// view describes a column, or a record, without the decisions on it.
func (d *Data) view(ctx context.Context, id int) *ColumnView {
	c := &d.columns[id]
	if c.record != nil {
		return d.recordView(ctx, id)
	}
	db := d.databases[c.db]
	table := &db.Tables[c.ref.Table]
	col := &table.Columns[c.ref.Column]
	v := &ColumnView{
		ID: id, DB: c.id.DB, Table: c.id.Table, Column: c.id.Column,
		TableName: cmp.Or(table.Name, table.Original), Entity: entityOf(db, table), Caption: truncate(table.Caption, maxEvidence),
		Name: col.Name, Type: string(col.Type), Description: truncate(col.Description, maxEvidence), Values: truncate(col.Values, maxEvidence),
		Columns: d.table(c),
	}
	sample := d.rows(ctx, c.db, c.ref.Table)
	v.Rows, v.RowsProblem = sample.rows, sample.problem
	v.Questions, v.QuestionTotal = d.questions(c)
	return v
}

// entityOf returns the entity that the rows of a table are: its entry in the data directory's file of entities, or else its name
// if that is descriptive, or else "".
func entityOf(db *database, table *dataset.Table) string {
	if e := db.entities[strings.ToLower(table.Original)]; e != "" {
		return e
	}
	if dataset.Named(table.Name) {
		return table.Name
	}
	return ""
}

// addDecisions sets the parts of a view that depend on the decisions so far.
func (s *state) addDecisions(v *ColumnView) {
	c := &s.data.columns[v.ID]
	v.Version = s.history.version(c.key)
	v.Undo, _ = s.last()
	decided := s.history.on(c.key)
	v.Replace, v.Add, v.Criteria = []Name{}, []Name{}, []Name{} // not nil, which JSON has as null
	for _, side := range c.sides() {
		list := v.side(side)
		for i := range c.list(side) {
			*list = append(*list, s.name(c, side, &c.list(side)[i], decided))
		}
	}
	for _, item := range s.addedNames(c) {
		name := s.name(c, item.Side, &dataset.Candidate{Name: item.Name, Source: PersonSource}, decided)
		name.Own = true
		list := v.side(item.Side)
		*list = append(*list, name)
	}
	v.Alike = s.alike(v.ID)
	v.Open = s.tallies[v.ID].names - s.tallies[v.ID].decided()
	v.Comments = decided.notes(c.key, "")
}

// alike returns the other records that have the same texts as a record and still have undecided criteria, at most MaxAlike; none for a
// column.
func (s *state) alike(id int) []Alike {
	out := []Alike{}
	if r := s.data.columns[id].record; r != nil {
		for _, other := range s.data.build.byTexts[textsOf(r)] {
			if other != id && s.tallies[other].complete() == 0 && len(out) < MaxAlike {
				out = append(out, Alike{other, s.history.version(s.data.columns[other].key)})
			}
		}
	}
	return out
}

// side returns the list of a view that has the names of a bucket, or the criteria of a record, to append to.
func (v *ColumnView) side(side dataset.Side) *[]Name {
	switch side {
	case dataset.Add:
		return &v.Add
	case Criterion:
		return &v.Criteria
	}
	return &v.Replace
}

// name describes a candidate of a column with the answer and the comments on it, which decided holds.
func (s *state) name(c *column, side dataset.Side, candidate *dataset.Candidate, decided *Verdicts) Name {
	n := Name{
		Side: side, Name: candidate.Name, Source: candidate.Source, Evidence: candidate.Evidence, Type: string(candidate.Type),
		Cells: candidate.Cells, Scored: scored(candidate), Similarity: candidate.Similarity, Forward: candidate.Forward, Backward: candidate.Backward, Validity: candidate.Validity,
		Doubt: doubtValue(doubtOfName(s.data.policy, side, candidate)), Answer: decided.Items[Item{c.key, side, candidate.Name}],
		Comments: decided.notes(c.key, candidate.Name),
	}
	if n.Cells == nil {
		n.Cells = []string{}
	}
	return n
}

// notes returns the comments on a name of a column, or on the column itself if the name is "". It is never nil, which JSON has as
// null.
func (v *Verdicts) notes(column dataset.ColumnID, name string) []Notes {
	if notes := v.Comments[column][name]; notes != nil {
		return notes
	}
	return []Notes{}
}

// column describes a column with the decisions on it.
func (s *state) column(ctx context.Context, id int) *ColumnView {
	v := s.data.view(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addDecisions(v)
	return v
}
