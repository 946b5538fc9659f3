package mtteql

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
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

// read returns the words that may stand for what "the (total) WORD of NOUN" stands
// for, WORD included; none where it is neither a count nor a sum, or may be both.
func (a *aggregates) read(word string, total bool, noun string) []string {
	count := a.calls["count"] && !a.shown[noun]
	sum := a.calls["sum"] && len(a.summed) > 0 && (a.summed[noun] || !a.calls["count"])
	switch word {
	case "sum":
		count = false
	case "number":
		sum = sum && total && !a.calls["count"]
	case "count":
		sum = false
	}
	switch {
	case count == sum:
		return nil
	case sum:
		return []string{"amount", "sum"}
	case a.things:
		return []string{"amount", "count", "number"}
	case word == "amount":
		return nil // of a number column it would be read as a sum
	}
	return []string{"count", "number"}
}
