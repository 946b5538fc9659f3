package retriever

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/lexicon"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", path, diff)
	}
}

func ids(hits []Hit) []string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Table.ID)
	}
	return ids
}

type labelled struct {
	Query    Query    `json:"query"`
	Relevant []string `json:"relevant"`
}

// TestQuality pins what is found for the labelled queries of testdata, with
// recall at 5 and 10 and the mean reciprocal rank of the first relevant table.
func TestQuality(t *testing.T) {
	idx, _ := build(t, corpus(t), BuildOptions{})
	var queries []labelled
	readJSON(t, filepath.Join("testdata", "queries.json"), &queries)
	var b strings.Builder
	var at5, at10, mrr float64
	for _, q := range queries {
		hits, err := idx.Search(context.Background(), q.Query, 10)
		if err != nil {
			t.Fatal(err)
		}
		found := ids(hits)
		recall := func(k int) (n float64) {
			for _, id := range q.Relevant {
				if slices.Contains(found[:min(k, len(found))], id) {
					n++
				}
			}
			return n / float64(len(q.Relevant))
		}
		at5, at10 = at5+recall(5), at10+recall(10)
		if i := slices.IndexFunc(found, func(id string) bool { return slices.Contains(q.Relevant, id) }); i >= 0 {
			mrr += 1 / float64(i+1)
		}
		fmt.Fprintf(&b, "%s: %s\n", q.Query.Name, strings.Join(found, " "))
	}
	n := float64(len(queries))
	fmt.Fprintf(&b, "recall@5 %.3f, recall@10 %.3f, MRR %.3f\n", at5/n, at10/n, mrr/n)
	golden(t, "quality.golden", b.String())
}

func TestSearch(t *testing.T) {
	tables := []*Table{
		made("b", "Singers", []string{"singer", "country"}, 2), made("a", "Singers", []string{"singer", "country"}, 3),
		made("c", "Big singing dogs", []string{"dog", "breed", "owner"}, 2), made("d", "", []string{"the", "of"}, 2),
	}
	idx, _ := build(t, tables, BuildOptions{})
	for _, tc := range []struct {
		name string
		q    Query
		k    int
		want string
	}{
		{"ties by id", Query{Headers: []string{"singers"}}, 10, "a b"},
		{"ties cut by id", Query{Headers: []string{"singers"}}, 1, "a"},
		{"identifiers are parted", Query{Name: "dog_breed"}, 10, "c"},
		{"camel case", Query{Headers: []string{"dogOwner"}}, 10, "c"},
		{"questions", Query{Questions: []string{"Which dogs have owners?"}}, 10, "c"},
		{"questions beyond the first ten", Query{Questions: append(slices.Repeat([]string{"singers"}, 10), "dogs")}, 10, "a b"},
		{"no word in common", Query{Headers: []string{"xyzzy"}}, 10, ""},
		{"stop words only", Query{Name: "of the"}, 10, ""},
		{"nothing", Query{}, 10, ""},
		{"none asked for", Query{Name: "dog"}, 0, ""},
	} {
		hits, err := idx.Search(context.Background(), tc.q, tc.k)
		if got := strings.Join(ids(hits), " "); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.name, got, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := idx.Search(ctx, Query{Name: "dog"}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSearchRarest asks for 16 terms: the 15 rarest are searched for.
func TestSearchRarest(t *testing.T) {
	rare := strings.Fields("amber birch cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north ocean")
	all := append(rare, "shared")
	idx, _ := build(t, []*Table{made("rare", "", all, 1), made("other", "", []string{"shared", "thing"}, 2)}, BuildOptions{})
	hits, err := idx.Search(t.Context(), Query{Headers: all}, 10)
	if got := strings.Join(ids(hits), " "); err != nil || got != "rare" {
		t.Errorf("%q, %v, want the table of the rarest terms alone", got, err)
	}
}

// TestSearchConcurrently wants of eight goroutines what one finds.
func TestSearchConcurrently(t *testing.T) {
	idx, _ := build(t, corpus(t), BuildOptions{})
	var queries []labelled
	readJSON(t, filepath.Join("testdata", "queries.json"), &queries)
	find := func() (found []string) {
		for _, q := range queries {
			hits, err := idx.Search(context.Background(), q.Query, 5)
			if err != nil {
				t.Error(err)
			}
			found = append(found, ids(hits)...)
		}
		return found
	}
	want := find()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if got := find(); !slices.Equal(got, want) {
					t.Errorf("found %q, want %q", got, want)
				}
			}
		})
	}
	wg.Wait()
}

