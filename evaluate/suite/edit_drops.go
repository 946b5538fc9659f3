package suite

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// maxRun is how many entries of a list are dropped at once.
const maxRun = 3

// runs calls f for each run of entries, of at most maxRun, that a list of n
// entries can lose.
func runs(n int, f func(from, to int)) {
	for size := 1; size < min(n, maxRun+1); size++ {
		for from := 0; from+size <= n; from++ {
			f(from, from+size)
		}
	}
}

func without[T any](list []T, from, to int) []T { return slices.Delete(slices.Clone(list), from, to) }

// queryEdits drops what belongs to a whole query: terms of ORDER BY, OFFSET, the
// arms of set operations; and it puts one set operation in the place of another.
func (e *editor) queryEdits(s *scope) {
	q := s.query
	edit := func(kind Kind, f func(c *sqlast.Query)) { change(e, kind, q, f) }
	if s.orders() {
		runs(len(q.OrderBy), func(from, to int) {
			edit(Drop, func(c *sqlast.Query) { c.OrderBy = without(q.OrderBy, from, to) })
		})
	}
	if q.Limit != nil && q.Limit.Offset != nil {
		change(e, Drop, q.Limit, func(c *sqlast.Limit) { c.Offset = nil })
	}
	for i, arm := range q.Compound {
		edit(Drop, func(c *sqlast.Query) { c.Compound = without(q.Compound, i, i+1) })
		for _, op := range setOps {
			if op != arm.Op {
				change(e, Operator, arm, func(c *sqlast.Compound) { c.Op = op })
			}
		}
	}
	if len(q.Compound) > 0 {
		edit(Drop, func(c *sqlast.Query) { c.Select, c.Compound = q.Compound[0].Select, q.Compound[1:] })
	}
}

// firstRow drops all rows of the answer but one, as ORDER BY x DESC LIMIT 1 does of
// those that tie for the maximum.
func (e *editor) firstRow(s *scope) {
	if s.query.Limit == nil && !e.oneRow(s) {
		change(e, Drop, s.query, func(c *sqlast.Query) {
			c.Limit = &sqlast.Limit{Count: &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: "1"}}
		})
	}
}

// oneRow tells whether a query has one row at most: it has an aggregate of all rows,
// or asks one table for a value of a key.
func (e *editor) oneRow(s *scope) bool {
	if len(s.query.Compound) > 0 || len(s.sel.GroupBy) > 0 {
		return false
	}
	for _, c := range s.sel.Columns {
		for call := range sqlast.All[*sqlast.Call](c.Expr) {
			if call.Over == nil && slices.ContainsFunc(aggregates, call.Name.Is) {
				return true
			}
		}
	}
	return len(s.sel.From) == 1 && s.sel.Where != nil && e.picksKey(s.sel.Where)
}

// picksKey tells whether a condition says that the only column of a key is one value.
func (e *editor) picksKey(cond sqlast.Expr) bool {
	b, ok := cond.(*sqlast.Binary)
	if !ok || b.Op != "AND" && b.Op != "=" {
		return false
	}
	if b.Op == "AND" {
		return e.picksKey(b.X) || e.picksKey(b.Y)
	}
	ref, ok := b.X.(*sqlast.ColumnRef)
	if _, column := b.Y.(*sqlast.ColumnRef); !ok || column && e.binding.Literal(b.Y) == nil {
		return false
	}
	s, ok := e.catalog.(*schema)
	return ok && s.soleKey(e.binding.Column(ref).Table, e.binding.Column(ref).Column)
}

// orders tells whether the query has an ORDER BY that matters.
func (s *scope) orders() bool {
	return len(s.query.OrderBy) > 0 && (s.role == value || s.query.Limit != nil)
}

// clauses returns, for each clause that can be dropped of the scope, how. The order
// is theirs, so that neighbours in the list are neighbours in the text.
func (s *scope) clauses() []func(*sqlast.Query, *sqlast.Select) {
	var list []func(*sqlast.Query, *sqlast.Select)
	add := func(there bool, drop func(*sqlast.Query, *sqlast.Select)) {
		if there {
			list = append(list, drop)
		}
	}
	add(s.sel.Where != nil, func(_ *sqlast.Query, c *sqlast.Select) { c.Where = nil })
	add(len(s.sel.GroupBy) > 0, func(_ *sqlast.Query, c *sqlast.Select) { c.GroupBy = nil })
	add(s.sel.Having != nil, func(_ *sqlast.Query, c *sqlast.Select) { c.Having = nil })
	if s.first() {
		add(s.orders(), func(q *sqlast.Query, _ *sqlast.Select) { q.OrderBy = nil })
		add(s.query.Limit != nil, func(q *sqlast.Query, _ *sqlast.Select) { q.Limit = nil })
	}
	return list
}

// clauseEdits drops each run of clauses.
func (e *editor) clauseEdits(s *scope) {
	clauses := s.clauses()
	for size := 1; size <= len(clauses); size++ {
		for from := range len(clauses) - size + 1 {
			q, sel := *s.query, *s.sel
			for _, drop := range clauses[from : from+size] {
				drop(&q, &sel)
			}
			if !s.first() {
				e.replace(Drop, s.sel, &sel)
				continue
			}
			q.Select = &sel
			e.replace(Drop, s.query, &q)
		}
	}
}

// selectEdits drops what belongs to one SELECT: DISTINCT, result columns, terms of
// GROUP BY, tables and the conditions of joins.
func (e *editor) selectEdits(s *scope) {
	sel := s.sel
	drop := func(f func(c *sqlast.Select)) { change(e, Drop, sel, f) }
	if sel.Distinct && s.role == value && !s.set() {
		drop(func(c *sqlast.Select) { c.Distinct = false })
	}
	if s.role != exists {
		runs(len(sel.Columns), func(from, to int) {
			drop(func(c *sqlast.Select) { c.Columns = without(sel.Columns, from, to) })
		})
	}
	runs(len(sel.GroupBy), func(from, to int) {
		drop(func(c *sqlast.Select) { c.GroupBy = without(sel.GroupBy, from, to) })
	})
	runs(len(sel.From), func(from, to int) {
		drop(func(c *sqlast.Select) { c.From = withoutSources(sel.From, from, to) })
	})
	for _, item := range sel.From {
		if item.On != nil {
			change(e, Drop, item, func(c *sqlast.FromItem) { c.On = nil })
		}
	}
}

// set tells whether the SELECT is an arm of set operations that drop duplicates.
func (s *scope) set() bool {
	arms := s.query.Compound
	return len(arms) > 0 && !slices.ContainsFunc(arms, func(c *sqlast.Compound) bool { return c.Op == sqlast.UnionAll })
}

// withoutSources drops entries of FROM with the conditions by which they are
// joined. Where the first is among them, the one behind begins the list, without
// its condition: what that has to say, it says of a table that is gone.
func withoutSources(list []*sqlast.FromItem, from, to int) []*sqlast.FromItem {
	rest := without(list, from, to)
	if from == 0 {
		first := *rest[0]
		first.Op, first.On, first.Using, first.Natural = "", nil, nil, false
		rest[0] = &first
	}
	return rest
}
