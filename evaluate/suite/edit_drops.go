package suite

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// maxRun is how many entries of a list are dropped at once.
const maxRun = 3

// runs calls f for each run of at most maxRun entries whose removal leaves a list of n entries
// not empty.
func runs(n int, f func(from, to int)) {
	for size := 1; size < min(n, maxRun+1); size++ {
		for from := 0; from+size <= n; from++ {
			f(from, from+size)
		}
	}
}

// without returns a copy of a list without the entries from … to-1.
func without[T any](list []T, from, to int) []T { return slices.Delete(slices.Clone(list), from, to) }

// queryEdits drops parts of a whole query: terms of ORDER BY, OFFSET and the arms of set
// operations. It also replaces one set operation by another.
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

// firstRow adds LIMIT 1 to a query that may have several rows, like a prediction that ends with
// ORDER BY x DESC LIMIT 1 although several rows share the maximum.
func (e *editor) firstRow(s *scope) {
	if s.query.Limit == nil && !e.oneRow(s) {
		change(e, Drop, s.query, func(c *sqlast.Query) {
			c.Limit = &sqlast.Limit{Count: &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: "1"}}
		})
	}
}

// oneRow reports whether a query has at most one row: it has an aggregate of all rows, or
// selects from one table by a value of its key.
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

// picksKey reports whether a condition implies that a column that is a key equals a value, as
// in "id = 3 AND age > 20".
func (e *editor) picksKey(cond sqlast.Expr) bool {
	b, ok := cond.(*sqlast.Binary)
	if !ok {
		return false
	}
	switch b.Op {
	case "AND":
		return e.picksKey(b.X) || e.picksKey(b.Y)
	case "=":
		return e.isKeyValue(b)
	}
	return false
}

// isKeyValue reports whether an equality compares a column that is a key with a value.
func (e *editor) isKeyValue(b *sqlast.Binary) bool {
	ref, ok := b.X.(*sqlast.ColumnRef)
	if !ok {
		return false
	}
	if _, column := b.Y.(*sqlast.ColumnRef); column && e.binding.Literal(b.Y) == nil {
		return false
	}
	s, ok := e.catalog.(*schema)
	return ok && s.soleKey(e.binding.Column(ref).Table, e.binding.Column(ref).Column)
}

// orders reports whether the query has an ORDER BY that can change the answer.
func (s *scope) orders() bool {
	return len(s.query.OrderBy) > 0 && (s.role == value || s.query.Limit != nil)
}

// clauses returns a function for each clause of the scope that drops it, in the order of the
// clauses in the text.
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

// clauseEdits drops each run of successive clauses.
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

// selectEdits drops parts of one SELECT: DISTINCT, result columns, terms of GROUP BY, tables
// and the conditions of joins.
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

// set reports whether the SELECT is an arm of set operations that drop duplicates.
func (s *scope) set() bool {
	arms := s.query.Compound
	return len(arms) > 0 && !slices.ContainsFunc(arms, func(c *sqlast.Compound) bool { return c.Op == sqlast.UnionAll })
}

// withoutSources drops entries of FROM with the conditions of their joins. If the first is
// among them, the next begins the list, without its condition, which names a dropped table.
func withoutSources(list []*sqlast.FromItem, from, to int) []*sqlast.FromItem {
	rest := without(list, from, to)
	if from == 0 {
		first := *rest[0]
		first.Op, first.On, first.Using, first.Natural = "", nil, nil, false
		rest[0] = &first
	}
	return rest
}
