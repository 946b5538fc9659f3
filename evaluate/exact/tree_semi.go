package exact

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// joinQueries merges nested queries of FROM and WHERE into a SELECT, as far as the answer stays the same: each rewriting
// may make another one possible. counts is whether repeated rows of the SELECT count.
func (f *former) joinQueries(b block, counts bool) block {
	for more := true; more; {
		b, more = f.semiJoins(f.antiJoin(f.inlineQueries(b)), counts)
	}
	return f.firstKey(f.mergeSelfJoins(b))
}

// innerJoins returns the entries of FROM without parentheses and ON, and the conditions of ON and WHERE; ok is
// false if one of the joins is an outer join.
func innerJoins(s *sqlast.Select) (items []*sqlast.FromItem, conds []sqlast.Expr, ok bool) {
	ok = true
	for _, item := range s.From {
		if g, isGroup := item.Source.(*sqlast.Group); isGroup {
			inner, on, isInner := innerJoins(&sqlast.Select{From: g.From})
			items, conds, ok = append(items, inner...), append(conds, on...), ok && isInner
		} else if item.On != nil {
			items = append(items, &sqlast.FromItem{Op: item.Op, Source: item.Source})
		} else {
			items = append(items, item)
		}
		conds, ok = append(conds, sqlast.Conjuncts(item.On)...), ok && !item.Op.Outer()
	}
	return items, append(conds, sqlast.Conjuncts(s.Where)...), ok
}

// withJoins returns b with other entries of FROM and other conditions.
func (b block) withJoins(items []*sqlast.FromItem, conds []sqlast.Expr) block {
	s := *b.Select
	s.From, s.Where = items, sqlast.Conjunction(conds...)
	return block{&s, b.order, b.limit}
}

// semiJoins moves the queries of IN and EXISTS to FROM where that repeats no row: the query has one row at most
// for each row, because its conditions fix its tables' keys, or repeated rows do not count:
//
//	SELECT a FROM t WHERE b IN (SELECT id FROM u WHERE c = 1) → SELECT a FROM t, u WHERE b = id AND c = 1
//	SELECT DISTINCT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE d = b) → SELECT DISTINCT a FROM t, u WHERE d = b
//
// They do not count after DISTINCT, for IN of a query around this one (counts is unset), and if the select list
// has the keys of all tables, so that DISTINCT changes nothing.
func (f *former) semiJoins(b block, counts bool) (block, bool) {
	items, conds, ok := innerJoins(b.Select)
	if !ok || hasStar(b.Select) || len(items) == 0 {
		return b, false
	}
	// Aggregates count repeated rows, and so may a set operation.
	repeatsMatter := f.inCompound || b.isGrouped() || f.repeatsCount(b, counts)
	var where []sqlast.Expr
	joined, distinct := items, b.Distinct
	for _, x := range conds {
		inner, on, ok := f.membership(x)
		once := ok && f.fixedBy(inner, nil, on).all() // the joined query has one row at most for each row of b
		if !ok || repeatsMatter && !once {
			where = append(where, x)
			continue
		}
		joined, where, distinct = append(joined, inner...), append(where, on...), distinct || !once
	}
	result := b.withJoins(joined, where)
	result.Distinct = distinct
	return result, len(joined) > len(items)
}

// repeatsCount reports whether repeated rows of an ungrouped SELECT change its answer; counts is whether its reader counts them. They
// do not without such a reader and LIMIT, with DISTINCT and no ORDER BY, and where no two rows can be equal.
func (f *former) repeatsCount(b block, counts bool) bool {
	if b.limit == nil && !counts || b.Distinct && b.order == nil {
		return false
	}
	return !f.isKeyed(b)
}

