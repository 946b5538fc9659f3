package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

var allowValue = cmp.AllowUnexported(sqldata.Value{})

// make runs SQL on a new database file and returns its path.
func makeDB(t testing.TB, sql string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.sqlite")
	if err := edit(t.Context(), path, func(c *conn) error { return c.exec(sql) }); err != nil {
		t.Fatal(err)
	}
	return path
}

func openDB(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func query(t testing.TB, db *DB, sql string) *sqldata.Result {
	t.Helper()
	res, err := db.Query(t.Context(), sql, sqldata.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return res
}

const pets = `CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, born DATE, weight REAL);
	INSERT INTO pet VALUES (1, 'Rex', '2001-02-03', 1.5), (2, 'Tom', '2001-02-03 00:00:00', 2), (3, CAST(X'4DFC63' AS TEXT), 'never', NULL);`

func TestQuery(t *testing.T) {
	db := openDB(t, makeDB(t, pets))
	for _, c := range []struct {
		sql  string
		want *sqldata.Result
	}{
		{"SELECT id, name FROM pet WHERE id < 3;", &sqldata.Result{Columns: []string{"id", "name"}, Rows: [][]sqldata.Value{{sqldata.NewInt(1), sqldata.NewText("Rex")}, {sqldata.NewInt(2), sqldata.NewText("Tom")}}}},
		{"select born from pet", &sqldata.Result{Columns: []string{"born"}, Rows: [][]sqldata.Value{{sqldata.NewText("2001-02-03")}, {sqldata.NewText("2001-02-03 00:00:00")}, {sqldata.NewText("never")}}}},
		{"SELECT weight AS w FROM pet", &sqldata.Result{Columns: []string{"w"}, Rows: [][]sqldata.Value{{sqldata.NewFloat(1.5)}, {sqldata.NewFloat(2)}, {{}}}}},
		{"SELECT name FROM pet WHERE id = 3", &sqldata.Result{Columns: []string{"name"}, Rows: [][]sqldata.Value{{sqldata.NewText("M\xfcc")}}}},
		{"/* a */ ; -- b\n VALUES (X'00ff', 'a' || char(0) || 'b', '', X'') -- end", &sqldata.Result{
			Columns: []string{"column1", "column2", "column3", "column4"}, Rows: [][]sqldata.Value{{sqldata.NewBlob("\x00\xff"), sqldata.NewText("a\x00b"), sqldata.NewText(""), sqldata.NewBlob("")}},
		}},
		{"WITH t(x) AS (SELECT 1) SELECT x FROM t WHERE x > 1", &sqldata.Result{Columns: []string{"x"}}},
		{"SELECT -0.0, 9223372036854775807, 1e999", &sqldata.Result{
			Columns: []string{"-0.0", "9223372036854775807", "1e999"}, Rows: [][]sqldata.Value{{sqldata.NewFloat(0), sqldata.NewInt(1<<63 - 1), sqldata.NewFloat(math.Inf(1))}},
		}},
	} {
		if diff := cmp.Diff(c.want, query(t, db, c.sql), allowValue); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.sql, diff)
		}
	}
}

