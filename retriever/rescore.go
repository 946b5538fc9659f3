package retriever

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Rescorer orders the best hits of a search anew by the meaning of their headers: by the
// cosine between the summed word vectors of a table's headers and of the query's. It replaces
// the dense retriever of ADVETA, section 4.1.
type Rescorer struct {
	Vectors lexicon.Vectors

	phrases phraseCache
}

const (
	// rescoreDepth is the number of hits to order anew, four times as many in a distinct search.
	rescoreDepth = 300
	// vectorWeight is the weight of the vectors, 0 to 1, against BM25: the middle of the values
	// that did well on the 81 tables of ADVETA-Spider, 0.7 to 0.9.
	vectorWeight = 0.8
)

// rescore replaces each score by (1-vectorWeight)·score/best + vectorWeight·cosine and sorts.
// Equal scores keep the order of the tables' ids.
func (s *Rescorer) rescore(q Query, hits []Hit) {
	if len(hits) == 0 {
		return
	}
	best := hits[0].Score
	query := s.sum(q.Headers)
	for i := range hits {
		similarity := lexicon.Cosine(query, s.sum(hits[i].Table.Headers()))
		hits[i].Score = (1-vectorWeight)*hits[i].Score/best + vectorWeight*similarity
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Table.ID, b.Table.ID))
	})
}

// sum returns the sum of the unit vectors of headers. A header without a known word adds
// nothing.
func (s *Rescorer) sum(headers []string) []float32 {
	sum := make([]float32, s.Vectors.Dim())
	for _, name := range headers {
		for i, x := range s.phrases.vector(s.Vectors, name) {
			sum[i] += x
		}
	}
	return sum
}

// phraseCache stores the vectors of headers, as the hits of a search share most headers. It
// is safe for concurrent use. It is emptied when it is full, as headers are untrusted.
type phraseCache struct {
	mu      sync.RWMutex
	vectors map[string][]float32
}

// The bounds of a phraseCache: about 10 MB of vectors of 128 components.
const (
	maxPhrases      = 1 << 14
	maxPhraseLength = 100 // bytes
)

// vector returns the vector of a header; nil where no word is known.
func (c *phraseCache) vector(v lexicon.Vectors, name string) []float32 {
	c.mu.RLock()
	vec, ok := c.vectors[name]
	c.mu.RUnlock()
	if ok {
		return vec
	}
	vec, _, _ = lexicon.Phrase(v, name)
	if len(name) > maxPhraseLength {
		return vec
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.vectors == nil || len(c.vectors) >= maxPhrases {
		c.vectors = map[string][]float32{}
	}
	c.vectors[strings.Clone(name)] = vec
	return vec
}
