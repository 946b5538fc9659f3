package perturb

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// ShuffleTables gives the tables of a schema another order (MT-TEQL, section 3.2); an SQLite
// file has none.
type ShuffleTables struct {
	EditDefaults
	Order []string `json:"order"` // SQL names of all tables
}

// gold adapts gold SQL to the restructured schema; its names stay.
func (ShuffleTables) gold(g *goldChange) { g.setWay(restructured) }

// schema records the order of the tables as positions, which [schemaChange.settle] applies. It
// returns an error unless Order names each table once.
func (e ShuffleTables) schema(s *schemaChange) error {
	if s.tables = permutation(e.Order, len(s.before.Tables), s.before.Table); s.tables == nil {
		return fmt.Errorf("order %q, expected the %d tables of the database, each once", e.Order, len(s.before.Tables))
	}
	return nil
}

// DropTable removes a table with its keys and those to it.
type DropTable struct {
	EditDefaults
	Table string `json:"table"` // SQL name
}

// Touches returns the dropped table and no column.
func (e DropTable) Touches() (table, column string) { return e.Table, "" }

// schema marks the table as removed. It returns an error if the table is missing, renamed or removed by another edit, or the only one.
func (e DropTable) schema(s *schemaChange) error {
	t := s.before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to drop", e.Table)
	}
	isLeft := func(t dataset.Table) bool { return t.Original != removed }
	switch {
	case s.after.Tables[t].Original != s.before.Tables[t].Original:
		return fmt.Errorf("table %s is edited twice", e.Table)
	case lists.Count(s.after.Tables, isLeft) < 2:
		return fmt.Errorf("table %s is the only one of its database", e.Table)
	}
	s.after.Tables[t].Original = removed
	return nil
}

// content drops the table in the SQLite file.
func (e DropTable) content(*sqlast.Dialect) []sqldata.Write {
	return []sqldata.Write{sqldata.DropTable{Table: e.Table}}
}

// gold adapts gold SQL to the restructured schema and records that the table goes.
func (e DropTable) gold(g *goldChange) {
	g.setWay(restructured)
	g.dropped = append(g.dropped, sqlast.BaseColumn{Table: e.Table})
}

// SplitTable moves a column that is part of no key to a new table of two columns, the last of
// the schema, and links the two (MT-TEQL, section 3.2, normalization): the column Key, which
// comes at the end of the old table, refers to that of the new one, its primary key. The new
// table has each value of the column once.
type SplitTable struct {
	EditDefaults
	Table      string `json:"table"`  // SQL name
	Column     string `json:"column"` // SQL name; the same in the new table
	NewTable   string `json:"new_table"`
	Natural    string `json:"natural"` // of the new table
	Key        string `json:"key"`     // SQL name of the linking column, in both tables
	KeyNatural string `json:"key_natural"`
}

// Touches returns the column that the edit moves to a table of its own.
func (e SplitTable) Touches() (table, column string) { return e.Table, e.Column }

// names maps the moved column to its place in the new table.
func (e SplitTable) names(n *Names) { n.move(e.Table, e.Column, e.NewTable, e.Column) }

// schema appends the new table with its primary key and the column, appends the linking column to
// the old table, and marks the old column as removed. It returns an error if that column must stay
// ([schemaChange.removable]) or if a name is ill-formed or taken.
func (e SplitTable) schema(s *schemaChange) error {
	ref, err := s.removable(e.Table, e.Column)
	if err != nil {
		return fmt.Errorf("%w, expected one that can be moved to a table of its own", err)
	}
	for _, err := range []error{checkIdent(e.NewTable), checkNatural(e.Natural), checkIdent(e.Key), checkNatural(e.KeyNatural)} {
		if err != nil {
			return fmt.Errorf("split of %s.%s: %w", e.Table, e.Column, err)
		}
	}
	switch {
	case s.before.Table(e.NewTable) >= 0, s.after.Table(e.NewTable) >= 0:
		return fmt.Errorf("there is a table %s already", e.NewTable)
	case s.columnEverTaken(ref.Table, e.Key):
		return fmt.Errorf("table %s has a column %s already", e.Table, e.Key)
	}
	key, column := dataset.Column{Name: e.KeyNatural, Original: e.Key, Type: dataset.Number}, *s.after.Column(ref)
	column.Base = "" // a base is a column of the same table
	link := dataset.ColumnRef{Table: ref.Table, Column: len(s.after.Tables[ref.Table].Columns)}
	primaryKey := dataset.ColumnRef{Table: len(s.after.Tables)} // column 0 of the new table
	s.after.Tables[ref.Table].Columns = append(s.after.Tables[ref.Table].Columns, key)
	s.after.Tables = append(s.after.Tables, dataset.Table{Name: e.Natural, Original: e.NewTable, Columns: []dataset.Column{key, column}})
	s.after.PrimaryKeys = append(s.after.PrimaryKeys, primaryKey)
	s.after.ForeignKeys = append(s.after.ForeignKeys, dataset.ForeignKey{Column: link, Target: primaryKey})
	s.after.Column(ref).Original = removed
	return nil
}

// content moves the column to the new table in the SQLite file.
func (e SplitTable) content(*sqlast.Dialect) []sqldata.Write {
	return []sqldata.Write{sqldata.SplitColumn{Table: e.Table, Column: e.Column, Into: e.NewTable, Key: e.Key}}
}

// gold adapts gold SQL to the new table and records that the column loses its place.
func (e SplitTable) gold(g *goldChange) {
	g.setWay(restructured)
	g.tableNames = append(g.tableNames, e.NewTable)
	g.detach(e.Table, e.Column)
}
