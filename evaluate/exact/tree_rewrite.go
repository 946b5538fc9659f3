package exact

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// one is the literal 1 of rewritten queries.
var one = &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: "1"}

// antiJoin replaces a LEFT JOIN by NOT EXISTS if WHERE keeps only the rows without a partner and nothing
// else reads the joined table:
//
//	SELECT a FROM t LEFT JOIN u ON u.b = t.b WHERE u.b IS NULL → SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b)
func (f *former) antiJoin(b block) block {
	for i, item := range b.From {
		others := slices.Delete(slices.Clone(b.From), i, i+1)
		table, ok := item.Source.(*sqlast.Table)
		isLeftJoin := item.Op == sqlast.LeftJoin && item.On != nil
		if !ok || !isLeftJoin || f.b.BaseTable(table) == "" {
			continue
		}
		conds := sqlast.Conjuncts(b.Where)
		test := slices.IndexFunc(conds, func(x sqlast.Expr) bool { return f.isWithoutPartner(item, x) })
		if test < 0 || hasStar(b.Select) || !hasOnlyInnerJoins(others) {
			continue
		}
		if inOn := f.countReads(onlyWhere(item.On), table); f.countReads(b, table) != inOn+1 {
			continue // more than ON and the test read the table
		}
		partner := &sqlast.Select{Columns: []*sqlast.ResultColumn{{Expr: one}}, From: []*sqlast.FromItem{{Source: table}}, Where: item.On}
		conds[test] = &sqlast.Unary{Op: "NOT", X: &sqlast.Exists{Query: &sqlast.Query{Select: partner}}}
		return f.antiJoin(b.withJoins(others, conds))
	}
	return b
}

// onlyWhere returns a block that has nothing but a condition.
func onlyWhere(x sqlast.Expr) block { return block{Select: &sqlast.Select{Where: x}} }

// countReads returns how many names in a block refer to a column of an entry of FROM, or -1 if a name refers to a query that
// was inlined: the expression of its column may read the entry too.
func (f *former) countReads(b block, src sqlast.Source) (n int) {
	for ref := range sqlast.All[*sqlast.ColumnRef](&sqlast.Query{Select: b.Select, OrderBy: b.order, Limit: b.limit}) {
		t := f.b.Target(ref)
		if t.Kind == sqlast.Output && f.inlined[t.Source] {
			return -1
		}
		n += toInt(t.Source == src)
	}
	return n
}

// isWithoutPartner reports whether a condition keeps only the rows for which a LEFT JOIN finds no partner: IS NULL
// of a column that no partner has NULL in, because it is of the primary key or ON equates it.
func (f *former) isWithoutPartner(item *sqlast.FromItem, x sqlast.Expr) bool {
	test, ok := x.(*sqlast.Binary)
	if !ok || test.Op != "IS" || !isNull(test.Y) {
		return false
	}
	ref, ok := test.X.(*sqlast.ColumnRef)
	if !ok || f.b.Target(ref).Source != item.Source {
		return false
	}
	return f.isDeclaredNotNull(f.b.Target(ref)) || slices.ContainsFunc(sqlast.Conjuncts(item.On), func(x sqlast.Expr) bool {
		on := sqlast.Equation(x)
		return on != nil && (f.sameColumn(on.X, ref) || f.sameColumn(on.Y, ref))
	})
}

// sameColumn reports whether two expressions are the same column of one entry of FROM.
func (f *former) sameColumn(x, y sqlast.Expr) bool {
	key := f.keyOf(x)
	return key.source != nil && key == f.keyOf(y)
}

// isDeclaredNotNull reports whether a target is a column of a base table that has no NULL: it is declared so, or of the
// primary key, see the package's documentation.
func (f *former) isDeclaredNotNull(t sqlast.Target) bool {
	table, isBase := t.Source.(*sqlast.Table)
	return t.Kind == sqlast.Column && isBase && f.b.BaseTable(table) != "" && f.schema.notNull[nameKey(t)]
}

// isNotNull reports whether an expression is a column of the current SELECT that has no NULL in the rows
// of FROM: it is of a primary key, or a join equates it. In HAVING it has NULL if there are no rows.
func (f *former) isNotNull(x sqlast.Expr) bool {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok || f.outer || f.inHaving {
		return false
	}
	t, ok := f.ownColumn(ref)
	return ok && (f.isDeclaredNotNull(t) || f.classes[f.columnKey(t)] != nil)
}

// withoutNonNullTests returns the conditions of WHERE without IS NOT NULL of columns that have no NULL.
func (f *former) withoutNonNullTests(list []sqlast.Expr) []sqlast.Expr {
	return slices.DeleteFunc(slices.Clone(list), func(x sqlast.Expr) bool {
		return isNotNullTest(x) && f.isNotNull(x.(*sqlast.Binary).X)
	})
}

