package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Words of comparison that stand after a column ("age greater than", "age
// above"), longer ones first, and before one ("a greater age than").
var (
	moreThan = []string{"greater than", "higher than", "more than", "larger than", "bigger than", "longer than", "older than", "later than", "above", "over", "exceeding", "after"}
	lessThan = []string{"less than", "lower than", "smaller than", "fewer than", "shorter than", "younger than", "earlier than", "below", "under", "before"}
	greater  = []string{"greater", "higher", "larger", "bigger", "longer"}
	smaller  = []string{"lower", "smaller", "shorter"}
)

// comparisons: "students with an age greater than 20", "students whose age is
// above 20" and "students that have a greater age than 20" become "students
// older than 20".
func comparisons(s *subject, d *drafts) {
	for i := 1; i < len(s.low); i++ {
		j := i + 1
		relative := s.is(i, "that", "who", "which") && s.is(i+1, "has", "have", "had")
		verb := s.is(i, "has", "have", "had") && !s.is(i-1, "that", "who", "which")
		if relative {
			j++
		}
		if !relative && !verb && !s.is(i, "whose", "with", "having") {
			continue
		}
		c, ok := s.comparisonAt(j)
		if !ok || !verb && !s.isContent(i-1) {
			continue
		}
		be := ""
		switch {
		case verb:
			be = map[string]string{"has": "is", "have": "are", "had": "were"}[s.at(i)]
		case !s.is(i, "with", "having"):
			be = s.copula(i, c.column)
			if s.is(i+1, "had") {
				be = strings.NewReplacer(" are", " were", " is", " was").Replace(be)
			}
		}
		end, than := s.compared(c)
		for _, w := range c.words(s, end) {
			d.add(s.with(i, end, join(be, w+" than"+than)))
		}
	}
}

// words returns the adjectives that can stand before what follows at i. Of a
// number only those of one word: "older than 20", not "more powerful than 150",
// nor "older than 1945" of a year.
func (c comparison) words(s *subject, i int) []string {
	words := c.adj.less
	if c.high {
		words = c.adj.more
	}
	var out []string
	for _, w := range words {
		if isNumeral(s.at(i)) && (strings.Contains(w, " ") || c.adj.ofTime()) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// ofTime tells whether the columns hold years or dates.
func (a *adjectives) ofTime() bool {
	return slices.ContainsFunc(a.columns, func(c string) bool {
		return c == "year" || c == "date" || strings.HasSuffix(c, " year") || strings.HasSuffix(c, " date")
	})
}

// compared returns where what is compared with begins, or ends where it is taken
// into the words after "than": "the average weight of all cars" is "average".
func (s *subject) compared(c comparison) (end int, than string) {
	end = c.end
	if s.is(end, "that") && s.is(end+1, "of") {
		end += 2
	}
	k := s.skip(end, "the")
	if !s.is(k, "average", "mean") {
		return end, ""
	}
	k++
	if adj, j, _ := adjectivesAt(s.sentence, k, s.db, s.columns); adj == c.adj {
		k = j
		if s.is(k, "of", "across", "for", "among") {
			k = s.skip(k+1, "all", "the", "of")
			for s.isContent(k) {
				k++
			}
		}
	}
	return k, " average"
}

// copula returns "that are" in the number and kind of what a clause about the
// column speaks of.
func (s *subject) copula(i int, column dataset.ColumnRef) string {
	noun := s.at(i - 1)
	if _, end, ok := s.entityBefore(i, column); ok {
		noun = s.at(end - 1)
	}
	pronoun, be := "that", "is"
	if isPerson(noun) {
		pronoun = "who"
	}
	if isPlural(noun) {
		be = "are"
	}
	return pronoun + " " + be
}

// comparison is a column that is compared, up to before the value.
type comparison struct {
	adj    *adjectives
	column dataset.ColumnRef
	high   bool
	end    int
}

func (s *subject) comparisonAt(i int) (c comparison, ok bool) {
	j := s.skip(i, "a", "an", "the", "their", "its")
	if c.high = s.is(j, greater...); c.high || s.is(j, smaller...) { // "a greater age than"
		c.adj, c.end, c.column = adjectivesAt(s.sentence, j+1, s.db, s.columns)
		ok = c.adj != nil && s.is(c.end, "than")
		c.end++
		return c, ok
	}
	c.adj, j, c.column = adjectivesAt(s.sentence, j, s.db, s.columns)
	if c.adj == nil || s.is(i-1, "whose") && !s.is(j, "is", "are", "was", "were") {
		return c, false
	}
	j = s.skip(j, "is", "are", "was", "were", "that", "of")
	if c.end, c.high = s.firstOf(j, moreThan); c.high {
		return c, true
	}
	c.end, ok = s.firstOf(j, lessThan)
	return c, ok
}

// orders: "sorted by age in descending order", "in descending order of age" and
// "ordered by age from the oldest to the youngest" name the order alone.
func orders(s *subject, d *drafts) {
	for i := 2; i < len(s.low); i++ {
		j := s.skip(i+1, "their", "its", "the", "his", "her")
		adj, end, column := adjectivesAt(s.sentence, j, s.db, s.columns)
		if adj == nil || !s.is(i, "by", "of") {
			continue
		}
		falling, ok := s.fallingOrder(column)
		order := adj.rising
		if falling {
			order = adj.falling
		}
		start := i
		if s.is(i, "of") {
			start = s.orderOf(i)
		} else {
			for s.is(start-1, "ascending", "descending", "increasing", "decreasing") {
				start--
			}
			if !s.is(start-1, "ordered", "sorted", "arranged", "order", "sort", "listed", "them") && start == i {
				continue
			}
		}
		if order == "" || !ok || start < 0 {
			continue
		}
		end = s.orderEnd(end)
		if !s.closes(end) {
			continue
		}
		if s.is(end, "from") { // it is said which way, in such words or others
			d.add(s.with(start, end, ""))
			continue
		}
		if s.is(end-1, "from") || s.contradicts(start, end, falling) {
			continue
		}
		d.add(s.with(start, end, order))
		if strings.Count(order, " ") == 3 && strings.HasSuffix(order, "est") {
			d.add(s.with(start, end, "from the "+strings.Replace(order[len("from "):], " to ", " to the ", 1)))
		}
	}
}

// orderOf returns where "in ascending order of" begins whose "of" is at i, or -1.
func (s *subject) orderOf(i int) int {
	j := i - 1
	if !s.is(j, "order") || !s.is(j-1, "ascending", "descending", "increasing", "decreasing") {
		return -1
	}
	j--
	for s.is(j-1, "in", "the", "an") {
		j--
	}
	return j
}

// orderEnd returns where the direction that follows a sort column ends.
func (s *subject) orderEnd(i int) int {
	if s.has(i, "in which they were") || s.has(i, "in which it was") {
		i += 5
	}
	j := s.skip(i, "in", "the", "an", ",")
	if s.is(j, "ascending", "descending", "increasing", "decreasing") {
		return s.skip(j+1, "order")
	}
	return i
}

// contradicts tells whether the words from i to before j say the other direction.
func (s *subject) contradicts(i, j int, falling bool) bool {
	for ; i < j; i++ {
		if s.is(i, "ascending", "increasing") && falling || s.is(i, "descending", "decreasing") && !falling {
			return true
		}
	}
	return false
}

// fallingOrder tells whether the gold SQL sorts its whole answer by the column,
// and alone by it, in descending order.
func (s *subject) fallingOrder(column dataset.ColumnRef) (falling, ok bool) {
	terms := s.ex.Gold.OrderBy
	if len(terms) != 1 || s.ex.Gold.Limit != nil {
		return false, false
	}
	ref, ok := terms[0].Expr.(*sqlast.ColumnRef)
	if !ok {
		return false, false
	}
	t := s.ex.Binding.Target(ref)
	c, ok := s.db.Lookup(t.Table, t.Column)
	return terms[0].Dir == sqlast.Desc, ok && (c == column || slices.Contains(s.columns, c) && s.db.Column(c).Name == s.db.Column(column).Name)
}
