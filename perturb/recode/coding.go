package recode

import (
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// coding is the recoding of an expression's values.
type coding struct {
	recoding *Recoding // nil where they did not
	// number is for a sum or an average: it is mapped as a number, even where the
	// column's numbers are stored as text.
	number bool
}

// plain reports whether the values stay.
func (c coding) plain() bool { return c.recoding == nil }

// width is how many columns hold what one held.
func (c coding) width() int {
	if c.plain() {
		return 1
	}
	return len(c.recoding.Into)
}

// apply returns the new values for v, one for each new column.
func (c coding) apply(v sqldata.Value) ([]sqldata.Value, error) {
	switch {
	case c.plain():
		return []sqldata.Value{v}, nil
	case c.number && !v.IsNull():
		now, err := c.recoding.Map.Linear.number(v)
		return []sqldata.Value{now}, err
	}
	return c.recoding.Map.Apply(v, c.width())
}

// same reports whether values of the two codings are equal after the edits exactly if they were
// before.
func (c coding) same(o coding) bool {
	switch {
	case c.plain(), o.plain():
		return c.recoding == o.recoding
	case c.width() != o.width(), !c.recoding.Map.equal(o.recoding.Map):
		return false
	}
	// SQLite compares the text '2014' with the average 2014.0 as text.
	return c.number == o.number || c.recoding.Map.Linear.Digits == 0
}

// target returns the coding of a resolved name.
func (r *Rewriter) target(t sqlast.Target) coding {
	if t.Column != "" { // passed on as it is, by whatever query or alias
		return coding{recoding: r.column[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()]}
	}
	switch t.Kind {
	case sqlast.Alias, sqlast.Output:
		if t.Result != nil {
			return r.coding(t.Result.Expr)
		}
	}
	return coding{}
}

// outputs returns the codings of the result columns of the original query.
func (r *Rewriter) outputs(q *sqlast.Query) []coding {
	if q.With != nil {
		refuse(refusedWith)
	}
	codes := r.selected(q.Select)
	for _, c := range q.Compound {
		for i, other := range r.selected(c.Select) {
			if i < len(codes) && !codes[i].same(other) {
				refuse(refusedSets)
			}
		}
	}
	return codes
}

// selected returns the codings of the result columns of one SELECT.
func (r *Rewriter) selected(s *sqlast.Select) []coding {
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
		for _, t := range r.b.Star(star) {
			if !r.target(t).plain() && !r.existsSelects[s] {
				refuse(refusedStar)
			}
			codes = append(codes, coding{})
		}
	}
	return codes
}

// coding returns how the values of an expression change.
func (r *Rewriter) coding(x sqlast.Expr) coding {
	switch x := x.(type) {
	case *sqlast.ColumnRef:
		return r.target(r.b.Target(x))
	case *sqlast.Subquery:
		if codes := r.outputs(x.Query); len(codes) == 1 {
			return codes[0]
		}
	case *sqlast.Call:
		switch agg, c := r.aggregate(x); agg {
		case "min", "max":
			return c
		case "sum", "avg":
			c.number = true
			return c
		}
	}
	return coding{}
}
