package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// statsOf returns the statistics of the column that an expression is; zero statistics for other expressions and nil.
func (u *unit) statsOf(ctx context.Context, g *gold, x sqlast.Expr) *columnStats {
	base := g.binding.Column(x)
	if base.Table == "" {
		return &columnStats{}
	}
	return u.columnStats(ctx, base.Table, base.Column)
}

// eachNode calls f for each node of each gold SQL whose names resolve.
func (u *unit) eachNode(f func(*gold, sqlast.Node)) {
	for _, g := range u.golds {
		if !g.resolves() {
			continue
		}
		for n := range sqlast.All[sqlast.Node](g.query) {
			f(g, n)
		}
	}
}

// numbersAsText reports ORDER BY, MIN and MAX of a column whose cells are numbers stored as text, if these sort otherwise as text.
func numbersAsText(ctx context.Context, u *unit, r *reporter) {
	reported := map[*gold]*columnStats{} // the column reported last, of each gold SQL
	u.eachNode(func(g *gold, n sqlast.Node) {
		var x sqlast.Expr
		var clause string
		switch n := n.(type) {
		case *sqlast.OrderTerm:
			x, clause = n.Expr, "ORDER BY"
		case *sqlast.Call:
			if len(n.Args) == 1 && slices.ContainsFunc([]string{"min", "max"}, n.Name.Is) {
				x, clause = n.Args[0], strings.ToUpper(n.Name.Name)
			}
		}
		c := u.statsOf(ctx, g, x)
		if c.onlyTexts() && c.misordered[0] != "" && reported[g] != c {
			reported[g] = c
			r.gold(g, "%s of %s.%s takes %q for less than %q: its numbers are stored as text", clause, c.table, c.column, c.misordered[0], c.misordered[1])
		}
	})
}

// mixedCells reports columns of mixed cells whose mixture matters to gold SQL: it sorts them, passes them to a function or compares them by
// another operator than = and IN. Each column is reported once.
func mixedCells(ctx context.Context, u *unit, r *reporter) {
	reported := map[*columnStats]bool{}
	u.eachNode(func(g *gold, n sqlast.Node) {
		var read []sqlast.Expr
		switch n := n.(type) {
		case *sqlast.OrderTerm:
			read = []sqlast.Expr{n.Expr}
		case *sqlast.Call:
			read = n.Args
		}
		for _, c := range sqlast.Comparisons(n) {
			if !slices.Contains([]string{"=", "IN"}, c.Op) {
				read = append(read, c.X)
			}
		}
		for _, x := range read {
			if c := u.statsOf(ctx, g, x); c.mixture() != "" && !reported[c] {
				reported[c] = true
				r.schema(c.table, c.column, "%s; gold SQL meets both, first that of example %d", c.mixture(), g.examples[0].Index)
			}
		}
	})
}

// comparisonOperators gives the SQL operator of each comparison that is checked. IS and LIKE are not.
var comparisonOperators = map[string]string{
	"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", sqlast.From: ">=", sqlast.To: "<=", "IN": "=",
}

// eachComparison calls f for each comparison in the gold SQL, unless its names do not resolve, with the statistics of the column on its
// left. The operator is one of those that SQL has between two values: BETWEEN becomes two comparisons, by ">=" and "<=".
func (u *unit) eachComparison(ctx context.Context, f func(*gold, sqlast.Comparison, *columnStats)) {
	u.eachNode(func(g *gold, n sqlast.Node) {
		for _, c := range sqlast.Comparisons(n) {
			c.Op = comparisonOperators[c.Op]
			if c.Op != "" {
				f(g, c, u.statsOf(ctx, g, c.X))
			}
		}
	})
}

