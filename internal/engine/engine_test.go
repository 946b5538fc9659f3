package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// TestSeam looks for code outside the engines that asks which engine it has: it names PostgreSQL's package, the ending of its files or
// its dialect, or looks at the type of a database.
func TestSeam(t *testing.T) {
	asks := regexp.MustCompile(`engine/postgres"|"\.postgres"|jackc/pgx|\.\(\*(sqlite|postgres)\.DB\)|Dialect\(\) [!=]= |case \*(sqlite|postgres)\.`)
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		outside := !strings.HasPrefix(path, "internal/engine/") && !strings.HasPrefix(path, "internal/testkit/") && !strings.HasPrefix(path, "sqlast/")
		if err == nil && d.IsDir() && strings.HasPrefix(path, ".") && path != "." {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !outside || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if found := asks.FindString(string(text)); found != "" {
			t.Errorf("%s has %q: it asks which engine it has, expected a method of engine.DB", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
