package retriever

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// TestSchemas reads tables of databases, whose names become natural.
func TestSchemas(t *testing.T) {
	const lines = `{"repo":"a/shop","db":"main","table":"CustAddr","columns":[{"name":"cust_id","type":"number"},{"name":"addrLine1","type":"text"}],"primary":["cust_id"],"foreign":[["cust_id","cust"]]}
{"repo":"a/shop","db":"main","table":"line","columns":[{"name":"a","type":"time"},{"name":"b","type":"odd"}],"primary":["a","b"]}
{"repo":"a/shop","table":"empty","columns":[]}
{"table":"t","columns":[{"name":"a"}]}
[]
{"columns":7}
`
	want := []string{
		"a/shop/main#CustAddr (customer address) a/shop: customer id:number*[] address line 1:text[]",
		"a/shop/main#line (line) a/shop: a:time[] b:text[]",
		"s.jsonl:3: table has no header",
		"s.jsonl:4: names no repository or no table, expected both as repo and table",
		"s.jsonl:5: found a JSON array, expected a table of a database on each line",
		`s.jsonl:6: "columns" is a JSON number, expected a table of a database on each line`,
	}
	seq, err := OpenFS(fstest.MapFS{"s.jsonl": {Data: []byte(lines)}}, "schemas", "s.jsonl", Limits{})
	if diff := cmp.Diff(want, show(t, seq, err)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	seq, err = OpenFS(fstest.MapFS{"s.jsonl": {Data: []byte(lines)}}, "schemas", "s.jsonl", Limits{Columns: 1})
	if got := show(t, seq, err)[0]; got != "a/shop/main#CustAddr (customer address) a/shop: customer id:number*[]" {
		t.Errorf("of one column: %s", got)
	}
}

// TestDDL reads scripts of several repositories, below folders and in archives.
func TestDDL(t *testing.T) {
	script := func(name string) []byte {
		return []byte("CREATE TABLE " + name + " (ProdNbr int PRIMARY KEY, is_new tinyint(1), added_on date, qty decimal(9,2), note text);\nCREATE TABLE cut (a")
	}
	columns := ": prod number:number*[] is new:boolean[] added on:time[] quantity:number[] note:text[]"
	fsys := fstest.MapFS{
		"c/shop/db/main.sql": {Data: script("OrderItem")}, "c/bank.sql.gz": {Data: zipped(script("acct"))}, "c/notes.txt": {Data: []byte("x")},
		"c/dumps/all.tar.gz": {Data: zipped(tarball("one/a.sql", string(script("a")), "b.sql", "a\x00\x00\x00"))},
	}
	seq, err := OpenFS(fsys, "ddl", "c", Limits{})
	want := []string{
		`c/bank.sql.gz:2: table "cut" is cut off, expected a closing parenthesis after its columns`,
		"bank.sql#acct (account) bank" + columns,
		`c/dumps/all.tar.gz!one/a.sql:2: table "cut" is cut off, expected a closing parenthesis after its columns`,
		"one/a.sql#a (a) dumps" + columns,
		"c/dumps/all.tar.gz!b.sql: is not text, expected a table as UTF-8 text",
		`c/shop/db/main.sql:2: table "cut" is cut off, expected a closing parenthesis after its columns`,
		"shop/db/main.sql#OrderItem (order item) shop" + columns,
	}
	if diff := cmp.Diff(want, show(t, seq, err)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	for name, repository := range map[string]string{"c/dumps/all.tar.gz": "one", "c/bank.sql.gz": "bank", "c/shop/db/main.sql": "main"} {
		seq, err := OpenFS(fsys, "ddl", name, Limits{})
		if got := show(t, seq, err); len(got) != 2 && len(got) != 3 || !strings.Contains(got[1], ") "+repository+":") {
			t.Errorf("%s alone: %q, expected a table of %q", name, got, repository)
		}
	}
}

// TestSQLite reads databases on disk and in an archive, and such as are damaged.
func TestSQLite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shop", "shop.sqlite")
	os.MkdirAll(filepath.Dir(path), 0o755)
	tables := []sqldata.Table{
		{Name: "custAddr", Columns: []sqldata.Column{{Name: "cust_id", Type: "INTEGER"}, {Name: "Name", Type: "TEXT"}, {Name: "photo", Type: "BLOB"}}, PrimaryKey: []string{"cust_id"}},
		{Name: "empty", Columns: []sqldata.Column{{Name: "code", Type: "VARCHAR(9)"}, {Name: "n", Type: "INT"}}, PrimaryKey: []string{"code", "n"}},
	}
	id, name, blob := sqldata.NewInt, sqldata.NewText, sqldata.NewBlob("xyz")
	rows := [][][]sqldata.Value{{{id(1), name("Ann"), blob}, {id(2), name("Bob"), {}}, {id(3), name("Cora Lee"), blob}}, nil}
	if err := sqlite.Create(t.Context(), path, tables, rows); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"odd.db": []byte("no database"), "cut.sqlite3": data[:len(data)/2], "all.tar": tarball("in/shop.db", string(data)), "large.tar": tarball("x.db", string(make([]byte, 1<<17))),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	address := `: customer id:number*["1" "2" "3"] name:text*["Ann" "Bob" "Cora"] photo:others["" "" ""]`
	want := []string{
		"in/shop.db#custAddr (customer address) all" + address, "in/shop.db#empty (empty) all: code:text[] n:number[]",
		dir + "/cut.sqlite3: database disk image is malformed", dir + "/large.tar!x.db: too large: expected at most 65536 bytes",
		dir + `/odd.db: not a SQLite database, expected a file that begins with "SQLite format 3"`,
		"shop/shop.sqlite#custAddr (customer address) shop" + address, "shop/shop.sqlite#empty (empty) shop: code:text[] n:number[]",
	}
	seq, err := Open("sqlite", dir, Limits{CellRunes: 4, MemberBytes: 1 << 16})
	if diff := cmp.Diff(want, show(t, seq, err)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}
