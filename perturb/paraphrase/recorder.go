package paraphrase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tabperturb/tabperturb/perturb"
)

// Recorder stands before a paraphraser and keeps what it answers: a task that the
// file holds is answered from it, any other is asked once, however many ask for it
// at the same time, and is in the file before anyone sees its drafts. So the same
// task gives the same drafts in this run and in every later one, while the order of
// the lines is that in which the answers came.
//
// The file has one JSON object a line, written with one write. A line that was cut
// off, by a full disk or a kill, is taken off when the file is next opened, and its
// task is asked again. Failed tasks are not recorded. One process at a time writes to
// a file; within it a Recorder is safe for concurrent use.
type Recorder struct {
	inner perturb.Paraphraser
	by    string

	mu     sync.Mutex
	known  *contents
	asking map[key]chan struct{} // closed when the task is answered or has failed
	broken error                 // of the first write that failed
}

// NewRecorder opens the file at path, makes it where there is none, and goes on with
// it where there is. Lines that are no answered task are reported, and are left where
// they are; a file of something else is an error, and is not touched.
func NewRecorder(p perturb.Paraphraser, path string, report func(error)) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	known, err := read(f, report)
	if err == nil && len(known.rest) > 0 {
		err = os.Truncate(path, known.end)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Recorder{inner: p, by: p.Key(), known: known, asking: map[key]chan struct{}{}}, nil
}

// Key is that of the paraphraser that is asked.
func (r *Recorder) Key() string { return r.by }

// Drafts implements [perturb.Paraphraser].
func (r *Recorder) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	task := taskKey(t)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		drafts, wait, err := r.claim(task)
		switch {
		case err != nil, drafts != nil:
			return drafts, err
		case wait == nil:
			return r.ask(ctx, task, t)
		}
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}

// claim returns the drafts that the file holds, or what to wait for while another
// asks for them. Where both are nil the caller is to ask.
func (r *Recorder) claim(task key) (drafts []perturb.Draft, wait <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return nil, nil, r.broken
	}
	if p, ok := r.known.find(task, r.by); ok {
		drafts, err = r.known.drafts(task, p)
		return drafts, nil, err
	}
	if other, ok := r.asking[task]; ok {
		return nil, other, nil
	}
	r.asking[task] = make(chan struct{})
	return nil, nil, nil
}

// ask asks for the drafts of a claimed task and records them.
func (r *Recorder) ask(ctx context.Context, task key, t perturb.Task) ([]perturb.Draft, error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		close(r.asking[task])
		delete(r.asking, task)
	}()
	drafts, err := r.inner.Drafts(ctx, t)
	if err != nil {
		return nil, err
	}
	rec := record{By: r.by, Category: t.Category, DB: t.DB.ID, Example: t.Example.Index, Question: t.Example.Question, Query: t.Example.Query}
	rec.Drafts = []draft{}
	for _, d := range drafts {
		rec.Drafts = append(rec.Drafts, draft{d.Question, d.Source, d.Note})
	}
	text, err := encode(&rec)
	if err != nil {
		return nil, fmt.Errorf("the drafts of %s:%d cannot be recorded: %w", rec.DB, rec.Example, err)
	}
	if err := r.write(&rec, text); err != nil {
		return nil, err
	}
	drafts, _, err = r.claim(task) // as they will be read later
	return drafts, err
}

// write appends a record. After a write that failed the end of the file is not
// known any more, and nothing else is written.
func (r *Recorder) write(rec *record, text []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return r.broken
	}
	_, err := r.known.file.Write(text)
	var end int64
	if err == nil {
		end, err = r.known.file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		r.broken = fmt.Errorf("drafts cannot be recorded: %w", err)
		return r.broken
	}
	r.known.add(rec, end-int64(len(text)), len(text))
	return nil
}

// Close closes the file. The error is also that of the first write that failed.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.broken, r.known.file.Close())
}
