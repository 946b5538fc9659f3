package perturb

import (
	"context"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// IsKey tells whether a column is part of a primary or foreign key of the schema.
func IsKey(db *dataset.Database, ref dataset.ColumnRef) bool {
	return slices.Contains(db.PrimaryKeys, ref) || slices.ContainsFunc(db.ForeignKeys, func(k dataset.ForeignKey) bool {
		return slices.Contains([]dataset.ColumnRef{k.Column, k.Target}, ref)
	})
}

// Keys returns the columns that the file declares as part of a primary or foreign
// key. Schemas have fewer: Spider's name the first column of a primary key only.
func (c *Content) Keys(ctx context.Context) (map[dataset.ColumnRef]bool, error) {
	tables, err := c.db.Schema(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.schema.ID, err)
	}
	keys := map[dataset.ColumnRef]bool{}
	add := func(table string, columns []string) {
		for _, column := range columns {
			if ref, ok := c.schema.Lookup(table, column); ok {
				keys[ref] = true
			}
		}
	}
	for _, t := range tables {
		add(t.Name, t.PrimaryKey)
		for _, k := range t.ForeignKeys {
			add(t.Name, k.Columns)
			add(k.Table, k.References)
		}
	}
	return keys, nil
}
