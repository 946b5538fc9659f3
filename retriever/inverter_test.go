package retriever

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// invert makes an inverted index of many segments.
func invert(ctx context.Context, t *testing.T, documents, workers int) (string, error) {
	t.Helper()
	dir := t.TempDir()
	v, err := newInverter(dir, workers)
	if err != nil {
		t.Fatal(err)
	}
	v.size = 2
	for i := range documents {
		if err := v.add(t.Context(), fmt.Sprintf("club word%d", i%7)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, termsDir), v.close(ctx)
}

// TestInverter merges segments to the same bytes with one worker and with several.
func TestInverter(t *testing.T) {
	for _, documents := range []int{2, 49, 250} {
		var files [2][]byte
		for i, workers := range []int{1, 4} {
			dir, err := invert(t.Context(), t, documents, workers)
			if err != nil {
				t.Fatal(err)
			}
			if files[i], err = os.ReadFile(filepath.Join(dir, "store", "000000000002.zap")); err != nil {
				t.Fatal(err)
			}
			s, err := openSegment(dir)
			if err != nil {
				t.Fatal(err)
			}
			n := s.Count()
			if err := s.Close(); err != nil || n != uint64(documents) {
				t.Errorf("%d documents, %v; expected %d", n, err, documents)
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
				t.Errorf("%v are left, %v; expected %s alone", left, err, termsDir)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%d documents: four workers write other bytes than one", documents)
		}
	}
}

// TestInverterInterrupted interrupts the merges.
func TestInverterInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, err := invert(ctx, t, 250, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected %v", err, context.Canceled)
	}
}
