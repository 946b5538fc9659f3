package counts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
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
