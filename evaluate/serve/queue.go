package serve

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tabperturb/tabperturb/evaluate"
)

// slice is how long a request runs before it counts as slow: longer than almost any verdict takes.
const slice = 100 * time.Millisecond

// queue lends the judges. There is one judge more than places for slow requests, so that a quick request waits for a slice or two,
// however many slow ones are in the queue. Nobody knows beforehand which request is quick: one that has run for a slice takes a place
// for slow requests; if all are taken, it is cut and runs again later.
type queue struct {
	mu     sync.Mutex
	idle   []*evaluate.Judge
	places int       // free for slow requests
	fresh  []*waiter // in the order of arrival
	slow   []*waiter // those that were cut
	newest bool      // the last fresh one was of the newest call
}

// waiter waits for a judge.
type waiter struct {
	call int64      // the number of the call of [Service.Judge], which grows
	turn chan *turn // has room for one
}

// turn is the use of a judge for one request. Its fields are guarded by the queue.
type turn struct {
	judge            *evaluate.Judge
	slow, cut, ended bool
}

// acquire waits until the queue lends a judge or ctx ends. slow is true for a request that was cut before. The caller must release the
// turn.
func (q *queue) acquire(ctx context.Context, call int64, slow bool) (*turn, error) {
	w := &waiter{call, make(chan *turn, 1)}
	q.mu.Lock()
	if slow {
		q.slow = append(q.slow, w)
	} else {
		q.fresh = append(q.fresh, w)
	}
	q.lend()
	q.mu.Unlock()
	select {
	case t := <-w.turn:
		return t, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	isThis := func(other *waiter) bool { return other == w }
	q.fresh, q.slow = slices.DeleteFunc(q.fresh, isThis), slices.DeleteFunc(q.slow, isThis)
	q.mu.Unlock()
	select {
	case t := <-w.turn: // lent just when ctx ended
		q.release(t)
	default:
	}
	return nil, ctx.Err()
}

// lend gives idle judges to waiting requests, as long as there are both. Slow requests come first, but only while a place for them is
// free. The caller holds the lock.
func (q *queue) lend() {
	for len(q.idle) > 0 {
		t := &turn{judge: q.idle[len(q.idle)-1]}
		switch {
		case q.places > 0 && len(q.slow) > 0:
			q.places--
			t.slow = true
			q.slow[0].turn <- t
			q.slow = q.slow[1:]
		case len(q.fresh) > 0:
			i := q.next()
			q.fresh[i].turn <- t
			q.fresh = slices.Delete(q.fresh, i, i+1)
		default:
			return
		}
		q.idle = q.idle[:len(q.idle)-1]
	}
}

// next returns the index of the fresh request that runs next: by turns the oldest, so that none starves, and one of the
// newest call, so that a flood before it does not hold it up.
func (q *queue) next() (at int) {
	q.newest = !q.newest
	for i, w := range q.fresh {
		if q.newest && w.call > q.fresh[at].call {
			at = i
		}
	}
	return at
}

// watch looks at a turn when it has lasted for a slice: it makes the request a slow one or, if no place for one is free, calls cut. The
// caller stops the timer.
func (q *queue) watch(t *turn, cut func()) *time.Timer {
	return time.AfterFunc(slice, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		switch {
		case t.slow, t.ended: // nothing to decide
		case q.places > 0:
			q.places--
			t.slow = true
		default:
			t.cut = true
			cut()
		}
	})
}

// release ends a turn and reports whether it was cut. The next waiting request gets the judge.
func (q *queue) release(t *turn) (cut bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.ended = true
	if t.slow {
		q.places++
	}
	q.idle = append(q.idle, t.judge)
	q.lend()
	return t.cut
}
