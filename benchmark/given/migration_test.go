package given

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// editText returns an edit for comparison.
func editText(e perturb.Edit) string {
	switch e := e.(type) {
	case perturb.RenameTable:
		return fmt.Sprintf("%s: %s", e.Table, e.Name)
	case perturb.RenameColumn:
		return fmt.Sprintf("%s.%s: %s", e.Table, e.Column, e.Name)
	case perturb.AddColumn:
		return fmt.Sprintf("%s + %s %s %q", e.Table, e.Name, e.Type, e.Cells)
	case perturb.DropColumn:
		return fmt.Sprintf("- %s.%s", e.Table, e.Column)
	case perturb.DropTable:
		return "- " + e.Table
	}
	return fmt.Sprintf("%T", e)
}

// keyed returns the schema with a primary key and columns of numbers.
func keyed() *dataset.Database {
	db := schemas()["music"]
	db.Tables[0].Columns[0].Type, db.Tables[1].Columns[0].Type = dataset.Number, dataset.Number
	db.PrimaryKeys = []dataset.ColumnRef{{Table: 0, Column: 0}}
	return db
}

func TestMigration(t *testing.T) {
	for _, test := range []struct {
		name, script    string
		edits, problems []string
	}{
		{"each kind of edit", "ALTER TABLE singer RENAME TO artist; ALTER TABLE artist RENAME name TO full_name;\nALTER TABLE artist ADD born int DEFAULT 1, DROP age; DROP TABLE song",
			[]string{"- singer.age", "- song", "singer.name: full_name", `singer + born number ["1"]`, "singer: artist"}, nil},
		{"names that come free", "ALTER TABLE singer DROP COLUMN age; ALTER TABLE singer RENAME name TO age; ALTER TABLE singer ADD name text;\nALTER TABLE song RENAME TO x; ALTER TABLE singer RENAME TO song; ALTER TABLE x RENAME TO singer",
			[]string{"- singer.age", "singer.name: age", `singer + name text []`, "singer: song", "song: singer"}, nil},
		{"what comes and goes", "ALTER TABLE singer ADD x int; ALTER TABLE singer RENAME x TO y; ALTER TABLE singer DROP y; ALTER TABLE song RENAME title TO a; ALTER TABLE song RENAME a TO TITLE",
			[]string{"song.title: TITLE"}, nil},
		{"a table built anew", "CREATE TABLE new_singer (id INTEGER PRIMARY KEY, full_name TEXT, email TEXT DEFAULT 'x'); INSERT INTO new_singer (id, full_name) SELECT id, name FROM singer;\nDROP TABLE singer; ALTER TABLE new_singer RENAME TO singer;",
			[]string{"- singer.age", "singer.name: full_name", `singer + email text ["x"]`}, nil},
		{"the old one renamed first", "ALTER TABLE song RENAME TO old; CREATE TABLE song AS SELECT id, title AS heading FROM old; DROP TABLE old", []string{"song.title: heading"}, nil},
		{"quotes, comments, dollars", "-- a; b\n/* c; */ ALTER TABLE \"singer\" ADD x text DEFAULT 'a;''b'; DO $x$ a; $x$;\nALTER TABLE song RENAME COLUMN [title] TO `a;b`;",
			[]string{"song.title: a;b", `singer + x text ["a;'b"]`}, []string{`2: "DO $x$ a; $x$": `}},
		{"a trigger is one statement", "CREATE TRIGGER x AFTER INSERT ON song BEGIN UPDATE song SET id = 1; DROP TABLE song; END; DROP TABLE singer;", []string{"- singer"}, []string{`1: "CREATE TRIGGER x AFTER INSERT ON song BEGIN UPDATE song SET `}},
		{"only of transactions", "BEGIN; SET x = 1; PRAGMA foreign_keys = OFF; DROP TABLE song; COMMIT;", []string{"- song"}, nil},
		{"what is not there", "DROP TABLE IF EXISTS film;\nDROP TABLE film;\nALTER TABLE IF EXISTS film ADD x int;\nALTER TABLE song DROP COLUMN IF EXISTS x;\nALTER TABLE song DROP x, RENAME title TO t, RENAME y TO z, ADD COLUMN IF NOT EXISTS id int;",
			[]string{"song.title: t"}, []string{"2: DROP TABLE film: there is no table film", "5: ALTER TABLE song DROP COLUMN x: table song has no column x", "5: ALTER TABLE song RENAME COLUMN y TO z: table song has no column y"}},
		{"names that are taken", "ALTER TABLE song RENAME TO Singer;\nALTER TABLE song RENAME id TO TITLE;\nALTER TABLE song ADD id int;\nCREATE TABLE song (x int);\nALTER TABLE song RENAME TO sqlite_x; ALTER TABLE song RENAME TO tune",
			[]string{"song: tune"}, []string{"1: ALTER TABLE song RENAME TO Singer: there is a table Singer already", "2: ALTER TABLE song RENAME COLUMN id TO TITLE: table song has a column TITLE already",
				"3: ALTER TABLE song ADD COLUMN id: table song has a column id already", "4: CREATE TABLE song: there is a table song already", `5: ALTER TABLE song RENAME TO sqlite_x: name "sqlite_x", expected`}},
		{"what no edit expresses", "ALTER TABLE singer DROP id;\nALTER TABLE singer ALTER age TYPE int;\nCREATE VIEW v AS SELECT 1;\nCREATE TABLE copy AS SELECT * FROM song;\nINSERT INTO song SELECT * FROM singer;\nALTER TABLE song ADD x int DEFAULT (1 + 1);\nUPDATE song SET id = 1;\nDROP VIEW v;\nALTER TABLE song DROP title;\nCREATE TABLE y AS SELECT id FROM singer WHERE id > 1;",
			[]string{"- song.title"}, []string{"1: ALTER TABLE singer DROP COLUMN id: column singer.id is part of a key", "2: ALTER TABLE singer ALTER COLUMN age TYPE: no edit changes the type", "3: CREATE VIEW v: no edit makes",
				"5: INSERT INTO song: no edit adds rows", "6: ALTER TABLE song ADD COLUMN x: its value is no constant", `7: "UPDATE song SET id = 1": 1:22: near "1", expected`, "8: DROP VIEW v: no edit", "10: CREATE TABLE y: no edit makes the rows",
				"4: CREATE TABLE copy: the table stays beside the others"}},
		{"built anew otherwise", "CREATE TABLE a (title TEXT, id TEXT); INSERT INTO a SELECT title, id FROM song;\nDROP TABLE song;\nCREATE TABLE b (id INTEGER); INSERT INTO b SELECT id FROM song;\nDROP TABLE a; ALTER TABLE song RENAME TO tune",
			[]string{"song: tune"}, []string{"1: INSERT INTO a: no edit changes the type of a column, here of id", "2: DROP TABLE song: a statement that copies the table was refused", "3: CREATE TABLE b: the table stays"}},
		{"columns in another order", "CREATE TABLE a AS SELECT title, id FROM song;\nDROP TABLE song; ALTER TABLE song RENAME TO tune",
			[]string{"song: tune"}, []string{"2: DROP TABLE song: a has its columns in another order", "1: CREATE TABLE a: the table stays"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.sql")
			if err := os.WriteFile(path, []byte(test.script), 0o666); err != nil {
				t.Fatal(err)
			}
			var problems, got []string
			db := keyed()
			p, err := Migration(path, db, func(err error) { problems = append(problems, strings.TrimPrefix(err.Error(), path+":")) })
			if err != nil {
				t.Fatal(err)
			}
			err = p.Run(&perturb.Pass{DB: db, Examples: examples(t, db), Report: func(v perturb.Variant) {
				for _, e := range v.Edits {
					got = append(got, editText(e))
				}
			}, Reject: func(_ *perturb.Example, _ int, reason perturb.Reason, detail ...string) {
				t.Errorf("%s: %q", reason, detail)
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.edits, got); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
			hasPrefix := cmp.Comparer(func(x, y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) })
			if diff := cmp.Diff(test.problems, problems, hasPrefix); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
	for script, want := range map[string]string{"": "changes nothing of music that an edit expresses", "ALTER TABLE song ADD x int; ALTER TABLE song DROP x": "changes nothing of music"} {
		path := filepath.Join(t.TempDir(), "a.sql")
		if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Migration(path, keyed(), func(error) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", script, err, want)
		}
	}
}

// examples returns an example that every migration of TestMigration leaves.
func examples(t *testing.T, db *dataset.Database) []*perturb.Example {
	t.Helper()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: "SELECT count(*) FROM singer"})
	if err != nil {
		t.Fatal(err)
	}
	return []*perturb.Example{ex}
}

// FuzzStatements checks that a script is split without loss: nothing but blanks, comments and semicolons stands between
// its statements.
func FuzzStatements(f *testing.F) {
	f.Add("-- a; b\nALTER TABLE \"a;\" ADD x text DEFAULT 'a;''b'; DO $x$ a; $x$; /* c")
	f.Fuzz(func(t *testing.T, script string) {
		rest := script
		for _, s := range statements(script) {
			at := strings.Index(rest, s.text)
			if at < 0 || s.text == "" || s.line < 1 || s.line > 1+strings.Count(script, "\n") {
				t.Fatalf("%q: statement %q of line %d", script, s.text, s.line)
			}
			rest = rest[at+len(s.text):]
		}
	})
}