// numbersAgainstText reports comparisons of numbers stored as text with a number, if SQLite's comparison as text is wrong for a cell.
func numbersAgainstText(ctx context.Context, u *unit, r *reporter) {
	u.eachComparison(ctx, func(g *gold, c sqlast.Comparison, stats *columnStats) {
		if !stats.textsAreNumbers || !g.isNumber(c.Y) {
			return
		}
		if cell := u.misjudgedCell(ctx, stats, c); cell != "" {
			r.gold(g, "%s.%s %s %s is %s: its numbers are stored as text", stats.table, stats.column, c.Op, sqlast.Format(c.Y), cell)
		}
	})
}

// isNumber reports whether an expression is the same number for every row: a literal, or an aggregate of numbers in a nested query that
// does not depend on the outer one.
func (g *gold) isNumber(x sqlast.Expr) bool {
	switch x := x.(type) {
	case *sqlast.Literal:
		return x.Kind == sqlast.NumberLiteral
	case *sqlast.Unary:
		return x.Op == "-" && g.isNumber(x.X)
	case *sqlast.Subquery:
		s := x.Query.Select
		if len(s.Columns) != 1 || len(x.Query.Compound) > 0 || g.dependsOnOuter(x) {
			return false
		}
		call, ok := s.Columns[0].Expr.(*sqlast.Call)
		return ok && slices.ContainsFunc([]string{"avg", "sum", "count", "total"}, call.Name.Is)
	}
	return false
}

// dependsOnOuter reports whether a nested query may depend on the query around it: it has names of the outer query, or the gold SQL has a
// WITH, whose tables it may read.
func (g *gold) dependsOnOuter(nested sqlast.Node) bool {
	return g.query.With != nil || sqlast.Contains(nested, func(ref *sqlast.ColumnRef) bool { return g.binding.Target(ref).Outer })
}

// misjudgedCell returns a text cell for which SQLite's comparison has another result than a comparison of numbers, in the form `true for
// "9"`, or "" for none. It prefers a cell that is a number to a placeholder such as "n/a", which counts only in comparisons by order,
// not by = and !=.
func (u *unit) misjudgedCell(ctx context.Context, stats *columnStats, c sqlast.Comparison) string {
	name, value := sqldata.QuoteName(stats.column), sqlast.Format(c.Y)
	res := u.query(ctx, fmt.Sprintf("column %s.%s", stats.table, stats.column), fmt.Sprintf(
		"SELECT %[1]s, %[1]s %[3]s %[4]s FROM %[2]s WHERE typeof(%[1]s) = 'text' AND (%[1]s %[3]s %[4]s) <> (CAST(%[1]s AS REAL) %[3]s %[4]s) ORDER BY 1 LIMIT 100",
		name, sqldata.QuoteName(stats.table), c.Op, value))
	if res == nil {
		return ""
	}
	placeholder := ""
	for _, row := range res.Rows {
		cell := fmt.Sprintf("%t for %q", row[1].Int() != 0, row[0].Bytes())
		if _, ok := parseDecimal(row[0].Bytes()); ok {
			return cell
		}
		if row[0].Bytes() != "" && !slices.Contains([]string{"=", "!="}, c.Op) {
			placeholder = cmp.Or(placeholder, cell)
		}
	}
	return placeholder
}

// textAgainstNumbers reports comparisons of a column that holds only numbers with a text that SQLite compares as text: the outcome is then
// the same for every number.
func textAgainstNumbers(ctx context.Context, u *unit, r *reporter) {
	u.eachComparison(ctx, func(g *gold, c sqlast.Comparison, stats *columnStats) {
		literal := g.binding.Literal(c.Y)
		if literal == nil || literal.Kind != sqlast.StringLiteral || !stats.onlyNumbers() {
			return
		}
		_, isNumber := parseDecimal(literal.Text)
		// A column of another affinity makes a number of the text before it compares.
		keepsText := slices.Contains([]sqlite.Affinity{sqlite.BlobAffinity, sqlite.TextAffinity}, sqlite.AffinityOf(stats.declaredType))
		if !isNumber || keepsText {
			r.gold(g, "%s.%s %s %q: the column (declared %q) holds numbers only, and every number sorts before text", stats.table, stats.column, c.Op, literal.Text, stats.declaredType)
		}
	})
}
