package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// askForGroups asks for the groups with a predicate: "which stadiums have more than 3 concerts?" for their names, "what is the city of the
// stadium that has the most concerts?" for other columns. Groups is their noun phrase.
func (w *writer) askForGroups(g group, columnItems []item, groups, predicate string, n number) string {
	if len(columnItems) == 1 && w.namesGroup(g, columnItems[0]) {
		if len(g.fields) > 1 && !g.isRow {
			return w.unsupported("one of two columns that are grouped by")
		}
		if g.isRow {
			w.manners[columnItems[0].field.ref] = Carried // "which stadiums" implies the name
		}
		if w.rng.IntN(3) == 0 {
			return punctuate(w.draw("list ", "name ") + "the " + groups + " " + who(g.noun) + " " + predicate)
		}
		return "which " + groups + " " + predicate + "?"
	}
	names := w.groupColumnNames(g, columnItems, n)
	if len(names) == 0 || !g.isRow {
		return w.unsupported("groups of which nothing is shown")
	}
	what := "the " + english.Enumerate(names, "and")
	be := n.beOf(len(names))
	rows := "the " + groups + " " + who(g.noun) + " " + predicate
	return w.draw("what "+be+" "+what+" of "+rows+"?", punctuate(w.request()+" "+what+" of "+rows))
}

// namesGroup reports whether a selected column only names the groups: they are values, or the column is the name of their rows.
func (w *writer) namesGroup(g group, it item) bool { return !g.isRow || w.isName(it.field.ref) }

// topGroups asks for the groups with most or fewest rows, or with the extreme of another
// aggregate: GROUP BY country ORDER BY count(*) DESC LIMIT 1 → "which country has the
// most singers?".
func (w *writer) topGroups(p *plan, g group, noun string, columnItems, aggs []item) string {
	if len(p.order) != 1 || len(p.having) > 0 {
		return w.unsupported("a limit of groups without an order")
	}
	o := p.order[0]
	n := number(p.limit == 1) // singular for one group
	rows, mods := w.members(p, g, noun)
	if w.err != nil {
		return ""
	}
	count := w.limitCount(p)
	extreme := w.groupExtreme(p, noun, rows)
	switch {
	case len(aggs) == 0: // only columns are asked for, see below
	case len(aggs) > 1, aggs[0] != o.item, len(columnItems) == 0, len(g.fields) > 1 && !g.isRow:
		return w.unsupported("aggregates of the first groups")
	default: // the columns and the aggregate of the order
		much := n.form(", and what is it?", ", and what is it for each of them?")
		if o.item.agg == "count" {
			much = n.form(" and how many?", ", and how many does each of them have?")
		}
		groups, has := count+w.groups(g, mods, n), " "+n.have()+" "+extreme+much
		if len(columnItems) == 1 && w.namesGroup(g, columnItems[0]) {
			return "which " + groups + has
		}
		names := w.groupColumnNames(g, columnItems, n)
		return "what " + n.beOf(len(names)) + " the " + english.Enumerate(names, "and") + " of the " + groups + " " + who(g.noun) + has
	}
	sole := n == singular && len(columnItems) == 1 && len(mods) == 0
	if sole && !g.isRow && w.countsRows(p, o.item) && w.chance(.5) {
		common := ifDescending(o, w.draw("most common ", "most frequent "), w.draw("least common ", "rarest "))
		return w.draw("what is the ", "which is the ") + common + g.noun + w.draw(" of ", " among ") + "all " + rows + "?"
	}
	return w.askForGroups(g, columnItems, count+w.groups(g, mods, n), n.have()+" "+extreme, n)
}

// groupExtreme returns the noun phrase for what the first groups in the order have: "the most singers", "the highest
// average age of singers from France".
func (w *writer) groupExtreme(p *plan, noun, rows string) string {
	o := p.order[0]
	switch {
	case o.item.filter == nil && w.countsRows(p, o.item):
		if p.limit == 1 && rows == plural.inflect(noun) && w.chance(.3) {
			return ifDescending(o, "more ", "fewer ") + rows + " than any other"
		}
		return "the " + ifDescending(o, w.draw("most ", "largest number of "), w.draw("fewest ", "smallest number of ")) + rows
	case o.item.agg == "":
		return w.unsupported("groups in another order")
	case o.item.agg == "count" && o.item.distinct && rows == plural.inflect(noun):
		return "the " + ifDescending(o, "most ", "fewest ") + w.countedNoun(p, o.item, noun)
	case o.item.agg == "count":
		return w.unsupported("groups in another order")
	}
	what := w.fullAggregateName(p, o.item, noun)
	extreme := "the " + ifDescending(o, "highest ", "lowest ") + what
	if rows != plural.inflect(noun) {
		extreme += " of " + rows
	}
	return extreme
}

// groupsHaving asks for the groups that fulfil a condition: GROUP BY country HAVING
// count(*) > 3 → "which countries have more than 3 singers?". Noun is that of a row; an order is unsupported.
func (w *writer) groupsHaving(p *plan, g group, noun string, columnItems []item) string {
	rows, mods := w.members(p, g, noun)
	clause := w.groupCondition(p, noun, rows)
	if w.err != nil || len(p.order) > 0 {
		return w.unsupported("groups with a condition in an order")
	}
	return w.askForGroups(g, columnItems, w.groups(g, mods, plural), clause, plural)
}

// amounts are comparisons with a number of things.
var amounts = map[string]string{">": "more than ", "<": "fewer than ", ">=": "at least ", "<=": "at most ", "=": "exactly "}

// groupCondition expresses HAVING as a plural predicate: HAVING avg(age) > 30 → "have an
// average age of more than 30".
func (w *writer) groupCondition(p *plan, noun, rows string) string {
	h := p.having[0]
	amount := amounts[h.op]
	if len(h.values) != 1 || h.item.agg == "" || amount == "" {
		return w.unsupported("a condition on groups that compares no aggregate with a number")
	}
	v := h.values[0].Text
	if n, err := strconv.ParseUint(v, 10, 8); err == nil && n <= maxSpelled && w.chance(.4) {
		v = inWords(int(n))
	}
	if h.item.filter == nil && w.countsRows(p, h.item) {
		if slices.Contains([]string{"one", "1"}, v) { // "more than one singer"
			rows = strings.Replace(rows, plural.inflect(noun), noun, 1)
		}
		return "have " + amount + v + " " + rows
	}
	if h.item.agg == "count" || rows != plural.inflect(noun) { // of values, or of rows with modifiers
		return w.unsupported("a condition on an aggregate of some rows")
	}
	return "have " + withArticle(w.fullAggregateName(p, h.item, noun)) + " of " + strings.Replace(amount, "fewer", "less", 1) + v
}

// fullAggregateName returns the [writer.aggregateName] for a question that does not name the rows elsewhere. It puts the noun of the rows before
// a bare column name: "total payment amount" instead of "total amount".
func (w *writer) fullAggregateName(p *plan, it item, noun string) string {
	text := w.aggregateName(p, it, noun)
	if name := w.columnPhrase(p, it); listed("bare", name) {
		text = strings.Replace(text, name, noun+" "+name, 1)
	}
	return text
}
