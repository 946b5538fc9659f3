package postgres_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/postgres"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// refused are statements that the server never gets: calls of functions that are not on the list, and tables of the
// server's own.
const refused = `SELECT pg_sleep(10)
SELECT "pg_sleep"(10)
SELECT PG_CATALOG.PG_SLEEP(10)
SELECT * FROM pg_sleep(10)
SELECT * FROM t, LATERAL pg_catalog.pg_sleep(t.id) AS s
SELECT id FROM t WHERE pg_sleep_for('1 day') IS NULL
SELECT id FROM t GROUP BY id HAVING count(pg_sleep_until('tomorrow')) > 0
SELECT id FROM t ORDER BY pg_sleep(id)
SELECT id FROM t LIMIT (SELECT pg_backend_pid())
SELECT sum(id) FILTER (WHERE pg_sleep(1) IS NULL) FROM t
SELECT sum(id) OVER (ORDER BY pg_sleep(1)) FROM t
SELECT array_agg(id ORDER BY pg_sleep(1)) FROM t
SELECT CASE WHEN pg_sleep(1) IS NULL THEN 1 END
SELECT (ARRAY[pg_sleep(1)])[1], 1
SELECT DISTINCT ON (pg_sleep(1)) id FROM t
SELECT 1 FROM t JOIN u ON pg_sleep(1) IS NULL
WITH x AS (SELECT pg_sleep(1)) SELECT 1
VALUES (pg_sleep(1))
SELECT count(*) FROM t GROUP BY GROUPING SETS ((pg_sleep(1)), ())
SELECT EXTRACT(YEAR FROM pg_sleep(1))
SELECT lower(U.x) FROM public.lower(1) AS u
SELECT dblink_exec('host=x', 'DROP TABLE t')
SELECT * FROM dblink('host=x', 'SELECT 1') AS d(a int)
SELECT pg_read_file('/etc/passwd')
SELECT pg_read_binary_file('/etc/passwd')
SELECT pg_ls_dir('/')
SELECT * FROM pg_stat_file('/etc/passwd')
SELECT pg_file_write('/tmp/x', 'x', false)
SELECT lo_import('/etc/passwd')
SELECT lo_export(1, '/tmp/x')
SELECT lo_from_bytea(0, 'x')
SELECT lo_unlink(1), lo_create(0), lo_put(1, 0, 'x')
SELECT pg_terminate_backend(1)
SELECT pg_cancel_backend(pid) FROM pg_stat_activity
SELECT pg_reload_conf(), pg_rotate_logfile()
SELECT pg_advisory_lock(1)
SELECT pg_try_advisory_lock_shared(1)
SELECT pg_advisory_unlock_all()
SELECT set_config('transaction_read_only', 'off', false)
SELECT current_setting('data_directory')
SELECT nextval('s'), setval('s', 1), currval('s')
SELECT query_to_xml('DELETE FROM t', true, true, '')
SELECT database_to_xml(true, true, '')
SELECT * FROM ts_stat('SELECT pg_sleep(1)')
SELECT pg_notify('a', 'b')
SELECT txid_current(), pg_export_snapshot()
SELECT pg_logical_emit_message(false, 'a', 'b')
SELECT pg_switch_wal(), pg_create_restore_point('x')
SELECT pg_stat_reset(), pg_promote()
SELECT random(), gen_random_uuid()
SELECT pg_get_viewdef('v'::regclass), has_table_privilege('t', 'SELECT')
SELECT f(1)
SELECT public.count(1)
SELECT rolpassword FROM pg_authid
SELECT query FROM pg_catalog.pg_stat_activity
SELECT table_name FROM information_schema.tables
SELECT setting FROM "pg_settings"
SELECT id FROM t WHERE id = $1`

// malformed are statements that are no SELECT, or do more than read.
const malformed = `DELETE FROM t
COPY t TO PROGRAM 'id'
COPY (SELECT 1) TO '/tmp/x'
DO $$ BEGIN PERFORM pg_sleep(1); END $$
SET ROLE postgres
RESET ALL
LISTEN x
NOTIFY x
CALL p()
CREATE TABLE x AS SELECT 1
SELECT 1 INTO x
SELECT * INTO TEMP x FROM t
SELECT id FROM t FOR UPDATE
SELECT id FROM t FOR KEY SHARE SKIP LOCKED
WITH d AS (DELETE FROM t RETURNING id) SELECT id FROM d
WITH i AS (INSERT INTO t VALUES (1) RETURNING id) SELECT id FROM i
TABLE pg_authid
EXPLAIN ANALYZE SELECT 1
SELECT 1; DROP TABLE t
SELECT 1; COMMIT
BEGIN
PREPARE x AS SELECT 1
SELECT U&'d\0061t'`

// passing are statements that the server gets, with what it gets.
const passing = `SELECT count(*), lower("Name"), date_trunc('month', d)::date FROM t => same
SELECT "Pg_sleep" FROM t AS pg_x => same
SELECT 'pg_sleep(1)', $$a'b$$, E'\x41' -- pg_sleep(1) => SELECT 'pg_sleep(1)', 'a''b', 'A'
SELECT /* /* */ pg_sleep(1) */ 1 => SELECT 1
SELECT pg_catalog.upper(c) FROM generate_series(1, 3) AS c => same
SELECT extract("x) , pg_sleep(1" FROM d) FROM t => same`

// TestAllow has a line for each statement that comes from others.
func TestAllow(t *testing.T) {
	count := 0
	for line := range strings.SplitSeq(refused, "\n") {
		count++
		if sql, err := postgres.Allow(line); !errors.Is(err, sqldata.ErrRefused) {
			t.Errorf("%s: %q, %v, expected it to be refused", line, sql, err)
		}
	}
	for line := range strings.SplitSeq(malformed, "\n") {
		count++
		if sql, err := postgres.Allow(line); err == nil {
			t.Errorf("%s: %q, expected an error", line, sql)
		}
	}
	for line := range strings.SplitSeq(passing, "\n") {
		sql, want, _ := strings.Cut(line, " => ")
		if want == "same" {
			want = sql
		}
		if got, err := postgres.Allow(sql); got != want {
			t.Errorf("%s: %q, %v, expected %q", sql, got, err, want)
		}
	}
	t.Logf("%d statements", count)
}

// TestHostileContent checks that a file with SQL beyond rows of tables is refused when it is read.
func TestHostileContent(t *testing.T) {
	for _, test := range []struct{ name, line, refused string }{
		{"a function", `{"name": "a", "columns": [{"name": "b", "sql": "pg_sleep(60)::text"}], "from": "public.a AS t"}`, "pg_sleep"},
		{"a second statement", `{"name": "a", "columns": [{"name": "b", "sql": "t.b"}], "from": "public.a AS t; DROP TABLE public.a"}`, "expected"},
		{"the server's own tables", `{"name": "a", "columns": [{"name": "b", "sql": "t.rolpassword"}], "from": "pg_catalog.pg_authid AS t"}`, "pg_authid"},
	} {
		path := filepath.Join(t.TempDir(), "shop.postgres")
		if err := os.WriteFile(path, []byte("postgres:///shop\n"+test.line+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := postgres.Draft(t.Context(), path); err == nil || !strings.Contains(err.Error(), ":2: table a: ") || !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: got %v, expected line 2 and %q", test.name, err, test.refused)
		}
	}
}
