package sqlast_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// pgSchema are the tables of pgTests.
const pgSchema = `CREATE TYPE pair AS (f int, g int);
CREATE TABLE t (id int PRIMARY KEY, b int, c text, d date, ts timestamptz, arr int[], j jsonb, n numeric, r pair, "Mixed Case" text);
CREATE TABLE u (id int, b int, x text, "user" text);`

var pgCatalog = schemaCatalog{{"t", []string{"id", "b", "c", "d", "ts", "arr", "j", "n", "r", "Mixed Case"}}, {"u", []string{"id", "b", "x", "user"}}}

// pgTests are queries of PostgreSQL with their print where that differs.
var pgTests = []struct{ in, out string }{
	{"SELECT b::text, (b + 1)::numeric(10,2), -b::int, arr::text[], c::character varying(3), d::timestamp with time zone FROM t",
		"SELECT b::text, (b + 1)::numeric(10, 2), -b::int, arr::text[], c::character VARYING(3), d::timestamp WITH TIME ZONE FROM t"},
	{"SELECT CAST(b AS double precision), b::int::text FROM t", "SELECT CAST(b AS double PRECISION), b::int::text FROM t"},
	{"SELECT DATE '2001-01-01', INTERVAL '1 day', INTERVAL '1' DAY, INTERVAL(3) '1.5 s', timestamp(2) with time zone '2001-01-01', int '5'",
		"SELECT DATE '2001-01-01', INTERVAL '1 day', INTERVAL '1' DAY, INTERVAL(3) '1.5 s', timestamp(2) WITH TIME ZONE '2001-01-01', int '5'"},
	{"SELECT ts + INTERVAL '1' DAY TO SECOND - 2 * interval '1 month' FROM t", "SELECT ts + INTERVAL '1' DAY TO SECOND - 2 * interval '1 month' FROM t"},
	{"SELECT c ILIKE 'a%', c NOT ILIKE 'b', c SIMILAR TO '(a|b)%', c NOT LIKE 'x!%' ESCAPE '!', c ~ '^a', c !~* 'b', c ~~ 'a' FROM t", ""},
	{"SELECT EXTRACT(YEAR FROM d), extract('month' from ts), EXTRACT(epoch FROM ts - INTERVAL '1 day') FROM t",
		"SELECT EXTRACT(YEAR FROM d), extract('month' FROM ts), EXTRACT(epoch FROM ts - INTERVAL '1 day') FROM t"},
	{"SELECT SUBSTRING(c FROM 1 FOR 2), substring(c, 2), TRIM(BOTH 'x' FROM c), TRIM(c), TRIM(LEADING FROM c), POSITION('a' IN c), OVERLAY(c PLACING 'x' FROM 1 FOR 2) FROM t", ""},
	{"SELECT ts AT TIME ZONE 'UTC', (ts + INTERVAL '1 day') AT TIME ZONE 'UTC', d::timestamp AT TIME ZONE 'UTC' FROM t", ""},
	{"SELECT ARRAY[1, 2], ARRAY[[1, 2], [3, 4]], ARRAY(SELECT id FROM u), arr[1], arr[1:2], arr[:2], (ARRAY[1, 2])[1] FROM t", ""},
	{"SELECT id FROM t WHERE id = ANY (ARRAY[1, 2]) AND id <> ALL (SELECT id FROM u) OR c LIKE ANY (ARRAY['a']) OR b = SOME(arr)",
		"SELECT id FROM t WHERE id = ANY (ARRAY[1, 2]) AND id != ALL (SELECT id FROM u) OR c LIKE ANY (ARRAY['a']) OR b = SOME (arr)"},
	{"SELECT count(*) FILTER (WHERE b > 1), string_agg(c, ',' ORDER BY c DESC NULLS LAST), array_agg(DISTINCT b), count(DISTINCT (b, c)) FROM t", ""},
	{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY b), mode() WITHIN GROUP (ORDER BY c) FILTER (WHERE b > 1) FROM t", ""},
	{"SELECT DISTINCT ON (b, c) b, c, d FROM t ORDER BY b, c, d DESC", ""},
	{"SELECT t.id, s.k FROM t, LATERAL (SELECT u.id AS k FROM u WHERE u.b = t.b LIMIT 1) AS s", ""},
	{"SELECT t.id, s.k FROM t LEFT JOIN LATERAL (SELECT max(u.id) FROM u WHERE u.b = t.b) s(k) ON true",
		"SELECT t.id, s.k FROM t LEFT JOIN LATERAL (SELECT max(u.id) FROM u WHERE u.b = t.b) AS s(k) ON true"},
	{"SELECT id, t.c, u.x FROM t JOIN u USING (id, b)", ""},
	{"SELECT id FROM t ORDER BY id OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY", "SELECT id FROM t ORDER BY id LIMIT 3 OFFSET 2"},
	{"SELECT id FROM t ORDER BY id FETCH NEXT ROW WITH TIES", "SELECT id FROM t ORDER BY id FETCH FIRST 1 ROWS WITH TIES"},
	{"SELECT id FROM t OFFSET 2", ""}, {"SELECT id FROM t LIMIT ALL OFFSET 1", ""}, {"SELECT id FROM t OFFSET 1 LIMIT 2", "SELECT id FROM t LIMIT 2 OFFSET 1"},
	{"SELECT sum(b) OVER (PARTITION BY c ORDER BY d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), rank() OVER w FROM t WINDOW w AS (ORDER BY b)", ""},
	{"SELECT sum(b) OVER (ORDER BY d RANGE BETWEEN INTERVAL '1 day' PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM t", ""},
	{`SELECT E'a\tb\'c\\', E'\u00e9\x41\101', $$it's$$, $q$a $$ b$q$, 'it''s', B'101', X'1F'`, "SELECT 'a\tb''c\\', 'éAA', 'it''s', 'a $$ b', 'it''s', B'101', X'1F'"},
	{"SELECT C, T.Id, \"Mixed Case\", U.User, u.\"user\" FROM T, U", "SELECT C, T.Id, \"Mixed Case\", U.\"user\", u.\"user\" FROM T, U"},
	{"SELECT id AS User, b AS \"End\", c total FROM t ORDER BY total, \"End\"", "SELECT id AS \"user\", b AS \"End\", c AS total FROM t ORDER BY total, \"End\""},
	{"SELECT g, g.g FROM generate_series(1, 3) g", "SELECT g, g.g FROM generate_series(1, 3) AS g"},
	{"SELECT a, o FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS x(a, o)", ""},
	{"SELECT x.k, x.v FROM t, jsonb_to_record(t.j) AS x(k int, v text)", ""},
	{"SELECT value FROM t CROSS JOIN jsonb_array_elements(t.j->'a') WHERE value->>'k' = 'v' AND j @> '{}' AND j ? 'a'", "SELECT value FROM t CROSS JOIN jsonb_array_elements(t.j -> 'a') WHERE value ->> 'k' = 'v' AND j @> '{}' AND j ? 'a'"},
	{"SELECT b, c, count(*), GROUPING(b) FROM t GROUP BY GROUPING SETS ((b, c), (b), ())", "SELECT b, c, count(*), GROUPING(b) FROM t GROUP BY GROUPING SETS ((b, c), b, ())"},
	{"SELECT b, c, count(*) FROM t GROUP BY ROLLUP (b, c), CUBE(b)", "SELECT b, c, count(*) FROM t GROUP BY ROLLUP(b, c), CUBE(b)"},
	{"(SELECT id FROM t ORDER BY b LIMIT 1) UNION ALL (SELECT id FROM u LIMIT 2) ORDER BY 1", ""},
	{"SELECT id FROM t INTERSECT ALL SELECT id FROM u EXCEPT ALL SELECT b FROM u", ""},
	{"((SELECT id FROM t))", "SELECT id FROM t"},
	{"SELECT s.id FROM ((SELECT id FROM t) UNION (SELECT id FROM u)) AS s JOIN (u AS v CROSS JOIN t) ON s.id = v.id", ""},
	{"SELECT ((SELECT max(id) FROM u)) + 1, ((SELECT 1), 2) = (1, 2), (b, c) IN ((1, 'a'), (2, 'b')) FROM t", "SELECT (SELECT max(id) FROM u) + 1, ((SELECT 1), 2) = (1, 2), (b, c) IN ((1, 'a'), (2, 'b')) FROM t"},
	{"WITH t AS (SELECT id AS k FROM t) SELECT k FROM t", ""},
	{"WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 5) SELECT k FROM n", "WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 5) SELECT k FROM n"},
	{"WITH p AS MATERIALIZED (SELECT 1 AS a) SELECT q.b FROM (WITH p AS (SELECT a + 1 AS b FROM p) SELECT b FROM p ORDER BY b) AS q", ""},
	{"SELECT s.count, s.b, s.int4, s.\"case\", s.coalesce, s.c FROM (SELECT count(*), b, 1::int, CASE WHEN b > 1 THEN 2 END, COALESCE(b, 0), c::varchar FROM t GROUP BY b, c) AS s", ""},
	{"SELECT count(*), b FROM t GROUP BY b ORDER BY count, b DESC", ""},
	{"SELECT upper(c) AS c, id FROM t WHERE c = 'a' GROUP BY t.c, id ORDER BY c", ""},
	{"SELECT (r).f, (r).* FROM t", ""}, {"SELECT t, count(t.*), row_to_json(t) FROM t GROUP BY t.id", ""},
	{"SELECT make_interval(days => 3), concat_ws(',', VARIADIC ARRAY['a']), ROW(1, 2) = ROW(1, 2), pg_catalog.lower(c), LEFT(c, 1), now() FROM public.t", ""},
	{"SELECT b > 1 IS TRUE, (b > 1) IS NOT UNKNOWN, b ISNULL, c NOTNULL, b IS NOT DISTINCT FROM 1, NOT b > 1 FROM t", "SELECT b > 1 IS TRUE, b > 1 IS NOT UNKNOWN, b IS NULL, c IS NOT NULL, b IS NOT DISTINCT FROM 1, NOT b > 1 FROM t"},
	{"SELECT b BETWEEN SYMMETRIC 3 AND 1, b NOT BETWEEN 1 AND 2, (d, d) OVERLAPS (d, d), |/ 4.0, @ -5, 2 ^ 3, 5 # 3, ~ 1, b || c FROM t", ""},
	{"SELECT CURRENT_DATE, CURRENT_TIMESTAMP(2), LOCALTIME, CURRENT_USER, SESSION_USER FROM t", ""},
	{"SELECT c COLLATE \"C\" FROM t ORDER BY c COLLATE \"C\" DESC NULLS FIRST", ""},
	{"SELECT /* a /* nested */ comment */ 1 -- end", "SELECT 1"},
	{"SELECT EXISTS (SELECT FROM t), 1 WHERE EXISTS(SELECT 1)", "SELECT EXISTS (SELECT FROM t), 1 WHERE EXISTS (SELECT 1)"},
	{"SELECT v.a FROM (VALUES (1, 'x'), (2, 'y')) AS v(a, b)", ""}, {"VALUES (1), (2)", ""},
	{"SELECT year, name, key, value, type FROM (SELECT 1 AS year, 2 AS name, 3 AS key, 4 AS value, 5 AS type) AS data", ""},
	{"SELECT 1 FROM t a JOIN u b ON a.id = b.id AND x = c JOIN u c2 ON c2.id = a.id", "SELECT 1 FROM t AS a JOIN u AS b ON a.id = b.id AND x = c JOIN u AS c2 ON c2.id = a.id"},
	{"SELECT 1 FROM \"t\" FOR UPDATE", "fails"}, {"SELECT 1 INTO x", "fails"}, {"SELECT 1 FROM [t]", "fails"}, {"SELECT $$a", "fails"}, {"SELECT E'\\xff'", "fails"},
	{"WITH d AS (DELETE FROM t RETURNING id) SELECT id FROM d", "fails"}, {"SELECT :name", "fails"}, {"SELECT 'a' FROM 't'", "fails"},
}

