package sqlast

import (
	"fmt"

	"github.com/tabperturb/tabperturb/internal/kit/raise"
)

// Catalog is the schema in which names are looked up, ignoring case.
// *dataset.Database is one.
type Catalog interface {
	// Columns returns the column names of a base table in order.
	Columns(table string) ([]string, bool)
}

// TableNamer is a [Catalog] that knows how its tables are spelled. Without it a
// [Binding] spells a table as the query does where it first names it.
type TableNamer interface {
	// TableName returns the spelling of a table given in any case.
	TableName(table string) (string, bool)
}

// Kind is what a name in an expression refers to.
type Kind uint8

// The kinds of target.
const (
	Unknown Kind = iota // nothing; Problems says why
	Column              // a column of a base table
	Output              // a column of a derived table or CTE
	Alias               // an alias of the select list
	RowID               // the row id of a base table
	String              // a string in double quotes
	Row                 // a whole row of a source
)

// Target is what a [ColumnRef] refers to.
type Target struct {
	Kind Kind
	// Name is the visible name: of the column, output or alias, as defined.
	Name string
	// Table and Column name the base column, in the catalog's spelling: the
	// column itself or, for Output and Alias, the column that is passed on as it
	// is. Both are empty if there is none; a RowID has a Table only.
	Table, Column string
	// Source is the entry of FROM that brings the value; nil for Alias, String
	// and Unknown.
	Source Source
	// Result is the entry of a select list that an Alias or Output refers to. For
	// a column that came by a star it is the entry with the star.
	Result *ResultColumn
	// Outer is set if the source or alias belongs to an enclosing query.
	Outer bool
	// hasBaseName is set if Name is the base column's own: no alias intervened.
	hasBaseName bool
}

// JoinColumn is a column that USING or NATURAL joins by. Left is what the name refers to outside
// the join.
type JoinColumn struct {
	Name        string
	Left, Right Target
}

// Problem is a name that does not resolve or is ambiguous.
type Problem struct {
	Pos
	Msg     string
	Missing string // the name, as written, if it stands for nothing; empty for other problems
}

// Error implements [error].
func (p *Problem) Error() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Col, p.Msg) }

// Bounds on what [Resolve] takes. Common table expressions could otherwise
// double the columns of a row at will.
const (
	MaxColumns      = 2000    // columns of one row, as in SQLite
	MaxTotalColumns = 1 << 18 // columns of all tables and select lists together
)

// Resolve finds the table, column or alias to which each name of q refers, by the rules of its dialect. A name that
// refers to nothing is no error: it is listed in the binding's Problems. The error
// is a [*Problem] too: more columns than [MaxColumns] or [MaxTotalColumns].
func Resolve(q *Query, c Catalog) (b *Binding, err error) {
	r := &resolver{b: &Binding{
		query:   q,
		catalog: c,
		refs:    map[*ColumnRef]Target{},
		tables:  map[*Table]string{},
		stars:   map[*Star][]Target{},
		joins:   map[*FromItem][]JoinColumn{},
		outputs: map[*Query][]Target{},
	}, d: q.SQL(), spelling: map[string]string{}}
	defer raise.Catch[*Problem](&err)
	r.query(q, &scope{}, nil)
	return r.b, nil
}

// ParseResolved parses and resolves a query in the dialect of the catalog, see [Speaker]. Unlike for [Resolve], a name that refers to nothing is an error.
func ParseResolved(src string, c Catalog) (*Query, *Binding, error) {
	q, err := dialectOf(c).Parse(src)
	if err != nil {
		return nil, nil, err
	}
	b, err := Resolve(q, c)
	if err != nil {
		return nil, nil, err
	}
	if len(b.Problems) > 0 {
		return nil, nil, b.Problems[0]
	}
	return q, b, nil
}

// resolver fills a binding. It reports a query that is too large by a panic with a *Problem,
// which Resolve recovers.
type resolver struct {
	b        *Binding
	d        *Dialect
	spelling map[string]string // table names, by folded name
	columns  int               // columns met so far
}

