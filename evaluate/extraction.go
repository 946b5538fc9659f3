package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/extract"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Extraction extracts the SQL of predictions, or only counts predictions with other text.
type Extraction struct {
	Taken   int                      `json:"taken"`  // predictions whose SQL was extracted
	Left    int                      `json:"left"`   // predictions with other text that were left unchanged
	Beside  []Count                  `json:"beside"` // the kinds of other text in both
	pairs   int                      // all predictions
	applies func(*dataset.Pair) bool // reports whether to extract from a prediction
	kinds   map[string]int           // Beside as a map
}

// Extract returns an extraction. By default it applies to predictions in structured files,
// which hold a model's whole answer. If isSet, it applies to all predictions or to none.
func Extract(isSet, all bool) *Extraction {
	applies := func(p *dataset.Pair) bool { return p.Structured }
	if isSet {
		applies = func(*dataset.Pair) bool { return all }
	}
	return &Extraction{applies: applies, kinds: map[string]int{}}
}

// Of returns the pairs with the SQL of their predictions.
func (e *Extraction) Of(pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return pairs.Tap(e.extractSQL)
}

// extractSQL counts the kinds of other text in the prediction of a pair, and replaces the prediction by its
// SQL if the extraction applies to it.
func (e *Extraction) extractSQL(p *dataset.Pair) {
	e.pairs++
	sql, dropped := ExtractSQL(p.Prediction, p.DB)
	if len(dropped) == 0 {
		return
	}
	for _, k := range dropped {
		e.kinds[string(k)]++
	}
	e.Beside = sortedCounts(e.kinds)
	if !e.applies(p) {
		e.Left++
		return
	}
	e.Taken++
	p.Prediction = sql
}

// ExtractSQL returns the SQL of a model's answer to a question on the database db, as [extract.Extract] does, and the kinds of
// text that it dropped. The prefix "DB_ID | " of PICARD's predictions counts as a label.
func ExtractSQL(answer, db string) (sql string, dropped []extract.Kind) {
	answer, hasPrefix := strings.CutPrefix(answer, db+" | ")
	sql, dropped = extract.Extract(answer)
	if hasPrefix && !slices.Contains(dropped, extract.Label) {
		dropped = append(dropped, extract.Label)
	}
	return sql, dropped
}

// String returns a line on the predictions that have other text than SQL, with the counts of its kinds; "" if there are none. Either
// the SQL of all was extracted (Left is 0), or some were left unchanged.
func (e *Extraction) String() string {
	switch {
	case e == nil, e.Taken+e.Left == 0:
		return ""
	case e.Left == 0:
		return fmt.Sprintf("SQL taken out of %d of %s: %s", e.Taken, table.Count(e.pairs, "prediction"), countsText(e.Beside))
	}
	return fmt.Sprintf("more than SQL in %d of %s, judged as they stand without --extract: %s", e.Left, table.Count(e.pairs, "prediction"), countsText(e.Beside))
}
