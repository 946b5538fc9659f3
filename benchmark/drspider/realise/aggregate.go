package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// aggregates says counts and other aggregates over all rows.
func (w *writer) aggregates(p *plan) string {
	noun := w.noun(p.inst[p.head].table)
	if w.err != nil || len(p.order) > 0 || p.limit > 1 {
		return w.abstain("an order of one row")
	}
	if len(p.items) == 1 {
		return w.aggregate(p, p.items[0], noun)
	}
	var parts []string
	for _, it := range p.items {
		parts = append(parts, w.aggregated(p, it, noun))
	}
	if !slices.ContainsFunc(p.items, func(i item) bool { return w.counts(p, i) }) {
		rows := w.phrase(p, many)
		what := list(w.mergedOf(p, p.items, parts), "and")
		return w.one("what are the "+what+" of "+rows+"?", ends(w.request()+" the "+what+" of "+rows), "for "+rows+", what are the "+what+"?")
	}
	if len(p.items) == 2 && w.counts(p, p.items[0]) && p.items[1].agg != "" {
		rows := w.bare(p, many)
		return w.one("how many "+rows+" are there, and what is their "+parts[1]+"?", ends(w.request()+" the number of "+rows+" and their "+parts[1]))
	}
	return w.abstain("aggregates that are put together")
}

// counts tells whether an item counts the rows themselves.
func (w *writer) counts(p *plan, it item) bool {
	if it.agg != "count" {
		return false
	}
	return it.star || w.isKey(it.field.ref) && it.field.inst == p.head
}

var aggregateWords = map[string][]string{
	"avg": {"average", "mean"}, "sum": {"total"}, "min": {"minimum", "lowest", "smallest"}, "max": {"maximum", "highest", "largest"},
}

// aggregated says an aggregate as a noun phrase without article.
func (w *writer) aggregated(p *plan, it item, noun string) string {
	switch {
	case it.agg == "":
		return w.itemOf(p, it, noun, one)
	case it.agg == "count" && it.star:
		return "number of " + many.of(noun)
	case it.agg == "count" && it.distinct:
		return "number of " + w.one("different ", "distinct ") + plural(w.measure(p, it))
	case it.agg == "count":
		if w.counts(p, it) {
			return "number of " + many.of(noun)
		}
		return "number of " + plural(w.measure(p, it))
	}
	words := aggregateWords[it.agg]
	name := w.measure(p, it)
	if w.isTime(it.field.ref) {
		words = map[string][]string{"min": {"earliest"}, "max": {"latest"}}[it.agg]
	}
	_, last := english.CutLast(name)
	if _, own := english.CutLast(noun); noun != "" && english.Singular(last) == own {
		return w.abstain("a column that is called as its rows are")
	}
	if it.agg != "sum" && counts(name) {
		name = "number of " + name
	}
	first, _, _ := strings.Cut(name, " ")
	if len(words) == 0 || it.distinct || it.agg != "sum" && slices.Contains(nouns()["aggregate"], first) { // "the mean mean temperature"
		return w.abstain("%s of %s", it.agg, name)
	}
	return w.one(words...) + " " + strings.TrimPrefix(name, "total ")
}

// aggregate says one aggregate.
func (w *writer) aggregate(p *plan, it item, noun string) string {
	if it.agg == "count" && (it.star || w.counts(p, it)) {
		return w.count(p, noun)
	}
	if it.agg == "count" {
		return w.countColumn(p, it)
	}
	what := w.aggregated(p, it, noun)
	rows := w.phrase(p, many)
	if w.err != nil {
		return ""
	}
	if a := w.asked(it.field.ref); a != nil && it.field.inst == p.head && w.chance(.4) {
		how := slices.DeleteFunc(slices.Clone(a.How), func(s string) bool { return !strings.HasPrefix(s, "how ") })
		if len(how) > 0 && it.agg == "avg" {
			if byAdjective(how[0]) {
				w.said[it.field.ref] = Attributed
			}
			asked := fill(w.one(how...), rows, many) + "?"
			if strings.Contains(asked, " on average") {
				return asked
			}
			return w.one("on average, ", "on average ") + asked
		}
		extremes := map[string][]string{"max": a.Most, "min": a.Least}[it.agg]
		if len(how) > 0 && len(extremes) > 0 {
			if byAdjective(how[0]) {
				w.said[it.field.ref] = Attributed
			}
			return fill(w.one(how...), "the "+w.one(extremes...)+" "+w.bare(p, one), one) + "?"
		}
	}
	return w.one("what is the "+what+" "+w.one("of ", "of ", "among ", "for ")+rows+"?", ends(w.request()+" the "+what+" of "+rows), "for "+rows+", what is the "+what+"?")
}

func (w *writer) count(p *plan, noun string) string {
	rows := w.bare(p, many)
	mods := w.modifiers(p, p.head, -1)
	if w.err != nil {
		return ""
	}
	switch k := w.rng.IntN(6); {
	case k == 0 && len(mods) == 1, k == 1 && len(mods) == 1:
		return "how many " + many.of(noun) + " " + w.predicate(mods[0], many) + "?"
	case k == 2:
		return w.one("what is the number of ", "what is the total number of ") + rows + "?"
	case k == 3:
		return ends(w.one("count the ", "count all ", "find the number of ", "give the number of ", "show the number of ", "tell me the number of ", "I want to know the number of ") + rows)
	case k == 4 && len(mods) > 0:
		return w.one("of all ", "among all ") + many.of(noun) + ", how many " + w.predicateAll(mods, noun) + "?"
	}
	return "how many " + rows + w.one(" are there", " are there in total") + "?"
}

func (w *writer) predicateAll(mods []modifier, noun string) string {
	var parts []string
	for _, m := range mods {
		parts = append(parts, w.predicate(m, many))
	}
	return list(parts, "and")
}

// countColumn says how many values a column has.
func (w *writer) countColumn(p *plan, it item) string {
	name := plural(w.measure(p, it))
	different := ""
	if it.distinct {
		different = w.one("different ", "distinct ", "unique ")
	}
	if lexicon.Normal(w.column(it.field.ref)) == lexicon.Normal(w.noun(w.tableOf(p, p.head))) {
		return w.abstain("rows whose name is that of their column")
	}
	if it.field.inst != p.head && it.distinct && (w.isKey(it.field.ref) || w.isName(it.field.ref)) {
		return w.abstain("rows of another table are counted")
	}
	rows := w.phrase(p, many)
	if !it.distinct {
		return w.abstain("values of a column are counted that may be missing")
	}
	return w.one("how many "+different+name+" do "+rows+" have?", "how many "+different+name+" are there among "+rows+"?", ends(w.one("count the ", "find the number of ", "give the number of ")+different+name+" of "+rows), "what is the number of "+different+name+" of "+rows+"?")
}
