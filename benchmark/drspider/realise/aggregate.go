package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// aggregateQuestion asks for counts and other aggregates over all rows of a plan:
// SELECT min(age), max(age) FROM singer → "what are the minimum and maximum age of all
// singers?". Noun is what a row is called.
func (w *writer) aggregateQuestion(p *plan, noun string) string {
	switch {
	case len(p.order) > 0, p.limit > 1:
		return w.unsupported("an order of one row")
	case len(p.items) == 1:
		return w.oneAggregate(p, p.items[0], noun)
	}
	names := lists.Map(p.items, func(it item) string { return w.aggregateName(p, it, noun) })
	namesRows := func(i item) bool { return w.namesRows(p, i) } // "number of singers" names them, "average age" does not
	switch {
	case len(lists.Filter(p.items, namesRows)) == len(p.items): // "the number of singers from France and the number of …"
		return w.amongRows(p, "what are the "+english.Enumerate(names, "and the"))
	case slices.ContainsFunc(p.items, namesRows):
		return w.unsupported("aggregates that are put together")
	}
	rows := w.definiteRows(p, plural)
	what := english.Enumerate(w.mergeAggregates(p, p.items, names), "and")
	return w.draw("what are the "+what+" of "+rows+"?", punctuate(w.request()+" the "+what+" of "+rows), "for "+rows+", what are the "+what+"?")
}

// countsRows reports whether an item counts the rows of the join, count(*) or the count of a column that every row has, or the rows of
// the plan's head, which the plan asks for, by their key.
func (w *writer) countsRows(p *plan, it item) bool {
	switch {
	case it.agg != "count":
		return false
	case it.star, !it.distinct && w.isAlwaysKnown(it.field.ref):
		return true
	}
	return it.field.instance == p.head && w.isOwnKey(it.field.ref)
}

// isAlwaysKnown reports whether every row has a value of a column, because the column identifies the rows or refers to others.
func (w *writer) isAlwaysKnown(c dataset.ColumnRef) bool {
	return w.isID(c) || w.identifies(c) || w.targetOf(c) != c
}

// isOwnKey reports whether a column identifies the rows of its table by a key: the primary key, or an ID that refers to
// no other rows.
func (w *writer) isOwnKey(c dataset.ColumnRef) bool {
	name := lexicon.Normal(w.db.Column(c).Name)
	return w.isKey(c) || w.targetOf(c) == c && (name == "id" || name == lexicon.Normal(w.rowsOf(c.Table).noun)+" id")
}

// namesRows reports whether the noun phrase for an item names the rows, so that the question need not: "number of singers". It does if the
// item counts rows or is an aggregate of some of them.
func (w *writer) namesRows(p *plan, it item) bool {
	if it.calc != nil {
		return w.namesRows(p, it.calc.x)
	}
	return it.filter != nil || it.agg == "count" && !it.distinct || w.countsRows(p, it)
}

// amongRows completes a question whose noun phrases name the rows. It puts the rows before the question, "among the singers from France,",
// only if conditions restrict them.
func (w *writer) amongRows(p *plan, question string) string {
	if len(w.headModifiers(p)) == 0 {
		return question + "?"
	}
	return w.draw("among ", "of ", "for ") + w.severalRows(p) + ", " + question + "?"
}

// severalRows returns the rows of a plan in the plural, also where a name could stand for one row.
func (w *writer) severalRows(p *plan) string {
	return w.draw("the ", "all ") + w.bareRows(p, plural)
}

var (
	aggregateWords = map[string][]string{
		"avg": {"average", "mean"}, "sum": {"total"}, "min": {"minimum", "lowest"}, "max": {"maximum", "highest"},
	}
	timeAggregateWords = map[string][]string{"min": {"earliest"}, "max": {"latest"}}
)

// aggregateName returns an aggregate as a noun phrase without article: avg(age) →
// "average age", count(*) → "number of singers". Noun is what a row is called, "" where
// the aggregate may be called as its rows are.
func (w *writer) aggregateName(p *plan, it item, noun string) string {
	switch {
	case it.calc != nil:
		return w.calculated(p, it, noun)
	case it.filter != nil:
		return w.aggregateOfSome(p, it)
	}
	switch it.agg {
	case "":
		return w.columnOf(p, it, noun, singular)
	case "count":
		return "number of " + w.countedNoun(p, it, noun)
	}
	words := aggregateWords[it.agg]
	name := w.columnPhrase(p, it)
	if w.isTime(it.field.ref) {
		words = timeAggregateWords[it.agg]
	}
	_, last := english.CutLast(name)
	if _, rows := english.CutLast(noun); english.Singular(last) == rows { // the "total sales" of sales
		return w.unsupported("a column that is called as its rows are")
	}
	first, _, _ := strings.Cut(name, " ")
	switch {
	case it.distinct, len(words) == 0:
		return w.unsupported("%s of %s", it.agg, name)
	case it.agg != "sum" && listed("aggregate", first): // "the mean mean temperature"
		return w.unsupported("%s of %s", it.agg, name)
	case isCount(name):
		name = "number of " + name
	}
	return w.drawOnce(words) + " " + strings.TrimPrefix(name, "total ")
}

// countedNoun returns the noun phrase for what a count counts: "singers", "different countries", "singers with a known age".
func (w *writer) countedNoun(p *plan, it item, noun string) string {
	switch {
	case w.countsRows(p, it):
		return plural.inflect(w.rowNoun(p))
	case it.distinct:
		return w.draw("different ", "distinct ") + w.countedValues(p, it)
	}
	return plural.inflect(w.rowNoun(p)) + " with a known " + w.columnPhrase(p, it)
}

