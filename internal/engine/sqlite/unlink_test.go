package sqlite

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestWithoutKeys: of a statement go the keys to a table, however they are declared.
func TestWithoutKeys(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{`CREATE TABLE a (x INTEGER REFERENCES "tabperturb merged" ("id"), y)`, `CREATE TABLE a (x INTEGER, y)`},
		{`CREATE TABLE a (x INT NOT NULL CONSTRAINT "to b" REFERENCES "tabperturb merged" ON DELETE SET NULL ON UPDATE CASCADE DEFAULT 3, y)`, `CREATE TABLE a (x INT NOT NULL DEFAULT 3, y)`},
		{`CREATE TABLE a (x INT, y, foreign key (x) references "tabperturb merged"(id) DEFERRABLE INITIALLY DEFERRED)`, `CREATE TABLE a (x INT, y)`},
		{"CREATE TABLE a (x INT,\n  CONSTRAINT k FOREIGN KEY (\"x)\") REFERENCES \"tabperturb merged\"(\"i)d\") MATCH FULL,\n  CHECK (x > 1))", "CREATE TABLE a (x INT,\n  CHECK (x > 1))"},
		{`CREATE TABLE a (x REFERENCES "tabperturb merged", y REFERENCES c, FOREIGN KEY (x, y) REFERENCES "tabperturb merged" (p, q), FOREIGN KEY (y) REFERENCES d)`, `CREATE TABLE a (x, y REFERENCES c, FOREIGN KEY (y) REFERENCES d)`},
		{`CREATE TABLE a (x REFERENCES /* b */ "tabperturb merged", y)`, `CREATE TABLE a (x REFERENCES /* b */ "b", y)`},
		{"CREATE TABLE a (x INT,\nFOREIGN KEY (x) REFERENCES \"tabperturb merged\"(x)\nFOREIGN KEY (x) REFERENCES c(x)\n)", "CREATE TABLE a (x INT,\nFOREIGN KEY (x) REFERENCES c(x)\n)"},
		{"CREATE TABLE a (x INT, FOREIGN KEY (x) REFERENCES \"tabperturb merged\"(x) -- to b\n)", "CREATE TABLE a (x INT -- to b\n)"},
		{"CREATE TABLE a (x INT, FOREIGN KEY (x) REFERENCES \"tabperturb merged\"(x) -- to b\nUNIQUE (x))", "CREATE TABLE a (x INT, -- to b\nUNIQUE (x))"},
		{`CREATE TABLE a (x, y)`, `CREATE TABLE a (x, y)`},
	} {
		if got := withoutKeys(c.sql, "b"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.sql, got, c.want)
		}
	}
}

// TestRewriteBroken: a statement that does not parse is an error, whatever wrote it.
func TestRewriteBroken(t *testing.T) {
	conn := memoryConn(t, openRaw)
	if err := conn.exec("CREATE TABLE a (x)"); err != nil {
		t.Fatal(err)
	}
	if err := (&writer{conn: conn}).rewrite(map[string]string{"a": "CREATE TABLE a (x INT UNIQUE (x"}); err == nil {
		t.Error("no error of a statement that does not parse")
	}
}

// TestMergeKeys: keys of the table that goes stand at the one that its columns went to.
func TestMergeKeys(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src.sqlite"), filepath.Join(dir, "dst.sqlite")
	ask := func(path string, statements ...string) (list []string) {
		if err := Configure(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, s := range statements {
			rows, err := db.Query(s)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			for rows.Next() {
				var text string
				if err := rows.Scan(&text); err != nil {
					t.Fatal(err)
				}
				list = append(list, text)
			}
			rows.Close()
		}
		return list
	}
	ask(src, "CREATE TABLE d (k INTEGER PRIMARY KEY)", "CREATE TABLE c (p, q, PRIMARY KEY (p, q))",
		"CREATE TABLE b (id INTEGER PRIMARY KEY REFERENCES d, x, y, z REFERENCES d(k), FOREIGN KEY (x, y) REFERENCES c (p, q))",
		"CREATE TABLE a (n TEXT PRIMARY KEY, bid INT REFERENCES b(id) ON DELETE CASCADE, w REFERENCES d) WITHOUT ROWID",
		"INSERT INTO d VALUES (1)", "INSERT INTO c VALUES (2, 3)", "INSERT INTO b VALUES (1, 2, 3, 1)", "INSERT INTO a VALUES ('v', 1, 1)")
	err := Copy(t.Context(), src, dst, sqldata.MergeTable{Table: "a", Column: "bid", Reference: "b", Target: "id", Columns: []sqldata.MergedColumn{{Column: "x", Name: "x"}, {Column: "y", Name: "b y"}, {Column: "z", Name: "z"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := ask(dst, `SELECT "from" || '>' || "table" || '.' || coalesce("to", '') FROM pragma_foreign_key_list('a') ORDER BY 1`,
		"PRAGMA integrity_check", `SELECT "table" FROM pragma_foreign_key_check`, `SELECT n || bid || w || x || "b y" || z FROM a`, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
	want := []string{"b y>c.q", "bid>d.", "w>d.", "x>c.p", "z>d.k", "ok", "v11231", "a", "c", "d"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
