package sqlite

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestIntegrity checks files that are in order, though rows of them break constraints, and files with damage
// that opening them does not show.
func TestIntegrity(t *testing.T) {
	const rows = `CREATE TABLE "a""b" (x NOT NULL , y CHECK (y > 0)); CREATE INDEX i ON "a""b" (x);
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) INSERT INTO "a""b" SELECT n , 'row ' || n FROM c; `
	const otherIndex = `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON "a""b" (y)' WHERE name = 'i'`
	for name, c := range map[string]struct {
		sql, want string // want is a part of the first fault, "" for none
		zeros     bool   // overwrites the last page
	}{
		"in order":            {sql: rows},
		"virtual table":       {sql: "CREATE VIRTUAL TABLE v USING fts5(a); INSERT INTO v VALUES ('x'); " + rows},
		"constraints":         {sql: rows + `PRAGMA ignore_check_constraints = ON; UPDATE "a""b" SET y = -1`},
		"NULL values":         {sql: "CREATE TABLE t (a); INSERT INTO t VALUES (NULL); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t (a NOT NULL)'"},
		"index of others":     {sql: rows + otherIndex, want: `table a"b: row 1 missing from index i`},
		"page that is zeroed": {sql: rows, zeros: true, want: `table a"b: `},
	} {
		path := makeDB(t, c.sql)
		if c.zeros {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			clear(data[len(data)-4096:])
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		faults, err := Integrity(t.Context(), path, time.Minute)
		if err != nil || (c.want == "") != (len(faults) == 0) || len(faults) > 0 && !strings.Contains(faults[0], c.want) {
			t.Errorf("%s: %q, error %v, expected %q", name, faults, err, c.want)
		}
	}
	if _, err := Integrity(t.Context(), makeDB(t, rows), time.Nanosecond); !errors.Is(err, sqldata.ErrTimeLimit) {
		t.Errorf("without time: error is %v, expected ErrTimeLimit", err)
	}
}
