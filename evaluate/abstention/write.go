package abstention

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Write writes the report in a format of [table.Formats]: a table of the counts, one of the scores, and below them the kinds
// of refusals and the most frequent hallucinated names. CSV has the counts alone.
func (r *Report) Write(w io.Writer, format string) error {
	t := table.New("decisions", "perturbation", "should", "questions", "refused", "answered", "not read", "answers that hallucinate", "names")
	refusals, names := map[string]int{}, map[string]int{}
	for _, row := range r.Rows {
		should := "answer"
		if row.Unanswerable {
			should = "refuse"
		}
		t.Add(row.Perturbation, should, row.Questions, row.Refused, row.Questions-row.Refused, row.Unread, row.Hallucinating, row.Hallucinated)
		for kind, n := range row.Refusals {
			refusals[string(kind)] += n
		}
		for name, n := range row.Names {
			names[name] += n
		}
	}
	scores := table.New("scores of refusals", "", "%")
	scores.Add("precision", r.Precision.Cell())
	scores.Add("recall", r.Recall.Cell())
	scores.Add("F1", r.F1.Cell())
	legend := fmt.Sprintf("an answer hallucinates that names a table or column which the schema lacks; intervals of %g%% draw databases (%d draws, seed %d)",
		100*r.Bootstrap.Level, r.Bootstrap.Draws, r.Bootstrap.Seed)
	for _, list := range []struct {
		what   string
		counts map[string]int
	}{{"refusals", refusals}, {"most frequent hallucinated names", names}} {
		if text := mostFrequent(list.counts); text != "" {
			legend += "\n" + list.what + ": " + text
		}
	}
	page := table.Page{Title: "abstention", Tables: []*table.Table{t, scores}, Lines: t, Legend: legend, Data: r}
	return page.Write(w, format)
}

// shownNames is how many names are shown.
const shownNames = 5

// mostFrequent returns the most frequent of some names with their counts as text: "age 3, height 1".
func mostFrequent(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	list := lists.Map(names[:min(len(names), shownNames)], func(name string) string { return fmt.Sprintf("%s %d", name, counts[name]) })
	return strings.Join(list, ", ")
}
