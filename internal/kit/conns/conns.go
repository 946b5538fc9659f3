// Package conns bounds the open connections of an HTTP server, so that idle ones keep nobody out.
package conns

import (
	"context"
	"net"
	"slices"
	"sync"
)

// Listener is a listener with a bound of open connections. A connection too many closes the one that has been without
// a request for longest; if all have requests in work, it waits.
type Listener struct {
	net.Listener
	limit int
	mu    sync.Mutex
	freed *sync.Cond
	open  []*conn // the one that has been idle for longest first
}

// conn is a connection of a Listener.
type conn struct {
	net.Conn
	listener *Listener
	busy     bool
}

// connKey is the key of a connection in the context of its requests.
type connKey struct{}

// Limit returns a listener with at most limit open connections. The server has [InContext] as its ConnContext.
func Limit(l net.Listener, limit int) *Listener {
	limited := &Listener{Listener: l, limit: limit}
	limited.freed = sync.NewCond(&limited.mu)
	return limited
}

// Accept waits for the next connection and makes room for it: at the limit it closes the open connection that has been idle
// for longest, or waits until one is idle or closed.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= l.limit {
		i := slices.IndexFunc(l.open, func(c *conn) bool { return !c.busy }) // the one that has been idle for longest
		if i < 0 {
			l.freed.Wait()
			continue
		}
		l.open[i].Conn.Close()
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.open = append(l.open, c)
	return c, nil
}

// Close closes a connection, which makes room for another.
func (c *conn) Close() error {
	c.listener.update(c, func() {})
	return c.Conn.Close()
}

// update takes a connection off the list of open ones and calls change, which may put it back. A connection that [Listener.Accept] closed
// is not on the list and stays off. In either case update wakes an Accept that waits.
func (l *Listener) update(c *conn, change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.open, c); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
		change()
	}
	l.freed.Signal()
}

// InContext returns a context that has the connection, for [Busy] and [Idle].
func InContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// Busy keeps the connection of a request open, however many others come.
func Busy(ctx context.Context) { set(ctx, true) }

// Idle marks the connection of an answered request: it may be closed for another.
func Idle(ctx context.Context) { set(ctx, false) }

// set stores whether the connection of a context is busy, and moves it to the end of the open ones: it has been idle for the shortest time.
func set(ctx context.Context, busy bool) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.listener.update(c, func() {
			c.busy = busy
			c.listener.open = append(c.listener.open, c)
		})
	}
}
