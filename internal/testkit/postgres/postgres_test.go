package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/postgres"
)

// TestStart loads a dump into a database of a private server and reads it back.
func TestStart(t *testing.T) {
	dsn := postgres.CreateDatabase(t, postgres.Start(t), "a database")
	dump := filepath.Join(t.TempDir(), "dump.sql")
	if err := os.WriteFile(dump, []byte("CREATE TABLE singer (name text);\nINSERT INTO singer VALUES ('Rose'), ('Joe; or not');\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	postgres.Load(t, dsn, dump)
	var count int
	if err := postgres.Connect(t, dsn).QueryRow(context.Background(), "SELECT count(*) FROM singer").Scan(&count); err != nil {
		t.Fatal(err)
	}
	if count != 2 {
		t.Errorf("singer has %d rows, expected 2", count)
	}
}