// membership returns a condition IN or EXISTS as the entries of FROM and the conditions of a join: the condition is true
// if conds are true for some row of items. ok is false for other conditions and queries.
func (f *former) membership(x sqlast.Expr) (items []*sqlast.FromItem, conds []sqlast.Expr, ok bool) {
	var q *sqlast.Query
	var equal []sqlast.Expr
	switch x := x.(type) {
	case *sqlast.In:
		if x.Not || f.keyOf(x.X).source == nil || !hasOneColumn(x.Query) {
			return nil, nil, false // for values other than columns, IN and = differ in collations
		}
		q, equal = x.Query, []sqlast.Expr{&sqlast.Binary{Op: "=", X: x.X, Y: x.Query.Select.Columns[0].Expr}}
	case *sqlast.Exists:
		q = x.Query
	}
	if q == nil || !choosesRows(q) || q.Select.Windows != nil {
		return nil, nil, false
	}
	items, conds, ok = innerJoins(q.Select)
	return items, append(conds, equal...), ok && len(items) > 0
}

// hasOneColumn reports whether a query, which may be nil, shows one column by an expression.
func hasOneColumn(q *sqlast.Query) bool {
	return q != nil && len(q.Select.Columns) == 1 && !hasStar(q.Select)
}

// choosesRows reports whether a query is one SELECT that has a row, or a repeated one, for each row that WHERE chooses.
func choosesRows(q *sqlast.Query) bool {
	return singleSelect(q) && q.Limit == nil && !(block{Select: q.Select, order: q.OrderBy}).isGrouped()
}

// joinedSet replaces entry i of FROM, the distinct values of one column, by IN if only one equation reads them:
//
//	SELECT a FROM t JOIN (SELECT DISTINCT c FROM u) AS d ON t.b = d.c → SELECT a FROM t WHERE b IN (SELECT c FROM u)
func (f *former) joinedSet(b block, i int, inner block) (block, bool) {
	src := b.From[i].Source
	items, conds, _ := innerJoins(b.Select)
	isSet := inner.Distinct && !inner.isGrouped() && !inner.isBounded() && hasOneColumn(&sqlast.Query{Select: inner.Select})
	if !isSet || hasStar(b.Select) || !hasOnlyInnerJoins(b.From) || f.countReads(b, src) != 1 {
		return b, false
	}
	items = slices.DeleteFunc(items, func(item *sqlast.FromItem) bool { return item.Source == src })
	if len(items) == 0 {
		return b, false
	}
	for n, x := range conds {
		if operand := f.equatedWith(src, x); operand != nil {
			conds[n] = &sqlast.In{X: operand, Query: &sqlast.Query{Select: inner.Select}}
			return b.withJoins(items, conds), true
		}
	}
	return b, false
}

// equatedWith returns the column that a condition equates with a column of a source; nil for other conditions.
func (f *former) equatedWith(src sqlast.Source, x sqlast.Expr) sqlast.Expr {
	eq := sqlast.Equation(x)
	if eq == nil {
		return nil
	}
	left, right := f.keyOf(eq.X).source, f.keyOf(eq.Y).source
	switch {
	case left == src && right != nil:
		return eq.Y
	case right == src && left != nil:
		return eq.X
	}
	return nil
}

// joinSets replaces each INTERSECT by EXISTS and each EXCEPT by NOT EXISTS, from the left up to the first that cannot be:
//
//	SELECT id FROM t EXCEPT SELECT c FROM u → SELECT DISTINCT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE c = id)
//
// No column of the first SELECT may hold NULL, because NULL equals NULL in a set operation, but nothing in a condition.
// Compared columns must have the same type, because set operations compare 1 and '1' without conversion.
func (f *former) joinSets(q *sqlast.Query) *sqlast.Query {
	for q.OrderBy == nil && q.Limit == nil && len(q.Compound) > 0 {
		exists := f.setAsExists(q.Select, q.Compound[0])
		if exists == nil {
			break
		}
		s := *q.Select
		s.Distinct, s.Where = true, sqlast.Conjunction(s.Where, exists)
		q = &sqlast.Query{With: q.With, Select: &s, Compound: q.Compound[1:]}
	}
	return q
}

