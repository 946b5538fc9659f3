package report

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/compare"
)

// maxTurned bounds the records that are shown of a metric.
const maxTurned = 200

// comparison makes the section of what `compare --json` printed.
func (s *Section) comparison(path string) error {
	var r compare.Report
	if err := decode(path, nil, &r); err != nil {
		return err
	}
	if r.A == nil || r.B == nil {
		return fmt.Errorf("%s: lacks one of two evaluations, expected what `compare --json` prints", path)
	}
	if len(r.Metrics) > maxMetrics {
		return fmt.Errorf("%s: has %d metrics, expected %d at most", path, len(r.Metrics), maxMetrics)
	}
	s.Title = "Comparison"
	summary := Part{Title: "Summary", Table: facts("What was compared", row(Cell{Text: "A"}, label(r.A.Predictions)), row(Cell{Text: "B"}, label(r.B.Predictions)),
		row(Cell{Text: "questions"}, count(r.Questions)), row(Cell{Text: "drop that is allowed, points"}, Cell{Text: fmt.Sprint(r.MaxDrop), Value: &r.MaxDrop}))}
	var names []string
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if len(m.Levels) == 0 {
			return fmt.Errorf("%s: the metric %q has no figures, expected those of all questions", path, clean(m.Name, maxLabel))
		}
		names = append(names, m.Name)
		summary.Text = append(summary.Text, clean(m.Verdict(r.MaxDrop), maxText)+".")
	}
	s.add(summary)
	for i := range r.Metrics {
		s.compared(&r.Metrics[i], &r)
		s.turned(&r.Metrics[i])
	}
	s.add(Part{Title: "How to reproduce", Text: []string{"A and B are what eval --json printed for " + clean(r.A.Predictions, maxLabel) + " and " + clean(r.B.Predictions, maxLabel) + "."},
		Code: Command("compare", "A", "B", "--metric", strings.Join(names, ","), "--max-drop", fmt.Sprint(r.MaxDrop), "--level", fmt.Sprint(r.Bootstrap.Level), "--seed", fmt.Sprint(r.Bootstrap.Seed), "--json")})
	return nil
}

// compared adds a metric's figures by hardness.
func (s *Section) compared(m *compare.Metric, r *compare.Report) {
	name := clean(m.Name, maxLabel)
	t := &Table{Caption: "A and B by " + name + ", in %", Columns: columns("hardness", "judged", "A", "B", "change", "right in A alone", "right in B alone", "p")}
	t.Columns = append(t.Columns, Column{Name: "real"})
	plot := &Plot{Kind: Dots, Title: "Change from A to B, by " + name, Axis: "change of accuracy, points",
		Desc: "A dot a level of hardness with its interval; left of zero B is worse.", Series: []Series{{Name: "change"}}}
	for i := range m.Levels {
		l := &m.Levels[i]
		real := "no"
		if l.Real {
			real = "yes"
		}
		line := Row{Cells: []Cell{label(l.Name), count(l.Judged), estimate(l.A), estimate(l.B), estimate(l.Change), count(l.Broken), count(l.Fixed), pValue(l.McNemar), {Text: real}}, Strong: i == len(m.Levels)-1}
		t.Rows = append(t.Rows, line)
		plot.Labels = append(plot.Labels, line.Cells[0].Text)
		plot.Series[0].Points = append(plot.Series[0].Points, Point{Value: l.Change.Value, Low: l.Change.Low, High: l.Change.High})
	}
	text := intervals(r.Bootstrap) + " p is McNemar's. A change is real where the interval does not hold 0 and p is small enough."
	if m.Unjudged > 0 {
		text += fmt.Sprintf(" Not judged on both sides, and left out: %d.", m.Unjudged)
	}
	s.add(Part{Title: "A and B by " + name, Text: []string{text}, Plot: plot, Table: t})
}

// turned adds the records that are right on one side alone.
func (s *Section) turned(m *compare.Metric) {
	if len(m.Turned) == 0 {
		return
	}
	name := clean(m.Name, maxLabel)
	t := &Table{Caption: "Records that turned, by " + name, Columns: []Column{{Name: "record"}, {Name: "database"}, {Name: "hardness"}, {Name: "right in"}, {Name: "why the other is wrong", Long: true}}}
	for _, turn := range m.Turned[:min(len(m.Turned), maxTurned)] {
		right := "B"
		if turn.Broken {
			right = "A"
		}
		t.Rows = append(t.Rows, row(count(turn.Index), label(turn.DB), label(turn.Hardness), Cell{Text: right}, prose(turn.Reason)))
	}
	s.add(Part{Title: "Records that turned, by " + name, Table: t, Text: cutOff(len(m.Turned), maxTurned, "records")})
}