// fakeVectors are two-dimensional.
type fakeVectors map[string][2]float32

func (fakeVectors) Dim() int { return 2 }

func (v fakeVectors) Lookup(dst []float32, term string) ([]float32, bool) {
	x, ok := v[term]
	if !ok {
		return dst, false
	}
	return append(dst, x[:]...), true
}

func TestRescorer(t *testing.T) {
	idx, _ := build(t, []*Table{
		made("a", "", []string{"club", "stone"}, 1), made("b", "", []string{"club", "footballTeam"}, 2), made("c", "", []string{"club", "squad"}, 3),
	}, BuildOptions{})
	vectors := fakeVectors{"club": {1, 0}, "football": {1, 0.1}, "team": {1, 0.2}, "football team": {0.9, 0.1}, "stone": {-1, 1}, "squad": {0, 1}}
	for _, tc := range []struct {
		name string
		r    *Rescorer
		k    int
		want string
	}{
		{"without", nil, 3, "a c b"},
		{"by meaning", &Rescorer{Vectors: vectors}, 3, "b c a"},
		{"cut after the new order", &Rescorer{Vectors: vectors}, 1, "b"},
		{"unknown words", &Rescorer{Vectors: fakeVectors{}}, 3, "a c b"},
	} {
		idx.Rescorer = tc.r
		hits, err := idx.Search(context.Background(), Query{Headers: []string{"club"}}, tc.k)
		if got := strings.Join(ids(hits), " "); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.name, got, err, tc.want)
		}
	}
}

// BenchmarkRescore orders the hits of two searches that share their tables and reports how
// many times as long it takes with no vector kept.
func BenchmarkRescore(b *testing.B) {
	vectors := lexicon.Default()
	var hits []Hit
	for i, header := range strings.Fields("name country city year founded_date population area_in_square_km director title genre") {
		hits = append(hits, Hit{&Table{ID: header, Columns: []Column{{Name: header}, {Name: "total " + header}, {Name: "rank"}}}, float64(10 - i)})
	}
	query := Query{Headers: []string{"singer id", "song name", "release year"}}
	order := func(s *Rescorer) time.Duration {
		start := time.Now()
		s.rescore(query, slices.Clone(hits))
		return time.Since(start)
	}
	keeping := &Rescorer{Vectors: vectors}
	order(keeping)
	var kept, fresh time.Duration
	for b.Loop() {
		kept += order(keeping)
		fresh += order(&Rescorer{Vectors: vectors})
	}
	b.ReportMetric(fresh.Seconds()/kept.Seconds(), "x-nothing-kept")
}

// TestRanges searches documents in one range and in many: the hits and their scores are the
// same.
func TestRanges(t *testing.T) {
	idx, _ := build(t, corpus(t), BuildOptions{})
	var queries []labelled
	readJSON(t, filepath.Join("testdata", "queries.json"), &queries)
	for _, q := range queries {
		idx.ranges, idx.block, idx.scratch = 1, blockSize, sync.Pool{}
		want, err := idx.Search(t.Context(), q.Query, 20)
		if err != nil {
			t.Fatal(err)
		}
		idx.ranges, idx.block, idx.scratch = 7, 2, sync.Pool{}
		got, err := idx.Search(t.Context(), q.Query, 20)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-one range +seven)\n%s", q.Query.Name, err, diff)
		}
	}
}

