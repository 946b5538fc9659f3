package sqlast_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// parseTests are queries and how they print, "" where they print as they are.
var parseTests = []struct{ in, out string }{
	{"SELECT 1", ""},
	{"select a  ,  b from t where c  =  'x' ;", "SELECT a, b FROM t WHERE c = 'x'"},
	{"SELECT count(*), avg(DISTINCT a) FROM t", ""},
	{"SELECT T1.name AS n FROM t T1 JOIN u AS T2 ON T1.id = T2.id", "SELECT T1.name AS n FROM t AS T1 JOIN u AS T2 ON T1.id = T2.id"},
	{"SELECT * FROM t, u, v", ""},
	{"SELECT t.*, u.* FROM t LEFT OUTER JOIN u USING (a, b)", "SELECT t.*, u.* FROM t LEFT JOIN u USING (a, b)"},
	{"SELECT a FROM t NATURAL JOIN u NATURAL LEFT JOIN v CROSS JOIN w", ""},
	{"SELECT a FROM t RIGHT JOIN u ON x = y FULL OUTER JOIN v ON z INNER JOIN w", "SELECT a FROM t RIGHT JOIN u ON x = y FULL JOIN v ON z INNER JOIN w"},
	{"SELECT a FROM (t JOIN u) AS x, (SELECT 1) y", "SELECT a FROM (t JOIN u) AS x, (SELECT 1) AS y"},
	{"SELECT a FROM main.t AS x NOT INDEXED", ""},
	{"SELECT a FROM t INDEXED BY i", ""},
	{"SELECT value FROM t, json_each(t.j, '$') AS e", ""},
	{"SELECT a FROM t UNION SELECT b FROM u EXCEPT SELECT c FROM v ORDER BY 1 LIMIT 3", ""},
	{"SELECT a FROM t UNION ALL SELECT b FROM u INTERSECT VALUES (1, 2), (3, 4)", ""},
	{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"},
	{"WITH a AS NOT MATERIALIZED (SELECT 1), b AS MATERIALIZED (SELECT 2) SELECT * FROM a, b", ""},
	{"SELECT a FROM t GROUP BY a, b HAVING count(*) > 1 ORDER BY a DESC NULLS LAST, b ASC LIMIT 5, 10", "SELECT a FROM t GROUP BY a, b HAVING count(*) > 1 ORDER BY a DESC NULLS LAST, b ASC LIMIT 10 OFFSET 5"},
	{"SELECT DISTINCT a FROM t", ""},
	{"SELECT ALL a FROM t", "SELECT a FROM t"},

	// The shapes of WikiSQL and Squall.
	{`SELECT COUNT("No.") AS result FROM "1-10015132-11" WHERE "Player" = :col0 AND col3 > 1996`, ""},
	{"select abs ( ( select c3_number from w where c1 = 'a' ) - ( select max ( c4 ) from w ) )", "SELECT abs((SELECT c3_number FROM w WHERE c1 = 'a') - (SELECT max(c4) FROM w))"},
	{"select c2 from w where id = ( select id from w where c2 = 'x' ) + 1 order by c5_year - c5_month desc limit 1", "SELECT c2 FROM w WHERE id = (SELECT id FROM w WHERE c2 = 'x') + 1 ORDER BY c5_year - c5_month DESC LIMIT 1"},

	// Operators and their precedence.
	{"SELECT a OR b AND NOT c = d", ""},
	{"SELECT (a OR b) AND NOT (c AND d)", ""},
	{"SELECT (NOT a) = b, NOT a = b", ""},
	{"SELECT ((a)) + (b * c), (a + b) * c, a - (b - c), (a - b) - c", "SELECT a + b * c, (a + b) * c, a - (b - c), a - b - c"},
	{"SELECT a || b * c, (a * b) || c, -a || b, -(a || b)", ""},
	{"SELECT a = b < c, (a = b) < c, a == b <> c", "SELECT a = b < c, (a = b) < c, a = b != c"},
	{"SELECT a & b | c << d >> e, ~a, - -a, + -1", "SELECT a & b | c << d >> e, ~a, - -a, + -1"},
	{"SELECT a > = b, a < > b, a ! = b, a < = b", "SELECT a >= b, a != b, a != b, a <= b"},
	{"SELECT a -> '$.x' ->> 'y', a % b", ""},
	{"SELECT a COLLATE NOCASE || b, (a || b) COLLATE RTRIM, -a COLLATE binary", ""},
	{"SELECT a BETWEEN 1 AND 2 AND b NOT BETWEEN c + 1 AND d", ""},
	{"SELECT a BETWEEN (b AND c) AND (d OR e), (a BETWEEN b AND c) = d", "SELECT a BETWEEN (b AND c) AND (d OR e), a BETWEEN b AND c = d"},
	{"SELECT a LIKE '%x' ESCAPE '\\', a NOT GLOB b, a REGEXP b, a NOT MATCH b", ""},
	{"SELECT a LIKE (b = c), (a LIKE b) LIKE c", "SELECT a LIKE (b = c), a LIKE b LIKE c"},
	{"SELECT a IN (1, 2), a NOT IN (SELECT b FROM t), a IN t, a IN (), (a, b) IN (VALUES (1, 2))", ""},
	{"SELECT a ISNULL, a NOTNULL, a NOT NULL, a IS NOT NULL, a IS NOT b", "SELECT a IS NULL, a IS NOT NULL, a IS NOT NULL, a IS NOT NULL, a IS NOT b"},
	{"SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b, a = b IS NULL", ""},
	{"SELECT EXISTS (SELECT 1), NOT EXISTS (SELECT 1), (SELECT max(a) FROM t) + 1", ""},
	{"SELECT CASE WHEN a THEN 1 ELSE 2 END, CASE a WHEN 1 THEN b WHEN 2 THEN c END", ""},
	{"SELECT CAST(a AS REAL), CAST(a AS VARCHAR ( 10 , 2 )), CAST(b AS unsigned big int)", "SELECT CAST(a AS REAL), CAST(a AS VARCHAR(10, 2)), CAST(b AS unsigned big int)"},

	// Functions and windows.
	{"SELECT group_concat(DISTINCT a ORDER BY b DESC), count(*) FILTER (WHERE a > 1)", ""},
	{"SELECT rank() OVER (PARTITION BY a ORDER BY b), sum(c) OVER w FROM t WINDOW w AS (ORDER BY a), v AS (w ROWS UNBOUNDED PRECEDING)", ""},
	{"SELECT sum(a) FILTER (WHERE b) OVER (ORDER BY c RANGE BETWEEN 1 + 1 PRECEDING AND CURRENT ROW EXCLUDE NO OTHERS)", ""},
	{"SELECT sum(a) OVER (GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES) over, count(*) filter", "SELECT sum(a) OVER (GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS over, count(*) AS filter"},
	{"SELECT replace(a, 'x', 'y'), left(a), glob(a, b), if(a, b, c), date('now')", ""},

	// Literals.
	{"SELECT 'it''s', \"a\"\"b\", `c``d`, [e f], X'0aFF', 0x1F, 1.5e-3, .5, 1., 1_000", ""},
	{"SELECT ?, ?1, :a, @b, $c, NULL, TRUE, false, CURRENT_DATE", ""},
	{"SELECT 1 -- one\n, /* two */ 2 /* open", "SELECT 1, 2"},

	// Keywords that are names, names in quotes.
	{"SELECT year, match, key, range, rows, end, first FROM plan AS desc", ""},
	{"SELECT a match FROM t WHERE x", "fails"},
	{"SELECT a offset, b 'lit', c \"q\" FROM t temp", "SELECT a AS offset, b AS 'lit', c AS \"q\" FROM t AS temp"},
	{"SELECT left.a, cast, replace FROM left", ""},
	{"SELECT t.'a b', \"order\" FROM 't'", ""},
	{"SELECT current_date.a, t.current_time FROM current_date", ""},
	{"SELECT Ærøskøbing FROM naïve", ""},
}

func TestParse(t *testing.T) {
	for _, test := range parseTests {
		q, err := sqlast.Parse(test.in)
		if test.out == "fails" {
			if err == nil {
				t.Errorf("Parse(%q) = %s, expected an error", test.in, q)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", test.in, err)
			continue
		}
		want := test.out
		if want == "" {
			want = test.in
		}
		if got := q.String(); got != want {
			t.Errorf("Parse(%q)\nprints %s\nwant   %s", test.in, got, want)
		}
		if got := sqlast.Clone(q).String(); got != want {
			t.Errorf("Clone of %q prints %s", test.in, got)
		}
		if err := parses(sqlast.SQLite, test.in); err != nil {
			t.Error(err)
		}
	}
}

// TestParseOperators has SQLite judge the printing of operators: an expression
// and its print must have one value.
func TestParseOperators(t *testing.T) {
	c := openFile(t, ":memory:")
	ops := []string{"OR", "AND", "=", "<", "&", "<<", "+", "-", "*", "/", "%", "||", "IS", "IS NOT", "LIKE", "NOT GLOB", "IS DISTINCT FROM"}
	for _, a := range ops {
		for _, b := range ops {
			for _, form := range []string{"7 A 2 B 3", "(7 A 2) B 3", "7 A (2 B 3)", "NOT 7 A - 2 B 3", "(NOT 7 A 2) B ~3",
				"7 A 2 BETWEEN 1 AND 3 B 4", "7 A 2 IN (0, 1) B 3", "-7 A NOT 2 B 3", "7 A 2 B 3 ISNULL"} {
				query := "SELECT " + strings.NewReplacer("A ", a+" ", "B ", b+" ").Replace(form)
				want, sqliteErr := rows(c, query)
				q, err := sqlast.Parse(query)
				if (err == nil) != (sqliteErr == nil) {
					t.Errorf("%s: %v, SQLite: %v", query, err, sqliteErr)
					continue
				}
				if err != nil {
					continue
				}
				if got, err := rows(c, q.String()); err != nil || got[0] != want[0] {
					t.Errorf("%s = %v, but as %s = %v (%v)", query, want, q, got, err)
				}
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "1:1: near end of query, expected SELECT"},
		{"DROP TABLE t", "1:1: near \"DROP\", expected SELECT"},
		{"SELECT a FROM", "1:14: near end of query, expected a table"},
		{"SELECT a,\n FROM t", "2:2: near \"FROM\", expected an expression"},
		{"SELECT 1; SELECT 2", "1:11: near \"SELECT\", expected end of query"},
		{"SELECT 'a\nb", "1:8: quote ' is not closed"},
		{"SELECT 1x", "1:8: malformed number \"1x\""},
		{"SELECT X'abc'", "1:8: malformed blob, expected X'…' with pairs of hex digits"},
		{"SELECT a ? b ^ c", "1:14: character '^' is not SQL"},
		{"SELECT a\x00", "1:9: NUL byte in query"},
		{"SELECT a FROM t ORDER BY b INTERSECT SELECT 1", "1:28: near \"INTERSECT\", expected end of query"},
		{"SELECT a FROM t LEFT u", "1:22: near \"u\", expected JOIN"},
		{"SELECT a FROM t OUTER JOIN u", "1:28: near \"u\", expected LEFT, RIGHT or FULL before OUTER JOIN"},
		{"SELECT CASE a END", "1:15: near \"END\", expected WHEN"},
		{strings.Repeat("(", 1000), "1:1: near \"(\", expected SELECT"},
		{"SELECT " + strings.Repeat("(", 1000), "1:407: nested more than 400 levels deep"},
		{strings.Repeat(" ", sqlast.MaxBytes+1), "1:1: query has 65537 bytes, expected at most 65536"},
	} {
		q, err := sqlast.Parse(test.in)
		var syntax *sqlast.SyntaxError
		if !errors.As(err, &syntax) || err.Error() != test.want {
			t.Errorf("Parse(%.40q) = %v, %v\nwant error %s", test.in, q, err, test.want)
		}
	}
}

// TestParseLongest keeps the deepest tree that the bounds allow from exhausting
// the stack.
func TestParseLongest(t *testing.T) {
	src := "SELECT 1" + strings.Repeat("+1", (sqlast.MaxBytes-8)/2)
	q, err := sqlast.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sqlast.Resolve(q, schemaCatalog{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlast.Rename(q, b, sqlast.Renaming{}); err != nil {
		t.Fatal(err)
	}
	if len(q.String()) < len(src) {
		t.Error("the print is too short")
	}
}

// FuzzParse checks that no text makes the package panic, in any dialect, and that the print of
// a query is a fixed point that resolves and rewrites.
func FuzzParse(f *testing.F) {
	for _, test := range parseTests {
		f.Add(test.in, byte(0))
	}
	for _, test := range renameTests {
		f.Add(test.in, byte(0))
		f.Add(test.in, byte(1))
	}
	for _, test := range pgTests {
		f.Add(test.in, byte(1))
	}
	f.Fuzz(func(t *testing.T, src string, dialect byte) {
		d := sqlast.Dialects()[int(dialect)%len(sqlast.Dialects())]
		q, err := d.Parse(src)
		if err != nil {
			return
		}
		if err := parses(d, src); err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		b, err := sqlast.Resolve(q, testCatalog)
		if err != nil {
			return
		}
		for _, r := range []sqlast.Renaming{{}, renaming} {
			if renamed, err := sqlast.Rename(q, b, r); err == nil {
				if err := parses(d, renamed.String()); err != nil {
					t.Fatalf("%q renamed: %v", src, err)
				}
			}
		}
	})
}

// BenchmarkParse parses the gold SQL of Spider dev. Its reference, in the same
// run, is what SQLite takes to compile the same text (EXPLAIN, which parses,
// resolves and plans), on the databases that are there.
func BenchmarkParse(b *testing.B) {
	golds := readGold(b, "data", "spider", "dev_gold.sql")
	dir := shared.Untar(b, "data", "spider", "databases_dev.tar.gz")
	bytes := 0
	for _, g := range golds {
		bytes += len(g.query)
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		for _, g := range golds {
			if _, err := sqlast.Parse(g.query); err != nil {
				b.Fatal(err)
			}
		}
	}
	perQuery := b.Elapsed().Seconds() / float64(b.N*len(golds))
	b.ReportMetric(1/perQuery, "parses/s")

	compiled := 0
	start := time.Now()
	dbs := map[string]*sql.DB{}
	for _, g := range golds {
		if _, ok := dbs[g.db]; !ok {
			dbs[g.db] = openDB(b, dir, g.db)
		}
		if dbs[g.db] == nil {
			continue
		}
		rows, err := dbs[g.db].Query("EXPLAIN " + g.query)
		if err != nil {
			b.Fatal(err)
		}
		rows.Close()
		compiled++
	}
	b.ReportMetric(perQuery/(time.Since(start).Seconds()/float64(compiled)), "x-SQLite-compile")
}

// fill creates the tables of testCatalog with a few rows.
func fill(t *testing.T, c schemaCatalog) *sql.DB {
	t.Helper()
	db := openFile(t, ":memory:")
	for _, table := range c {
		var columns, values []string
		for i, column := range table.columns {
			columns = append(columns, quoted(column))
			values = append(values, "(k * "+string(rune('3'+i))+") % 5")
		}
		for _, stmt := range []string{
			"CREATE TABLE " + quoted(table.name) + " (" + strings.Join(columns, ", ") + ")",
			"INSERT INTO " + quoted(table.name) + " WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 6) SELECT " + strings.Join(values, ", ") + " FROM n",
		} {
			if _, err := db.Exec(stmt); err != nil {
				t.Fatalf("%s: %v", stmt, err)
			}
		}
	}
	return db
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
