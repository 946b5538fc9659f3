package postgres_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/postgres"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	server "github.com/tabperturb/tabperturb/internal/testkit/postgres"
)

// schema is a database with two tables and a view.
const schema = `CREATE TABLE singer (id int PRIMARY KEY, name text NOT NULL, "Home Town" varchar(20), born date, rich bool);
CREATE TABLE song (id int PRIMARY KEY, title text, singer_id int REFERENCES singer (id), length numeric(5,2));
CREATE VIEW long_song AS SELECT title FROM song WHERE length > 3;
COMMENT ON TABLE song IS 'songs that were sung'; COMMENT ON COLUMN singer.born IS 'the birthday';
INSERT INTO singer VALUES (1, 'Joe', 'Paris', '1990-02-03', true), (2, 'Ann', 'Oslo', '1985-01-02', false), (3, 'Bo''b', NULL, NULL, NULL);
INSERT INTO song VALUES (1, 'Sun', 1, 2.50), (2, 'Rain', 1, 3.25), (3, 'Snow', 2, 4);`

// open makes the database of [schema] and returns the path of the file that names it.
func open(t *testing.T) (path, dsn string) {
	dsn = server.CreateDatabase(t, server.Start(t), "music")
	file := filepath.Join(t.TempDir(), "schema.sql")
	if err := os.WriteFile(file, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	server.Load(t, dsn, file)
	path = filepath.Join(t.TempDir(), "music"+postgres.Ext)
	if _, _, err := postgres.WriteAddress(func(string) string { return path }, dsn); err != nil {
		t.Fatal(err)
	}
	return path, dsn
}

// answer returns the rows of a query as text.
func answer(t *testing.T, path, sql string, writes ...sqldata.Write) string {
	t.Helper()
	db, err := postgres.Draft(t.Context(), path, writes...)
	if err != nil {
		return err.Error()
	}
	res, err := db.Query(t.Context(), sql, sqldata.Limits{})
	if err != nil {
		return err.Error()
	}
	var rows []string
	for _, row := range res.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, v.String())
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	return strings.Join(res.Columns, "|") + ": " + strings.Join(rows, " ")
}

