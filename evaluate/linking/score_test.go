package linking

import (
	"encoding/json"
	"math"
	"testing"
)

func column(token int, table, name string) Link { return Link{token, table, name} }
func toTable(token int, name string) Link       { return Link{Token: token, Table: name} }

func TestCompare(t *testing.T) {
	gold := []Link{column(1, "singer", "Name"), column(2, "singer", "Age"), toTable(3, "singer")}
	for _, test := range []struct {
		name            string
		gold, predicted []Link
		columns, tables Counts
	}{
		{"the same", gold, gold, Counts{2, 2, 2}, Counts{1, 1, 1}},
		{"no prediction", gold, nil, Counts{2, 0, 0}, Counts{1, 0, 0}},
		{"no gold", nil, gold, Counts{0, 2, 0}, Counts{0, 1, 0}},
		{"another token", gold, []Link{column(0, "singer", "Name"), toTable(3, "singer")}, Counts{2, 1, 0}, Counts{1, 1, 1}},
		{"another table's column of that name", gold, []Link{column(1, "stadium", "Name")}, Counts{2, 1, 0}, Counts{1, 0, 0}},
		{"a column for a table", gold, []Link{column(3, "singer", "Singer")}, Counts{2, 1, 0}, Counts{1, 0, 0}},
		{"names without case", gold, []Link{column(1, "Singer", "NAME")}, Counts{2, 1, 1}, Counts{1, 0, 0}},
		{"one given twice", gold, []Link{toTable(3, "singer"), toTable(3, "SINGER")}, Counts{2, 0, 0}, Counts{1, 1, 1}},
		{"gold given twice", []Link{toTable(3, "a"), toTable(3, "A")}, []Link{toTable(3, "a")}, Counts{}, Counts{1, 1, 1}},
		{"a token with two links", []Link{toTable(3, "a"), column(3, "a", "b")}, []Link{toTable(3, "a")}, Counts{1, 0, 0}, Counts{1, 1, 1}},
	} {
		got := Compare(test.gold, test.predicted)
		if got.Columns != test.columns || got.Tables != test.tables {
			t.Errorf("%s: %v, want columns %v, tables %v", test.name, got, test.columns, test.tables)
		}
	}
}

// TestFigures has the definitions of appendix C.4 by hand: of 4 gold links 3 are
// among 5 predicted ones.
func TestFigures(t *testing.T) {
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	c := Counts{Gold: 4, Predicted: 5, Correct: 3}
	near("precision", c.Precision(), 3.0/5)
	near("recall", c.Recall(), 3.0/4)
	near("F1", c.F1(), 2*(3.0/5)*(3.0/4)/(3.0/5+3.0/4))
	near("F1 of nothing", Counts{}.F1(), 0)
	near("precision of nothing", Counts{Gold: 1}.Precision(), 0)
}

// TestTally checks that figures are micro-averaged: a question counts by its
// links.
func TestTally(t *testing.T) {
	var tally Tally
	tally.Add("b", Score{Columns: Counts{8, 8, 8}})
	tally.Add("a", Score{Columns: Counts{2, 2, 0}, Tables: Counts{1, 1, 1}})
	tally.Add("b", Score{Tables: Counts{1, 0, 0}})
	if tally.Columns != (Counts{10, 10, 8}) || tally.Tables != (Counts{2, 1, 1}) || tally.Questions != 3 {
		t.Errorf("tally %+v", tally)
	}
	data, err := json.Marshal(tally.Databases())
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"db_id":"a","questions":1,` +
		`"columns":{"precision":0,"recall":0,"f1":0,"gold":2,"predicted":2,"correct":0},"tables":{"precision":1,"recall":1,"f1":1,"gold":1,"predicted":1,"correct":1}},` +
		`{"db_id":"b","questions":2,` +
		`"columns":{"precision":1,"recall":1,"f1":1,"gold":8,"predicted":8,"correct":8},"tables":{"precision":0,"recall":0,"f1":0,"gold":1,"predicted":0,"correct":0}}]`
	if string(data) != want {
		t.Errorf("databases\n got %s\nwant %s", data, want)
	}
}
