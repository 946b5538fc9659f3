package retriever

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v15"
	"golang.org/x/sync/errgroup"
)

// The parameters of BM25: saturation of a term's frequency, and normalisation
// by length.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// scored is a hit before its table is loaded.
type scored struct {
	ordinal int
	score   float64
}

// best returns the k best tables. It is exact: what is left out could not be among them.
func (x *Index) best(ctx context.Context, q Query, k int) ([]scored, error) {
	terms, err := x.queryTerms(q)
	if err != nil {
		return nil, err
	}
	var floor floor
	parts := make([]*part, x.ranges)
	g, all := errgroup.WithContext(ctx) // which ends with the group
	for i := range parts {
		parts[i] = x.newPart(i, k, &floor)
		g.Go(func() error { return parts[i].search(all, terms) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var found []scored
	for _, p := range parts {
		found = append(found, p.found...)
		scores := p.scores // alone, for the part holds more
		x.scratch.Put(&scores)
	}
	return x.first(ctx, found, k)
}

// first returns the k best documents as tables. Those that tie with the last are all looked
// up before the cut, as only ordinals decide between them.
func (x *Index) first(ctx context.Context, found []scored, k int) ([]scored, error) {
	top := top{k: k}
	for _, s := range found {
		top.add(s.score)
	}
	least := top.least()
	best := slices.DeleteFunc(found, func(s scored) bool { return s.score < least })
	for i, s := range best {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, err := x.segment.DocID(uint64(s.ordinal))
		if err != nil {
			return nil, err
		}
		if best[i].ordinal, err = strconv.Atoi(string(name)); err != nil {
			return nil, fmt.Errorf("inverted index has a document %q, expected a number", name)
		}
	}
	slices.SortFunc(best, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.ordinal, y.ordinal))
	})
	return best[:min(k, len(best))], nil
}

// top keeps the k best scores.
type top struct {
	k      int
	scores leastFirst
}

func (t *top) add(score float64) {
	switch {
	case len(t.scores) < t.k:
		heap.Push(&t.scores, score)
	case score > t.scores[0]:
		t.scores[0] = score
		heap.Fix(&t.scores, 0)
	}
}

// least returns the k-th best score, or 0 where there are fewer.
func (t *top) least() float64 {
	if len(t.scores) < t.k {
		return 0
	}
	return t.scores[0]
}

// leastFirst is a heap of scores.
type leastFirst []float64

func (h leastFirst) Len() int           { return len(h) }
func (h leastFirst) Less(i, j int) bool { return h[i] < h[j] }
func (h leastFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *leastFirst) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *leastFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// rangeSize is how many tables are worth a range of their own.
const rangeSize = 1 << 17

// weighted is a term of a query.
type weighted struct {
	term     string
	weight   float64 // idf × weight in the query
	left     float64 // at least what this term and those behind it can add to a score
	postings segment.PostingsList
}

// queryTerms returns the terms that carry most, best first.
func (x *Index) queryTerms(q Query) ([]weighted, error) {
	dictionary, err := x.segment.Dictionary(textField) // of one search, as it keeps a state
	if err != nil {
		return nil, err
	}
	n := float64(x.Len())
	terms := x.weigh(q)
	for i := range terms {
		t := &terms[i]
		if t.postings, err = dictionary.PostingsList([]byte(t.term), nil, nil); err != nil {
			return nil, err
		}
		df := float64(t.postings.Count())
		if df == 0 {
			t.weight = 0
		}
		t.weight *= math.Log(1 + (n-df+0.5)/(df+0.5))
	}
	slices.SortFunc(terms, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.term, b.term))
	})
	limit := q.MaxTerms
	fill(&limit, DefaultMaxTerms)
	terms = terms[:min(limit, len(terms))]
	terms = slices.DeleteFunc(terms, func(t weighted) bool { return t.weight == 0 })
	left := 0.0
	for i := len(terms) - 1; i >= 0; i-- {
		left += terms[i].weight * x.lengths.most
		terms[i].left = left
	}
	return terms, nil
}

