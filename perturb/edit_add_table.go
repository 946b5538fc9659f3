package perturb

import (
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// AddTable adds a table with rows at the end of the schema (EvoSchema, add tables). Its first column is its
// primary key, and a column may refer to one of another table.
type AddTable struct {
	EditDefaults
	Name    string            `json:"name"` // SQL name
	Natural string            `json:"natural"`
	Columns []NewColumn       `json:"columns"`
	From    dataset.Candidate `json:"from"`
}

// NewColumn is a column of [AddTable].
type NewColumn struct {
	Name      string       `json:"name"` // SQL name
	Natural   string       `json:"natural"`
	Type      dataset.Type `json:"type"`
	Cells     []string     `json:"cells"`               // one for each row, NULL for ""
	Reference string       `json:"reference,omitempty"` // SQL name of the table that it refers to; empty if to none
	Target    string       `json:"target,omitempty"`    // SQL name of the column that it refers to
}

// maxNewRows and maxNewColumns bound an added table.
const maxNewRows, maxNewColumns = 1000, 100

// candidate returns the candidate whose name the edit gives.
func (e AddTable) candidate() dataset.Candidate { return e.From }

// validate returns an error for a name or type that cannot be used, a repeated column, columns that differ in their number of cells,
// and too many columns or rows.
func (e AddTable) validate() error {
	err := errors.Join(checkIdent(e.Name), checkNatural(e.Natural))
	if n := len(e.Columns); n == 0 || n > maxNewColumns {
		return errors.Join(err, fmt.Errorf("an added table of %d columns, expected 1 to %d", n, maxNewColumns))
	}
	for i, c := range e.Columns {
		err = errors.Join(err, checkIdent(c.Name), checkNatural(c.Natural), checkType(c.Type))
		if hasColumn(dataset.Table{Columns: lists.Map(e.Columns[:i], NewColumn.column)}, c.Name) {
			err = errors.Join(err, fmt.Errorf("an added table has two columns %s", c.Name))
		}
		if len(c.Cells) != len(e.Columns[0].Cells) || len(c.Cells) > maxNewRows {
			err = errors.Join(err, fmt.Errorf("column %s of an added table has %d cells, expected as many as the others, at most %d", c.Name, len(c.Cells), maxNewRows))
		}
	}
	return err
}

// column returns the column as part of a schema. Its first cells are the samples.
func (c NewColumn) column() dataset.Column {
	return dataset.Column{Name: c.Natural, Original: c.Name, Type: c.Type, Samples: c.Cells[:min(len(c.Cells), 5)]}
}

// schema appends the table with its keys. It returns an error if its name is taken or a column that it refers to is missing.
func (e AddTable) schema(s *schemaChange) error {
	if err := e.validate(); err != nil {
		return err
	}
	if s.before.Table(e.Name) >= 0 || s.after.Table(e.Name) >= 0 {
		return fmt.Errorf("there is a table %s already", e.Name)
	}
	t := len(s.after.Tables)
	for i, c := range e.Columns {
		if c.Reference == "" {
			continue
		}
		target, ok := s.before.Lookup(c.Reference, c.Target)
		if !ok {
			return fmt.Errorf("there is no column %s.%s to refer to", c.Reference, c.Target)
		}
		s.after.ForeignKeys = append(s.after.ForeignKeys, dataset.ForeignKey{Column: dataset.ColumnRef{Table: t, Column: i}, Target: target})
	}
	s.after.Tables = append(s.after.Tables, dataset.Table{Name: e.Natural, Original: e.Name, Columns: lists.Map(e.Columns, NewColumn.column)})
	s.after.PrimaryKeys = append(s.after.PrimaryKeys, dataset.ColumnRef{Table: t})
	return nil
}

// content creates the table in the SQLite file, with its rows. Its first column is the primary key. Foreign keys are added by SQL
// name: a schema of the new table alone cannot have keys to other tables.
func (e AddTable) content(*sqlast.Dialect) []sqldata.Write {
	db := dataset.Database{Tables: []dataset.Table{{Original: e.Name, Columns: lists.Map(e.Columns, NewColumn.column)}}, PrimaryKeys: []dataset.ColumnRef{{}}}
	table := dataset.SQLiteTables(&db)[0]
	rows := make([][]sqldata.Value, len(e.Columns[0].Cells)) // all columns have as many cells
	for _, c := range e.Columns {
		if c.Reference != "" {
			table.ForeignKeys = append(table.ForeignKeys, sqldata.ForeignKey{Columns: []string{c.Name}, Table: c.Reference, References: []string{c.Target}})
		}
		for i, cell := range c.Cells {
			rows[i] = append(rows[i], cellValue(cell, c.Type))
		}
	}
	return []sqldata.Write{sqldata.CreateTable{Table: table, Rows: rows}}
}

// cellValue returns the SQL value of a cell in a column of type t: NULL for "", a number if t is [dataset.Number] and the cell parses
// as one, else a text.
func cellValue(cell string, t dataset.Type) sqldata.Value {
	if cell == "" {
		return sqldata.Value{}
	}
	if n, ok := sqldata.ParseNumber(cell); ok && t == dataset.Number {
		return n
	}
	return sqldata.NewText(cell)
}

// gold adapts gold SQL to a schema with one more table; its names stay.
func (e AddTable) gold(g *goldChange) {
	g.setWay(restructured)
	g.tableNames = append(g.tableNames, e.Name)
}
