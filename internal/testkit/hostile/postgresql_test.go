//go:build attack

package hostile

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/postgres"
)

// serverQueries are hostile queries for a server: such as take long, time or memory, and such as would have effects if the role may.
const serverQueries = `SELECT count(*) FROM generate_series(1, 100000000000)
SELECT generate_series(1, 100000000000)
WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t
WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT max(x) FROM t
WITH RECURSIVE t(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM t) SELECT max(length(x)) FROM t
SELECT x FROM generate_series(1, 100000000) AS x ORDER BY -x
SELECT count(DISTINCT x) FROM generate_series(1, 100000000) AS x
SELECT x % 1000000, count(*) FROM generate_series(1, 1000000000) AS x GROUP BY 1
SELECT 1 FROM generate_series(1, 100000) AS a(x), generate_series(1, 100000) AS b(y) WHERE x * 1.0 * y = -1
SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1000000 PRECEDING AND CURRENT ROW) FROM generate_series(1, 100000000) AS x
SELECT max(x) OVER (ORDER BY x ROWS BETWEEN 100000 PRECEDING AND 100000 FOLLOWING) FROM generate_series(1, 10000000) AS x
SELECT repeat('x', 500000000)
SELECT md5(repeat('x', 200000000)), sha256(repeat('x', 200000000)::bytea)
SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 1000)
SELECT array_agg(x) FROM generate_series(1, 100000000) AS x
SELECT json_agg(repeat('x', 100000)) FROM generate_series(1, 1000000)
SELECT unnest(string_to_array(repeat('a,', 20000000), ','))
SELECT regexp_split_to_table(repeat('a ', 10000000), ' ')
SELECT lpad('x', 300000000, 'y')
SELECT format('%300000000s', 'x')
SELECT reverse(repeat('é', 50000000))
SELECT normalize(repeat('é', 20000000), NFKD)
SELECT translate(repeat('a', 100000000), 'a', 'b')
SELECT replace(repeat('a', 10000000), 'a', repeat('b', 50))
SELECT encode(repeat('x', 100000000)::bytea, 'base64')
SELECT factorial(30000)
SELECT power(9.9::numeric, 99999)
SELECT exp(9999::numeric)
SELECT ln(repeat('9', 100000)::numeric)
SELECT sqrt(('1' || repeat('0', 100000))::numeric)
SELECT repeat('9', 130000)::numeric * repeat('9', 130000)::numeric
SELECT div(repeat('9', 130000)::numeric, repeat('7', 65000)::numeric)
SELECT gcd(repeat('9', 60000)::numeric, repeat('7', 60000)::numeric)
SELECT log(repeat('9', 20000)::numeric, 3::numeric)
SELECT regexp_replace(repeat('a', 30000), '(a*)*b', 'x')
SELECT repeat('a', 5000) ~ '(a|aa)+$b'
SELECT repeat('a', 30000) ~ '(a?){255}(a?){255}b'
SELECT repeat('ab', 20000) SIMILAR TO '%(a|b)*c(a|b)*%'
SELECT repeat('a', 100000) LIKE repeat('%a', 450) || 'b'
SELECT repeat('a', 100000) ILIKE repeat('%_a', 300) || 'b'
SELECT to_tsvector(repeat('word ', 2000000))
SELECT ts_headline(repeat('word other ', 500000), to_tsquery('word & other'))
SELECT repeat('[', 5000)::json
SELECT (repeat('[', 5000) || repeat(']', 5000))::jsonb
SELECT jsonb_path_query(('[' || repeat('1,', 1000000) || '1]')::jsonb, '$[*] ? (@ > 0)')
SELECT to_char(1, repeat('9', 100000))
SELECT x FROM generate_series(timestamp '2000-01-01', timestamp '200000-01-01', interval '1 microsecond') AS x
SELECT pg_sleep(100)
SELECT count(*) FROM note WHERE pg_sleep(10) IS NULL
SELECT pg_read_file('/etc/passwd')
COPY note TO '/tmp/tabperturb-hostile'
COPY (SELECT 1) TO PROGRAM 'touch /tmp/tabperturb-hostile'
DO $$ BEGIN PERFORM pg_sleep(100); END $$
SELECT lo_from_bytea(0, 'x')
SELECT lo_export(1, '/tmp/tabperturb-hostile')
SELECT pg_advisory_lock(1), pg_advisory_lock_shared(2)
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
SELECT set_config('default_transaction_read_only', 'off', false), set_config('statement_timeout', '0', false)
SELECT nextval('number'), setval('number', 100)
SELECT query_to_xml('DELETE FROM note', true, true, '')
SELECT pg_notify('a', 'b'), pg_logical_emit_message(false, 'a', 'b')
SELECT sneaky(1)
SELECT * FROM note FOR UPDATE
WITH d AS (DELETE FROM note RETURNING id) SELECT * FROM d
SELECT 1; DROP TABLE note
COMMIT; DROP TABLE note
CREATE TEMP TABLE x AS SELECT 1
LISTEN a
LOCK TABLE note
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
SELECT 1 INTO x`

