package retriever

import (
	"cmp"
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
	ordinal int // of the document in the inverted index, then of the table
	score   float64
}

// bestTables returns the k best tables, best first. It is exact: it skips only documents whose
// score cannot be among the k best.
func (x *Index) bestTables(ctx context.Context, q Query, k int) ([]scored, error) {
	terms, err := x.queryTerms(q)
	if err != nil {
		return nil, err
	}
	var floor floor
	searches := make([]*rangeSearch, x.ranges)
	g, all := errgroup.WithContext(ctx) // all is done after the first error
	for i := range searches {
		searches[i] = x.newRangeSearch(i, k, &floor)
		g.Go(func() error { return searches[i].search(all, terms) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var found []scored
	for _, p := range searches {
		found = append(found, p.found...)
		scores := p.scores // a copy of the slice header: a pointer into p would keep all of p in the pool
		x.scratch.Put(&scores)
	}
	return x.cutBest(ctx, found, k)
}

// cutBest returns the k best of the found documents, best first, with the ordinals of their tables in place of their
// document numbers. Equal scores are in the order of the ordinals, so it looks up all documents that score as the k-th.
func (x *Index) cutBest(ctx context.Context, found []scored, k int) ([]scored, error) {
	top := top{k: k}
	for _, s := range found {
		top.add(s.score)
	}
	lowest := top.lowest()
	best := slices.DeleteFunc(found, func(s scored) bool { return s.score < lowest })
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

// top holds the k best scores.
type top struct {
	k      int
	scores []float64 // ascending
}

// add inserts a score if it is one of the k best so far, and then drops the lowest of k+1.
func (t *top) add(score float64) {
	if len(t.scores) == t.k && score <= t.scores[0] {
		return
	}
	i, _ := slices.BinarySearch(t.scores, score)
	if len(t.scores) < t.k {
		t.scores = slices.Insert(t.scores, i, score)
		return
	}
	copy(t.scores, t.scores[1:i]) // over the lowest
	t.scores[i-1] = score
}

// lowest returns the k-th best score, or 0 if there are fewer than k.
func (t *top) lowest() float64 {
	if len(t.scores) < t.k {
		return 0
	}
	return t.scores[0]
}

// rangeSize is the number of tables from which on a further range pays.
const rangeSize = 1 << 17

// weighted is a term of a query.
type weighted struct {
	term     string
	weight   float64 // idf × weight in the query
	bound    float64 // the most that this term and the later ones add to a score
	postings segment.PostingsList
}

// queryTerms returns the terms of a query that weigh most, heaviest first. It leaves out
// terms that no table has.
func (x *Index) queryTerms(q Query) ([]weighted, error) {
	dictionary, err := x.segment.Dictionary(textField) // has a state, so each search needs its own
	if err != nil {
		return nil, err
	}
	n := float64(x.Len())
	terms := x.weighTerms(q)
	for i := range terms {
		t := &terms[i]
		if t.postings, err = dictionary.PostingsList([]byte(t.term), nil, nil); err != nil {
			return nil, err
		}
		df := float64(t.postings.Count())
		if df == 0 { // no table has the term; dropped below
			t.weight = 0
		}
		t.weight *= math.Log(1 + (n-df+0.5)/(df+0.5)) // BM25's idf
	}
	slices.SortFunc(terms, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.term, b.term))
	})
	terms = terms[:min(maxTerms, len(terms))]
	terms = slices.DeleteFunc(terms, func(t weighted) bool { return t.weight == 0 })
	bound := 0.0 // the most that this term and the lighter ones add to the score of a document
	for i := len(terms) - 1; i >= 0; i-- {
		bound += terms[i].weight * x.lengths.most
		terms[i].bound = bound
	}
	return terms, nil
}

// rangeSearch searches a range of the documents, one block after the other. Within a block a
// document is numbered from the block's first.
type rangeSearch struct {
	lengths  *lengths
	top      top    // scores of the finished blocks
	floor    *floor // shared by all searches
	from, to uint64 // the range, by the document numbers of the index
	length   uint64 // documents of the index

	scores  []float64 // by document of the block; 0 if it has no term
	touched []uint32  // the documents of the block with a score, in the order of their first term
	set     []uint64  // a bit set of documents; empty between uses
	ordered []uint32  // the buffer that inOrder returns
	found   []scored  // documents of the finished blocks that can be among the k best
}

// blockSize is the number of documents of a block: their scores fit into a processor's cache.
const blockSize = 1 << 16

// newRangeSearch returns the search of range i for the k best.
func (x *Index) newRangeSearch(i, k int, floor *floor) *rangeSearch {
	p := &rangeSearch{lengths: &x.lengths, top: top{k: k}, floor: floor, length: uint64(x.Len())}
	p.from, p.to = uint64(i*x.Len()/x.ranges), uint64((i+1)*x.Len()/x.ranges)
	if scores, ok := x.scratch.Get().(*[]float64); ok {
		p.scores = *scores // all 0, as searchBlock leaves them
	} else {
		p.scores = make([]float64, x.block)
	}
	p.set = make([]uint64, len(p.scores)/64+1) // a bit for each document of a block, for inOrder
	return p
}

// cursor iterates over the documents that have a term, in their order.
type cursor struct {
	weighted
	postings segment.PostingsIterator
	current  segment.Posting // nil at the end
}

// search scores all documents of the range, a block of len(p.scores) documents at a time, and stores those that can be among the k best.
func (p *rangeSearch) search(ctx context.Context, terms []weighted) (err error) {
	cursors := make([]cursor, len(terms))
	for i, t := range terms {
		c := &cursors[i]
		c.weighted, c.postings = t, t.postings.Iterator(true, true, false, nil) // with frequencies and norms, without locations
		if c.current, err = c.postings.Next(); err == nil {
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
		if err := p.searchBlock(cursors, from, min(from+size, p.to)); err != nil {
			return err
		}
	}
	return p.checkEnd(cursors)
}

// checkEnd returns an error if a term has a document whose number is too high for the index. Only the search of
// the last range checks that.
func (p *rangeSearch) checkEnd(cursors []cursor) error {
	if p.to < p.length {
		return nil
	}
	for i := range cursors {
		c := &cursors[i]
		if err := c.advance(p.length); err != nil {
			return err
		}
		if c.current != nil {
			return fmt.Errorf("inverted index has a document %d, expected less than %d", c.current.Number(), p.length)
		}
	}
	return nil
}

// advance moves to the first document with the term whose number is at least min.
func (c *cursor) advance(min uint64) (err error) {
	if c.current != nil && c.current.Number() < min {
		c.current, err = c.postings.Advance(min)
	}
	return err
}

// searchBlock finds the documents of the block from..to-1 that can be among the k best. The scores of a document
// are added in the order of the terms, so that they do not depend on the blocks. The heaviest
// terms, which are the rarer ones, come first. As soon as the later terms alone cannot lift a
// document over the floor, they are looked up only for documents that still can be among the
// k best (MaxScore of Turtle and Flood, 1995).
func (p *rangeSearch) searchBlock(cursors []cursor, from, to uint64) error {
	floor := p.floor.raise(0) // the floor as it is
	i := 0
	for ; i < len(cursors) && floor <= cursors[i].bound; i++ {
		if err := p.addAll(&cursors[i], from, to); err != nil {
			return err
		}
	}
	docs := p.touched     // numbers within the block
	if i < len(cursors) { // addTo needs them in order
		docs = p.inOrder(floor - cursors[i].bound)
	}
	for ; i < len(cursors); i++ {
		docs = p.dropBelow(docs, floor-cursors[i].bound)
		if err := p.addTo(docs, &cursors[i], from); err != nil {
			return err
		}
	}
	for _, doc := range docs {
		if score := p.scores[doc]; score >= floor {
			p.found = append(p.found, scored{int(from) + int(doc), score})
			p.top.add(score)
		}
	}
	floor = p.floor.raise(p.top.lowest()) // with the scores of this block
	p.found = slices.DeleteFunc(p.found, func(s scored) bool { return s.score < floor })
	for _, doc := range p.touched {
		p.scores[doc] = 0
	}
	p.touched = p.touched[:0]
	return nil
}

// inOrder returns the documents of the block that score lowest or more, in their order. The
// slice is valid until the next call.
func (p *rangeSearch) inOrder(lowest float64) []uint32 {
	for _, doc := range p.touched {
		if p.scores[doc] >= lowest {
			p.set[doc/64] |= 1 << (doc % 64)
		}
	}
	p.ordered = p.ordered[:0]
	for i, word := range p.set {
		for ; word != 0; word &= word - 1 { // clears the lowest bit
			p.ordered = append(p.ordered, uint32(64*i+bits.TrailingZeros64(word)))
		}
		p.set[i] = 0
	}
	return p.ordered
}

// dropBelow removes the documents that score less than lowest.
func (p *rangeSearch) dropBelow(docs []uint32, lowest float64) []uint32 {
	return slices.DeleteFunc(docs, func(doc uint32) bool { return p.scores[doc] < lowest })
}

// addAll adds the scores of a term to all documents of the block from..to-1.
func (p *rangeSearch) addAll(c *cursor, from, to uint64) error {
	if err := c.advance(from); err != nil {
		return err
	}
	var err error
	for ; err == nil && c.current != nil && c.current.Number() < to; c.current, err = c.postings.Next() {
		if c.current.Number() < from {
			return fmt.Errorf("inverted index has document %d of term %q behind %d, expected its documents in order", c.current.Number(), c.term, from)
		}
		doc := c.current.Number() - from
		if p.scores[doc] == 0 { // its first term
			p.touched = append(p.touched, uint32(doc))
		}
		p.scores[doc] += p.lengths.score(c.weight, c.current)
	}
	return err
}

// addTo adds the scores of a term to those documents of docs that have it. docs are in order, numbered from the
// first document of the block, which is from.
func (p *rangeSearch) addTo(docs []uint32, c *cursor, from uint64) error {
	for _, doc := range docs {
		if err := c.advance(from + uint64(doc)); err != nil || c.current == nil { // nil: no later document has the term
			return err
		}
		if c.current.Number() == from+uint64(doc) {
			p.scores[doc] += p.lengths.score(c.weight, c.current)
		}
	}
	return nil
}

// floor is a score that at least k documents reach. The searches of all ranges share and raise it.
type floor struct{ bits atomic.Uint64 }

// rounding exceeds the relative rounding error of a sum of scores.
const rounding = 1e-9

// raise raises the floor to score, less its rounding error, unless it is higher already. It returns the floor. Without that allowance,
// rounding could put a document of the k best below the floor.
func (f *floor) raise(score float64) float64 {
	score *= 1 - rounding
	for {
		old := f.bits.Load() // the bits of positive numbers have the order of the numbers
		if math.Float64bits(score) <= old {
			return math.Float64frombits(old)
		}
		if f.bits.CompareAndSwap(old, math.Float64bits(score)) {
			return score
		}
	}
}

// lengths computes the part of BM25 that depends on the number of terms of a table.
type lengths struct {
	average float64   // terms of a table
	most    float64   // the most that a term of weight 1 adds to a score
	norms   []float64 // by number of terms, up to 255
}

// newLengths returns the lengths of a corpus. average is the mean number of terms of its tables.
func newLengths(average float64) lengths {
	// A table of n terms has a term n times at most. BM25's score for that rises with n, to this limit.
	l := lengths{average: average, most: (bm25K1 + 1) / (1 + bm25K1*bm25B/average)}
	for length := range 256 { // float32 rounds as the library does
		l.norms = append(l.norms, l.norm(float64(float32(1/math.Sqrt(float64(length))))))
	}
	return l
}

// norm returns BM25's normalisation of a table's length: k1·(1 - b + b·length/average). root is 1/√length, as the
// library stores it, in 32 bits.
func (l *lengths) norm(root float64) float64 {
	return bm25K1 * (1 - bm25B + bm25B*(1/(root*root))/l.average)
}

// score returns the part of a table's score that comes from one term, of the given weight. p is the term's posting for the table.
func (l *lengths) score(weight float64, p segment.Posting) float64 {
	tf := float64(p.Frequency())
	return weight * tf * (bm25K1 + 1) / (tf + l.normOf(p))
}

// normOf returns the norm of the table of a posting, for short tables from l.norms.
func (l *lengths) normOf(p segment.Posting) float64 {
	z, ok := p.(*zap.Posting)
	if !ok {
		return l.norm(p.Norm())
	}
	if length := z.NormUint64(); length < uint64(len(l.norms)) { // the library stores the number of terms as the norm
		return l.norms[length]
	}
	return l.norm(z.Norm())
}
