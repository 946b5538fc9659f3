package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/robustness"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// readRobustness fills the section from what `eval robustness --format json` printed.
func (s *Section) readRobustness(path string, _ *Options) error {
	var tables []robustness.Table
	if err := decode(path, &tables); err != nil {
		return err
	}
	if len(tables) > maxMetrics {
		return fmt.Errorf("%s: has %d tables, expected %d at most", path, len(tables), maxMetrics)
	}
	s.Title = "Robustness"
	var names []string
	for _, t := range tables {
		names = append(names, t.Metric)
		s.addRobustness(&t)
	}
	p := Part{Title: "How to reproduce", Text: []string{"BUILD is the folder that build wrote; BEFORE and AFTER are the predictions for its data before and after."},
		Code: Command("eval", "robustness", "--build", "BUILD", "--pred-pre", "BEFORE", "--pred-post", "AFTER", "--metric", strings.Join(names, ","), "--format", "json")}
	if len(tables) > 0 {
		p.Code += fmt.Sprintf(" --seed %d", tables[0].Bootstrap.Seed)
	}
	s.add(p)
	return nil
}

// intervals returns the sentence that explains the intervals of a table.
func intervals(b stats.Bootstrap) string {
	return fmt.Sprintf("In brackets the %g%% interval, which draws databases (%d draws, seed %d).", 100*b.Level, b.Draws, b.Seed)
}

// addRobustness adds the accuracy by a metric before and after each perturbation, as a table and a plot of the change. Rows without
// a perturbation are averages.
func (s *Section) addRobustness(t *robustness.Table) {
	name := cleanLabel(t.Metric)
	out := table.New("Accuracy before and after, by "+name+", in %", "perturbation", "records", "before", "after", "change", "relative", "p", "not judged")
	for _, r := range t.Rows {
		average := r.Perturbation == ""
		if average {
			r.Perturbation = "average of " + cmp.Or(r.Group, "all")
		}
		out.Rows = append(out.Rows, table.Row{Strong: average,
			Cells: table.Cells(cleanLabel(r.Perturbation), r.Records, r.Pre, r.Post, r.Change, r.Relative, r.McNemar.PCell(), r.Unjudged)})
	}
	plot := plotColumns(out, Plot{Kind: Dots, Title: "Change of accuracy by perturbation, by " + name, Axis: "change of accuracy, points",
		Desc: "A dot a perturbation with its interval; left of zero the model is worse after than before.", Series: seriesNamed("change")}, 4) // the column "change"
	text := []string{}
	if t.How != "" {
		text = append(text, sentence(t.How))
	}
	text = append(text, intervals(t.Bootstrap)+" Relative is relative robustness accuracy: of the predictions that are right before, the share that is right after. Averages are over perturbations. p is McNemar's, which takes records as independent.")
	s.add(Part{Title: "Before and after, by " + name, Text: text, Plot: plot, Table: out})
}
