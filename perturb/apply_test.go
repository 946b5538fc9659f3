package perturb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

// twoTables returns a schema of singers and their songs.
func twoTables() *dataset.Database {
	db := &dataset.Database{ID: "music", SQLite: "music.sqlite", Tables: []dataset.Table{
		table("singer", "id", "id", "name", "name", "age", "age"),
		table("song", "song_id", "song id", "singer_id", "singer id", "title", "title"),
	}}
	db.PrimaryKeys = []dataset.ColumnRef{{Table: 0}, {Table: 1}}
	db.ForeignKeys = []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 1, Column: 1}, Target: dataset.ColumnRef{Table: 0}}}
	return db
}

func example(t *testing.T, db *dataset.Database, query string) *perturb.Example {
	t.Helper()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: query})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return ex
}

func rename(table, column, name string) perturb.Edit {
	return perturb.RenameColumn{Table: table, Column: column, Name: name, Natural: strings.ReplaceAll(name, "_", " ")}
}

func add(table, name string) perturb.Edit {
	return perturb.AddColumn{Table: table, Name: name, Natural: name, Type: dataset.Text, Cells: []string{"a", "b"}}
}

func TestNewExample(t *testing.T) {
	db := twoTables()
	ex := example(t, db, "SELECT T2.title, T1.name FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id WHERE T1.name = \"x\"")
	want := []dataset.ColumnRef{{Table: 1, Column: 2}, {Table: 0, Column: 1}, {Table: 0, Column: 0}, {Table: 1, Column: 1}}
	if diff := cmp.Diff(want, ex.Columns); diff != "" {
		t.Errorf("mentioned columns (-want +got):\n%s", diff)
	}
	for _, test := range []struct{ query, want string }{
		{"SELECT FROM", "does not parse"},
		{"SELECT nobody FROM singer", "does not resolve"},
		{"SELECT id FROM nowhere", "does not resolve"},
	} {
		if _, err := perturb.NewExample(db, &dataset.Example{Query: test.query}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.query, err, test.want)
		}
	}
}

func TestApplySchema(t *testing.T) {
	db := twoTables()
	edits := []perturb.Edit{rename("SINGER", "Name", "full_name"), rename("song", "title", "song_name"), add("Singer", "genre")}
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	want := twoTables()
	want.ID, want.SQLite = after.ID, ""
	want.Tables[0].Columns[1].Original, want.Tables[0].Columns[1].Name = "full_name", "full name"
	want.Tables[1].Columns[2].Original, want.Tables[1].Columns[2].Name = "song_name", "song name"
	want.Tables[0].Columns = append(want.Tables[0].Columns, dataset.Column{Original: "genre", Name: "genre", Type: dataset.Text, Samples: []string{"a", "b"}})
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(twoTables(), db); diff != "" {
		t.Errorf("the original changed:\n%s", diff)
	}
}

func TestApplySchemaErrors(t *testing.T) {
	for _, test := range []struct {
		edits []perturb.Edit
		want  string
	}{
		{[]perturb.Edit{rename("singer", "nothing", "x")}, "no column singer.nothing to rename"},
		{[]perturb.Edit{rename("nowhere", "id", "x")}, "no column nowhere.id to rename"},
		{[]perturb.Edit{rename("singer", "name", "AGE")}, "table singer has a column AGE already"},
		{[]perturb.Edit{rename("singer", "name", "x"), rename("singer", "age", "X")}, "table singer has a column X already"},
		{[]perturb.Edit{rename("singer", "name", "x"), rename("singer", "x", "y")}, "no column singer.x to rename"},
		{[]perturb.Edit{rename("singer", "name", "x"), rename("singer", "NAME", "y")}, "column singer.NAME is renamed twice"},
		{[]perturb.Edit{add("singer", "x"), rename("singer", "x", "y")}, "no column singer.x to rename"},
		{[]perturb.Edit{add("nowhere", "x")}, "no table nowhere to add a column to"},
		{[]perturb.Edit{add("singer", "Name")}, "table singer has a column Name already"},
		{[]perturb.Edit{add("singer", "x"), add("singer", "X")}, "table singer has a column X already"},
	} {
		if _, err := perturb.ApplySchema(twoTables(), test.edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.edits, err, test.want)
		}
	}
}

