package sqlast

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Renaming maps tables and columns to new names. Old names may be in any case.
type Renaming struct {
	Tables  map[string]string
	Columns map[BaseColumn]string // by the old name of the table
	// After is the schema after the renaming where columns or tables come or go besides; nil if they do not.
	After Catalog
}

// Rename returns q for a schema in which tables and columns have new names; b
// is the binding of q to the old schema. If a derived table passes a renamed column
// on without an alias, the query around it uses the new name. A join by USING becomes
// one by ON if its two columns get different names. Names that would become ambiguous or refer to something else are qualified as
// [Qualify] does, which also adapts the query to columns that come or go. The error is a [*RefusalError].
//
// The result columns of the query take new names with the columns they show.
func Rename(q *Query, b *Binding, r Renaming) (*Query, error) {
	after, err := newRenamed(b, r)
	if err != nil {
		return nil, err
	}
	changed := cmp.Or[Catalog](r.After, after)
	e := newEdit(q, b, changed, after.newTarget)
	Inspect(q, func(n Node) bool {
		switch n := n.(type) {
		case *ColumnRef:
			oldTarget, c := b.refs[n], e.copies[n].(*ColumnRef)
			if newTarget := after.newTarget(oldTarget); newTarget.Name != oldTarget.Name {
				c.Column = e.d.NewIdent(newTarget.Name)
			}
			after.requalify(&c.Table, oldTarget.Source, b)
		case *Star:
			if columns := b.stars[n]; len(columns) > 0 {
				after.requalify(&e.copies[n].(*Star).Table, columns[0].Source, b)
			}
		case *Table:
			if old := b.tables[n]; after.newTable(old) != old {
				e.copies[n].(*Table).Name = e.d.NewIdent(after.newTable(old))
			}
		case *FromItem:
			after.renameUsing(e.copies[n].(*FromItem), b.joins[n])
		}
		return true
	})
	return e.settle()
}

// renamedCatalog is a catalog under new names.
type renamedCatalog struct {
	d       *Dialect
	base    Catalog               // under the old names
	tables  map[string]string     // folded old name to new
	old     map[string]string     // folded new name to old
	shared  map[string]bool       // folded new names that several tables would have
	columns map[BaseColumn]string // folded old names to new
}

// newRenamed returns the catalog of b under new names. It checks the tables
// that the query uses for names that clash.
func newRenamed(b *Binding, r Renaming) (*renamedCatalog, error) {
	c := &renamedCatalog{b.query.SQL(), b.catalog, map[string]string{}, map[string]string{}, map[string]bool{}, map[BaseColumn]string{}}
	for old, name := range r.Tables {
		if other, assigned := c.old[fold(name)]; assigned && !equalFold(other, old) { // two tables get the name
			c.shared[fold(name)] = true
		}
		c.tables[fold(old)] = name
		c.old[fold(name)] = old
	}
	for old, name := range r.Columns {
		c.columns[old.Key()] = name
	}
	if r.After != nil { // a new name may be that of a table or column which After lacks
		return c, nil
	}
	for _, old := range b.Tables() {
		name := c.newTable(old)
		if c.clashes(old, name) {
			return nil, refuse(Pos{}, "two tables would be named %s", name)
		}
		columns, _ := c.Columns(name)
		seen := map[string]bool{}
		for _, column := range columns {
			if seen[fold(column)] {
				return nil, refuse(Pos{}, "two columns of table %s would be named %s", old, column)
			}
			seen[fold(column)] = true
		}
	}
	return c, nil
}

// clashes reports whether another table has the new name of the table old, or gets it.
func (c *renamedCatalog) clashes(old, name string) bool {
	other, assigned := c.old[fold(name)]
	if isGiven := assigned && !equalFold(other, old); isGiven || c.shared[fold(name)] {
		return true
	}
	_, exists := c.base.Columns(name)
	return exists && c.newTable(name) == name && !equalFold(name, old) // another table keeps it
}

// newTable returns the new name of a table, which is the old one if it is not renamed.
func (c *renamedCatalog) newTable(old string) string {
	return cmp.Or(c.tables[fold(old)], old)
}

// newColumn returns the new name of a column, given by old names.
func (c *renamedCatalog) newColumn(table, old string) string {
	return cmp.Or(c.columns[BaseColumn{table, old}.Key()], old)
}

// Columns returns the new column names of a table given by its new name; false if no table has the name.
func (c *renamedCatalog) Columns(name string) ([]string, bool) {
	old, ok := c.old[fold(name)]
	if !ok {
		if old = name; !equalFold(c.newTable(old), old) { // a name that a table had before
			return nil, false
		}
	}
	columns, ok := c.base.Columns(old)
	if !ok {
		return nil, false
	}
	list := lists.Map(columns, func(column string) string { return c.newColumn(old, column) })
	return list, true
}

// newTarget returns a target under the new names. Its visible name changes only where it is the column's own, not an alias.
func (c *renamedCatalog) newTarget(t Target) Target {
	if t.Table == "" {
		return t
	}
	if t.Column != "" {
		column := c.newColumn(t.Table, t.Column)
		if t.hasBaseName {
			t.Name = column
		}
		t.Column = column
	}
	t.Table = c.newTable(t.Table)
	return t
}

// requalify changes the qualifier of a column, if it is the old name of the table that is the
// source, to the new name; an alias stays.
func (c *renamedCatalog) requalify(qualifier *Ident, source Source, b *Binding) {
	t, ok := source.(*Table)
	switch {
	case !ok, qualifier.IsZero(), !t.Alias.IsZero(), b.tables[t] == "":
		return
	}
	if old := b.tables[t]; c.newTable(old) != old {
		*qualifier = c.d.NewIdent(c.newTable(old))
	}
}

// renameUsing changes the columns of USING to their new names, where both sides get the same one. If
// they get two names, [edit.fixJoins] makes the join one by ON.
func (c *renamedCatalog) renameUsing(f *FromItem, joins []JoinColumn) {
	if len(joins) != len(f.Using) {
		return
	}
	f.Using = slices.Clone(f.Using) // the original has the same list
	for i, j := range joins {
		l, r := c.newTarget(j.Left).Name, c.newTarget(j.Right).Name
		if equalFold(l, r) && l != j.Left.Name {
			f.Using[i] = c.d.NewIdent(l)
		}
	}
}
