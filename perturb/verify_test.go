package perturb_test

import (
	"testing"

	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

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
			same, ok, err := perturb.SameButNames(example(t, db, test.query), test.after, test.edits, after)
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
		if _, _, err := perturb.SameButNames(example(t, db, "SELECT name FROM singer"), query, renamed, after); err == nil {
			t.Errorf("%q after the renaming: no error", query)
		}
	}
}

func TestBites(t *testing.T) {
	row := func(values ...sqldata.Value) [][]sqldata.Value { return [][]sqldata.Value{values} }
	for _, test := range []struct {
		name string
		rows [][]sqldata.Value
		want bool
	}{
		{"no rows", nil, false},
		{"NULL and 0", row(sqldata.Value{}, sqldata.NewInt(0)), false},
		{"a count", row(sqldata.NewInt(3)), true},
		{"a text", row(sqldata.Value{}, sqldata.NewText("")), true},
	} {
		if got := perturb.Bites(&sqldata.Result{Rows: test.rows}); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAllows(t *testing.T) {
	renamed, added := []perturb.Edit{rename("singer", "name", "x")}, []perturb.Edit{add("singer", "x")}
	table, dropped := []perturb.Edit{renameTable("singer", "x")}, []perturb.Edit{perturb.DropColumn{Table: "singer", Column: "age"}}
	for _, test := range []struct {
		relation perturb.Relation
		edits    []perturb.Edit
		ok       bool
	}{
		{perturb.Renamed, renamed, true}, {perturb.Invariant, added, true}, {perturb.Renamed, added, true}, {perturb.Invariant, renamed, true},
		{perturb.Invariant, table, false}, {perturb.Invariant, dropped, true}, {perturb.Renamed, dropped, false},
	} {
		if err := test.relation.Allows(test.edits); (err == nil) != test.ok {
			t.Errorf("%s with %T: %v", test.relation, test.edits[0], err)
		}
	}
}
