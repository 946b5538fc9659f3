package recode

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// rewriteQuery returns a query, which may be nested, for the columns after the edits.
func (r *Rewriter) rewriteQuery(q *sqlast.Query) *sqlast.Query {
	codes := r.resultCodings(q)
	out := *q
	out.Select = r.rewriteSelect(q.Select)
	out.Compound = lists.Map(q.Compound, func(c *sqlast.Compound) *sqlast.Compound {
		return &sqlast.Compound{Pos: c.Pos, Op: c.Op, Select: r.rewriteSelect(c.Select)}
	})
	out.OrderBy = r.rewriteOrderBy(q.OrderBy, codes)
	if q.Limit != nil {
		out.Limit = r.copyUnrecoded(q.Limit).(*sqlast.Limit)
	}
	return &out
}

// rewriteOrderBy returns the terms of ORDER BY for the columns after the edits; results are the codings
// of the query's result columns. A decreasing map reverses the direction of its term. It refuses a
// recoded term with NULLS FIRST or LAST, with a map that keeps no order, or with a decreasing map to several columns. It refuses the
// query if only some terms are reversed: in Spider's grammar, all terms sort in the direction that is
// written last.
func (r *Rewriter) rewriteOrderBy(terms []*sqlast.OrderTerm, results []coding) []*sqlast.OrderTerm {
	var out []*sqlast.OrderTerm
	recodes := slices.ContainsFunc(results, func(c coding) bool { return !c.unchanged() })
	for _, t := range terms {
		c := r.coding(t.Expr)
		switch _, position := t.Expr.(*sqlast.Literal); {
		case position && recodes: // a number of a result column, which may have moved
			panic(refusal(refusedOrder))
		case c.unchanged():
			out = append(out, &sqlast.OrderTerm{Pos: t.Pos, Expr: r.rewriteScalar(t.Expr), Dir: t.Dir, Nulls: t.Nulls})
			continue
		case t.Nulls != "", c.order() == 0, c.order() < 0 && c.width() > 1:
			panic(refusal(refusedOrder))
		}
		dir := t.Dir
		if c.order() < 0 {
			dir = opposite(dir)
		}
		for _, x := range r.rewriteListed(t.Expr) {
			out = append(out, &sqlast.OrderTerm{Pos: t.Pos, Expr: x, Dir: dir})
		}
	}
	if len(directions(out)) > len(directions(terms)) {
		panic(refusal(refusedGrammar))
	}
	return out
}

// opposite returns the other direction; none is ascending.
func opposite(d sqlast.Direction) sqlast.Direction {
	if d == sqlast.Desc {
		return sqlast.Asc
	}
	return sqlast.Desc
}

// directions returns the set of directions that terms sort in: true for descending.
func directions(terms []*sqlast.OrderTerm) map[bool]bool {
	return lists.Set(terms, func(t *sqlast.OrderTerm) bool { return t.Dir == sqlast.Desc })
}

// order returns [Map.order] of the coding's map, 1 without one. Sums and averages sort as their
// numbers do.
func (c coding) order() int {
	if c.unchanged() {
		return 1
	}
	return c.recoding.Map.order()
}

// rewriteSelect returns one SELECT for the columns after the edits. It refuses an alias of a column that
// several replace, and GROUP BY by position if a result column is recoded.
func (r *Rewriter) rewriteSelect(s *sqlast.Select) *sqlast.Select {
	out := *s
	out.Columns, out.GroupBy = nil, nil
	recodes := false
	for _, c := range s.Columns {
		if _, ok := c.Expr.(*sqlast.Star); ok {
			out.Columns = append(out.Columns, sqlast.Clone(c))
			continue
		}
		exprs := r.rewriteListed(c.Expr)
		if len(exprs) > 1 && !c.Alias.IsZero() {
			panic(refusal(refusedSeveral))
		}
		if !r.coding(c.Expr).unchanged() {
			recodes = true
		}
		for _, x := range exprs {
			out.Columns = append(out.Columns, &sqlast.ResultColumn{Pos: c.Pos, Expr: x, Alias: c.Alias})
		}
	}
	out.From = lists.Map(s.From, r.rewriteFromItem)
	out.Where, out.Having = r.rewriteCondition(s.Where), r.rewriteCondition(s.Having)
	for _, x := range s.GroupBy {
		if _, position := x.(*sqlast.Literal); position && recodes { // the number of a result column, which may have moved
			panic(refusal(refusedSeveral))
		}
		out.GroupBy = append(out.GroupBy, r.rewriteListed(x)...)
	}
	rest := r.copyUnrecoded(&sqlast.Select{Windows: s.Windows, Values: s.Values}).(*sqlast.Select)
	out.Windows, out.Values = rest.Windows, rest.Values
	return &out
}