// TestParsePostgreSQL parses and prints.
func TestParsePostgreSQL(t *testing.T) {
	for _, test := range pgTests {
		q, err := sqlast.PostgreSQL.Parse(test.in)
		switch want := strings.TrimPrefix(test.out, "fails"); {
		case test.out == "fails" && err == nil:
			t.Errorf("%s: %s, expected an error", test.in, q)
		case test.out == "fails":
		case err != nil:
			t.Errorf("%s: %v", test.in, err)
		case want == "" && q.String() != test.in, want != "" && q.String() != want:
			t.Errorf("%s\nprints %s\nwant   %s", test.in, q, want)
		case sqlast.Clone(q).String() != q.String():
			t.Errorf("a copy of %s prints %s", test.in, sqlast.Clone(q))
		}
	}
}

// testPGSyntax has the server compile pgTests and their prints to one view, and resolves their names.
func testPGSyntax(t *testing.T, conn *pgx.Conn) {
	s := beginPG(t, conn, pgSchema)
	n := &pgTally{}
	for _, test := range pgTests {
		if test.out != "fails" {
			n.judge(s, pgCatalog, test.in)
		}
	}
}

// pgOperators gives boolean the operators of other types, so that every expression of operators compiles.
func pgOperators() string {
	var b strings.Builder
	b.WriteString("CREATE FUNCTION op(a bool, b bool) RETURNS bool LANGUAGE sql AS 'SELECT a'; CREATE FUNCTION pre(a bool) RETURNS bool LANGUAGE sql AS 'SELECT a';")
	b.WriteString("SET LOCAL allow_system_table_mods = on; CREATE FUNCTION pg_catalog.timezone(a bool, b bool) RETURNS bool LANGUAGE sql AS 'SELECT a'; CREATE OPERATOR - (rightarg = bool, function = pre);")
	for _, op := range []string{"+", "-", "*", "^", "#", "||", "~~", "!~~"} {
		fmt.Fprintf(&b, "CREATE OPERATOR %s (leftarg = bool, rightarg = bool, function = op);", op)
	}
	return b.String()
}