// TestPruned searches for few tables, which leaves out most documents of frequent terms, and
// for all: the few are the first of all, with the same scores.
func TestPruned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("word%c", 'a'+min(rng.IntN(26), rng.IntN(26), rng.IntN(26))) }
	words := func(n int) (list []string) {
		for range n {
			list = append(list, word())
		}
		return list
	}
	var tables []*Table
	for i := range 2000 {
		table := &Table{ID: fmt.Sprint(i), Caption: strings.Join(words(rng.IntN(4)), " ")}
		for _, name := range words(1 + rng.IntN(5)) {
			table.Columns = append(table.Columns, Column{Name: name, Cells: []string{fmt.Sprint(i)}}) // cells of its own: no near-duplicates
		}
		tables = append(tables, table)
	}
	idx, _ := build(t, tables, BuildOptions{})
	asked, pruned := 0, 0
	for i := range 60 {
		idx.ranges, idx.block, idx.scratch = 1+i%3, 64, sync.Pool{}
		q := Query{Name: word(), Headers: words(6), Questions: words(3)}
		all, err := idx.bestTables(t.Context(), q, idx.Len()+1)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 7, 50} {
			few, err := idx.bestTables(t.Context(), q, k)
			if err != nil || !slices.Equal(few, all[:min(k, len(all))]) {
				t.Fatalf("%v: the %d best are %v, expected %v (%v)", q, k, few, all[:k], err)
			}
			asked++
			if read, all := readOf(t, idx, q, k); read < all {
				pruned++
			}
		}
	}
	if pruned < asked/2 {
		t.Errorf("%d of %d searches left documents out, expected most", pruned, asked)
	}
}

// readOf returns how many postings a search of all documents reads, and how many its terms have.
func readOf(t *testing.T, idx *Index, q Query, k int) (read, all int) {
	t.Helper()
	terms, err := idx.queryTerms(q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range terms {
		all += int(terms[i].postings.Count())
		terms[i].postings = countedPostings{terms[i].postings, &read}
	}
	p := idx.newRangeSearch(0, k, new(floor))
	p.to = p.length
	if err := p.search(t.Context(), terms); err != nil {
		t.Fatal(err)
	}
	return read, all
}

// countedPostings counts the postings that are read.
type countedPostings struct {
	segment.PostingsList
	read *int
}

func (c countedPostings) Iterator(freq, norm, locations bool, _ segment.PostingsIterator) segment.PostingsIterator {
	return countedIterator{c.PostingsList.Iterator(freq, norm, locations, nil), c.read}
}

type countedIterator struct {
	segment.PostingsIterator
	read *int
}

func (c countedIterator) count(p segment.Posting, err error) (segment.Posting, error) {
	if p != nil {
		*c.read++
	}
	return p, err
}

func (c countedIterator) Next() (segment.Posting, error) { return c.count(c.PostingsIterator.Next()) }

func (c countedIterator) Advance(to uint64) (segment.Posting, error) {
	return c.count(c.PostingsIterator.Advance(to))
}

// fakePosting is a posting of a document, and what the iterator of a damaged index gives.
type fakePosting struct {
	segment.Posting
	segment.PostingsIterator
	number uint64
}

func (f fakePosting) Number() uint64                 { return f.number }
func (f fakePosting) Frequency() uint64              { return 1 }
func (f fakePosting) Norm() float64                  { return 1 }
func (f fakePosting) Next() (segment.Posting, error) { return fakePosting{number: 3}, nil }
func (f fakePosting) Size() int                      { return 0 }

// TestPostingsOutOfOrder reads postings that step back behind the block.
func TestPostingsOutOfOrder(t *testing.T) {
	lengths := newLengths(1)
	p := rangeSearch{lengths: &lengths, scores: make([]float64, 10)}
	c := cursor{weighted: weighted{term: "club"}, postings: fakePosting{}, current: fakePosting{number: 12}}
	if err := p.addAll(&c, 10, 20); err == nil || !strings.Contains(err.Error(), `document 3 of term "club"`) {
		t.Errorf("%v, expected an error that tells of document 3", err)
	}
}

// TestTop keeps the best of scores as sorting them does.
func TestTop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	scores := make([]float64, 200)
	for i := range scores {
		scores[i] = float64(1 + rng.IntN(50))
	}
	for _, k := range []int{1, 2, 50, 200, 201} {
		top := top{k: k}
		for _, s := range scores {
			top.add(s)
		}
		want := 0.0
		if k <= len(scores) {
			want = slices.Sorted(slices.Values(scores))[len(scores)-k]
		}
		if top.lowest() != want {
			t.Errorf("the best but %d is %v, expected %v", k, top.lowest(), want)
		}
	}
}

// TestTiesInterrupted interrupts a search while it looks up the tables that it found.
func TestTiesInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, err := new(Index).cutBest(ctx, []scored{{1, 1}, {2, 1}}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected %v", err, context.Canceled)
	}
}