// rewriteFromItem returns an item of FROM for the columns after the edits. It refuses NATURAL and
// USING if they would join by other columns.
func (r *Rewriter) rewriteFromItem(f *sqlast.FromItem) *sqlast.FromItem {
	out := *f
	out.Using = slices.Clone(f.Using)
	if f.Natural && r.readsRecoded() { // new columns could take part, and others not any more
		panic(refusal(refusedJoin))
	}
	for _, j := range r.binding.JoinColumns(f) {
		if !r.targetCoding(j.Left).unchanged() || !r.targetCoding(j.Right).unchanged() {
			panic(refusal(refusedJoin))
		}
	}
	switch src := f.Source.(type) {
	case *sqlast.Derived:
		d := *src
		d.Query = r.rewriteQuery(src.Query)
		out.Source = &d
	case *sqlast.Group:
		g := *src
		g.From = lists.Map(src.From, r.rewriteFromItem)
		out.Source = &g
	default:
		out.Source = r.copyUnrecoded(src).(sqlast.Source)
	}
	out.On = r.rewriteCondition(f.On)
	return &out
}

// readsRecoded reports whether the query names a table with a recoded column.
func (r *Rewriter) readsRecoded() bool {
	return slices.ContainsFunc(r.recodings, func(c *Recoding) bool {
		return slices.ContainsFunc(r.binding.Tables(), func(t string) bool { return strings.EqualFold(c.Table, t) })
	})
}

// rewriteListed returns the expressions that replace x in a list of SELECT, GROUP BY or ORDER BY: one
// for each new column.
func (r *Rewriter) rewriteListed(x sqlast.Expr) []sqlast.Expr {
	ref, ok := x.(*sqlast.ColumnRef)
	if c := r.coding(x); ok && c.width() > 1 {
		return r.newColumnRefs(ref, c)
	}
	return []sqlast.Expr{r.rewriteScalar(x)}
}

// newColumnRefs returns the names of all new columns for the name n of a recoded one.
func (r *Rewriter) newColumnRefs(n *sqlast.ColumnRef, c coding) []sqlast.Expr {
	out := make([]sqlast.Expr, c.width())
	for i := range out {
		out[i] = r.newColumnRef(n, c, i)
	}
	return out
}

// newColumnRef returns the name of the new column at position i for the name n of a recoded one, and
// notes the column that it must resolve to. It refuses an alias or a column of a nested query that several columns would replace.
func (r *Rewriter) newColumnRef(n *sqlast.ColumnRef, c coding, i int) *sqlast.ColumnRef {
	out := *n
	t := r.binding.Target(n)
	if t.Kind != sqlast.Column && c.width() > 1 {
		panic(refusal(refusedOutput))
	}
	if name := r.newColumnName(t, c.recoding.Into[i]); !name.IsZero() {
		out.Column = name
	}
	if t.Kind == sqlast.Column {
		r.wanted[&out] = sqlast.BaseColumn{Table: c.recoding.Table, Column: c.recoding.Into[i].Name}
	}
	return &out
}

// newColumnName returns the name of the new column into for a place where the query names the recoded column as
// t. It returns the zero Ident for an alias, which stays.
func (r *Rewriter) newColumnName(t sqlast.Target, into Column) sqlast.Ident {
	switch t.Kind {
	case sqlast.Column:
		return r.gold.SQL().NewIdent(into.Name)
	case sqlast.Output:
		if inner, ok := t.Result.Expr.(*sqlast.ColumnRef); ok && t.Result.Alias.IsZero() {
			return r.newColumnName(r.binding.Target(inner), into)
		}
	}
	return sqlast.Ident{}
}
