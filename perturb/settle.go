package perturb

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// dropped stands in the place of the name of a table or column that gave way,
// until [settle]: edits find both by their positions before. No schema has it.
const dropped = "\x00dropped"

func (e ShuffleColumns) schema(before, _ *dataset.Database) error {
	t := before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to shuffle the columns of", e.Table)
	}
	if e.positions(before) == nil {
		return fmt.Errorf("order %q, expected the %d columns of table %s, each once", e.Order, len(before.Tables[t].Columns), e.Table)
	}
	return nil
}

// positions returns the columns before in their order after, or nil where the
// order is not one of them all.
func (e ShuffleColumns) positions(before *dataset.Database) []int {
	t := before.Table(e.Table)
	return permutation(e.Order, len(before.Tables[t].Columns), func(name string) int {
		ref, ok := before.Lookup(e.Table, name)
		if !ok {
			return -1
		}
		return ref.Column
	})
}

func (e ShuffleTables) schema(before, _ *dataset.Database) error {
	if e.positions(before) == nil {
		return fmt.Errorf("order %q, expected the %d tables of the database, each once", e.Order, len(before.Tables))
	}
	return nil
}

func (e ShuffleTables) positions(before *dataset.Database) []int {
	return permutation(e.Order, len(before.Tables), before.Table)
}

// permutation returns the positions of names, or nil where they are not all
// below n, each once.
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

// settle puts the tables and columns of after in their final places once all
// edits are made: it shuffles them, removes those that gave way, and makes keys
// follow their columns, or go with them. What was added stays behind the rest.
func settle(before *dataset.Database, edits []Edit, after *dataset.Database) {
	order := identity(len(after.Tables))
	columns := make([][]int, len(after.Tables))
	for t := range columns {
		columns[t] = identity(len(after.Tables[t].Columns))
	}
	for _, e := range edits {
		switch e := e.(type) {
		case ShuffleTables:
			copy(order, e.positions(before))
		case ShuffleColumns:
			copy(columns[before.Table(e.Table)], e.positions(before))
		}
	}
	moved := map[dataset.ColumnRef]dataset.ColumnRef{}
	var tables []dataset.Table
	for _, t := range order {
		table := after.Tables[t]
		if table.Original == dropped {
			continue
		}
		var kept []dataset.Column
		for _, c := range columns[t] {
			if table.Columns[c].Original != dropped {
				moved[dataset.ColumnRef{Table: t, Column: c}] = dataset.ColumnRef{Table: len(tables), Column: len(kept)}
				kept = append(kept, table.Columns[c])
			}
		}
		if len(kept) < len(table.Columns) || !slices.IsSorted(columns[t]) {
			table.Columns = kept
		}
		tables = append(tables, table)
	}
	after.Tables = tables
	moveKeys(after, moved)
}

// moveKeys makes keys follow their columns; those of columns that went go.
func moveKeys(db *dataset.Database, moved map[dataset.ColumnRef]dataset.ColumnRef) {
	var gone []int
	for i, ref := range db.PrimaryKeys {
		to, ok := moved[ref]
		if db.PrimaryKeys[i] = to; !ok {
			gone = append(gone, i)
		}
	}
	for _, i := range slices.Backward(gone) {
		db.PrimaryKeys = slices.Delete(db.PrimaryKeys, i, i+1)
	}
	gone = nil
	for i, k := range db.ForeignKeys {
		column, ok := moved[k.Column]
		target, ok2 := moved[k.Target]
		if db.ForeignKeys[i] = (dataset.ForeignKey{Column: column, Target: target}); !ok || !ok2 {
			gone = append(gone, i)
		}
	}
	for _, i := range slices.Backward(gone) {
		db.ForeignKeys = slices.Delete(db.ForeignKeys, i, i+1)
	}
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}
