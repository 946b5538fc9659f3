package report

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/robustness"
	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// robustness makes the section of what `eval robustness --format json` printed.
func (s *Section) robustness(path string) error {
	var tables []robustness.Table
	if err := decode(path, nil, &tables); err != nil {
		return err
	}
	if len(tables) > maxMetrics {
		return fmt.Errorf("%s: has %d tables, expected %d at most", path, len(tables), maxMetrics)
	}
	s.Title = "Robustness"
	var names []string
	for i := range tables {
		t := &tables[i]
		names = append(names, t.Metric)
		s.robustnessOf(t)
	}
	p := Part{Title: "How to reproduce", Text: []string{"BUILD is the folder that build wrote; BEFORE and AFTER are the predictions for its data before and after."},
		Code: Command("eval", "robustness", "--build", "BUILD", "--pred-pre", "BEFORE", "--pred-post", "AFTER", "--metric", strings.Join(names, ","), "--format", "json")}
	if len(tables) > 0 {
		p.Code += fmt.Sprintf(" --seed %d", tables[0].Bootstrap.Seed)
	}
	s.add(p)
	return nil
}

// intervals says what intervals are.
func intervals(b stats.Bootstrap) string {
	return fmt.Sprintf("In brackets the %g%% interval, which draws databases (%d draws, seed %d).", 100*b.Level, b.Draws, b.Seed)
}

// robustnessOf adds a metric's figures.
func (s *Section) robustnessOf(t *robustness.Table) {
	name := clean(t.Metric, maxLabel)
	table := &Table{Caption: "Accuracy before and after, by " + name + ", in %", Columns: columns("perturbation", "records", "before", "after", "change", "relative", "p", "not judged")}
	plot := &Plot{Kind: Dots, Title: "Change of accuracy by perturbation, by " + name, Axis: "change of accuracy, points",
		Desc: "A dot a perturbation with its interval; left of zero the model is worse after than before.", Series: []Series{{Name: "change"}}}
	for i := range t.Rows {
		r := &t.Rows[i]
		row := Row{Cells: []Cell{label(r.Perturbation), count(r.Records), estimate(r.Pre), estimate(r.Post), estimate(r.Change), estimate(r.Relative), pValue(r.McNemar), count(r.Unjudged)}}
		if r.Perturbation == "" {
			row.Strong = true
			row.Cells[0] = label("average of " + group(r.Group))
		}
		table.Rows = append(table.Rows, row)
		plot.Labels = append(plot.Labels, row.Cells[0].Text)
		plot.Series[0].Points = append(plot.Series[0].Points, Point{Value: r.Change.Value, Low: r.Change.Low, High: r.Change.High})
	}
	text := []string{}
	if t.How != "" {
		text = append(text, sentence(t.How))
	}
	text = append(text, intervals(t.Bootstrap)+" Relative is relative robustness accuracy: of the predictions that are right before, the share that is right after. Averages are over perturbations. p is McNemar's, which takes records as independent.")
	s.add(Part{Title: "Before and after, by " + name, Text: text, Plot: plot, Table: table})
}

func group(name string) string {
	if name == "" {
		return "all"
	}
	return name
}
