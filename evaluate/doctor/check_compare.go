package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// column returns the cells of the column that an expression is; they are empty for other
// expressions.
func (u *unit) column(ctx context.Context, g *gold, x sqlast.Expr) (*cells, error) {
	base := g.binding.Column(x)
	if base.Table == "" {
		return &cells{}, nil
	}
	return u.cells(ctx, base.Table, base.Column)
}

// resolved calls f for each node of each gold SQL that could be resolved.
func (u *unit) resolved(f func(*gold, sqlast.Node) error) error {
	for _, g := range u.golds {
		if !g.sound() {
			continue
		}
		var err error
		sqlast.Inspect(g.query, func(n sqlast.Node) bool {
			if err == nil {
				err = f(g, n)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// numbersAsText reports ORDER BY, MIN and MAX of numbers that are stored as text.
func numbersAsText(ctx context.Context, u *unit, r *reporter) error {
	reported := map[*gold]*cells{} // the column reported last
	return u.resolved(func(g *gold, n sqlast.Node) error {
		var x sqlast.Expr
		var what string
		switch n := n.(type) {
		case *sqlast.OrderTerm:
			x, what = n.Expr, "ORDER BY"
		case *sqlast.Call:
			if len(n.Args) == 1 && slices.ContainsFunc([]string{"min", "max"}, n.Name.Is) {
				x, what = n.Args[0], strings.ToUpper(n.Name.Name)
			}
		}
		cells, err := u.column(ctx, g, x)
		if cells.onlyTexts() && cells.inverted[0] != "" && reported[g] != cells {
			reported[g] = cells
			r.gold(g, "%s of %s.%s takes %q for less than %q: its numbers are stored as text", what, cells.table, cells.column, cells.inverted[0], cells.inverted[1])
		}
		return err
	})
}

// asOperator gives the SQL operator of each comparison that is checked. IS and LIKE are not.
var asOperator = map[string]string{
	"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", sqlast.From: ">=", sqlast.To: "<=", "IN": "=",
}

// compared calls f for each comparison in sound gold SQL, which gets an operator of SQL, with the
// cells of the column on its left.
func (u *unit) compared(ctx context.Context, f func(*gold, sqlast.Comparison, *cells) error) error {
	return u.resolved(func(g *gold, n sqlast.Node) error {
		for _, c := range sqlast.Comparisons(n) {
			if c.Op = asOperator[c.Op]; c.Op == "" {
				continue
			}
			cells, err := u.column(ctx, g, c.X)
			if err == nil {
				err = f(g, c, cells)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// numbersAgainstText reports comparisons of numbers stored as text with a number, if the answer
// for a cell is wrong.
func numbersAgainstText(ctx context.Context, u *unit, r *reporter) error {
	return u.compared(ctx, func(g *gold, c sqlast.Comparison, cells *cells) error {
		if !cells.numeric || !g.isNumber(c.Y) {
			return nil
		}
		wrong, err := u.asText(ctx, cells, c)
		if wrong != "" {
			r.gold(g, "%s.%s %s %s is %s: its numbers are stored as text", cells.table, cells.column, c.Op, sqlast.Format(c.Y), wrong)
		}
		return err
	})
}

// isNumber reports whether an expression is a number for every row: a literal, or a nested query
// of its own that counts, adds up or averages.
func (g *gold) isNumber(x sqlast.Expr) bool {
	switch x := x.(type) {
	case *sqlast.Literal:
		return x.Kind == sqlast.NumberLiteral
	case *sqlast.Unary:
		return x.Op == "-" && g.isNumber(x.X)
	case *sqlast.Subquery:
		s := x.Query.Select
		if len(s.Columns) != 1 || len(x.Query.Compound) > 0 || g.refersOutside(x) {
			return false
		}
		call, ok := s.Columns[0].Expr.(*sqlast.Call)
		return ok && slices.ContainsFunc([]string{"avg", "sum", "count", "total"}, call.Name.Is)
	}
	return false
}

// refersOutside reports whether a nested query depends on the query around it.
func (g *gold) refersOutside(x sqlast.Node) bool {
	for ref := range sqlast.All[*sqlast.ColumnRef](x) {
		if g.binding.Target(ref).Outer {
			return true
		}
	}
	return g.query.With != nil
}

// asText returns a cell for which SQLite's comparison has another outcome than
// that of numbers, in the form `true for "9"`, or "". A placeholder counts where
// it is sorted among the numbers.
func (u *unit) asText(ctx context.Context, cs *cells, c sqlast.Comparison) (string, error) {
	name, value := sqlite.QuoteName(cs.column), sqlast.Format(c.Y)
	res, err := u.query(ctx, fmt.Sprintf("column %s.%s", cs.table, cs.column), fmt.Sprintf(
		"SELECT %[1]s, %[1]s %[3]s %[4]s FROM %[2]s WHERE typeof(%[1]s) = 'text' AND (%[1]s %[3]s %[4]s) <> (CAST(%[1]s AS REAL) %[3]s %[4]s) ORDER BY 1 LIMIT 100",
		name, sqlite.QuoteName(cs.table), c.Op, value))
	if res == nil {
		return "", err
	}
	placeholder := ""
	for _, row := range res.Rows {
		wrong := fmt.Sprintf("%t for %q", row[1].Int() != 0, row[0].Bytes())
		if _, ok := number(row[0].Bytes()); ok {
			return wrong, nil
		}
		if row[0].Bytes() != "" && !slices.Contains([]string{"=", "!="}, c.Op) {
			placeholder = cmp.Or(placeholder, wrong)
		}
	}
	return placeholder, nil
}

// textAgainstNumbers reports comparisons of a column of numbers with a text that is never equal to
// one.
func textAgainstNumbers(ctx context.Context, u *unit, r *reporter) error {
	return u.compared(ctx, func(g *gold, c sqlast.Comparison, cells *cells) error {
		literal := g.binding.Literal(c.Y)
		if literal == nil || literal.Kind != sqlast.StringLiteral || !cells.onlyNumbers() {
			return nil
		}
		_, numeric := number(literal.Text)
		if a := sqlite.AffinityOf(cells.declared); !numeric || a == sqlite.BlobAffinity || a == sqlite.TextAffinity {
			r.gold(g, "%s.%s %s %q: the column (declared %q) holds numbers only, and every number sorts before text", cells.table, cells.column, c.Op, literal.Text, cells.declared)
		}
		return nil
	})
}