// part searches a range of the documents, by the index's numbers, a block after the other.
type part struct {
	lengths  *lengths
	top      top    // of the scores of the blocks before
	floor    *floor // of all parts
	from, to uint64
	length   uint64 // of the index

	scores  []float64 // of the block
	touched []uint32  // the documents of the block that have a score, from its first
	set     []uint64  // bits of such documents; none between uses
	ordered []uint32  // such documents
	found   []scored  // the documents of the blocks before that can be among the best
}

// blockSize is how many documents have scores at a time: as many as stay in a cache.
const blockSize = 1 << 16

func (x *Index) newPart(i, k int, floor *floor) *part {
	p := &part{lengths: &x.lengths, top: top{k: k}, floor: floor, length: uint64(x.Len())}
	p.from, p.to = uint64(i*x.Len()/x.ranges), uint64((i+1)*x.Len()/x.ranges)
	if scores, ok := x.scratch.Get().(*[]float64); ok {
		p.scores = *scores
	} else {
		p.scores = make([]float64, x.block)
	}
	p.set = make([]uint64, len(p.scores)/64+1)
	return p
}

// cursor goes through the documents of a term.
type cursor struct {
	weighted
	postings segment.PostingsIterator
	at       segment.Posting // nil at the end
}

func (p *part) search(ctx context.Context, terms []weighted) (err error) {
	cursors := make([]cursor, len(terms))
	for i, t := range terms {
		c := &cursors[i]
		c.weighted, c.postings = t, t.postings.Iterator(true, true, false, nil)
		if c.at, err = c.postings.Next(); err == nil {
			err = c.advance(p.from)
		}
		if err != nil {
			return err
		}
	}
	size := uint64(len(p.scores))
	for from := p.from; from < p.to; from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.block(cursors, from, min(from+size, p.to)); err != nil {
			return err
		}
	}
	return p.beyond(cursors)
}

// beyond tells of documents that the index cannot have.
func (p *part) beyond(cursors []cursor) error {
	if p.to < p.length {
		return nil
	}
	for i := range cursors {
		c := &cursors[i]
		if err := c.advance(p.length); err != nil {
			return err
		}
		if c.at != nil {
			return fmt.Errorf("inverted index has a document %d, expected less than %d", c.at.Number(), p.length)
		}
	}
	return nil
}

// advance goes to a document, or to the first behind it that has the term.
func (c *cursor) advance(to uint64) (err error) {
	if c.at != nil && c.at.Number() < to {
		c.at, err = c.postings.Advance(to)
	}
	return err
}

// block finds the documents of a block that can be among the k best. Each document's scores
// are added in the order of the terms, whatever the blocks. The terms that carry most are the
// rarer ones; where k documents before have more than all terms that are left could give another,
// those terms are asked only about the documents that still can be among the k best
// (MaxScore of Turtle and Flood, 1995).
func (p *part) block(cursors []cursor, from, to uint64) error {
	least := p.floor.raise(0)
	i := 0
	for ; i < len(cursors) && least <= cursors[i].left; i++ {
		if err := p.addAll(&cursors[i], from, to); err != nil {
			return err
		}
	}
	kept := p.touched
	if i < len(cursors) {
		kept = p.inOrder(least - cursors[i].left)
	}
	for ; i < len(cursors); i++ {
		kept = p.keep(kept, least-cursors[i].left)
		if err := p.addKept(&cursors[i], from, kept); err != nil {
			return err
		}
	}
	for _, doc := range kept {
		if score := p.scores[doc]; score >= least {
			p.found = append(p.found, scored{int(from) + int(doc), score})
			p.top.add(score)
		}
	}
	least = p.floor.raise(p.top.least())
	p.found = slices.DeleteFunc(p.found, func(s scored) bool { return s.score < least })
	for _, doc := range p.touched {
		p.scores[doc] = 0
	}
	p.touched = p.touched[:0]
	return nil
}

