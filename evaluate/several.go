package evaluate

import (
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// WriteSeveral prints a table of the accuracies of several files of predictions, a line for
// each metric and file. All reports must be on the same gold SQL by the same options.
func WriteSeveral(w io.Writer, reports []*Report) error {
	first := reports[0]
	if err := first.GoldCheck.WriteText(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d files of predictions against %s: %s on %s\n\n", len(reports), first.Gold,
		table.Count(first.Questions, "question"), table.Count(first.Databases, "database"))
	t := newLevelTable([]string{"", "predictions"}, []any{"", "questions"}, first.Metrics[0].Levels)
	for i, m := range first.Metrics {
		name := m.Name
		for _, r := range reports {
			t.add(r.Metrics[i].Levels, name, r.Predictions)
			name = "" // only the first line of a metric names it
		}
	}
	fmt.Fprint(w, t, "\n")
	for _, m := range first.Metrics {
		fmt.Fprintf(w, "%s: %s\n", m.Name, m.Comparison)
	}
	for _, r := range reports {
		if e := r.Extraction.String(); e != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Predictions, e)
		}
	}
	return nil
}
