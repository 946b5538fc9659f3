package given

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// edits returns the edits that turn the schema into the one after the changes so far: first removals of tables and columns, then
// renamings of columns, added columns, and renamings of tables.
func (m *migration) edits() (edits []perturb.Edit) {
	var columns, added, tables []perturb.Edit
	for i, was := range m.db.Tables {
		at := slices.IndexFunc(m.tables, func(t movedTable) bool { return t.from == i })
		if at < 0 {
			edits = append(edits, perturb.DropTable{Table: was.Original})
			continue
		}
		t := m.tables[at]
		for j, c := range was.Columns {
			switch to := slices.IndexFunc(t.columns, func(c movedColumn) bool { return c.from == j }); {
			case to < 0:
				edits = append(edits, perturb.DropColumn{Table: was.Original, Column: c.Original})
			default:
				columns = appendEdit(columns, renaming(m.db, &newName{at: dataset.ColumnRef{Table: i, Column: j}, name: t.columns[to].name}))
			}
		}
		for _, c := range t.columns {
			if c.from == none {
				added = append(added, c.edit(was.Original))
			}
		}
		tables = appendEdit(tables, renaming(m.db, &newName{at: dataset.ColumnRef{Table: i, Column: noColumn}, name: t.name}))
	}
	return slices.Concat(edits, columns, added, tables)
}

// appendEdit appends an edit unless it is nil.
func appendEdit(edits []perturb.Edit, e perturb.Edit) []perturb.Edit {
	if e == nil {
		return edits
	}
	return append(edits, e)
}

// edit returns the edit that adds a new column to a table.
func (c movedColumn) edit(table string) perturb.Edit {
	e := perturb.AddColumn{Table: table, Name: c.name, Natural: lexicon.NaturalName(c.name), Type: cmp.Or(c.typ, dataset.Text), From: perturb.Certain(c.name, "given", "")}
	if c.cell != "" {
		e.Cells = []string{c.cell}
	}
	return e
}
