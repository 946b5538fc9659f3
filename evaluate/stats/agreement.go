package stats

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Agreement compares metrics with one that is taken for the truth, over the predictions of
// several models.
type Agreement struct {
	Truth   string            `json:"truth"`
	Files   int               `json:"files"`
	Metrics []MetricAgreement `json:"metrics"`
}

// MetricAgreement is one metric's agreement by hardness: [verdict.Levels], then "all".
type MetricAgreement struct {
	Metric string           `json:"metric"`
	Levels []LevelAgreement `json:"levels"`
}

// LevelAgreement is a metric's agreement on the questions of one level. The
// rates are summarised over the files and the correlation is across them; both
// leave out predictions that one of the two metrics has not judged.
//
// The rates are shares of all predictions of the level, not of the wrong or the
// right ones. The paper does not state this, but its figures show it: weighted with the
// sizes of the levels (248, 446, 174 and 166 questions), the means by level give
// the mean of all data, 2.60 for 2.6 in table 2 and 6.52 for 6.5 in table 3, and
// section 6.2 calls the false positive rate of single denotation accuracy its
// difference from test suite accuracy.
type LevelAgreement struct {
	Level         string  `json:"level"`
	Predictions   int     `json:"predictions"`    // judged by both metrics, in all files
	Unjudged      int     `json:"unjudged"`       // left out
	FalsePositive Summary `json:"false_positive"` // right by the metric, wrong in truth
	FalseNegative Summary `json:"false_negative"` // wrong by the metric, right in truth
	// Tau is Kendall's tau-b of the two accuracies across the files, undefined
	// for fewer than three.
	Tau Number `json:"tau"`
}

// minRanked is the smallest number of files for which a rank correlation means anything.
const minRanked = 3

// Agree compares every metric of the files with the metric truth, as section 6
// of "Semantic Evaluation for Text-to-SQL with Distilled Test Suite" does. The
// files must be about the same examples and have the same metrics.
func Agree(truth string, files []*verdict.File) (*Agreement, error) {
	if len(files) == 0 {
		return nil, errors.New("no file of verdicts, expected one or more")
	}
	first := files[0]
	truthColumn := slices.Index(first.Metrics, truth)
	if truthColumn < 0 {
		return nil, fmt.Errorf("%s: has no verdicts of %q, expected that among %s", first.Name, truth, strings.Join(first.Metrics, ", "))
	}
	for _, f := range files[1:] {
		if err := checkSame(first, f); err != nil {
			return nil, err
		}
	}
	a := &Agreement{Truth: truth, Files: len(files)}
	for m, metric := range first.Metrics {
		if m == truthColumn {
			continue
		}
		ma := MetricAgreement{Metric: metric}
		ma.Levels = lists.Map(append(verdict.Levels(), "all"), func(level string) LevelAgreement { return agreeOn(level, files, m, truthColumn) })
		a.Metrics = append(a.Metrics, ma)
	}
	return a, nil
}

// checkSame returns an error unless f has verdicts of the same metrics as v on the same examples. Rows that one of the files
// leaves out are not compared.
func checkSame(v, f *verdict.File) error {
	if !slices.Equal(v.Metrics, f.Metrics) {
		return fmt.Errorf("%s: has metrics %s, expected %s as %s has", f.Name, strings.Join(f.Metrics, ", "), strings.Join(v.Metrics, ", "), v.Name)
	}
	if v.Records != f.Records {
		return fmt.Errorf("%s: has %d predictions, expected %d as %s has", f.Name, f.Records, v.Records, v.Name)
	}
	rows := lists.Index(v.Rows, func(r verdict.Row) int { return r.Index })
	for _, r := range f.Rows {
		if w, ok := rows[r.Index]; ok && (r.DB != w.DB || r.Hardness != w.Hardness) {
			return fmt.Errorf("%s: example %d is %s on %q, expected %s on %q as %s has", f.Name, r.Index, r.Hardness, r.DB, w.Hardness, w.DB, v.Name)
		}
	}
	return nil
}

// agreeOn compares a metric with the truth, both given by their column in the files, on the questions of one level or, for the
// level "all", on all. A file without a judged prediction of the level has no rate.
func agreeOn(level string, files []*verdict.File, metric, truth int) LevelAgreement {
	a := LevelAgreement{Level: level, Tau: Undefined()}
	var positive, negative, accuracy, accuracyTrue []float64 // one for each file
	for _, f := range files {
		var n, fp, fn, right int // predictions judged, false positives, false negatives, right in truth
		for _, r := range f.Rows {
			m, t := r.Verdicts[metric], r.Verdicts[truth]
			switch {
			case level != "all" && level != r.Hardness:
				continue
			case m == verdict.Unjudged, t == verdict.Unjudged:
				a.Unjudged++
				continue
			}
			n++
			right += t.Points()
			fp += max(m.Points()-t.Points(), 0)
			fn += max(t.Points()-m.Points(), 0)
		}
		if n == 0 {
			continue
		}
		a.Predictions += n
		share := func(k int) float64 { return float64(k) / float64(n) }
		positive, negative = append(positive, share(fp)), append(negative, share(fn))
		accuracy, accuracyTrue = append(accuracy, share(right+fp-fn)), append(accuracyTrue, share(right)) // by the metric, in truth
	}
	a.FalsePositive, a.FalseNegative = Summarize(positive), Summarize(negative)
	if len(accuracy) >= minRanked {
		a.Tau = KendallTau(accuracy, accuracyTrue)
	}
	return a
}

// WriteText writes the agreement in percent, in the layout of the paper: for each metric the
// false positive and false negative rates (table 2; the false positives are table 3), then
// the rank correlations (table 4), unless there are fewer than minRanked files.
func (a *Agreement) WriteText(out io.Writer) error {
	var page table.Page
	for _, m := range a.Metrics {
		t := table.New(fmt.Sprintf("%s against %s, %s: false positives/negatives, %% of the predictions", m.Metric, a.Truth, table.Count(a.Files, "file")),
			"difficulty", "predictions", "mean", "std", "max")
		for _, l := range m.Levels {
			both := func(of func(Summary) Number) string {
				return of(l.FalsePositive).Percent() + "/" + of(l.FalseNegative).Percent()
			}
			t.Add(l.Level, l.Predictions, both(func(s Summary) Number { return s.Mean }), both(func(s Summary) Number { return s.Std }), both(func(s Summary) Number { return s.Max }))
		}
		if all := m.Levels[len(m.Levels)-1]; all.Unjudged > 0 { // the last level is "all"
			t.Notes = []string{fmt.Sprintf("left out: %s that %s or %s has not judged", table.Count(all.Unjudged, "prediction"), m.Metric, a.Truth)}
		}
		page.Tables = append(page.Tables, t)
	}
	if a.Files >= minRanked && len(a.Metrics) > 0 {
		page.Tables = append(page.Tables, a.tau())
	}
	return page.Write(out, "text")
}

// tau returns the table of the rank correlations: a row for each level and a column for each metric.
func (a *Agreement) tau() *table.Table {
	t := table.New(fmt.Sprintf("Kendall's tau with the accuracy by %s, %%", a.Truth), "difficulty")
	for i, l := range a.Metrics[0].Levels {
		t.Add(l.Level)
		for _, m := range a.Metrics {
			t.Rows[i].Cells = append(t.Rows[i].Cells, table.Cell{Text: m.Levels[i].Tau.Percent()})
		}
	}
	for _, m := range a.Metrics {
		t.Columns = append(t.Columns, table.Column{Name: m.Metric, Numeric: true})
	}
	return t
}
