package dataset

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"pets_1": true, "204_590": true, "größe 1": true, "..a": true, strings.Repeat("a", 200): true,
		"": false, ".": false, "..": false, "../a": false, "a/b": false, `a\b`: false, "/a": false, "a\tb": false, "a\nb": false, "a\x00": false, "a\xff": false,
		strings.Repeat("a", 201): false,
	} {
		if got := ValidID(id); got != want {
			t.Errorf("%q: %t, expected %t", id, got, want)
		}
	}
}

func TestCreateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b.txt")
	full := errors.New("full")
	err := CreateFile(path, func(w *bufio.Writer) error {
		if _, err := w.WriteString(strings.Repeat("x", 1<<17)); err != nil {
			t.Error(err)
		}
		return full
	})
	if _, gone := os.Stat(path); !errors.Is(err, full) || !errors.Is(gone, os.ErrNotExist) {
		t.Errorf("error %v, and then %v; expected %v and no file", err, gone, full)
	}
	err = CreateFile(path, func(w *bufio.Writer) error {
		_, err := w.WriteString("text")
		return err
	})
	if data, readErr := os.ReadFile(path); err != nil || readErr != nil || string(data) != "text" {
		t.Errorf("wrote %q, %v, %v", data, err, readErr)
	}
}