func TestVariantID(t *testing.T) {
	id := func(db string, edits ...perturb.Edit) string {
		got, err := perturb.VariantID(db, edits)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one := id("music", rename("singer", "name", "x"))
	if again := id("music", rename("singer", "name", "x")); again != one {
		t.Errorf("equal edits have the ids %s and %s", one, again)
	}
	if !strings.HasPrefix(one, "music__") {
		t.Errorf("id %s, want music__ with a hash", one)
	}
	for _, other := range []string{id("music", rename("singer", "name", "y")), id("music", rename("singer", "name", "x"), add("song", "x"))} {
		if other == one {
			t.Errorf("other edits have the id %s too", one)
		}
	}
}

func TestRewriteGold(t *testing.T) {
	for _, test := range []struct {
		name    string
		query   string
		edits   []perturb.Edit
		want    string
		refused perturb.Reason // the reason of the refusal
	}{
		{
			"rename", "SELECT name FROM singer WHERE age > 3", []perturb.Edit{rename("singer", "name", "full_name")},
			"SELECT full_name FROM singer WHERE age > 3", "",
		},
		{
			"a string of the old name stays", "SELECT age FROM singer WHERE name = 'name'", []perturb.Edit{rename("singer", "name", "full_name")},
			"SELECT age FROM singer WHERE full_name = 'name'", "",
		},
		{
			"rename what is not used", "SELECT title FROM song", []perturb.Edit{rename("singer", "name", "full_name")},
			"SELECT title FROM song", "",
		},
		{
			"rename into ambiguity", "SELECT title FROM singer JOIN song ON id = singer_id", []perturb.Edit{rename("singer", "name", "title")},
			"SELECT song.title FROM singer JOIN song ON id = singer_id", "",
		},
		{
			"star under rename", "SELECT * FROM singer", []perturb.Edit{rename("singer", "name", "full_name")},
			"SELECT * FROM singer", "",
		},
		{
			"add", "SELECT name FROM singer", []perturb.Edit{add("singer", "genre")},
			"SELECT name FROM singer", "",
		},
		{
			"add into ambiguity", "SELECT name, title FROM singer JOIN song ON id = singer_id", []perturb.Edit{add("song", "name")},
			"SELECT singer.name, title FROM singer JOIN song ON id = singer_id", "",
		},
		{
			"add into ambiguity under aliases", "SELECT name FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id", []perturb.Edit{add("song", "name")},
			"SELECT T1.name FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id", "",
		},
		{
			"a string that became a column", `SELECT name FROM singer WHERE name = "genre"`, []perturb.Edit{add("singer", "genre")},
			"SELECT name FROM singer WHERE name = 'genre'", "",
		},
		{
			"star under add", "SELECT * FROM singer", []perturb.Edit{add("Singer", "genre")},
			"", "star-shows-added-column",
		},
		{
			"star of one table under add", "SELECT T1.* FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id", []perturb.Edit{add("singer", "genre")},
			"", "star-shows-added-column",
		},
		{
			"star of the other table", "SELECT T1.* FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id", []perturb.Edit{add("song", "genre")},
			"SELECT T1.* FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id", "",
		},
		{
			"star in EXISTS", "SELECT title FROM song WHERE EXISTS (SELECT * FROM singer WHERE id = singer_id)", []perturb.Edit{add("singer", "genre")},
			"SELECT title FROM song WHERE EXISTS (SELECT * FROM singer WHERE id = singer_id)", "",
		},
		{
			"one alias for two tables", "SELECT T1.id FROM singer AS T1 INTERSECT SELECT T1.singer_id FROM song AS T1", []perturb.Edit{rename("singer", "id", "singer_key")},
			"", "alias-of-two-tables",
		},
		{ // the official parser takes T1 for song throughout, which has lost its singer_id
			"one alias for two tables, of which another has the name", "SELECT T1.singer_id FROM album AS T1 INTERSECT SELECT T1.song_id FROM song AS T1",
			[]perturb.Edit{rename("song", "singer_id", "singer_key")},
			"", "alias-of-two-tables",
		},
		{
			"one alias for two tables, another column", "SELECT T1.id FROM singer AS T1 INTERSECT SELECT T1.singer_id FROM song AS T1", []perturb.Edit{rename("singer", "name", "full_name")},
			"SELECT T1.id FROM singer AS T1 INTERSECT SELECT T1.singer_id FROM song AS T1", "",
		},
		{
			"count", "SELECT count(*) FROM singer WHERE age > 3", []perturb.Edit{add("singer", "genre")},
			"SELECT count(*) FROM singer WHERE age > 3", "",
		},
		{
			"natural join", "SELECT name FROM singer NATURAL JOIN song", []perturb.Edit{add("song", "age")},
			"SELECT name FROM singer JOIN song", "",
		},
	} {
		db := twoTables()
		db.Tables = append(db.Tables, table("album", "album_id", "album id", "singer_id", "singer id"))
		after, err := perturb.ApplySchema(db, test.edits)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got, err := perturb.RewriteGold(example(t, db, test.query), test.edits, after)
		if r, ok := errors.AsType[*perturb.Refusal](err); ok && r.Reason == test.refused {
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q, refusal %q", test.name, got, err, test.want, test.refused)
		}
	}
}

// TestRewriteGoldKinds checks that edits of two kinds are an error: nothing
// promises an order between them.
func TestRewriteGoldKinds(t *testing.T) {
	db := twoTables()
	edits := []perturb.Edit{rename("singer", "name", "x"), perturb.RewriteSQL{Query: "SELECT 1"}}
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	for _, edits := range [][]perturb.Edit{edits, {perturb.RewriteSQL{Query: "SELECT 1"}, perturb.RewriteSQL{Query: "SELECT 2"}}} {
		_, err = perturb.RewriteGold(example(t, db, "SELECT name FROM singer"), edits, after)
		if _, ok := errors.AsType[*perturb.Refusal](err); err == nil || ok {
			t.Errorf("%+v: error %v, want one that is no refusal", edits, err)
		}
	}
}

// TestRewriteGoldMigration renames tables and columns of a schema that is restructured besides: names that come free are
// given anew.
func TestRewriteGoldMigration(t *testing.T) {
	db := twoTables()
	edits := []perturb.Edit{
		perturb.DropColumn{Table: "singer", Column: "age"}, rename("singer", "name", "age"), add("singer", "name"), add("singer", "title"), renameTable("song", "track"),
	}
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"SELECT name FROM singer":   "SELECT age FROM singer",
		"SELECT id FROM singer":     "SELECT id FROM singer",
		"SELECT title FROM song":    "SELECT title FROM track",
		"SELECT count(*) FROM song": "SELECT count(*) FROM track",
		"SELECT name, title FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id": "SELECT age, T2.title FROM singer AS T1 JOIN track AS T2 ON T1.id = T2.singer_id",
		"SELECT age FROM singer": "uses-dropped",
		"SELECT * FROM singer":   "star-shows-other-columns",
		"SELECT * FROM song":     "SELECT * FROM track",
	} {
		got, err := perturb.RewriteGold(example(t, db, query), edits, after)
		if r, ok := errors.AsType[*perturb.Refusal](err); ok {
			got, err = string(r.Reason), nil
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", query, got, err, want)
		}
	}
}

