package retriever

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
)

// pipeline reads, parses and consumes the tables of a corpus concurrently. The consumer gets
// the tables in the order of the corpus.
type pipeline struct {
	lim        Limits
	unfinished *batch              // the batch to which put adds
	batches    chan *batch         // in the order of the corpus
	workers    errgroup.Group      // parse a batch each
	room       *semaphore.Weighted // of pipelineBytes
	stopped    context.Context     // done when the consumer wants no more
	err        error               // of reading; set before batches is closed
}

// batch holds the tables that one worker parses.
type batch struct {
	items []pending
	size  int           // bytes read for the items
	done  chan struct{} // closed when all items are parsed
}

// The bounds of a batch. Large tables fill it by their bytes.
const (
	batchSize  = 32 // tables
	batchBytes = 1 << 20
)

// pipelineBytes bounds what was read and not consumed yet. A single batch may be larger.
const pipelineBytes = 16 << 20

// pending is a table before and after it is parsed, or an error in its place.
type pending struct {
	parse  func() (raw, error) // nil for an error of the reader
	size   int                 // bytes that parse reads
	source string              // for a table that states none
	file   string
	record int
	table  *Table // once it is parsed
	err    error
}

// stream returns a stream of the tables that read puts into the pipeline: read runs in its own goroutine, workers parse, and
// the caller's goroutine consumes. The stream returns the first error of the consumer, of lim.Context or of read.
func (lim Limits) stream(read func(*pipeline) error) dataset.Stream[*Table] {
	return func(report func(error), each func(*Table) error) (err error) {
		stopped, stop := context.WithCancel(lim.Context)
		defer stop()
		p := &pipeline{
			lim: lim, unfinished: &batch{}, batches: make(chan *batch, 2*lim.Workers),
			room: semaphore.NewWeighted(pipelineBytes), stopped: stopped,
		}
		p.workers.SetLimit(lim.Workers)
		go func() {
			defer close(p.batches)
			p.err = read(p)
			if p.err != errStop {
				p.flush() // the last batch, which is not full
			}
		}()
		for b := range p.batches {
			if err != nil {
				continue // drain the channel until the reader stops
			}
			<-b.done
			if err = b.deliver(lim.Context, report, each); err != nil {
				stop()
			}
			p.room.Release(b.weight())
		}
		return cmp.Or(err, lim.Context.Err(), p.err)
	}
}

// put adds a table or an error that was read. It returns errStop if the consumer wants no
// more.
func (p *pipeline) put(item pending) error {
	p.unfinished.items = append(p.unfinished.items, item)
	p.unfinished.size += item.size
	if len(p.unfinished.items) < batchSize && p.unfinished.size < batchBytes {
		return nil
	}
	return p.flush()
}

// flush hands the unfinished batch to a worker, once there is room for it, and begins another. It returns errStop
// if the consumer wants no more.
func (p *pipeline) flush() error {
	b := p.unfinished
	p.unfinished = &batch{}
	b.done = make(chan struct{})
	if p.room.Acquire(p.stopped, b.weight()) != nil {
		return errStop
	}
	select {
	case <-p.stopped.Done():
		return errStop
	case p.batches <- b:
	}
	p.workers.Go(func() error {
		defer close(b.done)
		for i := range b.items {
			b.items[i].clean(p.lim)
		}
		return nil
	})
	return nil
}

// weight returns the room that a batch takes.
func (b *batch) weight() int64 { return int64(min(b.size, pipelineBytes)) }

// clean parses and cleans the table, or sets p.err. It does nothing for an error of the reader.
func (p *pending) clean(lim Limits) {
	if p.parse == nil {
		return
	}
	r, err := p.parse()
	if err == nil {
		r.source = cmp.Or(r.source, p.source)
		p.table, err = r.cleaned(lim)
	}
	if err != nil {
		p.err = &TableError{File: p.file, Record: p.record, Err: err}
	}
}

// deliver passes the tables of a parsed batch to each and its errors to report, in the order of the corpus. It
// returns the first error of each or of ctx.
func (b *batch) deliver(ctx context.Context, report func(error), each func(*Table) error) error {
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

// bytes returns about how many bytes were read for a table.
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
