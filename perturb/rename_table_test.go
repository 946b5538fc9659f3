package perturb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

func renameTable(table, name string) perturb.Edit {
	return perturb.RenameTable{Table: table, Name: name, Natural: strings.ReplaceAll(name, "_", " ")}
}

func TestTakeTable(t *testing.T) {
	db := &dataset.Database{Tables: []dataset.Table{
		{Name: "singer in concert", Original: "Singer_In_Concert", Columns: []dataset.Column{{Name: "home town", Original: "homeTown"}}},
		{Name: "stadium", Original: "STADIA", Columns: []dataset.Column{{Name: "id", Original: "id"}}},
	}}
	names := perturb.NewFreeNames(db)
	for _, step := range []struct{ natural, want string }{
		{"stadium", ""},           // the natural name counts
		{"stadia", ""},            // and the SQL name
		{"singer-in concert", ""}, // whatever separates its words
		{"sports arena", "Sports_Arena"},
		{"sports arena", ""},
		{"home town", "Home_Town"}, // columns have names of their own
		{"order", "Order_"},
		{"sqlite stat", ""}, // SQLite keeps it for itself
		{"", ""},
		{"名前", ""},
	} {
		got, ok := names.TakeTable(step.natural)
		if got != step.want || ok != (step.want != "") {
			t.Errorf("TakeTable(%q) = %q, %t, want %q", step.natural, got, ok, step.want)
		}
	}
	if name, ok := names.Take(0, "sports arena"); !ok || name != "sportsArena" {
		t.Errorf("a column's name after the table's: %q, %t, want sportsArena", name, ok)
	}
}

// TestTakeTableStyle has one table of a single word: columns tell the separator.
func TestTakeTableStyle(t *testing.T) {
	for _, test := range []struct{ table, column, want string }{
		{"singer", "home town", "big_singer"},
		{"Singer", "home_town", "Big_Singer"},
		{"singer", "homeTown", "bigSinger"},
		{"SINGER", "home_town", "BIG_SINGER"},
	} {
		db := &dataset.Database{Tables: []dataset.Table{{Name: "singer", Original: test.table, Columns: []dataset.Column{{Name: "home town", Original: test.column}}}}}
		if test.column == "home town" {
			db.Tables[0].Columns = nil
		}
		if name, ok := perturb.NewFreeNames(db).TakeTable("big singer"); !ok || name != test.want {
			t.Errorf("%s with %s: %q, %t, want %s", test.table, test.column, name, ok, test.want)
		}
	}
}

func TestRenameTableSchema(t *testing.T) {
	db := twoTables()
	after, err := perturb.ApplySchema(db, []perturb.Edit{renameTable("Singer", "big_artist"), rename("SINGER", "name", "title"), renameTable("song", "tune")})
	if err != nil {
		t.Fatal(err)
	}
	want := twoTables()
	want.ID, want.SQLite = after.ID, ""
	want.Tables[0].Original, want.Tables[0].Name = "big_artist", "big artist"
	want.Tables[0].Columns[1].Original, want.Tables[0].Columns[1].Name = "title", "title"
	want.Tables[1].Original, want.Tables[1].Name = "tune", "tune"
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		edits []perturb.Edit
		want  string
	}{
		{[]perturb.Edit{renameTable("nowhere", "x")}, "no table nowhere to rename"},
		{[]perturb.Edit{renameTable("singer", "SONG")}, "there is a table SONG already"},
		{[]perturb.Edit{renameTable("singer", "x"), renameTable("SINGER", "y")}, "table SINGER is renamed twice"},
		{[]perturb.Edit{renameTable("singer", "x"), renameTable("song", "X")}, "there is a table X already"},
		{[]perturb.Edit{renameTable("singer", "x"), rename("x", "name", "y")}, "no column x.name to rename"},
	} {
		if _, err := perturb.ApplySchema(twoTables(), test.edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.edits, err, test.want)
		}
	}
}

