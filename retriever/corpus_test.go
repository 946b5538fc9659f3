package retriever

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// publicTables reads the three public corpora of web tables.
func publicTables(tb testing.TB) dataset.Stream[*Table] {
	tb.Helper()
	var sources []string
	for _, c := range [][]string{
		{"csv", "wtq", "csv.tar.gz"}, {"tabfact", "tabfact", "all_csv.tar.gz"}, {"wdc", "webtables", "semaida_T2D.tar.gz"},
	} {
		sources = append(sources, c[0]+":"+shared.File(tb, "data", c[1], c[2]))
	}
	tables, err := OpenAll(sources, Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return tables
}

// TestPublicCounts pins what is read of each public corpus by itself. Of the
// 779 tables of T2D, 90 declare no header and 13 have none with a letter.
func TestPublicCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	for _, tc := range []struct {
		kind             string
		path             []string
		tables, noHeader int
		captions         int
	}{
		{"csv", []string{"wtq", "csv.tar.gz"}, 2104, 4, 0},
		{"wdc", []string{"webtables", "semaida_T2D.tar.gz"}, 676, 103, 663},
		{"jsonl", []string{"wikisql", "followup_tables.jsonl.gz"}, 120, 0, 104},
		{"jsonl", []string{"fetaqa", "fetaQA-v1_dev.jsonl.gz"}, 998, 3, 998},
		{"jsonl", []string{"fetaqa"}, 2996, 8, 2996},
		{"spider", []string{"spider", "tables.json"}, 876, 0, 876},
	} {
		path := shared.File(t, append([]string{"data"}, tc.path...)...)
		seq, err := Open(tc.kind, path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var tables, noHeader, captions int
		for table, err := range streamtest.All(seq) {
			switch {
			case errors.Is(err, ErrNoHeader):
				noHeader++
			case err != nil:
				t.Error(err)
			default:
				tables++
				if table.Caption != "" {
					captions++
				}
			}
		}
		if tables != tc.tables || noHeader != tc.noHeader || captions != tc.captions {
			t.Errorf("%v: %d tables, %d without header, %d captions; want %d, %d, %d", tc.path, tables, noHeader, captions, tc.tables, tc.noHeader, tc.captions)
		}
	}
}

// TestPublicIndex pins what becomes of the 2108 + 16573 + 779 tables of the
// three corpora, and how many of the names that ADVETA's authors chose to add
// to Spider's columns are among the headers of the 100 tables found for each.
func TestPublicIndex(t *testing.T) {
	shared.Quality(t)
	idx, stats := publicIndex(t)
	if want := (Stats{Read: 19460, Indexed: 18525, NearDuplicates: 794, NoHeader: 141}); stats != want {
		t.Errorf("%v, want %v", stats, want)
	}
	queries := advetaQueries(t)
	found, chosen := 0, 0
	for _, q := range queries {
		hits, err := idx.Search(context.Background(), q.Query, 100)
		if err != nil || len(hits) != 100 {
			t.Errorf("%s: %d hits, %v, want 100", q.Name, len(hits), err)
		}
		names := make(map[string]bool)
		for _, h := range hits {
			for _, c := range h.Table.Columns {
				names[string(appendFolded(nil, c.Name))] = true
			}
		}
		for _, name := range q.chosen {
			if names[string(appendFolded(nil, name))] {
				found++
			}
		}
		chosen += len(q.chosen)
	}
	if len(queries) != 81 || found != 224 || chosen != 1371 {
		t.Errorf("%d tables, %d of %d names among the headers found; want 81, 224 of 1371", len(queries), found, chosen)
	}
}

func publicIndex(tb testing.TB) (*Index, Stats) {
	tb.Helper()
	idx, stats, err := BuildTemp(context.Background(), publicTables(tb), BuildOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { idx.Close() })
	return idx, stats
}

// BenchmarkBuild reads and indexes the public corpora.
func BenchmarkBuild(b *testing.B) {
	tables, dir := publicTables(b), b.TempDir()
	n := 0
	for b.Loop() {
		stats, err := Build(context.Background(), filepath.Join(dir, "index"), tables, BuildOptions{})
		if err != nil {
			b.Fatal(err)
		}
		n += stats.Read
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tables/s")
}

// BenchmarkIndex indexes tables that are already read.
func BenchmarkIndex(b *testing.B) {
	dir := b.TempDir()
	var tables []*Table
	for t, err := range streamtest.All(publicTables(b)) {
		if err == nil {
			tables = append(tables, t)
		}
	}
	n := 0
	for b.Loop() {
		stats, err := Build(context.Background(), filepath.Join(dir, "index"), sequence(tables), BuildOptions{})
		if err != nil {
			b.Fatal(err)
		}
		n += stats.Read
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tables/s")
}

// BenchmarkSearch finds and loads 100 tables for each Spider table of ADVETA in
// turn.
func BenchmarkSearch(b *testing.B) {
	idx, _ := publicIndex(b)
	queries := advetaQueries(b)
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := idx.Search(context.Background(), queries[len(times)%len(queries)].Query, 100); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(times[len(times)*95/100].Seconds()*1000, "p95-ms")
}

type advetaQuery struct {
	Query
	chosen []string
}

// advetaQueries returns a query for each of the 81 Spider tables of ADVETA 1.0,
// with the questions of the dev set whose gold SQL names the table, and the
// names that its authors chose.
func advetaQueries(tb testing.TB) []advetaQuery {
	tb.Helper()
	var tables map[string]struct {
		Header []string            `json:"header"`
		DB     string              `json:"db_id"`
		Name   string              `json:"table_name_original"`
		Dict   map[string][]string `json:"dict"`
	}
	readJSON(tb, shared.File(tb, "data", "adveta", "spider-add-candidates.json"), &tables)
	var dev []struct {
		DB       string   `json:"db_id"`
		Question string   `json:"question"`
		Tokens   []string `json:"query_toks"`
	}
	readJSON(tb, shared.File(tb, "data", "spider", "dev.json"), &dev)
	var queries []advetaQuery
	for _, t := range tables {
		q := advetaQuery{Query: Query{Name: t.Name, Headers: t.Header}}
		for _, e := range dev {
			if e.DB == t.DB && slices.ContainsFunc(e.Tokens, func(s string) bool { return strings.EqualFold(s, t.Name) }) {
				q.Questions = append(q.Questions, e.Question)
			}
		}
		for _, names := range t.Dict {
			q.chosen = append(q.chosen, names...)
		}
		queries = append(queries, q)
	}
	slices.SortFunc(queries, func(a, b advetaQuery) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Headers, b.Headers))
	})
	return queries
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
