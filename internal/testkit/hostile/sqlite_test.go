//go:build attack

package hostile

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the "sqlite" driver, without a sandbox

	engine "github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// asSQLite is the variable by which this program is told to run SQL on a database file.
const asSQLite = "TABPERTURB_ATTACK_SQLITE"

// keepOpen begins a statement of [sqlite] that copies the file named behind it and its log to the same names with
// ".copy", while the database is open.
const keepOpen = "COPY "

// sqlite runs statements on a database file, in a process of its own: what they take of
// memory would count as that of the processes that are started later.
func sqlite(t *testing.T, path string, statements ...string) {
	t.Helper()
	text, err := json.Marshal(statements)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asSQLite+"="+path)
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// runSQLite is the other side of [sqlite].
func runSQLite(path string) int {
	var statements []string
	if err := json.NewDecoder(os.Stdin).Decode(&statements); err != nil {
		panic(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	for _, s := range statements {
		if open, ok := strings.CutPrefix(s, keepOpen); ok {
			err = errors.Join(copyAll(open, open+".copy"), copyAll(open+"-wal", open+".copy-wal"))
		} else {
			_, err = db.Exec(s)
		}
		if err != nil {
			fmt.Printf("%.200s: %v\n", s, err)
			return 1
		}
	}
	return 0
}

// functions returns the names of all functions of the engine.
func functions(t *testing.T) []string {
	t.Helper()
	if err := engine.Configure(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT DISTINCT name FROM pragma_function_list ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	return all
}

const (
	numbers = "(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000000) SELECT x FROM n)"
	long    = "printf('%.*c', 250000, 'a')"
)

// queries are hostile ones, of which none needs a database.
func queries() []string {
	all := []string{
		"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
		"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT max(x) FROM t",
		"WITH RECURSIVE t(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM t) SELECT max(length(x)) FROM t",
		"SELECT x FROM " + numbers, "SELECT x FROM " + numbers + " ORDER BY -x", "SELECT count(DISTINCT x) FROM " + numbers,
		"SELECT x % 1000000, count(*) FROM " + numbers + " GROUP BY 1", "SELECT x FROM " + numbers + " UNION SELECT x FROM " + numbers,
		"SELECT x FROM " + numbers + " INTERSECT SELECT -x FROM " + numbers, "SELECT x FROM " + numbers + " EXCEPT SELECT x FROM " + numbers,
		"SELECT sum(a.x * b.x) FROM " + numbers + " AS a, " + numbers + " AS b",
		"SELECT count(*) FROM " + numbers + " AS a JOIN " + numbers + " AS b ON a.x = b.x",
		"SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM " + numbers,
		"SELECT group_concat(x) OVER (ORDER BY x ROWS 1000 PRECEDING) FROM " + numbers,
		"SELECT nth_value(x, 500) OVER (ORDER BY x RANGE BETWEEN 1000 PRECEDING AND CURRENT ROW) FROM " + numbers,
		"SELECT max(" + long + " || x) FROM " + numbers, "SELECT length(group_concat(" + long + ")) FROM " + numbers,
		"SELECT json_group_array(" + long + ") FROM " + numbers, "SELECT json_group_object(x, " + long + ") FROM " + numbers,
		"SELECT value FROM json_each('[' || substr(replace(printf('%.*c', 60000, '1'), '1', '1,'), 1, 119999) || ']')",
		"SELECT fullkey FROM json_tree('" + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "')",
		"SELECT " + long + " LIKE '" + strings.Repeat("%a", 450) + "b'", "SELECT " + long + " GLOB '" + strings.Repeat("*a", 450) + "b'",
		"SELECT " + long + " LIKE '" + strings.Repeat("%_a", 300) + "b'", "SELECT " + long + " GLOB '" + strings.Repeat("*[a-z]", 150) + "0'",
		"SELECT printf('%.*c', 1000000000, 'x')", "SELECT printf('%1000000000d', 1)", "SELECT zeroblob(1000000000)", "SELECT printf('%.99999999f', 1e308)",
		"SELECT hex(hex(hex(hex(hex(zeroblob(100000))))))", "SELECT replace(replace(" + long + ", 'a', " + long + "), 'a', " + long + ")",
		"SELECT " + strings.Repeat("hex(zeroblob(100000)), ", 1900) + "1", "VALUES (1)" + strings.Repeat(", (1)", 12000),
		"SELECT random()", "SELECT load_extension('x')", "SELECT readfile('/etc/passwd')", "SELECT writefile('x', 'y')", "SELECT fts3_tokenizer('simple')",
		"ATTACH 'x' AS y", "VACUUM INTO 'x'", "PRAGMA writable_schema = 1", "CREATE TEMP TABLE x AS SELECT 1", "SELECT 1; VACUUM INTO 'x'",
		"WITH t AS (SELECT 1) DELETE FROM args", "DROP TABLE args", "DELETE FROM args RETURNING n", "SELECT * FROM pragma_database_list",
		"SELECT * FROM sqlite_dbpage", "SELECT * FROM dbstat", "SELECT * FROM pragma_optimize(-1)", "SELECT * FROM bytecode('SELECT 1')", "EXPLAIN SELECT 1",
		"", ";", "SELECT", "SELECT 1\x00", "\xff\xfe", "-- nothing", "/*", "SELECT '", "SELECT \"", "SELECT [", "SELECT x'0", "SELECT 1 AS \"\x1b[2J\"",
	}
	for _, n := range []int{10, 70, 500, 5000} {
		all = append(all,
			"SELECT "+strings.Repeat("(", n)+"1"+strings.Repeat(")", n), "SELECT "+strings.Repeat("- ", n)+"1", "SELECT "+strings.Repeat("NOT ", n)+"1",
			"SELECT "+strings.Repeat("CASE WHEN 1 THEN ", n)+"1"+strings.Repeat(" END", n), "SELECT "+strings.Repeat("abs(", n)+"1"+strings.Repeat(")", n),
			strings.Repeat("SELECT * FROM (", n)+"SELECT 1"+strings.Repeat(")", n), "SELECT "+strings.Repeat("(SELECT ", n)+"1"+strings.Repeat(")", n),
			"SELECT 1"+strings.Repeat(" UNION SELECT 1", n), "SELECT 1"+strings.Repeat(" EXCEPT SELECT 1", n), "SELECT 1 IN (1"+strings.Repeat(", 1", n)+")",
			"SELECT 1"+strings.Repeat(", 1", n), "SELECT 1"+strings.Repeat(" + 1", n), "SELECT 1"+strings.Repeat(" AND 1", n), "SELECT 'a'"+strings.Repeat(" || 'a'", n),
			"SELECT count(*) FROM args"+strings.Repeat(", args", n), "SELECT count(*) FROM args"+strings.Repeat(" JOIN args USING (n)", n),
			"SELECT count(*) FROM args"+strings.Repeat(" NATURAL LEFT JOIN args", n), "SELECT 1 WHERE 1"+strings.Repeat(" OR 1 = 2", n),
			"SELECT "+strings.Repeat("EXISTS (SELECT 1 WHERE ", n)+"1"+strings.Repeat(")", n), "SELECT coalesce(NULL"+strings.Repeat(", NULL", n)+", 1)",
			"SELECT n FROM args ORDER BY n"+strings.Repeat(", n", n), "SELECT n FROM args GROUP BY n"+strings.Repeat(", n", n), "SELECT max(1"+strings.Repeat(", 1", n)+")",
			"WITH a AS (SELECT 1)"+strings.Repeat(", a AS (SELECT 1)", n)+" SELECT 1", "SELECT "+strings.Repeat("x", 20*n), "SELECT '"+strings.Repeat("é", 20*n)+"'",
			"SELECT "+strings.Repeat("9", 10*n), "SELECT 1"+strings.Repeat(" ", 40*n), "SELECT 1 "+strings.Repeat("/**/", 10*n), "SELECT CAST("+strings.Repeat("CAST(", n)+"1"+strings.Repeat(" AS TEXT)", n)+" AS INT)",
		)
	}
	for _, level := range []string{
		"SELECT 1 FROM t%[2]d AS a, t%[2]d AS b", "SELECT x FROM t%[2]d UNION ALL SELECT x FROM t%[2]d", "SELECT (SELECT x FROM t%[2]d) + (SELECT x FROM t%[2]d)",
		"SELECT x FROM t%[2]d WHERE x IN (SELECT x FROM t%[2]d) OR x IN t%[2]d", "SELECT a.x FROM t%[2]d AS a LEFT JOIN t%[2]d AS b USING (x)",
		"SELECT x FROM t%[2]d UNION SELECT x + 1 FROM t%[2]d", "SELECT max(x) OVER () AS x FROM t%[2]d, (SELECT 1 UNION SELECT 2)",
	} {
		for _, n := range []int{8, 20, 60} {
			var b strings.Builder
			b.WriteString("WITH t0(x) AS (SELECT 1)")
			for i := 1; i <= n; i++ {
				fmt.Fprintf(&b, ", t%d(x) AS ("+level+")", i, i-1)
			}
			fmt.Fprintf(&b, " SELECT count(*) FROM t%d", n)
			all = append(all, b.String())
		}
	}
	return all
}

// calls are every function of the engine with long arguments of many kinds, from the table
// args, one to three of them and many.
func calls(t *testing.T, n int) []string {
	t.Helper()
	arg := func(i int) string { return fmt.Sprintf("(SELECT t FROM args WHERE n = %d)", i%n) }
	var all []string
	for _, f := range functions(t) {
		name := `"` + f + `"`
		for i := range n {
			all = append(all, fmt.Sprintf("SELECT length(%s(%s))", name, arg(i)))
			for _, j := range []int{1, 3, 5, 9} {
				all = append(all, fmt.Sprintf("SELECT length(%s(%s, %s))", name, arg(i), arg(i+j)))
			}
			all = append(all, fmt.Sprintf("SELECT length(%s(%s, %s, %s))", name, arg(i), arg(i+5), arg(i+1)))
		}
		all = append(all, fmt.Sprintf("SELECT length(%s(%s%s))", name, arg(5), strings.Repeat(", '$.zz', 1", 60)),
			fmt.Sprintf("SELECT length(%s(%s%s))", name, arg(4), strings.Repeat(", "+arg(0), 60)))
	}
	return all
}

// service is a data directory with a table of long texts, for queries.
func service(t *testing.T, in string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := copyAll(filepath.Join(in, "small"), dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "tables.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	args := `{"db_id": "args", "table_names": ["args"], "table_names_original": ["args"], "column_names": [[-1, "*"], [0, "n"], [0, "t"]],
		"column_names_original": [[-1, "*"], [0, "n"], [0, "t"]], "column_types": ["text", "number", "text"], "primary_keys": [1], "foreign_keys": []}`
	put(t, path, strings.TrimSuffix(strings.TrimSpace(string(text)), "]")+", "+args+"]")
	file := filepath.Join(dir, "database", "args", "args.sqlite")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	statements := []string{"CREATE TABLE args (n INTEGER PRIMARY KEY, t TEXT)"}
	for i, a := range longTexts(250_000) {
		statements = append(statements, fmt.Sprintf("INSERT INTO args VALUES (%d, '%s')", i, a))
	}
	sqlite(t, file, statements...)
	return dir
}

// longTexts are texts of n bytes on which functions may take long.
func longTexts(n int) []string {
	var object, other strings.Builder
	for i := 0; object.Len() < n-40 && other.Len() < n-40; i++ {
		fmt.Fprintf(&object, `"%x":1,`, i)
		fmt.Fprintf(&other, `"z%x":{},`, i)
	}
	return []string{
		strings.Repeat("a", n-1) + "b", strings.Repeat("1", n), strings.Repeat("0aF-", n/4), strings.Repeat("é", n/2), strings.Repeat("%d", n/2),
		"{" + object.String() + `"x":0}`, "{" + other.String() + `"y":0}`, "[" + strings.Repeat("1,", n/2-2) + "1]",
		strings.Repeat("[", 990) + strings.Repeat("]", 990), strings.Repeat(`{"a":`, 990) + "1" + strings.Repeat("}", 990),
		strings.Repeat("%a", 495) + "c", strings.Repeat("*[b-a]", 160) + "c", "$" + strings.Repeat(".a", 400),
	}
}

// overrun is how much longer than --timeout a query may take.
const overrun = time.Second

// TestQueries asks the service for verdicts on hostile predictions, one after the other.
// None takes a second longer than it may, and the file is as it was.
func TestQueries(t *testing.T) {
	in := inputs(t)
	data := service(t, in)
	before := tree(t, data)
	cmd := start(t.Context(), t.TempDir(), "serve", "--db", filepath.Join(data, "database"), "--tables", filepath.Join(data, "tables.json"), "--suite", filepath.Join(in, "suite"), "--timeout", "1s", "--stdio", "--workers", "1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReaderSize(stdout, 1<<20)
	ask := func(kind, metric, sql string) {
		line, err := json.Marshal(map[string]any{"db_id": "args", "gold": "SELECT count(*) FROM args", "pred": sql, "metrics": []string{metric}})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := stdin.Write(append(line, '\n')); err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		answer, err := answers.ReadString('\n')
		took := time.Since(begin)
		var fault error
		switch {
		case err != nil:
			t.Fatalf("%.200s: %v\n%s", sql, err, stderr.String())
		case took > time.Second+overrun:
			fault = fmt.Errorf("%.200s\ntook %v", sql, took)
		case panicked.MatchString(answer) || !json.Valid([]byte(answer)):
			fault = fmt.Errorf("%.200s\nis answered by %.300s", sql, answer)
		}
		tally.add(t, kind, took, fault)
	}
	hostile := queries()
	for _, q := range hostile {
		for _, metric := range []string{"exact", "exec"} {
			ask("hostile SQL: "+metric, metric, q)
		}
	}
	for _, q := range calls(t, len(longTexts(1000))) {
		ask("hostile SQL: functions with long arguments", "exec", q)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	if err := differ(before, tree(t, data)); err != nil {
		t.Errorf("the databases: %v", err)
	}
	everyMetric(t, in, hostile)
}

// everyMetric judges all hostile predictions by all metrics of eval.
func everyMetric(t *testing.T, in string, hostile []string) {
	dir := t.TempDir()
	var gold []map[string]string
	pred := map[string]string{}
	for i, q := range hostile {
		gold = append(gold, map[string]string{"db_id": "town_library", "question": "How many books?", "query": "SELECT count(*) FROM books"})
		pred[fmt.Sprint(i)] = strings.ReplaceAll(q, "args", "books")
	}
	for name, v := range map[string]any{"gold.json": gold, "pred.json": pred} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), string(text))
	}
	for _, metric := range []string{"exact", "exec", "suite", "exec-first", "exec-bird"} {
		for _, strict := range []bool{false, true} {
			args := []string{"eval", "--gold", "gold.json", "--pred", "pred.json", "--tables", in + "/small/tables.json", "--db", in + "/small/database", "--metric", metric, "--timeout", "100ms"}
			if metric == "suite" {
				args = append(args, "--suite", in+"/suite")
			}
			if strict {
				args = append(args, "--strict")
			}
			r := run(dir, args...)
			err := r.clean()
			if err != nil {
				err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
			}
			tally.add(t, "hostile SQL: all of it, "+metric, r.took, err)
		}
	}
}

// schemas are hostile databases, in which the table pet has id, name and big.
var schemas = map[string]string{
	"generated column of 900 MB": "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT AS (hex(zeroblob(450000000)))); INSERT INTO pet (id, name) VALUES (1, 'Rex'), (2, 'Tom')",
	"generated blob":             "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT AS (zeroblob(900000000))); INSERT INTO pet (id, name) VALUES (1, 'Rex'), (2, 'Tom')",
	"generated slow column":      "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT AS (unhex(hex(zeroblob(200000)), hex(zeroblob(200000)))), big TEXT); INSERT INTO pet (id) VALUES (1), (2)",
	"endless view":               "CREATE VIEW pet (id, name, big) AS WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x, x, x FROM t",
	"endless view beside":        "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT); INSERT INTO pet VALUES (1, 'Rex', 'x'); CREATE VIEW v AS WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT name, x FROM pet, t",
	"view of a function":         "CREATE VIEW pet (id, name, big) AS SELECT 1, unhex(hex(zeroblob(200000)), hex(zeroblob(200000))), load_extension('x')",
	"index of a function":        "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT); INSERT INTO pet VALUES (1, 'Rex', 'x'); CREATE INDEX i ON pet (name, unhex(big))",
	"trigger":                    "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT); INSERT INTO pet VALUES (1, 'Rex', 'x'); CREATE TRIGGER r AFTER UPDATE ON pet BEGIN INSERT INTO pet (name) SELECT name FROM pet; END",
	"check":                      "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT CHECK (length(hex(zeroblob(100000000))) > 0), big TEXT)",
	"many columns":               "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT" + manyColumns(1500) + "); INSERT INTO pet (id, name) VALUES (1, 'Rex')",
	"names that terminals obey":  "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT); CREATE TABLE \"\x1b[2J\x1b]0;x\x07\" (\"\x1b[31m\" TEXT); INSERT INTO pet VALUES (1, '\x1b[2J', '\x9b31m')",
	"long cells":                 "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT); INSERT INTO pet VALUES (1, hex(zeroblob(20000000)), 'x'), (2, 'Rex', zeroblob(30000000))",
	"virtual table":              "CREATE VIRTUAL TABLE pet USING fts5(id, name, big); INSERT INTO pet VALUES (1, 'Rex', 'x')",
	"without rows ids":           "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, big TEXT) WITHOUT ROWID; INSERT INTO pet VALUES (1, 'Rex', 'x')",
}

func manyColumns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", c%d TEXT AS (name || %d)", i, i)
	}
	return b.String()
}

// TestSchemas audits and builds from hostile databases.
func TestSchemas(t *testing.T) {
	names := make([]string, 0, len(schemas))
	for name := range schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "data", "tables.json"), `[{"db_id": "pets", "table_names": ["pet"], "table_names_original": ["pet"], "column_names": [[-1, "*"], [0, "id"], [0, "name"], [0, "big"]],
			"column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [0, "big"]], "column_types": ["text", "number", "text", "text"], "primary_keys": [1], "foreign_keys": []}]`)
		put(t, filepath.Join(dir, "data", "dev.json"), `[{"db_id": "pets", "question": "What is the name of pet 1?", "query": "SELECT name FROM pet WHERE id = 1"}, {"db_id": "pets", "question": "How many pets?", "query": "SELECT count(*) FROM pet"}]`)
		put(t, filepath.Join(dir, "buckets.json"), `{"version": 1, "columns": [{"db_id": "pets", "table": "pet", "column": "name", "replace": [{"name": "label"}], "add": [{"name": "title"}]}]}`)
		put(t, filepath.Join(dir, "pred.sql"), "SELECT name FROM pet WHERE id = 1\nSELECT count(*) FROM pet\n")
		file := filepath.Join(dir, "data", "database", "pets", "pets.sqlite")
		put(t, file, "")
		sqlite(t, file, schemas[name])
		for _, line := range []string{
			"doctor --data data --timeout 1s", "stats --data data", "candidates --data data --out OUT", "suite distill --data data --databases 2 --out OUT2",
			"build --data data --buckets buckets.json --samples 1 --timeout 1s --out OUT3", "build --data data --perturb drspider,mtteql --samples 1 --timeout 1s --out OUT4",
			"eval --gold data/dev.json --pred pred.sql --timeout 1s", "convert --from spider:data --to folder --lossy --out OUT5",
		} {
			r := run(dir, strings.Fields(line)...)
			err := r.clean()
			if err == nil && strings.ContainsAny(r.stdout+r.stderr, "\x1b\u009b\x07") {
				err = fmt.Errorf("prints what terminals obey")
			}
			if err == nil {
				err = leftOver(dir, "data", "buckets.json", "pred.sql", "OUT", "OUT2", "OUT3", "OUT4", "OUT5", ".cache")
			}
			if err != nil {
				err = fmt.Errorf("%s: %s: %w", name, line, err)
			}
			tally.add(t, "hostile schema", r.took, err)
		}
	}
}
