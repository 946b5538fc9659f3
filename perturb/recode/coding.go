package recode

import (
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// coding describes how recodings change the values of an expression.
type coding struct {
	recoding *Recoding // of the column whose values the expression has; nil if they stay
	// asNumber is for a sum or an average: it is mapped as a number, even if the
	// column's numbers are stored as text.
	asNumber bool
}

// unchanged reports whether the values of the expression stay.
func (c coding) unchanged() bool { return c.recoding == nil }

// width returns how many columns replace the one with these values.
func (c coding) width() int {
	if c.unchanged() {
		return 1
	}
	return len(c.recoding.Into)
}

// apply maps a value before the edits to the values after them, one for each new column.
func (c coding) apply(v sqldata.Value) ([]sqldata.Value, error) {
	switch {
	case c.unchanged():
		return []sqldata.Value{v}, nil
	case c.asNumber && !v.IsNull():
		now, err := c.recoding.Map.Linear.number(v)
		return []sqldata.Value{now}, err
	}
	return c.recoding.Map.Apply(v, c.width())
}

// sameMapping reports whether two values, one of each coding, are equal after the edits exactly if
// they were before.
func (c coding) sameMapping(o coding) bool {
	switch {
	case c.unchanged(), o.unchanged():
		return c.recoding == o.recoding
	case c.width() != o.width(), !c.recoding.Map.equal(o.recoding.Map):
		return false
	}
	// A sum or average of numbers that are stored as text is a number: SQLite compares '2014' with 2014.0 as text.
	return c.asNumber == o.asNumber || c.recoding.Map.Linear.Digits == 0
}

// targetCoding returns the coding of a resolved column name: that of its base column or, for a computed result column, of its expression.
func (r *Rewriter) targetCoding(t sqlast.Target) coding {
	if t.Column != "" { // a base column, however many subqueries and aliases pass it on
		return coding{recoding: r.recodingOf[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()]}
	}
	switch t.Kind {
	case sqlast.Alias, sqlast.Output:
		if t.Result != nil {
			return r.coding(t.Result.Expr)
		}
	}
	return coding{}
}

// resultCodings returns the codings of the result columns of a query before the edits. It refuses
// set operations between different codings, and WITH.
func (r *Rewriter) resultCodings(q *sqlast.Query) []coding {
	if q.With != nil {
		panic(refusal(refusedWith))
	}
	codes := r.selectCodings(q.Select)
	for _, c := range q.Compound {
		for i, other := range r.selectCodings(c.Select) {
			if i < len(codes) && !codes[i].sameMapping(other) {
				panic(refusal(refusedSets))
			}
		}
	}
	return codes
}

// selectCodings returns the codings of the result columns of one SELECT. It refuses a star that
// shows recoded columns, except in EXISTS, which shows no values.
func (r *Rewriter) selectCodings(s *sqlast.Select) []coding {
	if len(s.Values) > 0 {
		return make([]coding, len(s.Values[0]))
	}
	var codes []coding
	for _, c := range s.Columns {
		star, ok := c.Expr.(*sqlast.Star)
		if !ok {
			codes = append(codes, r.coding(c.Expr))
			continue
		}
		for _, t := range r.binding.Star(star) {
			if !r.targetCoding(t).unchanged() && !r.existsSelects[s] {
				panic(refusal(refusedStar))
			}
			codes = append(codes, coding{})
		}
	}
	return codes
}

// coding returns how recodings change the values of an expression: a column, a scalar subquery, or
// an aggregate that keeps their unit. The values of any other expression count as unchanged.
func (r *Rewriter) coding(x sqlast.Expr) coding {
	switch x := x.(type) {
	case *sqlast.ColumnRef:
		return r.targetCoding(r.binding.Target(x))
	case *sqlast.Subquery:
		if codes := r.resultCodings(x.Query); len(codes) == 1 {
			return codes[0]
		}
	case *sqlast.Call:
		switch agg, c := r.aggregate(x); agg {
		case "min", "max":
			return c
		case "sum", "avg":
			c.asNumber = true // even if the column stores its numbers as text
			return c
		}
	}
	return coding{}
}
