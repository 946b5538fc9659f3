package retriever

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Rescorer orders the best hits of a search anew by the meaning of their headers: by the
// cosine between the summed word vectors of a table's headers and of the query's. It replaces
// the dense retriever of ADVETA, section 4.1.
type Rescorer struct {
	Vectors lexicon.Vectors

	phrases cache.Cache[[]float32] // vectors of headers, as the hits of a search share most headers
}

// The bounds of the cached vectors: about 10 MB of vectors of 128 components.
const (
	maxPhrases      = 1 << 14
	maxPhraseLength = 100 // bytes
)

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
	best := hits[0].Score // hits are sorted by their scores
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
		for i, x := range s.vector(name) {
			sum[i] += x
		}
	}
	return sum
}

// vector returns the vector of a header, from the cache unless the header is long; nil if no word
// is known.
func (s *Rescorer) vector(header string) []float32 {
	phrase := func(k cache.Key) []float32 {
		vec, _, _ := lexicon.Phrase(s.Vectors, k.Text)
		return vec
	}
	key := cache.Key{Text: header}
	if len(header) > maxPhraseLength {
		return phrase(key)
	}
	return s.phrases.Get(key, maxPhrases, phrase)
}
