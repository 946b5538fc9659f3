package counts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/shared"
	"github.com/tabperturb/tabperturb/internal/streamtest"
)

func library() *dataset.Unit {
	return &dataset.Unit{
		DB: &dataset.Database{ID: "library", Tables: []dataset.Table{
			{Name: "book", Original: "Book", Columns: []dataset.Column{{Name: "book title", Original: "Title"}, {Name: "Year", Original: "Year"}, {Name: "year", Original: "year_2"}}},
			{Name: "shelf", Original: "Shelf", Columns: []dataset.Column{{Name: "shelf no.", Original: "No"}}},
		}},
		Examples: []*dataset.Example{
			{Question: "a", Interaction: 1, Turn: 1}, {Question: "b", Interaction: 1, Turn: 2, Final: &dataset.Example{Question: "ab"}}, {Question: "c", Interaction: 2, Turn: 1},
		},
	}
}

func TestData(t *testing.T) {
	var c DataCounter
	if got := c.Data(); got != (Data{}) {
		t.Errorf("of nothing: %+v", got)
	}
	c.Add(library())
	want := Data{Databases: 1, Tables: 2, Columns: 4, Questions: 3, Interactions: 2, Finals: 1, PerTable: 2, UniqueColumns: 3, UniqueWords: 5}
	if diff := cmp.Diff(want, c.Data()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c.Add(library()) // the same interactions may come in several units
	if got := c.Data(); got.Interactions != 2 || got.Questions != 6 || got.UniqueColumns != 3 {
		t.Errorf("of two units: %+v", got)
	}
}

func TestOfSet(t *testing.T) {
	u := library()
	bad, odd := &dataset.RecordError{File: "f", Record: 2, Err: errors.New("bad")}, dataset.Note(&dataset.RecordError{File: "f", Record: 3, Err: errors.New("odd")})
	ends := errors.New("ends")
	set := &dataset.Set{
		Databases: streamtest.Of(func(yield func(*dataset.Database, error) bool) {
			_ = yield(&dataset.Database{ID: "nobody asks", Tables: u.DB.Tables}, nil) && yield(u.DB, nil) && yield(nil, odd)
		}),
		Examples: streamtest.Of(func(yield func(*dataset.Example, error) bool) {
			_ = yield(&dataset.Example{DB: "library"}, nil) && yield(nil, bad)
		}),
	}
	var skipped []error
	skip := func(err error) { skipped = append(skipped, err) }
	got, err := OfSet(set, skip)
	if err != nil || got.Databases != 1 || got.Tables != 2 || got.Questions != 1 || len(skipped) != 2 || skipped[0] != error(bad) || skipped[1] != odd {
		t.Errorf("%+v, skipped %v, %v", got, skipped, err)
	}
	set.Examples = streamtest.Of(func(yield func(*dataset.Example, error) bool) { yield(nil, ends) })
	if _, err := OfSet(set, skip); err != ends {
		t.Errorf("error %v, expected %v", err, ends)
	}
}

func TestOfBuckets(t *testing.T) {
	u := library()
	title := u.DB.ColumnID(dataset.ColumnRef{Table: 0, Column: 0}).Key()
	year := u.DB.ColumnID(dataset.ColumnRef{Table: 0, Column: 1}).Key()
	buckets := dataset.Buckets{
		title: {Replace: []dataset.Candidate{{Name: "name of book"}, {Name: "Book Title"}}, Add: []dataset.Candidate{{Name: "author"}}},
		year:  {Add: []dataset.Candidate{{Name: "author"}, {Name: "shelf"}}},
	}
	dbs := []*dataset.Database{u.DB}
	want := Names{
		Tables: 2, Columns: 4, Perturbed: 1, Candidates: 2, PerTable: 0.5, PerColumn: 2,
		Originals: 1, OriginalWords: 2, UniqueColumns: 2, UniqueWords: 4,
	}
	if diff := cmp.Diff(want, OfBuckets(dbs, buckets, dataset.Replace)); diff != "" {
		t.Errorf("REPLACE: -want +got:\n%s", diff)
	}
	want = Names{
		Tables: 2, Columns: 4, Perturbed: 2, Candidates: 3, PerTable: 1, PerColumn: 1.5,
		Originals: 2, OriginalWords: 3, UniqueColumns: 4, UniqueWords: 5,
	}
	if diff := cmp.Diff(want, OfBuckets(dbs, buckets, dataset.Add)); diff != "" {
		t.Errorf("ADD: -want +got:\n%s", diff)
	}
}

func TestOfADVETA(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wtq-rpl.json")
	file := `{"WTQ_0": {"header": ["year", "title", "year"], "id": "200_0", "dict": {"title": ["name", ""], "year": []}},
		"WTQ_1": {"header": ["x"], "dict": {}}, "WTQ_2": {"dict": {}}, "WTQ_3": {"header": ["x"]}, "WTQ_4": 7}`
	if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	var problems []string
	got, err := OfADVETA(path, func(err error) { problems = append(problems, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	want := Names{
		Tables: 2, Columns: 4, Perturbed: 2, Candidates: 2, PerTable: 1, PerColumn: 1,
		Originals: 2, OriginalWords: 2, UniqueColumns: 4, UniqueWords: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if all := strings.Join(problems, "\n"); len(problems) != 3 || !strings.Contains(all, `:3: lacks "header"`) || !strings.Contains(all, `:4: lacks "dict"`) {
		t.Errorf("problems %s", all)
	}
	if err := os.WriteFile(path, []byte(`["WTQ"]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OfADVETA(path, func(error) {}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("of an array: error %v", err)
	}
}

// TestPaper holds the readings to the paper's figures for Spider (ADVETA, table 1):
// 911 and 1,061 different names, 598 and 782 words.
func TestPaper(t *testing.T) {
	for file, want := range map[string]Names{
		"spider-rpl-candidates.json": {Tables: 81, Columns: 441, Perturbed: 213, Candidates: 890, Originals: 174, OriginalWords: 180, UniqueColumns: 911, UniqueWords: 599},
		"spider-add-candidates.json": {Tables: 81, Columns: 441, Perturbed: 295, Candidates: 1371, Originals: 204, OriginalWords: 199, UniqueColumns: 1061, UniqueWords: 783},
	} {
		got, err := OfADVETA(shared.File(t, "data", "adveta", file), func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		got.PerTable, got.PerColumn = 0, 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}
