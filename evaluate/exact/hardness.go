package exact

// flatLevels gives the official level of queries without a nested one, by the first and the
// third count of hardnessOf.
var flatLevels = [][]Hardness{
	{Easy, Medium, Medium, Hard, Hard},
	{Easy, Medium, Medium, Hard, Hard},
	{Medium, Medium, Extra, Hard, Hard},
	{Hard, Hard, Hard, Extra, Extra},
}

// hardnessOf returns the level for the three counts that officially define it:
//
//   - clauses counts WHERE, GROUP BY, ORDER BY, LIMIT, joins, ORs and LIKEs;
//   - nested counts nested queries and set operations;
//   - others, 0 to 4, has one each for several aggregates, result columns, conditions and grouping columns.
func hardnessOf(clauses, nested, others int) Hardness {
	switch {
	case nested == 0 && clauses < len(flatLevels):
		return flatLevels[clauses][others]
	case nested == 1 && clauses <= 1 && others == 0:
		return Hard
	}
	return Extra
}

// hardness returns the level of a query before it is folded.
func (q *query) hardness() Hardness {
	clauses := toInt(len(q.where) > 0) + toInt(len(q.group) > 0) + toInt(q.ordered) + toInt(q.limit) + max(0, len(q.tables)-1)
	nested := toInt(q.next != nil)
	for c := range q.conditions {
		clauses += toInt(c.next == kindOr) + toInt(c.op == kindLike)
		nested += toInt(c.a.query != nil) + toInt(c.b.query != nil)
	}
	severalConditions := len(q.where) > 1 || len(q.where) == 1 && q.where[0].next != 0 // officially, a connective is one too
	others := toInt(q.aggregates() > 1) + toInt(len(q.selects) > 1) + toInt(len(q.group) > 1) + toInt(severalConditions)
	return hardnessOf(clauses, nested, others)
}

// aggregates counts aggregates as the official evaluator does: each NOT of WHERE and
// HAVING and each AND and OR of HAVING counts too, and the aggregates of these two do not.
func (q *query) aggregates() (n int) {
	for _, item := range q.selects {
		n += toInt(item.agg != 0)
	}
	for i := range q.where {
		n += toInt(q.where[i].not)
	}
	for _, u := range q.group {
		n += toInt(u.agg != 0)
	}
	for _, u := range q.order {
		n += toInt(u.a.agg != 0) + toInt(u.pair && u.b.agg != 0)
	}
	for i := range q.having {
		n += toInt(q.having[i].not) + toInt(q.having[i].next != 0)
	}
	return n
}
