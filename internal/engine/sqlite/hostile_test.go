package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// doubling is a query that doubles at each of its levels.
func doubling(level string) string {
	const n = 60
	var b strings.Builder
	b.WriteString("WITH t0(x) AS (SELECT 1)")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, ", t%d(x) AS ("+level+")", i, i-1)
	}
	fmt.Fprintf(&b, " SELECT count(*) FROM t%d", n)
	return b.String()
}

const (
	numbers = "(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000000) SELECT x FROM n)"
	long    = "printf('%.*c', 60000, 'a')"
)

// hostile is the worst that SQL of a model may hold, with the error in which it
// must end; errAny stands for any, nil for none.
var hostile = []struct {
	name, sql string
	want      error
}{
	{"endless recursion", "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t", sqldata.ErrTimeLimit},
	{"endless union", "WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT count(*) FROM t", errAny},
	{"cross join", "SELECT count(*) FROM pet" + strings.Repeat(", pet", 40), errAny},
	{"cross join of numbers", "SELECT sum(a.x * b.x) FROM " + numbers + " AS a, " + numbers + " AS b", errAny},
	{"sort", "SELECT x FROM " + numbers + " ORDER BY -x", errAny},
	{"sort of strings", "SELECT x FROM " + numbers + " ORDER BY " + long + " || x", errAny},
	{"distinct", "SELECT count(DISTINCT x) FROM " + numbers, errAny},
	{"group", "SELECT x, count(*) FROM " + numbers + " GROUP BY x % 100000000", errAny},
	{"compound", "SELECT x FROM " + numbers + " UNION SELECT x FROM " + numbers, errAny},
	{"materialised", "WITH m AS MATERIALIZED (SELECT x, " + long + " AS y FROM " + numbers + ") SELECT count(a.y) FROM m AS a, m AS b", errAny},
	{"window", "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM " + numbers, errAny},
	{"automatic index", "SELECT count(*) FROM " + numbers + " AS a JOIN " + numbers + " AS b ON a.x = b.x", errAny},
	{"rows", "SELECT x FROM " + numbers, sqldata.ErrTooLarge},
	{"1 GB string", "SELECT printf('%.*c', 1000000000, 'x')", sqldata.ErrTooLarge},
	{"1 GB width", "SELECT printf('%1000000000d', 1)", sqldata.ErrTooLarge},
	{"1 GB blob", "SELECT zeroblob(1000000000)", sqldata.ErrTooLarge},
	{"1 GB hex", "SELECT hex(hex(hex(hex(hex(zeroblob(100000))))))", sqldata.ErrTooLarge},
	{"1 GB replace", "SELECT replace(replace(" + long + ", 'a', " + long + "), 'a', " + long + ")", sqldata.ErrTooLarge},
	{"1 GB group_concat", "SELECT length(group_concat(" + long + ")) FROM " + numbers, errAny},
	{"1 GB JSON", "SELECT json_group_array(" + long + ") FROM " + numbers, errAny},
	{"many long values", "SELECT " + strings.Repeat("hex(zeroblob(100000)), ", 1999) + "1", errAny},
	{"trim", "SELECT trim(printf('%.*c', 120000, 'b'), printf('%.*c', 120000, 'a') || 'b')", nil},
	{"instr", "SELECT instr(printf('%.*c', 120000, 'a'), " + long + " || 'b')", nil},
	{"replace", "SELECT replace(printf('%.*c', 120000, 'a'), " + long + " || 'b', '')", nil},
	{"pattern", "SELECT " + long + " LIKE '" + strings.Repeat("%a", 400) + "b'", nil},
	{"pattern of GLOB", "SELECT " + long + " GLOB '" + strings.Repeat("*a", 400) + "b'", nil},
	{"long pattern", "SELECT 'a' LIKE " + long, errAny},
	{"1 MB of text", "SELECT 1" + strings.Repeat(" + 1", 1<<18), errAny},
	{"1 MB of blanks", "SELECT 1" + strings.Repeat(" ", 1<<20), sqldata.ErrTooLarge},
	{"1 MB of comment", "SELECT 1 /*" + strings.Repeat(" ", 1<<20), sqldata.ErrTooLarge},
	{"1 MB of name", "SELECT " + strings.Repeat("x", 1<<20), sqldata.ErrTooLarge},
	{"parentheses", "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), errAny},
	{"minus signs", "SELECT " + strings.Repeat("- ", 100_000) + "1", errAny},
	{"NOT", "SELECT " + strings.Repeat("NOT ", 60_000) + "1", errAny},
	{"CASE", "SELECT " + strings.Repeat("CASE WHEN 1 THEN ", 5_000) + "1" + strings.Repeat(" END", 5_000), errAny},
	{"calls", "SELECT " + strings.Repeat("abs(", 20_000) + "1" + strings.Repeat(")", 20_000), errAny},
	{"subqueries", strings.Repeat("SELECT * FROM (", 10_000) + "SELECT 1" + strings.Repeat(")", 10_000), errAny},
	{"scalar subqueries", "SELECT " + strings.Repeat("(SELECT ", 10_000) + "1" + strings.Repeat(")", 10_000), errAny},
	{"arms", "SELECT 1" + strings.Repeat(" UNION SELECT 1", 10_000), errAny},
	{"values", "VALUES (1)" + strings.Repeat(", (1)", 30_000), errAny},
	{"list", "SELECT 1 IN (1" + strings.Repeat(", 1", 80_000) + ")", errAny},
	{"columns", "SELECT 1" + strings.Repeat(", 1", 80_000), errAny},
	{"doubling joins", doubling("SELECT 1 FROM t%[2]d AS a, t%[2]d AS b"), errAny},
	{"doubling arms", doubling("SELECT x FROM t%[2]d UNION ALL SELECT x FROM t%[2]d"), errAny},
	{"doubling subqueries", doubling("SELECT (SELECT x FROM t%[2]d) + (SELECT x FROM t%[2]d)"), errAny},
	{"doubling conditions", doubling("SELECT x FROM t%[2]d WHERE x IN (SELECT x FROM t%[2]d) OR x IN t%[2]d"), errAny},
	{"unhex", "SELECT unhex(" + long + ", " + long + ")", sqldata.ErrRefused},
	{"json_patch", "SELECT json_patch(" + long + ", " + long + ")", sqldata.ErrRefused},
	{"json_pretty", "SELECT json_pretty(" + long + ", " + long + ")", sqldata.ErrRefused},
	{"random", "SELECT random()", sqldata.ErrRefused},
	{"random order", "SELECT * FROM pet ORDER BY RANDOM() LIMIT 1", sqldata.ErrRefused},
	{"random blob", "SELECT hex(randomblob(4))", sqldata.ErrRefused},
	{"extension", "SELECT load_extension('x.so')", sqldata.ErrRefused},
	{"tokenizer", "SELECT fts3_tokenizer('simple')", errAny},
	{"reading a file", "SELECT readfile('/etc/passwd')", errAny},
	{"files", "SELECT * FROM pragma_database_list", sqldata.ErrRefused},
	{"pragma that writes", "SELECT * FROM pragma_optimize(-1)", sqldata.ErrRefused},
	{"pages", "SELECT * FROM sqlite_dbpage", errAny},
	{"statistics", "SELECT * FROM dbstat", errAny},
	{"other database", "SELECT * FROM other.pet", errAny},
	{"attach", "ATTACH 'x' AS y", sqldata.ErrRefused},
	{"temporary table", "CREATE TEMP TABLE x AS SELECT 1", sqldata.ErrRefused},
	{"writing CTE", "WITH t AS (SELECT 1) UPDATE pet SET id = 7 RETURNING id", sqldata.ErrRefused},
	{"vacuum", "VACUUM INTO 'x'", sqldata.ErrRefused},
	{"second statement", "SELECT 1; VACUUM INTO 'x'", sqldata.ErrRefused},
	{"NUL", "SELECT 1\x00", errAny},
}

// errAny stands for an error that depends on which limit is met first.
var errAny = errors.New("any error")

// TestHostile runs them one after the other on one database: each ends in time,
// leaves no memory behind and touches no file.
func TestHostile(t *testing.T) {
	skipShort(t)
	limits := sqldata.Limits{Time: 60 * time.Millisecond, Rows: 1000, Work: 32 << 20}
	path := makeDB(t, pets)
	db := openDB(t, path)
	query(t, db, "SELECT * FROM pet")
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "SQLITE_TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	t.Chdir(temporary)
	const slack = 3 * time.Second // for a busy machine
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, err := db.Query(t.Context(), c.sql, limits)
			if d := time.Since(start); d > limits.Time+patience+slack {
				t.Errorf("took %v, expected at most %v", d, limits.Time+patience)
			}
			if c.want == errAny && err == nil || c.want != errAny && !errors.Is(err, c.want) {
				t.Errorf("error is %v, expected %v", err, c.want)
			}
			if db.runner != nil && db.runner.conn.memory.used.Load() > 1<<20 {
				t.Errorf("%d bytes are still in use", db.runner.conn.memory.used.Load())
			}
			if res := query(t, db, "SELECT count(*) FROM pet"); res.Rows[0][0] != sqldata.NewInt(3) {
				t.Errorf("the next query gives %v", res.Rows)
			}
		})
	}
	for dir, want := range map[string]int{temporary: 0, filepath.Dir(path): 1} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
			t.Errorf("folder holds %v, expected %d files (%v)", entries, want, err)
		}
	}
}

