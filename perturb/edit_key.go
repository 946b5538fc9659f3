package perturb

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// DropPrimaryKey hides the primary key of a table (MT-TEQL, section 3.2, opaque key) in the
// schema that models read. The SQLite file still declares it; no answer depends on that.
type DropPrimaryKey struct {
	EditDefaults
	Table string `json:"table"` // SQL name
}

// gold adapts gold SQL to the restructured schema; its names stay.
func (DropPrimaryKey) gold(g *goldChange) { g.setWay(restructured) }

// schema removes the columns of the table from the primary keys. It returns an error if there are none.
func (e DropPrimaryKey) schema(s *schemaChange) error {
	t := s.before.Table(e.Table)
	hides := func(ref dataset.ColumnRef) bool { return ref.Table == t }
	if !slices.ContainsFunc(s.after.PrimaryKeys, hides) {
		return fmt.Errorf("there is no primary key of a table %s to hide", e.Table)
	}
	s.after.PrimaryKeys = slices.DeleteFunc(s.after.PrimaryKeys, hides)
	return nil
}

// DropForeignKey hides a foreign key, as [DropPrimaryKey] does.
type DropForeignKey struct {
	EditDefaults
	Table     string `json:"table"`  // SQL name
	Column    string `json:"column"` // SQL name
	Reference string `json:"reference"`
	Target    string `json:"target"`
}

// gold adapts gold SQL to the restructured schema; its names stay.
func (DropForeignKey) gold(g *goldChange) { g.setWay(restructured) }

// schema removes the foreign key, and returns an error if the schema has no such key.
func (e DropForeignKey) schema(s *schemaChange) error {
	key, err := foreignKey(s.before, s.after.ForeignKeys, e.Table, e.Column, e.Reference, e.Target)
	if err != nil {
		return fmt.Errorf("%w to hide", err)
	}
	s.after.ForeignKeys = slices.DeleteFunc(s.after.ForeignKeys, func(k dataset.ForeignKey) bool { return k == key })
	return nil
}

// foreignKey returns the foreign key from column table.column to reference.target, SQL names of db. It returns an error if a
// column is missing or keys lacks the key.
func foreignKey(db *dataset.Database, keys []dataset.ForeignKey, table, column, reference, target string) (dataset.ForeignKey, error) {
	from, ok := db.Lookup(table, column)
	to, ok2 := db.Lookup(reference, target)
	key := dataset.ForeignKey{Column: from, Target: to}
	if !ok || !ok2 || !slices.Contains(keys, key) {
		return key, fmt.Errorf("there is no foreign key from %s.%s to %s.%s", table, column, reference, target)
	}
	return key, nil
}
