package query

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// SortOrder reverses the order of a query.
//
// An order that the question leaves unsaid ("sorted by age") has no indicator
// that could be replaced. Whether the last of an order is the greatest or the
// least does not matter: the opposite word goes with the opposite direction.
var SortOrder = &perturb.Perturbation{
	Name:     "drspider/sort-order",
	Doc:      "Exchanges ascending and descending order in the gold SQL, and the indicator in the question (\"youngest\", \"from low to high\") with its opposite.",
	Paper:    "Dr.Spider, section 3.3 and appendix A.4 (tables 9 and 10)",
	Version:  1,
	Relation: perturb.Retargeted,
	Run:      each(reversals),
}

// ordering is the one ORDER BY of a gold SQL.
type ordering struct {
	term    *sqlast.OrderTerm
	limited bool
	count   bool            // it orders by a count or another aggregate
	extreme bool            // the gold SQL has MIN or MAX
	names   map[string]bool // words of what it orders by
	others  map[string]bool // words of all columns that the gold SQL mentions
	schema  map[string]bool // words of all tables and columns
}

func reversals(p *perturb.Pass, ex *perturb.Example) ([]change, string) {
	o, reason := orderingOf(p, ex)
	if o == nil {
		return nil, reason
	}
	q := newQuestion(ex)
	spans, reason := o.reverse(q)
	if len(spans) == 0 {
		return nil, reason
	}
	now := *o.term
	now.Dir = sqlast.Desc
	if o.term.Dir == sqlast.Desc {
		now.Dir = sqlast.Asc
	}
	return []change{{spans: spans, nodes: map[sqlast.Node]sqlast.Node{o.term: &now}, part: o.term, label: "ORDER BY "}}, ""
}

// orderingOf returns the ordering of a gold SQL that has exactly one.
func orderingOf(p *perturb.Pass, ex *perturb.Example) (*ordering, string) {
	var o *ordering
	terms, extreme := 0, false
	sqlast.Inspect(ex.Gold, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			for _, t := range n.OrderBy {
				terms++
				by := t.Expr
				if r, ok := by.(*sqlast.ColumnRef); ok {
					if target := ex.Binding.Target(r); target.Kind == sqlast.Alias && target.Result != nil {
						by = target.Result.Expr
					}
				}
				o = &ordering{term: t, limited: n.Limit != nil, count: aggregates(by), names: namesOf(p, ex, by)}
			}
		case *sqlast.Call:
			name := strings.ToLower(n.Name.Name)
			extreme = extreme || name == "min" || name == "max"
			terms += len(n.OrderBy)
		case *sqlast.Window:
			terms += len(n.OrderBy)
		}
		return true
	})
	if terms == 0 {
		return nil, ""
	}
	if terms > 1 || o == nil {
		return nil, reasonOrder
	}
	var names []string
	for _, c := range ex.Own {
		names = append(names, p.DB.Column(c).Name)
	}
	o.extreme, o.others = extreme, wordsOf(names...)
	names = nil
	for _, t := range p.DB.Tables {
		names = append(names, t.Name, t.Original)
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
	}
	o.schema = wordsOf(names...)
	return o, ""
}

// reverse returns the changes of the question.
func (o *ordering) reverse(q *question) ([]perturb.ReplaceSpan, string) {
	found, across, sorts := ends(q), courses(q), sortings(q)
	if len(across) == 1 && len(sorts) == 0 {
		c := across[0]
		a, b := q.span(c.from), q.span(c.to)
		return append(q.replace(c.from[0], c.from[1], b, "from to"), q.replace(c.to[0], c.to[1], a, "from to")...), ""
	}
	if len(across)+len(sorts) > 1 {
		return nil, reasonSeveral
	}
	if len(sorts) == 1 && !slices.ContainsFunc(found, func(e end) bool { return o.limited && !slices.Contains(bounds, e.word) }) {
		s := sorts[0]
		if s.desc != (o.term.Dir == sqlast.Desc) {
			return nil, reasonIndicator // the question says one direction, the gold SQL has the other
		}
		return q.replace(s.first, s.last, s.other, "sort order"), ""
	}
	if len(sorts) > 0 {
		return nil, reasonSeveral
	}
	if !o.limited { // "the oldest first"
		found = slices.DeleteFunc(found, func(e end) bool { return q.word(e.last) != "first" || slices.Contains(bounds, e.word) })
	}
	e, reason := o.choose(q, found)
	if reason != "" {
		return nil, reason
	}
	return q.replace(e.first, e.last, o.opposite(q, e), "superlative"), ""
}

// bounds are words that say where a list is cut rather than how it is ordered;
// they count only where there is nothing else.
var bounds = strings.Fields("first last top bottom")

// choose returns the one word that speaks of the order.
func (o *ordering) choose(q *question, found []end) (end, string) {
	narrow := func(keep func(end) bool) {
		if kept := slices.DeleteFunc(slices.Clone(found), func(e end) bool { return !keep(e) }); len(kept) > 0 {
			found = kept
		}
	}
	narrow(func(e end) bool { return !slices.Contains(bounds, e.word) })
	narrow(func(e end) bool { // "the highest maximum temperature"
		short, _ := strings.CutSuffix(e.word, "imum")
		return !o.others[e.word] && !o.others[short]
	})
	switch {
	case len(found) == 0:
		return end{}, reasonIndicator
	case len(found) == 1 && !o.extreme:
		return found[0], ""
	}
	found = slices.DeleteFunc(found, func(e end) bool { return !o.near(q, e) })
	if len(found) != 1 {
		return end{}, reasonSeveral
	}
	return found[0], ""
}

// near tells whether what the gold SQL orders by is named right behind the word.
func (o *ordering) near(q *question, e end) bool {
	for i := e.last; i < e.last+3; i++ {
		w := lexicon.Singular(q.word(i))
		if o.names[w] || o.count && i == e.last && slices.Contains(ofCounts, w) {
			return true
		}
	}
	return false
}

// ofCounts are words, singular, that follow a superlative of a count.
var ofCounts = strings.Fields("number amount common commonly frequent frequently popular time")

// countable tells whether the noun that begins with token i is a plural: of it
// there are the fewest, not the least. Before it may stand nouns of the schema ("car
// makers") and words that have no degrees.
func (o *ordering) countable(q *question, i int) bool {
	for end := i + maxModifiers; i <= end; i++ {
		w := q.word(i)
		switch {
		case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !slices.Contains(masses, w):
			return true
		case !o.schema[lexicon.Singular(w)] && !slices.Contains(degreeless, w) || slices.Contains(ofCounts, w):
			return false
		}
	}
	return false
}

// maxModifiers is how many words may stand before such a noun.
const maxModifiers = 2

// masses are plurals that are not counted; degreeless are words before a noun that
// "most" cannot grade.
var (
	masses     = strings.Fields("earnings savings proceeds funds goods damages always sometimes previous")
	degreeless = strings.Fields("different distinct unique separate individual total new other such single official")
)

// opposite returns the word for the other end.
func (o *ordering) opposite(q *question, e end) string {
	switch {
	case e.word == "most" && o.countable(q, e.last):
		return "fewest"
	case e.word == "shortest" && o.names["height"]:
		return "tallest"
	case e.word == "oldest" && (o.names["year"] || o.names["date"] || o.names["built"] || o.names["founded"]) && !o.names["birth"] && !o.names["born"]:
		return "newest"
	}
	return e.other
}
