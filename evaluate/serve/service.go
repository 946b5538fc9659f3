package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// Options say what a [Service] judges by.
type Options struct {
	Evaluate evaluate.Options // schemas, content, suite, options and workers; its metrics are the default of a request
	Limits   Limits
	Token    string      // required from clients; "" for none
	Report   func(error) // called for errors of the service itself
}

// Limits bound requests. A field that is zero has the value of [DefaultLimits]. What one
// query may take is among the options of evaluate.
type Limits struct {
	Body        int64         // bytes of a request, or of a line
	Batch       int           // requests in a list
	SQL         int           // bytes of a gold or a prediction
	Verdict     time.Duration // for judging one prediction by all metrics
	Request     time.Duration // for answering a list
	Read        time.Duration // for sending a request
	Connections int           // open at once; further ones wait
	Memory      int64         // of the requests in work, in bytes and roughly; further ones wait, and are refused when that takes long
}

// DefaultLimits suit a reward function that asks by thousands.
var DefaultLimits = Limits{
	Body: 4 << 20, Batch: 1024, SQL: 64 << 10, Verdict: time.Minute, Request: 10 * time.Minute, Read: 30 * time.Second,
	Connections: 1024, Memory: 512 << 20,
}

// orDefault returns the limits with [DefaultLimits] for those that are 0.
func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{
		cmp.Or(l.Body, d.Body), cmp.Or(l.Batch, d.Batch), cmp.Or(l.SQL, d.SQL), cmp.Or(l.Verdict, d.Verdict), cmp.Or(l.Request, d.Request),
		cmp.Or(l.Read, d.Read), cmp.Or(l.Connections, d.Connections), cmp.Or(l.Memory, d.Memory),
	}
}

// Service judges predictions as they come. It is safe for concurrent use.
type Service struct {
	options  Options
	limits   Limits
	metrics  map[Metric]evaluate.Metric // by name
	ids      []string                   // of the databases, sorted
	newJudge func() *evaluate.Judge
	judges   chan *evaluate.Judge // those that are idle
	memory   *semaphore.Weighted
	counts   *counts
}

// New makes a service. It must be closed.
func New(o Options) *Service {
	workers := max(o.Evaluate.Workers, 1)
	s := &Service{
		options: o, limits: o.Limits.orDefault(), metrics: map[Metric]evaluate.Metric{}, ids: slices.Sorted(maps.Keys(o.Evaluate.Databases)),
		newJudge: evaluate.Judges(o.Evaluate), judges: make(chan *evaluate.Judge, workers), counts: newCounts(),
	}
	s.memory = semaphore.NewWeighted(s.limits.Memory)
	for _, m := range o.Evaluate.Metrics {
		s.metrics[Metric(m.Name)] = m
	}
	for range workers {
		s.judges <- s.newJudge()
	}
	return s
}

// Close closes the databases, once all that is judged is done.
func (s *Service) Close() {
	for range cap(s.judges) {
		(<-s.judges).Close()
	}
}

// Judge answers the requests, in their order.
func (s *Service) Judge(ctx context.Context, requests []*Request) []*Answer {
	answers := make([]*Answer, len(requests))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(cap(s.judges), len(requests)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(requests)); i = next.Add(1) - 1 {
				answers[i] = s.judge(ctx, requests[i])
			}
		})
	}
	wg.Wait()
	return answers
}

// judge answers one request. It waits until a judge is free, or ctx ends.
func (s *Service) judge(ctx context.Context, r *Request) *Answer {
	metrics, err := s.check(r)
	if err != nil {
		return refusal(r.ID, err)
	}
	select {
	case j := <-s.judges:
		// A fault leaves a judge in no known state: another one takes its place.
		defer func() { s.judges <- j }()
		start := time.Now()
		a, sound := s.ask(ctx, j, r, metrics)
		if !sound {
			go j.Close() // which may wait for a query that still runs
			j = s.newJudge()
		}
		took := time.Since(start)
		a.ID, a.MS = r.ID, math.Round(took.Seconds()*1e6)/1e3
		s.counts.judged(a, took, metrics)
		return a
	case <-ctx.Done():
		return refusal(r.ID, fmt.Errorf("not judged: %w", ctx.Err()))
	}
}

