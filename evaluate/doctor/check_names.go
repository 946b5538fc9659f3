package doctor

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// quotedColumns reports columns in double quotes where people write values: on the right of a comparison and in lists. It leaves out names
// that are meant as columns: those with a table before them, and those that are compared with another name in double quotes.
func quotedColumns(_ context.Context, u *unit, r *reporter) {
	// valueOperands leaves out what is compared with a name in double quotes.
	u.eachName(valueOperands, func(g *gold, ref *sqlast.ColumnRef, t sqlast.Target) {
		if ref.Column.Quote != '"' || !ref.Table.IsZero() {
			return
		}
		if !slices.Contains([]sqlast.Kind{sqlast.String, sqlast.Unknown}, t.Kind) {
			r.gold(g, "%d:%d: %s is the column %s, not a string", ref.Line, ref.Col, ref.Column, columnName(t))
		}
	})
}

// eachName calls f for each operand in gold SQL that is a name, with the target to which the name resolves. operandsOf returns the operands
// of a node to look at.
func (u *unit) eachName(operandsOf func(sqlast.Node) []sqlast.Expr, f func(*gold, *sqlast.ColumnRef, sqlast.Target)) {
	u.eachNode(func(g *gold, n sqlast.Node) {
		for _, x := range operandsOf(n) {
			if ref, ok := x.(*sqlast.ColumnRef); ok {
				f(g, ref, g.binding.Target(ref))
			}
		}
	})
}

// columnName returns the name of a column with its table, or only its name if no table has it, as for a result column of a nested query.
func columnName(t sqlast.Target) string {
	if t.Table == "" || t.Column == "" {
		return t.Name
	}
	return t.Table + "." + t.Column
}

// valueOperands returns the operands of a comparison that people write as values, not as columns; none for other nodes.
func valueOperands(n sqlast.Node) []sqlast.Expr {
	switch n := n.(type) {
	case *sqlast.Binary:
		// In double quotes the left side may be a string itself, and then the right one is the column.
		x, isColumn := n.X.(*sqlast.ColumnRef)
		mayBeString := isColumn && x.Column.Quote == '"'
		if comparisonOperators[n.Op] != "" && !mayBeString {
			return []sqlast.Expr{n.Y}
		}
	case *sqlast.Like:
		return []sqlast.Expr{n.Pattern}
	case *sqlast.Between:
		return []sqlast.Expr{n.Low, n.High}
	case *sqlast.In:
		return n.List
	}
	return nil
}

// quotedStrings reports strings in double quotes where a constant makes no sense: as a result column,
// in GROUP BY and ORDER BY, as the only argument of a function, or on the left of a comparison.
func quotedStrings(_ context.Context, u *unit, r *reporter) {
	u.eachName(columnOperands, func(g *gold, ref *sqlast.ColumnRef, t sqlast.Target) {
		if t.Kind == sqlast.String {
			r.gold(g, "%d:%d: %s is no column of the tables in FROM, so it is a string", ref.Line, ref.Col, ref.Column)
		}
	})
}

// columnOperands returns the operands of a node where people write columns, because a string makes no sense there; none for other nodes.
func columnOperands(n sqlast.Node) []sqlast.Expr {
	switch n := n.(type) {
	case *sqlast.ResultColumn:
		return []sqlast.Expr{n.Expr}
	case *sqlast.OrderTerm:
		return []sqlast.Expr{n.Expr}
	case *sqlast.Select:
		return n.GroupBy
	case *sqlast.Call:
		if len(n.Args) == 1 {
			return n.Args
		}
	case *sqlast.Binary:
		if comparisonOperators[n.Op] != "" {
			return []sqlast.Expr{n.X}
		}
	case *sqlast.Like:
		return []sqlast.Expr{n.X}
	case *sqlast.Between:
		return []sqlast.Expr{n.X}
	case *sqlast.In:
		return []sqlast.Expr{n.X}
	}
	return nil
}
