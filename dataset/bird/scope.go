package bird

import (
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// scopeWalk finds the tables to which the columns of a query belong where the schema is
// not known yet.
type scopeWalk struct {
	in    *inference
	guess bool // what is not sure goes to the first table
	ctes  map[string]bool
}

// scope is what names within one SELECT may stand for.
type scope struct {
	parent  *scope
	sources []entry
	named   map[string]bool // aliases of the select list
}

// entry is an entry of FROM.
type entry struct {
	name   string // folded: what qualifies its columns
	table  int    // -1 for a derived table
	passes map[string]bool
	open   bool // a derived table whose columns are not all known
}

// query walks a query with its WITH and its set operations; outer is the scope around it.
func (w *scopeWalk) query(q *sqlast.Query, outer *scope) {
	if w.ctes == nil {
		w.ctes = map[string]bool{}
	}
	if q.With != nil {
		for _, c := range q.With.Tables {
			w.ctes[strings.ToLower(c.Name.Name)] = true
		}
		for _, c := range q.With.Tables {
			w.query(c.Query, outer)
		}
	}
	s := w.selectCore(q.Select, outer)
	for _, c := range q.Compound {
		w.selectCore(c.Select, outer)
	}
	for _, t := range q.OrderBy {
		w.names(t, s)
	}
}

// selectCore walks one SELECT and returns its scope.
func (w *scopeWalk) selectCore(n *sqlast.Select, outer *scope) *scope {
	s := &scope{parent: outer, named: map[string]bool{}}
	w.from(n.From, s)
	for _, c := range n.Columns {
		if !c.Alias.IsZero() {
			s.named[strings.ToLower(c.Alias.Name)] = true
		}
	}
	w.names(n, s)
	return s
}

// from adds the sources of FROM to a scope.
func (w *scopeWalk) from(items []*sqlast.FromItem, s *scope) {
	for _, f := range items {
		switch src := f.Source.(type) {
		case *sqlast.Table:
			name := src.Name.Name
			e := entry{name: strings.ToLower(name), table: -1, open: true}
			if !w.ctes[e.name] && !src.Call {
				e.table, e.open = w.in.table(name), false
			}
			if !src.Alias.IsZero() {
				e.name = strings.ToLower(src.Alias.Name)
			}
			s.sources = append(s.sources, e)
		case *sqlast.Derived:
			w.query(src.Query, s.parent)
			s.sources = append(s.sources, derived(src))
		case *sqlast.Group:
			w.from(src.From, s)
		}
	}
}

// derived returns a query in FROM as a source: its columns are its aliases and the
// names of the columns that it selects.
func derived(n *sqlast.Derived) entry {
	s := entry{name: strings.ToLower(n.Alias.Name), table: -1, passes: map[string]bool{}}
	for _, c := range n.Query.Select.Columns {
		switch x := c.Expr.(type) {
		case *sqlast.Star:
			s.open = true
		case *sqlast.ColumnRef:
			s.passes[strings.ToLower(x.Column.Name)] = c.Alias.IsZero()
		}
		if !c.Alias.IsZero() {
			s.passes[strings.ToLower(c.Alias.Name)] = true
		}
	}
	return s
}

// names gives the columns below a node their tables. Queries in FROM are done.
func (w *scopeWalk) names(n sqlast.Node, s *scope) {
	sqlast.Inspect(n, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Derived:
			return false
		case *sqlast.Query:
			w.query(n, s)
			return false
		case *sqlast.ColumnRef:
			w.name(n, s)
		case *sqlast.FromItem:
			for _, u := range n.Using {
				for _, src := range s.sources {
					w.in.column(src.table, u.Name)
				}
			}
		}
		return true
	})
}

// all goes over the sources of a scope, then those of the scopes around it.
func (s *scope) all(yield func(entry) bool) {
	for ; s != nil; s = s.parent {
		for _, src := range s.sources {
			if !yield(src) {
				return
			}
		}
	}
}

// name adds the column that a name stands for to its table.
func (w *scopeWalk) name(n *sqlast.ColumnRef, s *scope) {
	name := n.Column.Name
	switch {
	case !n.Table.IsZero():
		for src := range s.all {
			if src.name == strings.ToLower(n.Table.Name) {
				w.in.column(src.table, name)
				return
			}
		}
	case n.Column.Quote == '"', w.known(name, s):
	case w.guess:
		for src := range s.all {
			if src.table >= 0 {
				w.in.column(src.table, name)
				return
			}
		}
	case len(s.sources) == 1 && (s.parent == nil || n.Column.Quote != 0):
		w.in.column(s.sources[0].table, name)
	}
}

// known reports whether a name without a table is resolved already.
func (w *scopeWalk) known(name string, s *scope) bool {
	key := strings.ToLower(name)
	for ; s != nil; s = s.parent {
		if s.named[key] {
			return true
		}
		for _, src := range s.sources {
			isColumn := src.table >= 0 && w.in.has(src.table, name)
			if isColumn || src.passes[key] || src.open {
				return true
			}
		}
	}
	return false
}
