package retriever

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Query asks for the tables most similar to one table with questions.
type Query struct {
	Name      string   // natural name of the table
	Headers   []string // natural names of its columns
	Questions []string // asked about it; the first maxQuestions count

	// Distinct keeps only the best of tables with equal headers. A caller that takes only
	// their headers needs no more.
	Distinct bool
}

// The bounds of a [Query]. ADVETA (section 4.1) queries with the table's
// headers and the questions on it; the bounds are this package's own, as time
// grows with the number of terms.
const (
	maxTerms     = 15 // the heaviest terms are searched for
	maxQuestions = 10
)

// The weights of a query's words by their origin. A word has questionWeight if every
// question has it, else a share of it. The values were chosen on the 81 Spider tables of
// ADVETA 1.0.
const (
	nameWeight     = 0.5
	headerWeight   = 1.0
	questionWeight = 0.5
)

// Hit is a table that a search found.
type Hit struct {
	Table *Table
	Score float64 // BM25, or the Rescorer's; comparable within one search
}

// Search returns the k best tables, best first, ties in the order of their ids. It returns
// fewer if fewer share a word with the query.
//
// The score is BM25 over captions and headers, summed over the query's terms with their
// weights. Search computes it from the postings. The index library's own score counts idf
// twice, takes the distinct terms of a table for its length, and is summed in an order that
// varies between builds.
func (x *Index) Search(ctx context.Context, q Query, k int) ([]Hit, error) {
	if k <= 0 {
		return nil, nil
	}
	if err := x.checkFiles(ctx); err != nil {
		return nil, err
	}
	depth := k
	if x.Rescorer != nil {
		depth = max(k, rescoreDepth)
	}
	if q.Distinct { // loadHits drops some of them
		depth *= distinctDepth
	}
	best, err := x.bestTables(ctx, q, depth)
	if err != nil {
		return nil, fmt.Errorf("search tables for %q: %w", q.Name, err)
	}
	want := len(best) // the rescorer orders them all
	if x.Rescorer == nil {
		want = k
	}
	hits, err := x.loadHits(best, q.Distinct, want)
	if err != nil {
		return nil, err
	}
	if x.Rescorer != nil {
		x.Rescorer.rescore(q, hits)
	}
	return hits[:min(k, len(hits))], nil
}

// loadHits reads the tables of hits, best first, until there are want of them. If distinct is set, it
// skips a table that has the same headers as a better one.
func (x *Index) loadHits(best []scored, distinct bool, want int) (hits []Hit, err error) {
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
			key := headerKey(t)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		hits = append(hits, Hit{t, s.score})
	}
	return hits, nil
}

// distinctDepth is the factor by which a search for distinct tables takes more hits.
const distinctDepth = 4

// headerKey returns a text that is equal for tables with the same set of headers.
func headerKey(t *Table) string {
	headers := lists.Map(t.Headers(), strings.ToLower)
	slices.Sort(headers)
	return strings.Join(slices.Compact(headers), "\x00")
}

// weighTerms returns the distinct terms of a query. The weight of a term is the sum of the weights of the
// name, the headers and the questions that have it.
func (x *Index) weighTerms(q Query) []weighted {
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
	questions := q.Questions[:min(maxQuestions, len(q.Questions))]
	for _, question := range questions {
		add(question, questionWeight/float64(len(questions)))
	}
	for i := range terms {
		terms[i].weight = weights[terms[i].term]
	}
	return terms
}
