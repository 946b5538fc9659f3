package rerank

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/lexicon"
)

var update = flag.Bool("update", false, "write the golden files")

func names(ranked []Ranked) []string {
	var out []string
	for _, r := range ranked {
		out = append(out, r.Name)
	}
	return out
}

func TestRankClears(t *testing.T) {
	r := &Reranker{Vectors: lexicon.Default()}
	in := []string{"Salary", "wage", "Wages", "WAGE", "salaries", "qqqzzz", "", "--", "pay_", "tree"}
	got := r.Rank("salary", in, []string{"Pay", "age"}, DefaultTopK)
	if diff := cmp.Diff([]string{"wage", "tree"}, names(got)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if got[0].Index != 1 {
		t.Errorf("index of wage %d, want that of its first spelling, 1", got[0].Index)
	}
}

func TestRankUnknownTarget(t *testing.T) {
	r := &Reranker{Vectors: lexicon.Default()}
	if got := r.Rank("qqqzzz", []string{"wage"}, nil, DefaultTopK); len(got) != 0 {
		t.Errorf("Rank of an unknown target = %v, want none", got)
	}
}

func TestTopK(t *testing.T) {
	in := []string{"city", "country", "town", "village", "name", "age", "street", "river", "lake", "hill", "state",
		"county", "region", "province", "district", "address", "place", "location", "area", "site", "zone", "sea"}
	for _, tt := range []struct{ k, want int }{{0, 0}, {3, 3}, {-1, len(in)}, {100, len(in)}} {
		r := &Reranker{Vectors: lexicon.Default()}
		if got := len(r.Rank("home town", in, nil, tt.k)); got != tt.want {
			t.Errorf("k %d: %d names, want %d", tt.k, got, tt.want)
		}
	}
}

func TestUnknownWordsLower(t *testing.T) {
	r := &Reranker{Vectors: lexicon.Default()}
	if whole, half := r.Similarity("wage", "salary"), r.Similarity("wage", "qqqzzz salary"); half >= whole {
		t.Errorf("similarity %.3f with an unknown word, want below %.3f", half, whole)
	}
}

// The order depends neither on what is cached nor on concurrent use.
func TestCacheChangesNothing(t *testing.T) {
	in := strings.Fields("city country town village name age street river lake hill state county region")
	want := (&Reranker{Vectors: lexicon.Default()}).Rank("home town", in, nil, DefaultTopK)
	r := &Reranker{Vectors: lexicon.Default()}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if diff := cmp.Diff(want, r.Rank("home town", in, nil, DefaultTopK)); diff != "" {
					t.Errorf("with a cache (-want +got):\n%s", diff)
				}
			}
		})
	}
	wg.Wait()
}

// TestQuality pins ranking over a labelled list: each line of quality.txt is a
// target and the names that may replace it; the names of all other lines are
// its distractors.
func TestQuality(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "quality.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	relevant := map[string][]string{}
	var targets []string
	for line := range strings.Lines(string(data)) {
		target, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		targets = append(targets, target)
		relevant[target] = strings.Split(list, ", ")
		all = append(all, relevant[target]...)
	}
	r := &Reranker{Vectors: lexicon.Default()}
	var out strings.Builder
	var recall5, recall20, mrr float64
	for _, target := range targets {
		got := names(r.Rank(target, all, nil, DefaultTopK))
		var at5, at20, first int
		for i, name := range got {
			if slices.Contains(relevant[target], name) {
				at20++
				if i < 5 {
					at5++
				}
				if first == 0 {
					first = i + 1
				}
			}
		}
		n := float64(len(relevant[target]))
		recall5 += float64(at5) / n
		recall20 += float64(at20) / n
		if first > 0 {
			mrr += 1 / float64(first)
		}
		fmt.Fprintf(&out, "%s: first %d; %s\n", target, first, strings.Join(got[:min(5, len(got))], ", "))
	}
	n := float64(len(targets))
	fmt.Fprintf(&out, "recall@5 %.2f recall@20 %.2f MRR %.2f\n", recall5/n, recall20/n, mrr/n)
	golden(t, "quality.golden", out.String())
}

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
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func BenchmarkRank(b *testing.B) {
	table := lexicon.Default()
	in := make([]string, 5000)
	for i := range in {
		in[i] = table.Term(i*7) + " " + table.Term(i*5+1)
	}
	for _, name := range []string{"cold", "warm"} {
		b.Run(name, func(b *testing.B) {
			r := &Reranker{Vectors: table}
			r.Rank("home town", in, nil, DefaultTopK)
			for b.Loop() {
				if name == "cold" {
					r.entries.Clear()
				}
				r.Rank("home town", in, []string{"name", "age"}, DefaultTopK)
			}
			b.ReportMetric(float64(b.N*len(in))/b.Elapsed().Seconds(), "names/s")
		})
	}
}