// hostileSchema has a function and an operator of its own with effects.
const hostileSchema = `CREATE TABLE note (id int PRIMARY KEY, text text); INSERT INTO note SELECT i, 'note ' || i FROM generate_series(1, 1000) i;
CREATE SEQUENCE number; CREATE FUNCTION sneaky(int) RETURNS int LANGUAGE sql AS 'DELETE FROM note RETURNING 1';`

// TestServerQueries asks a server hostile queries as a superuser, on the database and on a draft of it. None takes a second longer than it may, and
// after all of them nothing has changed, is locked or runs.
func TestServerQueries(t *testing.T) {
	dsn := postgres.CreateDatabase(t, postgres.Start(t), "notes")
	conn := postgres.Connect(t, dsn)
	if _, err := conn.Exec(t.Context(), hostileSchema, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	before := dump(t, dsn)
	path, _, err := engine.WriteAddress(t.TempDir(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, writes := range [][]sqldata.Write{nil, {sqldata.RenameTable{Table: "note", Name: "remark"}}} {
		db, err := engine.Draft(t.Context(), path, writes...)
		if err != nil {
			t.Fatal(err)
		}
		for sql := range strings.SplitSeq(serverQueries, "\n") {
			begin := time.Now()
			_, err := db.Query(t.Context(), sql, sqldata.Limits{Time: time.Second})
			took := time.Since(begin)
			var fault error
			if took > time.Second+overrun || errors.Is(err, sqldata.ErrNoServer) {
				fault = fmt.Errorf("%s: %v after %v", sql, err, took)
			}
			tally.add(t, "server: hostile queries", took, fault)
		}
	}
	var left error
	if _, err := os.Stat("/tmp/tabperturb-hostile"); err == nil {
		left = errors.New("a file was written")
	}
	if dump(t, dsn) != before {
		left = errors.Join(left, errors.New("the database has changed"))
	}
	const others = `SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') + (SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND backend_type = 'client backend' AND pid <> pg_backend_pid())`
	n := 1
	for deadline := time.Now().Add(30 * time.Second); n > 0 && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), others).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if n > 0 {
		left = errors.Join(left, fmt.Errorf("%d locks are held or statements run", n))
	}
	tally.add(t, "server: effects left", 0, left)
}

// dump returns what pg_dump writes of a database.
func dump(t *testing.T, dsn string) string {
	t.Helper()
	out, err := exec.Command(postgres.Program(t, "pg_dump"), "--restrict-key=x", dsn).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// oneLine matches what a command prints on standard error whose server is gone.
var oneLine = regexp.MustCompile(`^tabperturb: [^\n]*the server of the database does not answer[^\n]*\n$`)

// TestServerLost stops the server of a build, cuts its connections, hangs it, locks a table, and fills the server's disk and that of the build, at random
// moments: the build ends with one line, or was done, and --resume gives the bytes of a build that nothing disturbs.
func TestServerLost(t *testing.T) {
	server := postgres.New(t)
	dsn := postgres.CreateDatabase(t, server.DSN, "shop")
	conn := postgres.Connect(t, dsn)
	if _, err := conn.Exec(t.Context(), shop, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	spill(t, conn)
	conn.Close(t.Context())
	in := t.TempDir()
	put(t, filepath.Join(in, "questions.csv"), shopQuestions)
	if err := run(in, "init", dsn+"&connect_timeout=2", "questions.csv", "--perturb", "adveta", "--samples", "1", "--out", "made").ok(); err != nil {
		t.Fatal(err)
	}
	before := dump(t, dsn)
	args := strings.Fields(strings.ReplaceAll("build --data IN/made/data --buckets IN/made/buckets.json --perturb adveta,evolve,mtteql --samples 3 --timeout 2s --out OUT", "IN", in))
	begin := time.Now()
	undisturbed := t.TempDir()
	if err := run(undisturbed, args...).ok(); err != nil {
		t.Fatal(err)
	}
	whole, took := tree(t, filepath.Join(undisturbed, "OUT")), time.Since(begin)
	rng := rand.New(rand.NewPCG(*seed, 2))
	for _, kind := range []string{"server killed", "connections cut", "server hangs", "table locked", "server's disk full", "disk full"} {
		for tried, n := 0, 0; n < 5; tried++ {
			ended, err := lose(t, server, dsn, kind, args, time.Duration(rng.Float64()*float64(took)), whole)
			if err != nil {
				err = fmt.Errorf("%s: %w", kind, err)
			} else if !ended && tried < 50 { // it was done by then
				continue
			}
			n++
			tally.add(t, "server lost: "+kind, 0, err)
		}
	}
	if dump(t, dsn) != before {
		t.Error("the database has changed")
	}
}

// lose disturbs a build in a kind of way after some time, and resumes it. It reports whether that ended the build.
func lose(t *testing.T, server *postgres.Server, dsn, kind string, args []string, after time.Duration, whole map[string]string) (ended bool, err error) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), maxTime)
	defer cancel()
	cmd := start(ctx, dir, args...)
	if kind == "disk full" {
		limited := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -f 4; exec "$0" "$@"`, binary}, args...)...)
		limited.Dir, limited.Env = cmd.Dir, cmd.Env
		cmd, after = limited, 0
	}
	undo := func() {}
	results := make(chan *result, 1)
	go func() { results <- finish(cmd) }()
	time.Sleep(after)
	switch kind {
	case "server killed":
		server.Stop(syscall.SIGQUIT)
	case "connections cut":
		cut := postgres.Connect(t, dsn)
		if _, err := cut.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"); err != nil {
			t.Fatal(err)
		}
	case "server hangs":
		hang(t, server, syscall.SIGSTOP)
	case "table locked":
		undo = lock(t, dsn)
	case "server's disk full":
		undo = fill(t, server, dsn)
	}
	r := <-results
	switch kind {
	case "server killed":
		server.Run(t)
	case "server hangs":
		hang(t, server, syscall.SIGCONT)
	default:
		undo()
	}
	switch {
	case r.clean() != nil:
		return true, r.clean()
	case r.code == 2 && kind != "disk full" && !oneLine.MatchString(r.stderr):
		return true, fmt.Errorf("prints %q, expected one line on the server", r.stderr)
	}
	if r.code == 2 {
		if err := run(dir, append(args, "--resume")...).ok(); err != nil {
			return true, err
		}
	}
	if err := differ(whole, tree(t, filepath.Join(dir, "OUT"))); err != nil {
		return true, err
	}
	return r.code == 2, leftOver(dir, "OUT", ".cache")
}

// lock locks a table until the function that it returns is called.
func lock(t *testing.T, dsn string) (unlock func()) {
	t.Helper()
	conn := postgres.Connect(t, dsn)
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE customer", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return func() { conn.Close(t.Context()) }
}

// spill has all joins of the database written to temporary files, whose folder the server makes for the first of them.
func spill(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "ALTER DATABASE shop SET work_mem = '64kB'; SET work_mem = '64kB'; SELECT name FROM customer ORDER BY name", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// fill has the next temporary files of all connections lie on a device without space, until the function that it returns is called.
func fill(t *testing.T, server *postgres.Server, dsn string) (clear func()) {
	t.Helper()
	dir := filepath.Join(server.Dir, "data", "base", "pgsql_tmp")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	conn := postgres.Connect(t, dsn)
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			rows, _ := conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
			pids, _ := pgx.CollectRows(rows, pgx.RowTo[int])
			for _, pid := range pids {
				for n := range 500 {
					_ = os.Symlink("/dev/full", filepath.Join(dir, fmt.Sprintf("pgsql_tmp%d.%d", pid, n)))
				}
			}
		}
	}()
	return func() {
		stop()
		<-done
		conn.Close(context.Background())
		links, _ := filepath.Glob(filepath.Join(dir, "pgsql_tmp*"))
		for _, link := range links {
			_ = os.Remove(link)
		}
	}
}

// hang sends a signal to the server and all processes that serve connections.
func hang(t *testing.T, server *postgres.Server, signal syscall.Signal) {
	t.Helper()
	if err := server.Signal(signal); err != nil {
		t.Fatal(err)
	}
	children, err := exec.Command("pgrep", "-P", fmt.Sprint(server.PID())).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(children)) {
		var n int
		fmt.Sscan(pid, &n)
		_ = syscall.Kill(n, signal) // it may have ended
	}
}

const shop = `CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, city text);
CREATE TABLE purchase (id int PRIMARY KEY, customer_id int REFERENCES customer, ordered_on date, amount numeric(8,2));
INSERT INTO customer SELECT i, 'name ' || i, 'city ' || i % 9 FROM generate_series(1, 20000) i;
INSERT INTO purchase SELECT i, 1 + i % 20000, date '2020-01-01' + i % 900, i % 77 FROM generate_series(1, 60000) i;`

const shopQuestions = `question,sql
How many customers are there?,SELECT count(*) FROM customer
What are the names of customers from city 3?,SELECT name FROM customer WHERE city = 'city 3'
What is the total of each city?,"SELECT T1.city, sum(T2.amount) FROM customer AS T1 JOIN purchase AS T2 ON T1.id = T2.customer_id GROUP BY T1.city"
When was the largest order?,SELECT max(ordered_on) FROM purchase
Which cities are there?,SELECT DISTINCT city FROM customer ORDER BY city
`
