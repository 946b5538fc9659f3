package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/junit"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// WriteText prints the comparison for people, with at most shown changed records for each metric
// and direction; all for -1.
func (r *Report) WriteText(w io.Writer, shown int) error {
	fmt.Fprintf(w, "A: %s of %s\nB: %s of %s\n%d questions\n\n", r.A.Predictions, r.A.File, r.B.Predictions, r.B.File, r.Questions)
	t := table.New("", "", "", "judged", "A", "B", "change", "broken", "fixed", "p")
	t.Right = true
	for i := range r.Metrics {
		m := &r.Metrics[i]
		for j := range m.Levels {
			l := &m.Levels[j]
			name := ""
			if j == 0 {
				name = m.Name
			}
			t.Add(name, l.Name, l.Judged, l.A.Value.Percent(), l.B.Value.Percent(), r.change(l), l.Broken, l.Fixed, l.McNemar.PValue())
		}
	}
	fmt.Fprint(w, t)
	if r.anyUnconfirmed() {
		fmt.Fprintf(w, "\n~ with an interval: p is below %.2g, but the interval, which draws databases, holds 0\n", 1-r.Bootstrap.Level)
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		fmt.Fprintf(w, "\n%s\n", m.Verdict(r.MaxDrop))
		if m.Unjudged > 0 {
			fmt.Fprintf(w, "  %d not judged on both sides, left out\n", m.Unjudged)
		}
		m.writeTurned(w, true, shown)
		m.writeTurned(w, false, shown)
	}
	return nil
}

// change returns the difference of a level in percentage points for a cell of the table: "+1.5 [0.3, 2.7]" if it is real;
// "~ [-0.1, 2.7]" if only McNemar's test finds it, see [Report.isUnconfirmed]; "~" if it is not real; "-" if nothing is judged.
func (r *Report) change(l *Level) string {
	switch {
	case l.Judged == 0:
		return "-"
	case r.isUnconfirmed(l):
		return "~ [" + l.Change.Low.Percent() + ", " + l.Change.High.Percent() + "]"
	case !l.Real:
		return "~"
	}
	return signed(l.Change.Percent())
}

// isUnconfirmed reports whether a change is not real although McNemar's test finds it: the interval contains 0.
func (r *Report) isUnconfirmed(l *Level) bool {
	return !l.Real && float64(l.McNemar) < 1-r.Bootstrap.Level
}

// anyUnconfirmed reports whether any change is [Report.isUnconfirmed].
func (r *Report) anyUnconfirmed() bool {
	return slices.ContainsFunc(r.Metrics, func(m Metric) bool {
		return slices.ContainsFunc(m.Levels, func(l Level) bool { return r.isUnconfirmed(&l) })
	})
}

// signed returns a number with its sign: "1.5" → "+1.5".
func signed(s string) string {
	if strings.HasPrefix(s, "-") {
		return s
	}
	return "+" + s
}

// Verdict returns the result for the metric in a sentence; limit is [Report.MaxDrop].
func (m *Metric) Verdict(limit float64) string {
	all := m.All()
	switch {
	case all.Judged == 0:
		return m.Name + ": nothing is judged on both sides"
	case !all.Real:
		return fmt.Sprintf("%s: no difference to speak of (%s points, p %s)", m.Name, signed(all.Change.Percent()), all.McNemar.PValue())
	case m.Failed:
		return fmt.Sprintf("%s: dropped by %.1f points, more than the limit of %.1f", m.Name, -100*float64(all.Change.Value), limit)
	case all.Change.Value < 0:
		return fmt.Sprintf("%s: dropped by %.1f points, within the limit of %.1f", m.Name, -100*float64(all.Change.Value), limit)
	}
	return fmt.Sprintf("%s: rose by %.1f points", m.Name, 100*float64(all.Change.Value))
}

// writeTurned prints at most shown records whose verdict changed to wrong (broken) or to right.
func (m *Metric) writeTurned(w io.Writer, broken bool, shown int) {
	turned := lists.Filter(m.Turned, func(t Turn) bool { return t.Broken == broken })
	if len(turned) == 0 {
		return
	}
	what := "wrong in A, right in B"
	if broken {
		what = "right in A, wrong in B"
	}
	fmt.Fprintf(w, "  %d %s:\n", len(turned), what)
	for i, t := range turned {
		if i == shown {
			fmt.Fprintf(w, "    … and %d more\n", len(turned)-shown)
			break
		}
		fmt.Fprintf(w, "    %s\n", t)
	}
}

// String returns a turned record on a line.
func (t Turn) String() string {
	s := fmt.Sprintf("%d %s (%s)", t.Index, t.DB, t.Hardness)
	if t.Reason != "" {
		s += ": " + t.Reason
	}
	return s
}

// junitTurned bounds the turned records in JUnit's XML, which people read.
const junitTurned = 100

// WriteJUnit writes the comparison as JUnit's XML with one test case per metric, which fails
// if the drop is real and above the limit, with the records that broke.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junit.Suite{Name: "tabperturb compare " + r.A.File + " " + r.B.File}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		var turned strings.Builder
		m.writeTurned(&turned, true, junitTurned)
		c := junit.Case{Class: r.B.Predictions, Name: m.Name}
		if m.Failed {
			c.Failure = &junit.Failure{Message: m.Verdict(r.MaxDrop), Text: turned.String()}
		} else {
			c.Out = m.Verdict(r.MaxDrop)
		}
		suite.Cases = append(suite.Cases, c)
	}
	return junit.Write(w, suite)
}
