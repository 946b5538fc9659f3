package suite

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// countColumn replaces count(*) by the count of the first column in which contents may have NULL. For
// other columns the two counts are equal.
func (e *editor) countColumn(s *scope, n *sqlast.Call) {
	i := slices.IndexFunc(s.columns, func(c scopeColumn) bool {
		t, isTable := c.source.(*sqlast.Table)
		return isTable && e.mayBeNull(e.binding.BaseTable(t), c.name)
	})
	if i < 0 {
		return
	}
	ref := &sqlast.ColumnRef{Column: sqlast.NewIdent(s.columns[i].name)}
	if s.nameCounts[strings.ToLower(s.columns[i].name)] > 1 {
		ref.Table = s.columns[i].table
	}
	change(e, Operator, n, func(c *sqlast.Call) { c.Star, c.Args = false, []sqlast.Expr{ref} })
}

// compareWithBlank replaces the comparison of a column of text with NULL by one with the empty string.
func (e *editor) compareWithBlank(n *sqlast.Binary) {
	ref, ok := n.X.(*sqlast.ColumnRef)
	null, isLiteral := n.Y.(*sqlast.Literal)
	if !ok || !isLiteral || null.Kind != sqlast.NullLiteral {
		return
	}
	if c := e.binding.Column(ref); sqlite.AffinityOf(e.catalog.Type(c.Table, c.Column)) != sqlite.TextAffinity {
		return
	}
	op := map[string]string{"IS": "=", "IS NOT": "!="}[n.Op]
	e.replace(Operator, n, &sqlast.Binary{Op: op, X: n.X, Y: &sqlast.Literal{Kind: sqlast.StringLiteral}})
}

// countAllRows makes an aggregate of a column that may have NULL count the rows with NULL too:
// count(a) → count(*), avg(a) → total(a) / count(*). name is the aggregate in lower case.
func (e *editor) countAllRows(s *scope, n *sqlast.Call, name string) {
	if n.Distinct || n.Filter != nil || !e.mayYieldNull(s, n.Args[0]) {
		return
	}
	rows := &sqlast.Call{Name: sqlast.NewIdent("count"), Star: true}
	switch name {
	case "count":
		e.replace(Operator, n, rows)
	case "avg":
		e.replace(Operator, n, &sqlast.Binary{Op: "/", X: &sqlast.Call{Name: sqlast.NewIdent("total"), Args: n.Args}, Y: rows})
	}
}

// mayYieldNull reports whether an expression is a column in which contents may have NULL, and no
// other name in the conditions of the scope is that column, so that rows with NULL stay.
func (e *editor) mayYieldNull(s *scope, x sqlast.Expr) bool {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok || !e.mayBeNull(e.binding.Column(ref).Table, e.binding.Column(ref).Column) {
		return false
	}
	names := func(other *sqlast.ColumnRef) bool {
		return other != ref && e.sourceColumn(other) == e.sourceColumn(ref)
	}
	return !slices.ContainsFunc(s.conditions(), func(cond sqlast.Expr) bool { return sqlast.Contains(cond, names) })
}

// mayBeNull reports whether random contents may have NULL in a column of a table.
func (e *editor) mayBeNull(table, column string) bool {
	s, ok := e.catalog.(*schema)
	return ok && s.mayBeNull(table, column)
}
