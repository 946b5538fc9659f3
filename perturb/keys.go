package perturb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

// IsKey reports whether a column is part of a primary or foreign key of the schema.
func IsKey(db *dataset.Database, ref dataset.ColumnRef) bool {
	return slices.Contains(db.PrimaryKeys, ref) || slices.ContainsFunc(db.ForeignKeys, func(k dataset.ForeignKey) bool {
		return slices.Contains([]dataset.ColumnRef{k.Column, k.Target}, ref)
	})
}

// IsForeignKey reports whether a column refers to another one.
func IsForeignKey(db *dataset.Database, ref dataset.ColumnRef) bool {
	return slices.ContainsFunc(db.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Column == ref })
}

// Fixed returns the columns that must stay in the file: those that it declares as part of a
// primary or foreign key, and those that SQLite does not drop. A schema may list fewer keys:
// Spider's names the first column of a primary key only.
func (c *Content) Fixed(ctx context.Context) (map[dataset.ColumnRef]bool, error) {
	tables, err := c.db.Schema(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.schema.ID, err)
	}
	fixed := map[dataset.ColumnRef]bool{}
	// add adds the columns of the schema with these SQL names.
	add := func(table string, columns ...string) {
		for _, column := range columns {
			if ref, ok := c.schema.Lookup(table, column); ok {
				fixed[ref] = true
			}
		}
	}
	for _, t := range tables {
		add(t.Name, t.PrimaryKey...)
		for _, k := range t.ForeignKeys {
			add(t.Name, k.Columns...)
			add(k.Table, k.References...)
		}
	}
	kept, err := c.db.Fixed(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.schema.ID, err)
	}
	for _, d := range kept {
		add(d.Table, d.Column)
	}
	return fixed, nil
}

// PrimaryKey returns the columns that the file declares as the primary key of a table, nil without a key or table. Spider's schemas
// name the first of them only.
func (c *Content) PrimaryKey(ctx context.Context, table string) ([]string, error) {
	tables, err := c.db.Schema(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.schema.ID, err)
	}
	for _, t := range tables {
		if strings.EqualFold(t.Name, table) {
			return t.PrimaryKey, nil
		}
	}
	return nil, nil
}

// Tied returns the columns that a foreign key links to the one at ref, in either direction, and that have its natural name.
func Tied(db *dataset.Database, ref dataset.ColumnRef) (tied []dataset.ColumnRef) {
	for _, k := range db.ForeignKeys {
		for _, pair := range [][2]dataset.ColumnRef{{k.Column, k.Target}, {k.Target, k.Column}} {
			if pair[0] == ref && strings.EqualFold(db.Column(pair[0]).Name, db.Column(pair[1]).Name) {
				tied = append(tied, pair[1])
			}
		}
	}
	return tied
}

// HasSibling reports whether a table has a sibling of the column at the index, see [AreSiblings].
func HasSibling(table dataset.Table, column int) bool {
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return AreSiblings(c.Name, table.Columns[column].Name) })
}

// AreSiblings reports whether two names of columns have the same last word and differ in just one of the words before it: "arrival
// airport" and "departure airport".
func AreSiblings(a, b string) bool {
	words, others := lexicon.Words(a), lexicon.Words(b)
	return len(words) > 1 && len(others) > 1 && words[len(words)-1] == others[len(others)-1] && DifferInOneWord(a, b)
}

// DifferInOneWord reports whether two names have the same number of words and differ at one position.
func DifferInOneWord(a, b string) bool {
	words, others := lexicon.Words(a), lexicon.Words(b)
	if len(words) != len(others) {
		return false
	}
	differing := 0
	for i := range words {
		if words[i] != others[i] {
			differing++
		}
	}
	return differing == 1
}
