package perturb

import (
	"cmp"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// Names say what tables and columns are called after edits, and what they were called
// before: the one place that knows. Names are compared without case.
type Names struct {
	tables  map[string]string                       // new names of tables, by the old
	columns map[sqlast.BaseColumn]sqlast.BaseColumn // new places of columns, by the old table and name
	// The way back has renamed tables and columns only: what was split off or merged
	// does not bear its old name in gold SQL.
	tablesBefore  map[string]string
	columnsBefore map[sqlast.BaseColumn]string
}

// NamesAfter returns the names that edits give.
func NamesAfter(edits []Edit) *Names {
	n := &Names{
		map[string]string{}, map[sqlast.BaseColumn]sqlast.BaseColumn{},
		map[string]string{}, map[sqlast.BaseColumn]string{},
	}
	for _, e := range edits {
		switch e := e.(type) {
		case RenameColumn:
			n.move(e.Table, e.Column, e.Table, e.Name)
		case RenameTable:
			n.tables[strings.ToLower(e.Table)] = e.Name
			n.tablesBefore[strings.ToLower(e.Name)] = e.Table
		case SplitTable:
			n.move(e.Table, e.Column, e.NewTable, e.Column)
		case MergeTables:
			n.tables[strings.ToLower(e.Reference)] = e.Table
			n.move(e.Reference, e.Target, e.Table, e.Column)
			for _, c := range e.Columns {
				n.move(e.Reference, c.Column, e.Table, c.Name)
			}
		}
	}
	for _, e := range edits { // when every new name of a table is known
		if e, ok := e.(RenameColumn); ok {
			table, _ := n.After(e.Table, "")
			n.columnsBefore[sqlast.BaseColumn{Table: table, Column: e.Name}.Key()] = e.Column
		}
	}
	return n
}

func (n *Names) move(table, column, toTable, toColumn string) {
	n.columns[sqlast.BaseColumn{Table: table, Column: column}.Key()] = sqlast.BaseColumn{Table: toTable, Column: toColumn}
}

// Same tells whether every name stays.
func (n *Names) Same() bool { return len(n.tables)+len(n.columns) == 0 }

// After returns where a column is after the edits, or where its table is if column is empty.
func (n *Names) After(table, column string) (string, string) {
	if to, ok := n.columns[sqlast.BaseColumn{Table: table, Column: column}.Key()]; ok && column != "" {
		column = to.Column
		if !strings.EqualFold(to.Table, table) {
			table = to.Table
		}
	}
	return cmp.Or(n.tables[strings.ToLower(table)], table), column
}

// TableBefore returns the name before the edits of a table that was renamed to this
// one; else the name itself.
func (n *Names) TableBefore(table string) string {
	return cmp.Or(n.tablesBefore[strings.ToLower(table)], table)
}

// ColumnBefore does the same for a column, of a table by its name after the edits.
func (n *Names) ColumnBefore(table, column string) string {
	return cmp.Or(n.columnsBefore[sqlast.BaseColumn{Table: table, Column: column}.Key()], column)
}
