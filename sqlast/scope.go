package sqlast

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// A scope is what the names in one SELECT can stand for. Lookups go on to the
// parent, the enclosing SELECT.
type scope struct {
	parent      *scope // nil for the scope around the whole query
	ctes        *ctes
	sources     []*source
	columns     []*ResultColumn // the select list
	seesAliases bool            // names may be its aliases: not in the list itself
	outputs     []Target        // the columns of the result
}

// A source is an entry of FROM with its columns.
type source struct {
	node        Source
	name        string // by which columns may be qualified; "" for none
	columns     []Target
	base        string          // base table, "" for none
	openColumns bool            // its columns are not known
	merged      map[string]bool // folded names of columns that USING or NATURAL merged into those of an earlier source
}

// ctes are the tables of one WITH.
type ctes struct {
	parent *ctes
	list   []*cte
}

// cte is a table of WITH.
type cte struct {
	node    *CTE
	scope   *scope   // of the names in its query
	begun   bool     // its columns are known, or being resolved
	columns []Target // nil until its first SELECT is resolved
}

// isNamed reports whether an identifier means a name.
func (r *resolver) isNamed(id Ident, name string) bool { return r.d.sameName(r.d.NameOf(id), name) }

// cte returns the table with a name of a WITH that encloses s, or nil.
func (r *resolver) cte(name Ident, s *scope) *cte {
	for c := s.ctes; c != nil; c = c.parent {
		for _, t := range c.list {
			if r.isNamed(t.node.Name, r.d.NameOf(name)) {
				return t
			}
		}
	}
	return nil
}

// column returns the first column of a source with a name.
func (src *source) column(d *Dialect, name string) (Target, bool) {
	for _, t := range src.columns {
		if d.sameName(t.Name, name) {
			t.Source = src.node
			return t, true
		}
	}
	return Target{}, false
}

// alias returns the target of the first entry of the select list that has the name: as its alias or, in PostgreSQL,
// without one as the name of its column or function.
func (r *resolver) alias(name string, s *scope) (Target, bool) {
	for _, c := range s.columns {
		_, isStar := c.Expr.(*Star)
		switch {
		case !isStar && !c.Alias.IsZero():
			if r.isNamed(c.Alias, name) {
				return Target{Kind: Alias, Name: r.d.NameOf(c.Alias), Result: c}, true
			}
		case r.d.scopes.namedCalls:
			if t, ok := r.ownName(name, c); ok {
				return t, true
			}
		}
	}
	return Target{}, false
}

// ownName returns the target of an entry of the select list without an alias if its column or function, or a column of its
// star, has the name.
func (r *resolver) ownName(name string, c *ResultColumn) (Target, bool) {
	switch x := c.Expr.(type) {
	case *Star:
		i := slices.IndexFunc(r.b.stars[x], func(t Target) bool { return t.Name == name })
		if i < 0 {
			return Target{}, false
		}
		return r.b.stars[x][i], true
	case *ColumnRef:
		if t := r.b.refs[x]; t.Name == name {
			return t, true
		}
	}
	return Target{Kind: Alias, Name: name, Result: c}, r.d.outputName(c.Expr) == name
}

// withBaseColumn returns the target of an alias, completed by the base column that the alias
// names, if it names one.
func (r *resolver) withBaseColumn(t Target) Target {
	if t.Kind != Alias {
		return t
	}
	if ref, ok := t.Result.Expr.(*ColumnRef); ok {
		if base := r.b.refs[ref]; base.Column != "" {
			t.Table, t.Column = base.Table, base.Column
		}
	}
	return t
}

// from adds the sources of a FROM clause to s.
func (r *resolver) from(items []*FromItem, s *scope) {
	first := len(s.sources)
	for i, f := range items {
		right := len(s.sources)
		switch g, ok := f.Source.(*Group); {
		case !ok, i == 0 && g.Alias.IsZero(): // parentheses at the very beginning of FROM have no scope of their own
			r.source(f.Source, s)
		default:
			r.group(g, s)
		}
		if f.Natural || f.Using != nil {
			r.joinColumns(f, s.sources[first:right], s.sources[right:])
		}
	}
}

// source resolves a source of FROM and adds it to the scope.
func (r *resolver) source(n Source, s *scope) {
	switch n := n.(type) {
	case *Table:
		s.sources = append(s.sources, r.table(n, s))
	case *Derived:
		outer := s.enclosing()
		if n.Lateral { // sees the sources before it
			outer = s
		}
		src := &source{node: n, name: r.d.NameOf(n.Alias), columns: r.query(n.Query, outer, nil)}
		src.rename(n.Columns, r.d)
		s.sources = append(s.sources, src)
	case *Group:
		r.from(n.From, s)
	}
}

