package linker

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Edited returns the schema after edits that rename or add columns or relabel tables and columns, with
// the cells of the added columns. It reads no database.
func (s *Schema) Edited(edits []perturb.Edit) (*Schema, error) {
	db, err := perturb.ApplySchema(s.DB, edits)
	if err != nil {
		return nil, err
	}
	out := NewSchema(db, s.cells.follow(s.DB, db, edits), s.lexicon)
	out.unedited = s.unedited
	return out, nil
}

// follow returns the cells of the schema after edits. Each table after must have the columns of before in the
// same order, and then the added ones. Added columns shift the numbers of the columns after them.
func (c *Cells) follow(before, after *dataset.Database, edits []perturb.Edit) *Cells {
	if c == nil || !adds(edits) {
		return c
	}
	out := &Cells{columns: map[string][]int32{}, before: c}
	for t := range after.Tables {
		for i := range after.Tables[t].Columns {
			numbers := noNumbers
			if i < len(before.Tables[t].Columns) { // the next column of before, number len(out.moved)
				numbers = c.ranges[len(out.moved)]
				out.moved = append(out.moved, int32(len(out.ranges)))
			}
			out.ranges = append(out.ranges, numbers)
		}
	}
	for _, e := range edits {
		if add, ok := e.(perturb.AddColumn); ok {
			out.addCells(after, add)
		}
	}
	return out
}

// addCells adds the cells of an added column of the schema after the edits.
func (c *Cells) addCells(after *dataset.Database, add perturb.AddColumn) {
	ref, ok := after.Lookup(add.Table, add.Name)
	if !ok {
		return
	}
	column := int32(ref.Column) // numbered through all tables
	for t := range ref.Table {
		column += int32(len(after.Tables[t].Columns))
	}
	for _, cell := range add.Cells {
		c.put(column, cell)
	}
}

// adds reports whether an edit adds a column.
func adds(edits []perturb.Edit) bool {
	return slices.ContainsFunc(edits, func(e perturb.Edit) bool { _, ok := e.(perturb.AddColumn); return ok })
}
