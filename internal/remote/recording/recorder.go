package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Recorder keeps answers in a file: a task that the file holds is answered from it, any
// other is asked once, however many ask for it at the same time, and is in the file
// before anyone sees its answer. So the same task has the same answer in this run and in
// every later one, while the order of the lines is that in which the answers came.
//
// The file has one JSON object a line, written with one write. A line that was cut
// off, by a full disk or a kill, is taken off when the file is next opened, and its
// task is asked again. Failed tasks are not recorded. One process at a time writes to
// a file, which is locked; within it a Recorder is safe for concurrent use.
type Recorder[R any] struct {
	mu     sync.Mutex
	known  *contents[R]
	asking map[Key]chan struct{} // closed when the task is answered or has failed
	broken error                 // of the first write that failed
	lock   *outdir.Lock
}

// NewRecorder opens the file at path, makes it if there is none, and goes on with
// it if there is. Lines that are no answered task are reported, and are left where
// they are, but a last line without an end, which an interrupted run left, is cut off: the next answer
// would be appended to it. A file of something else is an error, and is not touched.
func NewRecorder[R any](form Form[R], path string, report func(error)) (_ *Recorder[R], err error) {
	lock, err := outdir.TryLock(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	known, err := read(form, f, report)
	if err == nil && len(known.rest) > 0 {
		err = os.Truncate(path, known.end)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Recorder[R]{known: known, asking: map[Key]chan struct{}{}, lock: lock}, nil
}

// ForgetEmpty makes tasks with an empty answer be asked once more. It returns the number of answers in the
// file, which grows with each run that asks again.
func (r *Recorder[R]) ForgetEmpty() (answers int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.forgetEmpty()
	return r.known.valid
}

// Get returns the recorded answer to a task. Where there is none, it calls ask and records the answer; it
// waits if another goroutine has called ask for the task.
func (r *Recorder[R]) Get(ctx context.Context, task Key, ask func(context.Context) (*R, error)) (*R, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		record, wait, err := r.claim(task)
		switch {
		case err != nil, record != nil:
			return record, err
		case wait == nil:
			return r.ask(ctx, task, ask)
		}
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}

// claim returns the answer that the file holds, or a channel that is closed once another goroutine that asks has
// succeeded or failed. If both are nil, the task is the caller's, who must ask.
func (r *Recorder[R]) claim(task Key) (record *R, wait <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return nil, nil, r.broken
	}
	if record, err = r.known.record(task); record != nil || err != nil {
		return record, nil, err
	}
	if other, ok := r.asking[task]; ok {
		return nil, other, nil
	}
	r.asking[task] = make(chan struct{})
	return nil, nil, nil
}

// ask calls ask for the answer to a claimed task, records the answer and returns it. It ends the claim.
func (r *Recorder[R]) ask(ctx context.Context, task Key, ask func(context.Context) (*R, error)) (*R, error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		close(r.asking[task])
		delete(r.asking, task)
	}()
	record, err := ask(ctx)
	if err != nil {
		return nil, err
	}
	text, err := r.known.encode(record)
	if err != nil {
		return nil, fmt.Errorf("%s: an answer cannot be recorded: %w", r.known.file.Name(), err)
	}
	if err := r.write(record, text); err != nil {
		return nil, err
	}
	record, _, err = r.claim(task) // reads it back from the file, as later calls get it
	return record, err
}

// write appends the line text of a record and indexes it. After a write that failed
// the end of the file is unknown, so every later call returns that error.
func (r *Recorder[R]) write(record *R, text []byte) error {
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
		r.broken = fmt.Errorf("%s: an answer cannot be recorded: %w", r.known.file.Name(), err)
		return r.broken
	}
	r.known.add(record, end-int64(len(text)), text)
	r.known.valid++
	return nil
}

// Close closes the file. The error is also that of the first write that failed.
func (r *Recorder[R]) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.broken, r.known.file.Close(), r.lock.Close())
}
