package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A block is one SELECT with its own ORDER BY and LIMIT.
type block struct {
	*sqlast.Select
	order []*sqlast.OrderTerm
	limit *sqlast.Limit
}

// inlineQueries merges queries of FROM into the SELECT that reads them, if the result is equivalent by
// definition. A table of WITH that is read more than once is not merged.
//
//	SELECT a FROM (SELECT * FROM t WHERE b = 1) WHERE a > 2 → SELECT a FROM t WHERE b = 1 AND a > 2
func (f *former) inlineQueries(b block) block {
	for i := 0; i < len(b.From); i++ {
		item := b.From[i]
		inner, ok := f.inlinable(item)
		if !ok {
			continue
		}
		merged, ok := f.splice(b, i, inner)
		if !ok && len(b.From) == 1 {
			merged, ok = f.firstRows(b, inner)
		}
		if !ok && len(b.From) == 1 {
			merged, ok = f.absorb(b, inner)
		}
		if !ok {
			merged, ok = f.joinedSet(b, i, inner)
		}
		if !ok {
			merged, ok = f.scalar(b, i, inner)
		}
		if ok {
			f.inlined[item.Source] = true
			b, i = merged, -1 // from the start: the merged query may bring others into FROM
		}
	}
	return b
}

// inlinable returns the query of an entry of FROM; ok is false unless it is a single SELECT with FROM that
// nothing else reads.
func (f *former) inlinable(item *sqlast.FromItem) (inner block, ok bool) {
	var q *sqlast.Query
	switch src := item.Source.(type) {
	case *sqlast.Derived:
		q = src.Query
	case *sqlast.Table:
		c := f.cte(src)
		if c == nil || f.readCount(src) > 1 {
			return inner, false
		}
		if c.Columns != nil && hasStar(c.Query.Select) {
			return inner, false // the names of its columns are not those of the star
		}
		q = c.Query
	}
	switch {
	case q == nil, !singleSelect(q), q.Select.Windows != nil, len(q.Select.From) == 0:
		return inner, false
	}
	return block{q.Select, q.OrderBy, q.Limit}, true
}

// singleSelect reports whether a query is one SELECT, without WITH, set operations and VALUES.
func singleSelect(q *sqlast.Query) bool {
	return q.With == nil && len(q.Compound) == 0 && q.Select.Values == nil
}

// cte returns the table of WITH that an entry of FROM names, or nil.
func (f *former) cte(t *sqlast.Table) *sqlast.CTE {
	if t.Call || f.b.BaseTable(t) != "" {
		return nil
	}
	for _, with := range slices.Backward(f.withs) {
		for _, c := range with.Tables {
			if c.Name.Is(t.Name.Name) && f.ctes[c] != "" { // c has no form while its own query and those before it are formed
				return c
			}
		}
	}
	return nil
}

// readCount returns how often the whole query reads a table of WITH by the name of t.
func (f *former) readCount(t *sqlast.Table) (n int) {
	for other := range sqlast.All[*sqlast.Table](f.root) {
		n += toInt(f.b.BaseTable(other) == "" && other.Name.Is(t.Name.Name))
	}
	return n
}

// splice replaces entry i of FROM by the FROM of its query inner, which must only choose columns and rows,
// and joins the conditions of both. It returns b and false for other queries.
func (f *former) splice(b block, i int, inner block) (block, bool) {
	if !inner.keepsRows() || inner.isBounded() {
		return b, false
	}
	s := *b.Select
	if len(b.From) == 1 {
		s.From = inner.From
		s.Columns = expandStars(b.Columns, inner.Columns)
	} else {
		switch {
		case !hasOnlyInnerJoins(b.From), !hasOnlyInnerJoins(inner.From):
			return b, false
		case hasStar(b.Select) && !(isStarOnly(b.Columns) && isStarOnly(inner.Columns)):
			return b, false // the star would show other columns
		}
		item := *b.From[i]
		item.Source = &sqlast.Group{From: inner.From}
		s.From = slices.Clone(b.From)
		s.From[i] = &item
	}
	s.Where = sqlast.Conjunction(inner.Where, b.Where)
	return block{&s, b.order, b.limit}, true
}

