package retriever

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSorter sorts tables in one run in memory, in many on disk, and in more than are read at once.
func TestSorter(t *testing.T) {
	sorted := func(most, atOnce int) (ids []string) {
		s := sorter{dir: t.TempDir(), runBytes: most, maxRuns: atOnce}
		runs := 0
		for i := range 200 {
			table := &Table{ID: fmt.Sprintf("t%03d", i*7919%200), Source: "s", Columns: []Column{{Name: "n", Cells: []string{fmt.Sprint(i)}}}}
			if err := s.add(table, signatureOf(table)); err != nil {
				t.Fatal(err)
			}
			runs = s.made
		}
		err := s.each(t.Context(), func(key signature, record []byte) error {
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
	whole := sorted(1<<20, 0)
	if len(whole) != 200 || !slices.IsSorted(whole) {
		t.Errorf("in the order %q", whole)
	}
	for _, atOnce := range []int{0, 7, 2} {
		if runs := sorted(500, atOnce); !slices.Equal(runs, whole) {
			t.Errorf("from runs, %d at once, in the order %q, want %q", atOnce, runs, whole)
		}
	}
}

// TestSorterDamaged names the run that is cut short.
func TestSorterDamaged(t *testing.T) {
	s := sorter{dir: t.TempDir(), runBytes: 1}
	for i := range 3 {
		if err := s.add(&Table{ID: fmt.Sprint(i), Columns: []Column{{Name: "n"}}}, signature{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.wait(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "run0001.00")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	err = s.each(t.Context(), func(signature, []byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, expected an error that names %s", err, path)
	}
}

// TestSorterInterrupted interrupts the merges before the last one.
func TestSorterInterrupted(t *testing.T) {
	s := sorter{dir: t.TempDir(), runBytes: 1, maxRuns: 2}
	for i := range 8 {
		if err := s.add(&Table{ID: fmt.Sprint(i), Columns: []Column{{Name: "n"}}}, signature{}); err != nil {
			t.Fatal(err)
		}
	}
	runs := s.made
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	err := s.each(ctx, func(signature, []byte) error { return nil })
	if !errors.Is(err, context.Canceled) || s.made != runs+1 {
		t.Errorf("%d merges were begun, %v; expected one, %v", s.made-runs, err, context.Canceled)
	}
}

// TestSorterEntries counts what a table takes beside its record.
func TestSorterEntries(t *testing.T) {
	s := sorter{dir: t.TempDir(), runBytes: 10 * waitingBytes}
	for range 10 {
		if err := s.add(&Table{}, signature{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.wait(); err != nil || s.made != 1 {
		t.Errorf("%d runs of tables as small as that, %v; expected one", s.made, err)
	}
}
