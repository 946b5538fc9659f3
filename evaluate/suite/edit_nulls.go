package suite

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// countCells replaces count(*) by the count of a column: the first in which contents may have
// NULL, because the two are equal for others.
func (e *editor) countCells(s *scope, n *sqlast.Call) {
	at := slices.IndexFunc(s.columns, func(c scopeColumn) bool {
		t, base := c.source.(*sqlast.Table)
		return base && e.drawsNull(e.binding.BaseTable(t), c.name)
	})
	if at < 0 {
		return
	}
	ref := &sqlast.ColumnRef{Column: sqlast.NewIdent(s.columns[at].name)}
	if s.bare[strings.ToLower(s.columns[at].name)] > 1 {
		ref.Table = s.columns[at].table
	}
	change(e, Operator, n, func(c *sqlast.Call) { c.Star, c.Args = false, []sqlast.Expr{ref} })
}

// countNulls makes an aggregate of a column that may have NULL count all rows:
// count(a) → count(*), avg(a) → total(a) / count(*).
func (e *editor) countNulls(s *scope, n *sqlast.Call, name string) {
	if n.Distinct || n.Filter != nil || !e.seesNull(s, n.Args[0]) {
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

// seesNull reports whether an expression is a column in which contents may have NULL, and no
// other condition of the scope drops those rows.
func (e *editor) seesNull(s *scope, x sqlast.Expr) bool {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok || !e.drawsNull(e.binding.Column(ref).Table, e.binding.Column(ref).Column) {
		return false
	}
	return !slices.ContainsFunc(s.conditions(), func(cond sqlast.Expr) bool {
		for other := range sqlast.All[*sqlast.ColumnRef](cond) {
			if other != ref && e.cellOf(other) == e.cellOf(ref) {
				return true
			}
		}
		return false
	})
}

// drawsNull reports whether random contents may have NULL in a column of a table.
func (e *editor) drawsNull(table, column string) bool {
	s, ok := e.catalog.(*schema)
	return ok && s.drawsNull(table, column)
}
