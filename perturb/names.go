package perturb

import (
	"cmp"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// Names maps names of tables and columns before edits to those after, and back. Names are
// compared without case.
type Names struct {
	tables  map[string]string                       // new names of tables, by the folded old name
	columns map[sqlast.BaseColumn]sqlast.BaseColumn // new places of columns, by the old table and name
	// The way back has renamed tables and columns only: what was split off or merged does not
	// have its old name in gold SQL.
	tablesBefore  map[string]string
	columnsBefore map[sqlast.BaseColumn]string // by the old table and the new name
}

// NamesAfter returns the names that edits give.
func NamesAfter(edits []Edit) *Names {
	n := &Names{
		tables: map[string]string{}, columns: map[sqlast.BaseColumn]sqlast.BaseColumn{},
		tablesBefore: map[string]string{}, columnsBefore: map[sqlast.BaseColumn]string{},
	}
	for _, e := range edits {
		e.names(n)
	}
	return n
}

// renameTable adds a table with another name.
func (n *Names) renameTable(table, name string) {
	n.moveTable(table, name)
	n.tablesBefore[strings.ToLower(name)] = table
}

// renameColumn adds a column with another name.
func (n *Names) renameColumn(table, column, name string) {
	n.move(table, column, table, name)
	n.columnsBefore[sqlast.BaseColumn{Table: table, Column: name}.Key()] = column
}

// moveTable adds a table whose columns are in another one.
func (n *Names) moveTable(table, to string) { n.tables[strings.ToLower(table)] = to }

// move adds a column that is in another table, under another name.
func (n *Names) move(table, column, toTable, toColumn string) {
	n.columns[sqlast.BaseColumn{Table: table, Column: column}.Key()] = sqlast.BaseColumn{Table: toTable, Column: toColumn}
}

// Same reports whether every name stays.
func (n *Names) Same() bool { return len(n.tables)+len(n.columns) == 0 }

// After returns the SQL names of a column's table and of the column after the edits. If column is empty,
// it returns the new name of the table.
func (n *Names) After(table, column string) (string, string) {
	if to, ok := n.columns[sqlast.BaseColumn{Table: table, Column: column}.Key()]; ok && column != "" {
		column = to.Column
		if !strings.EqualFold(to.Table, table) { // else keep the spelling
			table = to.Table
		}
	}
	return cmp.Or(n.tables[strings.ToLower(table)], table), column
}

// TableBefore returns the name before the edits of a table that was renamed to this one, or the
// name itself.
func (n *Names) TableBefore(table string) string {
	return cmp.Or(n.tablesBefore[strings.ToLower(table)], table)
}

// ColumnBefore returns the name before the edits of a column that was renamed to this one, or the
// name itself. Table is the name after the edits.
func (n *Names) ColumnBefore(table, column string) string {
	return cmp.Or(n.columnsBefore[sqlast.BaseColumn{Table: n.TableBefore(table), Column: column}.Key()], column)
}
