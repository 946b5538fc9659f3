package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// withRounding adds the number of places to a question if the query rounds its only number: ", rounded to 2 decimal places?". It returns
// other questions as they are.
func (w *writer) withRounding(q *sqlast.Query, text string) string {
	call, ok := q.Select.Columns[0].Expr.(*sqlast.Call)
	if !ok || !strings.EqualFold(call.Name.Name, "round") || len(q.Select.Columns) > 1 || text == "" {
		return text
	}
	places := "the nearest whole number"
	if len(call.Args) > 1 {
		lit, ok := call.Args[1].(*sqlast.Literal)
		if !ok {
			return w.unsupported("rounded to computed places")
		}
		places = lit.Text + " decimal " + number(lit.Text == "1").inflect("place")
	}
	end := len(text) - 1 // before the closing mark
	return text[:end] + ", rounded to " + places + text[end:]
}

// isShare reports whether a calculation is the share of some rows in all of them: the count of some, divided by the same count of all.
func (w *writer) isShare(c *calculation) bool {
	countsSome, countsAll := c.x.agg == "count" && c.x.filter != nil, c.y.agg == "count" && c.y.filter == nil
	if c.op != "/" || !countsSome || !countsAll || c.x.distinct != c.y.distinct {
		return false
	}
	sameField := c.x.field == c.y.field // else both must count rows: count(id) of some, count(*) of all
	return c.y.distinct && sameField || w.countsAll(c.x) && (sameField || w.countsAll(c.y))
}

// someRows returns a plan whose rows are those that a filter takes of the plan's rows. It leaves out the joins to instances
// on which the filter has no condition, beginning with those at the ends of the chains of joins.
func (p *plan) someRows(f *filter) *plan {
	sub := *p
	sub.conds, sub.items, sub.groups, sub.order = f.conds, nil, nil, nil
	for range sub.instances { // a join may become the last one of its instance when another goes
		sub.edges = lists.Filter(sub.edges, func(e edge) bool { return !sub.isLeaf(e.from) && !sub.isLeaf(e.to) })
	}
	return &sub
}

// isLeaf reports whether an instance only ends a join: it has one join, is not the head, and no column of it is used.
func (p *plan) isLeaf(inst int) bool {
	joins := lists.Filter(p.edges, func(e edge) bool { return e.from == inst || e.to == inst })
	return inst != p.head && !p.mentions(inst) && len(joins) == 1
}

// filterModifiers returns the modifiers of the rows that a filter takes. A filter without any is unsupported.
func (w *writer) filterModifiers(p *plan, f *filter) []modifier {
	mods := w.headModifiers(p.someRows(f))
	if len(mods) == 0 {
		w.unsupported("an aggregate of some rows that says nothing about them")
	}
	return mods
}

// aggregateOfSome returns the noun phrase for an aggregate with a filter: "number of singers from France", "total age of singers who …".
func (w *writer) aggregateOfSome(p *plan, it item) string {
	rows := w.withModifiers(w.rowNoun(p), w.filterModifiers(p, it.filter), plural)
	all := it
	all.filter = nil
	if it.agg == "count" && (w.countsAll(it) || w.countsRows(p, all)) {
		return "number of " + rows
	}
	return w.aggregateName(p, all, w.rowNoun(p)) + " of " + rows
}

// calculated returns the noun phrase for a calculation on aggregates: "percentage of singers who are from France", "ratio of the number of
// singers from France to the number of singers from Spain".
func (w *writer) calculated(p *plan, it item, noun string) string {
	c := it.calc
	if w.isShare(c) {
		return w.shareWord(c) + " of " + w.withModifiers(noun, w.filterModifiers(p, c.x.filter), plural)
	}
	// A percentage suggests that the rows of x are among those of y. If x or y has a filter, only isShare assures that.
	if c.percent && (c.x.filter != nil || c.y.filter != nil) {
		return w.unsupported("a percentage of some rows that are not among the others")
	}
	return c.phrase(w.aggregateName(p, c.x, noun), w.aggregateName(p, c.y, noun))
}

// phrase returns the noun phrase for a calculation, given those for its operands: "ratio of the X to the Y".
func (c *calculation) phrase(x, y string) string {
	switch {
	case c.op == "/" && c.percent:
		return x + " as a percentage of the " + y
	case c.op == "/":
		return "ratio of the " + x + " to the " + y
	case c.op == "-":
		return "difference between the " + x + " and the " + y
	}
	return "sum of the " + x + " and the " + y
}

// shareWord returns the noun for a share: "percentage", or else a random one of "proportion" and "share".
func (w *writer) shareWord(c *calculation) string {
	if c.percent {
		return "percentage"
	}
	return w.draw("proportion", "share")
}

// calculatedColumn returns the noun phrase for a calculation on columns of a row: "ratio of the price to the weight". In the plural
// its first word is one: "ratios of …".
func (w *writer) calculatedColumn(p *plan, it item, n number) string {
	c := it.calc
	if it.agg != "" {
		return w.unsupported("a calculation on aggregates in the place of a column")
	}
	name := c.phrase(w.columnPhrase(p, c.x), w.columnPhrase(p, c.y))
	if n == plural && !c.percent {
		head, rest, _ := strings.Cut(name, " ")
		return plural.inflect(head) + " " + rest
	}
	return name
}

// calculationQuestion asks for a calculation: "what percentage of the singers are from France?" for a share, else "what is the ratio of …?".
func (w *writer) calculationQuestion(p *plan, it item, noun string) string {
	c := it.calc
	if !w.isShare(c) {
		if !w.namesRows(p, c.x) || !w.namesRows(p, c.y) { // the question must name the rows
			if c.x.filter != nil || c.y.filter != nil {
				return w.unsupported("a calculation on some rows and all")
			}
			rows := w.definiteRows(p, plural)
			return w.draw("what is the "+w.calculated(p, it, noun)+" of "+rows+"?", "for "+rows+", what is the "+w.calculated(p, it, noun)+"?")
		}
		return w.amongRows(p, "what is the "+w.calculated(p, it, noun))
	}
	mods := w.filterModifiers(p, c.x.filter)
	if slices.ContainsFunc(mods, func(m modifier) bool { // it has no predicate
		return m.after == "" && m.with == "" && m.clause == "" && m.has == "" && m.either == nil
	}) {
		return w.amongRows(p, "what is the "+w.calculated(p, it, noun))
	}
	predicates := w.predicates(mods, plural)
	return "what " + w.shareWord(c) + " of " + w.severalRows(p) + " " + predicates + "?"
}