// absorb moves a SELECT that only chooses columns and rows into the one query that it reads:
//
//	SELECT a FROM (SELECT a, count(*) AS n FROM t GROUP BY a) WHERE n > 1 → SELECT a FROM t GROUP BY a HAVING count(*) > 1
//
// It returns b and false if that would change the answer.
func (f *former) absorb(b, inner block) (block, bool) {
	if b.isGrouped() || b.Windows != nil {
		return b, false
	}
	s := *inner.Select
	s.GroupBy = groupByColumns(inner)
	s.Columns = expandStars(b.Columns, inner.Columns)
	if !inner.Distinct && !inner.isBounded() {
		s.Distinct = b.Distinct
		s.Having = sqlast.Conjunction(inner.Having, b.Where)
		return block{&s, b.order, b.limit}, true
	}
	// The outer query must only choose columns, because the inner DISTINCT or LIMIT comes before the rest.
	if b.Distinct || b.Where != nil || b.isBounded() {
		return b, false
	}
	if inner.Distinct && !f.keepsAll(s.Columns, inner.Columns) {
		return b, false
	}
	return block{&s, orderByColumns(inner), inner.limit}, true
}

// isBounded reports whether a SELECT has ORDER BY or LIMIT.
func (b block) isBounded() bool { return b.order != nil || b.limit != nil }

// keepsRows reports whether a SELECT has a row for each row that WHERE chooses: it neither groups rows nor drops repeated ones.
func (b block) keepsRows() bool { return !b.Distinct && !b.isGrouped() }

// isGrouped reports whether a SELECT groups or aggregates rows of FROM.
func (b block) isGrouped() bool {
	if b.GroupBy != nil || b.Having != nil {
		return true
	}
	return slices.ContainsFunc(b.Columns, func(c *sqlast.ResultColumn) bool { return needsRows(c.Expr) }) ||
		slices.ContainsFunc(b.order, func(t *sqlast.OrderTerm) bool { return needsRows(t.Expr) })
}

// needsRows reports whether an expression has an aggregate or a window function outside its nested
// queries, so that its value depends on several rows. x may be nil.
func needsRows(x sqlast.Expr) bool {
	if x == nil {
		return false
	}
	return sqlast.ContainsOwn(x, func(call *sqlast.Call) bool { return call.Over != nil || call.IsAggregate() })
}

// expandStars returns a select list with the columns inner, those of the only query of FROM, in the place
// of each star.
func expandStars(columns, inner []*sqlast.ResultColumn) []*sqlast.ResultColumn {
	var list []*sqlast.ResultColumn
	for _, c := range columns {
		if _, ok := c.Expr.(*sqlast.Star); ok {
			list = append(list, inner...)
		} else {
			list = append(list, c)
		}
	}
	return list
}

// keepsAll reports whether a select list has all columns of the inner query that it reads, so that rows
// that differ there also differ here.
func (f *former) keepsAll(columns, inner []*sqlast.ResultColumn) bool {
	shown := map[*sqlast.ResultColumn]bool{}
	for _, c := range columns {
		shown[c] = true // c is one of inner where it came by a star
		if ref, ok := c.Expr.(*sqlast.ColumnRef); ok {
			shown[f.b.Target(ref).Result] = true
		}
	}
	return !slices.ContainsFunc(inner, func(c *sqlast.ResultColumn) bool { // a star must be there itself, not only one of its columns
		_, isStar := c.Expr.(*sqlast.Star)
		return !shown[c] || isStar && !slices.Contains(columns, c)
	})
}

// hasStar reports whether the select list has * or t.*.
func hasStar(s *sqlast.Select) bool {
	return slices.ContainsFunc(s.Columns, func(c *sqlast.ResultColumn) bool {
		_, ok := c.Expr.(*sqlast.Star)
		return ok
	})
}

