// Package rerank orders proposed column names by their similarity to a target column, as
// ADVETA does with its retrieved candidates (section 4.3): by the cosine of their embeddings,
// of which it takes the best twenty.
//
// [Reranker.Rank] also drops names that the table has already and repeats of a name, which
// may differ in case, punctuation or number. The vectors of names come from [lexicon.Phrase]
// and are cached within bounds, so that a known name costs one dot product for each target.
package rerank

import (
	"cmp"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/lexicon"
)

// DefaultTopK is the number of names for a target; ADVETA takes 20.
const DefaultTopK = 20

// Reranker orders names. It is safe for concurrent use.
type Reranker struct {
	Vectors lexicon.Vectors

	entries cache.Cache[entry] // by name
}

// maxEntries bounds the cached entries. Each takes about 4 bytes for each component of its vector.
const maxEntries = 1 << 16

// Ranked is one of the names to rank.
type Ranked struct {
	Name string
	// Similarity is the cosine of name and target, -1..1, times the square root of the
	// share of known words of each: if half of a name is unknown, it is at most 0.71.
	Similarity float64
	Index      int // in the names given, of the first with the same normal form
}

// Rank returns the k names most similar to target, all for a negative k, best first, ties in the
// order given. It leaves out the target, the names in exclude, names without a known word, and all but the
// first of names that are equal by [lexicon.Normal]. The result is empty if no word of
// target is known.
func (r *Reranker) Rank(target string, names, exclude []string, k int) []Ranked {
	t := r.entry(target)
	if t.vec == nil {
		return nil
	}
	seen := make(map[string]bool, len(names)+len(exclude)+1)
	seen[t.normal] = true
	for _, name := range exclude {
		seen[lexicon.Normal(name)] = true
	}
	ranked := make([]Ranked, 0, len(names))
	for i, name := range names {
		e := r.entry(name)
		if e.vec == nil || seen[e.normal] {
			continue
		}
		seen[e.normal] = true
		ranked = append(ranked, Ranked{Name: name, Similarity: t.similarity(e), Index: i})
	}
	slices.SortFunc(ranked, Ranked.compare)
	if k >= 0 && k < len(ranked) {
		ranked = slices.Clip(ranked[:k])
	}
	return ranked
}

// compare orders names by falling similarity, then by index.
func (r Ranked) compare(other Ranked) int {
	return cmp.Or(cmp.Compare(other.Similarity, r.Similarity), cmp.Compare(r.Index, other.Index))
}

// Similarity returns the similarity of two names, see [Ranked]; 0 if one has no known word.
func (r *Reranker) Similarity(a, b string) float64 {
	return r.entry(a).similarity(r.entry(b))
}

// entry returns the cached entry of a name, or computes and caches it.
func (r *Reranker) entry(name string) entry {
	return r.entries.Get(cache.Key{Text: name}, maxEntries, func(k cache.Key) entry {
		vec, known, total := lexicon.Phrase(r.Vectors, k.Text)
		e := entry{normal: lexicon.Normal(k.Text), vec: vec}
		if total > 0 {
			e.sqrtKnown = math.Sqrt(float64(known) / float64(total))
		}
		return e
	})
}

// entry holds the normal form and the vector of a name.
type entry struct {
	normal    string
	vec       []float32 // of unit length; nil if no word is known
	sqrtKnown float64   // square root of the share of known words
}

// similarity returns the similarity of two names, see [Ranked]; 0 if one has no known word. Words without a vector lower it: half of the
// words unknown in both names halves it.
func (e entry) similarity(f entry) float64 {
	if e.vec == nil || f.vec == nil {
		return 0
	}
	dot := float64(lexicon.Dot(e.vec, f.vec))
	return decimal.Round(max(-1, min(1, dot)) * e.sqrtKnown * f.sqrtKnown)
}