// ask judges a request by a judge. sound is false if the judge panicked, which is a fault of this program.
func (s *Service) ask(ctx context.Context, j *evaluate.Judge, r *Request, metrics []evaluate.Metric) (a *Answer, sound bool) {
	defer func() {
		if fault := recover(); fault != nil {
			s.report(fmt.Errorf("judging on %s failed: %v\n%s", r.DB, fault, debug.Stack()))
			a, sound = &Answer{Reason: "not judged, by a fault of the service"}, false
		}
	}()
	limited, cancel := context.WithTimeout(ctx, s.limits.Verdict)
	defer cancel()
	pair := &dataset.Pair{Example: &dataset.Example{DB: r.DB, Question: r.Question, Query: r.Gold}, Prediction: r.Pred}
	record, err := j.Judge(limited, pair, metrics)
	switch {
	case err == nil:
		return answerOf(record, metrics), true
	case limited.Err() != nil && ctx.Err() == nil:
		return &Answer{Reason: fmt.Sprintf("not judged within %v", s.limits.Verdict)}, true
	}
	return &Answer{Reason: "not judged: " + err.Error()}, true
}

// report passes an error of the service itself to the options, if they want it.
func (s *Service) report(err error) {
	if s.options.Report != nil {
		s.options.Report(err)
	}
}

// answerOf returns the answer for a record.
func answerOf(r *evaluate.Record, metrics []evaluate.Metric) *Answer {
	a := &Answer{Reason: r.Reason(metrics)}
	for i, m := range metrics {
		v := r.Scores[i].Verdict
		if v == verdict.Unjudged {
			continue
		}
		right := v == verdict.Right
		*a.verdict(Metric(m.Name)) = &right
	}
	return a
}

// verdict returns the field of the answer for a metric.
func (a *Answer) verdict(m Metric) **bool {
	switch m {
	case Exact:
		return &a.Exact
	case Exec:
		return &a.Exec
	}
	return &a.Suite
}

// refusal returns the answer to a request that is not judged.
func refusal(id ID, err error) *Answer { return &Answer{ID: id, Reason: err.Error()} }

// check returns the metrics for a request, or an error in it.
func (s *Service) check(r *Request) ([]evaluate.Metric, error) {
	switch {
	case s.options.Evaluate.Databases[r.DB] == nil:
		return nil, fmt.Errorf("db_id %q is unknown, expected one of the %d of tables.json, such as %q", dataset.Clip(r.DB), len(s.ids), slices.Concat(s.ids, []string{""})[0])
	case strings.TrimSpace(r.Gold) == "":
		return nil, fmt.Errorf("gold is empty, expected SQL")
	case max(len(r.Gold), len(r.Pred)) > s.limits.SQL:
		return nil, fmt.Errorf("gold has %d bytes and pred %d, expected at most %d", len(r.Gold), len(r.Pred), s.limits.SQL)
	case len(r.Metrics) == 0:
		return s.options.Evaluate.Metrics, nil
	}
	for _, m := range r.Metrics {
		if _, ok := s.metrics[m]; ok {
			continue
		}
		if m == Suite {
			return nil, fmt.Errorf("metric %q: the service has no test suite, expected it to be started with one", m)
		}
		return nil, fmt.Errorf("metric %q is unknown, expected some of exact, exec, suite", dataset.Clip(string(m)))
	}
	var metrics []evaluate.Metric
	for _, m := range s.options.Evaluate.Metrics { // in its order, each once
		if slices.Contains(r.Metrics, Metric(m.Name)) {
			metrics = append(metrics, m)
		}
	}
	return metrics, nil
}