// countColumns counts columns that were added to a row, which now has width of them. It fails if
// there are too many.
func (r *resolver) countColumns(at Pos, added, width int) {
	r.columns += added
	switch {
	case width > MaxColumns:
		panic(&Problem{Pos: at, Msg: fmt.Sprintf("row has %d columns, expected at most %d", width, MaxColumns)})
	case r.columns > MaxTotalColumns:
		panic(&Problem{Pos: at, Msg: fmt.Sprintf("query has more than %d columns in all", MaxTotalColumns)})
	}
}

// problem adds a name that does not resolve to the problems.
func (r *resolver) problem(position Pos, format string, args ...any) {
	r.b.Problems = append(r.b.Problems, &Problem{Pos: position, Msg: fmt.Sprintf(format, args...)})
}

// missing adds a name that stands for nothing to the problems.
func (r *resolver) missing(position Pos, name, format string, args ...any) {
	r.problem(position, format, args...)
	r.b.Problems[len(r.b.Problems)-1].Missing = name
}

// query resolves q within the enclosing scope and returns its columns. It passes the columns to
// onColumns, which may be nil, as soon as they are known: a recursive CTE needs them while the
// rest is resolved.
func (r *resolver) query(q *Query, outer *scope, onColumns func([]Target)) []Target {
	if q.With != nil {
		outer = r.with(q.With, outer)
	}
	scopes := []*scope{r.selectCore(q.Select, outer)}
	columns := scopes[0].outputs
	r.b.outputs[q] = columns
	if onColumns != nil {
		onColumns(columns)
	}
	for _, c := range q.Compound {
		scopes = append(scopes, r.selectCore(c.Select, outer))
	}
	for _, t := range q.OrderBy {
		if len(q.Compound) > 0 {
			r.compoundTerm(t, scopes)
		} else {
			r.orderTerm(t, scopes[0])
		}
	}
	if q.Limit != nil {
		r.expr(q.Limit, &scope{ctes: outer.ctes})
	}
	return columns
}

// with returns a copy of the scope outer to which the tables of w are added.
func (r *resolver) with(w *With, outer *scope) *scope {
	s := *outer
	if r.d.scopes.orderedCTEs && !w.Recursive { // each table sees those before it
		for _, c := range w.Tables {
			before := s
			one := &cte{node: c, scope: &before}
			r.cteColumns(one)
			s.ctes = &ctes{parent: s.ctes, list: []*cte{one}}
		}
		return &s
	}
	s.ctes = &ctes{parent: outer.ctes} // each table sees all
	for _, c := range w.Tables {
		s.ctes.list = append(s.ctes.list, &cte{node: c, scope: &s})
	}
	for _, c := range s.ctes.list {
		r.cteColumns(c)
	}
	return &s
}

// cteColumns returns the columns of a CTE, and resolves the CTE at the first call. SQLite lets a
// CTE refer to itself and to later ones, PostgreSQL only after RECURSIVE.
func (r *resolver) cteColumns(c *cte) []Target {
	if c.begun { // resolved already, or the CTE refers to itself
		return c.columns
	}
	c.begun = true
	r.query(c.node.Query, c.scope, func(columns []Target) {
		c.columns = append([]Target(nil), columns...)
		for i, id := range c.node.Columns {
			if i < len(c.columns) {
				c.columns[i].Name, c.columns[i].hasBaseName = r.d.NameOf(id), false
			}
		}
		n := len(c.node.Columns)
		mayBeFewer := n == 0 || r.d.foldsNames // PostgreSQL lets the names cover the first columns alone
		if n > len(columns) || n < len(columns) && !mayBeFewer {
			r.problem(c.node.Pos, "table %s has %d columns for %d names", c.node.Name.Name, len(columns), n)
		}
	})
	return c.columns
}

