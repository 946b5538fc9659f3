package folder

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the "sqlite" driver

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// shop is a database with what schemas are made of.
const shop = `
	CREATE TABLE customer (cust_id INTEGER PRIMARY KEY, custAddrNbr TEXT, "Home Town" TEXT, born DATE, is_vip BOOL, picture BLOB, note);
	CREATE TABLE orders (order_id INT, line INT, cust_id INT REFERENCES CUSTOMER, total REAL, PRIMARY KEY (order_id, line)) WITHOUT ROWID;
	CREATE TABLE parcel (id INTEGER PRIMARY KEY AUTOINCREMENT, o INT, l INT, twice INT AS (o * 2) VIRTUAL, FOREIGN KEY (o, l) REFERENCES orders (order_id, line));
	INSERT INTO customer VALUES (1, '12b', 'Oslo', '2001-02-03', 1, x'00', '2001-02-03'), (2, '7', 'Rome', '1999-12-31', 0, x'01', NULL);
	INSERT INTO orders VALUES (1, 1, 1, 9.5), (1, 2, 1, 3), (2, 1, 2, 1);
	INSERT INTO parcel (o, l) VALUES (1, 2);`

// makeDB makes a SQLite file.
func makeDB(t *testing.T, path, statements string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Configure(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// all reads a set.
func all(t *testing.T, dir string) (dbs []*dataset.Database, examples []*dataset.Example, problems []string) {
	t.Helper()
	set, err := Format.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	tell := func(err error) {
		var r *dataset.RecordError
		if !errors.As(err, &r) {
			t.Fatalf("got %v, want errors of records", err)
		}
		problems = append(problems, strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	for db, err := range streamtest.All(set.Databases) {
		if err != nil {
			tell(err)
			continue
		}
		dbs = append(dbs, db)
	}
	for ex, err := range streamtest.All(set.Examples) {
		if err != nil {
			tell(err)
			continue
		}
		examples = append(examples, ex)
	}
	return dbs, examples, problems
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	makeDB(t, filepath.Join(dir, "deep", "shop", "shop.db"), shop)
	makeDB(t, filepath.Join(dir, "empty.sqlite"), "CREATE TABLE t (a)")
	put(t, filepath.Join(dir, "dev.jsonl"),
		`{"id": 7, "db_id": "shop", "question": "How many?", "sql": "SELECT count(*) FROM customer", "own": [1]}`,
		``,
		`{"id": "b", "db_id": "empty", "question": "What?", "SQL": "SELECT a FROM t", "evidence": "a is a", "difficulty": "simple", "interaction": 1, "turn": 1}`)
	dbs, examples, problems := all(t, dir)
	if len(problems) > 0 || len(dbs) != 2 || len(examples) != 2 {
		t.Fatalf("got %d databases, %d examples and %q, want 2, 2 and none", len(dbs), len(examples), problems)
	}
	var got []string
	for _, table := range dbs[0].Tables {
		got = append(got, table.Name)
		for _, c := range table.Columns {
			got = append(got, "  "+c.Name+" "+string(c.Type))
		}
	}
	want := []string{
		"customer", "  customer id number", "  customer address number text", "  home town text", "  born time", "  is vip boolean", "  picture others", "  note time",
		"orders", "  order id number", "  line number", "  customer id number", "  total number",
		"parcel", "  id number", "  o number", "  l number", "  twice number",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the schema\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ref := func(t, c int) dataset.ColumnRef { return dataset.ColumnRef{Table: t, Column: c} }
	if want := []dataset.ColumnRef{ref(0, 0), ref(1, 0), ref(1, 1), ref(2, 0)}; !slices.Equal(dbs[0].PrimaryKeys, want) {
		t.Errorf("primary keys %v, want %v", dbs[0].PrimaryKeys, want)
	}
	if want := []dataset.ForeignKey{{Column: ref(1, 2), Target: ref(0, 0)}, {Column: ref(2, 1), Target: ref(1, 0)}, {Column: ref(2, 2), Target: ref(1, 1)}}; !slices.Equal(dbs[0].ForeignKeys, want) {
		t.Errorf("foreign keys %v, want %v", dbs[0].ForeignKeys, want)
	}
	if ex := examples[0]; ex.ID != "7" || ex.DB != "shop" || ex.Query != "SELECT count(*) FROM customer" {
		t.Errorf("got the example %+v", ex)
	}
	if ex := examples[1]; ex.Index != 1 || ex.ID != "b" || ex.Query != "SELECT a FROM t" || ex.Evidence != "a is a" || ex.Difficulty != "simple" || ex.Interaction != 1 || ex.Turn != 1 {
		t.Errorf("got the example %+v", ex)
	}
}

func TestOddSchemas(t *testing.T) {
	for _, tt := range []struct {
		label, sql string
		tables     []string
		warnings   []string // a part of each
	}{
		{"views", "CREATE TABLE a (x); CREATE VIEW v AS SELECT * FROM a; CREATE VIEW broken AS SELECT * FROM gone", []string{"a", "v"},
			[]string{`view "broken" is left out: no such table`}},
		{"tables of SQLite's own", "CREATE TABLE a (x INTEGER PRIMARY KEY AUTOINCREMENT); CREATE INDEX i ON a (x); INSERT INTO a VALUES (1); ANALYZE", []string{"a"}, nil},
		{"keys to nowhere", "CREATE TABLE a (x REFERENCES gone, y REFERENCES b (gone), z REFERENCES b, FOREIGN KEY (x, y) REFERENCES b); CREATE TABLE b (k PRIMARY KEY)", []string{"a", "b"},
			[]string{`expected the columns of "gone"`, `expected that "b" has a column "gone"`, `expected the columns of "b"`}},
		{"keys in other case, to itself", "CREATE TABLE a (Id PRIMARY KEY, up REFERENCES A (ID))", []string{"a"}, nil},
		{"names", "CREATE TABLE \"we\"\"ird ; --\" (\"q\"\"uote\" INT, 'a b', [select] TEXT, \"\" INT, \"größe\")", []string{`we"ird ; --`}, []string{`column "" is left out`}},
		{"no usable column", "CREATE TABLE a (x); CREATE TABLE b (\"\")", []string{"a"}, []string{`column "" is left out`, "no column of it can be used"}},
		{"strict, generated, without rowid", "CREATE TABLE a (x INT PRIMARY KEY, y INT AS (x + 1) STORED) STRICT, WITHOUT ROWID", []string{"a"}, nil},
	} {
		t.Run(tt.label, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "odd.db")
			makeDB(t, path, tt.sql)
			var warnings []error
			db, err := schema(t.Context(), "odd", path, func(err error) { warnings = append(warnings, err) })
			if err != nil {
				t.Fatal(err)
			}
			var tables []string
			for _, table := range db.Tables {
				tables = append(tables, table.Original)
			}
			if !slices.Equal(tables, tt.tables) {
				t.Errorf("got tables %q, want %q", tables, tt.tables)
			}
			if len(warnings) != len(tt.warnings) {
				t.Fatalf("got %q, want %q", warnings, tt.warnings)
			}
			for i, w := range warnings {
				if !strings.Contains(w.Error(), tt.warnings[i]) {
					t.Errorf("got %q, want %q in it", w, tt.warnings[i])
				}
			}
		})
	}
}

func TestVirtualTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	makeDB(t, path, "CREATE TABLE a (x); CREATE VIRTUAL TABLE f USING fts5(body); CREATE TABLE f_other (x)")
	var warnings []error
	db, err := schema(t.Context(), "text", path, func(err error) { warnings = append(warnings, err) })
	if err != nil {
		t.Fatal(err)
	}
	if len(db.Tables) != 2 || db.Tables[0].Original != "a" || db.Tables[1].Original != "f_other" || len(warnings) != 1 {
		t.Errorf("got %v and %q, want the tables a and f_other and one warning", db.Tables, warnings)
	}
}

func TestBadInput(t *testing.T) {
	good := `{"db_id": "a", "question": "What?", "sql": "SELECT x FROM t"}`
	for _, tt := range []struct {
		label string
		lines []string
		want  string
	}{
		{"no JSON", []string{`{"db_id": `}, "dev.jsonl:1: "},
		{"not an object", []string{`[1]`}, "dev.jsonl:1: "},
		{"a key twice", []string{`{"db_id": "a", "db_id": "a", "question": "?", "sql": "x"}`}, `dev.jsonl:1: "db_id" stands twice, expected it once`},
		{"no gold", []string{`{"db_id": "a", "question": "?"}`}, `dev.jsonl:1: has no "sql", expected gold SQL there (or in "query")`},
		{"no question", []string{good, `{"db_id": "a", "sql": "x"}`}, "dev.jsonl:2: "},
		{"empty question", []string{`{"db_id": "a", "question": " ", "sql": "x"}`}, `dev.jsonl:1: "question" is empty, expected text`},
		{"another type", []string{`{"db_id": "a", "question": "?", "sql": "x", "evidence": 5}`}, `dev.jsonl:1: "evidence" is 5, expected text`},
		{"unknown database", []string{`{"db_id": "b", "question": "?", "sql": "x"}`}, `dev.jsonl:1: db_id "b" is unknown, expected the name of a SQLite file without its ending`},
		{"a turn of no interaction", []string{`{"db_id": "a", "question": "?", "sql": "x", "turn": 2}`}, `dev.jsonl:1: "interaction" is 0 and "turn" 2, expected both from 1 or neither`},
		{"an id that is none", []string{`{"id": {}, "db_id": "a", "question": "?", "sql": "x"}`}, `dev.jsonl:1: "id" is {}, expected text or a number`},
	} {
		t.Run(tt.label, func(t *testing.T) {
			dir := t.TempDir()
			makeDB(t, filepath.Join(dir, "a.db"), "CREATE TABLE t (x)")
			put(t, filepath.Join(dir, "dev.jsonl"), append(tt.lines, good)...)
			_, examples, problems := all(t, dir)
			if len(problems) != 1 || !strings.HasPrefix(problems[0], tt.want) {
				t.Errorf("got %q, want %q", problems, tt.want)
			}
			if len(examples) != len(tt.lines) {
				t.Errorf("got %d examples, want %d", len(examples), len(tt.lines))
			}
		})
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	makeDB(t, filepath.Join(dir, "a.db"), "CREATE TABLE t (x)")
	makeDB(t, filepath.Join(dir, "a", "a.sqlite"), "CREATE TABLE t (x)")
	makeDB(t, filepath.Join(dir, ".hidden", "h.sqlite"), "CREATE TABLE t (x)")
	makeDB(t, filepath.Join(dir, "line\nbreak.db"), "CREATE TABLE t (x)")
	put(t, filepath.Join(dir, "broken.sqlite"), "SQLite format 3\x00 and so on")
	put(t, filepath.Join(dir, "text.db"), "no database")
	put(t, filepath.Join(dir, "none.sqlite3"))
	put(t, filepath.Join(dir, "dev.jsonl"), `{"db_id": "a", "question": "What?", "sql": "SELECT x FROM t"}`)
	dbs, examples, problems := all(t, dir)
	if len(dbs) != 1 || dbs[0].ID != "a" || len(examples) != 1 {
		t.Errorf("got %v and %v, want the database a and its question", dbs, examples)
	}
	for i, want := range []string{
		`a.db:1: db_id "a" is there already, as a/a.sqlite, expected each once; this one is left out`,
		"line\nbreak.db:1: db_id is \"line\\nbreak\", expected a name of at most 200 bytes of printable UTF-8",
		"broken.sqlite:1: ", "none.sqlite3:1: not a SQLite database", "text.db:1: not a SQLite database",
	} {
		if i >= len(problems) || !strings.HasPrefix(problems[i], want) {
			t.Errorf("got %q, want %q as number %d", problems, want, i+1)
		}
	}
}

func TestNothingToRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := Format.Read(t.Context(), dir, "dev"); err == nil || !strings.Contains(err.Error(), "expected SQLite files") {
		t.Errorf("an empty folder: got %v, want what was expected", err)
	}
	if _, err := Format.Read(t.Context(), filepath.Join(dir, "gone"), "dev"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v, want that it is not there", err)
	}
	makeDB(t, filepath.Join(dir, "a.db"), "CREATE TABLE t (x)")
	set, err := Format.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range streamtest.All(set.Examples) {
		if n++; err == nil || !strings.Contains(err.Error(), "dev.jsonl") || !strings.Contains(err.Error(), `{"id", "db_id", "question", "sql"}`) {
			t.Errorf("no questions: got %v, want what was expected", err)
		}
	}
	if n != 1 {
		t.Errorf("got %d errors, want one", n)
	}
}

func TestTablesJSONWins(t *testing.T) {
	dir := t.TempDir()
	makeDB(t, filepath.Join(dir, "a.db"), "CREATE TABLE t (x)")
	put(t, filepath.Join(dir, "b.db"), "broken")
	put(t, filepath.Join(dir, "tables.json"), `[
		{"db_id": "a", "table_names": ["thing"], "table_names_original": ["t"], "column_names": [[-1, "*"], [0, "its size"]], "column_names_original": [[-1, "*"], [0, "x"]], "column_types": ["text", "number"], "primary_keys": [1], "foreign_keys": []},
		{"db_id": "b", "table_names": ["t"], "table_names_original": ["t"], "column_names": [[-1, "*"], [0, "x"]], "column_names_original": [[-1, "*"], [0, "x"]], "column_types": ["text", "number"], "primary_keys": [], "foreign_keys": []},
		{"db_id": "c", "table_names": ["t"], "table_names_original": ["t"], "column_names": [[-1, "*"], [0, "x"]], "column_names_original": [[-1, "*"], [0, "x"]], "column_types": ["text", "number"], "primary_keys": [], "foreign_keys": []},
		{"db_id": "d"}]`)
	put(t, filepath.Join(dir, "dev.jsonl"), `{"db_id": "c", "question": "What?", "sql": "SELECT x FROM t"}`)
	dbs, examples, problems := all(t, dir)
	if len(dbs) != 3 || len(examples) != 1 || len(problems) != 2 {
		t.Fatalf("got %d databases, %d examples and %q, want 3, 1 and 2 problems", len(dbs), len(examples), problems)
	}
	if a := dbs[0]; a.Tables[0].Name != "thing" || a.Tables[0].Columns[0].Name != "its size" || a.SQLite == "" || len(a.PrimaryKeys) != 1 {
		t.Errorf("got %+v, want the names of tables.json", a)
	}
	if dbs[1].SQLite != "" || dbs[2].SQLite != "" || dbs[2].ID != "c" {
		t.Errorf("got %+v and %+v, want them without content", dbs[1], dbs[2])
	}
}
