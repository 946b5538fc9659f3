package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// group is what rows are grouped by.
type group struct {
	isRow    bool   // a group is another row, given by its key or name; else the values of fields
	noun     string // what a group is called: "country", "stadium"
	instance int    // the instance of the columns, or of the other row
	fields   []field
}

// groupOf returns the groups of a plan: rows that the columns of GROUP BY identify (stadiums for stadium_id), or else values (countries
// for country).
func (w *writer) groupOf(p *plan) group {
	f := p.groups[0]
	if len(p.groups) == 1 { // a key to joined rows
		for _, e := range p.edgesFrom(f.instance) {
			if e.key == f.ref {
				return group{isRow: true, noun: w.role(e), instance: e.to, fields: p.groups}
			}
		}
	}
	if f.instance != p.head && slices.ContainsFunc(p.groups, func(f field) bool { return w.identifies(f.ref) }) { // the key or name of joined rows
		if slices.ContainsFunc(p.groups, func(other field) bool { return other.instance != f.instance }) {
			w.unsupported("groups by columns of several tables")
		}
		noun := w.instNoun(p, f.instance)
		if e, ok := p.edge(p.head, f.instance); ok {
			noun = w.role(e)
		}
		return group{isRow: true, noun: noun, instance: f.instance, fields: p.groups}
	}
	if len(p.groups) > 2 {
		w.unsupported("more than two columns are grouped by")
	}
	if len(p.groups) == 1 && w.isID(f.ref) { // an ID of rows that are not joined
		name := strings.ToLower(lexicon.Bare(w.db.Column(f.ref).Name))
		if noun, ok := strings.CutSuffix(name, " id"); ok {
			return group{isRow: true, noun: strings.Join(strings.Fields(noun), " "), instance: f.instance, fields: p.groups}
		}
	}
	names := lists.Map(p.groups, func(f field) string {
		name := w.columnPhrase(p, item{field: f})
		if name == "name" || name == "title" {
			return w.rowNoun(p) + " " + name
		}
		return name
	})
	return group{noun: english.Enumerate(names, "and"), instance: f.instance, fields: p.groups}
}

// canSelect reports whether a query with these groups may select a column: one of GROUP BY,
// or one of the joined rows that are the groups.
func (g group) canSelect(p *plan, f field) bool {
	if slices.Contains(g.fields, f) {
		return true
	}
	return g.isRow && f.instance == g.instance && g.instance != p.head
}

// groupQuestion expresses a query with GROUP BY: groups in an order with a LIMIT, aggregates of each group, or groups with a condition.
func (w *writer) groupQuestion(p *plan) string {
	g := w.groupOf(p)
	noun := w.rowNoun(p)
	if isKindOf(noun, g.noun) {
		w.unsupported("rows are grouped by rows of their kind")
	}
	if w.err != nil {
		return ""
	}
	restricts := func(c cond) bool { return c.op != "=" && slices.Contains(g.fields, c.item.field) } // on the groups themselves: country != 'France'
	if !g.isRow && slices.ContainsFunc(p.conds, restricts) {
		return w.unsupported("groups by a column that a condition is on")
	}
	var columnItems, aggs []item
	for _, it := range p.items {
		switch {
		case it.agg != "" && it.distinct && slices.Contains(g.fields, it.field): // a group has one value of it
			return w.unsupported("a number of different values that is one")
		case it.agg != "":
			aggs = append(aggs, it)
		case it.star:
			return w.unsupported("a star of groups")
		case !g.canSelect(p, it.field):
			return w.unsupported("a column that is not grouped by")
		default:
			columnItems = append(columnItems, it)
		}
	}
	switch {
	case len(p.order) > 1:
		return w.unsupported("groups in an order of several columns")
	case p.limit > 0:
		return w.topGroups(p, g, noun, columnItems, aggs)
	case len(p.having) > 1:
		return w.unsupported("several conditions on groups")
	case len(aggs) > 0:
		return w.eachGroup(p, g, noun, columnItems, aggs)
	case len(p.having) == 1:
		return w.groupsHaving(p, g, noun, columnItems)
	}
	return w.unsupported("groups without an aggregate")
}

