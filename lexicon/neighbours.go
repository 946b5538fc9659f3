package lexicon

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/internal/english"
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

// scan compares the row of a term with all others.
func (n *Neighbours) scan(key string) []string {
	at, ok := n.table.Index(key)
	if !ok {
		key = n.stem(key)
		if at, ok = n.table.Index(key); !ok {
			return nil
		}
	}
	near := n.table.near(n.table.row(at), n.threshold)
	near = slices.DeleteFunc(near, func(nb neighbour) bool { return nb.index == at })
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
	if lemmas := english.Lemmas(term, known); len(lemmas) > 0 {
		return lemmas[0]
	}
	return term
}

// Near is a term of a [Table] with its cosine to what it is near to.
type Near struct {
	Term   string
	Cosine float64 // -1..1
}

// Nearest returns the up to k terms of highest cosine to vec, best first and at
// equal cosine in order, as far as their cosine is above 0. vec has t.Dim()
// components, as [Phrase] returns them; of another length it is near to nothing.
// It is compared as the rows are kept, each component off by at most 1/254 of
// the largest.
func (t *Table) Nearest(vec []float32, k int) []Near {
	quantized := make([]int8, t.dim)
	if len(vec) != t.dim || !Quantize(quantized, vec) {
		return nil
	}
	row := make([]byte, t.dim)
	for i, x := range quantized {
		row[i] = byte(x)
	}
	near := t.near(row, 0)
	out := make([]Near, min(max(k, 0), len(near)))
	for i := range out {
		out[i] = Near{t.Term(near[i].index), near[i].cosine}
	}
	return out
}

type neighbour struct {
	index  int
	cosine float64
}

// near returns the rows of cosine above 0 and at least threshold to an int8 row,
// best first.
func (t *Table) near(row []byte, threshold float64) []neighbour {
	scale := float64(inverseNorm(row))
	var near []neighbour
	for i := range t.count {
		dot, length := dotNorm(row, t.row(i))
		if dot <= 0 {
			continue
		}
		if c := float64(dot) * scale / math.Sqrt(float64(length)); c >= threshold {
			near = append(near, neighbour{i, c})
		}
	}
	slices.SortFunc(near, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.index, b.index))
	})
	return near
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
