package verify

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

func twoTables() *dataset.Database {
	columns := func(names ...string) (list []dataset.Column) {
		for _, n := range names {
			list = append(list, dataset.Column{Name: strings.ReplaceAll(n, "_", " "), Original: n, Type: dataset.Text})
		}
		return list
	}
	return &dataset.Database{ID: "music", Tables: []dataset.Table{
		{Name: "singer", Original: "singer", Columns: columns("id", "name", "age")},
		{Name: "song", Original: "song", Columns: columns("song_id", "singer_id", "title")},
	}}
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

func second[T any](_ T, err error) error { return err }

func TestApply(t *testing.T) {
	db := twoTables()
	shown, kept := example(t, db, "SELECT * FROM singer"), example(t, db, "SELECT name FROM singer")
	kept.Index = 1
	edits := []perturb.Edit{add("singer", "x")}
	after, err := Schema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	if refusal, ok := errors.AsType[*perturb.Refusal](second(Apply(shown, edits, db, after))); !ok || refusal.Reason != "star-shows-added-column" {
		t.Errorf("a star: %v, want a refusal", refusal)
	}
	got, err := Apply(kept, edits, db, after)
	want := &dataset.Example{Index: 1, DB: after.ID, Query: "SELECT name FROM singer"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if kept.DB != db.ID {
		t.Error("the original example changed")
	}
}

func TestSameButNames(t *testing.T) {
	db := twoTables()
	renamed := []perturb.Edit{rename("singer", "name", "full_name")}
	added := []perturb.Edit{add("song", "name")}
	for _, test := range []struct {
		name, query, after string
		edits              []perturb.Edit
		same, ok           bool
	}{
		{"renamed", "SELECT name FROM singer WHERE age > 3", "SELECT full_name FROM singer WHERE age > 3", renamed, true, true},
		{"renamed, qualified and quoted", "SELECT name FROM singer", `SELECT singer."full_name" FROM singer`, renamed, true, true},
		{"another column", "SELECT name FROM singer", "SELECT age FROM singer", renamed, false, true},
		{"another constant", "SELECT name FROM singer WHERE age > 3", "SELECT full_name FROM singer WHERE age > 4", renamed, false, true},
		{"another source", "SELECT T1.name FROM singer AS T1 JOIN singer AS T2 ON T1.id = T2.age", "SELECT T2.full_name FROM singer AS T1 JOIN singer AS T2 ON T1.id = T2.age", renamed, false, true},
		{"another direction", "SELECT name FROM singer ORDER BY age", "SELECT full_name FROM singer ORDER BY age DESC", renamed, false, true},
		{"qualified", "SELECT name FROM singer JOIN song ON id = singer_id", "SELECT singer.name FROM singer JOIN song ON singer.id = song.singer_id", added, true, true},
		{"captured", "SELECT name FROM singer JOIN song ON id = singer_id", "SELECT song.name FROM singer JOIN song ON id = singer_id", added, false, true},
		{"quotes of a string", `SELECT age FROM singer WHERE name = "x"`, `SELECT age FROM singer WHERE full_name = 'x'`, renamed, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, err := perturb.ApplySchema(db, test.edits)
			if err != nil {
				t.Fatal(err)
			}
			same, ok, err := SameButNames(example(t, db, test.query), test.after, test.edits, after)
			if err != nil || same != test.same || ok != test.ok {
				t.Errorf("same %v, ok %v, error %v; want %v, %v", same, ok, err, test.same, test.ok)
			}
		})
	}
	after, err := perturb.ApplySchema(db, renamed)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"SELECT", "SELECT name FROM singer"} {
		if _, _, err := SameButNames(example(t, db, "SELECT name FROM singer"), query, renamed, after); err == nil {
			t.Errorf("%q after the renaming: no error", query)
		}
	}
}

func TestRenamesUsed(t *testing.T) {
	edits := []perturb.Edit{rename("Singer", "Age", "years")}
	for query, want := range map[string]bool{
		"SELECT name FROM singer": false, "SELECT name FROM singer ORDER BY age": true, "SELECT * FROM singer": true, "SELECT count(*) FROM singer": false,
		"SELECT 'age' FROM singer": false, "SELECT * FROM song": false,
	} {
		if got := renamesUsed(example(t, twoTables(), query), edits); got != want {
			t.Errorf("%s: %v", query, got)
		}
	}
}