// members returns the rows of a group with their modifiers, "singers from France", and separately the
// modifiers of the group itself.
func (w *writer) members(p *plan, g group, noun string) (rows string, groupMods []modifier) {
	mods := w.conditions(p, p.head)
	for _, e := range p.edgesFrom(p.head) {
		switch {
		case g.isRow && e.to == g.instance:
			groupMods = w.modifiers(p, g.instance, p.head)
		case g.isRow && p.hasKeyPath(e.to, g.instance):
			w.unsupported("groups by rows that are far from those counted")
		default:
			mods = append(mods, w.refersTo(p, e, p.head)...)
		}
	}
	if w.err != nil {
		return "", nil
	}
	return w.withModifiers(noun, mods, plural), groupMods
}

// hasKeyPath reports whether an instance refers to another, directly or through instances between them.
func (p *plan) hasKeyPath(from, to int) bool {
	return slices.ContainsFunc(p.edges, func(e edge) bool {
		return e.from == from && (e.to == to || p.hasKeyPath(e.to, to))
	})
}

// groups returns the noun phrase for one or several groups, without an article: "stadium in London".
func (w *writer) groups(g group, mods []modifier, n number) string {
	return w.withModifiers(english.SingularPhrase(g.noun), mods, n)
}

// eachGroup asks for aggregates of each group: SELECT country, avg(age) FROM singer
// GROUP BY country → "what is the average age of the singers for each country?".
func (w *writer) eachGroup(p *plan, g group, noun string, columnItems, aggs []item) string {
	linked := func(it item) bool { return !it.star && it.field.instance != p.head } // of joined rows
	if slices.ContainsFunc(aggs, linked) && !w.hasOwnColumn(p.instances[p.head].table) {
		return w.unsupported("rows that only join those whose column is taken")
	}
	if !g.isRow && slices.ContainsFunc(aggs, linked) && w.isName(g.fields[0].ref) && g.instance == p.head {
		return w.unsupported("rows grouped by their own name for what others have")
	}
	rows, mods := w.members(p, g, noun)
	if len(p.having) == 1 {
		mods = append(mods, modifier{clause: w.groupCondition(p, noun, rows)})
	}
	each := w.draw("each ", "every ") + w.groups(g, mods, singular)
	tail := w.groupOrder(p, noun)
	if w.err != nil {
		return ""
	}
	columns := w.groupColumns(g, columnItems)
	if columns == "" && g.isRow && len(columnItems) == 1 {
		w.manners[columnItems[0].field.ref] = Carried
	}
	if len(aggs) == 1 && w.countsRows(p, aggs[0]) && aggs[0].filter == nil {
		return w.countEachGroup(g, each, rows, columns, tail, mods)
	}
	var names []string
	for _, it := range aggs {
		if w.countsRows(p, it) && it.filter == nil {
			names = append(names, "number of "+plural.inflect(noun))
		} else {
			names = append(names, w.aggregateName(p, it, noun))
		}
	}
	if w.err != nil {
		return ""
	}
	joint := "and the"
	if ofOneColumn(aggs) {
		joint = "and"
	}
	what := "the " + english.Enumerate(w.mergeAggregates(p, aggs, names), joint)
	if columns != "" {
		what = withThe(columns) + " and " + what
	}
	all := rows == plural.inflect(noun) // the rows have no modifiers
	if all && (w.namesRows(p, aggs[0]) || aggs[0].agg == "count") {
		return punctuate("for " + each + ", " + w.draw("show ", "give ", "find ") + what + tail)
	}
	whose := " of the "
	if w.namesRows(p, aggs[0]) {
		whose = " among the "
	}
	if all && g.isRow && whose == " of the " {
		whose = " of " + its(g.noun)
	}
	command := punctuate("for " + each + ", " + w.draw("show ", "find ", "give ") + what + whose + rows + tail)
	if len(aggs) > 1 || columns != "" {
		return command
	}
	return w.draw(command, "what is "+what+whose+rows+" for "+each+tail+"?", "for "+each+", what is "+what+whose+rows+tail+"?")
}