// notExistsAsNotIn returns the two sides of the NOT IN that is equivalent to NOT EXISTS, as existsAsIn does for
// EXISTS. The value has no NULL, and the query leaves out its own:
//
//	NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.id) → u.id NOT IN (SELECT t.a FROM t WHERE t.a IS NOT NULL)
func (f *former) notExistsAsNotIn(x *sqlast.Exists) (value sqlast.Expr, query *sqlast.Query) {
	value, query = f.existsAsIn(x)
	if query == nil || !f.isNotNull(value) {
		return nil, nil
	}
	s := query.Select
	s.Where = sqlast.Conjunction(s.Where, &sqlast.Binary{Op: "IS NOT", X: s.Columns[0].Expr, Y: &sqlast.Literal{Kind: sqlast.NullLiteral, Text: "NULL"}})
	return value, query
}

// existsQuery returns the query of EXISTS with 1 as its select list, if only the number of its rows counts.
func existsQuery(q *sqlast.Query) *sqlast.Query {
	if !choosesRows(q) {
		return q
	}
	s := *q.Select
	s.Columns, s.Distinct = []*sqlast.ResultColumn{{Expr: one}}, false
	return &sqlast.Query{Select: &s}
}

// scalar takes entry i of FROM out if its query inner aggregates all rows, so that it has one row. Its columns
// become subqueries used as values:
//
//	SELECT a FROM t, (SELECT avg(b) AS m FROM u) AS d WHERE t.b > d.m → SELECT a FROM t WHERE t.b > (SELECT avg(b) FROM u)
func (f *former) scalar(b block, i int, inner block) (block, bool) {
	switch {
	case len(b.From) == 1, !hasOnlyInnerJoins(b.From), hasStar(b.Select), hasStar(inner.Select):
		return b, false
	case !slices.ContainsFunc(inner.Columns, hasAggregate), inner.GroupBy != nil, inner.Having != nil, inner.limit != nil:
		return b, false
	}
	f.scalars[b.From[i].Source] = inner
	s := *b.Select
	s.From = slices.Delete(slices.Clone(b.From), i, i+1)
	s.Where = sqlast.Conjunction(b.From[i].On, b.Where)
	return block{&s, b.order, b.limit}, true
}

// hasAggregate reports whether a result column has an aggregate of the rows of FROM, rather than of a window.
func hasAggregate(c *sqlast.ResultColumn) bool {
	return sqlast.ContainsOwn(c.Expr, func(call *sqlast.Call) bool { return call.Over == nil && call.IsAggregate() })
}

// firstRows replaces the first row of a window by LIMIT 1 or, for the largest value of each partition, by max:
//
//	SELECT a FROM (SELECT a, row_number() OVER (ORDER BY b) AS n FROM t) WHERE n = 1 → SELECT a FROM t ORDER BY b LIMIT 1
//	SELECT a, b FROM (SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b DESC) AS n FROM t) WHERE n = 1 → SELECT a, max(b) FROM t GROUP BY a
//
// It does so only in the outermost query, whose columns no other query names.
func (f *former) firstRows(b, inner block) (block, bool) {
	isOutermost := f.depth == 0 && len(f.root.Compound) == 0
	onlyChooses := !b.isGrouped() && !b.isBounded()
	if !isOutermost || !onlyChooses || !numbersRows(inner) {
		return b, false
	}
	call := f.callThatIsOne(b.Where)
	if call == nil || !isPlainWindow(call) {
		return b, false
	}
	over := call.Over
	ties := !call.Name.Is("row_number") // rank gives several rows the number 1
	if ties && len(over.PartitionBy)+len(over.OrderBy) > 1 {
		return b, false // [former.extreme] takes one column of order, without partitions
	}
	s := *inner.Select
	s.Columns, s.Distinct, s.GroupBy = nil, false, over.PartitionBy
	for _, c := range b.Columns {
		x, ok := f.output(c.Expr)
		if !ok || needsRows(x) {
			return b, false
		}
		if x, ok = f.firstOfPartition(over, x); !ok {
			return b, false
		}
		s.Columns = append(s.Columns, &sqlast.ResultColumn{Expr: x})
	}
	if ties {
		s.Distinct = b.Distinct
		return f.extreme(block{Select: &s}, over.OrderBy[0])
	}
	if len(over.PartitionBy) > 0 {
		s.Distinct = b.Distinct
		// In descending order NULL comes last, as max ignores it.
		isDescending := over.OrderBy[0].Dir == sqlast.Desc && over.OrderBy[0].Nulls == ""
		return block{Select: &s}, isDescending && !slices.ContainsFunc(over.PartitionBy, isNoColumn)
	}
	isNumber := func(t *sqlast.OrderTerm) bool { return isNoColumn(t.Expr) } // in ORDER BY, unlike in OVER, it would be a place
	return block{&s, over.OrderBy, &sqlast.Limit{Count: one}}, !slices.ContainsFunc(over.OrderBy, isNumber)
}

