// Package cache keeps computed values by text, within bounds.
package cache

import (
	"strings"
	"sync"
)

// Key is a text, or two: a second text goes into Before.
type Key struct{ Before, Text string }

// Cache caches values by key, up to a number of them: when full it is emptied. The zero value is ready to
// use; it is safe for concurrent use.
type Cache[V any] struct {
	mu     sync.RWMutex
	values map[Key]V
}

// Get returns the cached value of a key. Without one it computes the value and caches it; compute must depend on the key
// alone. limit is the number of cached values at which the cache is emptied.
func (c *Cache[V]) Get(k Key, limit int, compute func(Key) V) V {
	c.mu.RLock()
	v, ok := c.values[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	k = Key{strings.Clone(k.Before), strings.Clone(k.Text)} // copies, as they may be parts of a long text that would stay in memory
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