// TestQuery runs SQL on a server: values of all kinds, what is refused, and limits.
func TestQuery(t *testing.T) {
	path, _ := open(t)
	for sql, want := range map[string]string{
		"SELECT name, \"Home Town\", born, rich FROM singer ORDER BY id;": "name|Home Town|born|rich: Joe|Paris|1990-02-03|1 Ann|Oslo|1985-01-02|0 Bo'b|NULL|NULL|NULL",
		"SELECT length, avg(id), array_agg(id), '{\"a\": 1}'::jsonb AS j, timestamptz '2020-01-02 03:04:05+02' AS z FROM song GROUP BY 1 ORDER BY 1 DESC LIMIT 1": "length|avg|array_agg|j|z: " +
			`4.0|3.0|{3}|{"a": 1}|2020-01-02 01:04:05+00`,
		"SELECT 1e400::numeric > 1, 'NaN'::float8, '\\x00ff'::bytea": "?column?|float8|bytea: 1|NaN|X'00FF'",
		"SELECT nothing":   "column \"nothing\" does not exist (SQLSTATE 42703)",
		"DELETE FROM song": `1:1: near "DELETE", expected SELECT`,
		"WITH d AS (DELETE FROM song RETURNING id) SELECT * FROM d": `1:12: near "DELETE", expected SELECT`,
		"SELECT * FROM song FOR UPDATE":                             `1:20: near "FOR", expected end of query`,
		"SELECT 1; SELECT 2":                                        `1:11: near "SELECT", expected end of query`,
		"SELECT pg_sleep(10)":                                       sqldata.ErrRefused.Error() + ": ",
	} {
		if got := answer(t, path, sql); got != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(got, want)) {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
	}
	db, err := postgres.Draft(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	const endless = "SELECT generate_series(1, 1000000000000)"
	for _, tt := range []struct {
		sql    string
		limits sqldata.Limits
		want   error
	}{
		{endless, sqldata.Limits{Rows: 10}, sqldata.ErrTooLarge},
		{"SELECT repeat('x', 1000) FROM generate_series(1, 1000000)", sqldata.Limits{Bytes: 1 << 20}, sqldata.ErrTooLarge},
		{"SELECT count(*) FROM (" + endless + ") AS n", sqldata.Limits{Time: 100 * time.Millisecond}, sqldata.ErrTimeLimit},
	} {
		start := time.Now()
		if _, err := db.Query(t.Context(), tt.sql, tt.limits); !errors.Is(err, tt.want) || time.Since(start) > 3*time.Second {
			t.Errorf("%s: %v after %v, expected %v at once", tt.sql, err, time.Since(start), tt.want)
		}
	}
	if got := answer(t, path, "SELECT 1 AS one"); got != "one: 1" {
		t.Errorf("after the limits: %s", got)
	}
}

// TestDraft asks drafts with changes of all kinds, and the files of copies with the same changes.
func TestDraft(t *testing.T) {
	path, _ := open(t)
	initial := func(v sqldata.Value) (sqldata.Value, error) { return sqldata.NewText(v.Bytes()[:1]), nil }
	for _, tt := range []struct {
		name   string
		writes []sqldata.Write
		sql    string
		want   string
	}{
		{"column renamed", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "name", Name: "Called By"}}, `SELECT "Called By" FROM singer WHERE id = 1`, "Called By: Joe"},
		{"old name", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}}, "SELECT s.name FROM singer s", "column s.name does not exist (SQLSTATE 42703)"},
		{"table renamed", []sqldata.Write{sqldata.RenameTable{Table: "singer", Name: "vocalist"}}, "SELECT count(*) FROM vocalist", "count: 3"},
		{"old table", []sqldata.Write{sqldata.RenameTable{Table: "singer", Name: "vocalist"}}, "SELECT s.id FROM singer s", "column s.id does not exist (SQLSTATE 42703)"},
		{"names swapped", []sqldata.Write{
			sqldata.RenameTable{Table: "singer", Name: "x"}, sqldata.RenameTable{Table: "song", Name: "singer"}, sqldata.RenameTable{Table: "x", Name: "song"},
		}, "SELECT title, song.name FROM singer JOIN song ON singer_id = song.id WHERE title = 'Snow'", "title|name: Snow|Ann"},
		{"own WITH", []sqldata.Write{sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}}, " -- titles\nWITH x AS (SELECT called FROM song WHERE id = 2) SELECT * FROM x", "called: Rain"},
		{"recursive", []sqldata.Write{sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}},
			"WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, called FROM n JOIN song ON i = id ORDER BY 1 DESC", "i|called: 3|Snow 2|Rain 1|Sun"},
		{"a schema's name", []sqldata.Write{sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}}, "SELECT count(*) FROM public.song", sqldata.ErrSchema.Error()},
		{"a schema's name before a column", []sqldata.Write{sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}}, "SELECT id FROM song WHERE EXISTS (SELECT public.song.id)", sqldata.ErrSchema.Error()},
		{"a function's schema", []sqldata.Write{sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}}, "SELECT pg_catalog.lower(called) FROM song JOIN pg_catalog.generate_series(2, 2) AS n ON id = n", "lower: rain"},
		{"a view of the server", []sqldata.Write{sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}}, "SELECT title FROM long_song ORDER BY 1", "title: Rain Snow"},
		{"numbers added", []sqldata.Write{sqldata.AddColumn{Table: "song", Name: "year", Type: "NUMERIC", Cells: []sqldata.Value{sqldata.NewInt(1999)}}}, "SELECT sum(year) FROM song", "sum: 5997"},
		{"text added", []sqldata.Write{sqldata.AddColumn{Table: "song", Name: "tag", Cells: []sqldata.Value{sqldata.NewText(`o'\x`), {}}}}, "SELECT count(*) FROM song WHERE tag <> ''", "count: 3"},
		{"nothing added", []sqldata.Write{sqldata.AddColumn{Table: "song", Name: "tag"}}, "SELECT * FROM song WHERE id = 1", "id|title|singer_id|length|tag: 1|Sun|1|2.5|NULL"},
		{"recoded", []sqldata.Write{
			sqldata.DeriveColumn{Table: "singer", Column: "name", Name: "letter", Cell: initial}, sqldata.DropColumn{Table: "singer", Column: "name"},
		}, "SELECT * FROM singer WHERE letter = 'B'", "id|Home Town|born|rich|letter: 3|NULL|NULL|NULL|B"},
		{"table dropped", []sqldata.Write{sqldata.DropTable{Table: "song"}}, "SELECT s.id FROM song s", "column s.id does not exist (SQLSTATE 42703)"},
		{"split", []sqldata.Write{sqldata.SplitColumn{Table: "singer", Column: "Home Town", Into: "town", Key: "town_id"}},
			`SELECT s.*, "Home Town" FROM singer s LEFT JOIN town t ON s.town_id = t.town_id ORDER BY id DESC LIMIT 2`, "id|name|born|rich|town_id|Home Town: 3|Bo'b|NULL|NULL|NULL|NULL 2|Ann|1985-01-02|0|1|Oslo"},
		{"merged", []sqldata.Write{sqldata.MergeTable{Table: "song", Column: "singer_id", Reference: "singer", Target: "id", Columns: []sqldata.MergedColumn{{Column: "name", Name: "singer"}}}},
			"SELECT * FROM song WHERE singer = 'Ann'", "id|title|singer_id|length|singer: 3|Snow|2|4.0|Ann"},
		{"partners", []sqldata.Write{sqldata.MergeTable{Table: "singer", Column: "id", Reference: "song", Target: "singer_id"}}, "", "a row of singer has several rows of song, expected one at most"},
		{"no such column", []sqldata.Write{sqldata.DropColumn{Table: "song", Column: "x"}}, "", "table song has no column x, expected it as the schema does"},
		{"no such table", []sqldata.Write{sqldata.DropTable{Table: "x"}}, "", "has no table x, expected it as the schema does"},
		{"keys", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "id", Name: "Singer ID"}, sqldata.RenameColumn{Table: "song", Column: "title", Name: "called"}},
			`SELECT name, max(called) FROM singer JOIN song ON singer_id = "Singer ID" GROUP BY "Singer ID" ORDER BY 1`, "name|max: Ann|Snow Joe|Sun"},
		{"no key", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}}, "SELECT called FROM singer GROUP BY born",
			sqldata.ErrNoKey.Error() + `: column "singer.called" must appear in the GROUP BY clause or be used in an aggregate function (SQLSTATE 42803)`},
	} {
		want := tt.want
		if got := strings.TrimPrefix(answer(t, path, tt.sql, tt.writes...), path+": "); got != want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, want)
		}
		copied := filepath.Join(t.TempDir(), "copy"+postgres.Ext)
		err := postgres.Copy(t.Context(), path, copied, tt.writes...)
		if err != nil {
			if got := strings.TrimPrefix(err.Error(), path+": "); got != want {
				t.Errorf("%s: the copy: %s", tt.name, got)
			}
			continue
		}
		if got := answer(t, copied, tt.sql); got != want {
			t.Errorf("%s, of the copy\n got %s\nwant %s", tt.name, got, want)
		}
	}
}