// rename gives the first columns of a source the names after its alias.
func (src *source) rename(names []Ident, d *Dialect) {
	if names == nil {
		return
	}
	src.columns = slices.Clone(src.columns)
	for i, id := range names[:min(len(names), len(src.columns))] {
		src.columns[i].Kind, src.columns[i].Name, src.columns[i].hasBaseName = Output, d.NameOf(id), false
	}
}

// enclosing returns the scope for a nested query in FROM: the scope around the SELECT, without
// the neighbours in FROM.
func (s *scope) enclosing() *scope {
	outer := *s.parent
	outer.ctes = s.ctes
	return &outer
}

// group adds the sources of a join in parentheses to s. Its conditions see only these sources.
// If it has an alias, they become one source.
func (r *resolver) group(n *Group, s *scope) {
	inner := &scope{parent: s.enclosing(), ctes: s.ctes}
	r.from(n.From, inner)
	r.conditions(n.From, inner)
	if n.Alias.IsZero() {
		s.sources = append(s.sources, inner.sources...)
		return
	}
	merged := &source{node: n, name: r.d.NameOf(n.Alias)}
	for _, src := range inner.sources {
		merged.openColumns = merged.openColumns || src.openColumns
		merged.columns = append(merged.columns, src.visible()...)
	}
	s.sources = append(s.sources, merged)
}

// visible returns the columns to which a star expands: those that no join merged into another.
func (src *source) visible() []Target {
	var list []Target
	for _, t := range src.columns {
		if !src.merged[fold(t.Name)] {
			t.Source = src.node
			list = append(list, t)
		}
	}
	return list
}

// table returns a function, a table of WITH or a base table as a source, and stores the base table in the binding. An unknown
// table is a problem; nothing is known of its columns.
func (r *resolver) table(n *Table, s *scope) *source {
	src := &source{node: n, name: r.d.NameOf(n.Name)}
	if !n.Alias.IsZero() {
		src.name = r.d.NameOf(n.Alias)
	}
	switch {
	case n.Call:
		r.callColumns(n, src)
		return src
	case n.Schema.IsZero():
		if c := r.cte(n.Name, s); c != nil {
			src.columns = r.cteColumns(c)
			r.countColumns(n.Pos, len(src.columns), len(src.columns))
			src.rename(n.Columns, r.d)
			return src
		}
	}
	columns, ok := r.b.catalog.Columns(r.d.NameOf(n.Name))
	if !ok {
		r.missing(n.Pos, n.Name.Name, "no such table: %s", n.Name.Name)
		src.openColumns = true
		return src
	}
	r.countColumns(n.Pos, len(columns), len(columns))
	src.base = r.tableSpelling(n.Name.Name)
	r.b.tables[n] = src.base
	src.columns = lists.Map(columns, func(c string) Target {
		return Target{Kind: Column, Name: c, Table: src.base, Column: c, hasBaseName: true}
	})
	src.rename(n.Columns, r.d)
	return src
}

// callColumns sets the columns of a function call in FROM, src: those that the query names after its alias or, without names, one named
// like the alias, as PostgreSQL does for a function of one column. The function may have others, so the columns stay open. In SQLite none is known.
func (r *resolver) callColumns(n *Table, src *source) {
	src.openColumns = true
	if !r.d.scopes.namedCalls {
		return
	}
	names := n.Columns
	if names == nil {
		names = []Ident{{src.name, '"'}}
	}
	if n.Ordinality {
		names = append(slices.Clone(names), Ident{Name: "ordinality"})
	}
	src.columns = lists.Map(names, func(id Ident) Target { return Target{Kind: Output, Name: r.d.NameOf(id)} })
}

// tableSpelling returns the spelling of a base table: that of the catalog or, without one, that
// of its first mention, which it stores.
func (r *resolver) tableSpelling(table string) string {
	if c, ok := r.b.catalog.(TableNamer); ok {
		if name, ok := c.TableName(table); ok {
			return name
		}
	}
	if _, ok := r.spelling[fold(table)]; !ok {
		r.spelling[fold(table)] = table
	}
	return r.spelling[fold(table)]
}

