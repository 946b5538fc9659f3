package realise

import (
	"slices"

	"github.com/tabperturb/tabperturb/sqlast"
)

// setQuestion words a query with one set operation (UNION, INTERSECT or EXCEPT): as a question for rows that others refer to, for rows with
// conditions, or for values.
func (w *writer) setQuestion(q *sqlast.Query) string {
	if len(q.Compound) != 1 || len(q.OrderBy) > 0 || q.Limit != nil {
		return w.unsupported("several set operations")
	}
	op := q.Compound[0].Op
	if op == sqlast.UnionAll {
		return w.unsupported("a set operation that keeps repetitions")
	}
	left, right := w.operandPlan(q.Select), w.operandPlan(q.Compound[0].Select)
	if w.err != nil {
		return ""
	}
	if !sameColumns(left.items, right.items) {
		return w.unsupported("a set operation on different columns")
	}
	x, y := left.items[0].field, right.items[0].field
	left.head, right.head = x.instance, y.instance
	noun := w.noun(x.ref.Table)
	if w.err != nil {
		return ""
	}
	if x.ref != y.ref { // a column, and the key by which other rows refer to it
		if len(left.items) == 1 && op != sqlast.Union && left.isWhole(x.ref.Table) && w.refers(y.ref, x.ref) {
			return w.setOfReferred(op, left, right, noun)
		}
		return w.unsupported("a set operation on columns of two tables")
	}
	if slices.ContainsFunc(left.items, func(i item) bool { return w.identifies(i.field.ref) }) {
		if text := w.setOfRows(op, left, right, noun); text != "" || w.err != nil {
			return text
		}
	}
	if len(left.items) > 1 {
		return w.unsupported("a set operation on columns of two tables")
	}
	return w.setOfValues(op, left, right, pluralName(w.column(x.ref)))
}

// sameColumns reports whether two select lists have the same columns and nothing else, and whether those of x are all of one instance. Two
// lists of one column each may have different columns, as one may be the key by which other rows refer to the other.
func sameColumns(x, y []item) bool {
	return slices.EqualFunc(x, y, func(a, b item) bool {
		if !a.isColumn() || !b.isColumn() {
			return false
		}
		return len(x) == 1 || (a.field.instance == x[0].field.instance && a.field.ref == b.field.ref)
	})
}

// operandPlan returns the plan of one side of a set operation. A side with aggregates or groups is unsupported.
func (w *writer) operandPlan(s *sqlast.Select) *plan {
	p := w.plan(&sqlast.Query{Select: s})
	if p.aggregated() || len(p.groups) > 0 {
		w.unsupported("a set operation on groups")
	}
	return p
}

// setOfReferred asks for the rows that other rows refer to (INTERSECT) or do not refer to (EXCEPT): SELECT id FROM singer
// EXCEPT SELECT singer_id FROM concert → "what are the IDs of the singers who have no
// concerts?".
func (w *writer) setOfReferred(op sqlast.SetOp, left, right *plan, noun string) string {
	e := edge{key: right.items[0].field.ref, target: left.items[0].field.ref}
	m := w.referredRows(right, noun, op == sqlast.Except, e)
	if w.err != nil {
		return ""
	}
	return w.draw("what are ", "find ") + w.selected(left, noun, plural) + " of the " + plural.inflect(noun) + " " + who(noun) + " " + m.clause + "?"
}

// setOfRows words a set operation on names or keys as one on the rows: SELECT
// name FROM singer WHERE age > 30 INTERSECT … WHERE country = 'France' → "which singers
// are older than 30 and are from France?".
func (w *writer) setOfRows(op sqlast.SetOp, left, right *plan, noun string) string {
	a, b := w.headModifiers(left), w.headModifiers(right)
	if len(a) > 1 || len(b) != 1 {
		return w.unsupported("a set operation on rows with several conditions")
	}
	second := w.predicate(b[0], plural)
	what := "which " + plural.inflect(noun) + " "
	if col := left.items[0].field.ref; len(left.items) == 1 && w.isName(col) {
		w.manners[col] = Carried // "which singers" implies the name
	} else {
		what = "what are " + w.selected(left, noun, plural) + " of the " + plural.inflect(noun) + " " + who(noun) + " "
	}
	if len(a) == 0 { // the left side is all rows
		if op == sqlast.Except {
			return what + w.negated(second) + "?"
		}
		return w.unsupported("a set operation with all rows")
	}
	first := w.predicate(a[0], plural)
	switch op {
	case sqlast.Intersect:
		return what + first + " and " + second + "?"
	case sqlast.Except:
		return what + first + w.draw(" but ", ", but ") + w.negated(second) + "?"
	}
	return what + w.draw("either ", "") + first + " or " + second + "?"
}

// setOfValues words a set operation on the values of one column, whose name in the plural is values: SELECT country FROM singer WHERE age > 30
// INTERSECT … → "which countries are shared by singers older than 30 and …?".
func (w *writer) setOfValues(op sqlast.SetOp, left, right *plan, values string) string {
	a, b := w.bareRows(left, plural), w.bareRows(right, plural)
	switch op {
	case sqlast.Intersect:
		return "which " + values + " are " + w.draw("shared by ", "common to ") + a + " and " + b + "?"
	case sqlast.Except:
		return w.draw("which "+values+" of "+a+" are not those of any "+w.bareRows(right, singular)+"?", "what are the "+values+" of "+a+" that are not also those of "+b+"?")
	}
	return w.draw("what are the ", "which are the ") + values + " of " + a + " or " + b + "?"
}
