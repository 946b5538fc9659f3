package perturb

import (
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// AddColumn adds a column at the end of a table.
type AddColumn struct {
	EditDefaults
	Table   string            `json:"table"`  // SQL name
	Beside  string            `json:"beside"` // SQL name of the column that it distracts from
	Name    string            `json:"name"`   // SQL name of the new column
	Natural string            `json:"natural"`
	Type    dataset.Type      `json:"type"`
	Cells   []string          `json:"cells"` // values that fill the rows in turn; NULL if empty
	From    dataset.Candidate `json:"from"`  // the candidate that was chosen, without its cells
}

// CarriesLinks returns true: [Names] suffice to follow schema links through the edit.
func (AddColumn) CarriesLinks() bool { return true }

// candidate returns the candidate whose name the edit gives.
func (e AddColumn) candidate() dataset.Candidate { return e.From }

// Touches returns the column of the original schema that the new one distracts from.
func (e AddColumn) Touches() (table, column string) { return e.Table, e.Beside }

// validate returns an error if a name or text that the edit gives cannot be used.
func (e AddColumn) validate() error {
	return errors.Join(CheckName(e.Name), checkNatural(e.Natural), checkType(e.Type))
}

// schema appends the column to its table. It returns an error if the table or the column Beside is
// missing, or if the name is taken.
func (e AddColumn) schema(s *schemaChange) error {
	t := s.before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to add a column to", e.Table)
	}
	if s.columnTaken(t, e.Name) {
		return fmt.Errorf("table %s has a column %s already", e.Table, e.Name)
	}
	if _, ok := s.before.Lookup(e.Table, e.Beside); e.Beside != "" && !ok {
		return fmt.Errorf("table %s has no column %s to add one beside", e.Table, e.Beside)
	}
	added := NewColumn{Name: e.Name, Natural: e.Natural, Type: e.Type, Cells: e.Cells}
	s.after.Tables[t].Columns = append(s.after.Tables[t].Columns, added.column())
	return nil
}

// content adds the column to the SQLite file: NUMERIC for [dataset.Number], else TEXT. Cells of a
// NUMERIC column that parse as numbers become numbers, all others are texts.
func (e AddColumn) content(*sqlast.Dialect) []sqldata.Write {
	declared, numeric := "TEXT", e.Type == dataset.Number
	if numeric {
		declared = "NUMERIC"
	}
	cells := make([]sqldata.Value, len(e.Cells))
	for i, cell := range e.Cells {
		cells[i] = sqldata.NewText(cell)
		if !numeric {
			continue
		}
		if n, ok := sqldata.ParseNumber(cell); ok {
			cells[i] = n
		}
	}
	return []sqldata.Write{sqldata.AddColumn{Table: e.Table, Name: e.Name, Type: declared, Cells: cells}}
}

// gold adapts gold SQL to a schema with one more column; its names stay.
func (AddColumn) gold(g *goldChange) {
	g.setWay(restructured)
	g.added++
}
