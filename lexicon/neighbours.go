package lexicon

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Neighbours is a [Dictionary] over a vector table: the nearest terms of a term
// stand for its synonyms. It is a fallback for terms that no dictionary has.
// Vectors also bring together antonyms and words of one kind, so what it says
// wants a check.
type Neighbours struct {
	table     *Table
	limit     int
	threshold float64

	mu    sync.Mutex
	cache map[string][]string
}

// Defaults of [NewNeighbours].
const (
	NeighbourLimit     = 10
	NeighbourThreshold = 0.6
)

// maxNeighbourCache bounds the terms whose neighbours are remembered.
const maxNeighbourCache = 8192

// NewNeighbours returns a dictionary of up to limit terms of cosine at least
// threshold; 0 stands for [NeighbourLimit] and [NeighbourThreshold].
func NewNeighbours(t *Table, limit int, threshold float64) *Neighbours {
	return &Neighbours{
		table:     t,
		limit:     cmp.Or(limit, NeighbourLimit),
		threshold: cmp.Or(threshold, NeighbourThreshold),
		cache:     make(map[string][]string),
	}
}

// Synonyms returns the nearest terms of term, best first, without other forms of
// term itself. A term that the table lacks stands as its lemma; nil where it
// lacks that too.
func (n *Neighbours) Synonyms(term string) []string {
	key := Key(term)
	n.mu.Lock()
	found, ok := n.cache[key]
	n.mu.Unlock()
	if !ok {
		found = n.scan(key)
		n.mu.Lock()
		if len(n.cache) >= maxNeighbourCache {
			clear(n.cache)
		}
		n.cache[key] = found
		n.mu.Unlock()
	}
	return slices.Clone(found)
}

type neighbour struct {
	index  int
	cosine float64
}

// scan compares the row of a term with all others.
func (n *Neighbours) scan(key string) []string {
	at, ok := n.table.Index(key)
	if !ok {
		key = n.stem(key)
		if at, ok = n.table.Index(key); !ok {
			return nil
		}
	}
	row := n.table.row(at)
	scale := float64(inverseNorm(row))
	var near []neighbour
	for i := range n.table.count {
		dot, length := dotNorm(row, n.table.row(i))
		if dot <= 0 || i == at {
			continue
		}
		if c := float64(dot) * scale / math.Sqrt(float64(length)); c >= n.threshold {
			near = append(near, neighbour{i, c})
		}
	}
	slices.SortFunc(near, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.index, b.index))
	})
	seen := map[string]bool{n.stem(key): true}
	var terms []string
	for _, nb := range near {
		if len(terms) == n.limit {
			break
		}
		term := n.table.Term(nb.index)
		if stem := n.stem(term); !seen[stem] {
			seen[stem] = true
			terms = append(terms, term)
		}
	}
	return terms
}

// stem is what a term and its inflections have in common.
func (n *Neighbours) stem(term string) string {
	known := func(form string) bool { _, ok := n.table.Index(form); return ok }
	if lemmas := Lemmas(term, known); len(lemmas) > 0 {
		return lemmas[0]
	}
	return term
}

// dotNorm returns the dot product of two int8 rows and the squared length of b.
func dotNorm(a, b []byte) (dot, length int) {
	b = b[:len(a)]
	for i := range a {
		y := int(int8(b[i]))
		dot += int(int8(a[i])) * y
		length += y * y
	}
	return dot, length
}
