package abstain

import (
	"iter"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// asksFor returns "" if a question asks for a column and its whole answer depends on it, else the reason: the question does not
// mention the column, the gold SQL only counts it or joins by it, or it is one of several shown columns, so that a part of the
// answer stays.
func asksFor(db *dataset.Database, ex *perturb.Example, ref dataset.ColumnRef) perturb.Reason {
	idle := idleMentions(ex.Gold) // these are no uses
	isUse := func(n sqlast.Expr) bool {
		at, ok := ex.Column(db, n)
		return ok && at == ref && !idle[n]
	}
	count := func(n sqlast.Node) int {
		return lists.Count(slices.Collect(sqlast.All[*sqlast.ColumnRef](n)), func(n *sqlast.ColumnRef) bool { return isUse(n) })
	}
	uses := count(ex.Gold)
	shown, withIt := 0, 0 // uses that are shown or sort what is shown, and the result columns with a use
	for _, c := range ex.Gold.Select.Columns {
		n := count(c.Expr)
		shown, withIt = shown+n, withIt+min(n, 1)
	}
	for _, o := range ex.Gold.OrderBy {
		if ex.Gold.Limit == nil { // with a LIMIT the order selects rows
			shown += count(o)
		}
	}
	switch {
	case uses == 0, !mentions(db, ex, ref) && !statesValue(db, ex, ref):
		return "no-column-asked-for"
	case shown == uses && withIt < len(ex.Gold.Select.Columns):
		return "part-stays"
	}
	return ""
}

// without returns the gold SQL without its conditions on a column and, if it has no LIMIT, without its order by the column. It
// returns nil if the column is mentioned elsewhere. If this query has the same answer, the question does not need the column.
func without(db *dataset.Database, ex *perturb.Example, ref dataset.ColumnRef) *sqlast.Query {
	mentioned := func(n sqlast.Node) bool {
		return sqlast.Contains(n, func(c *sqlast.ColumnRef) bool {
			at, ok := ex.Column(db, c)
			return ok && at == ref
		})
	}
	q, sel := *ex.Gold, *ex.Gold.Select
	if q.Limit == nil {
		q.OrderBy = slices.DeleteFunc(slices.Clone(q.OrderBy), func(o *sqlast.OrderTerm) bool { return mentioned(o) })
	}
	isMentioned := func(c sqlast.Expr) bool { return mentioned(c) }
	sel.Where = sqlast.Conjunction(slices.DeleteFunc(sqlast.Conjuncts(sel.Where), isMentioned)...)
	q.Select = &sel
	if mentioned(&q) {
		return nil
	}
	return &q
}

// idleMentions returns the column names of a query that do not show or select by values: the arguments of count without DISTINCT, and both
// sides of a comparison of two columns, which joins tables.
func idleMentions(q *sqlast.Query) map[sqlast.Expr]bool {
	idle := map[sqlast.Expr]bool{}
	for call := range sqlast.All[*sqlast.Call](q) {
		if strings.EqualFold(call.Name.Name, "count") && !call.Distinct && len(call.Args) == 1 {
			idle[call.Args[0]] = true
		}
	}
	for c := range comparisons(q) {
		_, left := c.X.(*sqlast.ColumnRef)
		_, right := c.Y.(*sqlast.ColumnRef)
		if left && right {
			idle[c.X], idle[c.Y] = true, true
		}
	}
	return idle
}

// comparisons yields all comparisons of a query, those of two sides both ways.
func comparisons(q *sqlast.Query) iter.Seq[sqlast.Comparison] {
	return func(yield func(sqlast.Comparison) bool) {
		for n := range sqlast.All[sqlast.Node](q) {
			for _, c := range sqlast.Comparisons(n) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// shownByStars returns the tables whose columns a star of the gold SQL shows, or a join without ON compares.
func shownByStars(db *dataset.Database, ex *perturb.Example) map[int]bool {
	shown := map[int]bool{}
	for _, star := range ex.Binding.Stars() {
		for _, t := range ex.Binding.Star(star) {
			shown[db.Table(t.Table)] = true
		}
	}
	for f := range sqlast.All[*sqlast.FromItem](ex.Gold) {
		if f.Natural || len(f.Using) > 0 {
			for _, name := range ex.Binding.Tables() {
				shown[db.Table(name)] = true
			}
		}
	}
	return shown
}

// mentions reports whether a question names a column: by one of its own words ([ownWords]), or by a wording that the thesaurus has for
// such columns ("oldest" for an age).
func mentions(db *dataset.Database, ex *perturb.Example, ref dataset.ColumnRef) bool {
	table := db.Tables[ref.Table]
	question := strings.Fields(lexicon.Normal(ex.Question))
	for _, w := range ownWords(table, db.Column(ref).Name) {
		if slices.Contains(question, w) {
			return true
		}
	}
	asked := heading.DefaultPhrases().Of(db.Column(ref).Name, table.Name)
	if asked == nil {
		return false
	}
	text := " " + strings.Join(lexicon.Words(ex.Question), " ") + " "
	return slices.ContainsFunc(slices.Concat(asked.How, asked.More, asked.Less, asked.Most, asked.Least), func(wording string) bool {
		fixed, _, _ := strings.Cut(wording, "{") // the part before a placeholder
		fixed = strings.Join(lexicon.Words(fixed), " ")
		return fixed != "" && strings.Contains(text, " "+fixed+" ")
	})
}

// ownWords returns the words of a column's name without those of its table and without general ones. Either are kept if no other word
// would be left.
func ownWords(table dataset.Table, name string) []string {
	words, ofTable := strings.Fields(lexicon.Normal(name)), strings.Fields(lexicon.Normal(table.Name))
	for _, further := range [][]string{ofTable, general()} {
		rest := lists.Filter(words, func(w string) bool { return !slices.Contains(further, w) })
		if len(rest) > 0 {
			words = rest
		}
	}
	return words
}

// statesValue reports whether the question states a text with which the gold SQL compares a column.
func statesValue(db *dataset.Database, ex *perturb.Example, ref dataset.ColumnRef) bool {
	question := foldText(ex.Question)
	return slices.ContainsFunc(constants(db, ex, ref), func(text string) bool { return strings.Contains(question, text) })
}

// constants returns the texts with which the gold SQL compares a column, folded, so that a pattern loses its wildcards.
func constants(db *dataset.Database, ex *perturb.Example, ref dataset.ColumnRef) (texts []string) {
	for c := range comparisons(ex.Gold) {
		at, ok := ex.Column(db, c.X)
		l := ex.Binding.Literal(c.Y)
		isOfColumn := ok && at == ref
		if !isOfColumn || l == nil || l.Kind != sqlast.StringLiteral {
			continue
		}
		if text := foldText(l.Text); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