func TestRenameTableGold(t *testing.T) {
	artist := []perturb.Edit{renameTable("singer", "artist"), rename("singer", "name", "title")}
	for _, test := range []struct {
		name, query string
		edits       []perturb.Edit
		want        string // or, after "refused: ", the reason of the refusal
	}{
		{"table and column", "SELECT singer.name FROM singer", artist, "SELECT artist.title FROM artist"},
		{"alias", "SELECT T1.name FROM singer AS T1 WHERE T1.age > 3", artist, "SELECT T1.title FROM artist AS T1 WHERE T1.age > 3"},
		{"star", "SELECT singer.* FROM singer", artist, "SELECT artist.* FROM artist"},
		{"count", "SELECT count(*) FROM singer", artist, "SELECT count(*) FROM artist"},
		{"string of the old name", "SELECT name FROM singer WHERE name = 'singer'", artist, "SELECT title FROM artist WHERE title = 'singer'"},
		{"into ambiguity", "SELECT title FROM singer JOIN song ON id = singer_id", artist, "SELECT song.title FROM artist JOIN song ON id = singer_id"},
		{"another table", "SELECT title FROM song", artist, "SELECT title FROM song"},
		{
			"one alias for two tables, columns as they were", "SELECT T1.id FROM singer AS T1 INTERSECT SELECT T1.singer_id FROM song AS T1", artist[:1],
			"SELECT T1.id FROM artist AS T1 INTERSECT SELECT T1.singer_id FROM song AS T1",
		},
		{
			"alias of a table", "SELECT artist.title FROM song AS artist JOIN singer ON artist.singer_id = singer.id", artist,
			"refused: the new name of a table is an alias of the query, which Spider's official parser does not take",
		},
		{
			"alias of a result, in a query without the table", "SELECT count(*) AS Artist FROM song", artist,
			"refused: the new name of a table is an alias of the query, which Spider's official parser does not take",
		},
	} {
		db := twoTables()
		after, err := perturb.ApplySchema(db, test.edits)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		ex := example(t, db, test.query)
		got, err := perturb.RewriteGold(ex, test.edits, after)
		if r, ok := errors.AsType[*perturb.Refusal](err); ok {
			got, err = "refused: "+r.Error(), nil
		}
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
		if strings.HasPrefix(test.want, "refused") {
			continue
		}
		if same, ok, err := verify.SameButNames(ex, got, test.edits, after); err != nil || !same || !ok {
			t.Errorf("%s: %q is the same %v, decided %v, %v, want that it is", test.name, got, same, ok, err)
		}
	}
}

// TestRenameTableOtherQuery has rewritten gold SQL that asks for something else,
// with names that look right.
func TestRenameTableOtherQuery(t *testing.T) {
	db := twoTables()
	edits := []perturb.Edit{renameTable("singer", "artist"), renameTable("song", "tune"), rename("song", "title", "name")}
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ query, after string }{
		{"SELECT count(*) FROM singer", "SELECT count(*) FROM tune"},
		{"SELECT singer.name FROM singer JOIN song", "SELECT tune.name FROM artist JOIN tune"},
		{"SELECT song.* FROM singer JOIN song", "SELECT artist.* FROM artist JOIN tune"},
		{"SELECT a.id FROM singer AS a JOIN singer AS b", "SELECT b.id FROM artist AS a JOIN artist AS b"},
	} {
		if same, ok, err := verify.SameButNames(example(t, db, test.query), test.after, edits, after); err != nil || same || !ok {
			t.Errorf("%s and %s: same %v, decided %v, %v, want that they differ", test.query, test.after, same, ok, err)
		}
	}
	if _, _, err := verify.SameButNames(example(t, db, "SELECT name FROM singer"), "SELECT name FROM singer", edits, after); err == nil {
		t.Error("a query of the old name: no error")
	}
}

// TestRenameTableInverse renames every table and column of the sample and back:
// each step keeps all answers and the trees but for names, and both together keep
// schema and gold SQL.
func TestRenameTableInverse(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		names := perturb.NewFreeNames(u.DB)
		renamed := map[string]string{}
		var edits, inverse []perturb.Edit
		for _, table := range u.DB.Tables {
			natural := "new " + table.Name
			name, ok := names.TakeTable(natural)
			if !ok {
				t.Fatalf("%s: %s is not to be had", u.DB.ID, natural)
			}
			renamed[table.Original] = name
			edits = append(edits, perturb.RenameTable{Table: table.Original, Name: name, Natural: natural})
			inverse = append(inverse, perturb.RenameTable{Table: name, Name: table.Original, Natural: table.Name})
		}
		columns, columnsBack := renameAll(u.DB)
		for i, e := range columnsBack {
			r := e.(perturb.RenameColumn)
			r.Table = renamed[r.Table]
			edits, inverse = append(edits, columns[i]), append(inverse, r)
		}
		there := apply(t, u, edits)
		back := apply(t, there, inverse)
		schema := back.DB.Clone()
		schema.ID, schema.SQLite = u.DB.ID, u.DB.SQLite
		if diff := cmp.Diff(u.DB, schema); diff != "" {
			t.Errorf("%s: schema (-before +after):\n%s", u.DB.ID, diff)
		}
		kept := map[int]*perturb.Example{}
		for _, ex := range perturbtest.Examples(t, u) {
			kept[ex.Index] = ex
		}
		for i, post := range there.Examples {
			ex := kept[post.Index]
			if got, want := back.Examples[i].Query, strings.ReplaceAll(ex.Gold.String(), "`", `"`); got != want {
				t.Errorf("%s:%d: gold SQL\n%s, want\n%s", u.DB.ID, ex.Index, got, want)
			}
			if same, decided, err := verify.SameButNames(ex, post.Query, edits, there.DB); err != nil || decided && !same {
				t.Errorf("%s:%d: %s is not %s but for names: %v", u.DB.ID, ex.Index, post.Query, ex.Query, err)
			}
			before := perturbtest.Query(t, u.DB.SQLite, ex.Query)
			for _, step := range []*dataset.Unit{there, back} {
				if !perturb.Holds(ex.Gold, before, perturbtest.Query(t, step.DB.SQLite, step.Examples[i].Query)) {
					t.Errorf("%s:%d: the answer changed: %s", step.DB.ID, ex.Index, step.Examples[i].Query)
				}
			}
		}
	}
}
