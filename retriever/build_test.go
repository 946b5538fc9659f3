package retriever

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

func read(tb testing.TB, stream dataset.Stream[*Table], err error) []*Table {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	var tables []*Table
	for t, err := range streamtest.All(stream) {
		if err != nil {
			tb.Fatal(err)
		}
		tables = append(tables, t)
	}
	return tables
}

// corpus reads the written corpus of testdata.
func corpus(tb testing.TB) []*Table {
	tb.Helper()
	seq, err := Open("jsonl", filepath.Join("testdata", "corpus"), Limits{})
	return read(tb, seq, err)
}

func build(tb testing.TB, tables []*Table, opts BuildOptions) (*Index, Stats) {
	tb.Helper()
	idx, stats, err := BuildTemp(context.Background(), sequence(tables), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := idx.Close(); err != nil {
			tb.Error(err)
		}
	})
	return idx, stats
}

// made returns a table of rows "ID-a", "ID-b"… under the given headers.
func made(id, caption string, headers []string, rows int) *Table {
	t := &Table{ID: id, Caption: caption, Source: "made"}
	for _, h := range headers {
		c := Column{Name: h, Type: dataset.Text}
		for r := range rows {
			c.Cells = append(c.Cells, fmt.Sprintf("%s %s %d", strings.TrimRight(id, "0123456789"), h, r))
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

func TestNearDuplicates(t *testing.T) {
	base := made("a1", "Singers", []string{"Name", "Age"}, 20)
	changed := made("a2", "Singers", []string{"age", "name:"}, 20) // other order, case and punctuation
	slices.Reverse(changed.Columns)
	changed.Columns[0].Name, changed.Columns[1].Name = "NAME:", "age"
	changed.Columns[1].Cells[3] = "another value"
	repeated := made("a4", "Singers", []string{"Name", "Age", "Age"}, 20)
	for _, tc := range []struct {
		name  string
		other *Table
		dup   bool
	}{
		{"same but for one cell and punctuation", changed, true},
		{"other content", made("b1", "Players", []string{"Name", "Age"}, 20), false},
		{"other header", made("a3", "Singers", []string{"Name", "Born"}, 20), false},
		{"header repeated", repeated, false},
	} {
		_, stats := build(t, []*Table{base, tc.other}, BuildOptions{})
		if got := stats.NearDuplicates == 1; got != tc.dup {
			t.Errorf("%s: %v, want duplicate %v", tc.name, stats, tc.dup)
		}
	}
	idx, stats := build(t, []*Table{changed, base}, BuildOptions{})
	if first, err := idx.tables.table(0); err != nil || first.ID != "a1" {
		t.Errorf("kept %v (%v, %v), want the first by id", first, stats, err)
	}
	// Without rows the caption decides.
	schema := []*Table{made("x1", "Singers", []string{"Name"}, 0), made("x2", "Singers!", []string{"name"}, 0), made("x3", "Dogs", []string{"name"}, 0)}
	if _, stats := build(t, schema, BuildOptions{}); stats.Indexed != 2 || stats.NearDuplicates != 1 {
		t.Errorf("schemas: %v, want 2 indexed and 1 near-duplicate", stats)
	}
}

// TestBuildOrder checks that the order of the tables changes neither the stored
// tables nor, to the last bit of the scores, what searches find. The corpus has
// many equal captions and headers, so many ties, and queries of more terms than
// the corpus has tables in a segment.
func TestBuildOrder(t *testing.T) {
	tables := corpus(t)
	for i := range 400 {
		tables = append(tables, made(fmt.Sprintf("%c%d", 'a'+i%26, i), fmt.Sprintf("Singer and pet list %d", i%7), []string{"name", "age", "country"}, 3+i%11))
	}
	q := Query{Name: "singer", Headers: []string{"name", "country", "age", "pet", "stadium", "flight", "title", "year", "rating", "price", "salary", "points"}}
	var stored []byte
	var want []Hit
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
		dir := filepath.Join(t.TempDir(), "index")
		if _, err := Build(context.Background(), dir, sequence(tables), BuildOptions{}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, tableFile))
		if err != nil {
			t.Fatal(err)
		}
		idx, err := OpenIndex(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := idx.Search(context.Background(), q, 100)
		if err := errors.Join(err, idx.Close()); err != nil {
			t.Fatal(err)
		}
		if seed == 0 {
			stored, want = data, got
			continue
		}
		if !bytes.Equal(stored, data) {
			t.Errorf("order %d: stored tables differ", seed)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %d: hits differ:\n%s", seed, diff)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "index")
	boom := errors.New("disk on fire")
	var reported []string
	report := BuildOptions{Report: func(err error) { reported = append(reported, err.Error()) }}
	one := made("a", "", []string{"h"}, 1)
	seq := func(bad ...error) dataset.Stream[*Table] {
		return func(report func(error), each func(*Table) error) error {
			for _, err := range bad {
				report(err)
			}
			return each(one)
		}
	}
	broken := func(func(error), func(*Table) error) error { return boom }
	stats, err := Build(ctx, dir, seq(&TableError{"f", 3, csvtable.ErrQuote}, &TableError{"g", 0, ErrNoHeader}), report)
	if want := (Stats{Read: 3, Indexed: 1, NoHeader: 1, Malformed: 1}); err != nil || stats != want || len(reported) != 2 {
		t.Errorf("bad tables: %v, %v, reported %q; want %v", stats, err, reported, want)
	}
	if _, err := Build(ctx, dir, broken, BuildOptions{}); !errors.Is(err, boom) {
		t.Errorf("I/O error: %v, want %v", err, boom)
	}
	if _, err := Build(ctx, dir, sequence(nil), BuildOptions{}); err == nil || !strings.Contains(err.Error(), "no tables to index") {
		t.Errorf("empty corpus: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Build(cancelled, dir, seq(), BuildOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// What failed left the first index in place, and nothing beside it.
	if idx, err := OpenIndex(dir); err != nil || idx.Len() != 1 {
		t.Errorf("index after failures: %v", err)
	} else {
		idx.Close()
	}
	if stats, err := Build(ctx, dir, sequence(corpus(t)), BuildOptions{}); err != nil || stats.Indexed < 40 {
		t.Errorf("index replaced: %v, %v", stats, err)
	}
	entries, _ := os.ReadDir(filepath.Dir(dir))
	if len(entries) != 1 {
		t.Errorf("left beside the index: %v", entries)
	}
	other := t.TempDir()
	os.WriteFile(filepath.Join(other, "thesis.txt"), []byte("x"), 0o644)
	if _, err := Build(ctx, other, seq(), BuildOptions{}); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("folder of other files: %v", err)
	}
}

// TestOpenDamaged checks that an index with any of its files cut short, changed
// or gone is an error that names the file, when it is opened or, where all its files
// count as large, before the first search.
func TestOpenDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := Build(context.Background(), dir, sequence(corpus(t)), BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	var files []string
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if len(files) < 5 {
		t.Fatalf("index of files %q, want at least 5", files)
	}
	search := func(atOnce int64) error {
		idx, err := openIndex(dir, atOnce)
		if err != nil {
			return err
		}
		_, err = idx.Search(context.Background(), Query{Name: "singer"}, 1)
		return errors.Join(err, idx.Close())
	}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := func(at int) []byte {
			data := bytes.Clone(whole)
			data[at] ^= 0xff
			return data
		}
		for what, data := range map[string][]byte{"cut": whole[:len(whole)/2], "changed": changed(0), "changed at its end": changed(len(whole) - 1), "empty": {}, "gone": nil} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if what == "gone" {
				os.Remove(path)
			}
			for _, atOnce := range []int64{atOnce, 0} {
				if err := search(atOnce); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
					t.Errorf("%s %s, %d bytes checked at once: error %v, want one that names it", filepath.Base(path), what, atOnce, err)
				}
			}
		}
		os.WriteFile(path, whole, 0o600)
	}
	if err := errors.Join(search(atOnce), search(0)); err != nil {
		t.Fatalf("restored: %v", err)
	}
}

// TestSearchInterrupted interrupts the check before the first search, and searches again.
func TestSearchInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := Build(t.Context(), dir, sequence(corpus(t)), BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	idx, err := openIndex(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer idx.Close()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := idx.Search(interrupted, Query{Name: "singer"}, 1); !errors.Is(err, context.Canceled) || idx.checked {
		t.Errorf("interrupted: %v, checked %v", err, idx.checked)
	}
	if hits, err := idx.Search(t.Context(), Query{Name: "singer"}, 1); err != nil || len(hits) != 1 {
		t.Errorf("once more: %d hits, %v", len(hits), err)
	}
}
