package namepair

import (
	"strings"
	"sync"
)

// key is a text, with the text before it where that matters.
type key struct{ before, text string }

// cache keeps what was computed for a key, within bounds: when full it starts
// afresh. The zero value is ready; it is safe for concurrent use.
type cache[V any] struct {
	mu     sync.RWMutex
	values map[key]V
}

// get returns the value kept for key, or else that of compute, which must depend
// on key alone.
func (c *cache[V]) get(k key, limit int, compute func(key) V) V {
	c.mu.RLock()
	v, ok := c.values[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	k = key{strings.Clone(k.before), strings.Clone(k.text)} // may be parts of a long text, which is not to be kept
	v = compute(k)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || len(c.values) >= limit {
		c.values = make(map[key]V)
	}
	c.values[k] = v
	return v
}
