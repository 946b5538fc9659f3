package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// sheetData is data of a table with n columns, each with so many names a bucket, from a
// source and of a validity that a sheet must not show.
func sheetData(t *testing.T, id string, n, names int) *Data {
	t.Helper()
	table := dataset.Table{Name: "entry\nlist", Original: "t"}
	buckets := dataset.Buckets{}
	for i := range n {
		c := dataset.Column{Name: fmt.Sprintf("head\u202eer\x1b %d", i), Original: fmt.Sprintf("c%d", i), Samples: []string{"a\nb"}}
		table.Columns = append(table.Columns, c)
		var list []dataset.Candidate
		for k := range names {
			list = append(list, dataset.Candidate{Name: fmt.Sprintf("name %d %d", i, k), Source: "hidden source", Validity: 0.625})
		}
		buckets[dataset.ColumnID{DB: id, Table: "t", Column: c.Original}.Key()] = dataset.Bucket{Replace: list, Add: list}
	}
	unit := &dataset.Unit{DB: &dataset.Database{ID: id, Tables: []dataset.Table{table}}}
	for i := range 5 {
		unit.Examples = append(unit.Examples, &dataset.Example{
			Index: i, DB: id, Query: "SELECT c0 FROM t", Question: fmt.Sprintf("Which\n7 R  planted %d %s", i, strings.Repeat("?", 900)),
		})
	}
	d, err := newData([]*dataset.Unit{unit}, buckets, nli.Paper(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDrawSheet(t *testing.T) {
	entries := []Entry{
		{"wide", "hidden label", sheetData(t, "wide", 8, 3)},
		{"few", "hidden label", sheetData(t, "few", 2, 3)},
		{"wide", "other", sheetData(t, "wide", 8, 3)},
	}
	of := func(names []SheetName, label string) (out []string) {
		for _, n := range names {
			if n.Label == label {
				out = append(out, fmt.Sprintf("%s %s %s %d", n.Data, n.Bucket, n.Column, n.Rank))
			}
		}
		slices.Sort(out)
		return out
	}
	o := SheetOptions{Size: 14, Seed: 1}
	names := DrawSheet(entries, o)
	counts, columns := map[string]int{}, map[string]int{}
	for i, n := range names {
		if n.Number != i+1 || n.Validity != 0.625 || n.Name != fmt.Sprintf("name %s %d", n.Column[1:], n.Rank-1) {
			t.Errorf("name %d is %+v", i, n)
		}
		counts[fmt.Sprintf("%s %s %s", n.Label, n.Data, n.Bucket)]++
		columns[fmt.Sprintf("%s %s %s %s", n.Label, n.Data, n.Bucket, n.Column)]++
	}
	want := map[string]int{ // of few there are six only
		"hidden label wide replace": 8, "hidden label few replace": 6, "hidden label wide add": 8, "hidden label few add": 6,
		"other wide replace": 14, "other wide add": 14,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for column, n := range columns {
		if strings.HasPrefix(column, "hidden label wide") && n != 1 {
			t.Errorf("%s has %d names, expected one before a second of another", column, n)
		}
	}
	if diff := cmp.Diff(of(names, "other"), of(DrawSheet(entries[2:], o), "other")); diff != "" {
		t.Errorf("a label's names depend on another label:\n%s", diff)
	}
	if slices.Equal(of(names, "other"), of(DrawSheet(entries, SheetOptions{Size: 14, Seed: 2}), "other")) {
		t.Error("another seed draws the same names")
	}
	for _, n := range DrawSheet(entries, SheetOptions{Size: 14, First: true, Seed: 1}) {
		if n.Rank != 1 {
			t.Errorf("%+v is drawn, expected first names only", n)
		}
	}
}

func TestWriteSheet(t *testing.T) {
	read := func(dir string) (sheet, key string) {
		t.Helper()
		var texts []string
		for _, name := range []string{SheetFile, KeyFile} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		return texts[0], texts[1]
	}
	write := func(ctx context.Context, dir string, seed uint64) error {
		entries := []Entry{{"hidden folder", "hidden label", sheetData(t, "hidden_db", 4, 2)}}
		return WriteSheet(ctx, dir, DrawSheet(entries, SheetOptions{Size: 8, Seed: seed}), func(err error) { t.Error(err) })
	}
	dir, again := filepath.Join(t.TempDir(), "sheet"), filepath.Join(t.TempDir(), "again")
	for _, d := range []string{dir, again} {
		if err := write(t.Context(), d, 1); err != nil {
			t.Fatal(err)
		}
	}
	sheet, key := read(dir)
	if s, k := read(again); s != sheet || k != key {
		t.Error("the same seed writes another sheet")
	}
	if strings.Contains(sheet, "hidden") || strings.Contains(sheet, "0.625") {
		t.Errorf("the sheet is not blind:\n%s", sheet)
	}
	if strings.ContainsAny(sheet, "\u202e\x1b") {
		t.Error("the sheet holds control characters")
	}
	blocks := strings.Split(sheet, "\n\n")[3:]
	if len(blocks) != 16 {
		t.Fatalf("%d blocks, expected 16:\n%s", len(blocks), sheet)
	}
	for i, block := range blocks {
		block = strings.TrimSpace(block) + "\n"
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if !strings.HasPrefix(lines[0], fmt.Sprint(i+1, " ")) {
			t.Errorf("block %d begins with %q", i+1, lines[0])
		}
		asked := 0
		if strings.Contains(block, "column: head er 0\n") {
			asked = sheetQuestions
		}
		if n := strings.Count(block, "\n  question: Which 7 R planted "); n != asked || len(lines) != 5+asked {
			t.Errorf("%d questions in %d lines, expected %d in %d:\n%s", n, len(lines), asked, 5+asked, block)
		}
		for _, line := range lines[1:] {
			if !strings.HasPrefix(line, "  ") || len(line) > 300 {
				t.Errorf("line %q, expected one that is set in and short", line)
			}
		}
		if strings.Count(block, ">>head er ") != 1 || !strings.Contains(block, "\n  table: entry list\n") || !strings.Contains(block, "\n  cells: a b\n") {
			t.Errorf("block\n%s", block)
		}
	}

	// An older sheet stays where the work is broken off, and where verdicts lie beside it.
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := write(stopped, dir, 2); err == nil {
		t.Error("a sheet is written without time for it")
	}
	if _, err := os.Stat(dir + ".partial"); err == nil {
		t.Error("work that failed is left behind")
	}
	if err := os.WriteFile(filepath.Join(again, "ann.tsv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), again, 2); err == nil || !strings.Contains(err.Error(), "holds ann.tsv, expected") {
		t.Errorf("verdicts would be lost: %v", err)
	}
	for _, d := range []string{dir, again} {
		if s, k := read(d); s != sheet || k != key {
			t.Error("the older sheet is gone")
		}
	}
	if err := write(t.Context(), dir, 2); err != nil {
		t.Error(err)
	}
	if s, _ := read(dir); s == sheet {
		t.Error("another seed writes the same sheet")
	}
}
