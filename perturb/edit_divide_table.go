package perturb

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DivideTable moves columns that are part of no key to a new table, the last of the schema, with a
// row for each row of the old one (EvoSchema, split tables). The new table has the primary key of the
// old one, to which it refers. Gold SQL joins the two where it reads both.
type DivideTable struct {
	EditDefaults
	Table    string   `json:"table"`   // SQL name
	Key      string   `json:"key"`     // SQL name of the primary key, a single column, in both tables
	Columns  []string `json:"columns"` // SQL names of those that move, in order
	NewTable string   `json:"new_table"`
	Natural  string   `json:"natural"` // of the new table
}

// Touches returns the table that the edit divides.
func (e DivideTable) Touches() (table, column string) { return e.Table, "" }

// names maps the moved columns to their place in the new table.
func (e DivideTable) names(n *Names) {
	for _, column := range e.Columns {
		n.move(e.Table, column, e.NewTable, column)
	}
}

// schema appends the new table with its keys and marks the columns that move as removed. It returns an error if the key is not
// the primary key, if a column must stay ([schemaChange.removable]) or if a name is ill-formed or taken.
func (e DivideTable) schema(s *schemaChange) error {
	fail := func(err error) error { return fmt.Errorf("division of %s: %w", e.Table, err) }
	if err := errors.Join(checkIdent(e.NewTable), checkNatural(e.Natural)); err != nil {
		return fail(err)
	}
	key, ok := s.before.Lookup(e.Table, e.Key)
	isOther := func(ref dataset.ColumnRef) bool { return ref.Table == key.Table && ref != key }
	isPrimaryKey := ok && slices.Contains(s.before.PrimaryKeys, key) && !slices.ContainsFunc(s.before.PrimaryKeys, isOther)
	switch {
	case !isPrimaryKey, s.changed(key):
		return fail(fmt.Errorf("%s is not its primary key", e.Key))
	case s.before.Table(e.NewTable) >= 0, s.after.Table(e.NewTable) >= 0:
		return fail(fmt.Errorf("there is a table %s already", e.NewTable))
	case len(e.Columns) == 0:
		return fail(errors.New("no column moves, expected some"))
	}
	table := dataset.Table{Name: e.Natural, Original: e.NewTable, Columns: []dataset.Column{*s.before.Column(key)}}
	for _, column := range e.Columns {
		ref, err := s.removable(e.Table, column)
		if err != nil {
			return fmt.Errorf("%w, expected one that can be moved to a table of its own", err)
		}
		moved := *s.after.Column(ref)
		moved.Base = "" // a base is a column of the same table
		table.Columns = append(table.Columns, moved)
		s.after.Column(ref).Original = removed
	}
	newKey := dataset.ColumnRef{Table: len(s.after.Tables)} // column 0
	s.after.Tables = append(s.after.Tables, table)
	s.after.PrimaryKeys = append(s.after.PrimaryKeys, newKey)
	s.after.ForeignKeys = append(s.after.ForeignKeys, dataset.ForeignKey{Column: newKey, Target: key})
	return nil
}

// content checks that no value of the key is repeated or NULL, makes the new table and drops the moved columns of the old one.
func (e DivideTable) content(*sqlast.Dialect) []sqldata.Write {
	table, key := sqldata.QuoteName(e.Table), sqldata.QuoteName(e.Key)
	columns := lists.Map(append([]string{e.Key}, e.Columns...), func(name string) sqldata.Column { return sqldata.Column{Name: name} })
	writes := []sqldata.Write{
		sqldata.None{
			Query: fmt.Sprintf("SELECT 1 FROM %s GROUP BY %s HAVING count(*) > 1 OR %[2]s IS NULL", table, key),
			Why:   "rows of " + e.Table + " share their " + e.Key,
		},
		sqldata.CreateTable{From: e.Table, Table: sqldata.Table{
			Name: e.NewTable, Columns: columns, PrimaryKey: []string{e.Key},
			ForeignKeys: []sqldata.ForeignKey{{Columns: []string{e.Key}, Table: e.Table, References: []string{e.Key}}},
		}},
	}
	for _, column := range e.Columns {
		writes = append(writes, sqldata.DropColumn{Table: e.Table, Column: column})
	}
	return writes
}

// gold makes gold SQL read the columns in the new table.
func (e DivideTable) gold(g *goldChange) {
	places := map[sqlast.BaseColumn]sqlast.Place{}
	for _, column := range e.Columns {
		places[sqlast.BaseColumn{Table: e.Table, Column: column}.Key()] = sqlast.Place{Table: e.NewTable, Value: columnRef(g.dialect, column)}
	}
	g.reshape(sqlast.Reshaping{Places: places, Parts: []sqlast.TablePart{{Table: e.Table, Part: e.NewTable, Key: e.Key}}})
}
