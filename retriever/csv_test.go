package retriever

import (
	"errors"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// fuzzKind checks that any data reads as tables that keep the bounds, or as
// errors of tables.
func fuzzKind(f *testing.F, kind string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		lim := Limits{CellRunes: 10, HeaderRunes: 8, Columns: 3, Rows: 2, RecordBytes: 1 << 10}
		fsys, name := file(kind, data)
		seq, err := OpenFS(fsys, kind, name, lim)
		if err != nil {
			t.Fatal(err)
		}
		for table, err := range streamtest.All(seq) {
			var bad *TableError
			if err != nil {
				if !errors.As(err, &bad) {
					t.Fatalf("%q: error %v, want only errors of tables", data, err)
				}
				continue
			}
			checkTable(t, table, lim)
		}
	})
}

func checkTable(t *testing.T, table *Table, lim Limits) {
	if n := len(table.Columns); n == 0 || n > lim.Columns || table.Rows() > lim.Rows {
		t.Fatalf("%d columns, %d rows: over the bounds", n, table.Rows())
	}
	for _, c := range table.Columns {
		if c.Name == "" || clean(c.Name, lim.HeaderRunes) != c.Name || len(c.Cells) != table.Rows() {
			t.Fatalf("column %q with %d cells of %d", c.Name, len(c.Cells), table.Rows())
		}
		for _, cell := range c.Cells {
			if clean(cell, lim.CellRunes) != cell {
				t.Fatalf("cell %q is not clean", cell)
			}
		}
	}
}

func FuzzTabFact(f *testing.F) {
	fuzzKind(f, "tabfact", "a#b\n1#2\n", "#\n#\n", "", "a\r\n\xff#\x00", "a#b#c#d#e\n1\n")
}

func FuzzWDC(f *testing.F) {
	fuzzKind(f, "wdc", `{"relation":[["A","1"],["B",2]],"hasHeader":true,"headerPosition":"FIRST_ROW","headerRowIndex":0}`,
		`{"relation":[["A","B"],["1"]],"headerPosition":"FIRST_COLUMN"}`, "{\"relation\":[[\"A\"]]}\n{\"relation\":[]}", "{\n}", "[[[[", `{"relation":[[["x"]]],"headerRowIndex":-5}`)
}

func FuzzJSONL(f *testing.F) {
	fuzzKind(f, "jsonl", `{"id":[1],"header":["a"],"rows":[[1],["b",null]]}`, "{}\n[]", `{"table_array":[["a"],[{}]]}`)
}

func TestClean(t *testing.T) {
	for _, tc := range []struct {
		in    string
		limit int
		want  string
	}{
		{"plain text", 20, "plain text"},
		{"  a \t\n b  ", 20, "a b"},
		{"a b", 2, "a"},
		{"abc", 2, "ab"},
		{"a\x00b\u200bc\x7f", 9, "abc"},
		{"\xff", 9, "\ufffd"},
		{"naïve", 3, "naï"},
		{"", 0, ""},
		{" ", 5, ""},
	} {
		if got := clean(tc.in, tc.limit); got != tc.want {
			t.Errorf("clean(%q, %d) = %q, want %q", tc.in, tc.limit, got, tc.want)
		}
	}
}