// inOrder returns the documents of a block with least or more.
func (p *part) inOrder(least float64) []uint32 {
	for _, doc := range p.touched {
		if p.scores[doc] >= least {
			p.set[doc/64] |= 1 << (doc % 64)
		}
	}
	p.ordered = p.ordered[:0]
	for i, word := range p.set {
		for ; word != 0; word &= word - 1 {
			p.ordered = append(p.ordered, uint32(64*i+bits.TrailingZeros64(word)))
		}
		p.set[i] = 0
	}
	return p.ordered
}

// keep drops the documents with less than least.
func (p *part) keep(docs []uint32, least float64) []uint32 {
	return slices.DeleteFunc(docs, func(doc uint32) bool { return p.scores[doc] < least })
}

// addAll adds the scores of a term to all documents of a block.
func (p *part) addAll(c *cursor, from, to uint64) error {
	if err := c.advance(from); err != nil {
		return err
	}
	var err error
	for ; err == nil && c.at != nil && c.at.Number() < to; c.at, err = c.postings.Next() {
		if c.at.Number() < from {
			return fmt.Errorf("inverted index has document %d of term %q behind %d, expected its documents in order", c.at.Number(), c.term, from)
		}
		doc := c.at.Number() - from
		if p.scores[doc] == 0 {
			p.touched = append(p.touched, uint32(doc))
		}
		p.scores[doc] += p.lengths.score(c.weight, c.at)
	}
	return err
}

// addKept adds the scores of a term to the documents that are kept, in order.
func (p *part) addKept(c *cursor, from uint64, kept []uint32) error {
	for _, doc := range kept {
		if err := c.advance(from + uint64(doc)); err != nil || c.at == nil {
			return err
		}
		if c.at.Number() == from+uint64(doc) {
			p.scores[doc] += p.lengths.score(c.weight, c.at)
		}
	}
	return nil
}

// floor is a score that k documents have at least, whichever range knows so first.
type floor struct{ bits atomic.Uint64 }

// rounding is more than the sum of a score loses in proportion.
const rounding = 1e-9

// raise returns the floor, which is not below least but for rounding.
func (f *floor) raise(least float64) float64 {
	least *= 1 - rounding
	for {
		old := f.bits.Load() // scores are positive, so their bits are in their order
		if math.Float64bits(least) <= old {
			return math.Float64frombits(old)
		}
		if f.bits.CompareAndSwap(old, math.Float64bits(least)) {
			return least
		}
	}
}

// lengths knows the part of BM25 that depends on how many terms a table has.
type lengths struct {
	average float64
	most    float64 // that a term of weight 1 can add
	norms   []float64
}

func newLengths(average float64) lengths {
	// A table of n terms has a term n times at most: the limit for large n.
	l := lengths{average: average, most: (bm25K1 + 1) / (1 + bm25K1*bm25B/average)}
	for length := range 256 {
		l.norms = append(l.norms, l.norm(float64(float32(1/math.Sqrt(float64(length))))))
	}
	return l
}

// norm is what a frequency is compared with, of what the library keeps of a length: one over
// its root, as 32 bits.
func (l *lengths) norm(root float64) float64 {
	return bm25K1 * (1 - bm25B + bm25B*(1/(root*root))/l.average)
}

// score is what a term of a weight adds to a table that has it.
func (l *lengths) score(weight float64, p segment.Posting) float64 {
	tf := float64(p.Frequency())
	return weight * tf * (bm25K1 + 1) / (tf + l.normOf(p))
}

func (l *lengths) normOf(p segment.Posting) float64 {
	z, ok := p.(*zap.Posting)
	if !ok {
		return l.norm(p.Norm())
	}
	if length := z.NormUint64(); length < uint64(len(l.norms)) {
		return l.norms[length]
	}
	return l.norm(z.Norm())
}
