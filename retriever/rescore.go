package retriever

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Rescorer orders the best hits of a search anew by the meaning of their
// headers: the mean of the word vectors of a table's headers against that of
// the query's. It takes the place of the dense retriever of ADVETA, section 4.1.
// The default mix is the middle of what did well on the 81 tables of
// ADVETA-Spider: 0.7 to 0.9.
type Rescorer struct {
	Vectors lexicon.Vectors
	Depth   int     // hits of BM25 that are ordered anew, of a distinct search up to four times as many; 0 means 300
	Mix     float64 // weight of the vectors, 0 to 1, against BM25; 0 means 0.8

	phrases phraseCache
}

func (s *Rescorer) depth() int {
	depth := s.Depth
	fill(&depth, 300)
	return depth
}

// rescore replaces each score by (1-Mix)·score/best + Mix·cosine and sorts.
// Equal scores keep the order of the tables' ids.
func (s *Rescorer) rescore(q Query, hits []Hit) {
	if len(hits) == 0 {
		return
	}
	mix := cmp.Or(s.Mix, 0.8)
	best := hits[0].Score
	query := s.mean(q.Headers)
	for i := range hits {
		similarity := lexicon.Cosine(query, s.mean(hits[i].Table.Headers()))
		hits[i].Score = (1-mix)*hits[i].Score/best + mix*similarity
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Table.ID, b.Table.ID))
	})
}

// mean returns the sum of the unit vectors of headers; those of which no word
// is known add nothing.
func (s *Rescorer) mean(headers []string) []float32 {
	sum := make([]float32, s.Vectors.Dim())
	for _, name := range headers {
		for i, x := range s.phrases.vector(s.Vectors, name) {
			sum[i] += x
		}
	}
	return sum
}

// phraseCache keeps the vectors of headers, of which the hits of a search share most. It is
// safe for concurrent use, and is emptied when it is full: headers are untrusted.
type phraseCache struct {
	mu sync.RWMutex
	of map[string][]float32
}

// The bounds of a phraseCache: about 10 MB of vectors of 128 components.
const mostPhrases, longestPhrase = 1 << 14, 100

func (c *phraseCache) vector(v lexicon.Vectors, name string) []float32 {
	c.mu.RLock()
	vec, ok := c.of[name]
	c.mu.RUnlock()
	if ok {
		return vec
	}
	vec, _, _ = lexicon.Phrase(v, name)
	if len(name) > longestPhrase {
		return vec
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= mostPhrases {
		c.of = map[string][]float32{}
	}
	c.of[strings.Clone(name)] = vec
	return vec
}
