package evaluate

import (
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// WriteSeveral prints the accuracies of several files of predictions beside each other, a
// line for each metric and file. All are reports on the same gold SQL by the same options.
func WriteSeveral(w io.Writer, reports []*Report) error {
	first := reports[0]
	if err := first.GoldCheck.WriteText(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d files of predictions against %s: %s on %s\n\n", len(reports), first.Gold,
		table.Count(first.Questions, "question"), table.Count(first.Databases, "database"))
	header, asked := []string{"", "predictions"}, []any{"", "questions"}
	for _, l := range first.Metrics[0].Levels {
		header, asked = append(header, l.Name), append(asked, l.Questions)
	}
	t := table.New("", append(header, "judged")...)
	t.Right = true
	t.Add(append(asked, "")...)
	for i := range first.Metrics {
		for n, r := range reports {
			m := &r.Metrics[i]
			line := []any{m.Name, r.Predictions}
			if n > 0 {
				line[0] = ""
			}
			for _, l := range m.Levels {
				line = append(line, l.percent())
			}
			t.Add(append(line, m.Levels[len(m.Levels)-1].Judged)...)
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
