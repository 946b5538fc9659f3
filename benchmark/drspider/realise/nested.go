package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// nested expresses a condition with a nested query: the first row in an order, membership, or a comparison with an aggregate.
func (w *writer) nested(c cond) modifier {
	if len(c.sub.Compound) > 0 || c.sub.With != nil {
		return w.unsupportedModifier("a nested query that is a set operation")
	}
	p := w.plan(c.sub)
	switch {
	case w.err != nil:
		return modifier{}
	case len(p.items) != 1 || len(p.groups) > 0:
		return w.unsupportedModifier("a nested query of more than one column of rows")
	case len(p.order) > 0 || p.limit > 0:
		return w.extremeRow(p, c)
	case c.op == "in":
		return w.membership(p, c)
	}
	return w.comparison(p, c)
}

// unsupportedModifier records why a condition cannot be worded.
func (w *writer) unsupportedModifier(why string) modifier {
	w.unsupported("%s", why)
	return modifier{}
}

// extremeRow expresses that rows refer to the first row of a nested query in an order: stadium_id = (SELECT id
// FROM stadium ORDER BY capacity DESC LIMIT 1) → "whose stadium is the largest stadium". P is the plan of the nested query.
func (w *writer) extremeRow(p *plan, c cond) modifier {
	key, it := c.item.field.ref, p.items[0]
	switch {
	case len(p.order) != 1, p.limit != 1, it.agg != "", c.not, !slices.Contains([]string{"=", "in"}, c.op):
		return w.unsupportedModifier("a nested query in an order")
	case !p.order[0].item.isColumn(), it.field.instance != p.head, !w.refers(key, it.field.ref):
		return w.unsupportedModifier("a nested query of the first of some rows")
	}
	role := w.role(edge{key: key, target: it.field.ref})
	return modifier{whose: role + " is " + w.extremeRows(p, w.noun(it.field.ref.Table))}
}

// comparedAggregates are those that a condition may compare a column with.
var comparedAggregates = []string{"avg", "min", "max"}

// comparison expresses a comparison with an aggregate: age > (SELECT avg(age) FROM singer) →
// "with an above-average age".
func (w *writer) comparison(p *plan, c cond) modifier {
	it, col := p.items[0], c.item.field.ref
	name := w.column(col)
	if w.err != nil {
		return modifier{}
	}
	if !slices.Contains(comparedAggregates, it.agg) || !w.sameName(it.field.ref, col) {
		return w.unsupportedModifier("a comparison with a nested query of another column")
	}
	rows := w.definiteRows(p, plural)
	what := w.aggregateName(p, it, "")
	words := map[string][]string{">": {"above", "higher than", "greater than"}, "<": {"below", "lower than", "less than"}, "=": {"equal to"}}[c.op]
	if len(words) == 0 {
		return w.unsupportedModifier("a comparison with a nested query")
	}
	all := p.isWhole(col.Table) // the aggregate is over all rows
	if it.agg == "avg" && c.op != "=" {
		word := w.draw(words...)
		if all {
			return modifier{whose: name + " is " + word + " the average", with: w.draw("an "+words[0]+"-average "+name, english.Article(name)+" "+name+" "+words[0]+" the average")}
		}
		return modifier{whose: name + " is " + word + " the " + what + " of " + rows}
	}
	if it.agg != "avg" && c.op == "=" && all {
		return modifier{with: "the " + what}
	}
	word := words[0]
	if w.isTime(col) {
		word = map[string]string{">": "after", "<": "before", "=": "equal to"}[c.op]
	}
	return modifier{whose: name + " is " + word + " the " + what + " of " + rows}
}

// isWhole reports whether a plan selects all rows of one table, given by its index, without conditions and joins.
func (p *plan) isWhole(table int) bool {
	return len(p.conds)+len(p.edges) == 0 && p.instances[0].table == table
}

// membership expresses that rows are, or are not, among others: id IN (SELECT singer_id FROM
// concert) → "who perform in a concert".
func (w *writer) membership(p *plan, c cond) modifier {
	it := p.items[0]
	if !it.isColumn() {
		return w.unsupportedModifier("membership in aggregates")
	}
	own, other := c.item.field.ref, it.field.ref
	noun := w.noun(own.Table)
	p.head = it.field.instance
	p.conds = lists.Filter(p.conds, func(guard cond) bool { return guard.op != "null" || !guard.not || guard.item != it }) // IS NOT NULL only guards NOT IN
	switch {
	case own == other: // rows of the same table
		return w.membershipInTable(p, c)
	case w.refers(other, own): // the nested query's rows refer to these
		m := w.referredRows(p, noun, c.not, edge{key: other, target: own})
		m.aboutOthers = true
		return m
	case w.refers(own, other): // these rows refer to those of the nested query
		m := w.rowsReferredTo(p, edge{key: own, target: other}, c.not)
		m.aboutOthers = true
		return m
	}
	return w.unsupportedModifier("membership in rows that no key joins")
}

