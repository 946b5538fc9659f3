package namepair

import (
	"strings"
	"sync"
)

// cache keeps what was computed for a string, within bounds: when full it starts
// afresh. The zero value is ready; it is safe for concurrent use.
type cache[V any] struct {
	mu     sync.RWMutex
	values map[string]V
}

// get returns the value kept for key, or else that of compute, which must depend
// on key alone.
func (c *cache[V]) get(key string, limit int, compute func(string) V) V {
	c.mu.RLock()
	v, ok := c.values[key]
	c.mu.RUnlock()
	if ok {
		return v
	}
	key = strings.Clone(key) // may be part of a long text, which is not to be kept
	v = compute(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || len(c.values) >= limit {
		c.values = make(map[string]V)
	}
	c.values[key] = v
	return v
}
