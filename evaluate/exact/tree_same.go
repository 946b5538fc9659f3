package exact

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// effective returns the conditions of a conjunction that rows are chosen by, without
// those that hold anyway: that a constant is itself, and that what another of them
// compares is not NULL.
func (f *former) effective(list []sqlast.Expr) []sqlast.Expr {
	var compared []string
	if slices.ContainsFunc(list, testsNull) {
		for _, x := range list {
			compared = append(compared, f.compared(x)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(x sqlast.Expr) bool {
		b, ok := x.(*sqlast.Binary)
		if !ok {
			return false
		}
		if testsNull(x) {
			return slices.Contains(compared, f.plain(b.X))
		}
		l, isLeft := b.X.(*sqlast.Literal)
		r, isRight := b.Y.(*sqlast.Literal)
		return b.Op == "=" && isLeft && isRight && isConstant(l) && l.Kind == r.Kind && l.Text == r.Text
	})
}

// testsNull reports whether a condition is that something is not NULL.
func testsNull(x sqlast.Expr) bool {
	b, ok := x.(*sqlast.Binary)
	return ok && b.Op == "IS NOT" && isNull(b.Y)
}

// plain returns the form of an expression without queries in it, which would be read
// again and again; of others, and of constants, it is empty.
func (f *former) plain(x sqlast.Expr) string {
	for range sqlast.All[*sqlast.Query](x) {
		return ""
	}
	return strings.TrimPrefix(f.expr(x), anyValue)
}

// compared returns the sides of a condition that does not hold of NULL.
func (f *former) compared(x sqlast.Expr) (sides []string) {
	switch x := x.(type) {
	case *sqlast.Binary:
		if slices.Contains([]string{"=", "!=", "<", "<=", ">", ">="}, x.Op) {
			sides = []string{f.plain(x.X), f.plain(x.Y)}
		}
	case *sqlast.Between:
		sides = []string{f.plain(x.X)}
	case *sqlast.Like:
		sides = []string{f.plain(x.X)}
	case *sqlast.In:
		if oneOf(x) || !x.Not {
			sides = []string{f.plain(x.X)}
		}
	case *sqlast.Unary:
		// Of no values nothing is one, NULL neither.
		if in, ok := x.X.(*sqlast.In); x.Op == "NOT" && (!ok || oneOf(in)) {
			return f.compared(x.X)
		}
	}
	return slices.DeleteFunc(sides, func(s string) bool { return s == "" })
}

func isNull(x sqlast.Expr) bool {
	l, ok := x.(*sqlast.Literal)
	return ok && l.Kind == sqlast.NullLiteral
}

// countsRows reports whether a call counts all rows: count(*), of a constant, or of a
// primary key, which is never NULL but behind an outer join.
func (f *former) countsRows(x *sqlast.Call) bool {
	switch {
	case x.Star:
		return true
	case !x.Name.Is("count") || x.Distinct || len(x.Args) != 1:
		return false
	case isConstant(x.Args[0]):
		return true
	}
	ref, ok := x.Args[0].(*sqlast.ColumnRef)
	if !ok || f.outer {
		return false
	}
	t, inlined := f.origin(ref)
	if inlined != nil || t.Kind != sqlast.Column || !slices.Contains(f.sources, t.Source) {
		return false
	}
	table, isBase := t.Source.(*sqlast.Table)
	return isBase && f.b.BaseTable(table) != "" && f.schema.primary[[2]string{strings.ToLower(t.Table), strings.ToLower(t.Column)}]
}

// countedCase makes of a query for count(CASE WHEN condition THEN 1 END) alone one that
// counts the rows of the condition. Only the outermost has no columns that others name.
func (f *former) countedCase(b block, conds []sqlast.Expr) (block, []sqlast.Expr) {
	if f.depth > 0 || len(b.Columns) != 1 || b.GroupBy != nil || b.Having != nil || b.order != nil {
		return b, conds
	}
	call, ok := b.Columns[0].Expr.(*sqlast.Call)
	if !ok || !call.Name.Is("count") || call.Distinct || call.Filter != nil || call.Over != nil || len(call.Args) != 1 {
		return b, conds
	}
	c, ok := call.Args[0].(*sqlast.Case)
	if !ok || c.Operand != nil || len(c.Whens) != 1 || !isConstant(c.Whens[0].Result) || c.Else != nil && !isNull(c.Else) {
		return b, conds
	}
	s := *b.Select
	s.Columns = []*sqlast.ResultColumn{{Expr: &sqlast.Call{Name: call.Name, Star: true}}}
	b.Select = &s
	return b, conjuncts(c.Whens[0].Cond, conds)
}

// member makes of EXISTS a condition that a value is among those of its query, where the
// query asks for one that equals a column around it. Of NOT EXISTS it is none: NULL among
// the values makes a difference then.
func (f *former) member(x *sqlast.Exists) (value sqlast.Expr, among *sqlast.Query) {
	s := x.Query.Select
	if x.Query.With != nil || len(x.Query.Compound) > 0 || x.Query.Limit != nil || s.GroupBy != nil || s.Having != nil || s.Values != nil || !onlyInner(s.From) || (block{Select: s}).grouped() {
		return nil, nil
	}
	list := conjuncts(s.Where, nil)
	for i, c := range list {
		b, ok := c.(*sqlast.Binary)
		if !ok || b.Op != "=" {
			continue
		}
		for _, sides := range [][2]sqlast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if f.within(s, sides[0]) && f.around(sides[1]) {
				inner := *s
				inner.Columns = []*sqlast.ResultColumn{{Expr: sides[0]}}
				inner.Where = nil
				for j, other := range list {
					if j != i {
						inner.Where = both(inner.Where, other)
					}
				}
				return sides[1], &sqlast.Query{Select: &inner}
			}
		}
	}
	return nil, nil
}

// within reports whether an expression is a column of the FROM of a query.
func (f *former) within(s *sqlast.Select, x sqlast.Expr) bool {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	src := f.b.Target(ref).Source
	return src != nil && slices.ContainsFunc(s.From, func(item *sqlast.FromItem) bool { return item.Source == src })
}

// around reports whether an expression is a column of the SELECT in work.
func (f *former) around(x sqlast.Expr) bool {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	t, inlined := f.origin(ref)
	return inlined == nil && t.Source != nil && slices.Contains(f.sources, t.Source)
}

// united makes one SELECT DISTINCT of queries that UNION joins and that differ in WHERE
// alone; it is nil where they are not such.
func (f *former) united(q *sqlast.Query, cores []*core, distinct bool) *core {
	if q.OrderBy != nil || q.Limit != nil || (block{Select: q.Select}).grouped() {
		return nil
	}
	c := *cores[0]
	var conds []*cond
	for i, other := range cores {
		if i > 0 && q.Compound[i-1].Op != sqlast.Union || other.tables != c.tables || other.group+other.having != "" || !slices.Equal(other.written, c.written) {
			return nil
		}
		if other.where != nil {
			conds = append(conds, other.where)
		}
	}
	if c.where = connect("OR", conds); len(conds) < len(cores) {
		c.where = nil // one of them takes all rows
	}
	c.words = nil
	c.addWords(distinct)
	c.addConditionWords(c.where)
	c.compose(f, distinct)
	return &c
}
