package sqlast

import "slices"

// Binding is what the names of one query resolve to. It is read-only.
type Binding struct {
	// Problems lists the names that stand for nothing or for too much, in the
	// order in which they were met.
	Problems []*Problem

	query   *Query
	catalog Catalog
	refs    map[*ColumnRef]Target
	tables  map[*Table]string
	stars   map[*Star][]Target
	joins   map[*FromItem][]JoinColumn
	outputs map[*Query][]Target
}

// BaseColumn names a column of a base table.
type BaseColumn struct{ Table, Column string }

// Key returns c with both names folded, for use as a map key.
func (c BaseColumn) Key() BaseColumn { return BaseColumn{fold(c.Table), fold(c.Column)} }

// Target returns what n resolves to, Unknown if n is no part of the query.
func (b *Binding) Target(n *ColumnRef) Target { return b.refs[n] }

// BaseTable returns the base table that n names, or "" if n names a CTE, a
// table-valued function or nothing.
func (b *Binding) BaseTable(n *Table) string { return b.tables[n] }

// Star returns the columns that n expands to, in order.
func (b *Binding) Star(n *Star) []Target { return b.stars[n] }

// JoinColumns returns the columns by which n joins with USING or NATURAL.
func (b *Binding) JoinColumns(n *FromItem) []JoinColumn { return b.joins[n] }

// Outputs returns the result columns of the query or of one nested in it:
// their names, and the base columns that they pass on. Their Kind is Output.
func (b *Binding) Outputs(n *Query) []Target { return b.outputs[n] }

// Columns returns the base columns that the query mentions, each once, in the
// order of first mention. A star mentions none; see [Binding.Stars].
func (b *Binding) Columns() []BaseColumn {
	var list []BaseColumn
	seen := map[BaseColumn]bool{}
	add := func(t Target) {
		c := BaseColumn{t.Table, t.Column}
		if c.Column == "" || t.Kind == Alias || seen[c] { // what an alias stands for is mentioned in the select list
			return
		}
		seen[c] = true
		list = append(list, c)
	}
	Inspect(b.query, func(n Node) bool {
		switch n := n.(type) {
		case *ColumnRef:
			add(b.refs[n])
		case *FromItem:
			for _, j := range b.joins[n] {
				add(j.Left)
				add(j.Right)
			}
		}
		return true
	})
	return list
}

// Tables returns the base tables that the query mentions, each once, in the
// order of first mention.
func (b *Binding) Tables() []string {
	var list []string
	seen := map[string]bool{"": true}
	for t := range All[*Table](b.query) {
		if base := b.tables[t]; !seen[base] {
			seen[base] = true
			list = append(list, base)
		}
	}
	return list
}

// Stars returns the stars of the query in source order. That of count(*) is
// none: it stands for no columns.
func (b *Binding) Stars() []*Star { return slices.Collect(All[*Star](b.query)) }
