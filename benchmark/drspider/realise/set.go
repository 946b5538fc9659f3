package realise

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// set says a set operation on one column of rows: what occurs among these and those.
func (w *writer) set(q *sqlast.Query) string {
	if len(q.Compound) != 1 || len(q.OrderBy) > 0 || q.Limit != nil {
		return w.abstain("several set operations")
	}
	left := w.part(&sqlast.Query{Select: q.Select})
	right := w.part(&sqlast.Query{Select: q.Compound[0].Select})
	if w.err != nil {
		return ""
	}
	if !alike(left.items, right.items) {
		return w.abstain("a set operation on different columns")
	}
	x, y := left.items[0].field, right.items[0].field
	left.head, right.head = x.inst, y.inst
	noun := w.noun(x.ref.Table)
	if w.err != nil {
		return ""
	}
	same := x.ref == y.ref
	if len(left.items) == 1 && !same && w.refers(y.ref, x.ref) && len(left.conds)+len(left.edges) == 0 && q.Compound[0].Op != sqlast.Union {
		return w.setOfReferred(q.Compound[0].Op, left, right, noun)
	}
	carrier := same && slices.ContainsFunc(left.items, func(i item) bool { return w.isName(i.field.ref) || w.isKey(i.field.ref) })
	if carrier {
		if text := w.setOfRows(q.Compound[0].Op, left, right, noun, len(left.items) == 1 && w.isName(x.ref)); text != "" || w.err != nil {
			return text
		}
	}
	if !same || len(left.items) > 1 {
		return w.abstain("a set operation on columns of two tables")
	}
	return w.setOfValues(q.Compound[0].Op, left, right, plural(w.column(x.ref)))
}

// alike tells whether two select lists take the same columns, perhaps the one column by
// which rows refer to others.
func alike(x, y []item) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].star || y[i].star || x[i].agg+y[i].agg != "" || x[i].field.inst != x[0].field.inst || len(x) > 1 && x[i].field.ref != y[i].field.ref {
			return false
		}
	}
	return true
}

// setOfReferred says which rows there are that others refer to, or do not.
func (w *writer) setOfReferred(op sqlast.SetOp, left, right *plan, noun string) string {
	y := right.items[0].field.ref
	m := w.having(right, noun, op == sqlast.Except, edge{key: y, target: left.items[0].field.ref})
	if w.err != nil {
		return ""
	}
	return w.one("what are ", "find ") + w.items(left, noun, many) + " of the " + many.of(noun) + " " + who(noun) + " " + m.clause + "?"
}

// part plans one side of a set operation.
func (w *writer) part(q *sqlast.Query) *plan {
	p := w.plan(q)
	if w.err == nil && (p.aggregated() || len(p.groups) > 0) {
		w.abstain("a set operation on groups")
	}
	return p
}

// setOfRows says a set operation on what names or identifies rows as one on the rows.
func (w *writer) setOfRows(op sqlast.SetOp, left, right *plan, noun string, name bool) string {
	a, b := w.modifiers(left, left.head, -1), w.modifiers(right, right.head, -1)
	if w.err != nil || len(b) != 1 || len(a) > 1 {
		return w.abstain("a set operation on rows with several conditions")
	}
	second := w.predicate(b[0], many)
	what := "which " + many.of(noun) + " "
	if name {
		w.said[left.items[0].field.ref] = Carried
	} else {
		what = "what are " + w.items(left, noun, many) + " of the " + many.of(noun) + " " + who(noun) + " "
	}
	switch {
	case op == sqlast.Except && len(a) == 0:
		return what + negated(second, w) + "?"
	case len(a) == 0:
		return w.abstain("a set operation with all rows")
	}
	first := w.predicate(a[0], many)
	switch op {
	case sqlast.Intersect:
		return what + w.one("both ", "") + first + " and " + second + "?"
	case sqlast.Except:
		return what + first + w.one(" but ", ", but ") + negated(second, w) + "?"
	case sqlast.Union:
		return what + w.one("either ", "") + first + " or " + second + "?"
	}
	return w.abstain("a set operation that keeps repetitions")
}

// setOfValues says a set operation on values.
func (w *writer) setOfValues(op sqlast.SetOp, left, right *plan, values string) string {
	a, b := w.bare(left, many), w.bare(right, many)
	switch op {
	case sqlast.Intersect:
		return "which " + values + " are " + w.one("shared by ", "common to ") + a + " and " + b + "?"
	case sqlast.Except:
		return w.one("which "+values+" of "+a+" are not those of any "+w.bare(right, one)+"?", "what are the "+values+" of "+a+" that are not also those of "+b+"?")
	case sqlast.Union:
		return w.one("what are the ", "which are the ") + values + " of " + a + " or " + b + "?"
	}
	return w.abstain("a set operation that keeps repetitions")
}