// setAsExists returns the condition EXISTS or NOT EXISTS that c, an INTERSECT or EXCEPT, puts on the rows of first; nil if
// there is none.
func (f *former) setAsExists(first *sqlast.Select, c *sqlast.Compound) sqlast.Expr {
	isSetOp := slices.Contains([]sqlast.SetOp{sqlast.Intersect, sqlast.Except}, c.Op)
	areSimple := choosesColumns(first) && choosesColumns(c.Select)
	if !isSetOp || !areSimple || len(first.Columns) != len(c.Select.Columns) {
		return nil
	}
	_, _, firstInner := innerJoins(first)
	items, conds, inner := innerJoins(c.Select)
	if !firstInner || !inner {
		return nil
	}
	for i, column := range first.Columns {
		x, y := column.Expr, c.Select.Columns[i].Expr
		ref, isColumn := x.(*sqlast.ColumnRef)
		if !isColumn || !f.isDeclaredNotNull(f.b.Target(ref)) || f.typeOf(x) != f.typeOf(y) {
			return nil
		}
		conds = append(conds, &sqlast.Binary{Op: "=", X: x, Y: y})
	}
	partner := block{Select: &sqlast.Select{Columns: []*sqlast.ResultColumn{{Expr: one}}}}.withJoins(items, conds)
	exists := &sqlast.Exists{Query: &sqlast.Query{Select: partner.Select}}
	if c.Op == sqlast.Except {
		return &sqlast.Unary{Op: "NOT", X: exists}
	}
	return exists
}

// choosesColumns reports whether a SELECT only chooses rows of tables and names the columns that it shows.
func choosesColumns(s *sqlast.Select) bool {
	if s.Values != nil || s.Windows != nil || hasStar(s) {
		return false
	}
	return len(s.From) > 0 && !(block{Select: s}).isGrouped()
}

// mergeSelfJoins merges two entries of FROM that are the same table, joined on its key, so that they have the same rows:
//
//	SELECT a.x FROM t AS a JOIN t AS b ON a.id = b.id WHERE b.y = 1 → SELECT x FROM t WHERE y = 1
func (f *former) mergeSelfJoins(b block) block {
	items, conds, _ := innerJoins(b.Select)
	if !hasOnlyInnerJoins(items) || hasStar(b.Select) {
		return b
	}
	for n, x := range conds {
		eq := sqlast.Equation(x)
		if eq == nil {
			continue
		}
		left, right := f.keyOf(eq.X), f.keyOf(eq.Y)
		i := slices.IndexFunc(items, func(item *sqlast.FromItem) bool { return item.Source == left.source })
		j := slices.IndexFunc(items, func(item *sqlast.FromItem) bool { return item.Source == right.source })
		if min(i, j) < 0 || i == j || left.column != right.column {
			continue
		}
		// The equated column is a key if it determines the row.
		if isKey := f.fixedBy(items[j:j+1], []sqlast.Expr{eq.Y}, nil).all(); isKey && f.baseForm(left.source) == f.baseForm(right.source) {
			f.merged[right.source] = left.source
			return f.mergeSelfJoins(b.withJoins(slices.Delete(items, j, j+1), slices.Delete(conds, n, n+1)))
		}
	}
	return b
}

// isKeyed reports whether the select list determines the row of each table, as with all their keys, so that no two rows of
// the result are equal.
func (f *former) isKeyed(b block) bool {
	return f.fixedIn(b, lists.Map(b.Columns, func(c *sqlast.ResultColumn) sqlast.Expr { return c.Expr })).all()
}

// maxKeys bounds the terms of GROUP BY that are compared with each other.
const maxKeys = 32

// groupKeys returns the terms of GROUP BY without those that the others determine, such as further columns of a table
// whose key is one of them:
//
//	SELECT a, count(*) FROM t GROUP BY id, a → SELECT a, count(*) FROM t GROUP BY id
func (f *former) groupKeys(b block) []sqlast.Expr {
	keys := groupByColumns(b)
	for i := min(len(keys), maxKeys) - 1; i >= 0 && len(keys) > 1; i-- {
		if others := slices.Delete(slices.Clone(keys), i, i+1); f.fixedIn(b, others).has(keys[i]) {
			keys = others
		}
	}
	return keys
}

// A fixed stores what is determined in the rows of FROM once some values are known: a column if it has one value, and an
// entry of FROM if it has one row at most.
type fixed struct {
	f     *former
	items []*sqlast.FromItem
	known map[columnKey]bool // columns, and entries of FROM as a column with the name ""
}

