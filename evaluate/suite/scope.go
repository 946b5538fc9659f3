package suite

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/disjoint"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// role is the use of a query within the whole.
type role int

const (
	value  role = iota // outermost, in FROM, or a value: all of its answer counts
	member             // of IN: the set of its rows counts
	exists             // of EXISTS: only whether it has rows counts
)

// scope is one SELECT of a query, with the columns that its expressions can name.
type scope struct {
	query      *sqlast.Query
	sel        *sqlast.Select
	role       role
	columns    []scopeColumn
	nameCounts map[string]int   // how many columns have a folded name
	equal      []*sqlast.Binary // equalities of two columns that hold for every row
}

// scopeColumn is a column of a source in FROM.
type scopeColumn struct {
	source sqlast.Source
	table  sqlast.Ident // alias or name of the source; zero without one
	name   string
}

// isFirst reports whether the scope is the first SELECT of its query, not one that a set operation adds.
func (s *scope) isFirst() bool { return s.query.Select == s.sel }

// nodes returns the nodes of the tree that hold the expressions of the scope: its SELECT and, if this is the first of its
// query, ORDER BY and LIMIT.
func (s *scope) nodes() []sqlast.Node {
	nodes := []sqlast.Node{s.sel}
	if s.isFirst() {
		for _, t := range s.query.OrderBy {
			nodes = append(nodes, t)
		}
		if s.query.Limit != nil {
			nodes = append(nodes, s.query.Limit)
		}
	}
	return nodes
}

// conditions returns the conditions that choose rows: ON and WHERE.
func (s *scope) conditions() []sqlast.Expr {
	conds := append(lists.Map(s.sel.From, func(item *sqlast.FromItem) sqlast.Expr { return item.On }), s.sel.Where)
	return lists.Filter(conds, func(x sqlast.Expr) bool { return x != nil })
}

// scopes returns all scopes of the query, in source order.
func (e *editor) scopes() []*scope {
	var list []*scope
	roles := map[*sqlast.Query]role{}
	for n := range sqlast.All[sqlast.Node](e.query) {
		switch n := n.(type) {
		case *sqlast.In: // comes before its query
			roles[n.Query] = member
		case *sqlast.Exists:
			roles[n.Query] = exists
		case *sqlast.Query:
			list = append(list, e.newScope(n, n.Select, roles[n]))
			for _, c := range n.Compound {
				list = append(list, e.newScope(n, c.Select, roles[n]))
			}
		}
	}
	return list
}

// newScope returns the scope of a SELECT with its columns and equalities.
func (e *editor) newScope(q *sqlast.Query, sel *sqlast.Select, r role) *scope {
	s := &scope{query: q, sel: sel, role: r, nameCounts: map[string]int{}}
	hasOuterJoin := e.addFrom(s, sel.From)
	s.addEqualities(e, sel.Where)
	if hasOuterJoin {
		s.equal = nil // an outer join adds rows of NULL, which need not satisfy them
	}
	return s
}

// addFrom adds the sources of FROM with the equalities of their joins. It reports whether one
// of the joins is an outer join.
func (e *editor) addFrom(s *scope, items []*sqlast.FromItem) (hasOuterJoin bool) {
	for _, item := range items {
		hasOuterJoin = hasOuterJoin || item.Op.Outer()
		if g, ok := item.Source.(*sqlast.Group); ok && g.Alias.IsZero() {
			hasOuterJoin = e.addFrom(s, g.From) || hasOuterJoin
		} else {
			e.addSource(s, item.Source)
		}
		s.addEqualities(e, item.On)
	}
	return hasOuterJoin
}

// addSource adds the columns of a table or a query in FROM.
func (e *editor) addSource(s *scope, src sqlast.Source) {
	add := func(table sqlast.Ident, name string) {
		s.columns = append(s.columns, scopeColumn{src, table, name})
		s.nameCounts[strings.ToLower(name)]++
	}
	switch src := src.(type) {
	case *sqlast.Table:
		base := e.binding.BaseTable(src)
		names, _ := e.catalog.Columns(base) // none for a table of WITH
		qualifier := src.Alias
		if qualifier.IsZero() {
			qualifier = src.Name
		}
		for _, name := range names {
			add(qualifier, name)
		}
	case *sqlast.Derived:
		for _, out := range e.binding.Outputs(src.Query) {
			add(src.Alias, out.Name)
		}
	}
}

// addEqualities adds the equalities of two columns of the same declared type that a condition implies.
func (s *scope) addEqualities(e *editor, cond sqlast.Expr) {
	for _, x := range sqlast.Conjuncts(cond) {
		eq := sqlast.Equation(x)
		if eq == nil {
			continue
		}
		if typ := e.typeOf(eq.X); typ != "" && typ == e.typeOf(eq.Y) {
			s.equal = append(s.equal, eq)
		}
	}
}

// typeOf returns the declared type of the column of a table that an expression names; "" for others.
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

// sourceColumn identifies a column of a source.
type sourceColumn struct {
	source sqlast.Source
	column string // in lower case
}

// sourceColumn returns the column that a name resolves to.
func (e *editor) sourceColumn(ref *sqlast.ColumnRef) sourceColumn {
	t := e.binding.Target(ref)
	return sourceColumn{t.Source, strings.ToLower(t.Name)}
}

// equivalent reports whether the equalities of the scope prove that ref equals another column in every
// row. An equality that contains ref itself does not count, because the neighbour changes it.
func (s *scope) equivalent(e *editor, ref *sqlast.ColumnRef, other sourceColumn) bool {
	equal := disjoint.Sets[sourceColumn]{}
	for _, eq := range s.equal {
		x, y := eq.X.(*sqlast.ColumnRef), eq.Y.(*sqlast.ColumnRef)
		if x != ref && y != ref {
			equal.Join(e.sourceColumn(x), e.sourceColumn(y))
		}
	}
	return equal.Find(e.sourceColumn(ref)) == equal.Find(other)
}
