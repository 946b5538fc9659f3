package sample

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite data/tables.json from the scripts, keeping the natural names it has")

type example struct {
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Query    string `json:"query"`
}

func decode[T any](t *testing.T, fsys fs.FS, name string) T {
	t.Helper()
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var v T
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// scripts returns the ids of the databases, in order.
func scripts(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(Data(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(n, ".sql")
	}
	return names
}

// open writes the data set once and opens its databases.
func open(t *testing.T) map[string]*sql.DB {
	t.Helper()
	dir := t.TempDir()
	if err := WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	dbs := make(map[string]*sql.DB)
	for _, id := range scripts(t) {
		db, err := sql.Open("sqlite", filepath.Join(dir, "database", id, id+".sqlite"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		dbs[id] = db
	}
	return dbs
}

// query returns the names of the columns and the rows of an answer as text.
func query(t *testing.T, db *sql.DB, stmt string) (cols []string, answer [][]string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), stmt)
	if err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
	defer rows.Close()
	if cols, err = rows.Columns(); err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, dest := make([]any, len(cols)), make([]any, len(cols))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(cols))
		for i, c := range cells {
			row[i] = fmt.Sprint(c)
		}
		answer = append(answer, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
	return cols, answer
}

func TestWriteDataIsDeterministic(t *testing.T) {
	dirs := []string{t.TempDir(), filepath.Join(t.TempDir(), "made", "on the way?")}
	for _, dir := range append(dirs, dirs[0]) { // the last overwrites the first
		if err := WriteData(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"dev.json", "tables.json"}
	for _, id := range scripts(t) {
		want = append(want, filepath.Join("database", id, id+".sqlite"))
	}
	for _, name := range want {
		a, err := os.ReadFile(filepath.Join(dirs[0], name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dirs[1], name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs from one run to the next", name)
		}
	}
}

func TestWriteDataErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteData(ctx, t.TempDir()); err == nil {
		t.Error("no error though the context was cancelled")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteData(t.Context(), file); err == nil {
		t.Error("no error though the folder is a file")
	}
}

func TestContent(t *testing.T) {
	dbs := open(t)
	if len(dbs) < 6 {
		t.Errorf("%d databases, want at least 6", len(dbs))
	}
	for _, id := range scripts(t) {
		_, tables := query(t, dbs[id], "SELECT name FROM sqlite_master WHERE type = 'table'")
		if len(tables) < 2 || len(tables) > 5 {
			t.Errorf("%s: %d tables, want 2 to 5", id, len(tables))
		}
		for _, name := range tables {
			_, rows := query(t, dbs[id], "SELECT 1 FROM "+name[0])
			if len(rows) < 15 || len(rows) > 40 {
				t.Errorf("%s.%s: %d rows, want 15 to 40", id, name[0], len(rows))
			}
		}
		if _, broken := query(t, dbs[id], "PRAGMA foreign_key_check"); broken != nil {
			t.Errorf("%s: rows that refer to nothing: %v", id, broken)
		}
	}
}

// constructs says how many gold queries must have a construct of SQL.
var constructs = []struct {
	name    string
	re      *regexp.Regexp
	atLeast int
}{
	{"count", regexp.MustCompile(`count\(\*\)`), 10},
	{"star", regexp.MustCompile(`SELECT \*`), 2},
	{"distinct", regexp.MustCompile(`DISTINCT`), 4},
	{"between", regexp.MustCompile(`BETWEEN`), 2},
	{"like", regexp.MustCompile(`LIKE`), 2},
	{"join", regexp.MustCompile(`JOIN`), 20},
	{"having", regexp.MustCompile(`HAVING`), 5},
	{"limit", regexp.MustCompile(`LIMIT`), 10},
	{"not in", regexp.MustCompile(`NOT IN \(`), 5},
	{"except", regexp.MustCompile(`EXCEPT`), 2},
	{"intersect", regexp.MustCompile(`INTERSECT`), 4},
	{"union", regexp.MustCompile(`UNION`), 1},
	{"double-quoted value", regexp.MustCompile(`"`), 20},
}

func TestQuestions(t *testing.T) {
	examples := decode[[]example](t, Data(), "dev.json")
	if len(examples) < 80 {
		t.Errorf("%d questions, want at least 80", len(examples))
	}
	asked, done := make(map[string]bool), make(map[string]bool)
	for i, e := range examples {
		if asked[e.Question] {
			t.Errorf("dev.json:%d: question appears twice: %s", i, e.Question)
		}
		asked[e.Question] = true
		if i > 0 && e.DB != examples[i-1].DB {
			done[examples[i-1].DB] = true
		}
		if done[e.DB] {
			t.Errorf("dev.json:%d: examples of %s are not together", i, e.DB)
		}
	}
	for _, c := range constructs {
		n := 0
		for _, e := range examples {
			if c.re.MatchString(e.Query) {
				n++
			}
		}
		if n < c.atLeast {
			t.Errorf("%s: %d queries, want at least %d", c.name, n, c.atLeast)
		}
	}
}

func TestGoldQueries(t *testing.T) {
	dbs := open(t)
	for i, e := range decode[[]example](t, Data(), "dev.json") {
		db, ok := dbs[e.DB]
		if !ok {
			t.Errorf("dev.json:%d: no database %q", i, e.DB)
			continue
		}
		cols, answer := query(t, db, e.Query)
		if len(answer) == 0 || len(answer) == 1 && (answer[0][0] == "<nil>" || answer[0][0] == "0") {
			t.Errorf("dev.json:%d: empty answer %v: %s", i, answer, e.Query)
		}
		for _, direction := range []string{"ASC", "DESC"} {
			stmt, ok := breakTies(e.Query, len(cols), direction)
			if !ok {
				t.Errorf("dev.json:%d: LIMIT without ORDER BY, or ORDER BY not at the end: %s", i, e.Query)
				break
			}
			if _, got := query(t, db, stmt); !cmp.Equal(answer, got) {
				t.Errorf("dev.json:%d: the answer depends on ties: %s\n%s", i, e.Query, cmp.Diff(answer, got))
			}
		}
	}
}

var ordered = regexp.MustCompile(`^(.* ORDER BY [^"]*?)( LIMIT \d+)?$`)

// breakTies makes equal rows of an ordered query come in the order of their
// cells. A query that has no order comes back as it is; ok is false where the
// order cannot be told from the text.
func breakTies(stmt string, columns int, direction string) (_ string, ok bool) {
	if !strings.Contains(stmt, "ORDER BY") {
		return stmt, !strings.Contains(stmt, "LIMIT")
	}
	m := ordered.FindStringSubmatch(stmt)
	if m == nil || strings.Count(stmt, "ORDER BY") != 1 || strings.Count(stmt, "(") != strings.Count(m[1], "(") {
		return "", false
	}
	var keys strings.Builder
	for c := range columns {
		fmt.Fprintf(&keys, ", %d %s", c+1, direction)
	}
	return m[1] + keys.String() + m[2], true
}
