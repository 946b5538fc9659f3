package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/extract"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Extraction takes the SQL out of predictions, or only counts those that hold more.
type Extraction struct {
	Taken  int     `json:"taken"`  // predictions whose SQL was taken out
	Left   int     `json:"left"`   // predictions with more than SQL that were left as they are
	Beside []Count `json:"beside"` // what stood beside the SQL of both
	pairs  int
	from   func(*dataset.Pair) bool
	beside map[string]int
}

// Extract says of which predictions the SQL is taken out: of those in structured forms,
// which hold whatever a model answered, unless it is said of all or none.
func Extract(said, all bool) *Extraction {
	from := func(p *dataset.Pair) bool { return p.Structured }
	if said {
		from = func(*dataset.Pair) bool { return all }
	}
	return &Extraction{from: from, beside: map[string]int{}}
}

// Of passes pairs on with the SQL of their predictions.
func (e *Extraction) Of(pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return func(report func(error), each func(*dataset.Pair) error) error {
		return pairs(report, func(p *dataset.Pair) error {
			e.take(p)
			return each(p)
		})
	}
}

func (e *Extraction) take(p *dataset.Pair) {
	e.pairs++
	answer, named := strings.CutPrefix(p.Prediction, p.DB+" | ") // as PICARD's predictions begin
	sql, beside := extract.Extract(answer)
	if named && !slices.Contains(beside, extract.Label) {
		beside = append(beside, extract.Label)
	}
	if len(beside) == 0 {
		return
	}
	for _, k := range beside {
		e.beside[string(k)]++
	}
	e.Beside = sorted(e.beside)
	if !e.from(p) {
		e.Left++
		return
	}
	e.Taken++
	p.Prediction = sql
}

// String says in a line what was taken out or left; nothing where all is SQL alone.
func (e *Extraction) String() string {
	switch {
	case e == nil || e.Taken+e.Left == 0:
		return ""
	case e.Left == 0:
		return fmt.Sprintf("SQL taken out of %d of %s: %s", e.Taken, table.Count(e.pairs, "prediction"), countsText(e.Beside))
	}
	return fmt.Sprintf("more than SQL in %d of %s, judged as they stand without --extract: %s", e.Left, table.Count(e.pairs, "prediction"), countsText(e.Beside))
}
