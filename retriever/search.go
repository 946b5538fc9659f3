package retriever

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// Hit is a table that a search found.
type Hit struct {
	Table *Table
	Score float64 // BM25, or what the Rescorer made of it; comparable within one search
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
	want := len(best)
	if x.Rescorer == nil {
		want = k // the rest would be dropped
	}
	hits, err := x.load(best, q.Distinct, want)
	if err != nil {
		return nil, err
	}
	if x.Rescorer != nil {
		x.Rescorer.rescore(q, hits)
	}
	return hits[:min(k, len(hits))], nil
}

// load reads tables, best first, until it has as many as are wanted. Of distinct ones it
// drops those whose set of headers a better one has.
func (x *Index) load(best []scored, distinct bool, want int) (hits []Hit, err error) {
	seen := make(map[string]bool, want)
	for _, s := range best {
		if len(hits) == want {
			break
		}
		t, err := x.tables.table(s.ordinal)
		if err != nil {
			return nil, err
		}
		if distinct {
			key := headersOf(t)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		hits = append(hits, Hit{t, s.score})
	}
	return hits, nil
}

// distinctDepth is how many times more hits are looked at to find distinct ones.
const distinctDepth = 4

// headersOf is equal for tables with the same headers.
func headersOf(t *Table) string {
	headers := t.Headers()
	for i, name := range headers {
		headers[i] = strings.ToLower(name)
	}
	slices.Sort(headers)
	return strings.Join(slices.Compact(headers), "\x00")
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
