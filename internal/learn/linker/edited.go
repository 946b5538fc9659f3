package linker

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Edited returns the schema after edits that rename or add columns or relabel what there
// is, with the cells that it has then: no database is written or read for it.
func (s *Schema) Edited(edits []perturb.Edit) (*Schema, error) {
	db, err := perturb.ApplySchema(s.DB, edits)
	if err != nil {
		return nil, err
	}
	out := NewSchema(db, s.cells.follow(s.DB, db, edits), s.lexicon)
	out.root = s.root
	return out, nil
}

// follow returns the cells of a schema whose tables have the columns that they had, and
// added ones behind them.
func (c *Cells) follow(before, after *dataset.Database, edits []perturb.Edit) *Cells {
	if c == nil || !adds(edits) {
		return c
	}
	out := &Cells{columns: map[string][]int32{}, before: c}
	at, old := int32(0), 0
	for t := range after.Tables {
		kept := len(before.Tables[t].Columns)
		for i := range after.Tables[t].Columns {
			span := nowhere
			if i < kept {
				out.moved = append(out.moved, at)
				span = c.ranges[old]
				old++
			}
			out.ranges = append(out.ranges, span)
			at++
		}
	}
	for _, e := range edits {
		if add, ok := e.(perturb.AddColumn); ok {
			out.addCells(after, add)
		}
	}
	return out
}

// addCells adds the cells of an added column.
func (c *Cells) addCells(after *dataset.Database, add perturb.AddColumn) {
	ref, ok := after.Lookup(add.Table, add.Name)
	if !ok {
		return
	}
	at := int32(ref.Column)
	for t := range ref.Table {
		at += int32(len(after.Tables[t].Columns))
	}
	for _, cell := range add.Cells {
		c.put(at, cell)
	}
}

func adds(edits []perturb.Edit) bool {
	return slices.ContainsFunc(edits, func(e perturb.Edit) bool { _, ok := e.(perturb.AddColumn); return ok })
}