// joinColumns finds the columns by which f, a join by NATURAL or USING, joins the sources left and right of it. It stores
// them in the binding, and marks the right ones as merged into the left ones: a bare name means the left one.
func (r *resolver) joinColumns(f *FromItem, left, right []*source) {
	names := lists.Map(f.Using, r.d.NameOf)
	if f.Natural {
		for _, src := range right {
			for _, t := range src.visible() {
				if _, _, ok := r.findColumn(left, t.Name); ok {
					names = append(names, t.Name)
				}
			}
		}
	}
	for _, name := range names {
		_, l, okLeft := r.findColumn(left, name)
		src, t, okRight := r.findColumn(right, name)
		if !okLeft || !okRight {
			r.missing(f.Pos, name, "cannot join using column %s: not on both sides", name)
			continue
		}
		if src.merged == nil {
			src.merged = map[string]bool{}
		}
		src.merged[fold(name)] = true
		r.b.joins[f] = append(r.b.joins[f], JoinColumn{name, l, t})
	}
}

// findColumn returns the first column with a name, and its source. It skips columns that USING or NATURAL merged into one before.
func (r *resolver) findColumn(sources []*source, name string) (*source, Target, bool) {
	for _, src := range sources {
		if t, ok := src.column(r.d, name); ok && !src.merged[fold(name)] {
			return src, t, true
		}
	}
	return nil, Target{}, false
}

// star returns the columns to which n expands.
func (r *resolver) star(n *Star, s *scope) []Target {
	var list []Target
	found := false
	for _, src := range s.sources {
		switch {
		case n.Table.IsZero(): // * leaves out columns that a join merged into others
			list = append(list, src.visible()...)
			found = true
		case r.isNamed(n.Table, src.name): // table.* has all
			for _, t := range src.columns {
				t.Source = src.node
				list = append(list, t)
			}
			found = true
		}
	}
	if !found {
		r.missing(n.Pos, Format(n), "nothing for %s to stand for", Format(n))
	}
	return list
}

// lookup returns the target of a column reference. It searches from the innermost SELECT
// outwards.
func (r *resolver) lookup(n *ColumnRef, s *scope) Target {
	openColumns := false
	for inner := s; inner != nil; inner = inner.parent {
		t, count, anyOpen := r.lookupInScope(n, inner)
		openColumns = openColumns || anyOpen
		if count > 1 {
			r.problem(n.Pos, "ambiguous column name: %s", Format(n))
			return Target{}
		}
		if count == 1 {
			t.Outer = inner != s
			return t
		}
	}
	if n.Table.IsZero() && n.Column.Quote == '"' && r.d.stringNames { // SQLite takes such a name for a string
		return Target{Kind: String, Name: n.Column.Name}
	}
	if !openColumns {
		r.missing(n.Pos, Format(n), "no such column: %s", Format(n))
	}
	return Target{}
}

// lookupInScope looks for n among the names of one SELECT: columns, then row ids, aliases and whole rows. It returns
// the first target, the number of targets, and whether a source has unknown columns, so that n could be one of them.
func (r *resolver) lookupInScope(n *ColumnRef, s *scope) (t Target, count int, openColumns bool) {
	name, bare := r.d.NameOf(n.Column), n.Table.IsZero()
	var tables []*source // that n could be a row id of
	for _, src := range s.sources {
		if !bare && !r.isNamed(n.Table, src.name) {
			continue
		}
		openColumns = openColumns || src.openColumns
		if src.base != "" {
			tables = append(tables, src)
		}
		if bare && src.merged[fold(name)] {
			continue
		}
		if found, ok := src.column(r.d, name); ok {
			if count++; count == 1 {
				t = found
			}
		}
	}
	switch {
	case count > 0:
		return t, count, openColumns
	case len(tables) == 1 && slices.Contains(r.d.rowIDs, fold(name)):
		return Target{Kind: RowID, Name: name, Table: tables[0].base, Source: tables[0].node}, 1, openColumns
	case bare:
		if found, ok := r.lookupNoColumn(name, s); ok {
			return found, 1, openColumns
		}
	}
	return Target{}, 0, openColumns
}

// lookupNoColumn returns the target of a bare name that no column has: an entry of the select list, or in PostgreSQL a
// whole row.
func (r *resolver) lookupNoColumn(name string, s *scope) (Target, bool) {
	if s.seesAliases {
		if found, ok := r.alias(name, s); ok {
			return r.withBaseColumn(found), true
		}
	}
	if r.d.scopes.wholeRows {
		for _, src := range s.sources {
			if src.name == name {
				return Target{Kind: Row, Name: name, Table: src.base, Source: src.node}, true
			}
		}
	}
	return Target{}, false
}