// membershipInTable expresses that rows are, or are not, among rows of their own table, by the one condition on these: id NOT IN (SELECT id
// FROM singer WHERE country = 'France') → "who are not from France".
func (w *writer) membershipInTable(p *plan, c cond) modifier {
	mods := w.headModifiers(p)
	if len(mods) != 1 || !w.identifies(c.item.field.ref) {
		return w.unsupportedModifier("membership in rows without one condition")
	}
	text := w.predicate(mods[0], plural)
	if c.not {
		text = w.negated(text)
	}
	return modifier{clause: text}
}

// rowsReferredTo expresses that rows refer to a row of the plan by the key of an edge: stadium_id IN (SELECT id FROM
// stadium WHERE city = 'Rome') → "whose stadium is in Rome". NOT IN, and several conditions, are unsupported.
func (w *writer) rowsReferredTo(p *plan, e edge, not bool) modifier {
	mods := w.headModifiers(p)
	switch {
	case not:
		return w.unsupportedModifier("rows whose key is not among others")
	case len(mods) != 1:
		return w.unsupportedModifier("membership in rows without one condition")
	}
	return modifier{whose: w.role(e) + " " + w.predicate(mods[0], singular)}
}

// referredRows expresses that rows called noun are referred to by some row of the plan, or by none if not is set: student_id
// NOT IN (SELECT student_id FROM takes) → "who do not take any courses". The edge has the key that refers.
func (w *writer) referredRows(p *plan, noun string, not bool, e edge) modifier {
	other, link, mods := w.referrers(p, e)
	if isKindOf(other, noun) {
		w.unsupported("rows of a kind that have each other")
	}
	if w.err != nil {
		return modifier{}
	}
	role := ""
	if link == "" {
		role = w.role(edge{key: e.key, target: e.target})
	}
	verb := w.drawOnce(w.relationVerbs(noun, other, link, role))
	things := w.withModifiers(other, mods, plural)
	switch {
	case !not:
		return modifier{clause: verb + " " + w.indefiniteRow(other, mods)}
	case verb == "are":
		return modifier{clause: "are not " + things}
	case verb == "have":
		return modifier{clause: "have no " + things, after: "without any " + things}
	}
	return modifier{clause: w.negated(verb + " any " + things)}
}

// referrers returns the noun and the modifiers of the rows of a plan, which refer to others by the key of an edge.
// If their table only joins those to a third table, it returns the rows of the third table, and as link the name of the
// table between: "course", by the link "takes".
func (w *writer) referrers(p *plan, e edge) (noun, link string, mods []modifier) {
	table := p.instances[p.head].table
	link = strings.ToLower(w.db.Tables[table].Name)
	if to, ok := p.behindHead(); ok {
		return w.instNoun(p, to), link, w.modifiers(p, to, p.head)
	}
	if target, ok := w.joinedTable(table, e.key); ok && p.isWhole(table) {
		return w.noun(target), link, nil
	}
	return w.noun(table), "", w.headModifiers(p)
}

// behindHead returns the instance that the head of a plan, whose rows it asks for, refers to. It returns false if there is none or several, or
// if the head has conditions of its own.
func (p *plan) behindHead() (inst int, ok bool) {
	edges := p.edgesFrom(p.head)
	if len(edges) != 1 || len(p.condsOn(p.head)) > 0 {
		return 0, false
	}
	return edges[0].to, true
}

// joinedTable returns the table to which the other foreign key of a table refers: courses for "takes" and the key student_id. Ok is false
// unless there is one other key and the table's name is a predicate.
func (w *writer) joinedTable(table int, key dataset.ColumnRef) (other int, ok bool) {
	keys := slices.DeleteFunc(w.keysOf(table), func(fk dataset.ForeignKey) bool { return fk.Column == key })
	if len(keys) != 1 {
		return 0, false
	}
	return keys[0].Target.Table, isVerbal(strings.Fields(strings.ToLower(w.db.Tables[table].Name)))
}

// negated negates a plural predicate: "take a course" gives "do not take a course",
// "have an age above 20" gives "have no age above 20".
func (w *writer) negated(predicate string) string {
	predicate = strings.Replace(predicate, " at least one ", " a ", 1) // "take no course", not "do not take at least one"
	first, rest, _ := strings.Cut(predicate, " ")
	switch {
	case first == "are", first == "were":
		return first + " not " + rest
	case first == "have":
		if article, thing, _ := strings.Cut(rest, " "); slices.Contains([]string{"a", "an"}, article) {
			return "have no " + thing
		}
		return "do not have " + rest
	case !english.IsPast(first):
		return "do not " + predicate
	}
	base := english.Base(first) // of a verb in the past
	if base == "" {
		return w.unsupported("a verb whose base form is not known")
	}
	return "did not " + base + " " + rest
}
