package sqlite

import (
	"context"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// runner runs the queries of a connection on a goroutine of its own, so that a query that ignores an
// interrupt can be abandoned. After tasks is closed, it completes the query that runs and closes the
// connection.
type runner struct {
	conn    *conn
	tasks   chan *task
	stopped chan struct{} // closed once the connection is
}

// task is a query and, once done is closed, its answer.
type task struct {
	ctx    context.Context
	sql    string
	limits sqldata.Limits

	done chan struct{}
	res  *sqldata.Result
	err  error
}

// newRunner starts the goroutine that runs the queries of a connection.
func newRunner(c *conn) *runner {
	r := &runner{conn: c, tasks: make(chan *task), stopped: make(chan struct{})}
	go func() {
		defer close(r.stopped)
		defer c.close()
		for t := range r.tasks {
			t.res, t.err = c.query(t.ctx, t.sql, t.limits)
			close(t.done)
		}
	}()
	return r
}

// patience is how long an interrupted query may take to stop.
const patience = 250 * time.Millisecond

// interrupt interrupts the query that runs, and reports whether done was closed within patience.
func (r *runner) interrupt(done <-chan struct{}) bool {
	// An interrupt that comes just before a step is lost, so it is repeated.
	const interval = 5 * time.Millisecond
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for range patience / interval {
		r.conn.interrupt()
		select {
		case <-done:
			return true
		case <-ticker.C:
		}
	}
	return false
}
