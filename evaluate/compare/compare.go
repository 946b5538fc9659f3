// Package compare compares two evaluations of the same questions, as benchstat does with
// benchmarks: which accuracies changed, whether the change is more than chance, and which records
// changed their verdict.
//
// A change counts as real only if two tests agree: the interval of the difference, which draws
// databases, does not contain 0, and McNemar's p is below the level. The interval alone is
// unstable with few databases; McNemar's test takes records as independent, which those of one
// database are not.
package compare

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Options configure a comparison.
type Options struct {
	Metrics   []string        // empty: all that both evaluations have
	MaxDrop   float64         // a real drop of more percentage points than this fails
	Bootstrap stats.Bootstrap // its level is that of both tests
}

// Report is a comparison of evaluation B with A: a drop is where B is worse.
type Report struct {
	A         *Evaluation     `json:"a"`
	B         *Evaluation     `json:"b"`
	Questions int             `json:"questions"`
	MaxDrop   float64         `json:"max_drop"`  // percentage points
	Bootstrap stats.Bootstrap `json:"bootstrap"` // of the intervals
	Metrics   []Metric        `json:"metrics"`
}

// Failed reports whether a metric dropped by more than the limit.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Metrics, func(m Metric) bool { return m.Failed })
}

// Metric is the comparison by one metric. Its figures are of the questions that are
// judged on both sides; accuracies are 0 to 1.
type Metric struct {
	Name     string  `json:"name"`
	Unjudged int     `json:"unjudged"` // on one side or both; left out
	Failed   bool    `json:"failed"`   // a real drop above the limit
	Levels   []Level `json:"levels"`   // by hardness where any is judged, then all
	Turned   []Turn  `json:"turned"`   // in the order of the questions
}

// All returns the figures of all levels together.
func (m *Metric) All() *Level { return &m.Levels[len(m.Levels)-1] }

// Level holds the figures of the questions of one hardness, or of all.
type Level struct {
	Name    string         `json:"name"`
	Judged  int            `json:"judged"`
	A       stats.Estimate `json:"accuracy_a"`
	B       stats.Estimate `json:"accuracy_b"`
	Change  stats.Estimate `json:"change"` // B - A
	Broken  int            `json:"broken"` // right in A, wrong in B
	Fixed   int            `json:"fixed"`  // wrong in A, right in B
	McNemar stats.Number   `json:"mcnemar_p"`
	Real    bool           `json:"real"` // more than chance, see the package comment
}

// Turn is a record on which the two evaluations differ.
type Turn struct {
	Index    int    `json:"index"`
	DB       string `json:"db_id"`
	Hardness string `json:"hardness"`
	Broken   bool   `json:"broken"`           // else fixed
	Reason   string `json:"reason,omitempty"` // why the wrong one is wrong
}

// Compare compares two evaluations. It returns an error if they are of different questions, or if
// one of them lacks a metric of the other.
func Compare(a, b *Evaluation, o Options) (*Report, error) {
	if err := checkQuestions(a, b); err != nil {
		return nil, err
	}
	names := o.Metrics
	if len(names) == 0 {
		names = lists.Filter(a.Metrics, func(m string) bool { return slices.Contains(b.Metrics, m) })
		if len(names) == 0 {
			return nil, fmt.Errorf("%s has the metrics %v and %s has %v, expected one in common", a.File, a.Metrics, b.File, b.Metrics)
		}
	}
	for _, e := range []*Evaluation{a, b} {
		for _, name := range names {
			if !slices.Contains(e.Metrics, name) {
				return nil, fmt.Errorf("%s: has no metric %q, expected one of %v", e.File, name, e.Metrics)
			}
		}
	}
	r := &Report{A: a, B: b, Questions: len(a.Records), MaxDrop: o.MaxDrop, Bootstrap: o.Bootstrap.WithDefaults()}
	r.Metrics = lists.Map(names, r.metric)
	return r, nil
}

// checkQuestions returns an error unless two evaluations are of the same questions by the same rules.
func checkQuestions(a, b *Evaluation) error {
	if len(a.Records) != len(b.Records) {
		return fmt.Errorf("%s has %d records and %s %d, expected evaluations of the same questions", a.File, len(a.Records), b.File, len(b.Records))
	}
	if err := checkRules(a, b); err != nil {
		return err
	}
	for i := range a.Records {
		x, y := &a.Records[i], &b.Records[i]
		if x.Index != y.Index || x.DB != y.DB || x.Hardness != y.Hardness {
			return fmt.Errorf("%s has record %d on %s (%s) where %s has record %d on %s (%s), expected evaluations of the same questions",
				a.File, x.Index, x.DB, x.Hardness, b.File, y.Index, y.DB, y.Hardness)
		}
	}
	return nil
}

