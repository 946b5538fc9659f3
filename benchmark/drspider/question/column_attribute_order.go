package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/sqlast"
)

// comparison is where a clause or a verb compares a column: "with an age greater
// than", "have an age above".
type comparison struct {
	phrase.Match // without the value; the spans verb, had and with mark its form
	adj          *adjectives
	column       dataset.ColumnRef
	high         bool
}

// compared matches the comparison of a column up to its value: "whose age is above".
var compared = grammar.Must(`
	whose OFTHE* MEASURE BE BE|that|of* THAN
	/ (RELATIVE had=had / RELATIVE HAVE / with=WITH) COMPARED
	/ !RELATIVE verb=HAVE COMPARED`)

// compareByAdjective replaces the comparison of a column by an adjective: "students with an age greater than 20", "students
// whose age is above 20" and "students that have a greater age than 20" become "students older than 20".
func compareByAdjective(s *subject, d *drafts) {
	for m := range compared.All(s, len(s.Words)) {
		if !m.Has("verb") && (!s.isContent(m.Start-1) || s.Is(m.Start-1, "name", "names", "id", "ids")) {
			continue // a clause needs a noun before it
		}
		c := comparison{Match: m, high: m.Has("high")}
		c.adj, _, c.column = adjectivesAt(s.sentence, m.Get("MEASURE").Start, s.db, s.columns)
		value, _ := average.At(s, c.End) // "the average age", which becomes "average"; empty for other values, which stay
		than := " than"
		if value.Has("mean") {
			than = " than average"
		}
		if secondComparison.Fits(s, value.End) || secondComparison.Fits(s, value.End-1) {
			continue // "cheaper than 600 or higher than 900"
		}
		for _, w := range c.words(s.Word(value.End)) {
			d.add(s.with(c.Start, value.End, join(s.verbOf(c), w+than)))
		}
	}
}

// secondComparison is a value with another comparison after it: "600 or more than".
var secondComparison = grammar.Must("CONTENT|NUMERIC and|or|but (THAN / a|an)")

// average is the value of a comparison that can become "average": "the average weight of all cars".
var average = grammar.Must("(that of)? mean=(the? average|mean (MEASURE (of|across|for|among all|the|of* CONTENT*)?)?)?")

// verbOf returns the words before the adjective that replaces a comparison: "are" for the verb "have", "who are" for a clause with
// "who have" or "whose", "who were" for one with "who had", and "" for "with".
func (s *subject) verbOf(c comparison) string {
	switch {
	case c.Has("verb"):
		return map[string]string{"has": "is", "have": "are", "had": "were"}[s.Word(c.Start)]
	case c.Has("with"):
		return ""
	case c.Has("had"):
		return strings.NewReplacer(" are", " were", " is", " was").Replace(s.copula(c.Start, c.column))
	}
	return s.copula(c.Start, c.column)
}

// words returns the adjectives that may replace a comparison before the word next. Before a number they are single words, and not for
// years: "older than 20", but not "more powerful than 150" or "older than 1945".
func (c comparison) words(next string) []string {
	words := c.adj.less
	if c.high {
		words = c.adj.more
	}
	switch {
	case !isNumeral(next):
		return words
	case c.adj.ofTime(): // not "older than 1945"
		return nil
	}
	return lists.Filter(words, func(w string) bool { return !strings.Contains(w, " ") })
}

// ofTime reports whether the columns hold years or dates.
func (a *adjectives) ofTime() bool {
	return slices.ContainsFunc(a.columns, func(c string) bool {
		_, last := english.CutLast(c)
		return slices.Contains([]string{"year", "date"}, last)
	})
}

// copula returns the pronoun and the form of "be" for a clause about the column that begins at i, by the noun before it: "who are" after
// "singers".
func (s *subject) copula(i int, column dataset.ColumnRef) string {
	noun := s.Word(i - 1)
	if entity, ok := s.entityBefore(i, column); ok {
		noun = s.Word(entity.End - 1)
	}
	pronoun, be := "that", "is"
	if isPerson(noun) {
		pronoun = "who"
	}
	if english.IsPlural(noun) {
		be = "are"
	}
	return pronoun + " " + be
}

var (
	// orderedBy matches the column of an order: "by age in descending order".
	orderedBy = grammar.Must("[by|of their|its|the|his|her* MEASURE (in which they|it were|was CONTENT?)? (in|the|an|,* DIRECTION order*)?] CLOSED")
	// beforeBy matches the verb and direction before "by age": "sorted in descending order".
	beforeBy = grammar.Must("(SORTED [DIRECTION*] / [DIRECTION+])")
	// beforeOf matches the direction before "of age": "in descending order".
	beforeOf = grammar.Must("by|in|the|an* DIRECTION order")
)

// orderByAdjectives replaces the words for an order by adjectives: "sorted by age in descending order" and "in descending order of age"
// become "from oldest to youngest". If "from the oldest to the youngest" follows, it drops "ordered by age" instead.
func orderByAdjectives(s *subject, d *drafts) {
	for m := range orderedBy.All(s, len(s.Words)) {
		before := beforeBy
		if s.Is(m.Start, "of") { // "in descending order of age"
			before = beforeOf
		}
		direction, ok := before.Before(s, m.Start)
		order, against := s.orderOf(m)
		if !ok || order == "" || m.Start < 2 {
			continue // "Sort by age" names nothing that it sorts
		}
		at := phrase.Span{Start: direction.Part.Start, End: m.Part.End}
		switch {
		case s.Is(at.End, "from"): // the direction follows, in such words or others
			d.add(s.replace(at, ""))
			continue
		case against.Within(s, at.Start, at.End), s.Is(at.End-1, "from"), s.Is(at.End, "of"): // the words contradict the gold SQL, or the phrase goes on
			continue
		}
		d.add(s.replace(at, order))
		if shortOrder.MatchString(order) {
			d.add(s.replace(at, shortOrder.ReplaceAllString(order, "from the $1 to the $2")))
		}
	}
}

// shortOrder matches an order by two superlatives of one word: "from youngest to oldest".
var shortOrder = lazyregexp.New(`^from (\S+) to (\S+est)$`)

// Words for a direction, which contradict the opposite order.
var (
	rising  = grammar.Must("ASCENDING")
	falling = grammar.Must("DESCENDING")
)

// orderOf returns the words for the gold SQL's order by the column that a match of [orderedBy] names, "from youngest to oldest", and
// the pattern of words for the opposite order. Order is "" if the column has no such words or the gold SQL does not sort by it.
func (s *subject) orderOf(m phrase.Match) (order string, against *phrase.Pattern) {
	adj, _, column := adjectivesAt(s.sentence, m.Get("MEASURE").Start, s.db, s.columns)
	switch descends, ok := s.sortsBy(column); {
	case !ok:
		return "", nil
	case descends:
		return adj.falling, rising
	}
	return adj.rising, falling
}

// sortsBy reports whether the gold SQL sorts its whole answer, without a LIMIT, by that column alone or by another column of
// its name, and whether in descending order.
func (s *subject) sortsBy(column dataset.ColumnRef) (descends, ok bool) {
	terms := s.ex.Gold.OrderBy
	if len(terms) != 1 || s.ex.Gold.Limit != nil {
		return false, false
	}
	c, ok := s.ex.Column(s.db, terms[0].Expr)
	if !ok {
		return false, false
	}
	sameName := slices.Contains(s.columns, c) && s.db.Column(c).Name == s.db.Column(column).Name
	return terms[0].Dir == sqlast.Desc, c == column || sameName
}
