package evaluate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// GoldCheck is the result of judging gold SQL as its own prediction, by each metric. A metric by
// which a gold is not right cannot judge its predictions well.
type GoldCheck struct {
	Questions int          `json:"questions"`
	Metrics   []GoldMetric `json:"metrics"`
}

// GoldMetric is the result for one metric.
type GoldMetric struct {
	Name      string  `json:"name"`
	Right     int     `json:"right"`
	Wrong     []Count `json:"wrong,omitempty"`      // by reason
	NotJudged []Count `json:"not_judged,omitempty"` // by reason
}

// Add judges the gold SQL of pairs as its own prediction and counts the verdicts. It ignores the predictions
// of the pairs.
func (c *GoldCheck) Add(ctx context.Context, pairs dataset.Stream[*dataset.Pair], o Options) error {
	o.Skip = nil // what cannot be used is reported when predictions are judged
	goldAsPrediction := func(report func(error), each func(*dataset.Pair) error) error {
		return pairs(report, func(p *dataset.Pair) error {
			return each(&dataset.Pair{Example: p.Example, Prediction: p.Query})
		})
	}
	r := NewReport("", "", &o)
	if err := Run(ctx, goldAsPrediction, o, func(rec *Record) error { r.Add(rec); return nil }); err != nil {
		return err
	}
	c.Questions += r.Questions
	for i, m := range r.Metrics {
		if i == len(c.Metrics) { // at the first call
			c.Metrics = append(c.Metrics, GoldMetric{Name: m.Name})
		}
		g := &c.Metrics[i]
		g.Right += m.Levels[len(m.Levels)-1].Right
		g.Wrong, g.NotJudged = sumCounts(g.Wrong, m.Wrong), sumCounts(g.NotJudged, m.NotJudged)
	}
	return nil
}

// sumCounts returns a list of counts with the sums of several lists.
func sumCounts(lists ...[]Count) []Count {
	sum := map[string]int{}
	for _, list := range lists {
		for _, c := range list {
			sum[c.What] += c.Count
		}
	}
	return sortedCounts(sum)
}

// Right reports whether every gold SQL is right by every metric.
func (c *GoldCheck) Right() bool {
	return !slices.ContainsFunc(c.Metrics, func(m GoldMetric) bool { return m.Right < c.Questions })
}

// WriteText prints a line unless every gold SQL is right.
func (c *GoldCheck) WriteText(w io.Writer) error {
	if c == nil || c.Right() {
		return nil
	}
	_, err := fmt.Fprintln(w, c)
	return err
}

// String returns a line with the verdicts of all metrics.
func (c *GoldCheck) String() string {
	parts := lists.Map(c.Metrics, func(m GoldMetric) string {
		text := fmt.Sprintf("%s %d of %d right", m.Name, m.Right, c.Questions)
		if len(m.Wrong) > 0 {
			text += ", wrong: " + countsText(m.Wrong)
		}
		if len(m.NotJudged) > 0 {
			text += ", not judged: " + countsText(m.NotJudged)
		}
		return text
	})
	return "gold against itself: " + strings.Join(parts, "; ")
}
