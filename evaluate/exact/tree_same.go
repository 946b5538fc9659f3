package exact

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// withoutTautologies returns the conditions that AND joins to choose rows, without those
// that always hold there: a constant equal to itself, as "1 = 1", and IS NOT NULL of
// what another condition compares, as "a IS NOT NULL" in "a IS NOT NULL AND a > 3".
func (f *former) withoutTautologies(list []sqlast.Expr) []sqlast.Expr {
	var nonNull []string // forms of operands that other conditions compare
	if slices.ContainsFunc(list, isNotNullTest) {
		for _, x := range list {
			nonNull = append(nonNull, f.nonNullOperands(x)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(x sqlast.Expr) bool {
		if isNotNullTest(x) {
			return slices.Contains(nonNull, f.cheapForm(x.(*sqlast.Binary).X))
		}
		eq := sqlast.Equation(x)
		return eq != nil && isConstant(eq.X) && sameLiteral(eq.X, eq.Y)
	})
}

// sameLiteral reports whether two expressions are the same literal.
func sameLiteral(x, y sqlast.Expr) bool {
	l, isLeft := x.(*sqlast.Literal)
	r, isRight := y.(*sqlast.Literal)
	return isLeft && isRight && l.Kind == r.Kind && l.Text == r.Text
}

// isNotNullTest reports whether a condition is IS NOT NULL.
func isNotNullTest(x sqlast.Expr) bool {
	b, ok := x.(*sqlast.Binary)
	return ok && b.Op == "IS NOT" && isNull(b.Y)
}

// cheapForm returns the form of an expression; "" if it is a constant or contains a query, whose form
// would cost too much to be computed twice.
func (f *former) cheapForm(x sqlast.Expr) string {
	if hasQuery(x) {
		return ""
	}
	return strings.TrimPrefix(f.exprForm(x), anyValue)
}

// hasQuery reports whether there is a nested query in a part of a query.
func hasQuery(n sqlast.Node) bool {
	return sqlast.Contains(n, func(*sqlast.Query) bool { return true })
}

// nonNullOperands returns the forms of the operands that are not NULL if a condition is true:
// "a < b" → a, b. "a NOT IN (SELECT …)" has none: it holds if the query is empty.
func (f *former) nonNullOperands(x sqlast.Expr) (operands []string) {
	switch x := x.(type) {
	case *sqlast.Binary:
		switch x.Op {
		case "=", "!=", "<", "<=", ">", ">=":
			operands = []string{f.cheapForm(x.X), f.cheapForm(x.Y)}
		}
	case *sqlast.Between:
		operands = []string{f.cheapForm(x.X)}
	case *sqlast.Like:
		operands = []string{f.cheapForm(x.X)}
	case *sqlast.In:
		if isConstantList(x) || !x.Not {
			operands = []string{f.cheapForm(x.X)}
		}
	case *sqlast.Unary:
		// NULL is not in an empty set, so NOT makes IN of a query hold.
		if in, ok := x.X.(*sqlast.In); x.Op == "NOT" && (!ok || isConstantList(in)) {
			return f.nonNullOperands(x.X)
		}
	}
	return slices.DeleteFunc(operands, func(s string) bool { return s == "" })
}

// isNull reports whether an expression is the literal NULL.
func isNull(x sqlast.Expr) bool {
	l, ok := x.(*sqlast.Literal)
	return ok && l.Kind == sqlast.NullLiteral
}

// countsRows reports whether a call counts all rows: count(*), count of a constant, or
// count of a primary key, which is NULL only after an outer join.
func (f *former) countsRows(x *sqlast.Call) bool {
	switch {
	case x.Star:
		return true
	case !x.Name.Is("count"), x.Distinct, len(x.Args) != 1:
		return false
	case isConstant(x.Args[0]):
		return true
	}
	ref, ok := x.Args[0].(*sqlast.ColumnRef)
	if !ok || f.outer {
		return false
	}
	t, ok := f.ownColumn(ref)
	return ok && f.isDeclaredNotNull(t)
}

// ownColumn returns the target of a name; ok reports whether the target is a column in FROM of the current SELECT,
// rather than of a query around it.
func (f *former) ownColumn(ref *sqlast.ColumnRef) (t sqlast.Target, ok bool) {
	t, inlined := f.resolveRef(ref)
	return t, inlined == nil && t.Source != nil && slices.Contains(f.sources, t.Source)
}

// filterToWhere moves the condition of the CASE or FILTER of a query's only result, an aggregate, to
// WHERE, because aggregates ignore NULL. conds are the conditions of WHERE; it returns the new ones:
//
//	SELECT sum(CASE WHEN a > 1 THEN b END) FROM t → SELECT sum(b) FROM t WHERE a > 1
//
// It does so only in the outermost query, whose columns no other query names.
func (f *former) filterToWhere(b block, conds []sqlast.Expr) (block, []sqlast.Expr) {
	switch {
	case f.depth > 0, len(b.Columns) != 1, b.GroupBy != nil, b.Having != nil, b.order != nil:
		return b, conds // a condition in WHERE would also drop rows from the other results, groups or conditions
	}
	call, ok := b.Columns[0].Expr.(*sqlast.Call)
	switch {
	case !ok, !isAggregate(call), call.Over != nil:
		return b, conds
	case !call.Star && len(call.Args) != 1:
		return b, conds // max(a, b) is no aggregate
	}
	aggregate := *call
	if aggregate.Filter != nil {
		conds, aggregate.Filter = append(conds, sqlast.Conjuncts(aggregate.Filter)...), nil
	}
	if when := soleWhen(&aggregate); when != nil {
		conds = append(conds, sqlast.Conjuncts(when.Cond)...)
		aggregate.Args = []sqlast.Expr{when.Result}
	}
	// count(*) of the rows in which a column is not NULL is count of the column. Several such tests stay: any of their
	// columns could be counted.
	if i := slices.IndexFunc(conds, isNotNullTest); i >= 0 && f.countsRows(&aggregate) && !slices.ContainsFunc(conds[i+1:], isNotNullTest) {
		aggregate.Star, aggregate.Args = false, []sqlast.Expr{conds[i].(*sqlast.Binary).X}
		conds = slices.Delete(slices.Clone(conds), i, i+1)
	}
	s := *b.Select
	s.Columns = []*sqlast.ResultColumn{{Expr: &aggregate}}
	b.Select = &s
	return b, conds
}

// soleWhen returns the only branch of the CASE that an aggregate has as its argument, or
// nil if the argument is no CASE, or one that has several branches or another value than NULL
// elsewhere.
func soleWhen(call *sqlast.Call) *sqlast.When {
	if call.Star {
		return nil
	}
	c, ok := call.Args[0].(*sqlast.Case)
	if !ok || c.Operand != nil || len(c.Whens) != 1 {
		return nil
	}
	if c.Else != nil && !isNull(c.Else) {
		return nil
	}
	return c.Whens[0]
}

// existsAsIn returns the two sides of the IN that is equivalent to EXISTS, if the query of EXISTS compares
// one of its columns with a column of the current SELECT; query is nil otherwise:
//
//	EXISTS (SELECT 1 FROM t WHERE t.id = u.id AND t.a > 1) → u.id IN (SELECT t.id FROM t WHERE t.a > 1)
//
// The caller must not use it for NOT EXISTS, because NULL among the values makes NOT IN differ.
func (f *former) existsAsIn(x *sqlast.Exists) (value sqlast.Expr, query *sqlast.Query) {
	s := x.Query.Select
	switch {
	case !singleSelect(x.Query), x.Query.Limit != nil, !hasOnlyInnerJoins(s.From), (block{Select: s}).isGrouped():
		return nil, nil
	}
	list := sqlast.Conjuncts(s.Where)
	for i, c := range list {
		eq := sqlast.Equation(c)
		if eq == nil {
			continue
		}
		for _, sides := range [][2]sqlast.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if f.isColumnOf(s, sides[0]) && f.isOwnColumn(sides[1]) {
				inner := block{Select: s}.withJoins(s.From, slices.Delete(list, i, i+1))
				inner.Columns = []*sqlast.ResultColumn{{Expr: sides[0]}}
				return sides[1], &sqlast.Query{Select: inner.Select}
			}
		}
	}
	return nil, nil
}

// isColumnOf reports whether an expression is a column of the FROM of a SELECT.
func (f *former) isColumnOf(s *sqlast.Select, x sqlast.Expr) bool {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	src := f.b.Target(ref).Source
	return src != nil && slices.ContainsFunc(s.From, func(item *sqlast.FromItem) bool { return item.Source == src })
}

// isOwnColumn reports whether an expression is a column of the current SELECT's FROM.
func (f *former) isOwnColumn(x sqlast.Expr) bool {
	return slices.Contains(f.sources, f.keyOf(x).source)
}

// mergeUnion returns the form of one SELECT DISTINCT for queries that UNION joins and that differ only in
// WHERE, with their conditions joined by OR; nil for other queries. INTERSECT joins them by AND if the select
// list has the table's key, as all conditions are then on one row. cores are their forms:
//
//	SELECT a FROM t WHERE b = 1 UNION SELECT a FROM t WHERE b = 2 → SELECT DISTINCT a FROM t WHERE b = 1 OR b = 2
func (f *former) mergeUnion(q *sqlast.Query, cores []*core, distinct bool) *core {
	if q.OrderBy != nil || q.Limit != nil || (block{Select: q.Select}).isGrouped() {
		return nil
	}
	op := q.Compound[0].Op
	if slices.ContainsFunc(q.Compound, func(c *sqlast.Compound) bool { return c.Op != op }) {
		return nil
	}
	merged := *cores[0]
	if slices.ContainsFunc(cores, func(c *core) bool { return !c.differsInWhere(&merged) }) {
		return nil
	}
	merged.rowsDiffer = !slices.ContainsFunc(cores, func(c *core) bool { return !c.rowsDiffer })
	var conds []*condForm
	for _, c := range cores {
		if c.where != nil {
			conds = append(conds, c.where)
		}
	}
	switch {
	case op == sqlast.Intersect && merged.rowsDiffer:
		merged.where = connect("AND", conds)
	case op != sqlast.Union:
		return nil
	case len(conds) < len(cores): // one of them has no WHERE, so all rows are in the union
		merged.where = nil
	default:
		merged.where = connect("OR", conds)
	}
	distinct = distinct && !merged.rowsDiffer
	merged.words = nil
	merged.addWords(distinct)
	merged.addConditionWords(merged.where)
	merged.compose(f, distinct)
	return &merged
}

// differsInWhere reports whether two SELECTs without groups have the same tables and select list.
func (c *core) differsInWhere(other *core) bool {
	return c.group+c.having == "" && c.tables == other.tables && slices.Equal(c.written, other.written)
}
