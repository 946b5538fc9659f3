package suite

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// maxRun is the largest number of successive entries of a list that one neighbour drops.
const maxRun = 3

// eachRun calls f for each run of successive entries, from … to-1, that a neighbour of a list of n
// entries lacks: at most maxRun, and never all.
func eachRun(n int, f func(from, to int)) {
	for size := 1; size < min(n, maxRun+1); size++ {
		for from := 0; from+size <= n; from++ {
			f(from, from+size)
		}
	}
}

// withoutRange returns a copy of a list without the entries from … to-1.
func withoutRange[T any](list []T, from, to int) []T {
	return slices.Delete(slices.Clone(list), from, to)
}

// editQuery drops parts of a whole query: terms of ORDER BY, OFFSET and the arms of set
// operations. It also replaces one set operation by another.
func (e *editor) editQuery(s *scope) {
	q := s.query
	edit := func(kind Kind, f func(c *sqlast.Query)) { change(e, kind, q, f) }
	if s.orderMatters() {
		eachRun(len(q.OrderBy), func(from, to int) {
			edit(Drop, func(c *sqlast.Query) { c.OrderBy = withoutRange(q.OrderBy, from, to) })
		})
	}
	if q.Limit != nil && q.Limit.Offset != nil {
		change(e, Drop, q.Limit, func(c *sqlast.Limit) { c.Offset = nil })
	}
	for i, arm := range q.Compound {
		edit(Drop, func(c *sqlast.Query) { c.Compound = withoutRange(q.Compound, i, i+1) })
		for _, op := range setOps {
			if op != arm.Op {
				change(e, Operator, arm, func(c *sqlast.Compound) { c.Op = op })
			}
		}
	}
	if len(q.Compound) > 0 { // drops the first arm
		edit(Drop, func(c *sqlast.Query) { c.Select, c.Compound = q.Compound[0].Select, q.Compound[1:] })
	}
}

// addLimitOne adds LIMIT 1 to a query that may have several rows, like a prediction that ends with
// ORDER BY x DESC LIMIT 1 although several rows share the maximum.
func (e *editor) addLimitOne(s *scope) {
	if s.query.Limit == nil && !e.hasOneRow(s) {
		change(e, Drop, s.query, func(c *sqlast.Query) {
			c.Limit = &sqlast.Limit{Count: &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: "1"}}
		})
	}
}

// hasOneRow reports whether a query has at most one row: it has an aggregate of all rows, or
// selects from one table by a value of its key.
func (e *editor) hasOneRow(s *scope) bool {
	if len(s.query.Compound) > 0 || len(s.sel.GroupBy) > 0 {
		return false
	}
	isAggregate := func(call *sqlast.Call) bool { return call.Over == nil && slices.ContainsFunc(aggregates, call.Name.Is) }
	if slices.ContainsFunc(s.sel.Columns, func(c *sqlast.ResultColumn) bool { return sqlast.Contains(c.Expr, isAggregate) }) {
		return true
	}
	return len(s.sel.From) == 1 && slices.ContainsFunc(sqlast.Conjuncts(s.sel.Where), e.equatesKey)
}

// equatesKey reports whether a condition equates a column that is a key with a value. Without
// [schema], keys are not known.
func (e *editor) equatesKey(cond sqlast.Expr) bool {
	eq := sqlast.Equation(cond)
	if eq == nil {
		return false
	}
	ref, ok := eq.X.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	// A name in double quotes may be a string.
	if _, isName := eq.Y.(*sqlast.ColumnRef); isName && e.binding.Literal(eq.Y) == nil {
		return false
	}
	s, ok := e.catalog.(*schema)
	if !ok {
		return false
	}
	base := e.binding.Column(ref)
	index, ok := s.find(base.Table, base.Column)
	return ok && s.isKey(index)
}

