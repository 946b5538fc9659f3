package retriever

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// TestSorter sorts tables in one run in memory and in many on disk.
func TestSorter(t *testing.T) {
	sorted := func(most int) (ids []string) {
		s := sorter{dir: t.TempDir(), most: most}
		runs := 0
		for i := range 200 {
			table := &Table{ID: fmt.Sprintf("t%03d", i*7919%200), Source: "s", Columns: []Column{{Name: "n", Cells: []string{fmt.Sprint(i)}}}}
			if err := s.add(table); err != nil {
				t.Fatal(err)
			}
			runs = len(s.runs)
		}
		err := s.each(func(key signature, record []byte) error {
			table, err := decodeTable(record)
			if err == nil && key != signatureOf(table) {
				t.Errorf("%s has the signature of another table", table.ID)
			}
			ids = append(ids, table.ID+" "+table.Columns[0].Cells[0])
			return err
		})
		if many := most < 1<<10; err != nil || many != (runs > 2) {
			t.Errorf("%d runs, %v", runs, err)
		}
		if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
			t.Errorf("%d files are left, %v", len(left), err)
		}
		return ids
	}
	whole := sorted(1 << 20)
	if len(whole) != 200 || !slices.IsSorted(whole) {
		t.Errorf("in the order %q", whole)
	}
	if runs := sorted(500); !slices.Equal(runs, whole) {
		t.Errorf("from runs in the order %q, want %q", runs, whole)
	}
}