// isStarOnly reports whether a select list is just *.
func isStarOnly(columns []*sqlast.ResultColumn) bool {
	if len(columns) != 1 {
		return false
	}
	star, ok := columns[0].Expr.(*sqlast.Star)
	return ok && star.Table.IsZero()
}

// hasOnlyInnerJoins reports whether FROM has only inner joins, without NATURAL and USING.
func hasOnlyInnerJoins(items []*sqlast.FromItem) bool {
	return !slices.ContainsFunc(items, func(item *sqlast.FromItem) bool {
		return item.Op.Outer() || item.Natural || item.Using != nil
	})
}

// groupByColumns returns GROUP BY with result columns for their numbers: "GROUP BY 1".
func groupByColumns(b block) []sqlast.Expr {
	return lists.Map(b.GroupBy, func(x sqlast.Expr) sqlast.Expr { return columnByNumber(b.Select, x) })
}

// orderByColumns returns ORDER BY with result columns for their numbers: "ORDER BY 2 DESC".
func orderByColumns(b block) []*sqlast.OrderTerm {
	return lists.Map(b.order, func(t *sqlast.OrderTerm) *sqlast.OrderTerm {
		term := *t
		term.Expr = columnByNumber(b.Select, t.Expr)
		return &term
	})
}

// columnByNumber returns the result column that a term of GROUP BY or ORDER BY numbers, or
// else the term.
func columnByNumber(s *sqlast.Select, x sqlast.Expr) sqlast.Expr {
	if i := columnNumber(s, x); i >= 0 {
		return s.Columns[i].Expr
	}
	return x
}

// columnNumber returns the position, from 0, of the result column that a term of GROUP BY
// or ORDER BY numbers from 1; -1 if the term is no such number.
func columnNumber(s *sqlast.Select, x sqlast.Expr) int {
	l, ok := x.(*sqlast.Literal)
	if !ok || l.Kind != sqlast.NumberLiteral {
		return -1
	}
	n, err := strconv.Atoi(l.Text)
	if err != nil || n < 1 || n > len(s.Columns) {
		return -1
	}
	return n - 1
}

// resolveRef resolves a name through inlined queries: to a column or, if the expression is not
// nil, to that expression.
func (f *former) resolveRef(x *sqlast.ColumnRef) (sqlast.Target, sqlast.Expr) {
	return f.resolveTarget(f.b.Target(x))
}

// resolveTarget resolves the target of a name through inlined queries, as resolveRef does. If the expression is
// not nil, the name stands for that expression, and the target is empty.
func (f *former) resolveTarget(t sqlast.Target) (sqlast.Target, sqlast.Expr) {
	for t.Kind == sqlast.Output && f.inlined[t.Source] && t.Result != nil {
		if inner, ok := f.scalars[t.Source]; ok { // the column is a subquery
			s := *inner.Select
			s.Columns = []*sqlast.ResultColumn{t.Result}
			return sqlast.Target{}, &sqlast.Subquery{Query: &sqlast.Query{Select: &s}}
		}
		switch x := t.Result.Expr.(type) {
		case *sqlast.Star:
			all := f.b.Star(x)
			i := slices.IndexFunc(all, func(o sqlast.Target) bool { return strings.EqualFold(o.Name, t.Name) })
			if i < 0 {
				return t, nil
			}
			t = all[i]
		case *sqlast.ColumnRef:
			t = f.b.Target(x)
		default:
			return sqlast.Target{}, x
		}
	}
	for f.merged[t.Source] != nil { // another entry of FROM with the same rows, see mergeSelfJoins
		t.Source = f.merged[t.Source]
	}
	return t, nil
}

// resolveColumn is resolveTarget without the expression.
func (f *former) resolveColumn(t sqlast.Target) sqlast.Target {
	t, _ = f.resolveTarget(t)
	return t
}
