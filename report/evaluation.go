package report

import (
	"fmt"

	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// evaluation makes the section of what `eval --json` printed. The records are read
// over.
func (s *Section) evaluation(path string) error {
	var r evaluate.Report
	var partial []exact.LevelScore
	if err := decode(path, map[string]any{
		"gold": &r.Gold, "predictions": &r.Predictions, "strict": &r.Strict, "plug_value": &r.PlugValue, "keep_distinct": &r.KeepDistinct, "questions": &r.Questions,
		"databases": &r.Databases, "metrics": &r.Metrics, "partial": &partial,
	}, nil); err != nil {
		return err
	}
	if len(r.Metrics) > maxMetrics {
		return fmt.Errorf("%s: has %d metrics, expected %d at most", path, len(r.Metrics), maxMetrics)
	}
	s.Title = "Evaluation of " + clean(r.Predictions, maxLabel)
	mode := "The verdicts are those of the official evaluators."
	if r.Strict {
		mode = "Known faults of the official evaluators are repaired (strict mode)."
	}
	s.add(Part{Title: "Summary", Text: []string{mode}, Table: summary(&r)})
	for _, t := range []struct {
		title string
		of    func(*evaluate.MetricReport) []evaluate.Level
	}{
		{"Accuracy by hardness", func(m *evaluate.MetricReport) []evaluate.Level { return m.Levels }},
		{"Accuracy by difficulty", func(m *evaluate.MetricReport) []evaluate.Level { return m.Difficulties }},
		{"Accuracy by turn", func(m *evaluate.MetricReport) []evaluate.Level { return m.Turns }},
	} {
		if p, ok := levels(t.title, r.Metrics, t.of); ok {
			s.add(p)
		}
	}
	for i := range r.Metrics {
		s.reasons(&r.Metrics[i])
	}
	s.partial(partial)
	s.add(Part{Title: "How to reproduce", Text: []string{"Both files must lie where the command names them."},
		Code: Command("eval", "--gold", r.Gold, "--pred", r.Predictions, metricFlag(r.Metrics), flagIf(r.Strict, "--strict"), flagIf(r.PlugValue, "--plug-value"), flagIf(r.KeepDistinct, "--keep-distinct"), "--json")})
	return nil
}

// maxMetrics bounds the metrics of an evaluation and the models of a consistency report,
// which are columns.
const maxMetrics = 40

func summary(r *evaluate.Report) *Table {
	t := facts("What was evaluated", row(Cell{Text: "questions"}, count(r.Questions)), row(Cell{Text: "databases"}, count(r.Databases)),
		row(Cell{Text: "gold"}, label(r.Gold)), row(Cell{Text: "predictions"}, label(r.Predictions)))
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if n := len(m.Levels); n > 0 {
			t.Rows = append(t.Rows, Row{Strong: true, Cells: []Cell{label(m.Name + ", %"), share(accuracy(&m.Levels[n-1]))}})
		}
	}
	return t
}

// accuracy is the level's, which is undefined where nothing was judged.
func accuracy(l *evaluate.Level) stats.Number { return stats.Share(l.Right, l.Judged) }

// levels is a table of accuracies: a row a level, the columns of each metric.
func levels(title string, metrics []evaluate.MetricReport, of func(*evaluate.MetricReport) []evaluate.Level) (Part, bool) {
	if len(metrics) == 0 || len(of(&metrics[0])) == 0 {
		return Part{}, false
	}
	names := of(&metrics[0])
	t := &Table{Caption: title, Columns: columns("level", "questions")}
	plot := &Plot{Kind: Dots, Title: title, Desc: "A dot a metric for each level; the table has the same figures.", Axis: "accuracy, %"}
	for i := range metrics {
		name := clean(metrics[i].Name, maxLabel)
		t.Columns = append(t.Columns, Column{Name: name + ", %", Numeric: true}, Column{Name: name + " right", Numeric: true}, Column{Name: name + " judged", Numeric: true})
		plot.Series = append(plot.Series, Series{Name: name})
	}
	for j := range names {
		cells := []Cell{label(names[j].Name), count(names[j].Questions)}
		plot.Labels = append(plot.Labels, clean(names[j].Name, maxLabel))
		for i := range metrics {
			l := evaluate.Level{}
			if all := of(&metrics[i]); j < len(all) {
				l = all[j]
			}
			cells = append(cells, share(accuracy(&l)), count(l.Right), count(l.Judged))
			p := point(float64(accuracy(&l)))
			plot.Series[i].Points = append(plot.Series[i].Points, p)
		}
		t.Rows = append(t.Rows, Row{Cells: cells, Strong: names[j].Name == "all" || names[j].Name == "interaction"})
	}
	return Part{Title: title, Plot: plot, Table: t}, true
}

// reasons adds why predictions are wrong or not judged by a metric.
func (s *Section) reasons(m *evaluate.MetricReport) {
	name := clean(m.Name, maxLabel)
	t := &Table{Caption: "Reasons, by " + name, Columns: columns("reason", "predictions")}
	t.Columns = append(t.Columns, Column{Name: "verdict"})
	plot := &Plot{Kind: Bars, Title: "Why predictions are wrong by " + name, Desc: "A bar a reason, the most frequent first.", Axis: "predictions", Series: []Series{{Name: "wrong"}}}
	for _, list := range []struct {
		verdict string
		counts  []evaluate.Count
	}{{"wrong", m.Wrong}, {"not judged", m.NotJudged}, {"judged, but the gold is at fault", m.Doubts}} {
		for i, c := range list.counts {
			if i == maxReasons {
				break
			}
			t.Rows = append(t.Rows, row(prose(c.What), count(c.Count), Cell{Text: list.verdict}))
			if list.verdict == "wrong" {
				plot.Labels = append(plot.Labels, clean(c.What, maxLabel))
				plot.Series[0].Points = append(plot.Series[0].Points, points(c.Count)...)
			}
		}
	}
	p := Part{Title: "Reasons, by " + name, Plot: plot, Text: []string{sentence(m.Comparison)}}
	if m.Changed != nil {
		p.Text = append(p.Text, fmt.Sprintf("Verdicts that differ from those of the official evaluator: %d right instead of wrong, %d wrong instead of right.", m.Changed.ToRight, m.Changed.ToWrong))
	}
	if len(t.Rows) > 0 {
		p.Table = t
	}
	s.add(p)
}

// partial adds the partial scores of exact set match, of all levels together.
func (s *Section) partial(list []exact.LevelScore) {
	for _, l := range list {
		if l.Level != "all" || len(l.Parts) == 0 {
			continue
		}
		t := &Table{Caption: "Partial scores of exact set match, all levels, in %", Columns: columns("part", "precision", "recall", "F1")}
		for _, p := range l.Parts {
			t.Rows = append(t.Rows, row(label(p.Part), share(stats.Number(p.Precision)), share(stats.Number(p.Recall)), share(stats.Number(p.F1))))
		}
		s.add(Part{Title: "Partial scores", Table: t})
	}
}
