package recode_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

func TestRecodeSchema(t *testing.T) {
	db := school()
	db.Tables[0].Columns[0].Samples = []string{"Bob Lee", "Ann Lee"}
	db.Tables[0].Columns[3].Samples = []string{"20", "31"}
	after, err := perturb.ApplySchema(db, e(split, birth, called))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range after.Tables {
		for _, c := range table.Columns {
			got = append(got, c.Original+" "+string(c.Type)+" "+strings.Join(c.Samples, ","))
		}
	}
	want := []string{"id number ", "sex text ", "since text ", "degree text ", "height number ", "fname text Ann,Bob", "lname text Lee", "birth number 1998,1987",
		"id number ", "owner number ", "years number ", "kind text ", "call_first text ", "call_last text "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	keys := []string{after.ColumnID(after.PrimaryKeys[0]).String(), after.ColumnID(after.ForeignKeys[0].Column).String(), after.ColumnID(after.ForeignKeys[0].Target).String()}
	if diff := cmp.Diff([]string{after.ID + ".student.id", after.ID + ".pet.owner", after.ID + ".student.id"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(school().PrimaryKeys, db.PrimaryKeys); diff != "" || db.Tables[0].Columns[0].Original != "name" {
		t.Errorf("the schema before changed: %s", diff)
	}
}

func TestRecodeSchemaErrors(t *testing.T) {
	for _, test := range []struct {
		edits []perturb.Edit
		want  string
	}{
		{e(recoding("student", "id", recode.NumberToNumber, linear(2, 0, 0, 0), "n number")), "part of a key"},
		{e(recoding("pet", "owner", recode.NumberToNumber, linear(2, 0, 0, 0), "n number")), "part of a key"},
		{e(recoding("student", "none", recode.NumberToNumber, linear(2, 0, 0, 0), "n number")), "no column student.none"},
		{e(birth, months), "edited twice"},
		{append(e(birth), perturb.RenameColumn{Table: "student", Column: "age", Name: "x"}), "renamed twice"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(2, 0, 0, 0), "Height number")), "has a column Height already"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(2, 0, 0, 0), "AGE number")), "has a column AGE already"},
		{e(birth, recoding("student", "height", recode.NumberToNumber, linear(2, 0, 0, 0), "birth number")), "has a column birth already"},
		{e(recoding("student", "age", "number to text", linear(2, 0, 0, 0), "n number")), "category"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(2, 0, 0, 0))), "0 columns"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(2, 0, 0, 0), "")), "no name"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(0, 0, 0, 0), "n number")), "linear map 0*x"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(1, 0, 12, 0), "n number")), "power of ten"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(1, 0, -10, 0), "n number")), "power of ten"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(1, 0, 0, 10), "n number")), "digits"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(1, -1<<63, 0, 0), "n number")), "linear map"},
		{e(recoding("student", "age", recode.NumberToNumber, linear(2, 0, 0, 0), "n text")), "not one column of numbers"},
		{e(recoding("student", "age", recode.NumberToNumber, recode.Map{}, "n number")), "expected a map of cells or a linear one"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", 1}, []any{"M", 1}), "n boolean")), "become the same"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"M", 1}, []any{"F", 0}), "n boolean")), "in order"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", 1}, []any{"F", 0}), "n boolean")), "distinct"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", "x"}), "n boolean")), "of type boolean"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", nil}), "n text")), "of type text"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{nil, "x"}), "n text")), "NULL is among the cells"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", 1, 2}), "n boolean")), "becomes 2 values"},
		{e(recoding("student", "sex", recode.TextToBoolean, cells([]any{"\xff", 1}), "n boolean")), "no UTF-8"},
	} {
		if _, err := perturb.ApplySchema(school(), test.edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// TestRecodeContent checks the cells that the edits write, and their types.
func TestRecodeContent(t *testing.T) {
	src, dst := schoolFile(t), filepath.Join(t.TempDir(), "after.sqlite")
	if err := perturb.ApplyContent(t.Context(), src, dst, e(split, female, cm, ago, degrees)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range perturbtest.Query(t, dst, "SELECT * FROM student WHERE id IN (2, 4)").Rows {
		var line []string
		for _, v := range row {
			line = append(line, v.String())
		}
		got = append(got, strings.Join(line, "|"))
	}
	want := []string{"2|23|Ann|Moe|1|NULL|3|0|1|0", "4|31|Cy|O'Hara|0|175|-1|NULL|NULL|NULL"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	few := recoding("student", "sex", recode.TextToBoolean, cells([]any{"F", 1}), "is_female boolean")
	if err := perturb.ApplyContent(t.Context(), src, dst, e(few)); err == nil || !strings.Contains(err.Error(), "value M: outside the map of values") {
		t.Errorf("a value outside the map: error %v", err)
	}
}

func TestExpected(t *testing.T) {
	answer := func(rows ...[]any) *sqldata.Result {
		res := &sqldata.Result{Columns: make([]string, len(rows[0]))}
		for _, row := range rows {
			var cells []sqldata.Value
			for _, v := range row {
				cells = append(cells, value(v))
			}
			res.Rows = append(res.Rows, cells)
		}
		return res
	}
	for _, test := range []struct {
		name, query  string
		edits        []perturb.Edit
		before, want *sqldata.Result // want nil for an error
	}{
		{"widened in place", "SELECT id, name, sex FROM student", e(split, female), answer([]any{1, "Bob Lee", "F"}, []any{2, nil, nil}), answer([]any{1, "Bob", "Lee", 1}, []any{2, nil, nil, nil})},
		{"averages", "SELECT avg(age), count(age) FROM student", e(birth), answer([]any{20.5, 2}), answer([]any{1997.5, 2})},
		{"averages of text", "SELECT avg(since), max(since) FROM student", e(ago), answer([]any{2014.5, "2015"}), answer([]any{3.5, 3})},
		{"other edits", "SELECT id, name FROM student", []perturb.Edit{perturb.DropPrimaryKey{Table: "student"}}, answer([]any{1, "x"}), answer([]any{1, "x"})},
		{"outside the map", "SELECT sex FROM student", e(female), answer([]any{"x"}), nil},
		{"outside the digits", "SELECT since FROM student", e(ago), answer([]any{"999"}), nil},
		{"another width", "SELECT sex FROM student", e(female), answer([]any{"F", "F"}), nil},
		{"refused", "SELECT * FROM student", e(female), answer([]any{"F"}), nil},
		{"no numbers", "SELECT avg(sex) FROM student", e(female), answer([]any{1.0}), nil},
	} {
		got, err := perturb.Expected(example(t, school(), test.query), test.edits, test.before)
		if test.want == nil {
			if err == nil {
				t.Errorf("%s: no error", test.name)
			}
			continue
		}
		if err != nil || !sqldata.EqualList(test.want, got) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

func TestRecodeMixed(t *testing.T) {
	edits := append(e(birth), perturb.RenameColumn{Table: "student", Column: "sex", Name: "gender", Natural: "gender"})
	after, err := perturb.ApplySchema(school(), edits)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := perturb.RewriteGold(example(t, school(), "SELECT age FROM student"), edits, after); err == nil || !strings.Contains(err.Error(), "expected one of these") {
		t.Errorf("error %v", err)
	}
}
