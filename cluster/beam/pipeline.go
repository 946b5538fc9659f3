package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tabperturb/tabperturb/cluster"
)

// init registers the functions of the pipeline by their types, as workers find them by name.
func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&shareFn{})
	register.DoFn3x1[context.Context, []byte, func(*int) bool, error](&mergeFn{})
	register.Emitter1[int]()
	register.Iter1[int]()
}

// pipeline makes the pipeline of a job: a collection of shares, each done by itself, and the
// merge once all are done.
func pipeline(job cluster.Job) (*beam.Pipeline, error) {
	out, err := job.Out()
	if err != nil {
		return nil, err
	}
	if err := reachable(append([]string{out}, job.Args...)); err != nil {
		return nil, err
	}
	numbers := make([]int, job.Shares)
	for i := range numbers {
		numbers[i] = i + 1
	}
	p, s := beam.NewPipelineWithRoot()
	// Without the reshuffle a runner may fuse the shares with their list, and do all on one worker.
	todo := beam.Reshuffle(s, beam.CreateList(s, numbers))
	done := beam.ParDo(s.Scope("shares"), &shareFn{job}, todo)
	beam.ParDo0(s.Scope("merge"), &mergeFn{job}, beam.Impulse(s), beam.SideInput{Input: done})
	return p, nil
}

// shareFn does a share.
type shareFn struct{ Job cluster.Job }

// ProcessElement does share i and passes it on. What it returned an error for, the runner does
// again; so a share may be begun twice, and its part is then kept or made anew.
func (f *shareFn) ProcessElement(ctx context.Context, i int, emit func(int)) error {
	err := local(ctx, f.Job, func(p *places) error {
		work := func() error { return logged(ctx, func(b *bytes.Buffer) error { return p.job.Do(ctx, i, b) }) }
		if p.bucket == nil {
			return work()
		}
		return p.do(ctx, i, work)
	})
	if err != nil {
		return err
	}
	emit(i)
	return nil
}

// mergeFn merges the parts.
type mergeFn struct{ Job cluster.Job }

// ProcessElement merges the parts of the shares with these numbers.
func (f *mergeFn) ProcessElement(ctx context.Context, _ []byte, done func(*int) bool) error {
	seen := map[int]bool{}
	for i := 0; done(&i); {
		seen[i] = true
	}
	if len(seen) != f.Job.Shares {
		return fmt.Errorf("%d shares are done, expected all %d", len(seen), f.Job.Shares)
	}
	return local(ctx, f.Job, func(p *places) error {
		work := func() error { return logged(ctx, func(b *bytes.Buffer) error { return p.job.Merge(ctx, b) }) }
		if p.bucket == nil {
			return work()
		}
		return p.merge(ctx, work)
	})
}

// logged hands what work prints to the runner's log.
func logged(ctx context.Context, work func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	err := work(&b)
	for line := range bytes.Lines(b.Bytes()) {
		log.Info(ctx, string(bytes.TrimRight(line, "\n")))
	}
	return err
}