// skipShort skips tests that keep the engine busy: under the race detector it is
// a hundred times slower.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
}

// TestSpill sorts more than the cache holds: what other engines would write to a
// temporary file stays in memory, and counts as work.
func TestSpill(t *testing.T) {
	skipShort(t)
	db := openDB(t, makeDB(t, pets))
	sql := "SELECT x FROM " + strings.Replace(numbers, "1000000000", "8000", 1) + " ORDER BY x % 10, printf('%500d', x)"
	res, err := db.Query(t.Context(), sql, sqldata.Limits{Time: time.Minute, Work: 64 << 20})
	if err != nil || len(res.Rows) != 8000 || res.Rows[0][0] != sqldata.NewInt(10) || res.Rows[7999][0] != sqldata.NewInt(7999) {
		t.Errorf("the answer is wrong (%v)", err)
	}
	if _, err := db.Query(t.Context(), sql, sqldata.Limits{Time: time.Minute, Work: 2 << 20}); !errors.Is(err, sqldata.ErrTooLarge) {
		t.Errorf("error is %v, expected ErrTooLarge", err)
	}
}

// TestDeterministic: what depends on the moment does not.
func TestDeterministic(t *testing.T) {
	db := openDB(t, makeDB(t, pets))
	res := query(t, db, "SELECT date('now'), CURRENT_TIMESTAMP, strftime('%Y'), julianday('now'), unixepoch()")
	want := []sqldata.Value{sqldata.NewText("2020-01-01"), sqldata.NewText("2020-01-01 12:00:00"), sqldata.NewText("2020"), sqldata.NewFloat(2458850), sqldata.NewInt(now.Unix())}
	if diff := cmp.Diff(want, res.Rows[0], allowValue); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAllowed: the sandbox has what queries of data sets use.
func TestAllowed(t *testing.T) {
	db := openDB(t, makeDB(t, pets+"CREATE VIEW v AS SELECT name FROM pet; CREATE TRIGGER r AFTER INSERT ON pet BEGIN SELECT 1; END;"))
	for _, sql := range []string{
		`SELECT name FROM pet WHERE name = "Rex"`, "SELECT * FROM v", "SELECT * FROM sqlite_master",
		"SELECT value FROM json_each('[1, 2]')", "SELECT name FROM pragma_table_info('pet')", "SELECT iif(1, 2, 3), sqrt(2), '{}' -> 'a'",
		"SELECT row_number() OVER (ORDER BY id) FROM pet", "WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t LIMIT 5) SELECT x FROM t",
		"SELECT 1 UNION SELECT 2 EXCEPT SELECT 2 ORDER BY 1", "SELECT name FROM pet WHERE name LIKE 'R%' OR name GLOB '*o?'",
	} {
		if _, err := db.Query(t.Context(), sql, sqldata.Limits{}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// FuzzQuery: whatever the SQL, the call returns in time and the file stays as it is. What
// holds it up is SQL that runs until its time is up.
func FuzzQuery(f *testing.F) {
	path := makeDB(f, pets)
	before, err := os.Stat(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range hostile {
		f.Add(c.sql)
	}
	db := openDB(f, path)
	f.Fuzz(func(t *testing.T, sql string) {
		start := time.Now()
		db.Query(t.Context(), sql, sqldata.Limits{Time: 2 * time.Millisecond, Work: 4 << 20})
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
		if after, err := os.Stat(path); err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
			t.Errorf("the file changed (%v)", err)
		}
	})
}

// BenchmarkSandbox reports what a query costs on a connection that is open.
func BenchmarkSandbox(b *testing.B) {
	db := openDB(b, makeDB(b, pets))
	for b.Loop() {
		query(b, db, "SELECT count(*) FROM pet WHERE name LIKE 'R%'")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
}
