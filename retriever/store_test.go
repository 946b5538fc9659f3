package retriever

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tabperturb/tabperturb/dataset"
)

var storeTables = []*Table{
	{ID: "1", Caption: "a caption", Source: "s", Columns: []Column{
		{Name: "a", Type: dataset.Number, Cells: []string{"1", ""}},
		{Name: "b", Type: dataset.Text, Key: true, Cells: []string{"x", "yß"}},
	}},
	{ID: "2", Repository: "a/repository", Columns: []Column{{Name: "only", Type: dataset.Others, Key: true, Cells: []string{}}}},
	{ID: "3", Caption: strings.Repeat("long ", 20), Columns: []Column{{Name: "c", Type: dataset.Time, Cells: []string{"z"}}}},
}

func writeStore(t *testing.T, path string, tables []*Table) {
	t.Helper()
	w, err := createStore(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if err := w.append(appendTable(nil, table)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
}

// readStore returns all tables, or the first error.
func readStore(path string) ([]*Table, error) {
	s, err := openStore(path, atOnce)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var tables []*Table
	for i := range s.len() {
		t, err := s.table(i)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.bin")
	writeStore(t, path, storeTables)
	got, err := readStore(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storeTables, got); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	writeStore(t, path, nil)
	if got, err := readStore(path); len(got) != 0 || err != nil {
		t.Errorf("empty store: %v, %v", got, err)
	}
}

// TestStoreDamage checks that every truncation and every changed byte is an
// error that names the file.
func TestStoreDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.bin")
	writeStore(t, path, storeTables)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, i int, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readStore(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s %d: error %v, want one with the path", what, i, err)
		}
	}
	for i := range whole {
		check("cut at", i, whole[:i])
		changed := append([]byte(nil), whole...)
		changed[i] ^= 0x10
		check("changed at", i, changed)
	}
}

func FuzzDecodeTable(f *testing.F) {
	for _, table := range storeTables {
		f.Add(appendTable(nil, table))
	}
	f.Add([]byte{0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, record []byte) {
		table, err := decodeTable(record)
		if err != nil {
			return
		}
		again, err := decodeTable(appendTable(nil, table))
		if diff := cmp.Diff(table, again); err != nil || diff != "" {
			t.Errorf("encoded and decoded again: %v\n%s", err, diff)
		}
		caption, names, err := decodeNames(record)
		if err != nil || caption != table.Caption || !slices.Equal(names, table.Headers()) {
			t.Errorf("decoded the caption %q and the names %q, %v; expected %q and %q", caption, names, err, table.Caption, table.Headers())
		}
	})
}
