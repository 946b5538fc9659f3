package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
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
	if slices.ContainsFunc(p.items, func(i item) bool { return w.countsRows(p, i) }) {
		return w.unsupported("aggregates that are put together")
	}
	rows := w.definiteRows(p, plural)
	what := english.Enumerate(w.mergeAggregates(p, p.items, names), "and")
	return w.draw("what are the "+what+" of "+rows+"?", punctuate(w.request()+" the "+what+" of "+rows), "for "+rows+", what are the "+what+"?")
}

// countsRows reports whether an item counts the rows themselves: count(*), or the count
// of their key.
func (w *writer) countsRows(p *plan, it item) bool {
	switch {
	case it.agg != "count":
		return false
	case it.star:
		return true
	}
	return it.field.inst == p.head && w.isKey(it.field.ref)
}

var (
	aggregateWords = map[string][]string{
		"avg": {"average", "mean"}, "sum": {"total"}, "min": {"minimum", "lowest", "smallest"}, "max": {"maximum", "highest", "largest"},
	}
	timeAggregateWords = map[string][]string{"min": {"earliest"}, "max": {"latest"}}
)

// aggregateName returns an aggregate as a noun phrase without article: avg(age) →
// "average age", count(*) → "number of singers". Noun is what a row is called, "" where
// the aggregate may be called as its rows are.
func (w *writer) aggregateName(p *plan, it item, noun string) string {
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
	if _, rows := english.CutLast(noun); english.Singular(last) == rows {
		return w.unsupported("a column that is called as its rows are")
	}
	first, _, _ := strings.Cut(name, " ")
	switch {
	case it.distinct, len(words) == 0:
		return w.unsupported("%s of %s", it.agg, name)
	case it.agg == "sum":
	case listed("aggregate", first): // "the mean mean temperature"
		return w.unsupported("%s of %s", it.agg, name)
	case isCount(name):
		name = "number of " + name
	}
	return w.draw(words...) + " " + strings.TrimPrefix(name, "total ")
}

// countedNoun returns what a count counts: "singers", "different countries".
func (w *writer) countedNoun(p *plan, it item, noun string) string {
	if it.distinct {
		return w.draw("different ", "distinct ") + pluralName(w.columnPhrase(p, it))
	}
	if w.countsRows(p, it) {
		return plural.inflect(noun)
	}
	return pluralName(w.columnPhrase(p, it))
}

// oneAggregate asks for one aggregate: SELECT max(age) → "what is the highest age of all
// singers?".
func (w *writer) oneAggregate(p *plan, it item, noun string) string {
	if w.countsRows(p, it) {
		return w.countRows(p, noun)
	}
	if it.agg == "count" {
		return w.countValues(p, it)
	}
	what := w.aggregateName(p, it, noun)
	rows := w.definiteRows(p, plural)
	if w.err != nil {
		return ""
	}
	if text := w.aggregateByHow(p, it, rows); text != "" {
		return text
	}
	return w.draw("what is the "+what+" "+w.draw("of ", "of ", "among ", "for ")+rows+"?", punctuate(w.request()+" the "+what+" of "+rows), "for "+rows+", what is the "+what+"?")
}

// aggregateByHow asks for an aggregate by "how", where the phrasebook has that for the
// column: avg(age) → "on average, how old are the singers?", max(age) → "how old is the
// oldest singer?". It returns "" elsewhere.
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
		w.manners[it.field.ref] = Attributed
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
	return "how many " + rows + w.draw(" are there", " are there in total") + "?"
}

// predicates joins the predicates of rows: "are older than 30 and come from France".
func (w *writer) predicates(mods []modifier, n number) string {
	parts := lists.Map(mods, func(m modifier) string { return w.predicate(m, n) })
	return english.Enumerate(parts, "and")
}

// countValues asks how many different values a column has: SELECT count(DISTINCT
// country) FROM singer → "how many different countries do all singers have?".
func (w *writer) countValues(p *plan, it item) string {
	if !it.distinct {
		return w.unsupported("values of a column are counted that may be missing")
	}
	name := pluralName(w.columnPhrase(p, it))
	different := w.draw("different ", "distinct ", "unique ")
	rows := w.definiteRows(p, plural)
	return w.draw("how many "+different+name+" do "+rows+" have?", "how many "+different+name+" are there among "+rows+"?", punctuate(w.draw("count the ", "find the number of ", "give the number of ")+different+name+" of "+rows), "what is the number of "+different+name+" of "+rows+"?")
}
