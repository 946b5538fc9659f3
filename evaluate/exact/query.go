package exact

import "slices"

// A query is a query as process_sql.py parses it. The zero query represents a
// prediction that does not parse.
type query struct {
	words
	selects []selectItem
	tables  []tableUnit
	on      []condition // all conditions of joins
	where   []condition
	group   []colUnit
	having  []condition
	order   []valUnit
	next    *query
}

// words are the keywords of a query that have no operands.
type words struct {
	distinct bool
	ordered  bool // there is an ORDER BY
	desc     bool
	limit    bool // its value is not stored
	setOp    kind // joins the next query; 0 without one
}

// A selectItem is an entry of the select list.
type selectItem struct {
	agg  int8 // aggregate, counted from kindNone; 0 without
	unit valUnit
}

// A colUnit is a column with its aggregate. The zero colUnit is a star without an aggregate.
type colUnit struct {
	agg      int8
	distinct bool
	column   int32 // position in Schema.column
}

// A valUnit is one column or two with an operator between them.
type valUnit struct {
	op   kind // 0 without
	pair bool // there is a second column
	a, b colUnit
}

// A tableUnit is an entry of FROM: a table, or a query.
type tableUnit struct {
	table int32  // index in the schema; -1 for a query
	query *query // nil for a table
}

// A condition is one condition of WHERE, HAVING or ON.
type condition struct {
	comparison
	a, b value // what it compares with; b is the upper end of BETWEEN
	next kind  // the AND or OR that follows, 0 without
}

// A comparison is a condition without the values that it compares with.
type comparison struct {
	not  bool
	op   kind
	unit valUnit
}

// A value is the right side of a condition.
type value struct {
	simpleValue
	query *query
}

// A simpleValue is a value that is no query. Only the field of its kind is set.
type simpleValue struct {
	kind   valueKind
	number float64
	text   string
	unit   colUnit
}

// A valueKind is the kind of a value.
type valueKind uint8

const (
	noValue valueKind = iota
	numberValue
	stringValue
	columnValue
	queryValue
)

// conditions iterates over the conditions of joins, WHERE and HAVING.
func (q *query) conditions(yield func(*condition) bool) {
	for _, list := range [...][]condition{q.on, q.where, q.having} {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// equal compares two queries in the order in which they are written. If values is
// set, values other than queries count too, as they officially do only in queries
// in FROM.
func (q *query) equal(p *query, values bool) bool {
	switch {
	case q == nil, p == nil:
		return q == p
	case q.words != p.words, // DISTINCT, LIMIT and other keywords without operands
		!slices.Equal(q.selects, p.selects),
		!slices.EqualFunc(q.tables, p.tables, tableUnit.equal),
		!equalConditions(q.on, p.on, values),
		!equalConditions(q.where, p.where, values),
		!slices.Equal(q.group, p.group),
		!equalConditions(q.having, p.having, values),
		!slices.Equal(q.order, p.order):
		return false
	}
	return q.next.equal(p.next, values)
}

// equal reports whether two entries of FROM are the same, their values included.
func (t tableUnit) equal(u tableUnit) bool {
	return t.table == u.table && t.query.equal(u.query, true)
}

// equalConditions compares lists of conditions with their connectives.
func equalConditions(a, b []condition, values bool) bool {
	return slices.EqualFunc(a, b, func(c, d condition) bool { return c.next == d.next && c.equal(&d, values) })
}

// equal reports whether two conditions are the same, apart from the connective after them.
func (c *condition) equal(d *condition, values bool) bool {
	return c.comparison == d.comparison && c.a.equal(&d.a, values) && c.b.equal(&d.b, values)
}

// equal reports whether two values are the same. If values is not set, only queries count.
func (v *value) equal(w *value, values bool) bool {
	if !values {
		return v.query.equal(w.query, false)
	}
	return v.simpleValue == w.simpleValue && v.query.equal(w.query, true)
}

// fold replaces each column of the given tables by the representative of the columns that foreign keys
// link to it, and clears DISTINCT. It does so in the query and in those that set operations join to it,
// but not in queries nested in conditions and in FROM.
func (q *query) fold(s *Schema, tables []tableUnit) {
	for ; q != nil; q = q.next {
		q.distinct = false
		for i := range q.selects {
			q.selects[i].unit.fold(s, tables)
		}
		for c := range q.conditions {
			c.unit.fold(s, tables)
		}
		for i := range q.group {
			q.group[i].fold(s, tables)
		}
		for i := range q.order {
			q.order[i].fold(s, tables)
		}
	}
}

// fold folds both columns.
func (u *valUnit) fold(s *Schema, tables []tableUnit) {
	u.a.fold(s, tables)
	u.b.fold(s, tables)
}

// fold clears DISTINCT and, if the table of the column is one of tables, replaces the column by the
// representative of its class.
func (u *colUnit) fold(s *Schema, tables []tableUnit) {
	u.distinct = false
	c := &s.column[u.column]
	if c.class != u.column && slices.Contains(tables, tableUnit{table: c.table}) {
		u.column = c.class
	}
}
