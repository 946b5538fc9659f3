package retriever

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	index "github.com/blevesearch/bleve_index_api"
	"golang.org/x/sync/errgroup"
)

// Query asks for the tables closest to one that has questions.
type Query struct {
	Name      string   // natural name of the table
	Headers   []string // natural names of its columns
	Questions []string // asked about it; the first MaxQuestions count

	// Distinct keeps, of the tables with the same headers, the best one alone:
	// for their headers they are one table.
	Distinct bool

	MaxTerms     int // terms searched for, those that carry most; 0 means DefaultMaxTerms
	MaxQuestions int // 0 means DefaultMaxQuestions
}

// The defaults of a [Query]. ADVETA (section 4.1) queries with the table's
// headers and the questions on it; the bounds are this package's own, as time
// grows with the number of terms.
const (
	DefaultMaxTerms     = 15
	DefaultMaxQuestions = 10
)

// How much a query's word weighs by where it is from. A word of a question
// weighs the most where every question has it. The values were chosen on the 81
// Spider tables of ADVETA 1.0.
const (
	nameWeight     = 0.5
	headerWeight   = 1.0
	questionWeight = 0.5
)

// The parameters of BM25: saturation of a term's frequency, and normalisation
// by length.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// Hit is a table that a search found.
type Hit struct {
	Table *Table
	Score float64 // BM25, or what the Rescorer made of it; comparable within one search
}

// scored is a hit before its table is loaded.
type scored struct {
	ordinal int
	score   float64
}

// Search returns the k best tables, best first; equally good ones in the order
// of their ids. There are fewer than k where fewer share a word with the query.
//
// The score is BM25 over captions and headers, summed over the query's terms
// with their weights. It is computed here, from the postings, and not by the
// index library: that counts idf twice, takes distinct terms per table for the
// average length, and adds up in an order that varies between builds.
func (x *Index) Search(ctx context.Context, q Query, k int) ([]Hit, error) {
	if k <= 0 {
		return nil, nil
	}
	if err := x.check(ctx); err != nil {
		return nil, err
	}
	depth := k
	if x.Rescorer != nil {
		depth = max(k, x.Rescorer.depth())
	}
	if q.Distinct {
		depth *= distinctDepth
	}
	best, err := x.best(ctx, q, depth)
	if err != nil {
		return nil, fmt.Errorf("search tables for %q: %w", q.Name, err)
	}
	hits := make([]Hit, len(best))
	for i, s := range best {
		t, err := x.tables.table(s.ordinal)
		if err != nil {
			return nil, err
		}
		hits[i] = Hit{t, s.score}
	}
	if q.Distinct {
		hits = distinct(hits)
	}
	if x.Rescorer != nil {
		x.Rescorer.rescore(q, hits)
	}
	return hits[:min(k, len(hits))], nil
}

// distinctDepth is how many times more hits are looked at to find distinct ones.
const distinctDepth = 4

// distinct drops the hits whose set of headers a better hit has.
func distinct(hits []Hit) []Hit {
	seen := make(map[string]bool, len(hits))
	return slices.DeleteFunc(hits, func(h Hit) bool {
		headers := h.Table.Headers()
		for i, name := range headers {
			headers[i] = strings.ToLower(name)
		}
		slices.Sort(headers)
		key := strings.Join(slices.Compact(headers), "\x00")
		if seen[key] {
			return true
		}
		seen[key] = true
		return false
	})
}

