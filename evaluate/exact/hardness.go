package exact

// flat gives the official level of queries without a nested one, by the first and the
// third count of hardnessOf.
var flat = [][]Hardness{
	{Easy, Medium, Medium, Hard, Hard},
	{Easy, Medium, Medium, Hard, Hard},
	{Medium, Medium, Extra, Hard, Hard},
	{Hard, Hard, Hard, Extra, Extra},
}

// hardnessOf returns the level for three counts: clauses, joins, ORs and LIKEs; nested
// queries; and others, 0 to 4: one each for several aggregates, result columns,
// conditions and grouping columns.
func hardnessOf(clauses, nested, others int) Hardness {
	switch {
	case nested == 0 && clauses < len(flat):
		return flat[clauses][others]
	case nested == 1 && clauses <= 1 && others == 0:
		return Hard
	}
	return Extra
}

// hardness returns the level of a query before it is folded.
func (q *query) hardness() Hardness {
	clauses := one(len(q.where) > 0) + one(len(q.group) > 0) + one(q.ordered) + one(q.limit) + max(0, len(q.tables)-1)
	nested := one(q.next != nil)
	for c := range q.conditions {
		clauses += one(c.next == kindOr) + one(c.op == kindLike)
		nested += one(c.a.query != nil) + one(c.b.query != nil)
	}
	others := one(q.aggregates() > 1) + one(len(q.selects) > 1) + one(len(q.group) > 1) +
		one(len(q.where) > 1 || len(q.where) == 1 && q.where[0].next != 0)
	return hardnessOf(clauses, nested, others)
}

// aggregates counts aggregates as the official evaluator does: each NOT of WHERE and
// HAVING and each AND and OR of HAVING counts too, and the aggregates of these two do not.
func (q *query) aggregates() (n int) {
	for _, item := range q.selects {
		n += one(item.agg != 0)
	}
	for i := range q.where {
		n += one(q.where[i].not)
	}
	for _, u := range q.group {
		n += one(u.agg != 0)
	}
	for _, u := range q.order {
		n += one(u.a.agg != 0) + one(u.pair && u.b.agg != 0)
	}
	for i := range q.having {
		n += one(q.having[i].not) + one(q.having[i].next != 0)
	}
	return n
}
