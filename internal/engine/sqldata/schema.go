package sqldata

import "strings"

// Table is a table's schema.
type Table struct {
	Name        string
	Columns     []Column
	PrimaryKey  []string // names of columns, in the key's order
	ForeignKeys []ForeignKey
	Comment     string // for people; empty where the engine stores none
}

// Column is a column's name, declared type ("VARCHAR(20)"; may be empty) and comment.
type Column struct{ Name, Type, Comment string }

// ForeignKey is a reference of Columns to the columns References of Table, one
// to one. References is empty where the primary key of Table is meant.
type ForeignKey struct {
	Columns    []string
	Table      string
	References []string
}

// QuoteName returns a name in double quotes, for use in SQL.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
