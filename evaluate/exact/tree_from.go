package exact

import (
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// maxNumberings bounds the ways of numbering the tables of one FROM: those of a table that
// is there four times.
const maxNumberings = 24

// A from is FROM with the conditions of its joins and of WHERE.
type from struct {
	sources []sqlast.Source
	bases   []string // the form of each source, without its alias
	outer   bool     // there is an outer join, so all joins stay as they are written
	items   []*sqlast.FromItem
	classes []*class      // of columns that conditions equate
	conds   []sqlast.Expr // of inner joins and WHERE, except those that equate columns
}

// from returns the normal form of FROM and WHERE of a SELECT. It moves the conditions of inner joins to
// WHERE, and puts columns of two entries that a condition equates into a class.
func (f *former) from(s *sqlast.Select) *from {
	r := &from{}
	r.addItems(f, s.From)
	// A nested query is formed again for each numbering of the query around it, so drop its old classes.
	maps.DeleteFunc(f.classes, func(k columnKey, _ *class) bool { return slices.Contains(r.sources, k.source) })
	if r.outer {
		r.conds = sqlast.Conjuncts(s.Where)
		return r
	}
	var all []sqlast.Expr
	for _, item := range r.items {
		all = append(all, sqlast.Conjuncts(item.On)...)
		for _, c := range f.b.JoinColumns(item) {
			r.equate(f, f.columnKey(f.resolveColumn(c.Left)), f.columnKey(f.resolveColumn(c.Right)))
		}
	}
	for _, x := range append(all, sqlast.Conjuncts(s.Where)...) {
		left, right, ok := f.equatedColumns(r, x)
		if ok {
			r.equate(f, left, right)
		} else {
			r.conds = append(r.conds, x)
		}
	}
	return r
}

// addItems adds the entries of FROM, and one by one those in parentheses.
func (r *from) addItems(f *former, items []*sqlast.FromItem) {
	for _, item := range items {
		r.outer = r.outer || item.Op.Outer()
		r.items = append(r.items, item)
		if g, ok := item.Source.(*sqlast.Group); ok {
			r.addItems(f, g.From)
			continue
		}
		r.sources = append(r.sources, item.Source)
		r.bases = append(r.bases, f.baseForm(item.Source))
	}
}

// baseForm returns the form of an entry of FROM, without its alias: the name of a table or of a function with its
// arguments, the form of a table of WITH, or the hash of a query. Names and stored forms go through f.checkSize, which
// stops a form that grows too long; the other forms were checked when they were made.
func (f *former) baseForm(src sqlast.Source) string {
	switch src := src.(type) {
	case *sqlast.Derived:
		return f.digest(f.nestedForm(src.Query, false)) // false: repeated rows count
	case *sqlast.Table:
		if t := f.b.BaseTable(src); t != "" {
			return f.checkSize(strings.ToLower(t))
		}
		if src.Call {
			return f.join(strings.ToLower(src.Name.Name), "(", f.exprList(src.Args), ")")
		}
		if c := f.cte(src); c != nil {
			return f.checkSize(f.ctes[c])
		}
		return f.checkSize("recursive " + strings.ToLower(src.Name.Name)) // WITH RECURSIVE reads the table that it defines
	}
	return ""
}

// equatedColumns returns the columns of two entries of FROM that a condition equates; ok is false
// for other conditions.
func (f *former) equatedColumns(r *from, x sqlast.Expr) (left, right columnKey, ok bool) {
	eq := sqlast.Equation(x)
	if eq == nil {
		return left, right, false
	}
	sides := [2]columnKey{}
	for i, side := range []sqlast.Expr{eq.X, eq.Y} {
		ref, isColumn := side.(*sqlast.ColumnRef)
		if !isColumn {
			return left, right, false
		}
		t, inlined := f.resolveRef(ref)
		if inlined == nil { // else the name means an expression, and the source stays nil
			sides[i] = f.columnKey(t)
		}
		if !slices.Contains(r.sources, sides[i].source) {
			return left, right, false
		}
	}
	return sides[0], sides[1], sides[0].source != sides[1].source
}

// columnKey returns the column of a target; its source is nil if the target is no column.
func (f *former) columnKey(t sqlast.Target) columnKey {
	switch t.Kind {
	case sqlast.Column:
		return columnKey{t.Source, strings.ToLower(t.Column)}
	case sqlast.RowID:
		return columnKey{t.Source, "rowid"}
	case sqlast.Output:
		if place, ok := f.outputs[t.Result]; ok && t.Result != nil { // its place in the select list of the query, see nameOutputs
			if _, isStar := t.Result.Expr.(*sqlast.Star); isStar {
				place += " " + strings.ToLower(t.Name)
			}
			return columnKey{t.Source, place}
		}
		return columnKey{t.Source, strings.ToLower(t.Name)}
	}
	return columnKey{}
}

// equate merges the classes of two columns, because a condition says that they are equal.
func (r *from) equate(f *former, left, right columnKey) {
	a, b := f.classOf(r, left), f.classOf(r, right)
	if a == b {
		return
	}
	a.members = append(a.members, b.members...)
	for _, m := range b.members {
		f.classes[m] = a
	}
	r.classes = slices.DeleteFunc(r.classes, func(c *class) bool { return c == b })
}

// classOf returns the class of the columns that conditions equate with a column, a new one if it has none yet.
func (f *former) classOf(r *from, key columnKey) *class {
	c := f.classes[key]
	if c == nil {
		c = &class{members: []columnKey{key}}
		f.classes[key] = c
		r.classes = append(r.classes, c)
	}
	return c
}

// text returns the form of FROM: the sorted tables and classes of equal columns ("a.id=b.id"), or the joins as they are
// written if one is an outer join.
func (r *from) text(f *former) string {
	if r.outer {
		return r.joins(f)
	}
	tables := lists.Map(r.sources, func(src sqlast.Source) string { return f.names[src].text })
	slices.Sort(tables)
	classes := lists.Map(r.classes, func(c *class) string {
		members := lists.Map(c.members, func(m columnKey) string { return f.names[m.source].text + "." + m.column })
		slices.Sort(members)
		return strings.Join(members, "=")
	})
	slices.Sort(classes)
	return f.join(f.list(tables), " ON ", f.list(classes))
}

// joins returns the form of the joins in their order.
func (r *from) joins(f *former) string {
	var b strings.Builder
	for _, item := range r.items {
		b.WriteString(string(item.Op))
		if item.Natural {
			b.WriteString(" NATURAL")
		}
		if _, ok := item.Source.(*sqlast.Group); ok {
			b.WriteString(" GROUP")
		}
		b.WriteString(" " + f.names[item.Source].text + " ON " + f.conjunction(sqlast.Conjuncts(item.On)).text(f))
		for _, c := range f.b.JoinColumns(item) {
			b.WriteString(" " + strings.ToLower(c.Name))
		}
	}
	return f.checkSize(b.String())
}

// numberings returns the ways of numbering the entries of FROM, by their forms. Entries with
// a form of their own get 0; equal ones get 1, 2, … in every order:
//
//	singer, song, singer → [1 0 2], [2 0 1]
//
// If there are more than maxNumberings ways, it returns only the one as written.
func numberings(bases []string) [][]int {
	written := make([]int, len(bases)) // the numbering in source order
	positions := map[string][]int{}    // by form
	for i, b := range bases {
		positions[b] = append(positions[b], i)
	}
	var groups [][]int // the positions of each form that is there several times
	ways := 1
	for i, b := range bases {
		if places := positions[b]; len(places) > 1 && places[0] == i {
			groups = append(groups, places)
			for n, place := range places {
				written[place] = n + 1
				ways = min(ways*(n+1), maxNumberings+1)
			}
		}
	}
	if ways > maxNumberings {
		return [][]int{written}
	}
	all := [][]int{written}
	for _, places := range groups {
		var next [][]int
		for _, numbers := range all {
			for _, order := range combin.Permutations(len(places), len(places)) {
				way := slices.Clone(numbers)
				for i, place := range places {
					way[place] = order[i] + 1
				}
				next = append(next, way)
			}
		}
		all = next
	}
	return all
}
