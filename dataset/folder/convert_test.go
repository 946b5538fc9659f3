package folder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// convert reads a data set in one format and writes it in another.
func convert(t *testing.T, dir string, from, to *dataset.Format) string {
	t.Helper()
	set, err := from.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), to.Name)
	summary, err := formats.Convert(t.Context(), set, to, out, formats.Options{Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	if summary.Skipped > 0 || len(summary.Lost)+len(summary.LeftOut) > 0 {
		t.Errorf("from %s to %s: got %+v, want nothing lost", from.Name, to.Name, summary)
	}
	return out
}

// TestThereAndBack takes the sample through a folder of one's own: what comes back is
// the same, content and names and all.
func TestThereAndBack(t *testing.T) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	first := convert(t, dir, formats.Spider, folder.Format)
	back := convert(t, first, folder.Format, formats.Spider)
	again := convert(t, back, formats.Spider, folder.Format)
	a, b := lines(t, first), lines(t, again)
	if !slices.EqualFunc(a, b, func(a, b []byte) bool { return dataset.SameJSON(a, b) }) {
		t.Errorf("got the questions\n%s\nwant\n%s", bytes.Join(b, nil), bytes.Join(a, nil))
	}
	before, after := units(t, dir), units(t, back)
	for id, u := range before {
		v := after[id]
		if v == nil || len(u.Examples) != len(v.Examples) {
			t.Errorf("%s: got %v, want all of its questions", id, v)
			continue
		}
		content(t, u.DB.SQLite, v.DB.SQLite)
		for i, ex := range v.Examples {
			ex.Source, ex.Tokens, u.Examples[i].Tokens = nil, nil, nil
			if diff := cmp.Diff(u.Examples[i], ex); diff != "" {
				t.Errorf("%s: %s", id, diff)
			}
		}
		v.DB.SQLite, v.DB.Source = u.DB.SQLite, nil
		if diff := cmp.Diff(u.DB, v.DB); diff != "" {
			t.Error(diff)
		}
	}
}

func units(t *testing.T, dir string) map[string]*dataset.Unit {
	t.Helper()
	all := map[string]*dataset.Unit{}
	units, err := dataset.Units(dir, "dev", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		all[u.DB.ID] = u
	}
	return all
}

func lines(t *testing.T, dir string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(data, []byte("\n"))
}

// content compares two files.
func content(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := os.ReadFile(b); err != nil || !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ (%v), want the same file", a, b, err)
	}
}