func TestQueryRefuses(t *testing.T) {
	path := makeDB(t, pets)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db := openDB(t, path)
	for _, sql := range []string{
		"", " ", "-- SELECT 1", "/* SELECT 1", "DELETE FROM pet", "INSERT INTO pet(id) VALUES (9)", "UPDATE pet SET id = 7", "DROP TABLE pet",
		"CREATE TABLE x (a)", "CREATE TEMP TABLE x AS SELECT 1", "PRAGMA writable_schema=ON", "ATTACH 'x' AS y", "VACUUM INTO 'x'", "BEGIN", "EXPLAIN SELECT 1",
		"SELECT 1; SELECT 2", "SELECT 1; PRAGMA query_only=OFF", "SELECT 1;;; DROP TABLE pet",
		"WITH t AS (SELECT 1) DELETE FROM pet", "WITH t AS (SELECT 1) INSERT INTO pet(id) SELECT 9", "(SELECT 1)",
	} {
		if res, err := db.Query(t.Context(), sql, sqldata.Limits{}); !errors.Is(err, sqldata.ErrRefused) {
			t.Errorf("%q gives %v, %v, expected ErrRefused", sql, res, err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT x FROM pet": "no such column: x", "SELECT": "incomplete input", "SELECT load_extension('x')": "not authorized",
		"SELECT 1\x00; DROP TABLE pet": "NUL", "SELECT * FROM none": "no such table", "SELECT writefile('x', 'y')": "no such function",
		"SELECT " + strings.Repeat("(", 2000) + "1": "",
	} {
		var e *sqldata.Error
		if _, err := db.Query(t.Context(), sql, sqldata.Limits{}); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gives %v, expected an *Error with %q", sql, err, want)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the file changed (%v)", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("folder holds %v, expected the database alone", entries)
	}
}

const endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t"

func TestQueryLimits(t *testing.T) {
	db := openDB(t, makeDB(t, pets))
	for _, c := range []struct {
		name, sql string
		limits    sqldata.Limits
		want      error
	}{
		{"before the first row", endless + " WHERE x < 0", sqldata.Limits{Time: 20 * time.Millisecond}, sqldata.ErrTimeLimit},
		{"behind the first row", endless + " WHERE x < 2", sqldata.Limits{Time: 20 * time.Millisecond}, sqldata.ErrTimeLimit},
		{"rows", endless, sqldata.Limits{Rows: 1000}, sqldata.ErrTooLarge},
		{"bytes", "SELECT name || printf('%500c', 'x') FROM pet", sqldata.Limits{Bytes: 1000}, sqldata.ErrTooLarge},
		{"one value", "SELECT zeroblob(100000000)", sqldata.Limits{Bytes: 1 << 20}, sqldata.ErrTooLarge},
		{"value on the way", "SELECT length(group_concat(printf('%1000c', 'x'))) FROM (" + endless + " LIMIT 5000)", sqldata.Limits{Bytes: 1 << 20}, sqldata.ErrTooLarge},
		{"exactly", "SELECT id FROM pet", sqldata.Limits{Rows: 3, Bytes: 96}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := db.Query(t.Context(), c.sql, c.limits); !errors.Is(err, c.want) {
				t.Errorf("error is %v, expected %v", err, c.want)
			}
			if res := query(t, db, "SELECT count(*) FROM pet"); res.Rows[0][0] != sqldata.NewInt(3) {
				t.Errorf("the next query gives %v", res.Rows)
			}
		})
	}
}

func TestQueryCancelled(t *testing.T) {
	db := openDB(t, makeDB(t, pets))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := db.Query(ctx, endless+" WHERE x < 0", sqldata.Limits{Time: time.Hour}); !errors.Is(err, context.Canceled) || errors.Is(err, sqldata.ErrTimeLimit) {
		t.Errorf("error is %v, expected that the context was cancelled", err)
	}
	if _, err := db.Query(ctx, "SELECT 1", sqldata.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, expected that the context was cancelled", err)
	}
	query(t, db, "SELECT 1")
}

func TestQueryConcurrently(t *testing.T) {
	db := openDB(t, makeDB(t, pets))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				if i%4 == 0 {
					if _, err := db.Query(t.Context(), endless+" WHERE x < 0", sqldata.Limits{Time: time.Millisecond}); !errors.Is(err, sqldata.ErrTimeLimit) {
						t.Errorf("error is %v, expected ErrTimeLimit", err)
					}
					continue
				}
				if res := query(t, db, fmt.Sprintf("SELECT %d", n)); res.Rows[0][0] != sqldata.NewInt(int64(n)) {
					t.Errorf("SELECT %d gives %v", n, res.Rows)
				}
			}
		})
	}
	wg.Wait()
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"text":    {"this is no database at all", "not a SQLite database, expected"},
		"DuckDB":  {"\x00\x01\x02\x03\x04\x05\x06\x07DUCK\x40", "not a SQLite database but a DuckDB database, expected"},
		"Access":  {"\x00\x01\x00\x00Standard ACE DB\x00", "not a SQLite database but an Access database, expected"},
		"gzip":    {"\x1f\x8b\x08", "not a SQLite database but a file compressed by gzip, expected"},
		"empty":   {"", "not a SQLite database but a file of 0 bytes, as"},
		"cut off": {magic, "not a database"},
		"damaged": {magic + strings.Repeat("\x00", 4080), "not a database"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error is %v, expected the path and %q", name, err, c.want)
		}
	}
	if _, err := Open(t.Context(), dir); err == nil {
		t.Error("a folder opens")
	}
	none := filepath.Join(dir, "none")
	if _, err := Open(t.Context(), none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, expected that the file does not exist", err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("opening made a file")
	}
	db := openDB(t, makeDB(t, pets))
	db.Close()
	db.Close()
	if _, err := db.Query(t.Context(), "SELECT 1", sqldata.Limits{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed database gives %v", err)
	}
}

