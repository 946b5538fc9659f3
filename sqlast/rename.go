package sqlast

import (
	"cmp"
	"slices"
)

// Renaming maps tables and columns to new names. Old names may be in any case.
type Renaming struct {
	Tables  map[string]string
	Columns map[BaseColumn]string // by the old name of the table
}

// Rename returns q for a schema in which tables and columns have new names; b
// is the binding of q to the old schema. References from outside follow where a
// derived table passes a renamed column on under its own name, and USING gives
// way to ON where its two columns part. Names that would become ambiguous or
// captured are kept apart as [Qualify] does. The error is a [*RefusalError].
//
// The result columns of the query take new names with the columns they show.
func Rename(q *Query, b *Binding, r Renaming) (*Query, error) {
	after, err := newRenamed(b, r)
	if err != nil {
		return nil, err
	}
	e := newEdit(q, b, after, after.target)
	Inspect(q, func(n Node) bool {
		switch n := n.(type) {
		case *ColumnRef:
			was, c := b.refs[n], e.copies[n].(*ColumnRef)
			if now := after.target(was); now.Name != was.Name {
				c.Column = NewIdent(now.Name)
			}
			after.requalify(&c.Table, was.Source, b)
		case *Star:
			if columns := b.stars[n]; len(columns) > 0 {
				after.requalify(&e.copies[n].(*Star).Table, columns[0].Source, b)
			}
		case *Table:
			if old := b.tables[n]; after.table(old) != old {
				e.copies[n].(*Table).Name = NewIdent(after.table(old))
			}
		case *FromItem:
			after.using(e.copies[n].(*FromItem), b.joins[n])
		}
		return true
	})
	return e.settle()
}

// renamed is a catalog under new names.
type renamed struct {
	base    Catalog
	tables  map[string]string     // folded old name to new
	old     map[string]string     // folded new name to old
	shared  map[string]bool       // folded new names that several tables would have
	columns map[BaseColumn]string // folded old names to new
}

// newRenamed returns the catalog of b under new names. It checks the tables
// that the query uses for names that clash.
func newRenamed(b *Binding, r Renaming) (*renamed, error) {
	c := &renamed{b.catalog, map[string]string{}, map[string]string{}, map[string]bool{}, map[BaseColumn]string{}}
	for old, name := range r.Tables {
		if other, taken := c.old[fold(name)]; taken && !equalFold(other, old) {
			c.shared[fold(name)] = true
		}
		c.tables[fold(old)] = name
		c.old[fold(name)] = old
	}
	for old, name := range r.Columns {
		c.columns[old.Key()] = name
	}
	for _, old := range b.Tables() {
		name := c.table(old)
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

// clashes reports whether another table has, or gets, the new name of a table.
func (c *renamed) clashes(old, name string) bool {
	other, given := c.old[fold(name)]
	_, taken := c.base.Columns(name)
	stays := taken && c.table(name) == name
	switch {
	case c.shared[fold(name)], given && !equalFold(other, old), stays && !equalFold(name, old):
		return true
	}
	return false
}

func (c *renamed) table(old string) string {
	return cmp.Or(c.tables[fold(old)], old)
}

func (c *renamed) column(table, old string) string {
	return cmp.Or(c.columns[BaseColumn{table, old}.Key()], old)
}

// Columns returns the new column names of a table given by its new name.
func (c *renamed) Columns(name string) ([]string, bool) {
	old, ok := c.old[fold(name)]
	if !ok {
		if old = name; !equalFold(c.table(old), old) {
			return nil, false
		}
	}
	columns, ok := c.base.Columns(old)
	if !ok {
		return nil, false
	}
	list := make([]string, len(columns))
	for i, column := range columns {
		list[i] = c.column(old, column)
	}
	return list, true
}

// target returns what t becomes.
func (c *renamed) target(t Target) Target {
	if t.Table == "" {
		return t
	}
	if t.Column != "" {
		column := c.column(t.Table, t.Column)
		if t.inherited {
			t.Name = column
		}
		t.Column = column
	}
	t.Table = c.table(t.Table)
	return t
}

// requalify gives a qualifier the new name of its table, unless it is an alias.
func (c *renamed) requalify(qualifier *Ident, source Source, b *Binding) {
	t, ok := source.(*Table)
	switch {
	case !ok, qualifier.IsZero(), !t.Alias.IsZero(), b.tables[t] == "":
		return
	}
	if old := b.tables[t]; c.table(old) != old {
		*qualifier = NewIdent(c.table(old))
	}
}

// using gives the columns of USING new names, where both sides have the same.
func (c *renamed) using(f *FromItem, joins []JoinColumn) {
	if len(joins) != len(f.Using) {
		return
	}
	f.Using = slices.Clone(f.Using) // the original has the same list
	for i, j := range joins {
		l, r := c.target(j.Left).Name, c.target(j.Right).Name
		if equalFold(l, r) && l != j.Left.Name {
			f.Using[i] = NewIdent(l)
		}
	}
}
