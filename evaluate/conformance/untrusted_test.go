package conformance

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestUntrustedDatabases judges on database files that attack their reader: data
// sets come from anywhere, and so does their content.
func TestUntrustedDatabases(t *testing.T) {
	const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS n FROM c"
	var doubling strings.Builder
	doubling.WriteString("CREATE VIEW v0 AS SELECT 1 AS x;")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&doubling, "CREATE VIEW v%d AS SELECT a.x FROM v%d AS a JOIN v%d AS b ON a.x = b.x;", i, i-1, i-1)
	}
	tests := []struct{ name, ddl, pred string }{
		{"view without end", "CREATE VIEW v AS " + endless, "SELECT n FROM v"},
		{"views that double", doubling.String(), "SELECT x FROM v40"},
		{"view in a circle", "CREATE TABLE b (x); CREATE VIEW a AS SELECT * FROM b; DROP TABLE b; CREATE VIEW b AS SELECT * FROM a", "SELECT * FROM a"},
		{"view of the database list", "CREATE VIEW v AS SELECT * FROM pragma_database_list", "SELECT * FROM v"},
		{"view that loads code", "CREATE VIEW v AS SELECT load_extension('./evil.so') AS x", "SELECT x FROM v"},
		{"view in the place of a table", "CREATE VIEW t AS " + endless, "SELECT * FROM t"},
		{"generated column that is large", "CREATE TABLE t (a , b AS (hex(zeroblob(a)))); INSERT INTO t (a) VALUES (400000) , (3000000)", "SELECT b FROM t"},
		{"triggers", "CREATE TABLE t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END", "SELECT a FROM t UNION SELECT 1"},
		{"virtual table", "CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('x')", "SELECT a FROM t WHERE t MATCH 'x'"},
		{"schema that is no SQL", "CREATE TABLE t (a); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t (a , b AS (load_extension(a)))'", "SELECT b FROM t"},
		{"table on the schema's own page", "CREATE TABLE t (a); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1", "SELECT * FROM t AS x , t AS y"},
		{"table on a page that is not there", "CREATE TABLE t (a); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 4000000", "SELECT * FROM t"},
		{"write-ahead log", "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)", "SELECT a FROM t"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "d.sqlite")
			execute(t, path, tt.ddl)
			judgeSafely(t, dir, path, tt.pred)
		})
	}
}

// TestJournalIsLeftAlone lays a journal beside the database: a reader that
// believes in it would write both files.
func TestJournalIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d.sqlite")
	execute(t, path, "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	journal := append([]byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0xff, 0xff, 0xff, 0xff}, page...)
	for _, suffix := range []string{"-journal", "-wal"} {
		if err := os.WriteFile(path+suffix, journal, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	judgeSafely(t, dir, path, "SELECT a FROM t")
}

// TestDamagedDatabases flips bytes of a database file, cuts it and reads what is
// left.
func TestDamagedDatabases(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d.sqlite")
	execute(t, path, `CREATE TABLE t (id INTEGER PRIMARY KEY , name TEXT , x REAL); CREATE INDEX i ON t (name);
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300) INSERT INTO t SELECT n , 'name ' || n % 17 , n / 7.0 FROM c;
		INSERT INTO t VALUES (1000 , hex(zeroblob(9000)) , NULL)`)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 240 / shared.Every(8) {
		damaged := append([]byte(nil), whole...)
		for range 1 + random.IntN(8) {
			// Half of the damage is in the heads of pages, where it does most.
			at := random.IntN(len(damaged))
			if random.IntN(2) == 0 {
				at = min(at/4096*4096+random.IntN(120), len(damaged)-1)
			}
			damaged[at] = byte(random.IntN(256))
		}
		if random.IntN(5) == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
		}
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, pred := range []string{"SELECT * FROM t ORDER BY x", "SELECT count(*) FROM t AS a JOIN t AS b ON a.name = b.name", "SELECT name FROM t WHERE name = 'name 3'"} {
			judgeSafely(t, dir, path, pred)
		}
	}
}

// execute runs SQL with no sandbox.
func execute(t *testing.T, path, ddl string) {
	t.Helper()
	if err := sqlite.Configure(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(ddl); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// judgeSafely judges a prediction on a file of dir. Whatever the verdict, it
// comes in time and no file is touched.
func judgeSafely(t *testing.T, dir, path, pred string) {
	t.Helper()
	before, start := snapshot(t, dir), time.Now()
	for _, strict := range []bool{false, true} {
		o := execution.Options{Strict: strict}
		o.Limits.Time = *limit
		file, err := execution.Open(t.Context(), path)
		if err != nil {
			continue // a file that cannot be opened is reported, once
		}
		if _, err := execution.NewGold("SELECT 1", o).Judge(t.Context(), pred, file); err != nil {
			t.Logf("%s: %v", pred, err)
		}
		file.Close()
	}
	if d := time.Since(start); d > 2**limit+slack {
		t.Errorf("%s: took %v", pred, d)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("%s: files changed (-before +after):\n%s", pred, diff)
	}
}
