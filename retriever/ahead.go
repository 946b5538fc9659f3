package retriever

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
)

// ahead lets a corpus be read, its tables be parsed and cleaned, and what becomes of them
// be done at the same time. What was read comes out in its order.
type ahead struct {
	lim     Limits
	filling *batch
	batches chan *batch         // in order; as many wait as it holds
	parsing errgroup.Group      // as many batches as there are workers
	room    *semaphore.Weighted // of aheadBytes
	stopped context.Context     // once the consumer wants no more
	err     error               // of reading; once batches is closed
}

// batch is as much as is parsed at a time.
type batch struct {
	items []pending
	size  int           // of what was read, in bytes
	done  chan struct{} // closed once all are parsed
}

// A batch has at most so many tables, or about so many bytes where they are large.
const (
	batchSize  = 32
	batchBytes = 1 << 20
)

// aheadBytes bounds what is read and not handed on yet; one batch may be larger.
const aheadBytes = 16 << 20

// pending is a table in the making, or what is reported in its place.
type pending struct {
	parse  func() (raw, error)
	size   int    // of what parse reads, in bytes
	source string // where the table states none
	file   string
	record int
	table  *Table
	err    error
}

// stream makes a stream of what read puts.
func (lim Limits) stream(read func(*ahead) error) dataset.Stream[*Table] {
	return func(report func(error), each func(*Table) error) (err error) {
		stopped, stop := context.WithCancel(lim.Context)
		defer stop()
		a := &ahead{
			lim: lim, filling: &batch{}, batches: make(chan *batch, 2*lim.Workers),
			room: semaphore.NewWeighted(aheadBytes), stopped: stopped,
		}
		a.parsing.SetLimit(lim.Workers)
		go func() {
			defer close(a.batches)
			a.err = read(a)
			if a.err != errStop {
				a.flush()
			}
		}()
		for b := range a.batches {
			if err != nil {
				continue // until the reader has heard of it
			}
			<-b.done
			if err = b.hand(lim.Context, report, each); err != nil {
				stop()
			}
			a.room.Release(b.weight())
		}
		return cmp.Or(err, lim.Context.Err(), a.err)
	}
}

// put adds what was read. It fails with errStop where the consumer wants no more.
func (a *ahead) put(p pending) error {
	a.filling.items = append(a.filling.items, p)
	a.filling.size += p.size
	if len(a.filling.items) < batchSize && a.filling.size < batchBytes {
		return nil
	}
	return a.flush()
}

func (a *ahead) flush() error {
	b := a.filling
	a.filling = &batch{}
	b.done = make(chan struct{})
	if a.room.Acquire(a.stopped, b.weight()) != nil || a.stopped.Err() != nil {
		return errStop
	}
	select {
	case <-a.stopped.Done():
		return errStop
	case a.batches <- b:
	}
	a.parsing.Go(func() error {
		defer close(b.done)
		for i := range b.items {
			b.items[i].clean(a.lim)
		}
		return nil
	})
	return nil
}

// weight is the room that a batch takes.
func (b *batch) weight() int64 { return int64(min(b.size, aheadBytes)) }

// clean makes the table.
func (p *pending) clean(lim Limits) {
	if p.parse == nil {
		return
	}
	r, err := p.parse()
	if err == nil {
		if r.source == "" {
			r.source = p.source
		}
		p.table, err = r.table(lim)
	}
	if err != nil {
		p.err = &TableError{File: p.file, Record: p.record, Err: err}
	}
}

// hand hands on the tables of a batch, and reports why others are none.
func (b *batch) hand(ctx context.Context, report func(error), each func(*Table) error) error {
	for _, p := range b.items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.err != nil {
			report(p.err)
		} else if err := each(p.table); err != nil {
			return err
		}
	}
	return nil
}

// bytes is the size of a table that was read, about.
func (r *raw) bytes() int {
	n := len(r.caption)
	for _, name := range r.header {
		n += len(name)
	}
	for _, row := range r.rows {
		for _, cell := range row {
			n += len(cell)
		}
	}
	return n
}
