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
	calls  map[string]bool // min, max, avg, sum, count
	things bool            // count is of rows, or of a column that holds no quantity
	summed map[string]bool // words of the names of the number columns that are summed
	shown  map[string]bool // words of the number columns that are used without count
}

func newAggregates(db *dataset.Database, ex *perturb.Example) *aggregates {
	a := &aggregates{calls: map[string]bool{}, things: true, summed: map[string]bool{}, shown: map[string]bool{}}
	counted := map[*sqlast.ColumnRef]bool{}
	for c := range sqlast.All[*sqlast.Call](ex.Gold) {
		if c.Over != nil || len(c.Args) > 1 {
			continue
		}
		name := strings.ToLower(c.Name.Name)
		a.calls[name] = true
		if len(c.Args) == 0 {
			continue
		}
		ref, ok := c.Args[0].(*sqlast.ColumnRef)
		if !ok {
			continue
		}
		column, ok := quantity(db, ex, ref)
		switch name {
		case "count":
			counted[ref] = true
			a.things = a.things && !ok
		case "sum":
			if ok {
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

// quantity returns the column that a name stands for where it holds numbers that
// are no keys.
func quantity(db *dataset.Database, ex *perturb.Example, e sqlast.Expr) (dataset.ColumnRef, bool) {
	ref, ok := ex.Column(db, e)
	return ref, ok && db.Column(ref).Type == dataset.Number && !perturb.IsKey(db, ref)
}

func addWords(words map[string]bool, c *dataset.Column) {
	for _, w := range lexicon.Words(c.Name) {
		words[english.Singular(w)] = true
	}
}

// read returns the words that may stand for what "the WORD of NOUN" stands for, WORD
// included; none where it is neither a count nor a sum, or may be both. Table 3 has
// "amount" for a count, which is said of what cannot be counted alone, and for a sum, of
// which only "total" makes it one.
func (a *aggregates) read(word, noun string) []string {
	one := english.Singular(noun)
	count := a.calls["count"] && !a.shown[one] && word != "sum"
	sum := a.calls["sum"] && len(a.summed) > 0 && (a.summed[one] || !a.calls["count"]) && word != "number" && word != "count"
	switch {
	case count == sum, noun == "times":
		return nil
	case count && !a.things && word == "amount": // of a number column, it is read as a sum
		return nil
	case count:
		return []string{"count", "number", "total count", "total number"}
	case english.IsPlural(noun):
		return []string{"sum"}
	}
	return []string{"sum", "total amount"}
}