// selectCore resolves one SELECT within the scope of an enclosing query and returns its own
// scope.
func (r *resolver) selectCore(n *Select, outer *scope) *scope {
	s := &scope{parent: outer, ctes: outer.ctes, columns: n.Columns}
	if n.Values != nil {
		for i := range n.Values[0] {
			s.outputs = append(s.outputs, Target{Kind: Output, Name: fmt.Sprintf("column%d", i+1)})
		}
		r.expr(n, s)
		return s
	}
	if n.Nested != nil {
		s.outputs = r.query(n.Nested, outer, nil)
		for first := n; first.Nested != nil; s.columns = first.Columns { // the innermost SELECT has the select list
			first = first.Nested.Select
		}
		return s
	}
	r.from(n.From, s)
	for _, c := range n.Columns {
		before := len(s.outputs)
		r.resultColumn(c, s)
		r.countColumns(c.Pos, len(s.outputs)-before, len(s.outputs))
	}
	for _, x := range n.On { // DISTINCT ON looks names up as ORDER BY does
		r.orderTerm(&OrderTerm{Expr: x}, s)
	}
	s.seesAliases = !r.d.scopes.aliasOnlyAsTerm // SQLite lets WHERE and the clauses after it use aliases
	r.conditions(n.From, s)
	r.expr(n.Where, s)
	for _, x := range n.GroupBy {
		r.groupTerm(x, s)
	}
	r.expr(n.Having, s)
	for _, w := range n.Windows {
		r.expr(w, s)
	}
	return s
}

// visibleIn returns the scope of the ON condition of the item at index i of FROM. In SQLite that is s, which has the sources of all
// items; in PostgreSQL it has only those of the same join, from the last comma up to the item.
func (r *resolver) visibleIn(items []*FromItem, i int, s *scope) *scope {
	if !r.d.scopes.joinTrees || items[i].On == nil {
		return s
	}
	first, end := 0, 0 // the sources of the join are those from first up to end
	for _, f := range items[:i+1] {
		if f.Op == Comma { // begins another join
			first = end
		}
		end += countSources(f.Source)
	}
	own := *s
	own.sources = s.sources[first:end]
	return &own
}

// countSources returns how many sources an item of FROM adds to its scope: one, or those of a join in parentheses without an alias.
func countSources(n Source) (count int) {
	g, ok := n.(*Group)
	if !ok || !g.Alias.IsZero() {
		return 1
	}
	for _, f := range g.From {
		count += countSources(f.Source)
	}
	return count
}

// conditions resolves the expressions of FROM, which in SQLite see all its sources.
func (r *resolver) conditions(items []*FromItem, s *scope) {
	for i, f := range items {
		switch src := f.Source.(type) {
		case *Group:
			if i == 0 && src.Alias.IsZero() { // it shares the scope; [resolver.group] resolves those of other groups
				r.conditions(src.From, s)
			}
		case *Table:
			for _, x := range src.Args {
				r.expr(x, s)
			}
		}
		r.expr(f.On, r.visibleIn(items, i, s))
	}
}

// resultColumn resolves an entry of the select list and adds what it yields to
// the outputs of s.
func (r *resolver) resultColumn(c *ResultColumn, s *scope) {
	if star, ok := c.Expr.(*Star); ok {
		columns := r.star(star, s)
		r.b.stars[star] = columns
		for _, t := range columns {
			s.outputs = append(s.outputs, Target{Kind: Output, Name: t.Name, Table: t.Table, Column: t.Column, Result: c, hasBaseName: t.hasBaseName})
		}
		return
	}
	r.expr(c.Expr, s)
	out := Target{Kind: Output, Result: c}
	if ref, ok := c.Expr.(*ColumnRef); ok {
		t := r.b.refs[ref]
		out.Table, out.Column, out.Name, out.hasBaseName = t.Table, t.Column, t.Name, t.hasBaseName
		switch t.Kind {
		case RowID: // no base column to pass on
			out.Table = ""
		case String, Unknown:
			out.Name = r.d.outputName(ref)
		}
	} else {
		out.Name = r.d.outputName(c.Expr)
	}
	if !c.Alias.IsZero() {
		out.Name, out.hasBaseName = r.d.NameOf(c.Alias), false
	}
	s.outputs = append(s.outputs, out)
}

// expr resolves the names in n, which is nil for a clause that the query lacks.
func (r *resolver) expr(n Node, s *scope) {
	if n == nil {
		return
	}
	Inspect(n, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			r.query(n, s, nil)
			return false
		case *Table:
			r.table(n, s)
		case *ColumnRef:
			r.b.refs[n] = r.lookup(n, s)
		case *Star: // of PostgreSQL: a row among the arguments of a call
			r.b.stars[n] = r.star(n, s)
		}
		return true
	})
}
