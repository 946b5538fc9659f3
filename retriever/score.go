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
	ordinal int
	score   float64
}

// best returns the k best tables. It is exact: what is left out could not be among them.
func (x *Index) best(ctx context.Context, q Query, k int) ([]scored, error) {
	terms, err := x.queryTerms(q)
	if err != nil {
		return nil, err
	}
	acc, _ := x.scratch.Get().(*accumulator)
	if acc == nil {
		acc = x.newAccumulator()
	}
	defer func() { acc.reset(); x.scratch.Put(acc) }()
	var floor floor
	g, ctx := errgroup.WithContext(ctx)
	for i := range acc.parts {
		g.Go(func() error { return x.accumulate(ctx, terms, &acc.parts[i], k, &floor) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return x.top(acc, k)
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

// accumulate adds up the scores of the documents of one range. Each document's are added in
// the order of the terms, however many ranges there are. The terms that carry most are the
// rarer ones; once k documents have more than all terms that are left could give another,
// those terms are asked only about the documents that still can be among the k best
// (MaxScore of Turtle and Flood, 1995, a term at a time).
func (x *Index) accumulate(ctx context.Context, terms []weighted, p *part, k int, floor *floor) error {
	i, least := 0, 0.0
	for ; i < len(terms) && least <= terms[i].left; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.addAll(terms[i], p); err != nil {
			return err
		}
		if i+1 < len(terms) && p.best > terms[i+1].left {
			least = floor.raise(p.least(p.touched, k))
		}
	}
	left := 0.0
	if i < len(terms) {
		left = terms[i].left
	}
	p.begin(least - left)
	for ; i < len(terms); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.keep(least - terms[i].left)
		if err := x.addKept(terms[i], p); err != nil {
			return err
		}
		least = floor.raise(p.least(p.kept, k))
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

// addAll adds the scores of a term to all documents of a range.
func (x *Index) addAll(t weighted, p *part) error {
	postings := t.postings.Iterator(true, true, false, nil)
	posting, err := first(postings, p.from)
	for ; err == nil && posting != nil && posting.Number() < p.to; posting, err = postings.Next() {
		doc := posting.Number()
		if doc >= uint64(len(p.scores)) {
			return fmt.Errorf("inverted index has a document %d, expected less than %d", doc, len(p.scores))
		}
		if p.scores[doc] == 0 {
			p.touched = append(p.touched, uint32(doc))
		}
		p.scores[doc] += x.lengths.score(t.weight, posting)
		p.best = max(p.best, p.scores[doc])
	}
	return err
}

// addKept adds the scores of a term to the documents that are kept.
func (x *Index) addKept(t weighted, p *part) error {
	if len(p.kept) == 0 {
		return nil
	}
	postings := t.postings.Iterator(true, true, false, nil)
	posting, err := first(postings, uint64(p.kept[0]))
	for _, doc := range p.kept {
		if err == nil && posting != nil && posting.Number() < uint64(doc) {
			posting, err = postings.Advance(uint64(doc))
		}
		if err != nil || posting == nil {
			return err
		}
		if posting.Number() == uint64(doc) {
			p.scores[doc] += x.lengths.score(t.weight, posting)
		}
	}
	return nil
}

// first begins with the document from or the next that has the term.
func first(postings segment.PostingsIterator, from uint64) (segment.Posting, error) {
	if from == 0 {
		return postings.Next()
	}
	return postings.Advance(from)
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

// accumulator sums the scores of documents, by the index's numbers.
type accumulator struct {
	scores []float64
	parts  []part
}

// part is a range of the documents. Its scores are those of all.
type part struct {
	scores        []float64
	from, to      uint64
	best          float64  // score
	touched, kept []uint32 // documents with a score; those that can be among the best
	set           []uint64 // bits of documents, from the first; none between uses
}

func (x *Index) newAccumulator() *accumulator {
	acc := &accumulator{make([]float64, x.Len()), make([]part, x.ranges)}
	for i := range acc.parts {
		p := &acc.parts[i]
		p.scores, p.from, p.to = acc.scores, uint64(i*x.Len()/x.ranges), uint64((i+1)*x.Len()/x.ranges)
		p.set = make([]uint64, (p.to-p.from)/64+1)
	}
	acc.parts[x.ranges-1].to = math.MaxUint64 // a document beyond the last is an error
	return acc
}

func (a *accumulator) reset() {
	for i := range a.parts {
		p := &a.parts[i]
		for _, doc := range p.touched {
			p.scores[doc] = 0
		}
		p.touched, p.kept, p.best = p.touched[:0], p.kept[:0], 0
	}
}

// begin keeps the documents with a score that is not less than least, in their order.
func (p *part) begin(least float64) {
	for _, doc := range p.touched {
		if at := uint64(doc) - p.from; p.scores[doc] >= least {
			p.set[at/64] |= 1 << (at % 64)
		}
	}
	p.kept = p.kept[:0]
	for i, word := range p.set {
		for ; word != 0; word &= word - 1 {
			p.kept = append(p.kept, uint32(p.from)+uint32(64*i+bits.TrailingZeros64(word)))
		}
		p.set[i] = 0
	}
}

// keep drops the documents with less than least.
func (p *part) keep(least float64) {
	p.kept = slices.DeleteFunc(p.kept, func(doc uint32) bool { return p.scores[doc] < least })
}

// least returns the k-th best score of docs, or 0 where there are fewer.
func (p *part) least(docs []uint32, k int) float64 {
	if len(docs) < k {
		return 0
	}
	top := make([]float64, 0, k+1) // ascending
	for _, doc := range docs {
		score := p.scores[doc]
		if len(top) == k && score <= top[0] {
			continue
		}
		i, _ := slices.BinarySearch(top, score)
		top = slices.Insert(top, i, score)
		if len(top) > k {
			top = slices.Delete(top, 0, 1)
		}
	}
	return top[0]
}

// top returns the k best documents. Those that tie with the last are all looked
// up before the cut, as only ordinals decide between them.
func (x *Index) top(acc *accumulator, k int) ([]scored, error) {
	all := part{scores: acc.scores}
	for _, p := range acc.parts {
		all.kept = append(all.kept, p.kept...)
	}
	all.keep(all.least(all.kept, k))
	best := make([]scored, len(all.kept))
	for i, doc := range all.kept {
		name, err := x.segment.DocID(uint64(doc))
		if err != nil {
			return nil, err
		}
		if best[i].ordinal, err = strconv.Atoi(string(name)); err != nil {
			return nil, fmt.Errorf("inverted index has a document %q, expected a number", name)
		}
		best[i].score = acc.scores[doc]
	}
	slices.SortFunc(best, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.ordinal, y.ordinal))
	})
	return best[:min(k, len(best))], nil
}
