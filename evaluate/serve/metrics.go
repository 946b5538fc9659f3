package serve

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/tabperturb/tabperturb/evaluate"
)

// counts are what /metrics shows.
type counts struct {
	registry *prometheus.Registry
	verdicts *prometheus.CounterVec
	seconds  prometheus.Histogram
	requests *prometheus.CounterVec
	working  prometheus.Gauge
}

// newCounts returns the counters of a service, all 0.
func newCounts() *counts {
	c := &counts{
		registry: prometheus.NewRegistry(),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tabperturb_verdicts_total", Help: "Verdicts by metric: right, wrong or unjudged.",
		}, []string{"metric", "verdict"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tabperturb_verdict_seconds", Help: "Time of judging one prediction by all metrics.",
			Buckets: []float64{.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 5, 10, 60},
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tabperturb_requests_total", Help: "Requests for verdicts by the status of the answer; one may be a list.",
		}, []string{"code"}),
		working: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tabperturb_requests_in_work", Help: "Requests for verdicts that are read, judged or answered now.",
		}),
	}
	c.registry.MustRegister(c.verdicts, c.seconds, c.requests, c.working, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return c
}

// judged counts an answer: the time that judging took, and its verdict by each requested metric.
func (c *counts) judged(a *Answer, took time.Duration, metrics []evaluate.Metric) {
	c.seconds.Observe(took.Seconds())
	for _, m := range metrics {
		word := "unjudged"
		if right := *a.verdict(Metric(m.Name)); right != nil {
			word = map[bool]string{true: "right", false: "wrong"}[*right]
		}
		c.verdicts.WithLabelValues(m.Name, word).Inc()
	}
}
