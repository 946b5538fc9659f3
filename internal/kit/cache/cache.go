// Package cache keeps computed values by text, within bounds.
package cache

import (
	"strings"
	"sync"
)

// Key is a text, with the text before it where that matters.
type Key struct{ Before, Text string }

// Cache keeps what was computed for a key, within bounds: when full it starts
// afresh. The zero value is ready; it is safe for concurrent use.
type Cache[V any] struct {
	mu     sync.RWMutex
	values map[Key]V
}

// Get returns the value kept for a key, or else that of compute, which must depend on the
// key alone. Limit is how many values are kept.
func (c *Cache[V]) Get(k Key, limit int, compute func(Key) V) V {
	c.mu.RLock()
	v, ok := c.values[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	k = Key{strings.Clone(k.Before), strings.Clone(k.Text)} // may be parts of a long text, which is not to be kept
	v = compute(k)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || len(c.values) >= limit {
		c.values = make(map[Key]V)
	}
	c.values[k] = v
	return v
}

// Clear drops all values.
func (c *Cache[V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values = nil
}
