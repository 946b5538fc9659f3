package mtteql

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// aggregates are the aggregates of a gold SQL, with what their columns are.
type aggregates struct {
	calls        map[string]bool // min, max, avg, sum, count
	countsThings bool            // count is of rows, or of a column that holds no quantity
	summed       map[string]bool // words of the names of the number columns that are summed
	shown        map[string]bool // words of the number columns that are used without count
}

// newAggregates reads the aggregates of an example's gold SQL. A quantity is a column of numbers that is no key.
func newAggregates(db *dataset.Database, ex *perturb.Example) *aggregates {
	a := &aggregates{calls: map[string]bool{}, countsThings: true, summed: map[string]bool{}, shown: map[string]bool{}}
	counted := map[sqlast.Expr]bool{} // arguments of count
	for call := range sqlast.All[*sqlast.Call](ex.Gold) {
		if call.Over != nil || len(call.Args) > 1 { // a window function, or no aggregate
			continue
		}
		name := strings.ToLower(call.Name.Name)
		a.calls[name] = true
		for _, arg := range call.Args {
			column, ok := quantity(db, ex, arg)
			counted[arg] = name == "count"
			switch {
			case ok && name == "count":
				a.countsThings = false
			case ok && name == "sum":
				addWords(a.summed, db.Column(column))
			}
		}
	}
	for ref := range sqlast.All[*sqlast.ColumnRef](ex.Gold) {
		if column, ok := quantity(db, ex, ref); ok && !counted[ref] {
			addWords(a.shown, db.Column(column))
		}
	}
	return a
}

// quantity returns the column that an expression names. ok is true if it holds a quantity: its type is number, and it is no key.
func quantity(db *dataset.Database, ex *perturb.Example, e sqlast.Expr) (c dataset.ColumnRef, ok bool) {
	ref, ok := ex.Column(db, e)
	if !ok || perturb.IsKey(db, ref) {
		return ref, false
	}
	return ref, db.Column(ref).Type == dataset.Number
}

// addWords adds the words of a column's name, in the singular.
func addWords(words map[string]bool, c *dataset.Column) {
	for _, w := range lexicon.Words(c.Name) {
		words[english.Singular(w)] = true
	}
}

// synonyms returns the words that may replace WORD in "the WORD of NOUN", WORD included: "count" and "number" of the number of
// singers. It returns none if the phrase is neither a count nor a sum, or may be both. "Amount" (table 3) is a count only of
// what cannot be counted, and a sum only with "total".
func (a *aggregates) synonyms(word, noun string) []string {
	count, sum := a.isCount(word, noun), a.isSum(word, noun)
	switch {
	case count == sum, noun == "times": // neither or perhaps both; "the number of times" has no synonym
		return nil
	case count && word == "amount" && !a.countsThings: // readers take it for the sum of a number column
		return nil
	case count:
		return []string{"count", "number", "total count", "total number"}
	case english.IsPlural(noun): // "amount" is of what cannot be counted
		return []string{"sum"}
	}
	return []string{"sum", "total amount"}
}

// isCount reports whether "the WORD of NOUN" may be a count: the gold SQL counts, and does not show the noun as it is.
func (a *aggregates) isCount(word, noun string) bool {
	return word != "sum" && a.calls["count"] && !a.shown[english.Singular(noun)]
}

// isSum reports whether "the WORD of NOUN" may be a sum: the gold SQL sums a column of that noun, or it sums any column and does
// not count.
func (a *aggregates) isSum(word, noun string) bool {
	sumsColumn := a.calls["sum"] && len(a.summed) > 0
	if !sumsColumn || word == "number" || word == "count" {
		return false
	}
	return a.summed[english.Singular(noun)] || !a.calls["count"]
}
