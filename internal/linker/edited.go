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
	return NewSchema(db, s.cells.follow(s.DB, db, edits), s.lexicon), nil
}

// follow returns the cells of a schema whose tables have the columns that they had, and
// added ones behind them.
func (c *Cells) follow(before, after *dataset.Database, edits []perturb.Edit) *Cells {
	if c == nil || !adds(edits) {
		return c
	}
	out := &Cells{columns: make(map[string][]int32, len(c.columns))}
	var moved []int32
	at, old := int32(0), 0
	for t := range after.Tables {
		kept := len(before.Tables[t].Columns)
		for i := range after.Tables[t].Columns {
			if i < kept {
				moved = append(moved, at)
				out.ranges = append(out.ranges, c.ranges[old])
				old++
			} else {
				out.ranges = append(out.ranges, nowhere)
			}
			at++
		}
	}
	for key, columns := range c.columns {
		for _, col := range columns {
			out.columns[key] = append(out.columns[key], moved[col])
		}
	}
	out.addCells(after, edits)
	return out
}

// addCells adds the cells of added columns.
func (c *Cells) addCells(after *dataset.Database, edits []perturb.Edit) {
	for _, e := range edits {
		add, ok := e.(perturb.AddColumn)
		if !ok {
			continue
		}
		ref, ok := after.Lookup(add.Table, add.Name)
		if !ok {
			continue
		}
		at := int32(ref.Column)
		for t := range ref.Table {
			at += int32(len(after.Tables[t].Columns))
		}
		for _, cell := range add.Cells {
			c.put(at, cell)
		}
	}
	for _, columns := range c.columns {
		slices.Sort(columns)
	}
}

func adds(edits []perturb.Edit) bool {
	return slices.ContainsFunc(edits, func(e perturb.Edit) bool { _, ok := e.(perturb.AddColumn); return ok })
}