// TestOpenJournals lays files beside a database, by its own name and by a link's. Those with changes must
// be named by all that read it.
func TestOpenJournals(t *testing.T) {
	for name, c := range map[string]struct {
		suffix, content string
		refused         bool
	}{
		"log":                 {"-wal", "\x37\x7f\x06\x83" + strings.Repeat("\x00", 100), true},
		"log without frames":  {"-wal", "\x37\x7f\x06\x83" + strings.Repeat("\x00", 28), false},
		"empty log":           {"-wal", "", false},
		"other file":          {"-wal", strings.Repeat("text", 100), false},
		"rollback journal":    {"-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + strings.Repeat("\x00", 600), true},
		"journal that is old": {"-journal", strings.Repeat("\x00", 600), false},
	} {
		path := makeDB(t, pets)
		if err := os.WriteFile(path+c.suffix, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), "link.sqlite")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{path, link} {
			_, err := Open(t.Context(), p)
			_, draft := Draft(t.Context(), p, sqldata.RenameTable{Table: "pet", Name: "animal"})
			for way, err := range map[string]error{"Open": err, "Draft": draft, "Copy": Copy(t.Context(), p, filepath.Join(t.TempDir(), "copy"))} {
				if c.refused != (err != nil) || err != nil && !strings.Contains(err.Error(), p+": has changes in test.sqlite"+c.suffix) {
					t.Errorf("%s, %s: error is %v", name, way, err)
				}
			}
		}
	}
}

func TestOpenOddPaths(t *testing.T) {
	data, err := os.ReadFile(makeDB(t, pets))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a b", "a#b", "100%", "%41", "ä", "a&mode=rwc", "a;b", "a'b", "a+b"}
	if runtime.GOOS != "windows" {
		names = append(names, "a?mode=rwc", `a\b`, `a"b`, "a:b")
	}
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		db, err := Open(t.Context(), path)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		query(t, db, "SELECT * FROM pet")
		db.Close()
	}
}

func TestSchema(t *testing.T) {
	db := openDB(t, makeDB(t, `CREATE TABLE owner ("Owner ID" INTEGER PRIMARY KEY, name VARCHAR(20));
		CREATE TABLE pet (id, owner REFERENCES owner, a, b, PRIMARY KEY (b, a), FOREIGN KEY (a, b) REFERENCES other(x, y));
		CREATE VIEW v AS SELECT * FROM pet`))
	got, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []sqldata.Table{
		{Name: "owner", Columns: []sqldata.Column{{Name: "Owner ID", Type: "INTEGER"}, {Name: "name", Type: "VARCHAR(20)"}}, PrimaryKey: []string{"Owner ID"}},
		{
			Name: "pet", Columns: []sqldata.Column{{Name: "id", Type: ""}, {Name: "owner", Type: ""}, {Name: "a", Type: ""}, {Name: "b", Type: ""}}, PrimaryKey: []string{"b", "a"},
			ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"owner"}, Table: "owner", References: nil}, {Columns: []string{"a", "b"}, Table: "other", References: []string{"x", "y"}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnique(t *testing.T) {
	db := openDB(t, makeDB(t, `CREATE TABLE a (id INTEGER PRIMARY KEY, mail UNIQUE, x, y, z, UNIQUE (x, y)); CREATE UNIQUE INDEX part ON a (y) WHERE y > 1;
		CREATE UNIQUE INDEX lowered ON a (lower(x)); CREATE INDEX i ON a (x); CREATE UNIQUE INDEX j ON a (z); CREATE TABLE b (code TEXT PRIMARY KEY) WITHOUT ROWID`))
	got, err := db.Unique(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range got {
		slices.Sort(columns)
	}
	if diff := cmp.Diff(map[string][]string{"a": {"mail", "z"}, "b": {"code"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSpiderGold runs the gold SQL of Spider dev: none may fail on the 19
// databases that have content.
func TestSpiderGold(t *testing.T) {
	dir := shared.Untar(t, "data", "spider", "databases_dev.tar.gz")
	gold, err := os.ReadFile(shared.File(t, "data", "spider", "dev_gold.sql"))
	if err != nil {
		t.Fatal(err)
	}
	dbs := map[string]*DB{}
	ran, absent := 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(gold)), "\n") {
		sql, id, _ := strings.Cut(line, "\t")
		if dbs[id] == nil {
			path := filepath.Join(dir, "database", id, id+".sqlite")
			if _, err := os.Stat(path); err != nil {
				absent++
				continue
			}
			dbs[id] = openDB(t, path)
		}
		if _, err := dbs[id].Query(t.Context(), sql, sqldata.Limits{}); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
		ran++
	}
	if ran != 972 || absent != 62 {
		t.Errorf("%d ran and %d are absent, expected 972 and 62", ran, absent)
	}
}

func BenchmarkQuery(b *testing.B) {
	db := openDB(b, makeDB(b, pets))
	for b.Loop() {
		query(b, db, "SELECT name, born FROM pet WHERE weight > 1 ORDER BY name")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
}
