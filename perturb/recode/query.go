package recode

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// query returns the query over recoded columns.
func (r *Rewriter) query(q *sqlast.Query) *sqlast.Query {
	codes := r.outputs(q)
	out := *q
	out.Select = r.selection(q.Select)
	out.Compound = make([]*sqlast.Compound, len(q.Compound))
	for i, c := range q.Compound {
		out.Compound[i] = &sqlast.Compound{Pos: c.Pos, Op: c.Op, Select: r.selection(c.Select)}
	}
	out.OrderBy = r.orderBy(q.OrderBy, codes)
	if q.Limit != nil {
		out.Limit = r.copyPlain(q.Limit).(*sqlast.Limit)
	}
	return &out
}

// orderBy returns the terms over recoded columns. If only some terms turn round, Spider's grammar
// cannot express them: in it, all terms sort in the direction that is written last.
func (r *Rewriter) orderBy(terms []*sqlast.OrderTerm, codes []coding) []*sqlast.OrderTerm {
	var out []*sqlast.OrderTerm
	moved := slices.ContainsFunc(codes, func(c coding) bool { return !c.plain() })
	for _, t := range terms {
		c := r.coding(t.Expr)
		switch _, position := t.Expr.(*sqlast.Literal); {
		case position && moved:
			refuse(refusedOrder)
		case c.plain():
			out = append(out, &sqlast.OrderTerm{Pos: t.Pos, Expr: r.value(t.Expr), Dir: t.Dir, Nulls: t.Nulls})
			continue
		case t.Nulls != "", c.order() == 0, c.order() < 0 && c.width() > 1:
			refuse(refusedOrder)
		}
		dir := t.Dir
		if c.order() < 0 {
			dir = reversed(dir)
		}
		for _, x := range r.values(t.Expr) {
			out = append(out, &sqlast.OrderTerm{Pos: t.Pos, Expr: x, Dir: dir})
		}
	}
	if len(directions(out)) > len(directions(terms)) {
		refuse(refusedGrammar)
	}
	return out
}

// reversed returns the other direction.
func reversed(d sqlast.Direction) sqlast.Direction {
	if d == sqlast.Desc {
		return sqlast.Asc
	}
	return sqlast.Desc
}

// directions returns the directions that terms sort in.
func directions(terms []*sqlast.OrderTerm) map[bool]bool {
	set := map[bool]bool{}
	for _, t := range terms {
		set[t.Dir == sqlast.Desc] = true
	}
	return set
}

// order is [ValueMap.order]; sums and averages sort as their numbers do.
func (c coding) order() int {
	if c.plain() {
		return 1
	}
	return c.recoding.Map.order()
}

// selection returns one SELECT over recoded columns.
func (r *Rewriter) selection(s *sqlast.Select) *sqlast.Select {
	out := *s
	out.Columns, out.From, out.GroupBy = nil, make([]*sqlast.FromItem, len(s.From)), nil
	recodes := false
	for _, c := range s.Columns {
		if _, ok := c.Expr.(*sqlast.Star); ok {
			out.Columns = append(out.Columns, sqlast.Clone(c))
			continue
		}
		exprs := r.values(c.Expr)
		if len(exprs) > 1 && !c.Alias.IsZero() {
			refuse(refusedSeveral)
		}
		if !r.coding(c.Expr).plain() {
			recodes = true
		}
		for _, x := range exprs {
			out.Columns = append(out.Columns, &sqlast.ResultColumn{Pos: c.Pos, Expr: x, Alias: c.Alias})
		}
	}
	for i, f := range s.From {
		out.From[i] = r.fromItem(f)
	}
	out.Where, out.Having = r.condition(s.Where), r.condition(s.Having)
	for _, x := range s.GroupBy {
		if _, position := x.(*sqlast.Literal); position && recodes {
			refuse(refusedSeveral)
		}
		out.GroupBy = append(out.GroupBy, r.values(x)...)
	}
	rest := r.copyPlain(&sqlast.Select{Windows: s.Windows, Values: s.Values}).(*sqlast.Select)
	out.Windows, out.Values = rest.Windows, rest.Values
	return &out
}

// fromItem returns a source of FROM over recoded columns. It refuses NATURAL and USING if they
// would join by other columns.
func (r *Rewriter) fromItem(f *sqlast.FromItem) *sqlast.FromItem {
	out := *f
	out.Using = slices.Clone(f.Using)
	if f.Natural && r.readsRecoded() { // new columns could take part, and others not any more
		refuse(refusedJoin)
	}
	for _, j := range r.b.JoinColumns(f) {
		if !r.target(j.Left).plain() || !r.target(j.Right).plain() {
			refuse(refusedJoin)
		}
	}
	switch src := f.Source.(type) {
	case *sqlast.Derived:
		d := *src
		d.Query = r.query(src.Query)
		out.Source = &d
	case *sqlast.Group:
		g := *src
		g.From = make([]*sqlast.FromItem, len(src.From))
		for i, item := range src.From {
			g.From[i] = r.fromItem(item)
		}
		out.Source = &g
	default:
		out.Source = r.copyPlain(src).(sqlast.Source)
	}
	out.On = r.condition(f.On)
	return &out
}

// readsRecoded reports whether the query names a table with a recoded column.
func (r *Rewriter) readsRecoded() bool {
	return slices.ContainsFunc(r.recodings, func(c *Recoding) bool {
		return slices.ContainsFunc(r.b.Tables(), func(t string) bool { return strings.EqualFold(c.Table, t) })
	})
}

// values returns the expressions that replace x in a list of SELECT, GROUP BY or ORDER BY: one
// for each new column.
func (r *Rewriter) values(x sqlast.Expr) []sqlast.Expr {
	ref, ok := x.(*sqlast.ColumnRef)
	if c := r.coding(x); ok && c.width() > 1 {
		return r.refs(ref, c)
	}
	return []sqlast.Expr{r.value(x)}
}

// refs returns the names of all new columns for the name of a recoded one.
func (r *Rewriter) refs(n *sqlast.ColumnRef, c coding) []sqlast.Expr {
	out := make([]sqlast.Expr, c.width())
	for i := range out {
		out[i] = r.ref(n, c, i)
	}
	return out
}

// ref returns the name of the new column at position i for the name of a recoded one.
func (r *Rewriter) ref(n *sqlast.ColumnRef, c coding, i int) *sqlast.ColumnRef {
	out := *n
	t := r.b.Target(n)
	if t.Kind != sqlast.Column && c.width() > 1 {
		refuse(refusedOutput)
	}
	if name := r.rename(t, c.recoding.Into[i]); !name.IsZero() {
		out.Column = name
	}
	if t.Kind == sqlast.Column {
		r.wanted[&out] = sqlast.BaseColumn{Table: c.recoding.Table, Column: c.recoding.Into[i].Name}
	}
	return &out
}

// rename returns the new name of a recoded column, the zero Ident for an alias, which stays.
func (r *Rewriter) rename(t sqlast.Target, into Column) sqlast.Ident {
	switch t.Kind {
	case sqlast.Column:
		return sqlast.NewIdent(into.Name)
	case sqlast.Output:
		if inner, ok := t.Result.Expr.(*sqlast.ColumnRef); ok && t.Result.Alias.IsZero() {
			return r.rename(r.b.Target(inner), into)
		}
	}
	return sqlast.Ident{}
}
