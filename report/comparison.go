package report

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/compare"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// maxTurned bounds the records that are shown of a metric.
const maxTurned = 200

// readComparison fills the section from what `compare --json` printed.
func (s *Section) readComparison(path string, _ *Options) error {
	var r compare.Report
	if err := decode(path, &r); err != nil {
		return err
	}
	switch {
	case r.A == nil, r.B == nil:
		return fmt.Errorf("%s: lacks one of two evaluations, expected what `compare --json` prints", path)
	case len(r.Metrics) > maxMetrics:
		return fmt.Errorf("%s: has %d metrics, expected %d at most", path, len(r.Metrics), maxMetrics)
	}
	s.Title = "Comparison"
	summary := Part{Title: "Summary", Table: figureTable("What was compared")}
	summary.Table.Add("A", cleanLabel(r.A.Predictions))
	summary.Table.Add("B", cleanLabel(r.B.Predictions))
	summary.Table.Add("questions", r.Questions)
	summary.Table.Add("drop that is allowed, points", table.Figure(fmt.Sprint(r.MaxDrop), r.MaxDrop))
	var names []string
	for _, m := range r.Metrics {
		if len(m.Levels) == 0 {
			return fmt.Errorf("%s: the metric %q has no figures, expected those of all questions", path, cleanLabel(m.Name))
		}
		names = append(names, m.Name)
		summary.Text = append(summary.Text, cleanText(m.Verdict(r.MaxDrop))+".")
	}
	s.add(summary)
	for i := range r.Metrics {
		s.addComparison(&r.Metrics[i], &r)
		s.addTurned(&r.Metrics[i])
	}
	s.add(Part{Title: "How to reproduce", Text: []string{"A and B are what eval --json printed for " + cleanLabel(r.A.Predictions) + " and " + cleanLabel(r.B.Predictions) + "."},
		Code: Command("compare", "A", "B", "--metric", strings.Join(names, ","), "--max-drop", fmt.Sprint(r.MaxDrop), "--level", fmt.Sprint(r.Bootstrap.Level), "--seed", fmt.Sprint(r.Bootstrap.Seed), "--json")})
	return nil
}

// addComparison adds the accuracy of A and B by a metric for each level of hardness, as a table and a plot of the change. The last
// level is all questions.
func (s *Section) addComparison(m *compare.Metric, r *compare.Report) {
	name := cleanLabel(m.Name)
	t := table.New("A and B by "+name+", in %", "hardness", "judged", "A", "B", "change", "right in A alone", "right in B alone", "p")
	t.Columns = append(t.Columns, table.Column{Name: "real"})
	for i, l := range m.Levels {
		real := "no"
		if l.Real {
			real = "yes"
		}
		t.Rows = append(t.Rows, table.Row{Strong: i == len(m.Levels)-1,
			Cells: table.Cells(cleanLabel(l.Name), l.Judged, l.A, l.B, l.Change, l.Broken, l.Fixed, l.McNemar.PCell(), real)})
	}
	plot := plotColumns(t, Plot{Kind: Dots, Title: "Change from A to B, by " + name, Axis: "change of accuracy, points",
		Desc: "A dot a level of hardness with its interval; left of zero B is worse.", Series: seriesNamed("change")}, 4) // the column "change"
	text := intervals(r.Bootstrap) + " p is McNemar's. A change is real where the interval does not hold 0 and p is small enough."
	if m.Unjudged > 0 {
		text += fmt.Sprintf(" Not judged on both sides, and left out: %d.", m.Unjudged)
	}
	s.add(Part{Title: "A and B by " + name, Text: []string{text}, Plot: plot, Table: t})
}

// addTurned adds a table of the records that are right in only one of A and B by a metric, if there are any.
func (s *Section) addTurned(m *compare.Metric) {
	if len(m.Turned) == 0 {
		return
	}
	name := cleanLabel(m.Name)
	t := &table.Table{Caption: "Records that turned, by " + name, Columns: []table.Column{{Name: "record"}, {Name: "database"}, {Name: "hardness"}, {Name: "right in"}, {Name: "why the other is wrong", Long: true}}}
	for _, turn := range m.Turned[:min(len(m.Turned), maxTurned)] {
		right := "B"
		if turn.Broken { // right in A and wrong in B
			right = "A"
		}
		t.Add(turn.Index, cleanLabel(turn.DB), cleanLabel(turn.Hardness), right, cleanText(turn.Reason))
	}
	s.add(Part{Title: "Records that turned, by " + name, Table: t, Text: cutOff(len(m.Turned), maxTurned, "records")})
}
