package query

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// SortOrder reverses the order of a query.
//
// A question that names no direction ("sorted by age") has no indicator that could be
// replaced. Whether a word means the greatest or the least does not matter: the opposite
// word goes with the opposite direction.
var SortOrder = retargeted("sort-order", "tables 9 and 10",
	"Exchanges ascending and descending order in the gold SQL, and the indicator in the question (\"youngest\", \"from low to high\") with its opposite.", reversals)

// ordering is the one ORDER BY of a gold SQL.
type ordering struct {
	term    *sqlast.OrderTerm
	limited bool
	// aggregate is what it orders by, "count" or another; "" for a value of a row.
	aggregate      string
	extreme        bool            // the gold SQL has MIN or MAX
	orderedByWords map[string]bool // words of what it orders by
	mentionedWords map[string]bool // words of all columns that the gold SQL mentions
	schemaWords    map[string]bool // words of all tables and columns
}

// reversals returns the change of an order to its opposite: ORDER BY age DESC, "the
// oldest singer" → ORDER BY age, "the youngest singer".
func reversals(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
	o, reason := orderingOf(p, ex)
	if o == nil {
		return nil, reason
	}
	if o.limited && o.term.Dir == sqlast.Desc && o.beginsWithNull(p, ex) { // the ascending order would answer with NULL
		return nil, reasonNull
	}
	q := newQuestion(ex)
	spans, reason := o.reverseWords(q)
	if len(spans) == 0 {
		return nil, reason
	}
	now := *o.term
	now.Dir = sqlast.Desc
	if o.term.Dir == sqlast.Desc {
		now.Dir = sqlast.Asc
	}
	if o.limited && now.Dir == sqlast.Asc && listed("fewest", strings.ToLower(spans[0].With)) {
		// "The singer with the fewest concerts" has none, but the gold SQL may leave out such rows.
		switch rows, loses := losesZeros(p, ex); {
		case loses && o.aggregate == "count":
			spans = append(spans, q.addClause(spans, ", leaving out those with none", "fewest of some"))
		case loses && o.aggregate == "sum":
			spans = append(spans, q.addClause(spans, ", leaving out those without any "+english.Plural(rows), "fewest of some"))
		}
	}
	return []change{{spans: spans, nodes: map[sqlast.Node]sqlast.Node{o.term: &now}, part: o.term, label: "ORDER BY "}}, ""
}

// orderingOf returns the ordering of a gold SQL with exactly one term of ORDER BY, with the words that name what it orders by, the columns
// that the SQL mentions, and the whole schema. Else it returns nil and the reason, which is "" if there is no ORDER BY.
func orderingOf(p *perturb.Pass, ex *perturb.Example) (*ordering, perturb.Reason) {
	o := &ordering{mentionedWords: map[string]bool{}}
	terms := 0
	for n := range sqlast.All[sqlast.Node](ex.Gold) {
		switch n := n.(type) {
		case *sqlast.OrderTerm:
			terms++
		case *sqlast.Query:
			for _, t := range n.OrderBy {
				o.term, o.limited = t, n.Limit != nil
			}
		case *sqlast.Call:
			if slices.ContainsFunc([]string{"min", "max"}, n.Name.Is) {
				o.extreme = true
			}
		}
	}
	switch {
	case terms == 0:
		return nil, ""
	case terms > 1, o.term == nil: // several, or that of a window
		return nil, reasonOrder
	}
	by := o.term.Expr
	if r, ok := by.(*sqlast.ColumnRef); ok { // the expression behind an alias: SELECT count(*) AS n … ORDER BY n
		if target := ex.Binding.Target(r); target.Kind == sqlast.Alias {
			by = target.Result.Expr
		}
	}
	o.aggregate, o.orderedByWords = sqlast.Aggregate(by), namesOf(p, ex, by)
	for _, c := range ex.Own {
		maps.Copy(o.mentionedWords, wordsOf(p.DB.Column(c).Name))
	}
	o.schemaWords = schemaWords(p)
	return o, ""
}

// beginsWithNull reports whether the column of the order has NULL, which SQLite sorts first in ascending order. A dog of unknown weight is
// not the lightest.
func (o *ordering) beginsWithNull(p *perturb.Pass, ex *perturb.Example) bool {
	ref, ok := ex.Column(p.DB, o.term.Expr)
	return ok && slices.ContainsFunc(p.Content.Distinct(p.Context, ref), sqldata.Value.IsNull)
}

// schemaWords returns the singular words in the names of all tables and columns.
func schemaWords(p *perturb.Pass) map[string]bool {
	var names []string
	for _, t := range p.DB.Tables {
		names = append(names, t.Name, t.Original)
	}
	for ref := range p.DB.AllColumns() {
		names = append(names, p.DB.Column(ref).Name)
	}
	return wordsOf(names...)
}

