package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestMigrate: a statement runs whole or not at all, and nothing leaves the copy.
func TestMigrate(t *testing.T) {
	defer func(steps int) { maxMigrationSteps = steps }(maxMigrationSteps)
	maxMigrationSteps = 1_000_000
	dir := t.TempDir()
	src, dst, other := filepath.Join(dir, "src.sqlite"), filepath.Join(dir, "dst.sqlite"), filepath.Join(dir, "other.sqlite")
	rows := [][][]sqldata.Value{{{sqldata.NewInt(1)}, {sqldata.NewInt(2)}}}
	if err := Create(t.Context(), src, []sqldata.Table{{Name: "a", Columns: []sqldata.Column{{Name: "x", Type: "INTEGER"}}}}, rows); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	err = Migrate(t.Context(), src, dst, func(m *Migrating) error {
		for _, sql := range []string{"CREATE TABLE b AS SELECT x, x + 1 AS y FROM a", "ALTER TABLE a RENAME COLUMN x TO z", "CREATE UNIQUE INDEX i ON b (x)", "PRAGMA legacy_alter_table = ON"} {
			if err := m.Exec(sql); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
		for _, sql := range []string{"ATTACH '" + other + "' AS o", "VACUUM INTO '" + other + "'", "PRAGMA journal_mode=WAL", "PRAGMA temp_store_directory='/'", "BEGIN", "COMMIT", "ROLLBACK", "SELECT 1", "",
			"DROP TABLE a; DROP TABLE b", "-- x\nATTACH '" + other + "' AS o"} {
			if err := m.Exec(sql); !errors.Is(err, ErrNoMigration) {
				t.Errorf("%s: error %v, want ErrNoMigration", sql, err)
			}
		}
		for _, sql := range []string{"INSERT INTO b SELECT z + 9, 9 FROM a UNION ALL SELECT 1, 1", "UPDATE b SET y = random()", "INSERT INTO b SELECT load_extension('x'), 1", "ALTER TABLE b DROP COLUMN x"} {
			if err := m.Exec(sql); err == nil {
				t.Errorf("%s: no error", sql)
			}
		}
		return m.RewriteTable("b", func(name string) string {
			if name == "x" {
				return ""
			}
			return `CAST("y" AS TEXT) AS "y"`
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = Migrate(t.Context(), src, other, func(m *Migrating) error {
		if err := m.Exec("WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n) INSERT INTO a SELECT i FROM n"); err == nil || m.Exec("DROP TABLE a") == nil {
			t.Errorf("an endless statement: %v", err)
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "takes more than 1000000 steps") {
		t.Errorf("an endless migration: %v", err)
	}
	db, err := Open(t.Context(), dst)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for sql, want := range map[string]string{"SELECT group_concat(y), typeof(y) FROM b": "2,3 text", "SELECT sum(z) FROM a": "3", "SELECT count(*) FROM sqlite_schema": "2"} {
		res, err := db.Query(t.Context(), sql, sqldata.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for _, v := range res.Rows[0] {
			cells = append(cells, v.String())
		}
		if got := strings.Join(cells, " "); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	after, err := os.ReadFile(src)
	if _, there := os.Stat(other); err != nil || string(after) != string(before) || there == nil {
		t.Errorf("the source changed, or %s was written (%v)", other, err)
	}
}