// testPGOperators has the server judge the printing of operators: an expression and its print must be one view.
func testPGOperators(t *testing.T, conn *pgx.Conn) {
	s, tried, accepted := beginPG(t, conn, "CREATE TABLE b (x bool, y bool, z bool);"+pgOperators()), 0, 0
	ops := []string{"OR", "AND", "=", "<", "#", "+", "*", "^", "||", "IS DISTINCT FROM", "LIKE", "AT TIME ZONE"}
	for _, a := range ops {
		for _, b := range ops {
			for _, form := range []string{"x A y B z", "(x A y) B z", "x A (y B z)", "NOT x A y B z", "(NOT x) A y B z", "- x A y B z", "- (x A y) B z",
				"x A - y B z", "x A y IS NULL B z", "x A y BETWEEN y AND z B z", "x A y IN (y) B z", "(x A y::bool)::bool B z", "x A (y NOT LIKE x B z)"} {
				if tried++; tried%shared.Every(20) != 0 {
					continue
				}
				query := "SELECT " + strings.NewReplacer("A ", a+" ", "B ", b+" ").Replace(form) + " FROM b"
				want, refused := s.view(query, nil)
				q, err := sqlast.PostgreSQL.Parse(query)
				if (refused == nil) != (err == nil) {
					t.Errorf("%s: %v, the server: %v", query, err, refused)
				}
				if err != nil || refused != nil { // a = b = c: the operators of comparison do not chain
					continue
				}
				accepted++
				if got, err := s.view(q.String(), nil); got != want {
					t.Errorf("%s\nprints %s\nwhich is (%v)\n%s\nwant\n%s", query, q, err, got, want)
				}
			}
		}
	}
	if accepted < tried/shared.Every(20)/2 {
		t.Errorf("the server accepts %d of %d expressions", accepted, tried)
	}
}

