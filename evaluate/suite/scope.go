package suite

import (
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// role is where a query stands.
type role int

const (
	value  role = iota // at the top, in FROM, as a value
	member             // of IN: a set of rows
	exists             // of EXISTS: only whether there are rows
)

// scope is one SELECT of a query, with the columns that its expressions can name.
type scope struct {
	query   *sqlast.Query
	sel     *sqlast.Select
	role    role
	columns []scopeColumn
	bare    map[string]int   // how many columns have a folded name
	equal   []*sqlast.Binary // the equalities of columns that hold for every row
}

// scopeColumn is a column that a source in FROM brings.
type scopeColumn struct {
	source sqlast.Source
	table  sqlast.Ident // the name by which the source is known; zero without
	name   string
}

func (s *scope) first() bool { return s.query.Select == s.sel }

// roots returns the parts of the tree whose expressions belong to the scope.
func (s *scope) roots() []sqlast.Node {
	roots := []sqlast.Node{s.sel}
	if s.first() {
		for _, t := range s.query.OrderBy {
			roots = append(roots, t)
		}
		if s.query.Limit != nil {
			roots = append(roots, s.query.Limit)
		}
	}
	return roots
}

// conditions returns those by which rows are chosen.
func (s *scope) conditions() []sqlast.Expr {
	var list []sqlast.Expr
	for _, item := range s.sel.From {
		if item.On != nil {
			list = append(list, item.On)
		}
	}
	if s.sel.Where != nil {
		list = append(list, s.sel.Where)
	}
	return list
}

// scopes returns all scopes of the query, in source order.
func (e *editor) scopes() []*scope {
	var list []*scope
	roles := map[*sqlast.Query]role{}
	sqlast.Inspect(e.query, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.In:
			roles[n.Query] = member
		case *sqlast.Exists:
			roles[n.Query] = exists
		case *sqlast.Query:
			list = append(list, e.newScope(n, n.Select, roles[n]))
			for _, c := range n.Compound {
				list = append(list, e.newScope(n, c.Select, roles[n]))
			}
		}
		return true
	})
	return list
}

func (e *editor) newScope(q *sqlast.Query, sel *sqlast.Select, r role) *scope {
	s := &scope{query: q, sel: sel, role: r, bare: map[string]int{}}
	inner := true
	var from func(items []*sqlast.FromItem)
	from = func(items []*sqlast.FromItem) {
		for _, item := range items {
			switch item.Op {
			case sqlast.LeftJoin, sqlast.RightJoin, sqlast.FullJoin:
				inner = false
			}
			if g, ok := item.Source.(*sqlast.Group); ok && g.Alias.IsZero() {
				from(g.From)
			} else {
				e.addSource(s, item.Source)
			}
			s.hold(e, item.On)
		}
	}
	from(sel.From)
	s.hold(e, sel.Where)
	if !inner {
		s.equal = nil
	}
	return s
}

func (e *editor) addSource(s *scope, src sqlast.Source) {
	add := func(table sqlast.Ident, name string) {
		s.columns = append(s.columns, scopeColumn{src, table, name})
		s.bare[strings.ToLower(name)]++
	}
	switch src := src.(type) {
	case *sqlast.Table:
		base := e.binding.BaseTable(src)
		names, _ := e.catalog.Columns(base)
		known := src.Alias
		if known.IsZero() {
			known = src.Name
		}
		for _, name := range names {
			add(known, name)
		}
	case *sqlast.Derived:
		for _, out := range e.binding.Outputs(src.Query) {
			add(src.Alias, out.Name)
		}
	}
}

// hold notes the equalities of two columns that a condition asserts.
func (s *scope) hold(e *editor, cond sqlast.Expr) {
	b, ok := cond.(*sqlast.Binary)
	if !ok {
		return
	}
	switch b.Op {
	case "AND":
		s.hold(e, b.X)
		s.hold(e, b.Y)
	case "=":
		x, y := e.typeOf(b.X), e.typeOf(b.Y)
		if x != "" && x == y {
			s.equal = append(s.equal, b)
		}
	}
}

// typeOf returns the declared type of an expression that is a base column, else
// "".
func (e *editor) typeOf(x sqlast.Expr) string {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return ""
	}
	t := e.binding.Target(ref)
	if t.Kind != sqlast.Column {
		return ""
	}
	return e.catalog.Type(t.Table, t.Column)
}

// cell names a column of a source.
type cell struct {
	source sqlast.Source
	column string // folded
}

func (e *editor) cellOf(ref *sqlast.ColumnRef) cell {
	t := e.binding.Target(ref)
	return cell{t.Source, strings.ToLower(t.Name)}
}

// classes join cells that are equal in every row: each leads to another one of its
// class, but for the one that stands for all.
type classes map[cell]cell

// of returns the cell that stands for the class of x.
func (c classes) of(x cell) cell {
	for {
		next, ok := c[x]
		if !ok {
			return x
		}
		x = next
	}
}

// equivalent tells whether equalities of the scope, others than the one that ref
// stands in, prove that ref may name the cell with instead.
func (s *scope) equivalent(e *editor, ref *sqlast.ColumnRef, with cell) bool {
	known := classes{}
	for _, eq := range s.equal {
		x, y := eq.X.(*sqlast.ColumnRef), eq.Y.(*sqlast.ColumnRef)
		if x == ref || y == ref {
			continue
		}
		if a, b := known.of(e.cellOf(x)), known.of(e.cellOf(y)); a != b {
			known[a] = b
		}
	}
	return known.of(e.cellOf(ref)) == known.of(with)
}
