package sqlite

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// scriptFile makes a database file by statements.
func scriptFile(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.sqlite")
	if err := edit(t.Context(), path, func(c *conn) error { return c.exec(statements) }); err != nil {
		t.Fatal(err)
	}
	return path
}

const draftSchema = `CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, age INT, country TEXT);
	CREATE TABLE song (song_id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), title TEXT NOT NULL);
	CREATE INDEX by_country ON singer(country); CREATE INDEX by_age ON singer(age);
	CREATE VIEW adult AS SELECT name, age FROM singer WHERE age >= 18;
	INSERT INTO singer VALUES (1, 'Ann', 30, 'France'), (2, 'bo', 17, 'Kenya'), (3, 'Cy', NULL, 'France'), (5, 'Di', 44, NULL);
	INSERT INTO song VALUES (1, 1, 'Sky'), (2, 3, 'Sea'), (3, 3, 'Sun');`

// A draft has to answer as the copy does, and to refuse what it refuses.
func TestDraft(t *testing.T) {
	path := scriptFile(t, draftSchema)
	before := fileHash(t, path)
	text := func(s string) sqldata.Value { return sqldata.NewText(s) }
	initial := func(v sqldata.Value) (sqldata.Value, error) {
		if v.IsNull() {
			return v, nil
		}
		return text(v.Bytes()[:1]), nil
	}
	for _, test := range []struct {
		name    string
		writes  []sqldata.Write
		queries []string
	}{
		{"column renamed", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "age", Name: "years"}},
			[]string{"SELECT name FROM singer WHERE years > 20 ORDER BY years", "SELECT years FROM adult", "SELECT age FROM singer", `SELECT "age" FROM singer`}},
		{"table renamed", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}, sqldata.RenameTable{Table: "singer", Name: "vocalist"}},
			[]string{"SELECT called FROM vocalist WHERE called = 'BO'", "SELECT * FROM adult", "SELECT 1 FROM singer"}},
		{"column added", []sqldata.Write{sqldata.AddColumn{Table: "singer", Name: "town", Type: "TEXT", Cells: []sqldata.Value{text("x")}}},
			[]string{"SELECT count(*), max(town) FROM singer", "SELECT town, count(*) FROM singer JOIN song ON singer_id = id GROUP BY town", "SELECT typeof(town) FROM singer"}},
		{"column added without cells", []sqldata.Write{sqldata.AddColumn{Table: "song", Name: "town", Type: "NUMERIC", Cells: nil}}, []string{"SELECT town FROM song"}},
		{"column recoded", []sqldata.Write{sqldata.DeriveColumn{Table: "singer", Column: "country", Name: "letter", Type: "TEXT", Cell: initial}, sqldata.DropColumn{Table: "singer", Column: "country"}},
			[]string{"SELECT letter, count(*) FROM singer GROUP BY letter ORDER BY 1", "SELECT country FROM singer", "SELECT name FROM singer WHERE letter = 'F' AND age > 3"}},
		{"column dropped", []sqldata.Write{sqldata.DropColumn{Table: "song", Column: "title"}}, []string{"SELECT song_id FROM song", "SELECT title FROM song"}},
		{"column split", []sqldata.Write{sqldata.SplitColumn{Table: "singer", Column: "country", Into: "country", Key: "country_id"}},
			[]string{"SELECT s.name, c.country FROM singer AS s JOIN country AS c ON s.country_id = c.country_id ORDER BY s.id", "SELECT count(*) FROM country", "SELECT count(country_id) FROM singer"}},
		{"table and columns named with their schema", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}, sqldata.RenameTable{Table: "song", Name: "main"}},
			[]string{"SELECT main.singer.called FROM main.singer", "SELECT title FROM main.main", "SELECT 1 FROM main.song"}},
		{"a table of WITH that hides one", []sqldata.Write{sqldata.RenameColumn{Table: "singer", Column: "name", Name: "called"}},
			[]string{"WITH Song AS (SELECT called FROM singer) SELECT * FROM song", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, called FROM n JOIN singer ON i = id ORDER BY 1"}},
		{"column computed", []sqldata.Write{sqldata.ComputeColumn{Table: "singer", Name: "about", Type: "TEXT", Value: "name || ' ' || coalesce(country, '')"}, sqldata.DropColumn{Table: "singer", Column: "country"}},
			[]string{"SELECT about FROM singer WHERE name = 'BO'", "SELECT country FROM singer"}},
		{"numbers recoded", []sqldata.Write{sqldata.DeriveColumn{Table: "singer", Column: "age", Name: "months", Type: "INT", Cell: func(v sqldata.Value) (sqldata.Value, error) {
			if v.IsNull() {
				return v, nil
			}
			return sqldata.NewInt(12 * v.Int()), nil
		}}}, []string{"SELECT name FROM singer WHERE months = '360'", "SELECT sum(months), typeof(max(months)) FROM singer"}},
		{"table created", []sqldata.Write{sqldata.CreateTable{
			Table: sqldata.Table{Name: "city", Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}, {Name: "called", Type: "TEXT"}}},
			Rows:  [][]sqldata.Value{{sqldata.NewInt(1), text("O'Fallon")}, {sqldata.NewInt(2), text("Zürich\x00")}},
		}}, []string{"SELECT called, typeof(id) FROM city WHERE id = '2'"}},
		{"table created without rows", []sqldata.Write{sqldata.CreateTable{Table: sqldata.Table{Name: "city", Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}}}}}, []string{"SELECT count(*) FROM city"}},
		{"table divided", []sqldata.Write{
			sqldata.None{Query: "SELECT 1 FROM singer GROUP BY id HAVING count(*) > 1"},
			sqldata.CreateTable{From: "singer", Table: sqldata.Table{Name: "person", Columns: []sqldata.Column{{Name: "id"}, {Name: "country"}}, PrimaryKey: []string{"id"}}},
			sqldata.DropColumn{Table: "singer", Column: "country"},
		}, []string{"SELECT name, country FROM singer JOIN person ON singer.id = person.id WHERE person.id = '2'", "SELECT singer.country FROM singer"}},
		{"a table that loses rows", []sqldata.Write{sqldata.None{Query: "SELECT 1 FROM singer WHERE age IS NULL", Why: "an age is missing"}}, nil},
		{"table merged", []sqldata.Write{sqldata.MergeTable{Table: "song", Column: "singer_id", Reference: "singer", Target: "id", Columns: []sqldata.MergedColumn{{Column: "name", Name: "singer_name"}}}}, []string{"SELECT title, singer_name FROM song", "SELECT 1 FROM singer"}},
		{"column of a view dropped", []sqldata.Write{sqldata.DropColumn{Table: "singer", Column: "age"}}, nil},
		{"no such table", []sqldata.Write{sqldata.AddColumn{Table: "album", Name: "town", Type: "TEXT", Cells: []sqldata.Value{text("x")}}}, nil},
		{"a cell that fails", []sqldata.Write{sqldata.DeriveColumn{Table: "singer", Column: "country", Name: "letter", Type: "TEXT", Cell: func(v sqldata.Value) (sqldata.Value, error) {
			return v, errors.New("outside the map")
		}}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			draft, refused := Draft(t.Context(), path, test.writes...)
			dst := filepath.Join(t.TempDir(), "copy.sqlite")
			err := Copy(t.Context(), path, dst, test.writes...)
			if (err == nil) != (refused == nil) || (err == nil) != (test.queries != nil) {
				t.Fatalf("the draft: %v, the copy: %v", refused, err)
			}
			if err != nil {
				return
			}
			defer draft.Close()
			file, err := Open(t.Context(), dst)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			for _, query := range test.queries {
				got, gotErr := draft.Query(t.Context(), query, sqldata.Limits{})
				want, wantErr := file.Query(t.Context(), query, sqldata.Limits{})
				if (gotErr == nil) != (wantErr == nil) {
					t.Errorf("%s: the draft: %v, the copy: %v", query, gotErr, wantErr)
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(sqldata.Value{})); diff != "" {
					t.Errorf("%s (-copy +draft):\n%s", query, diff)
				}
			}
		})
	}
	if fileHash(t, path) != before {
		t.Error("a draft changed the file")
	}
}

