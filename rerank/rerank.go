// Package rerank orders proposed column names by how near they are to a target
// column, as ADVETA does with its retrieved candidates (section 4.3): by the
// cosine of their embeddings, of which the best twenty are kept.
//
// [Reranker.Rank] also clears the list: names that the table already has, and
// repeats of one name, differ from what is wanted only in case, punctuation or
// number. Vectors of names come from [lexicon.Phrase] and stay in a bounded
// [Cache], so that thousands of names a target cost a dot product each.
package rerank

import (
	"cmp"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/lexicon"
)

// DefaultTopK is the number of names kept for a target; ADVETA keeps 20.
const DefaultTopK = 20

// Reranker orders names. It is safe for concurrent use.
type Reranker struct {
	Vectors lexicon.Vectors
	TopK    int    // names kept; 0 stands for DefaultTopK, a negative number for all
	Cache   *Cache // of this run, for these Vectors; nil for none
}

// Ranked is a name with its place among those given.
type Ranked struct {
	Name string
	// Similarity is the cosine of name and target, -1..1, times the root of the
	// share of known words of each: a name half unknown is at most 0.71 alike.
	Similarity float64
	Index      int     // of the first of the names that are this name
	Weight     float64 // of all items that are this name, where a [Selector] picked it
}

// Rank returns the names nearest to target, best first and at equal similarity
// in the order given. It leaves out the target, the names in exclude, names of
// which no word has a vector, and all but the first of names that are the same
// by [lexicon.Normal]. The result is empty where no word of target is known.
func (r *Reranker) Rank(target string, names, exclude []string) []Ranked {
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
	slices.SortFunc(ranked, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Index, b.Index))
	})
	if k := cmp.Or(r.TopK, DefaultTopK); k > 0 && k < len(ranked) {
		ranked = slices.Clip(ranked[:k])
	}
	return ranked
}

// Similarity compares two names as Rank does; 0 where one has no known word.
func (r *Reranker) Similarity(a, b string) float64 {
	return r.entry(a).similarity(r.entry(b))
}

func (r *Reranker) entry(name string) entry {
	if e, ok := r.Cache.get(name); ok {
		return e
	}
	vec, known, total := lexicon.Phrase(r.Vectors, name)
	e := entry{normal: lexicon.Normal(name), vec: vec}
	if total > 0 {
		e.share = math.Sqrt(float64(known) / float64(total))
	}
	r.Cache.put(name, e)
	return e
}

// entry is what ranking needs of a name.
type entry struct {
	normal string
	vec    []float32 // of unit length; nil where no word is known
	share  float64   // root of the share of known words
}

func (e entry) similarity(f entry) float64 {
	if e.vec == nil || f.vec == nil {
		return 0
	}
	dot := float64(lexicon.Dot(e.vec, f.vec))
	return max(-1, min(1, dot)) * e.share * f.share
}
