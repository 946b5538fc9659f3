package consistency

import (
	"context"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// entry is a pair that waits until all pairs before it have an outcome.
type entry struct {
	pair       *Pair
	comparison *comparison
	outcome    *Outcome // nil until it is known
}

// Run compares the outputs of pairs by the only metric of o, and calls each with the outcomes in
// the order of the pairs. o also gives the databases after the edits. The metric gets the output
// before, rewritten for the schema after, as gold, and the output after as prediction. Memory is
// bounded by the number of workers, except for pairs that need no metric. An error of pairs or of
// each ends the run.
func Run(ctx context.Context, pairs dataset.Stream[*Pair], o evaluate.Options, each func(*Pair, Outcome) error) error {
	var mu sync.Mutex
	var queue []*entry
	names := o.Metrics[0].Name == "exact" // other metrics compare answers
	compared := func(report func(error), each func(*dataset.Pair) error) error {
		return pairs(report, func(p *Pair) error {
			e := &entry{pair: p}
			if e.comparison, e.outcome = p.compare(names); e.outcome == nil && o.Databases[p.After.db.ID] == nil {
				e.outcome = unjudged(NoSchema)
			}
			mu.Lock()
			queue = append(queue, e)
			mu.Unlock()
			if e.outcome != nil {
				return nil
			}
			return each(e.asPair())
		})
	}
	// flush passes the entries at the head of the queue that have an outcome to each.
	flush := func() error {
		for {
			mu.Lock()
			if len(queue) == 0 || queue[0].outcome == nil {
				mu.Unlock()
				return nil
			}
			e := queue[0]
			queue[0], queue = nil, queue[1:]
			mu.Unlock()
			if err := each(e.pair, *e.outcome); err != nil {
				return err
			}
		}
	}
	err := evaluate.Run(ctx, compared, o, func(r *evaluate.Record) error {
		if err := flush(); err != nil { // leaves the entry of r at the head
			return err
		}
		mu.Lock()
		e := queue[0]
		mu.Unlock()
		e.outcome = e.comparison.outcome(&r.Scores[0])
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// asPair returns the comparison as a pair for a metric: the output before, rewritten, is the gold, and the output after the
// prediction.
func (e *entry) asPair() *dataset.Pair {
	return &dataset.Pair{
		Example:    &dataset.Example{Index: e.pair.Index, DB: e.comparison.post.side.db.ID, Query: upperValue(e.comparison.rewritten)},
		Prediction: upperValue(e.comparison.post.text),
	}
}

// outcome returns the outcome of a comparison for a metric's score.
func (q *comparison) outcome(s *evaluate.Score) *Outcome {
	switch {
	case s.Verdict == verdict.Wrong:
		return &Outcome{Verdict: verdict.Wrong, Difference: q.difference()}
	case s.Verdict == verdict.Right:
		return &Outcome{Verdict: verdict.Right}
	case s.Reason == string(execution.GoldFails): // the gold is the output before
		return unjudged(FailsPre)
	}
	return unjudged(s.Reason)
}

// upperValue returns SQL with "VALUE" for "value", which the official comparison would replace by
// 1 in the prediction only.
func upperValue(sql string) string { return strings.ReplaceAll(sql, "value", "VALUE") }
