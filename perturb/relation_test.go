package perturb_test

import (
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

func TestConclusive(t *testing.T) {
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
		if got := perturb.Conclusive(&sqldata.Result{Rows: test.rows}); got != test.want {
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
		{perturb.Invariant, table, false}, {perturb.Invariant, dropped, true}, {perturb.Renamed, dropped, true}, {perturb.Recoded, dropped, false},
	} {
		if err := test.relation.Allows(test.edits); (err == nil) != test.ok {
			t.Errorf("%s with %T: %v", test.relation, test.edits[0], err)
		}
	}
}
