package sqldata

// Write is a change of the schema and content of a database, which an engine makes: [RenameTable],
// [RenameColumn], [AddColumn], [DeriveColumn], [ComputeColumn], [DropColumn], [DropTable], [SplitColumn],
// [MergeTable], [CreateTable] or [None].
type Write interface {
	Changes() (table, dropped string) // the table whose columns it changes, and which of them it drops; may be empty
}

// RenameColumn gives a column another name, wherever the schema has it.
type RenameColumn struct{ Table, Column, Name string }

// RenameTable gives a table another name, wherever the schema has it.
type RenameTable struct{ Table, Name string }

// DropColumn removes a column that is no part of a key, and the indexes that it is
// part of.
type DropColumn struct{ Table, Column string }

// DropTable removes a table and the foreign keys to it.
type DropTable struct{ Table string }

// DeriveColumn puts a column at the end of a table whose cells follow from those
// of another column of it. An error of Cell ends the work.
type DeriveColumn struct {
	Table, Column string // what it is derived from
	Name, Type    string // of the new column; the declared type may be empty
	Cell          func(Value) (Value, error)
}

// AddColumn puts a column at the end of a table. The cells fill the rows in
// turn, and begin anew when there are more rows than cells; without cells all are NULL.
type AddColumn struct {
	Table, Name string
	Type        string // declared type; may be empty
	Cells       []Value
}

// SplitColumn moves a column that is no part of a key to a new table
// of two columns: Key, an integer primary key, and the column with its declared
// type. The new table has each value once, in the order of the rows, and a
// column Key at the end of the old table refers to it. NULL stays NULL and has
// no row.
type SplitColumn struct {
	Table, Column string
	Into, Key     string // the new table, and the column that links the two
}

// MergeTable puts columns of one table at the end of another, which refers to
// it or to which it refers, and drops it: a left join, row by row. It fails where a row would have
// several partners. Keys that the database declares go with the table that they refer to, and
// along with the columns that refer to others.
type MergeTable struct {
	Table, Column     string // the column that refers or is referred to
	Reference, Target string // the column of the dropped table
	Columns           []MergedColumn
}

// MergedColumn is a column of the dropped table, and its name in the other.
type MergedColumn struct{ Column, Name string }

// ComputeColumn appends a column to a table and computes its cells by an expression over other columns.
type ComputeColumn struct {
	Table, Name, Type string
	Value             string // SQL
}

// CreateTable makes a table with the rows of From, a table that has columns of the same names, or else with Rows.
type CreateTable struct {
	Table Table  // a column without a type gets its type from From
	From  string // "" for Rows
	Rows  [][]Value
}

// None fails where a query has a row: a proof that the writes after it lose nothing.
type None struct{ Query, Why string }

// Changes returns the table whose columns change; none is dropped.
func (c ComputeColumn) Changes() (table, dropped string) { return c.Table, "" }

// Changes returns no table: the others keep their columns.
func (c CreateTable) Changes() (table, dropped string) { return "", "" }

// Changes returns no table: nothing changes.
func (n None) Changes() (table, dropped string) { return "", "" }

// Changes returns the table whose columns change; none is dropped.
func (r RenameColumn) Changes() (table, dropped string) { return r.Table, "" }

// Changes returns the table whose columns change; none is dropped.
func (r RenameTable) Changes() (table, dropped string) { return r.Table, "" }

// Changes returns the table whose columns change; none is dropped.
func (a AddColumn) Changes() (table, dropped string) { return a.Table, "" }

// Changes returns the table whose columns change; none is dropped.
func (d DeriveColumn) Changes() (table, dropped string) { return d.Table, "" }

// Changes returns the table whose columns change, and the column that is dropped.
func (d DropColumn) Changes() (table, dropped string) { return d.Table, d.Column }

// Changes returns no table: no column is dropped alone.
func (d DropTable) Changes() (table, dropped string) { return "", "" }

// Changes returns the table whose columns change, and the column that is dropped.
func (s SplitColumn) Changes() (table, dropped string) { return s.Table, s.Column }

// Changes returns the table whose columns change; none is dropped.
func (m MergeTable) Changes() (table, dropped string) { return m.Table, "" }

// CellFunction is the SQL function by which a draft computes a cell, where its engine needs one. Its arguments are the number of
// the computed column, from 0, and the cell of the column from which it is computed.
const CellFunction = "tabperturb_cell"
