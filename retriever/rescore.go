package retriever

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Rescorer orders the best hits of a search anew by the meaning of their
// headers: the mean of the word vectors of a table's headers against that of
// the query's. It takes the place of the dense retriever of ADVETA, section 4.1.
// The default mix is the middle of what did well on the 81 tables of
// ADVETA-Spider: 0.7 to 0.9.
type Rescorer struct {
	Vectors lexicon.Vectors
	Depth   int     // hits of BM25 that are ordered anew; 0 means 300
	Mix     float64 // weight of the vectors, 0 to 1, against BM25; 0 means 0.8
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
		similarity := cosine(query, s.mean(hits[i].Table.Headers()))
		hits[i].Score = (1-mix)*hits[i].Score/best + mix*similarity
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Table.ID, b.Table.ID))
	})
}

// mean returns the mean of the vectors of headers, each of unit length: the
// header's own where it has one, else the sum of its words'.
func (s *Rescorer) mean(headers []string) []float64 {
	mean := make([]float64, s.Vectors.Dim())
	header := make([]float64, len(mean))
	var v []float32
	add := func(term string) (ok bool) {
		if v, ok = s.Vectors.Lookup(v[:0], term); ok {
			for i := range header {
				header[i] += float64(v[i])
			}
		}
		return ok
	}
	for _, name := range headers {
		clear(header)
		words := strings.FieldsFunc(strings.ToLower(splitWords(name)), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if !add(strings.Join(words, " ")) {
			for _, word := range words {
				add(word)
			}
		}
		if norm := math.Sqrt(dot(header, header)); norm > 0 {
			for i := range mean {
				mean[i] += header[i] / norm
			}
		}
	}
	return mean
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// cosine is 0 where a vector is zero.
func cosine(a, b []float64) float64 {
	norm := math.Sqrt(dot(a, a) * dot(b, b))
	if norm == 0 {
		return 0
	}
	return dot(a, b) / norm
}
