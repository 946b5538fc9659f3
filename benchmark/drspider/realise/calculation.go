package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// rounded adds to a question for one number to how many places it is rounded.
func (w *writer) rounded(q *sqlast.Query, text string) string {
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
	end := len(text) - 1
	return text[:end] + ", rounded to " + places + text[end:]
}

// isShare reports whether a calculation is the share of some rows in all of them.
func (w *writer) isShare(c *calculation) bool {
	return c.op == "/" && c.x.agg == "count" && c.x.filter != nil && c.y.filter == nil && c.y.agg == "count" && c.x.distinct == c.y.distinct &&
		(c.y.distinct && c.x.field == c.y.field || w.countsAll(c.x) && (w.countsAll(c.y) || !c.y.distinct && c.x.field == c.y.field))
}

// someRows returns the plan of the rows that a filter takes, among those of the plan. It leaves out the joins that
// the filter says nothing about.
func (p *plan) someRows(f *filter) *plan {
	sub := *p
	sub.conds, sub.items, sub.groups, sub.order = f.conds, nil, nil, nil
	for range sub.inst {
		sub.edges = lists.Filter(sub.edges, func(e edge) bool { return !sub.isLeaf(e.from) && !sub.isLeaf(e.to) })
	}
	return &sub
}

// isLeaf reports whether an instance has one join, and is neither the head nor mentioned.
func (p *plan) isLeaf(inst int) bool {
	joins := lists.Filter(p.edges, func(e edge) bool { return e.from == inst || e.to == inst })
	return inst != p.head && !p.mentions(inst) && len(joins) == 1
}

// filterModifiers returns what a filter says about the rows of a plan.
func (w *writer) filterModifiers(p *plan, f *filter) []modifier {
	mods := w.headModifiers(p.someRows(f))
	if len(mods) == 0 {
		w.unsupported("an aggregate of some rows that says nothing about them")
	}
	return mods
}

// aggregateOfSome names an aggregate of some rows: "number of singers from France", "total age of singers who …".
func (w *writer) aggregateOfSome(p *plan, it item) string {
	rows := w.withModifiers(w.rowNoun(p), w.filterModifiers(p, it.filter), plural)
	all := it
	all.filter = nil
	if it.agg == "count" && (w.countsAll(it) || w.countsRows(p, all)) {
		return "number of " + rows
	}
	return w.aggregateName(p, all, w.rowNoun(p)) + " of " + rows
}

// calculated names a calculation on aggregates: "percentage of singers who are from France", "ratio of the number of
// singers from France to the number of singers from Spain".
func (w *writer) calculated(p *plan, it item, noun string) string {
	c := it.calc
	if w.isShare(c) {
		return w.shareWord(c) + " of " + w.withModifiers(noun, w.filterModifiers(p, c.x.filter), plural)
	}
	if c.percent && (c.x.filter != nil || c.y.filter != nil) {
		return w.unsupported("a percentage of some rows that are not among the others")
	}
	return c.of(w.aggregateName(p, c.x, noun), w.aggregateName(p, c.y, noun))
}

// of names a calculation by the names of its operands.
func (c *calculation) of(x, y string) string {
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

// shareWord draws what a share is called.
func (w *writer) shareWord(c *calculation) string {
	if c.percent {
		return "percentage"
	}
	return w.draw("proportion", "share")
}

// calculatedColumn names a calculation on columns of a row: "ratio of the price to the weight".
func (w *writer) calculatedColumn(p *plan, it item, n number) string {
	c := it.calc
	if it.agg != "" {
		return w.unsupported("a calculation on aggregates in the place of a column")
	}
	name := c.of(w.columnPhrase(p, c.x), w.columnPhrase(p, c.y))
	if n == plural && !c.percent {
		head, rest, _ := strings.Cut(name, " ")
		return plural.inflect(head) + " " + rest
	}
	return name
}

// calculationQuestion asks for a calculation: "what percentage of the singers are from France?".
func (w *writer) calculationQuestion(p *plan, it item, noun string) string {
	c := it.calc
	if !w.isShare(c) {
		if !w.namesRows(p, c.x) || !w.namesRows(p, c.y) {
			if c.x.filter != nil || c.y.filter != nil {
				return w.unsupported("a calculation on some rows and all")
			}
			rows := w.definiteRows(p, plural)
			return w.draw("what is the "+w.calculated(p, it, noun)+" of "+rows+"?", "for "+rows+", what is the "+w.calculated(p, it, noun)+"?")
		}
		return w.amongRows(p, "what is the "+w.calculated(p, it, noun))
	}
	mods := w.filterModifiers(p, c.x.filter)
	if slices.ContainsFunc(mods, func(m modifier) bool {
		return m.after == "" && m.with == "" && m.clause == "" && m.has == "" && m.either == nil
	}) {
		return w.amongRows(p, "what is the "+w.calculated(p, it, noun))
	}
	predicates := w.predicates(mods, plural)
	return "what " + w.shareWord(c) + " of " + w.severalRows(p) + " " + predicates + "?"
}
