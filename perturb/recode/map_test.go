package recode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// recodings are edits with their JSON, in which integers, reals, text and NULL
// stay apart.
var recodings = []struct {
	edit perturb.RecodeColumn
	json string
}{
	{
		perturb.RecodeColumn{
			Recoding: recode.Recoding{
				Table: "student", Column: "sex", Category: recode.TextToBoolean,
				Into: []recode.Column{{Name: "is_female", Natural: "is female", Type: dataset.Boolean}},
				Map:  cells([]any{"F", 1}, []any{"M", 0}),
			},
			From: dataset.Candidate{Name: "is female", Source: "content"},
		},
		`[{"edit":"recode-column","table":"student","column":"sex","category":"text to boolean",` +
			`"into":[{"name":"is_female","natural":"is female","type":"boolean"}],` +
			`"map":{"cells":[["F",[1]],["M",[0]]]},` +
			`"from":{"name":"is female","source":"content","similarity":0,"forward":0,"backward":0}}]`,
	},
	{
		recoding("student", "age", recode.NumberToNumber, linear(-1, 2018, 10, 2), "birth number"),
		`[{"edit":"recode-column","table":"student","column":"age","category":"number to number",` +
			`"into":[{"name":"birth","natural":"birth","type":"number"}],` +
			`"map":{"linear":{"scale":-1,"offset":2018,"over":10,"digits":2}},` +
			`"from":{"name":"","source":"","similarity":0,"forward":0,"backward":0}}]`,
	},
	{
		recoding("student", "height", recode.TextToTexts, cells([]any{-3, "-3", 0.5}, []any{2.0, "", 1e300}, []any{"2", "\"", 7}), "a text", "b number"),
		`[{"edit":"recode-column","table":"student","column":"height","category":"text to texts",` +
			`"into":[{"name":"a","natural":"a","type":"text"},{"name":"b","natural":"b","type":"number"}],` +
			`"map":{"cells":[[-3,["-3",0.5]],[2.0,["",1e+300]],["2",["\"",7]]]},` +
			`"from":{"name":"","source":"","similarity":0,"forward":0,"backward":0}}]`,
	},
}

func TestRecodeJSON(t *testing.T) {
	for _, test := range recodings {
		data, err := perturb.MarshalEdits(e(test.edit))
		if err != nil || string(data) != test.json {
			t.Errorf("MarshalEdits = %s, %v, want %s", data, err, test.json)
		}
		edits, err := perturb.UnmarshalEdits([]byte(test.json))
		if err != nil {
			t.Fatalf("%s: %v", test.json, err)
		}
		if diff := cmp.Diff(e(test.edit), edits); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.json, diff)
		}
		for i, c := range edits[0].(perturb.RecodeColumn).Map.Cells {
			if want := test.edit.Map.Cells[i].Old; c.Old != want {
				t.Errorf("%s: value %v of kind %d, want kind %d", test.json, c.Old, c.Old.Kind(), want.Kind())
			}
		}
	}
}

func TestRecodeJSONErrors(t *testing.T) {
	for _, test := range []struct{ cell, want string }{
		{`1`, "expected [old, [new, …]]"},
		{`["a"]`, "expected [old, [new, …]]"},
		{`["a", "b"]`, "expected [old, [new, …]]"},
		{`["a", ["b"], 3]`, "expected [old, [new, …]]"},
		{`[{}, ["b"]]`, "expected a number, a string or null"},
		{`["a", [true]]`, "expected a number, a string or null"},
		{`["a", [1e999]]`, "expected a number, a string or null"},
		{`["a", [99999999999999999999]]`, "expected a number, a string or null"},
	} {
		_, err := perturb.UnmarshalEdits([]byte(`[{"edit":"recode-column","map":{"cells":[` + test.cell + `]}}]`))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.cell, err, test.want)
		}
	}
}