// fixedIn returns what values determine in a SELECT. The conditions of an outer join determine nothing.
func (f *former) fixedIn(b block, values []sqlast.Expr) *fixed {
	items, conds, ok := innerJoins(b.Select)
	if !ok {
		conds = nil
	}
	return f.fixedBy(items, values, conds)
}

// fixedBy returns what values determine in the entries of FROM if conditions hold: a column is determined if it equals a
// determined one or one of a query around this one, and a row is if a key of its table is. It repeats both rules until
// they add nothing.
func (f *former) fixedBy(items []*sqlast.FromItem, values, conds []sqlast.Expr) *fixed {
	x := &fixed{f, items, map[columnKey]bool{}}
	for _, v := range values {
		if star, ok := v.(*sqlast.Star); ok {
			for _, t := range f.b.Star(star) {
				x.known[f.columnKey(f.resolveColumn(t))] = true
			}
		}
		x.known[f.keyOf(v)] = true
	}
	for size := -1; size < len(x.known); {
		size = len(x.known)
		for _, c := range conds {
			if eq := sqlast.Equation(c); eq != nil {
				x.addEqual(eq.X, eq.Y)
				x.addEqual(eq.Y, eq.X)
			}
		}
		for _, item := range items {
			if table, ok := item.Source.(*sqlast.Table); ok && x.hasKey(table) { // then the row is determined, known by the name ""
				x.known[columnKey{table, ""}] = true
			}
		}
	}
	return x
}

// hasKey reports whether all columns of a key of a table are determined.
func (x *fixed) hasKey(table *sqlast.Table) bool {
	isUnknown := func(column string) bool { return !x.known[columnKey{table, column}] }
	keys := x.f.schema.unique[strings.ToLower(x.f.b.BaseTable(table))]
	return slices.ContainsFunc(keys, func(key []string) bool { return !slices.ContainsFunc(key, isUnknown) })
}

// addEqual adds the column e if value, which e equals, is determined. A column of text must equal text, because several
// texts equal one number.
func (x *fixed) addEqual(e, value sqlast.Expr) {
	key, typ := x.f.keyOf(e), x.f.typeOf(e)
	if key.source == nil || !x.has(value) {
		return
	}
	if typ == dataset.Number || typ == x.f.typeOf(value) {
		x.known[key] = true
	}
}

// has reports whether an expression is a determined column: known itself, of a determined row, or of a query around this
// one, whose rows are given.
func (x *fixed) has(e sqlast.Expr) bool {
	key := x.f.keyOf(e)
	isOwn := slices.ContainsFunc(x.items, func(item *sqlast.FromItem) bool { return item.Source == key.source })
	isKnown := x.known[key] || x.known[columnKey{key.source, ""}] // the second entry is the row
	return key.source != nil && (isKnown || !isOwn)
}

// all reports whether every entry of FROM has one row at most.
func (x *fixed) all() bool {
	return len(x.items) > 0 && !slices.ContainsFunc(x.items, func(item *sqlast.FromItem) bool { return !x.known[columnKey{item.Source, ""}] })
}

// keyOf returns the column that an expression names, also through inlined queries and aliases; its source is nil if the
// expression names none.
func (f *former) keyOf(x sqlast.Expr) columnKey {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return columnKey{}
	}
	t, inlined := f.resolveRef(ref)
	switch {
	case inlined != nil:
		return f.keyOf(inlined)
	case t.Kind == sqlast.Alias:
		return f.keyOf(t.Result.Expr)
	}
	return f.columnKey(t)
}

// typeOf returns the type of the column that an expression names, or "" if it names none.
func (f *former) typeOf(x sqlast.Expr) dataset.Type {
	if ref, ok := x.(*sqlast.ColumnRef); ok {
		return f.schema.types[nameKey(f.b.Target(ref))]
	}
	return ""
}

// nameKey returns the table and the column of a target in lower case.
func nameKey(t sqlast.Target) [2]string {
	return [2]string{strings.ToLower(t.Table), strings.ToLower(t.Column)}
}
