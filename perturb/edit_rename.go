package perturb

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// RenameColumn gives a column another name; its cells stay. The column loses the heading of its
// source, and columns derived from it get the new name as their base.
type RenameColumn struct {
	EditDefaults
	Table   string            `json:"table"`  // SQL name
	Column  string            `json:"column"` // SQL name before the edit
	Name    string            `json:"name"`   // SQL name after the edit
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"` // the candidate that was chosen, without its cells
}

// CarriesLinks returns true: [Names] suffice to follow schema links through the edit.
func (RenameColumn) CarriesLinks() bool { return true }

// candidate returns the candidate whose name the edit gives.
func (e RenameColumn) candidate() dataset.Candidate { return e.From }

// Touches returns the renamed column.
func (e RenameColumn) Touches() (table, column string) { return e.Table, e.Column }

// validate returns an error if a name or text that the edit gives cannot be used.
func (e RenameColumn) validate() error {
	return errors.Join(CheckName(e.Name), checkNatural(e.Natural))
}

// names maps the column to its new name.
func (e RenameColumn) names(n *Names) { n.renameColumn(e.Table, e.Column, e.Name) }

// schema renames the column, also as the base of derived columns. It returns an error if the column
// is missing or renamed twice; [schemaChange.checkNames] checks that the name is free.
func (e RenameColumn) schema(s *schemaChange) error {
	ref, ok := s.before.Lookup(e.Table, e.Column)
	if !ok {
		return fmt.Errorf("no column %s.%s to rename", e.Table, e.Column)
	}
	if s.changed(ref) {
		return fmt.Errorf("column %s.%s is renamed twice", e.Table, e.Column)
	}
	s.renamed = append(s.renamed, ref)
	c := s.after.Column(ref)
	c.Original, c.Name, c.Header = e.Name, e.Natural, "" // a renamed column has no header of its source
	for i, d := range s.before.Tables[ref.Table].Columns {
		if strings.EqualFold(d.Base, e.Column) {
			s.after.Tables[ref.Table].Columns[i].Base = e.Name
		}
	}
	return nil
}

// content renames the column in the SQLite file.
func (e RenameColumn) content(*sqlast.Dialect) []sqldata.Write {
	return []sqldata.Write{sqldata.RenameColumn{Table: e.Table, Column: e.Column, Name: e.Name}}
}

// gold renames the column in gold SQL.
func (e RenameColumn) gold(g *goldChange) { g.renameColumn(e.Table, e.Column, e.Name) }

// follow renames a derived column BASE_SUFFIX to NAME_SUFFIX.
func (e RenameColumn) follow(d derivedColumn) Edit {
	if d.suffix == "" {
		return nil
	}
	return RenameColumn{Table: d.table, Column: d.column.Original, Name: e.Name + "_" + d.suffix, Natural: d.natural(e.Natural), From: e.From}
}

// RenameTable gives a table another name; its rows stay. The other edits of a variant name the
// table as before.
type RenameTable struct {
	EditDefaults
	Table   string            `json:"table"` // SQL name before the edit
	Name    string            `json:"name"`  // SQL name after the edit
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"`
}

// CarriesLinks returns true: [Names] suffice to follow schema links through the edit.
func (RenameTable) CarriesLinks() bool { return true }

// candidate returns the candidate whose name the edit gives.
func (e RenameTable) candidate() dataset.Candidate { return e.From }

// Touches returns the renamed table and no column.
func (e RenameTable) Touches() (table, column string) { return e.Table, "" }

// validate returns an error if a name or text that the edit gives cannot be used.
func (e RenameTable) validate() error {
	return errors.Join(CheckTableName(e.Name), checkNatural(e.Natural))
}

// names maps the table to its new name.
func (e RenameTable) names(n *Names) { n.renameTable(e.Table, e.Name) }

// schema renames the table. It returns an error if the table is missing or renamed twice;
// [schemaChange.checkNames] checks that the name is free.
func (e RenameTable) schema(s *schemaChange) error {
	t := s.before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to rename", e.Table)
	}
	if s.after.Tables[t].Original != s.before.Tables[t].Original {
		return fmt.Errorf("table %s is renamed twice", e.Table)
	}
	s.renamed = append(s.renamed, dataset.ColumnRef{Table: t, Column: noColumn})
	s.after.Tables[t].Original, s.after.Tables[t].Name = e.Name, e.Natural
	return nil
}

// content renames the table in the SQLite file.
func (e RenameTable) content(*sqlast.Dialect) []sqldata.Write {
	return []sqldata.Write{sqldata.RenameTable{Table: e.Table, Name: e.Name}}
}

// gold renames the table in gold SQL.
func (e RenameTable) gold(g *goldChange) { g.renameTable(e.Table, e.Name) }

// Relabel gives a table or a column another natural name, the one that models read. SQL names
// and gold SQL stay.
type Relabel struct {
	EditDefaults
	Table   string            `json:"table"`            // SQL name
	Column  string            `json:"column,omitempty"` // SQL name; empty for the table itself
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"`
}

// CarriesLinks returns true: [Names] suffice to follow schema links through the edit.
func (Relabel) CarriesLinks() bool { return true }

// candidate returns the candidate whose name the edit gives.
func (e Relabel) candidate() dataset.Candidate { return e.From }

// Touches returns the column, or the table alone, whose natural name the edit changes.
func (e Relabel) Touches() (table, column string) { return e.Table, e.Column }

// validate returns an error if a name or text that the edit gives cannot be used.
func (e Relabel) validate() error { return checkNatural(e.Natural) }

// schema sets the natural name of the table or column, and returns an error if it is missing.
func (e Relabel) schema(s *schemaChange) error {
	if e.Column == "" {
		t := s.before.Table(e.Table)
		if t < 0 {
			return fmt.Errorf("no table %s to relabel", e.Table)
		}
		s.after.Tables[t].Name = e.Natural
		return nil
	}
	ref, ok := s.before.Lookup(e.Table, e.Column)
	if !ok {
		return fmt.Errorf("no column %s.%s to relabel", e.Table, e.Column)
	}
	c := s.after.Column(ref)
	c.Name, c.Header = e.Natural, "" // a renamed column has no header of its source
	return nil
}

// follow relabels a derived column if its SQL name is BASE_SUFFIX.
func (e Relabel) follow(d derivedColumn) Edit {
	if d.suffix == "" {
		return nil
	}
	return Relabel{Table: d.table, Column: d.column.Original, Natural: d.natural(e.Natural), From: e.From}
}