// firstOfPartition returns an expression for the value of x in the first row of its partition: x itself if there are no
// partitions or x is a column of PARTITION BY, max(x) if x is the only column of ORDER BY, which [former.firstRows] takes
// with partitions only in descending order. It returns false for any other x.
func (f *former) firstOfPartition(over *sqlast.Window, x sqlast.Expr) (sqlast.Expr, bool) {
	isKey := slices.ContainsFunc(over.PartitionBy, func(key sqlast.Expr) bool { return f.sameColumn(key, x) })
	if isKey || len(over.PartitionBy) == 0 {
		return x, true
	}
	largest := &sqlast.Call{Name: sqlast.Ident{Name: "max"}, Args: []sqlast.Expr{x}}
	return largest, len(over.OrderBy) == 1 && f.sameColumn(over.OrderBy[0].Expr, x)
}

// numbersRows reports whether a SELECT has all rows of its FROM and WHERE, in no order, to which window functions may give numbers.
func numbersRows(b block) bool {
	return !b.Distinct && !b.isBounded() && b.GroupBy == nil && b.Having == nil && !hasStar(b.Select)
}

// callThatIsOne returns the call that a condition compares with 1 by the name of its result column, or nil.
func (f *former) callThatIsOne(where sqlast.Expr) *sqlast.Call {
	eq := sqlast.Equation(where)
	if eq == nil || !sameLiteral(eq.Y, one) {
		return nil
	}
	x, _ := f.output(eq.X)
	call, _ := x.(*sqlast.Call)
	return call
}

// isPlainWindow reports whether a call is a function that numbers rows, over a window of its own with an order and no frame.
func isPlainWindow(call *sqlast.Call) bool {
	w := call.Over
	if w == nil || call.Filter != nil || !slices.ContainsFunc([]string{"row_number", "rank", "dense_rank"}, call.Name.Is) {
		return false
	}
	isNamed := !w.Name.IsZero() || !w.Base.IsZero()
	return !isNamed && w.Frame == nil && len(w.OrderBy) > 0
}

// firstKey replaces the first row in the order of a table's key by that with the largest or least key:
//
//	SELECT a FROM t ORDER BY id DESC LIMIT 1 → SELECT a FROM t WHERE id = (SELECT max(id) FROM t)
func (f *former) firstKey(b block) block {
	// With anyLimit, LIMIT 1 must keep the form of every other LIMIT.
	isFirst := b.limit != nil && b.limit.Offset == nil && sameLiteral(b.limit.Count, one) && !f.anyLimit
	if !isFirst || len(b.order) != 1 || b.isGrouped() {
		return b
	}
	if key := b.order[0]; f.fixedIn(b, []sqlast.Expr{key.Expr}).all() {
		b, _ = f.extreme(b, key)
	}
	return b
}

// extreme replaces ORDER BY and LIMIT 1 of b, a SELECT from one table, by the condition that the column of order has
// its largest value, or its least for an ascending order. It returns b and false if the column may hold NULL, which
// an order puts first or last and which max and min ignore.
func (f *former) extreme(b block, order *sqlast.OrderTerm) (block, bool) {
	ref, ok := order.Expr.(*sqlast.ColumnRef)
	if !ok || len(b.From) != 1 || order.Nulls != "" {
		return b, false
	}
	if hasQuery(b.Select) {
		return b, false // the table would be read twice, and names of it in a nested query would be ambiguous
	}
	t, inlined := f.resolveRef(ref)
	if inlined != nil || t.Source != b.From[0].Source || !f.isDeclaredNotNull(t) {
		return b, false
	}
	name := "min"
	if order.Dir == sqlast.Desc {
		name = "max"
	}
	first := &sqlast.Call{Name: sqlast.Ident{Name: name}, Args: []sqlast.Expr{ref}}
	value := &sqlast.Subquery{Query: &sqlast.Query{Select: &sqlast.Select{Columns: []*sqlast.ResultColumn{{Expr: first}}, From: b.From, Where: b.Where}}}
	s := *b.Select
	s.Where = sqlast.Conjunction(b.Where, &sqlast.Binary{Op: "=", X: ref, Y: value})
	return block{Select: &s}, true
}

// isNoColumn reports whether an expression is no name of a column.
func isNoColumn(x sqlast.Expr) bool {
	_, ok := x.(*sqlast.ColumnRef)
	return !ok
}

// output returns the expression of the result column that a name refers to; ok is false for anything else.
func (f *former) output(x sqlast.Expr) (result sqlast.Expr, ok bool) {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return nil, false
	}
	t := f.b.Target(ref)
	if t.Kind != sqlast.Output || t.Result == nil {
		return nil, false
	}
	return t.Result.Expr, true
}
