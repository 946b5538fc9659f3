package bird

import (
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// columnWalk adds the tables and columns of a query to an inferred schema. It resolves names itself,
// because the schema is not complete yet.
type columnWalk struct {
	inference *inference
	guess     bool            // add a column of an uncertain table to the first table of its SELECT
	ctes      map[string]bool // folded names of the tables of WITH
}

// scope has the names that are visible within one SELECT.
type scope struct {
	parent  *scope
	sources []fromSource
	aliases map[string]bool // of the select list, folded
}

// fromSource is a source of FROM.
type fromSource struct {
	name           string          // folded: qualifies its columns
	table          int             // index in the schema; -1 for a derived table
	columns        map[string]bool // folded names of the columns of a derived table
	unknownColumns bool            // a derived table that may have other columns
}

// query walks a query with its WITH clause and set operations; outer is the enclosing scope,
// which may be nil.
func (w *columnWalk) query(q *sqlast.Query, outer *scope) {
	if w.ctes == nil {
		w.ctes = map[string]bool{}
	}
	if q.With != nil {
		for _, c := range q.With.Tables { // all names first, for the queries may use any of them
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
	for _, t := range q.OrderBy { // its names are those of the first SELECT
		w.nodeColumns(t, s)
	}
}

// selectCore walks one SELECT and returns its scope.
func (w *columnWalk) selectCore(n *sqlast.Select, outer *scope) *scope {
	s := &scope{parent: outer, aliases: map[string]bool{}}
	w.from(n.From, s)
	for _, c := range n.Columns {
		if !c.Alias.IsZero() {
			s.aliases[strings.ToLower(c.Alias.Name)] = true
		}
	}
	w.nodeColumns(n, s)
	return s
}

// from adds the sources of FROM to a scope, and their tables to the schema.
func (w *columnWalk) from(items []*sqlast.FromItem, s *scope) {
	for _, f := range items {
		switch src := f.Source.(type) {
		case *sqlast.Table:
			name := src.Name.Name
			added := fromSource{name: strings.ToLower(name), table: -1, unknownColumns: true} // of a CTE or a table function
			if !w.ctes[added.name] && !src.Call {
				added.table, added.unknownColumns = w.inference.addTable(name), false
			}
			if !src.Alias.IsZero() {
				added.name = strings.ToLower(src.Alias.Name)
			}
			s.sources = append(s.sources, added)
		case *sqlast.Derived:
			w.query(src.Query, s.parent)
			s.sources = append(s.sources, derivedSource(src))
		case *sqlast.Group:
			w.from(src.From, s)
		}
	}
}

// derivedSource returns a query in FROM as a source. Its columns are its aliases and the columns
// that it selects by name.
func derivedSource(n *sqlast.Derived) fromSource {
	s := fromSource{name: strings.ToLower(n.Alias.Name), table: -1, columns: map[string]bool{}}
	for _, c := range n.Query.Select.Columns {
		switch x := c.Expr.(type) {
		case *sqlast.Star:
			s.unknownColumns = true
		case *sqlast.ColumnRef:
			s.columns[strings.ToLower(x.Column.Name)] = c.Alias.IsZero() // an alias hides the name
		}
		if !c.Alias.IsZero() {
			s.columns[strings.ToLower(c.Alias.Name)] = true
		}
	}
	return s
}

// nodeColumns adds the columns that are named below a node. It leaves out derived tables, which
// are walked already.
func (w *columnWalk) nodeColumns(n sqlast.Node, s *scope) {
	sqlast.Inspect(n, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Derived:
			return false
		case *sqlast.Query:
			w.query(n, s)
			return false
		case *sqlast.ColumnRef:
			w.addReference(n, s)
		case *sqlast.FromItem: // each table of a join has the columns of USING
			for _, u := range n.Using {
				for _, src := range s.sources {
					w.inference.addColumn(src.table, u.Name)
				}
			}
		}
		return true
	})
}

// sourcesOutwards iterates over the sources of a scope, then over those of the enclosing scopes.
func (s *scope) sourcesOutwards(yield func(fromSource) bool) {
	for ; s != nil; s = s.parent {
		for _, src := range s.sources {
			if !yield(src) {
				return
			}
		}
	}
}

// addReference adds the column that a name refers to if its table is certain: the name is qualified by it, or the SELECT
// reads only one table and is not nested. A name in backquotes or brackets may be nested too. If w.guess is set, any
// name that is not qualified gets the first table of its SELECT, or of those around it.
func (w *columnWalk) addReference(n *sqlast.ColumnRef, s *scope) {
	name := n.Column.Name
	switch {
	case !n.Table.IsZero():
		for src := range s.sourcesOutwards {
			if src.name == strings.ToLower(n.Table.Name) {
				w.inference.addColumn(src.table, name) // adds nothing to a derived table
				return
			}
		}
	case n.Column.Quote == '"', w.isKnown(name, s):
		// SQLite takes a name in double quotes for a string if there is no such column.
	case w.guess:
		for src := range s.sourcesOutwards {
			if src.table >= 0 {
				w.inference.addColumn(src.table, name)
				return
			}
		}
	case len(s.sources) == 1 && (s.parent == nil || n.Column.Quote != 0):
		w.inference.addColumn(s.sources[0].table, name)
	}
}

// isKnown reports whether an unqualified name is an alias of the select list or a known column of a scope or those around
// it, or may be a column of a source whose columns are unknown.
func (w *columnWalk) isKnown(name string, s *scope) bool {
	key := strings.ToLower(name)
	for ; s != nil; s = s.parent {
		if s.aliases[key] {
			return true
		}
		for _, src := range s.sources {
			isColumn := src.table >= 0 && w.inference.hasColumn(src.table, name) // table is -1 for a derived table
			if isColumn || src.columns[key] || src.unknownColumns {
				return true
			}
		}
	}
	return false
}