// TestLinear checks that numbers are mapped by their decimal digits.
func TestLinear(t *testing.T) {
	for _, test := range []struct {
		m        recode.Map
		old, new any // new nil for an error
	}{
		{linear(-1, 2018, 0, 0), 20, 1998},
		{linear(100, 0, 0, 0), 1.15, 115},
		{linear(1000, 0, 0, 0), 8.04, 8040},
		{linear(12, 0, 0, 0), 78.4, 940.8},
		{linear(1, 0, 1000, 0), 476090, 476.09},
		{linear(1, 0, 100, 0), 76.7, 0.767},
		{linear(1, -1900, 0, 4), "1970", 70},
		{linear(1, -1900, 0, 4), "970", nil},
		{linear(1, -1900, 0, 4), "+970", nil},
		{linear(1, -1900, 0, 4), 1970, nil},
		{linear(1, 0, 0, 0), "1970", nil},
		{linear(1, 0, 0, 0), 1e300, 1e300},
		{linear(1000, 0, 0, 0), 1e306, nil}, // beyond what a real holds
	} {
		got, err := test.m.Apply(value(test.old), 1)
		if test.new == nil {
			if err == nil {
				t.Errorf("%+v of %v: %v, want an error", test.m.Linear, test.old, got)
			}
			continue
		}
		if err != nil || got[0] != value(test.new) {
			t.Errorf("%+v of %v: %v, %v, want %v", test.m.Linear, test.old, got, err, test.new)
		}
	}
	if got, err := linear(2, 1, 0, 0).Apply(sqldata.Value{}, 1); err != nil || !got[0].IsNull() {
		t.Errorf("NULL becomes %v, %v", got, err)
	}
}

// FuzzRecodeColumn checks that what reads as a recoding is written and read back
// the same, and that nothing panics on it, fitting or not.
func FuzzRecodeColumn(f *testing.F) {
	for _, r := range recodings {
		f.Add(r.json)
	}
	f.Add(`[{"edit":"recode-column","table":"student","column":"sex","category":"text to boolean","into":[{"name":"a","type":"number"}],"map":{"cells":[["F",[]]],"linear":{"scale":0}}}]`)
	f.Add(`[{"edit":"recode-column","map":{"cells":[]}}]`)
	f.Add(`[{"edit":"recode-column","table":"student","column":"age","category":"number to number","into":[{"name":"a","type":"number"}],"map":{"linear":{"scale":1,"over":-9223372036854775808}}}]`)
	db := school()
	var examples []*perturb.Example
	for _, query := range []string{
		"SELECT avg(age), sex FROM student WHERE age > 20 GROUP BY sex ORDER BY sex", "SELECT name FROM student WHERE name = 'x' OR sex != 'F'",
		"SELECT min(age), name FROM student WHERE sex > (SELECT avg(age) FROM student) AND name LIKE '%x' AND age BETWEEN height AND 3 UNION SELECT years, called FROM pet",
	} {
		ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Query: query})
		if err != nil {
			f.Fatal(err)
		}
		examples = append(examples, ex)
	}
	before := &sqldata.Result{Columns: []string{"a", "b"}, Rows: [][]sqldata.Value{{sqldata.NewFloat(1e300), sqldata.NewText("F")}}}
	f.Fuzz(func(t *testing.T, data string) {
		edits, err := perturb.UnmarshalEdits([]byte(data))
		if err != nil {
			return
		}
		written, err := perturb.MarshalEdits(edits)
		if err != nil {
			t.Fatalf("%s cannot be written: %v", data, err)
		}
		again, err := perturb.UnmarshalEdits(written)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(edits, again); diff != "" {
			t.Errorf("%s (-first +second reading):\n%s", data, diff)
		}
		after, err := perturb.ApplySchema(db, edits)
		if err != nil {
			after = db
		}
		for _, ex := range examples {
			_, _ = perturb.RewriteGold(ex, edits, after)
			_, _ = perturb.Expected(ex, edits, before)
		}
	})
}
