package question

import (
	"iter"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/sqlast"
)

// comparison is where a clause or a verb compares a column: "with an age greater
// than", "have an age above".
type comparison struct {
	phrase.Match // up to before what is compared with; verb, had and with are of its spans
	adj          *adjectives
	column       dataset.ColumnRef
	high         bool
}

var compared = grammar.Must(`
	whose OFTHE* MEASURE BE BE|that|of* THAN
	/ (RELATIVE had=had / RELATIVE HAVE / with=WITH) COMPARED
	/ !RELATIVE verb=HAVE COMPARED`)

// comparisons returns the comparisons of the question. Clauses stand behind a noun.
func (s *subject) comparisons() iter.Seq[comparison] {
	return func(yield func(comparison) bool) {
		for m := range compared.All(s, len(s.Words)) {
			c := comparison{Match: m, high: m.Has("high")}
			c.adj, _, c.column = adjectivesAt(s.sentence, m.Get("MEASURE").Start, s.db, s.columns)
			if (m.Has("verb") || s.isContent(m.Start-1)) && !yield(c) {
				return
			}
		}
	}
}

// compareByAdjective: "students with an age greater than 20", "students whose age is
// above 20" and "students that have a greater age than 20" become "students
// older than 20".
func compareByAdjective(s *subject, d *drafts) {
	for c := range s.comparisons() {
		m, _ := average.At(s, c.End)
		than := " than"
		if m.Has("mean") {
			than = " than average"
		}
		if again.Fits(s, m.End) || again.Fits(s, m.End-1) {
			continue // "cheaper than 600 or higher than 900"
		}
		for _, w := range c.words(s.Word(m.End)) {
			d.add(s.with(c.Start, m.End, join(s.be(c), w+than)))
		}
	}
}

// What follows is compared with as well, by another word.
var again = grammar.Must("CONTENT|NUMERIC and|or|but (THAN / a|an)")

// What is compared with: of "the average weight of all cars", "average" is enough.
var average = grammar.Must("(that of)? mean=(the? average|mean (MEASURE (of|across|for|among all|the|of* CONTENT*)?)?)?")

// be is the verb before the adjective of a comparison, with its pronoun: "who are".
func (s *subject) be(c comparison) string {
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

// words returns the adjectives that can stand before a word. Of a number only those
// of one word: "older than 20", not "more powerful than 150", nor "older than 1945"
// of a year.
func (c comparison) words(next string) []string {
	words := c.adj.less
	if c.high {
		words = c.adj.more
	}
	if !isNumeral(next) {
		return words
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(w, " ") || c.adj.ofTime() })
}

// ofTime reports whether the columns hold years or dates.
func (a *adjectives) ofTime() bool {
	return slices.ContainsFunc(a.columns, func(c string) bool {
		_, last := english.CutLast(c)
		return slices.Contains([]string{"year", "date"}, last)
	})
}

// copula returns "that are" in the number and kind of what a clause about the
// column speaks of.
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
	orderedBy = grammar.Must("[by|of their|its|the|his|her* MEASURE (in which they|it were|was CONTENT?)? (in|the|an|,* DIRECTION order*)?] CLOSED")
	beforeBy  = grammar.Must("(SORTED [DIRECTION*] / [DIRECTION+])")
	beforeOf  = grammar.Must("by|in|the|an* DIRECTION order")
)

// orders: "sorted by age in descending order", "in descending order of age" and
// "ordered by age from the oldest to the youngest" name the order alone.
func orders(s *subject, d *drafts) {
	for m := range orderedBy.All(s, len(s.Words)) {
		before := beforeBy
		if s.Is(m.Start, "of") {
			before = beforeOf
		}
		adj, _, column := adjectivesAt(s.sentence, m.Get("MEASURE").Start, s.db, s.columns)
		order, against := adj.rising, []string{"descending", "decreasing"}
		falling, sorts := s.fallingOrder(column)
		if falling {
			order, against = adj.falling, []string{"ascending", "increasing"}
		}
		direction, ok := before.Before(s, m.Start)
		if !ok || !sorts || order == "" || m.Start < 2 {
			continue // "Sort by age" sorts nothing that it names
		}
		at := phrase.Span{Start: direction.Part.Start, End: m.Part.End}
		contradicts := slices.ContainsFunc(s.Words[at.Start:at.End], func(w string) bool { return slices.Contains(against, w) })
		switch {
		case s.Is(at.End, "from"): // it is said which way, in such words or others
			d.add(s.replace(at, ""))
		case !contradicts && !s.Is(at.End-1, "from") && !s.Is(at.End, "of"):
			d.add(s.replace(at, order))
			if strings.Count(order, " ") == 3 && strings.HasSuffix(order, "est") {
				d.add(s.replace(at, "from the "+strings.Replace(order[len("from "):], " to ", " to the ", 1)))
			}
		}
	}
}

// fallingOrder reports whether the gold SQL sorts its whole answer by the column,
// and alone by it, in descending order.
func (s *subject) fallingOrder(column dataset.ColumnRef) (falling, ok bool) {
	terms := s.ex.Gold.OrderBy
	if len(terms) != 1 || s.ex.Gold.Limit != nil {
		return false, false
	}
	c, ok := s.ex.Column(s.db, terms[0].Expr)
	return terms[0].Dir == sqlast.Desc, ok && (c == column || slices.Contains(s.columns, c) && s.db.Column(c).Name == s.db.Column(column).Name)
}