// checkRules returns an error unless two evaluations compared answers in the same way. The options --keep-distinct and
// --official-value do not change strict evaluations.
func checkRules(a, b *Evaluation) error {
	switch {
	case a.Strict != b.Strict:
		return errors.New("one evaluation is strict and the other is not, expected both by the same rules")
	case a.PlugValue != b.PlugValue:
		return errors.New("one evaluation plugs in the gold's constants (--plug-value) and the other does not, expected both by the same rules")
	case a.KeepDistinct != b.KeepDistinct && !a.Strict:
		return errors.New("one evaluation keeps DISTINCT (--keep-distinct) and the other does not, expected both by the same rules")
	case a.OfficialValue != b.OfficialValue && !a.Strict:
		return errors.New("one evaluation replaces \"value\" as officially (--official-value) and the other does not, expected both by the same rules")
	}
	return nil
}

// counts are the numbers of questions judged on both sides, of those right in A and in B, and of those whose
// verdict changed.
type counts struct{ judged, a, b, broken, fixed int }

// add adds d multiplied by times, which is 1 to sum up, or how often a draw of the bootstrap has the database of d.
func (c *counts) add(d counts, times int) {
	c.judged += times * d.judged
	c.a += times * d.a
	c.b += times * d.b
	c.broken += times * d.broken
	c.fixed += times * d.fixed
}

// metric compares the scores of one metric: for each level of hardness that has judged questions, and for all levels together,
// which come last under the name "all".
func (r *Report) metric(name string) Metric {
	m := Metric{Name: name, Turned: []Turn{}}
	byLevel := map[string]map[string]counts{} // by level, "" for all, and by database
	levels := slices.Clone(verdict.Levels())
	for i := range r.A.Records {
		rec := &r.A.Records[i]
		x, y := rec.Scores[name], r.B.Records[i].Scores[name]
		if !x.judged() || !y.judged() {
			m.Unjudged++
			continue
		}
		c := counts{judged: 1, a: x.Verdict.Points(), b: y.Verdict.Points()}
		c.broken, c.fixed = max(c.a-c.b, 0), max(c.b-c.a, 0)
		if c.a != c.b {
			m.Turned = append(m.Turned, Turn{rec.Index, rec.DB, rec.Hardness, c.broken == 1, x.Reason + y.Reason}) // only the wrong one has a reason
		}
		if !slices.Contains(levels, rec.Hardness) { // "-" where it is not known
			levels = append(levels, rec.Hardness)
		}
		for _, level := range []string{rec.Hardness, ""} {
			if byLevel[level] == nil {
				byLevel[level] = map[string]counts{}
			}
			sum := byLevel[level][rec.DB]
			sum.add(c, 1)
			byLevel[level][rec.DB] = sum
		}
	}
	for _, level := range append(levels, "") {
		if level != "" && byLevel[level] == nil { // nothing is judged on this level; "all" is always there
			continue
		}
		l := r.level(byLevel[level])
		if l.Name = level; level == "" {
			l.Name = "all"
		}
		m.Levels = append(m.Levels, l)
	}
	all := m.All()
	// Counts are compared, not shares, so that rounding does not put a drop of exactly the limit above it.
	m.Failed = all.Real && 100*float64(all.Broken-all.Fixed) > r.MaxDrop*float64(all.Judged)
	return m
}

// level returns the accuracies and the change on one level. byDB holds its counts by database, the clusters
// of the intervals.
func (r *Report) level(byDB map[string]counts) Level {
	cells := lists.Map(slices.Sorted(maps.Keys(byDB)), func(db string) counts { return byDB[db] })
	// share estimates a share of the judged questions; part is the counted number of them.
	share := func(part func(counts) int) stats.Estimate {
		return r.Bootstrap.Estimate(len(cells), func(times []int) float64 {
			var sum counts
			for i, c := range cells {
				sum.add(c, times[i])
			}
			return float64(stats.Share(part(sum), sum.judged))
		})
	}
	var sum counts
	for _, c := range cells {
		sum.add(c, 1)
	}
	l := Level{
		Judged: sum.judged, Broken: sum.broken, Fixed: sum.fixed, McNemar: stats.McNemar(sum.broken, sum.fixed),
		A: share(func(c counts) int { return c.a }), B: share(func(c counts) int { return c.b }),
		Change: share(func(c counts) int { return c.b - c.a }),
	}
	if sum.judged == 0 {
		l.McNemar = stats.Undefined()
	}
	// A change is real if McNemar's test finds it and the interval, if there are databases enough for one, excludes 0.
	includesZero := l.Change.Low.Defined() && l.Change.Low <= 0 && l.Change.High >= 0
	l.Real = sum.broken != sum.fixed && float64(l.McNemar) < 1-r.Bootstrap.Level && !includesZero
	return l
}