func TestLiterals(t *testing.T) {
	db := twoTables()
	literal := func(table, column string, v sqldata.Value, group int) generate.Literal {
		return generate.Literal{Table: table, Column: column, Value: v, Group: group}
	}
	text, num := sqldata.NewText, sqldata.NewInt
	for _, test := range []struct {
		where string
		want  []generate.Literal
	}{
		{`name = "Ann"`, []generate.Literal{literal("singer", "name", text("Ann"), 1)}},
		{`'Ann' != name`, []generate.Literal{literal("singer", "name", text("Ann"), 1)}},
		{`age >= 3 AND T1.age < 2.5`, []generate.Literal{literal("singer", "age", num(3), 1), literal("singer", "age", sqldata.NewFloat(2.5), 1)}},
		{`name LIKE '%an%'`, []generate.Literal{literal("singer", "name", text("an"), 1)}},
		{`age BETWEEN 1 AND 5`, []generate.Literal{literal("singer", "age", num(1), 1), literal("singer", "age", num(5), 1)}},
		{`name IN ('a', "b")`, []generate.Literal{literal("singer", "name", text("a"), 1), literal("singer", "name", text("b"), 1)}},
		{`id IN (SELECT singer_id FROM song WHERE title = 'x')`, []generate.Literal{literal("song", "title", text("x"), 1)}},
		{`name = age`, nil},
		{`name IS NULL`, nil},
		{`age + 1 = 3`, nil},
	} {
		examples := []*perturb.Example{example(t, db, "SELECT name FROM singer"), example(t, db, "SELECT name FROM singer AS T1 WHERE "+test.where)}
		if diff := cmp.Diff(test.want, perturb.Literals(examples), cmp.Comparer(func(x, y sqldata.Value) bool { return x == y })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.where, diff)
		}
	}
}