func fileHash(t *testing.T, path string) [32]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(data)
}

func TestProgram(t *testing.T) {
	path := scriptFile(t, draftSchema)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	draft, err := Draft(t.Context(), path, sqldata.RenameColumn{Table: "singer", Column: "age", Name: "years"}, sqldata.AddColumn{Table: "singer", Name: "town", Type: "TEXT", Cells: []sqldata.Value{sqldata.NewText("x")}})
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Close()
	before := db.Program(t.Context(), "SELECT name FROM singer WHERE age > 20 ORDER BY age")
	for query, same := range map[string]bool{
		"SELECT name FROM singer WHERE years > 20 ORDER BY years":          true,
		"SELECT T.name FROM singer AS T WHERE T.years > 20 ORDER BY years": true,
		"SELECT name FROM singer WHERE years > 21 ORDER BY years":          false,
		"SELECT country FROM singer WHERE years > 20 ORDER BY years":       false,
		"SELECT name FROM singer WHERE years > 20 ORDER BY years DESC":     false,
		"SELECT name FROM singer WHERE town > 20 ORDER BY years":           false,
		"SELECT name FROM singer WHERE age > 20 ORDER BY age":              false,
		"DELETE FROM singer": false,
	} {
		if got := draft.Program(t.Context(), query); (got == before) != same || before == "" {
			t.Errorf("%s: the same program: %v\n%s\n%s", query, !same, before, got)
		}
	}
}