// TestKeys asks for columns that depend on a primary key: temporary tables have it, where the role may make some, and are gone after the query.
func TestKeys(t *testing.T) {
	path, dsn := open(t)
	conn := server.Connect(t, dsn)
	if _, err := conn.Exec(t.Context(), `CREATE ROLE reader LOGIN; GRANT SELECT ON singer TO reader; ALTER ROLE reader SET default_transaction_read_only = on`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := postgres.WriteAddress(func(string) string { return path }, strings.Replace(dsn, "postgres@", "reader@", 1)); err != nil {
		t.Fatal(err)
	}
	write := sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}
	const sql = "SELECT called, count(*) FROM singer GROUP BY id ORDER BY 1 LIMIT 1"
	if got := answer(t, path, sql, write); got != "called|count: Ann|1" {
		t.Errorf("with temporary tables: %s", got)
	}
	if got := answer(t, path, "SELECT count(*) FROM pg_temp.singer"); !strings.Contains(got, "does not exist") {
		t.Errorf("a temporary table is left: %s", got)
	}
	if _, err := conn.Exec(t.Context(), "REVOKE TEMPORARY ON DATABASE music FROM public"); err != nil {
		t.Fatal(err)
	}
	if got := answer(t, path, sql, write); !strings.Contains(got, sqldata.ErrNoKey.Error()) {
		t.Errorf("without the right to make temporary tables: %s", got)
	}
}

