package perturb

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// RenameColumn gives a column another name; what it holds stays. The name that its
// source spells is gone, and columns derived from it have it for a base.
type RenameColumn struct {
	Table   string            `json:"table"`  // SQL name
	Column  string            `json:"column"` // SQL name before the edit
	Name    string            `json:"name"`   // SQL name after the edit
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"` // the candidate that was chosen, without its cells
}

func (RenameColumn) op() string                { return "rename-column" }
func (e RenameColumn) from() dataset.Candidate { return e.From }

func (e RenameColumn) schema(before, after *dataset.Database) error {
	ref, ok := before.Lookup(e.Table, e.Column)
	if !ok {
		return fmt.Errorf("no column %s.%s to rename", e.Table, e.Column)
	}
	if after.Column(ref).Original != before.Column(ref).Original {
		return fmt.Errorf("column %s.%s is renamed twice", e.Table, e.Column)
	}
	for _, c := range after.Tables[ref.Table].Columns {
		if strings.EqualFold(c.Original, e.Name) {
			return fmt.Errorf("table %s has a column %s already", e.Table, e.Name)
		}
	}
	c := after.Column(ref)
	c.Original, c.Name, c.Header = e.Name, e.Natural, ""
	for i, d := range before.Tables[ref.Table].Columns {
		if strings.EqualFold(d.Base, e.Column) {
			after.Tables[ref.Table].Columns[i].Base = e.Name
		}
	}
	return nil
}

func (e RenameColumn) content() []sqlite.Write {
	return []sqlite.Write{sqlite.RenameColumn{Table: e.Table, Column: e.Column, Name: e.Name}}
}

// RenameTable gives a table another name; what it holds stays. The other edits of
// a variant call the table by its name before.
type RenameTable struct {
	Table   string            `json:"table"` // SQL name before the edit
	Name    string            `json:"name"`  // SQL name after the edit
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"`
}

func (RenameTable) op() string                { return "rename-table" }
func (e RenameTable) from() dataset.Candidate { return e.From }

func (e RenameTable) schema(before, after *dataset.Database) error {
	t := before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to rename", e.Table)
	}
	if after.Tables[t].Original != before.Tables[t].Original {
		return fmt.Errorf("table %s is renamed twice", e.Table)
	}
	if after.Table(e.Name) >= 0 {
		return fmt.Errorf("there is a table %s already", e.Name)
	}
	after.Tables[t].Original, after.Tables[t].Name = e.Name, e.Natural
	return nil
}

func (e RenameTable) content() []sqlite.Write {
	return []sqlite.Write{sqlite.RenameTable{Table: e.Table, Name: e.Name}}
}

// Relabel gives a table or a column another natural name, the one that models
// read; its SQL name stays, and gold SQL with it.
type Relabel struct {
	Table   string            `json:"table"`            // SQL name
	Column  string            `json:"column,omitempty"` // SQL name; empty for the table itself
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"`
}

func (Relabel) op() string                { return "relabel" }
func (e Relabel) from() dataset.Candidate { return e.From }
func (e Relabel) content() []sqlite.Write { return nil }

func (e Relabel) schema(before, after *dataset.Database) error {
	if e.Column == "" {
		t := before.Table(e.Table)
		if t < 0 {
			return fmt.Errorf("no table %s to relabel", e.Table)
		}
		after.Tables[t].Name = e.Natural
		return nil
	}
	ref, ok := before.Lookup(e.Table, e.Column)
	if !ok {
		return fmt.Errorf("no column %s.%s to relabel", e.Table, e.Column)
	}
	c := after.Column(ref)
	c.Name, c.Header = e.Natural, ""
	return nil
}

// AddColumn puts a new column at the end of a table.
type AddColumn struct {
	Table   string            `json:"table"`  // SQL name
	Beside  string            `json:"beside"` // SQL name of the column that it distracts from
	Name    string            `json:"name"`   // SQL name of the new column
	Natural string            `json:"natural"`
	Type    dataset.Type      `json:"type"`
	Cells   []string          `json:"cells"` // values that fill the rows in turn; never empty
	From    dataset.Candidate `json:"from"`  // the candidate that was chosen, without its cells
}

func (AddColumn) op() string                { return "add-column" }
func (e AddColumn) from() dataset.Candidate { return e.From }

func (e AddColumn) schema(before, after *dataset.Database) error {
	t := before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to add a column to", e.Table)
	}
	for _, c := range after.Tables[t].Columns {
		if strings.EqualFold(c.Original, e.Name) {
			return fmt.Errorf("table %s has a column %s already", e.Table, e.Name)
		}
	}
	after.Tables[t].Columns = append(after.Tables[t].Columns, dataset.Column{
		Name: e.Natural, Original: e.Name, Type: e.Type, Samples: e.Cells[:min(len(e.Cells), 5)],
	})
	return nil
}

func (e AddColumn) content() []sqlite.Write {
	declared, cells := storage(e.Type, e.Cells)
	return []sqlite.Write{sqlite.AddColumn{Table: e.Table, Name: e.Name, Type: declared, Cells: cells}}
}