func (x *Index) best(ctx context.Context, q Query, k int) ([]scored, error) {
	r, err := x.terms.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	terms, err := x.queryTerms(ctx, r, q)
	if err != nil {
		return nil, err
	}
	acc, _ := x.scratch.Get().(*accumulator)
	if acc == nil {
		acc = &accumulator{scores: make([]float64, x.Len()), touched: make([][]uint32, x.ranges)}
	}
	defer func() { acc.reset(); x.scratch.Put(acc) }()
	g, ctx := errgroup.WithContext(ctx)
	for i := range x.ranges {
		g.Go(func() error {
			for _, t := range terms {
				if err := x.accumulate(ctx, r, t, acc, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return acc.top(r, k)
}

// rangeSize is how many tables are worth a range of their own.
const rangeSize = 1 << 17

// weighted is a term of a query.
type weighted struct {
	term   string
	weight float64 // idf × weight in the query
}

// queryTerms returns the terms that carry most, best first.
func (x *Index) queryTerms(ctx context.Context, r index.IndexReader, q Query) ([]weighted, error) {
	n := float64(x.Len())
	terms := x.weigh(q)
	for i := range terms {
		postings, err := r.TermFieldReader(ctx, []byte(terms[i].term), textField, false, false, false)
		if err != nil {
			return nil, err
		}
		df := float64(postings.Count())
		if err := postings.Close(); err != nil {
			return nil, err
		}
		if df == 0 {
			terms[i].weight = 0
		}
		terms[i].weight *= math.Log(1 + (n-df+0.5)/(df+0.5))
	}
	slices.SortFunc(terms, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.term, b.term))
	})
	limit := q.MaxTerms
	fill(&limit, DefaultMaxTerms)
	terms = terms[:min(limit, len(terms))]
	return slices.DeleteFunc(terms, func(t weighted) bool { return t.weight == 0 }), nil
}

// weigh returns the distinct terms of a query with their weights in it.
func (x *Index) weigh(q Query) []weighted {
	weights := make(map[string]float64)
	var terms []weighted
	add := func(text string, weight float64) {
		found := x.analyzer.terms(nil, text)
		slices.Sort(found)
		for _, term := range slices.Compact(found) {
			if _, ok := weights[term]; !ok {
				terms = append(terms, weighted{term: term})
			}
			weights[term] += weight
		}
	}
	add(q.Name, nameWeight)
	add(strings.Join(q.Headers, "\n"), headerWeight)
	limit := q.MaxQuestions
	fill(&limit, DefaultMaxQuestions)
	questions := q.Questions[:min(limit, len(q.Questions))]
	for _, question := range questions {
		add(question, questionWeight/float64(len(questions)))
	}
	for i := range terms {
		terms[i].weight = weights[terms[i].term]
	}
	return terms
}

// accumulate adds the scores of one term in the i-th range of documents. Each document's
// are added in the order of the terms, however many ranges there are.
func (x *Index) accumulate(ctx context.Context, r index.IndexReader, t weighted, acc *accumulator, i int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	postings, err := r.TermFieldReader(ctx, []byte(t.term), textField, true, true, false)
	if err != nil {
		return err
	}
	defer postings.Close()
	from, to := uint64(i*x.Len()/x.ranges), uint64((i+1)*x.Len()/x.ranges)
	if i == x.ranges-1 {
		to = math.MaxUint64 // a document beyond the last is an error
	}
	var doc *index.TermFieldDoc
	if from > 0 {
		doc, err = postings.Advance(index.NewIndexInternalID(nil, from), nil)
	} else {
		doc, err = postings.Next(nil)
	}
	for ; err == nil && doc != nil && doc.ID.Value() < to; doc, err = postings.Next(doc) {
		tf := float64(doc.Freq)
		length := 1 / (doc.Norm * doc.Norm)
		norm := bm25K1 * (1 - bm25B + bm25B*length/x.average)
		if err := acc.add(i, doc.ID.Value(), t.weight*tf*(bm25K1+1)/(tf+norm)); err != nil {
			return err
		}
	}
	return err
}

// accumulator sums the scores of documents, by the index's numbers.
type accumulator struct {
	scores  []float64
	touched [][]uint32 // by range
}

func (a *accumulator) add(i int, doc uint64, score float64) error {
	if doc >= uint64(len(a.scores)) {
		return fmt.Errorf("inverted index has a document %d, expected less than %d", doc, len(a.scores))
	}
	if a.scores[doc] == 0 {
		a.touched[i] = append(a.touched[i], uint32(doc))
	}
	a.scores[doc] += score
	return nil
}

func (a *accumulator) reset() {
	for i := range a.touched {
		for _, doc := range a.touched[i] {
			a.scores[doc] = 0
		}
		a.touched[i] = a.touched[i][:0]
	}
}

// top returns the k best documents. Those that tie with the last are all looked
// up before the cut, as only ordinals decide between them.
func (a *accumulator) top(r index.IndexReader, k int) ([]scored, error) {
	least := a.least(k)
	var best []scored
	var id index.IndexInternalID
	for doc := range a.all() {
		if a.scores[doc] < least {
			continue
		}
		id = index.NewIndexInternalID(id, uint64(doc))
		name, err := r.ExternalID(id)
		if err != nil {
			return nil, err
		}
		ordinal, err := strconv.Atoi(name)
		if err != nil {
			return nil, fmt.Errorf("inverted index has a document %q, expected a number", name)
		}
		best = append(best, scored{ordinal, a.scores[doc]})
	}
	slices.SortFunc(best, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.ordinal, y.ordinal))
	})
	return best[:min(k, len(best))], nil
}

// all gives the documents that have a score.
func (a *accumulator) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, docs := range a.touched {
			for _, doc := range docs {
				if !yield(doc) {
					return
				}
			}
		}
	}
}

// least returns the k-th best score, or 0 where there are fewer.
func (a *accumulator) least(k int) float64 {
	n := 0
	for _, docs := range a.touched {
		n += len(docs)
	}
	if n <= k {
		return 0
	}
	top := make([]float64, 0, k+1) // ascending
	for doc := range a.all() {
		score := a.scores[doc]
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
