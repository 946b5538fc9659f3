package exact

import (
	"math/bits"
	"slices"
)

// match compares a prediction with a gold part by part; both are folded. tables reports
// whether FROM has the same tables, in any order.
func (s *Schema) match(pred, gold *query) (parts [NumParts]Counts, tables bool) {
	parts[Select], parts[SelectNoAgg] = matchTwice(pred.selects, gold.selects,
		func(a, b *selectItem) bool { return *a == *b }, func(a, b *selectItem) bool { return a.unit == b.unit })
	parts[Where], parts[WhereNoOp] = matchTwice(pred.where, gold.where,
		func(a, b *condition) bool { return a.equal(b, false) }, func(a, b *condition) bool { return a.unit == b.unit })
	parts[GroupNoHaving], parts[Group] = s.matchGroup(pred, gold)
	parts[Order] = matchOrder(pred, gold)
	parts[AndOr] = matchAndOr(pred.where, gold.where)
	parts[IUEN] = s.matchIUEN(pred, gold)
	parts[Keywords] = matchKeywords(pred.keywords(), gold.keywords())
	// As officially, FROM is not compared if the gold has no tables.
	return parts, len(gold.tables) == 0 || sameBag(pred.tables, gold.tables, func(t, u *tableUnit) bool { return t.equal(*u) })
}

// matches reports whether all parts and the tables are the same.
func (s *Schema) matches(pred, gold *query) bool {
	parts, tables := s.match(pred, gold)
	return tables && !slices.ContainsFunc(parts[:], func(c Counts) bool { return !c.Same })
}

// sameBag reports whether two lists hold the same elements in any order. It allocates nothing for short
// lists.
func sameBag[T any](pred, gold []T, equal func(*T, *T) bool) bool {
	if len(pred) != len(gold) {
		return false
	}
	var few [16]bool
	used := few[:]
	if len(gold) > len(few) {
		used = make([]bool, len(gold))
	}
next:
	for i := range pred {
		for j := range gold {
			if !used[j] && equal(&pred[i], &gold[j]) {
				used[j] = true
				continue next
			}
		}
		return false
	}
	return true
}

// matchTwice compares the elements of a clause in any order and returns two results: whole compares them by equal, and
// units compares them without their aggregates or operators, by sameUnit. Elements that are equal have the same unit.
func matchTwice[T any](pred, gold []T, equal, sameUnit func(*T, *T) bool) (whole, units Counts) {
	whole = Counts{Gold: len(gold), Pred: len(pred), Same: sameBag(pred, gold, equal)}
	units = whole
	units.Same = whole.Same || sameBag(pred, gold, sameUnit)
	return whole, units
}

// matchGroup compares GROUP BY twice: the names of its columns in any order, and
// the columns in their order together with HAVING.
func (s *Schema) matchGroup(pred, gold *query) (noHaving, all Counts) {
	noHaving = Counts{Gold: len(gold.group), Pred: len(pred.group)}
	noHaving.Same = sameBag(pred.group, gold.group, func(a, b *colUnit) bool { return s.column[a.column].group == s.column[b.column].group })
	all = Counts{Gold: toInt(len(gold.group) > 0), Pred: toInt(len(pred.group) > 0)}
	all.Same = slices.EqualFunc(pred.group, gold.group, func(a, b colUnit) bool { return a.column == b.column })
	if len(gold.group) > 0 { // HAVING counts only together with GROUP BY
		all.Same = all.Same && equalConditions(pred.having, gold.having, false)
	}
	return noHaving, all
}

// matchOrder compares ORDER BY with its direction and whether there is a LIMIT. Without
// ORDER BY a LIMIT does not count, as officially.
func matchOrder(pred, gold *query) Counts {
	c := Counts{Gold: toInt(gold.ordered), Pred: toInt(pred.ordered), Same: pred.ordered == gold.ordered}
	if pred.ordered && gold.ordered {
		c.Same = pred.desc == gold.desc && pred.limit == gold.limit && slices.Equal(pred.order, gold.order)
	}
	return c
}

// matchAndOr compares the sets of connectives. If they differ, the numbers of the
// two sides are exchanged, as in the official evaluator.
func matchAndOr(pred, gold []condition) Counts {
	p, g := connectives(pred), connectives(gold)
	if p == g {
		return Counts{Gold: 1, Pred: 1, Same: true}
	}
	return Counts{Gold: bits.OnesCount8(p), Pred: bits.OnesCount8(g)}
}

// connectives returns a set with bit 1 for AND and bit 2 for OR.
func connectives(conds []condition) (set uint8) {
	for i := range conds {
		switch conds[i].next {
		case kindAnd:
			set |= 1
		case kindOr:
			set |= 2
		}
	}
	return set
}

// matchIUEN compares the set operations and the queries that they join.
func (s *Schema) matchIUEN(pred, gold *query) Counts {
	c := Counts{Gold: toInt(gold.next != nil), Pred: toInt(pred.next != nil), Same: pred.setOp == gold.setOp}
	if gold.next != nil {
		c.Same = c.Same && s.matches(pred.next, gold.next)
	}
	return c
}

// matchKeywords compares the sets of keywords.
func matchKeywords(pred, gold keywords) Counts {
	return Counts{Gold: bits.OnesCount16(uint16(gold)), Pred: bits.OnesCount16(uint16(pred)), Same: pred == gold}
}

// keywords is the set of words that a query uses, one bit each.
type keywords uint16

// keywords returns the words that count officially: those of nested queries do not
// count, nor do BETWEEN, IS, JOIN and DISTINCT.
func (q *query) keywords() (set keywords) {
	// Two queries are compared by these bits alone, so their order is free.
	for i, has := range [...]bool{
		len(q.where) > 0, len(q.group) > 0, len(q.having) > 0, q.ordered, q.ordered && q.desc, q.ordered && !q.desc, q.limit,
		q.setOp == kindExcept, q.setOp == kindUnion, q.setOp == kindIntersect,
	} {
		set |= keywords(toInt(has)) << i
	}
	for c := range q.conditions { // the next four bits
		for j, has := range [...]bool{c.next == kindOr, c.not, c.op == kindIn, c.op == kindLike} {
			set |= keywords(toInt(has)) << (10 + j)
		}
	}
	return set
}

// toInt returns 1 for true and 0 for false.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
