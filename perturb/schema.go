package perturb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// removed replaces the name of a table or column that an edit takes away, until
// [schemaChange.settle]. No schema has that name.
const removed = "\x00removed"

// schemaChange is a schema while edits are made in it. Tables and columns of after have their
// positions of before, with added ones at the end, until settle.
type schemaChange struct {
	before, after *dataset.Database
	tables        []int         // positions of tables in their new order; nil for the old order
	columns       map[int][]int // the same of columns, by the position of their table
	// renamed has the tables, with noColumn, and columns that edits renamed, in their order.
	renamed []dataset.ColumnRef
}

// noColumn is the position of the column in a reference to a table.
const noColumn = -1

// checkNames returns an error if a renamed table or column has the name of another one. It is called once
// all edits are made, so that names can be swapped.
func (s *schemaChange) checkNames() error {
	for _, ref := range slices.Backward(s.renamed) {
		t := s.after.Tables[ref.Table]
		if ref.Column == noColumn {
			if lists.Count(s.after.Tables, func(other dataset.Table) bool { return strings.EqualFold(other.Original, t.Original) }) > 1 {
				return fmt.Errorf("there is a table %s already", t.Original)
			}
			continue
		}
		name := t.Columns[ref.Column].Original
		if lists.Count(t.Columns, func(c dataset.Column) bool { return strings.EqualFold(c.Original, name) }) > 1 {
			return fmt.Errorf("table %s has a column %s already", s.before.Tables[ref.Table].Original, name)
		}
	}
	return nil
}

// changed reports whether an edit renamed or removed the column at ref.
func (s *schemaChange) changed(ref dataset.ColumnRef) bool {
	return s.after.Column(ref).Original != s.before.Column(ref).Original
}

// removable returns the position of a column that may be removed: it is part of no key, nothing
// that stays is derived from it, and no other edit changes it.
func (s *schemaChange) removable(table, column string) (dataset.ColumnRef, error) {
	ref, ok := s.before.Lookup(table, column)
	switch {
	case !ok:
		return ref, fmt.Errorf("there is no column %s.%s", table, column)
	case s.changed(ref):
		return ref, fmt.Errorf("column %s.%s is edited twice", table, column)
	case IsKey(s.before, ref):
		return ref, fmt.Errorf("column %s.%s is part of a key", table, column)
	}
	for _, d := range Derived(s.before, ref) {
		if s.after.Column(d).Original != removed {
			return ref, fmt.Errorf("column %s is derived from %s", s.before.ColumnID(d), s.before.Column(ref).Original)
		}
	}
	return ref, nil
}

// columnTaken reports whether a table has a column of that name after the edits made so far.
func (s *schemaChange) columnTaken(table int, name string) bool {
	return hasColumn(s.after.Tables[table], name)
}

// columnEverTaken reports whether a table has a column of that name, before any edit or after those
// made so far.
func (s *schemaChange) columnEverTaken(table int, name string) bool {
	return s.columnTaken(table, name) || hasColumn(s.before.Tables[table], name)
}

// hasColumn reports whether a table has a column of that SQL name, in any case.
func hasColumn(t dataset.Table, name string) bool {
	return slices.ContainsFunc(t.Columns, func(c dataset.Column) bool { return strings.EqualFold(c.Original, name) })
}

// permutation returns the positions of names, or nil unless they are 0 to n-1, each once.
func permutation(names []string, n int, position func(string) int) []int {
	if len(names) != n {
		return nil
	}
	order, seen := []int{}, make([]bool, n)
	for _, name := range names {
		i := position(name)
		if i < 0 || seen[i] {
			return nil
		}
		seen[i] = true
		order = append(order, i)
	}
	return order
}

// settle puts the tables and columns of after in their final places once all edits are made: it
// shuffles them, takes out removed ones, and updates keys. Added ones stay behind the others.
func (s *schemaChange) settle() {
	after := s.after
	order := lists.Numbers(len(after.Tables))
	copy(order, s.tables) // the order of a shuffle, nil for none; it lacks added tables, which keep their positions
	moved := map[dataset.ColumnRef]dataset.ColumnRef{}
	var tables []dataset.Table
	for _, t := range order {
		table := after.Tables[t]
		if table.Original == removed {
			continue
		}
		columns := lists.Numbers(len(table.Columns))
		copy(columns, s.columns[t])
		var settled []dataset.Column
		for _, c := range columns {
			if table.Columns[c].Original != removed {
				moved[dataset.ColumnRef{Table: t, Column: c}] = dataset.ColumnRef{Table: len(tables), Column: len(settled)}
				settled = append(settled, table.Columns[c])
			}
		}
		table.Columns = settled
		tables = append(tables, table)
	}
	after.Tables = tables
	moveKeys(after, moved)
}

// moveKeys replaces the columns of keys by their new places and drops the keys of removed
// columns. moved has the new place of every column that is left.
func moveKeys(db *dataset.Database, moved map[dataset.ColumnRef]dataset.ColumnRef) {
	isRemoved := func(ref dataset.ColumnRef) bool { _, ok := moved[ref]; return !ok }
	db.PrimaryKeys = slices.DeleteFunc(db.PrimaryKeys, isRemoved)
	for i, ref := range db.PrimaryKeys {
		db.PrimaryKeys[i] = moved[ref]
	}
	db.ForeignKeys = slices.DeleteFunc(db.ForeignKeys, func(k dataset.ForeignKey) bool { return isRemoved(k.Column) || isRemoved(k.Target) })
	for i, k := range db.ForeignKeys {
		db.ForeignKeys[i] = dataset.ForeignKey{Column: moved[k.Column], Target: moved[k.Target]}
	}
}