// TestRenamePostgreSQL gives names that need quotes, as keywords and capitals do. A whole row shows the names, so it is
// refused.
func TestRenamePostgreSQL(t *testing.T) {
	renaming := sqlast.Renaming{Tables: map[string]string{"t": "Singer"}, Columns: map[sqlast.BaseColumn]string{
		{Table: "t", Column: "c"}: "user", {Table: "t", Column: "id"}: "Id", {Table: "t", Column: "b"}: "year",
	}}
	for _, test := range []struct{ in, out string }{
		{"SELECT T.C, id, b FROM T", `SELECT "Singer"."user", "Id", year FROM "Singer"`},
		{`SELECT s.id FROM (SELECT id::text FROM t) AS s`, `SELECT s."Id" FROM (SELECT "Id"::text FROM "Singer") AS s`},
		{"SELECT id AS b FROM t ORDER BY b", `SELECT "Id" AS b FROM "Singer" ORDER BY b`},
		{"WITH t AS (SELECT c FROM t) SELECT c FROM t", `WITH t AS (SELECT "user" FROM "Singer") SELECT "user" FROM t`},
		{"SELECT x.k FROM t AS x(k)", `SELECT x.k FROM "Singer" AS x(k)`},
		{"SELECT t FROM t", ""},
	} {
		q, b, err := sqlast.ParseResolved(test.in, pgSpeaker{pgCatalog})
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		renamed, err := sqlast.Rename(q, b, renaming)
		if test.out == "" {
			if _, refused := errors.AsType[*sqlast.RefusalError](err); !refused {
				t.Errorf("%s: %v, %v, expected a refusal", test.in, renamed, err)
			}
			continue
		}
		if err != nil || renamed.String() != test.out {
			t.Errorf("%s\nrenamed %v (%v)\nwant    %s", test.in, renamed, err, test.out)
		}
	}
}

// pgSpeaker is a schema of PostgreSQL.
type pgSpeaker struct{ schemaCatalog }

func (pgSpeaker) SQL() *sqlast.Dialect { return sqlast.PostgreSQL }