// orderMatters reports whether the query has an ORDER BY that can change the answer.
func (s *scope) orderMatters() bool {
	return len(s.query.OrderBy) > 0 && (s.role == value || s.query.Limit != nil)
}

// droppableClauses returns a function for each clause of the scope that drops it, in the order of the
// clauses in the text.
func (s *scope) droppableClauses() []func(*sqlast.Query, *sqlast.Select) {
	var list []func(*sqlast.Query, *sqlast.Select)
	addIf := func(exists bool, drop func(*sqlast.Query, *sqlast.Select)) {
		if exists {
			list = append(list, drop)
		}
	}
	addIf(s.sel.Where != nil, func(_ *sqlast.Query, c *sqlast.Select) { c.Where = nil })
	addIf(len(s.sel.GroupBy) > 0, func(_ *sqlast.Query, c *sqlast.Select) { c.GroupBy = nil })
	addIf(s.sel.Having != nil, func(_ *sqlast.Query, c *sqlast.Select) { c.Having = nil })
	if s.isFirst() {
		addIf(s.orderMatters(), func(q *sqlast.Query, _ *sqlast.Select) { q.OrderBy = nil })
		addIf(s.query.Limit != nil, func(q *sqlast.Query, _ *sqlast.Select) { q.Limit = nil })
	}
	return list
}

// dropClauses drops each run of successive clauses of a SELECT. For the first SELECT of a query these include its ORDER BY and
// LIMIT, so the neighbour has a changed copy of the whole query.
func (e *editor) dropClauses(s *scope) {
	clauses := s.droppableClauses()
	for size := 1; size <= len(clauses); size++ {
		for from := range len(clauses) - size + 1 {
			q, sel := *s.query, *s.sel
			for _, drop := range clauses[from : from+size] {
				drop(&q, &sel)
			}
			if !s.isFirst() {
				e.replace(Drop, s.sel, &sel)
				continue
			}
			q.Select = &sel
			e.replace(Drop, s.query, &q)
		}
	}
}

// editSelect drops parts of one SELECT: DISTINCT, result columns, terms of GROUP BY, tables
// and the conditions of joins.
func (e *editor) editSelect(s *scope) {
	sel := s.sel
	drop := func(f func(c *sqlast.Select)) { change(e, Drop, sel, f) }
	if sel.Distinct && s.role == value && !s.dropsDuplicates() { // elsewhere it changes nothing
		drop(func(c *sqlast.Select) { c.Distinct = false })
	}
	if s.role != exists { // EXISTS ignores the select list
		eachRun(len(sel.Columns), func(from, to int) {
			drop(func(c *sqlast.Select) { c.Columns = withoutRange(sel.Columns, from, to) })
		})
	}
	eachRun(len(sel.GroupBy), func(from, to int) {
		drop(func(c *sqlast.Select) { c.GroupBy = withoutRange(sel.GroupBy, from, to) })
	})
	eachRun(len(sel.From), func(from, to int) {
		drop(func(c *sqlast.Select) { c.From = withoutSources(sel.From, from, to) })
	})
	for _, item := range sel.From {
		if item.On != nil {
			change(e, Drop, item, func(c *sqlast.FromItem) { c.On = nil })
		}
	}
}

// dropsDuplicates reports whether the SELECT is an arm of set operations that drop duplicates.
func (s *scope) dropsDuplicates() bool {
	arms := s.query.Compound
	return len(arms) > 0 && !slices.ContainsFunc(arms, func(c *sqlast.Compound) bool { return c.Op == sqlast.UnionAll })
}

// withoutSources drops entries of FROM with the conditions of their joins. If the first is
// among them, the next begins the list, without its condition, which names a dropped table.
func withoutSources(list []*sqlast.FromItem, from, to int) []*sqlast.FromItem {
	rest := withoutRange(list, from, to)
	if from == 0 {
		first := *rest[0]
		first.Op, first.On, first.Using, first.Natural = "", nil, nil, false
		rest[0] = &first
	}
	return rest
}