// countedValues returns the noun for the different values of a column or of a part of its times: "countries", "years of the opening date".
// For a key it is the noun of the rows that the key refers to, and for a name that of the named rows.
func (w *writer) countedValues(p *plan, it item) string {
	if target := w.targetOf(it.field.ref); w.isKey(target) && it.field.timePart == "" {
		return plural.inflect(w.noun(target.Table))
	}
	if w.isName(it.field.ref) {
		return plural.inflect(w.noun(it.field.ref.Table))
	}
	return pluralName(w.columnPhrase(p, it))
}

// oneAggregate asks for one aggregate: SELECT max(age) → "what is the highest age of all
// singers?".
func (w *writer) oneAggregate(p *plan, it item, noun string) string {
	if it.filter == nil && w.countsRows(p, it) {
		return w.countRows(p, noun)
	}
	switch {
	case it.filter != nil: // as if the conditions were in WHERE
		p.conds = append(slices.Clip(p.conds), it.filter.conds...)
		p.items[0].filter = nil
		p.head = w.headOf(p)
		return w.oneAggregate(p, p.items[0], w.rowNoun(p))
	case it.calc != nil:
		return w.calculationQuestion(p, it, noun)
	case it.agg == "count" && it.distinct:
		return w.countValues(p, it)
	}
	what := w.aggregateName(p, it, noun)
	if it.agg == "count" {
		return w.amongRows(p, "what is the "+what)
	}
	rows := w.definiteRows(p, plural)
	if w.err != nil {
		return ""
	}
	if text := w.aggregateByHow(p, it, rows); text != "" {
		return text
	}
	return w.draw("what is the "+what+" "+w.draw("of ", "of ", "for ")+rows+"?", punctuate(w.request()+" the "+what+" of "+rows), "for "+rows+", what is the "+what+"?")
}

// aggregateByHow asks for an aggregate by "how": avg(age) → "on average, how old are the singers?", max(age) → "how old is the
// oldest singer?". It returns "" if the phrasebook has no such wording for the column, and at random.
func (w *writer) aggregateByHow(p *plan, it item, rows string) string {
	a := w.askedOfRows(p, it.field)
	if a == notAsked || !w.chance(.4) {
		return ""
	}
	how := lists.Filter(a.How, func(s string) bool { return strings.HasPrefix(s, "how ") })
	extremes := map[string][]string{"max": a.Most, "min": a.Least}[it.agg]
	if len(how) == 0 || len(extremes) == 0 && it.agg != "avg" {
		return ""
	}
	if byAdjective(how[0]) {
		w.manners[it.field.ref] = Attributed // the adjective implies the column
	}
	if len(extremes) > 0 {
		return fillWording(w.draw(how...), "the "+w.draw(extremes...)+" "+w.bareRows(p, singular), singular) + "?"
	}
	text := fillWording(w.draw(how...), rows, plural) + "?"
	if strings.Contains(text, " on average") {
		return text
	}
	return w.draw("on average, ", "on average ") + text
}

// countRows asks how many rows there are: SELECT count(*) FROM singer WHERE age > 30 →
// "how many singers are older than 30?".
func (w *writer) countRows(p *plan, noun string) string {
	rows := w.bareRows(p, plural)
	mods := w.headModifiers(p)
	if w.err != nil {
		return ""
	}
	switch k := w.rng.IntN(6); {
	case k <= 1 && len(mods) == 1:
		return "how many " + plural.inflect(noun) + " " + w.predicate(mods[0], plural) + "?"
	case k == 2:
		return w.draw("what is the number of ", "what is the total number of ") + rows + "?"
	case k == 3:
		return punctuate(w.draw("count the ", "count all ", "find the number of ", "give the number of ", "show the number of ", "tell me the number of ", "I want to know the number of ") + rows)
	case k == 4 && len(mods) > 0:
		return w.draw("of all ", "among all ") + plural.inflect(noun) + ", how many " + w.predicates(mods, plural) + "?"
	}
	if len(strings.Fields(rows)) > longRows { // "are there" would come too late
		return "what is the number of " + rows + "?"
	}
	return "how many " + rows + w.draw(" are there", " are there in total") + "?"
}

// predicates joins the predicates of several modifiers: "are older than 30 and come from France". It joins the objects of "have" under one
// verb and puts them first.
func (w *writer) predicates(mods []modifier, n number) string {
	mods = slices.Clone(mods)
	slices.SortStableFunc(mods, func(x, y modifier) int { return len(x.either) - len(y.either) }) // "and" after "or" could be either's
	parts := lists.Map(mods, func(m modifier) string { return w.predicate(m, n) })
	var others, things []string // "have an age above 20 and a known country"
	for _, part := range parts {
		if thing, ok := strings.CutPrefix(part, n.have()+" "); ok {
			things = append(things, thing)
		} else {
			others = append(others, part)
		}
	}
	if len(things) > 0 {
		others = slices.Insert(others, 0, n.have()+" "+english.Enumerate(things, "and"))
	}
	return english.Enumerate(others, "and")
}

// countValues asks how many different values a column has: SELECT count(DISTINCT
// country) FROM singer → "how many different countries do all singers have?".
func (w *writer) countValues(p *plan, it item) string {
	name := w.countedValues(p, it)
	different := w.draw("different ", "distinct ", "unique ")
	if name == plural.inflect(w.rowNoun(p)) { // the values are the rows
		return "how many " + different + w.bareRows(p, plural) + " are there?"
	}
	rows := w.definiteRows(p, plural)
	have := "how many " + different + name + " do " + rows + " have?"
	if len(strings.Fields(rows)) > longRows { // "have" would come too late
		have = ""
	}
	return w.draw(have, "how many "+different+name+" are there among "+rows+"?", punctuate(w.draw("count the ", "find the number of ", "give the number of ")+different+name+" of "+rows), "what is the number of "+different+name+" of "+rows+"?")
}
