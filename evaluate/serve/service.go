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
	"github.com/tabperturb/tabperturb/evaluate/extract"
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
	Connections int           // open at once; a further one closes the one that has been without a request for longest
	Memory      int64         // of the long requests in work, in bytes and roughly; further ones wait, and are refused when that takes long. Short ones have half as much beside it
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
	queue    queue
	calls    atomic.Int64   // of Judge, so far
	judging  sync.WaitGroup // for those calls
	memory   *semaphore.Weighted
	short    *semaphore.Weighted // memory for requests of at most [shortBody] bytes, so that long ones do not keep them waiting
	counts   *counts
}

// New makes a service. It must be closed.
func New(o Options) *Service {
	workers := max(o.Evaluate.Workers, 1)
	s := &Service{
		options: o, limits: o.Limits.orDefault(), metrics: map[Metric]evaluate.Metric{}, ids: slices.Sorted(maps.Keys(o.Evaluate.Databases)),
		newJudge: evaluate.Judges(o.Evaluate), queue: queue{places: workers}, counts: newCounts(),
	}
	// Short requests have memory of their own, half as much, so that long ones do not keep them waiting.
	s.memory, s.short = semaphore.NewWeighted(s.limits.Memory), semaphore.NewWeighted(s.limits.Memory/2)
	for _, m := range o.Evaluate.Metrics {
		s.metrics[Metric(m.Name)] = m
	}
	for range workers + 1 { // one more judge than places for slow requests, which thus never hold all judges
		s.queue.idle = append(s.queue.idle, s.newJudge())
	}
	return s
}

// Close closes the databases, once all that is judged is done.
func (s *Service) Close() {
	s.judging.Wait()
	for _, j := range s.queue.idle {
		j.Close()
	}
}

// Judge judges requests concurrently, and returns their answers in the order of the requests.
func (s *Service) Judge(ctx context.Context, requests []*Request) []*Answer {
	s.judging.Add(1)
	defer s.judging.Done()
	call := s.calls.Add(1) // the queue knows the newest call by its number
	answers := make([]*Answer, len(requests))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(s.workers(), len(requests)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(requests)); i = next.Add(1) - 1 {
				answers[i] = s.judge(ctx, requests[i], call)
			}
		})
	}
	wg.Wait()
	return answers
}

// workers returns how many requests of a list are judged at once.
func (s *Service) workers() int { return max(s.options.Evaluate.Workers, 1) }

// judge answers one request. It waits until a judge is free, or ctx ends; a request that is cut waits again, as a slow one. call is the
// number of the call of [Service.Judge].
func (s *Service) judge(ctx context.Context, r *Request, call int64) *Answer {
	metrics, err := s.check(r)
	if err != nil {
		return refusal(r.ID, err)
	}
	for slow := false; ; slow = true {
		t, err := s.queue.acquire(ctx, call, slow)
		if err != nil {
			return refusal(r.ID, fmt.Errorf("not judged: %w", err))
		}
		start := time.Now()
		if a, done := s.take(ctx, t, r, metrics); done { // else it was cut
			took := time.Since(start)
			a.ID, a.MS = r.ID, math.Round(took.Seconds()*1e6)/1e3
			s.counts.judged(a, took, metrics)
			return a
		}
	}
}

// take judges a request in a turn and releases the turn. done is false if the turn was cut, and a is then no answer.
func (s *Service) take(ctx context.Context, t *turn, r *Request, metrics []evaluate.Metric) (a *Answer, done bool) {
	cuttable, cut := context.WithCancel(ctx)
	defer cut()
	defer s.queue.watch(t, cut).Stop()
	a, sound := s.ask(cuttable, t.judge, r, metrics)
	// sound is false after a panic, which leaves a judge in no known state: another one takes its place.
	if !sound {
		go t.judge.Close() // which may wait for a query that still runs
		t.judge = s.newJudge()
	}
	return a, !s.queue.release(t)
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
	sql, _ := evaluate.ExtractSQL(r.Pred, r.DB)
	pair := &dataset.Pair{Example: &dataset.Example{DB: r.DB, Question: r.Question, Query: r.Gold}, Prediction: sql}
	record, err := j.Judge(limited, pair, metrics)
	switch {
	case err == nil:
		return answerOf(record, metrics), true
	case limited.Err() != nil && ctx.Err() == nil: // only the time for a verdict is over
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

// answerOf returns the answer for the scores of a record by some metrics. Metrics that could not judge stay null.
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

// verdict returns a pointer to the field of the answer for a metric.
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

// check returns the metrics to judge a request by, those that it names or all of the service, in the order of the service. It returns an
// error if the request cannot be judged.
func (s *Service) check(r *Request) ([]evaluate.Metric, error) {
	switch {
	case r.fault != nil:
		return nil, r.fault
	case s.options.Evaluate.Databases[r.DB] == nil: // the example is "" if the service has no database
		return nil, fmt.Errorf("db_id %q is unknown, expected one of the %d of tables.json, such as %q", dataset.Clip(r.DB), len(s.ids), slices.Concat(s.ids, []string{""})[0])
	case strings.TrimSpace(r.Gold) == "":
		return nil, fmt.Errorf("gold is empty, expected SQL")
	case max(len(r.Gold), len(extract.WithoutReasoning(r.Pred))) > s.limits.SQL:
		return nil, fmt.Errorf("gold has %d bytes and pred %d, expected at most %d, reasoning aside", len(r.Gold), len(r.Pred), s.limits.SQL)
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
