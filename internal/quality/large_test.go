//go:build quality && scale

package quality

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// largeDatabase makes a SQLite file of 2 GB and ten million rows in a folder.
func largeDatabase(t *testing.T, dir string) string {
	t.Helper()
	statements, err := os.ReadFile(filepath.Join("testdata", "large.sql"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "shop.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(string(statements)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLargeMake(t *testing.T) { t.Log(largeDatabase(t, "/tmp/wAtmp")) }