// countEachGroup asks how many rows each group has: SELECT country, count(*) FROM singer
// GROUP BY country → "how many singers are there for each country?". Each is the phrase "each country", rows the noun phrase for the counted
// rows, and columns that for further columns of the group, "" for none; mods are those of the group, and tail is the order.
func (w *writer) countEachGroup(g group, each, rows, columns, tail string, mods []modifier) string {
	if columns != "" {
		return punctuate("for " + each + ", " + w.draw("show ", "give ", "list ") + columns + " and the number of " + rows + tail)
	}
	if tail == "" {
		if w.chance(.4) {
			return w.draw("how many "+rows+" are there for "+each+"?", "for "+each+", how many "+rows+" are there?")
		}
		if g.isRow {
			return punctuate(w.request() + " the number of " + rows + " for " + each)
		}
	}
	return w.draw(punctuate(w.draw("show ", "list ", "give ")+"each "+w.groups(g, mods, singular)+" with the number of "+rows+tail), "what is the number of "+rows+" for "+each+tail+"?")
}

// ofOneColumn reports whether all aggregates are plain ones of the same column: no counts, filters or calculations.
func ofOneColumn(aggs []item) bool {
	return !slices.ContainsFunc(aggs, func(i item) bool {
		return i.field != aggs[0].field || i.distinct || i.agg == "count" || i.filter != nil || i.calc != nil
	})
}

// mergeAggregates drops the column from all names but the last if the aggregates are of one column: "minimum age", "maximum
// age" become "minimum", "maximum age".
func (w *writer) mergeAggregates(p *plan, aggs []item, names []string) []string {
	if !ofOneColumn(aggs) {
		return names
	}
	name := w.columnPhrase(p, aggs[0])
	for i := range names[:len(names)-1] {
		names[i] = strings.TrimSuffix(names[i], " "+name)
	}
	return names
}

// groupColumns returns a noun phrase for the selected columns of a group that is a row, "its name and city". It returns ""
// if there are none, or if the groups are values, which "each country" names.
func (w *writer) groupColumns(g group, columnItems []item) string {
	if !g.isRow || len(columnItems) == 0 {
		return ""
	}
	names := w.groupColumnNames(g, columnItems, singular)
	return w.draw(its(g.noun), "the ") + english.Enumerate(names, "and")
}

// its returns the possessive pronoun of a noun.
func its(noun string) string {
	if isPerson(noun) {
		return "their "
	}
	return "its "
}

// withThe returns a phrase with "the" in the place of a pronoun of [its].
func withThe(phrase string) string {
	return "the " + strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(phrase, "its "), "their "), "the ")
}

// groupColumnNames returns the names of the selected columns of a group, in the number n and without the noun of the
// group: "name" for the "stadium name" of a stadium.
func (w *writer) groupColumnNames(g group, columnItems []item, n number) []string {
	var names []string
	for _, it := range columnItems {
		name := strings.TrimPrefix(w.fieldName(it.field), g.noun+" ")
		if n == plural {
			name = pluralName(name)
		}
		names = append(names, name)
	}
	return names
}

// groupOrder expresses the order of groups: ORDER BY count(*) DESC → ", sorted by the number
// of singers in descending order".
func (w *writer) groupOrder(p *plan, noun string) string {
	if len(p.order) == 0 {
		return ""
	}
	o := p.order[0]
	if o.item.agg == "" {
		return ", sorted by " + w.columnPhrase(p, o.item) + o.inOrder()
	}
	what := "the " + w.aggregateName(p, o.item, noun)
	if slices.Contains(p.items, o.item) && w.err == nil { // the question has named it: "that number"
		what = "that " + strings.Fields(what)[1]
	}
	return w.draw(", sorted by ", ", ordered by ") + what + o.inOrder()
}
