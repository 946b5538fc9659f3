// Package table holds the tables that commands print and reports show, and writes them
// as aligned text, Markdown, CSV and JSON.
package table

import (
	"fmt"
	"strconv"
)

// Table is a table as people read it. The first cell of a row is its heading.
type Table struct {
	Caption string   `json:"caption"`
	Columns []Column `json:"columns"` // all without a name in a table without a header
	Rows    []Row    `json:"rows"`    // each with a cell for each column
	Notes   []string `json:"-"`       // below the table
	Right   bool     `json:"-"`       // text: every column is set right-aligned
}

// Column is a column of a [Table].
type Column struct {
	Name    string `json:"name"`
	Numeric bool   `json:"numeric,omitempty"` // Markdown and HTML: set right-aligned
	Long    bool   `json:"long,omitempty"`    // sentences, which may wrap
	Code    bool   `json:"code,omitempty"`    // SQL, hashes
}

// Row is a line of a [Table]; a strong one is a sum or an average.
type Row struct {
	Cells  []Cell `json:"cells"`
	Strong bool   `json:"strong,omitempty"`
}

// Cell is a text and, where the text prints a figure, the exact figure: for a share in percent, a number
// from 0 to 1.
type Cell struct {
	Text  string   `json:"text"`
	Value *float64 `json:"value,omitempty"`
	Low   *float64 `json:"low,omitempty"` // of its interval
	High  *float64 `json:"high,omitempty"`
}

// New returns a table with columns of these names. The first has the headings of the rows, the others
// figures.
func New(caption string, names ...string) *Table {
	t := &Table{Caption: caption, Columns: make([]Column, len(names))}
	for i, name := range names {
		t.Columns[i] = Column{Name: name, Numeric: i > 0}
	}
	return t
}

// Add adds a row of values: cells, values with a method Cell, integers, or any others, which are printed by
// [fmt.Sprint].
func (t *Table) Add(values ...any) { t.Rows = append(t.Rows, Row{Cells: Cells(values...)}) }

// AddStrong adds a row that is a sum or an average.
func (t *Table) AddStrong(values ...any) {
	t.Rows = append(t.Rows, Row{Cells: Cells(values...), Strong: true})
}

// Cells returns the cells of values as [Table.Add] adds them.
func Cells(values ...any) []Cell {
	cells := make([]Cell, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case Cell:
			cells[i] = v
		case interface{ Cell() Cell }:
			cells[i] = v.Cell()
		case int:
			cells[i] = Figure(strconv.Itoa(v), float64(v))
		default:
			cells[i] = Cell{Text: fmt.Sprint(v)}
		}
	}
	return cells
}

// Figure is a cell with the figure that its text prints.
func Figure(text string, value float64) Cell { return Cell{Text: text, Value: &value} }

// Count returns "1 row" or "2 rows".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

// Bytes returns a size in units of 1000 with three digits: 1234567 → "1.23 MB".
func Bytes(n int64) string {
	size, units := float64(n), []string{"B", "kB", "MB", "GB"}
	for size >= 999.5 && len(units) > 1 {
		size, units = size/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", size, units[0])
}