// TestSchema reads tables, keys and comments, those of a copy with changes, and what a role with fewer rights sees.
func TestSchema(t *testing.T) {
	path, dsn := open(t)
	schemaOf := func(path string) []sqldata.Table {
		db, err := postgres.Draft(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := db.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tables
	}
	want := []sqldata.Table{{
		Name: "singer", PrimaryKey: []string{"id"},
		Columns: []sqldata.Column{
			{Name: "id", Type: "integer"}, {Name: "name", Type: "text"}, {Name: "Home Town", Type: "character varying(20)"}, {Name: "born", Type: "date", Comment: "the birthday"}, {Name: "rich", Type: "boolean"},
		},
	}, {
		Name: "song", PrimaryKey: []string{"id"}, Comment: "songs that were sung", ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"singer_id"}, Table: "singer", References: []string{"id"}}},
		Columns: []sqldata.Column{{Name: "id", Type: "integer"}, {Name: "title", Type: "text"}, {Name: "singer_id", Type: "integer"}, {Name: "length", Type: "numeric(5,2)"}},
	}}
	if diff := cmp.Diff(want, schemaOf(path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	copied := filepath.Join(t.TempDir(), "copy"+postgres.Ext)
	if err := postgres.Copy(t.Context(), path, copied, sqldata.RenameTable{Table: "singer", Name: "vocalist"}, sqldata.DropTable{Table: "song"}); err != nil {
		t.Fatal(err)
	}
	vocalist := sqldata.Table{Name: "vocalist"}
	for _, c := range want[0].Columns {
		vocalist.Columns = append(vocalist.Columns, sqldata.Column{Name: c.Name, Type: c.Type})
	}
	if diff := cmp.Diff([]sqldata.Table{vocalist}, schemaOf(copied)); diff != "" {
		t.Errorf("copy (-want +got):\n%s", diff)
	}
	if _, err := server.Connect(t, dsn).Exec(t.Context(), "CREATE ROLE reader LOGIN; GRANT SELECT ON song TO reader"); err != nil {
		t.Fatal(err)
	}
	reader := filepath.Join(t.TempDir(), "reader"+postgres.Ext)
	if _, _, err := postgres.WriteAddress(func(string) string { return reader }, strings.Replace(dsn, "postgres@", "reader@", 1)); err != nil {
		t.Fatal(err)
	}
	if got := schemaOf(reader); len(got) != 1 || got[0].Name != "song" {
		t.Errorf("the role with a right on song sees %v", got)
	}
	for file, want := range map[string]string{path: "the role postgres is a superuser", reader: ""} {
		db, err := postgres.Draft(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := db.Advice(t.Context()); err != nil || !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("advice %q, %v, expected %q", got, err, want)
		}
	}
}

// TestWriteAddress writes addresses without their passwords.
func TestWriteAddress(t *testing.T) {
	for _, address := range []string{"postgres://me:s3cret@db.example:5433/shop?sslmode=require", "postgresql://me@db.example:5433/shop?password=s3cret&sslmode=require&sslpassword=key"} {
		path := filepath.Join(t.TempDir(), "x"+postgres.Ext)
		name, password, err := postgres.WriteAddress(func(string) string { return path }, address)
		if name != "shop" || password != "s3cret" || err != nil {
			t.Errorf("%s: %q, %q, %v", address, name, password, err)
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(text), "://me@db.example:5433/shop?sslmode=require\n") {
			t.Errorf("%s: wrote %q, %v", address, text, err)
		}
	}
	for _, address := range []string{"postgres://me:s3cret@db:port/shop", "postgres://me:s3cret@db/shop?sslmode=s3cret", "postgres://me:s3cret@%zz/"} {
		if _, _, err := postgres.WriteAddress(func(string) string { return filepath.Join(t.TempDir(), "x") }, address); err == nil || strings.Contains(err.Error(), "s3cret@") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestNoServer asks a database whose server is not there, and a file that is no address.
func TestNoServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x"+postgres.Ext)
	if err := os.WriteFile(path, []byte("postgres:///x?host="+t.TempDir()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Draft(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(t.Context(), "SELECT 1", sqldata.Limits{}); !errors.Is(err, sqldata.ErrNoServer) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, expected that the server does not answer", err)
	}
	if err := os.WriteFile(path, []byte("host=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Draft(t.Context(), path); err == nil || !strings.Contains(err.Error(), ":1: is no address") {
		t.Errorf("no address: %v", err)
	}
}

// TestStandby asks a physical standby: drafts answer as on the server, and what needs temporary tables is named.
func TestStandby(t *testing.T) {
	primary := server.New(t)
	dsn := server.CreateDatabase(t, primary.DSN, "music")
	if _, err := server.Connect(t, dsn).Exec(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	standby := strings.Replace(dsn, url.QueryEscape(primary.Dir), url.QueryEscape(primary.Standby(t).Dir), 1)
	path := filepath.Join(t.TempDir(), "music"+postgres.Ext)
	if _, _, err := postgres.WriteAddress(func(string) string { return path }, standby); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Connect(t, standby).Exec(t.Context(), "CREATE TABLE x ()"); err == nil {
		t.Fatal("the standby can be written to")
	}
	write := sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}
	if got := answer(t, path, "SELECT called FROM singer WHERE id = 2", write); got != "called: Ann" {
		t.Errorf("a renamed column: %s", got)
	}
	if got := answer(t, path, "SELECT called FROM singer GROUP BY id", write); !strings.HasPrefix(got, sqldata.ErrNoKey.Error()) {
		t.Errorf("a column that depends on a key: %s", got)
	}
}

// TestLocked asks for a table that another session locks: the server does not answer, which is no fault of the SQL.
func TestLocked(t *testing.T) {
	path, dsn := open(t)
	tx, err := server.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE song"); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Draft(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(t.Context(), "SELECT * FROM song", sqldata.Limits{Time: time.Second}); !errors.Is(err, sqldata.ErrNoServer) {
		t.Errorf("%v, expected that the server does not answer", err)
	}
}

// TestCreate makes rows up for the tables of a server, which have the types of its columns, and asks a draft of them.
func TestCreate(t *testing.T) {
	path, _ := open(t)
	made := filepath.Join(t.TempDir(), "made"+postgres.Ext)
	tables := []sqldata.Table{
		{Name: "singer", Columns: []sqldata.Column{{Name: "id"}, {Name: "name"}, {Name: "born"}}},
		{Name: "long_song", Columns: []sqldata.Column{{Name: "title"}}}, // a view
		{Name: "song", Columns: []sqldata.Column{{Name: "id"}}},
	}
	rows := [][][]sqldata.Value{{{sqldata.NewInt(7), sqldata.NewText("It's"), sqldata.NewText("2030-01-02")}, {sqldata.NewInt(8), {}, {}}}, {{sqldata.NewText("Sun")}}, nil}
	if err := postgres.Create(t.Context(), path, made, tables, rows); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"SELECT name, id / 2 AS half FROM singer WHERE born > date '2030-01-01'": "name|half: It's|3",
		"SELECT count(*) FROM singer JOIN long_song ON born IS NULL":             "count: 1",
		"SELECT * FROM song": "id: ",
	} {
		if got := answer(t, made, sql); got != want {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
	}
	if got := answer(t, made, "SELECT called FROM vocalist ORDER BY id", sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}, sqldata.RenameTable{Table: "singer", Name: "vocalist"}); got != "called: It's NULL" {
		t.Errorf("a draft: %s", got)
	}
	tables[0].Name = "x"
	if err := postgres.Create(t.Context(), path, made, tables, rows); err == nil || !strings.Contains(err.Error(), "has no table x") {
		t.Errorf("%v, expected that there is no table x", err)
	}
}
