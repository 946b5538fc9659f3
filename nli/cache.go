package nli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// Cache is a file of scores, so that a pair is classified once for each model. A pair takes
// about 100 bytes of memory and 48 bytes of the file.
//
// The file is only appended to: one write for a batch of records with checksums. So a killed
// run leaves at most one torn record, which readers skip, and several processes may share the
// file. Each process sees the records that were there when it opened the file, and its own. A
// Cache is safe for concurrent use.
type Cache struct {
	path     string
	warnings []string

	mu     sync.RWMutex
	file   *os.File
	scores map[cacheKey]Scores
}

// maxWarnings bounds the warnings of a damaged file.
const maxWarnings = 20

// OpenCache opens the score cache at path, or creates it. It rejects a file that is no score
// cache. It skips damaged records, whose places [Cache.Warnings] returns. The caller must
// close the cache.
func OpenCache(path string) (_ *Cache, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("score cache: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	c := &Cache{path: path, file: f, scores: map[cacheKey]Scores{}}
	if err := checkMagic(f); err != nil {
		return nil, fmt.Errorf("score cache %s: %w", path, err)
	}
	damaged := 0
	err = readRecords(bufio.NewReaderSize(f, 1<<16),
		func(k cacheKey, s Scores) { c.add(k, s) },
		func(at, n int64) {
			if damaged++; damaged <= maxWarnings {
				c.warnings = append(c.warnings, fmt.Sprintf("%s:byte %d: %d bytes dropped, expected a record with its checksum", path, at, n))
			}
		})
	if err != nil {
		return nil, fmt.Errorf("score cache %s: %w", path, err)
	}
	if more := damaged - maxWarnings; more > 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("%s: %d more damaged places", path, more))
	}
	return c, nil
}

// checkMagic returns an error if a file is no score cache. A cache is empty or begins with a record, which the
// torn record of a killed run may precede or replace.
func checkMagic(f *os.File) error {
	head := make([]byte, 2*recordSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	// The second condition accepts an empty file, and one with less than the magic of the first record.
	if bytes.Contains(head, []byte(recordMagic)) || strings.HasPrefix(recordMagic, string(head)) {
		return nil
	}
	return fmt.Errorf("starts with %q, expected a score cache (%q)", head[:min(n, len(recordMagic))], recordMagic)
}

// add stores the scores of a key that has none yet, and reports whether it did.
func (c *Cache) add(k cacheKey, s Scores) bool {
	if _, ok := c.scores[k]; ok {
		return false
	}
	c.scores[k] = s
	return true
}

// Warnings returns a message for each damaged place that OpenCache skipped.
func (c *Cache) Warnings() []string { return slices.Clone(c.warnings) }

// Get returns the scores of a pair by the model with the given key, or false if the cache has none.
func (c *Cache) Get(model string, p Pair) (Scores, bool) {
	k := keyOf(model, p)
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.scores[k]
	return s, ok
}

// Put stores the scores of pairs, one for each, by the model with the given key. A pair that
// has scores keeps them.
func (c *Cache) Put(model string, pairs []Pair, scores []Scores) error {
	if len(pairs) != len(scores) {
		return fmt.Errorf("score cache %s: %d scores, expected one for each of %d pairs", c.path, len(scores), len(pairs))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return fmt.Errorf("score cache %s: %w", c.path, fs.ErrClosed)
	}
	var buf []byte
	for i, p := range pairs {
		if !scores[i].valid() {
			return fmt.Errorf("score cache %s: scores %v, expected probabilities that sum to 1", c.path, scores[i])
		}
		if k := keyOf(model, p); c.add(k, scores[i]) {
			buf = appendRecord(buf, k, scores[i])
		}
	}
	if len(buf) == 0 {
		return nil
	}
	if _, err := c.file.Write(buf); err != nil {
		return fmt.Errorf("score cache: %w", err)
	}
	return nil
}

// Close closes the file. Get works after it.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file = nil
	if err != nil {
		return fmt.Errorf("score cache: %w", err)
	}
	return nil
}

// Cached returns a classifier that takes scores from the cache, and from c for the other
// pairs, which it adds to the cache. Cached scores equal c's bit for bit.
func Cached(c Classifier, cache *Cache) Classifier {
	return &cached{c, cache}
}

// cached is a classifier with a cache of its scores.
type cached struct {
	Classifier
	cache *Cache
}

// Classify implements [Classifier]. It asks the classifier only for the pairs without cached scores.
func (c *cached) Classify(ctx context.Context, pairs []Pair) ([]Scores, error) {
	key := c.Key()
	out := make([]Scores, len(pairs))
	var missing []Pair
	var positions []int // of the missing pairs in pairs
	for i, p := range pairs {
		if s, ok := c.cache.Get(key, p); ok {
			out[i] = s
		} else {
			missing, positions = append(missing, p), append(positions, i)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	scores, err := classify(ctx, c.Classifier, missing)
	if err != nil {
		return nil, err
	}
	for i, s := range scores {
		out[positions[i]] = s
	}
	if err := c.cache.Put(key, missing, scores); err != nil {
		return nil, err
	}
	return out, nil
}
