package benchmark

import (
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// Content is generated for a database without rows also where gold SQL is not to be used.
func TestContentOfBadGold(t *testing.T) {
	db := &dataset.Database{ID: "shop", Tables: []dataset.Table{{Name: "pet", Original: "pet", Columns: []dataset.Column{{Name: "name", Original: "name", Type: "text"}}}}}
	var examples []*dataset.Example
	for i, sql := range []string{"SELECT name FROM pet", "SELECT FROM", "SELECT name\nFROM 'a\nb'", "SELECT age FROM pet", ""} {
		examples = append(examples, &dataset.Example{Index: i, DB: db.ID, Query: sql})
	}
	path := filepath.Join(t.TempDir(), "shop.sqlite")
	got, err := contentOf(t.Context(), &dataset.Unit{DB: db, Examples: examples}, 1, path)
	if err != nil || got != path {
		t.Errorf("%q, %v, expected %q", got, err, path)
	}
}
