package engine_test

import (
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// TestIsEmpty asks databases without a row and with one in the last table.
func TestIsEmpty(t *testing.T) {
	column := []sqldata.Column{{Name: "x", Type: "INTEGER"}}
	for want, row := range map[bool][][]sqldata.Value{true: nil, false: {{sqldata.Value{}}}} {
		path := filepath.Join(t.TempDir(), "db.sqlite")
		if err := sqlite.Create(t.Context(), path, []sqldata.Table{{Name: "a", Columns: column}, {Name: "b", Columns: column}}, [][][]sqldata.Value{nil, row}); err != nil {
			t.Fatal(err)
		}
		db, err := engine.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if got, err := engine.IsEmpty(t.Context(), db); got != want || err != nil {
			t.Errorf("empty is %v, %v, expected %v", got, err, want)
		}
	}
}
