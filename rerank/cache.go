package rerank

import "sync"

// Cache stores the vectors of names, up to a number of names. It has two generations: when the
// younger is full it replaces the elder, so that names in use stay. Results do not depend on
// its content. It is safe for concurrent use; a nil Cache is always empty.
type Cache struct {
	mu         sync.Mutex
	half       int
	young, old map[string]entry
}

// NewCache returns a cache of at most size names, 2 at least. A name takes about 4 bytes for
// each component of its vector.
func NewCache(size int) *Cache {
	half := max(1, size/2)
	return &Cache{half: half, young: make(map[string]entry)}
}

// get returns the entry of a name, and moves it into the younger generation.
func (c *Cache) get(name string) (entry, bool) {
	if c == nil {
		return entry{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.young[name]; ok {
		return e, true
	}
	e, ok := c.old[name]
	if ok {
		c.store(name, e)
	}
	return e, ok
}

// put stores the entry of a name.
func (c *Cache) put(name string, e entry) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store(name, e)
}

// store stores an entry in the younger generation, and begins another where that is full. The
// caller must hold mu.
func (c *Cache) store(name string, e entry) {
	if len(c.young) >= c.half {
		c.young, c.old = make(map[string]entry, c.half), c.young
	}
	c.young[name] = e
}
