package review

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// manyColumns is data of n columns, three in a database; the REPLACE name of column i has
// the entailment entails(i).
func manyColumns(t *testing.T, n int, entails func(int) float64) *Data {
	t.Helper()
	var units []*dataset.Unit
	buckets := dataset.Buckets{}
	for i := range n {
		id := dataset.ColumnID{DB: fmt.Sprintf("db%d", i/3), Table: "t", Column: fmt.Sprintf("c%d", i)}
		if i%3 == 0 {
			units = append(units, &dataset.Unit{DB: &dataset.Database{ID: id.DB, Tables: []dataset.Table{{Name: "t", Original: "t"}}}})
		}
		table := &units[len(units)-1].DB.Tables[0]
		table.Columns = append(table.Columns, dataset.Column{Name: id.Column, Original: id.Column, Type: dataset.Text})
		e := entails(i)
		buckets[id.Key()] = dataset.Bucket{Replace: []dataset.Candidate{{Name: "Name " + id.Column, Forward: e, Backward: 1}}}
	}
	d, err := newData(units, buckets, nli.Paper(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ids(l List) []int {
	var out []int
	for _, item := range l.Items {
		out = append(out, item.ID)
	}
	return out
}

func TestList(t *testing.T) {
	const n = 2*PageSize + 7
	d := manyColumns(t, n, func(i int) float64 {
		if i == 5 {
			return 0.649
		}
		return 0.7 + float64(i%4)/100
	})
	done := map[int]bool{3: true, 4: true, n - 1: true}
	list := func(q query) List {
		return d.list(q, func(id int) int {
			if done[id] {
				return 0
			}
			return 1
		})
	}
	first := list(query{at: -1})
	if first.Pages != 3 || first.Total != n || len(first.Items) != PageSize || first.Items[3].Decided != 1 || first.NextOpen != 0 || first.At != -1 {
		t.Errorf("%+v", first)
	}
	if last := list(query{page: 99, at: -1}); last.Page != 2 || len(last.Items) != 7 {
		t.Errorf("%+v, expected the last page", last)
	}
	var all []int
	for page := range 3 {
		all = append(all, ids(list(query{page: page, order: ByDoubt, at: -1}))...)
	}
	if all[0] != 5 || !slices.Equal(all[1:4], []int{0, 4, 8}) {
		t.Errorf("by doubt %v, expected 5, then those of 0.7 in order", all)
	}
	if slices.Sort(all); len(slices.Compact(all)) != n {
		t.Errorf("%d columns on the pages, expected %d", len(all), n)
	}
	tests := []struct {
		q        query
		ids      []int
		at, next int
	}{
		{query{db: "db1", at: -1}, []int{3, 4, 5}, -1, 5},
		{query{db: "db1", open: true, at: -1}, []int{5}, -1, 5},
		{query{words: []string{"name", "c12"}, at: -1}, []int{12}, -1, 12},
		{query{words: []string{"db1\n"}, at: 4}, []int{3, 4, 5}, 1, 5},
		{query{db: "db1", at: 5}, []int{3, 4, 5}, 2, 5},
		{query{db: "db1", open: true, at: 3}, []int{5}, -1, 5},
		{query{db: "nowhere", at: -1}, nil, -1, -1},
	}
	for _, test := range tests {
		l := list(test.q)
		if diff := cmp.Diff(test.ids, ids(l)); diff != "" || l.At != test.at || l.NextOpen != test.next {
			t.Errorf("%+v: %v, at %d, next %d; expected %+v", test.q, ids(l), l.At, l.NextOpen, test)
		}
	}
	if l := list(query{at: PageSize + 2}); l.Page != 1 || l.At != 2 || l.NextOpen != PageSize+3 {
		t.Errorf("page %d, at %d, next %d; expected the page of the column", l.Page, l.At, l.NextOpen)
	}
	if l := list(query{at: n - 1}); l.NextOpen != 0 {
		t.Errorf("behind the last: %d, expected the first", l.NextOpen)
	}
}
