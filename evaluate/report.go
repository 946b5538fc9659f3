package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// Report sums up the records of a run. It says by which comparison, on which
// databases and out of how many each figure is, so that two people can get the
// same one.
type Report struct {
	Gold        string         `json:"gold"`
	Predictions string         `json:"predictions"`
	Strict      bool           `json:"strict"`
	Questions   int            `json:"questions"`
	Databases   int            `json:"databases"`
	Metrics     []MetricReport `json:"metrics"`
	Partial     *exact.Tally   `json:"partial,omitempty"` // where exact set match was asked for

	databases map[string]bool
}

// MetricReport is what one metric found.
type MetricReport struct {
	Name       string          `json:"name"`
	Comparison string          `json:"comparison"`
	Levels     []Level         `json:"levels"` // the four of hardness, then all
	Wrong      []Count         `json:"wrong"`  // by reason, most frequent first
	NotJudged  []Count         `json:"not_judged,omitempty"`
	Doubts     []Count         `json:"doubts,omitempty"`  // judged verdicts whose gold SQL is at fault, by what
	Changed    *VerdictChanges `json:"changed,omitempty"` // strict mode against the official verdicts

	wrong, notJudged, doubts map[string]int
}

// Level is the accuracy on the questions of one hardness.
type Level struct {
	Name      string  `json:"name"`
	Questions int     `json:"questions"`
	Judged    int     `json:"judged"` // the denominator
	Right     int     `json:"right"`
	Accuracy  float64 `json:"accuracy"` // Right of Judged, 0..1; 0 where none is judged
}

// Count is how often something occurs.
type Count struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// VerdictChanges counts the verdicts in which strict mode and the official
// evaluator differ.
type VerdictChanges struct {
	ToRight int `json:"to_right"`
	ToWrong int `json:"to_wrong"`
}

// NewReport returns an empty report on a run with the options.
func NewReport(gold, predictions string, o *Options) *Report {
	r := &Report{Gold: gold, Predictions: predictions, Strict: o.Execution.Strict, databases: map[string]bool{}}
	for _, m := range o.Metrics {
		mr := MetricReport{Name: m.Name, Comparison: m.How(o), wrong: map[string]int{}, notJudged: map[string]int{}, doubts: map[string]int{}}
		for h := exact.Easy; h <= exact.Extra; h++ {
			mr.Levels = append(mr.Levels, Level{Name: h.String()})
		}
		mr.Levels = append(mr.Levels, Level{Name: "all"})
		r.Metrics = append(r.Metrics, mr)
	}
	return r
}

// Add counts a record.
func (r *Report) Add(rec *Record) {
	r.Questions++
	r.databases[rec.DB] = true
	r.Databases = len(r.databases)
	for i, s := range rec.Scores {
		m := &r.Metrics[i]
		m.add(&m.Levels[rec.Hardness], &s)
		m.add(&m.Levels[len(m.Levels)-1], &s)
		m.count(&s)
		if r.Strict {
			m.compare(&s)
		}
		if s.Exact != nil {
			if r.Partial == nil {
				r.Partial = &exact.Tally{}
			}
			r.Partial.Add(rec.Hardness, *s.Exact)
		}
	}
}

func (m *MetricReport) add(l *Level, s *Score) {
	l.Questions++
	if s.Verdict == verdict.Unjudged {
		return
	}
	l.Judged++
	if s.Verdict == verdict.Right {
		l.Right++
	}
	l.Accuracy = float64(l.Right) / float64(l.Judged)
}

func (m *MetricReport) count(s *Score) {
	switch s.Verdict {
	case verdict.Wrong:
		m.wrong[s.Reason]++
		m.Wrong = sorted(m.wrong)
	case verdict.Unjudged:
		m.notJudged[s.Reason]++
		m.NotJudged = sorted(m.notJudged)
	}
	if s.Doubt != "" && s.Verdict != verdict.Unjudged {
		m.doubts[s.Doubt]++
		m.Doubts = sorted(m.doubts)
	}
}

// compare counts a strict verdict that is not the official one.
func (m *MetricReport) compare(s *Score) {
	if s.Official == verdict.Unjudged || s.Verdict == verdict.Unjudged {
		return
	}
	if m.Changed == nil {
		m.Changed = &VerdictChanges{}
	}
	switch {
	case s.Official == s.Verdict:
	case s.Verdict == verdict.Right:
		m.Changed.ToRight++
	default:
		m.Changed.ToWrong++
	}
}

// sorted lists counts, the largest first.
func sorted(counts map[string]int) []Count {
	var list []Count
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Count{what, counts[what]})
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// WriteText prints the report for people; with parts the partial scores of exact
// set match too.
func (r *Report) WriteText(w io.Writer, parts bool) error {
	fmt.Fprintf(w, "%s against %s: %s on %s\n\n", r.Predictions, r.Gold, count(r.Questions, "question"), count(r.Databases, "database"))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\teasy\tmedium\thard\textra\tall\tjudged\t\n")
	if len(r.Metrics) > 0 {
		fmt.Fprint(t, "questions\t")
		for _, l := range r.Metrics[0].Levels {
			fmt.Fprintf(t, "%d\t", l.Questions)
		}
		fmt.Fprint(t, "\t\n")
	}
	for _, m := range r.Metrics {
		fmt.Fprint(t, m.Name, "\t")
		for _, l := range m.Levels {
			fmt.Fprint(t, l.percent(), "\t")
		}
		all := m.Levels[len(m.Levels)-1]
		fmt.Fprintf(t, "%d\t\n", all.Judged)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, m := range r.Metrics {
		fmt.Fprintf(w, "\n%s: %s\n", m.Name, m.Comparison)
		printCounts(w, "wrong", m.Wrong)
		printCounts(w, "not judged", m.NotJudged)
		printCounts(w, "judged, but the gold is at fault", m.Doubts)
		if m.Changed != nil {
			fmt.Fprintf(w, "  against the official evaluator: %d right instead of wrong, %d wrong instead of right\n", m.Changed.ToRight, m.Changed.ToWrong)
		}
	}
	if parts && r.Partial != nil {
		fmt.Fprintln(w)
		return r.Partial.WriteText(w)
	}
	return nil
}

// percent is the accuracy in percent, or "-" where nothing was judged.
func (l *Level) percent() string {
	if l.Judged == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*l.Accuracy)
}

func printCounts(w io.Writer, what string, counts []Count) {
	if len(counts) == 0 {
		return
	}
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", c.What, c.Count))
	}
	fmt.Fprintf(w, "  %s: %s\n", what, strings.Join(parts, ", "))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