// reverseWords returns the changes that replace the indicator of the order in the question by its opposite: "from low to
// high", "in descending order", or a superlative. If there is no indicator or several, it returns the reason.
func (o *ordering) reverseWords(q *question) ([]perturb.ReplaceSpan, perturb.Reason) {
	found, ranges, sorts := superlativesIn(q), rangesIn(q), sortings(q)
	graded := slices.DeleteFunc(slices.Clone(found), superlative.isBound) // those that order, without "the first 3"
	switch {
	case len(ranges)+len(sorts) > 1:
		return nil, reasonSeveral
	case len(ranges)+len(sorts) == 1 && o.limited && len(graded) > 0: // "the five that spent the most, from highest to lowest"
		return nil, reasonSeveral
	case len(ranges) == 1: // exchanges A and B of "from A to B"
		c := ranges[0]
		a, b := q.span(c.from), q.span(c.to)
		return append(q.replace(c.from[0], c.from[1], b, "from to"), q.replace(c.to[0], c.to[1], a, "from to")...), ""
	case len(sorts) == 1:
		s := sorts[0]
		if s.sense.desc != (o.term.Dir == sqlast.Desc) {
			return nil, reasonIndicator // question and gold SQL have different directions
		}
		return q.replace(s.first, s.end, s.sense.other, "sort order"), ""
	case !o.limited: // without a LIMIT a superlative orders only before "first": "the oldest first"
		found = slices.DeleteFunc(graded, func(e superlative) bool { return q.Word(e.end) != "first" })
	}
	e, reason := o.chooseSuperlative(q, found)
	if reason != "" {
		return nil, reason
	}
	return q.replace(e.first, e.end, o.opposite(q, e), "superlative"), ""
}

// chooseSuperlative returns the one superlative of a question that expresses the order, or the reason why there is none. Superlatives
// that bound a list ("the first 3"), and those in column names, count only if there are no others. If several are left, or the gold SQL
// has MIN or MAX, which a superlative may express too, only those count that [ordering.namesOrder] accepts.
func (o *ordering) chooseSuperlative(q *question, found []superlative) (superlative, perturb.Reason) {
	dropUnlessAll := func(drop func(superlative) bool) {
		if rest := slices.DeleteFunc(slices.Clone(found), drop); len(rest) > 0 {
			found = rest
		}
	}
	dropUnlessAll(superlative.isBound)
	dropUnlessAll(func(e superlative) bool { // "maximum" of "the highest maximum temperature", whose column may be "max temperature"
		short, _ := strings.CutSuffix(e.sense.word, "imum")
		return anyOf(o.mentionedWords, []string{e.sense.word, short})
	})
	if len(found) == 0 {
		return superlative{}, reasonIndicator
	}
	if len(found) > 1 || o.extreme {
		found = slices.DeleteFunc(found, func(e superlative) bool { return !o.namesOrder(q, e) })
	}
	if len(found) != 1 {
		return superlative{}, reasonSeveral
	}
	return found[0], ""
}

// namesOrder reports whether one of the three words after the superlative is in the name of the column that the gold
// SQL orders by, as in "the highest average price", or the next word is one for counts ("number") and the SQL orders by an aggregate.
func (o *ordering) namesOrder(q *question, e superlative) bool {
	for i := e.end; i < e.end+3; i++ {
		if o.orderedByWords[english.Singular(q.Word(i))] {
			return true
		}
	}
	return o.aggregate != "" && listed("of counts", english.Singular(q.Word(e.end)))
}

// beginsPlural reports whether a noun phrase in the plural begins with token i, so that the opposite of
// "most" before it is "fewest" and not "least". Up to [maxModifiers] words of the schema ("car makers") or without
// degrees ("different") may precede the plural.
func (o *ordering) beginsPlural(q *question, i int) bool {
	for end := i + maxModifiers; i <= end; i++ {
		w := q.Word(i)
		switch {
		case plural.MatchString(w) && !listed("masses", w):
			return true
		case listed("of counts", w):
			return false
		case !o.schemaWords[english.Singular(w)] && !listed("degreeless", w):
			return false
		}
	}
	return false
}

// plural matches words that have the ending of a plural.
var plural = lazyregexp.New(`^.{2,}[^su]s$`)

// maxModifiers is how many words may precede such a noun.
const maxModifiers = 2

// opposite returns the opposite of a superlative in its place: "oldest" → "youngest", "most" → "fewest" before a plural, else
// "least".
func (o *ordering) opposite(q *question, e superlative) string {
	if e.sense.word == "most" && o.beginsPlural(q, e.end) {
		return "fewest"
	}
	return cmp.Or(oppositeFor(e.sense.word, o.orderedByWords), e.sense.other)
}
