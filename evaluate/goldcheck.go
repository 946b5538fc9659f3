package evaluate

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
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

// Add judges the gold SQL of pairs, whose predictions do not matter, and counts it.
func (c *GoldCheck) Add(ctx context.Context, pairs dataset.Stream[*dataset.Pair], o Options) error {
	o.Skip = nil // what cannot be used is reported when predictions are judged
	itself := func(report func(error), each func(*dataset.Pair) error) error {
		return pairs(report, func(p *dataset.Pair) error {
			return each(&dataset.Pair{Example: p.Example, Prediction: p.Query})
		})
	}
	r := NewReport("", "", &o)
	if err := Run(ctx, itself, o, func(rec *Record) error { r.Add(rec); return nil }); err != nil {
		return err
	}
	c.Questions += r.Questions
	for i, m := range r.Metrics {
		if i == len(c.Metrics) {
			c.Metrics = append(c.Metrics, GoldMetric{Name: m.Name})
		}
		g := &c.Metrics[i]
		g.Right += m.Levels[len(m.Levels)-1].Right
		g.Wrong, g.NotJudged = added(g.Wrong, m.Wrong), added(g.NotJudged, m.NotJudged)
	}
	return nil
}

// added returns the sums of several lists of counts.
func added(lists ...[]Count) []Count {
	sum := map[string]int{}
	for _, list := range lists {
		for _, c := range list {
			sum[c.What] += c.Count
		}
	}
	return sorted(sum)
}

// Right reports whether every gold SQL is right by every metric.
func (c *GoldCheck) Right() bool {
	for _, m := range c.Metrics {
		if m.Right < c.Questions {
			return false
		}
	}
	return true
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
	var parts []string
	for _, m := range c.Metrics {
		part := fmt.Sprintf("%s %d of %d right", m.Name, m.Right, c.Questions)
		for _, list := range []struct {
			what   string
			counts []Count
		}{{"wrong", m.Wrong}, {"not judged", m.NotJudged}} {
			if len(list.counts) > 0 {
				part += fmt.Sprintf(", %s: %s", list.what, countsText(list.counts))
			}
		}
		parts = append(parts, part)
	}
	return "gold against itself: " + strings.Join(parts, "; ")
}
