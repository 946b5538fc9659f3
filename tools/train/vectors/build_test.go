package vectors

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/lexicon"
)

// small are the sources of a handwritten WordNet of a few synsets.
func small() Sources {
	path := func(name string) string { return filepath.Join("testdata", name) }
	return Sources{
		Synsets:     path("synsets.tsv"),
		Senses:      path("senses.tsv"),
		Paraphrases: path("paraphrases.txt"),
		Synonyms:    path("synonyms.txt"),
		Antonyms:    []string{path("antonyms.txt")},
		Headers:     smallHeaders(),
		Aliases:     path("aliases.tsv"),
	}
}

func smallHeaders() (tables [][]string) {
	for line := range strings.Lines(`date,team,venue,attendance
date,team,venue,crowd
team,venue,attendance,date
team,venue,crowd,date
date,team,attendance
date,team,crowd
dog,price
cat,price
`) {
		tables = append(tables, strings.Split(strings.TrimSpace(line), ","))
	}
	return tables
}

func build(t *testing.T, src Sources, opt Options) ([]byte, *lexicon.Table, Stats, []string) {
	t.Helper()
	var problems []string
	out, stats, err := Build(context.Background(), src, opt, func(err error) { problems = append(problems, filepath.Base(err.Error())) })
	if err != nil {
		t.Fatal(err)
	}
	raw, err := packed.Unpack(out, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	table, err := lexicon.Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out, table, stats, problems
}

func TestBuildDeterministic(t *testing.T) {
	opt := Options{Dim: 6, Rows: 30, Seed: 1}
	first, _, _, _ := build(t, small(), opt)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 8} {
		runtime.GOMAXPROCS(procs)
		if again, _, _, _ := build(t, small(), opt); !bytes.Equal(first, again) {
			t.Errorf("with %d processors: other bytes", procs)
		}
	}
}

func TestBuild(t *testing.T) {
	_, table, stats, problems := build(t, small(), Options{Dim: 6})
	similarity := func(a, b string) float64 {
		x, ok := table.Lookup(nil, a)
		y, ok2 := table.Lookup(nil, b)
		if !ok || !ok2 {
			t.Fatalf("table of %d terms lacks %q or %q", table.Len(), a, b)
		}
		return lexicon.Cosine(x, y)
	}
	for _, tt := range []struct{ a, near, far string }{
		{"wage", "salary", "dog"},      // one synset
		{"dog", "cat", "salary"},       // one hypernym
		{"earnings", "salary", "cat"},  // paraphrase alone
		{"income", "salary", "cat"},    // paraphrase of a paraphrase
		{"hot", "warm", "cold"},        // antonyms
		{"crowd", "attendance", "dog"}, // header neighbours
		{"sal", "salary", "cat"},       // alias
	} {
		if near, far := similarity(tt.a, tt.near), similarity(tt.a, tt.far); near <= far {
			t.Errorf("%s: %.3f to %s, %.3f to %s, want the former greater", tt.a, near, tt.near, far, tt.far)
		}
	}
	if _, ok := table.Lookup(nil, "wages"); ok {
		t.Error("wages has a vector of its own, want its lemma alone")
	}
	if _, ok := table.Lookup(nil, "house cat"); !ok {
		t.Error("house cat is missing")
	}
	want := "synsets.tsv:18: 2 fields, expected 6 separated by tabs; synonyms.txt:3: one word, expected two or more; aliases.tsv:3: expected an abbreviation, a tab and its expansions"
	if got := strings.Join(problems, "; "); got != want {
		t.Errorf("problems %q, want %q", got, want)
	}
	if stats.Terms != table.Len() || stats.Dim != 6 {
		t.Errorf("%+v of a table of %d", stats, table.Len())
	}
}

func TestBuildFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Build(cancelled, small(), Options{Dim: 6}, func(error) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if _, _, err := Build(context.Background(), small(), Options{Dim: 500}, func(error) {}); err == nil || !strings.Contains(err.Error(), "too few") {
		t.Errorf("more dimensions than words: error %v", err)
	}
	if _, _, err := Build(context.Background(), Sources{Synsets: "absent"}, Options{}, func(error) {}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	if _, _, err := Build(context.Background(), Sources{}, Options{}, func(error) {}); err == nil {
		t.Error("no sources: no error")
	}
}
