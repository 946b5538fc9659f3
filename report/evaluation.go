package report

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// readEvaluation fills the section from what `eval --json` printed.
func (s *Section) readEvaluation(path string, _ *Options) error {
	var r struct {
		evaluate.Report
		Partial []exact.LevelScore `json:"partial"` // hides the report's field, whose type only writes this list
	}
	if err := decode(path, &r); err != nil {
		return err
	}
	if len(r.Metrics) > maxMetrics {
		return fmt.Errorf("%s: has %d metrics, expected %d at most", path, len(r.Metrics), maxMetrics)
	}
	s.Title = "Evaluation of " + cleanLabel(r.Predictions)
	mode := "The verdicts are those of the official evaluators."
	if r.Strict {
		mode = "Known faults of the official evaluators are repaired (strict mode)."
	}
	s.add(Part{Title: "Summary", Text: []string{mode}, Table: summary(&r.Report)})
	for _, t := range []struct {
		title  string
		levels func(evaluate.MetricReport) []evaluate.Level
	}{
		{"Accuracy by hardness", func(m evaluate.MetricReport) []evaluate.Level { return m.Levels }},
		{"Accuracy by difficulty", func(m evaluate.MetricReport) []evaluate.Level { return m.Difficulties }},
		{"Accuracy by turn", func(m evaluate.MetricReport) []evaluate.Level { return m.Turns }},
	} {
		if p, ok := levelsPart(t.title, r.Metrics, t.levels); ok {
			s.add(p)
		}
	}
	for _, m := range r.Metrics {
		s.addReasons(&m)
	}
	s.addPartialScores(r.Partial)
	s.add(Part{Title: "How to reproduce", Text: []string{"Both files must lie where the command names them."},
		Code: Command("eval", "--gold", r.Gold, "--pred", r.Predictions, metricFlag(r.Metrics), flagIf(r.Strict, "--strict"), flagIf(r.PlugValue, "--plug-value"), flagIf(r.KeepDistinct, "--keep-distinct"), flagIf(r.OfficialValue, "--official-value"), "--json")})
	return nil
}

// maxMetrics bounds the metrics of an evaluation and the models of a consistency report,
// which are columns.
const maxMetrics = 40

// summary returns the table of what was evaluated, with the accuracy of all questions by each metric,
// which is the last of its levels.
func summary(r *evaluate.Report) *table.Table {
	t := figureTable("What was evaluated")
	t.Add("questions", r.Questions)
	t.Add("databases", r.Databases)
	t.Add("gold", cleanLabel(r.Gold))
	t.Add("predictions", cleanLabel(r.Predictions))
	for _, m := range r.Metrics {
		if n := len(m.Levels); n > 0 {
			t.AddStrong(cleanLabel(m.Name+", %"), accuracy(m.Levels[n-1]))
		}
	}
	return t
}

// accuracy returns the share of right verdicts of a level, undefined if nothing was judged.
func accuracy(l evaluate.Level) stats.Number { return stats.Share(l.Right, l.Judged) }

// levelsPart returns a part with a table of accuracies: a row for each level, three columns for each
// metric. Totals, the levels "all" and "interaction", are strong. levelsOf selects the levels of a metric. It returns false if there
// are none.
func levelsPart(title string, metrics []evaluate.MetricReport, levelsOf func(evaluate.MetricReport) []evaluate.Level) (Part, bool) {
	if len(metrics) == 0 || len(levelsOf(metrics[0])) == 0 {
		return Part{}, false
	}
	header := []string{"level", "questions"}
	var names []string
	var shares []int // the columns of accuracies
	for _, m := range metrics {
		name := cleanLabel(m.Name)
		names, shares = append(names, name), append(shares, len(header))
		header = append(header, name+", %", name+" right", name+" judged")
	}
	t := table.New(title, header...)
	for j, level := range levelsOf(metrics[0]) {
		line := []any{cleanLabel(level.Name), level.Questions}
		for _, m := range metrics {
			l := evaluate.Level{}
			if all := levelsOf(m); j < len(all) {
				l = all[j]
			}
			line = append(line, accuracy(l), l.Right, l.Judged)
		}
		t.Rows = append(t.Rows, table.Row{Cells: table.Cells(line...), Strong: slices.Contains([]string{"all", "interaction"}, level.Name)})
	}
	plot := plotColumns(t, Plot{Kind: Dots, Title: title, Desc: "A dot a metric for each level; the table has the same figures.", Axis: "accuracy, %", Series: seriesNamed(names...)}, shares...)
	return Part{Title: title, Plot: plot, Table: t}, true
}

// addReasons adds the reasons why predictions are wrong or not judged by a metric, as a table. The plot shows only those why they are
// wrong.
func (s *Section) addReasons(m *evaluate.MetricReport) {
	name := cleanLabel(m.Name)
	t := table.New("Reasons, by "+name, "reason", "predictions")
	t.Columns = append(t.Columns, table.Column{Name: "verdict"})
	add := func(verdict string, counts []evaluate.Count) {
		for _, c := range counts[:min(len(counts), maxReasons)] {
			t.Add(cleanText(c.What), c.Count, verdict)
		}
	}
	add("wrong", m.Wrong)
	plot := plotColumns(t, Plot{Kind: Bars, Title: "Why predictions are wrong by " + name, Desc: "A bar a reason, the most frequent first.", Axis: "predictions", Series: seriesNamed("wrong")}, 1)
	add("not judged", m.NotJudged) // not in the plot, which has the rows so far
	add("judged, but the gold is at fault", m.Doubts)
	p := Part{Title: "Reasons, by " + name, Plot: plot, Text: []string{sentence(m.Comparison)}}
	if m.Changed != nil {
		p.Text = append(p.Text, fmt.Sprintf("Verdicts that differ from those of the official evaluator: %d right instead of wrong, %d wrong instead of right.", m.Changed.ToRight, m.Changed.ToWrong))
	}
	if len(t.Rows) > 0 {
		p.Table = t
	}
	s.add(p)
}

// addPartialScores adds the partial scores of exact set match on all questions, from the list of scores by level.
func (s *Section) addPartialScores(list []exact.LevelScore) {
	for _, l := range list {
		if l.Level != "all" || len(l.Parts) == 0 {
			continue
		}
		t := table.New("Partial scores of exact set match, all levels, in %", "part", "precision", "recall", "F1")
		for _, p := range l.Parts {
			t.Add(cleanLabel(p.Part), stats.Number(p.Precision), stats.Number(p.Recall), stats.Number(p.F1))
		}
		s.add(Part{Title: "Partial scores", Table: t})
	}
}
