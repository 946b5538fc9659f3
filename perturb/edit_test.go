package perturb_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// editLists are lists of edits with their JSON.
var editLists = []struct {
	edits []perturb.Edit
	json  string
}{
	{[]perturb.Edit{}, `[]`},
	{
		[]perturb.Edit{perturb.RenameColumn{
			Table: "person", Column: "Home_Town", Name: "Place", Natural: "place",
			From: dataset.Candidate{Name: "place", Source: "dictionary", Evidence: "town", Similarity: 0.5, Forward: 0.9, Backward: 0.25},
		}},
		`[{"edit":"rename-column","table":"person","column":"Home_Town","name":"Place","natural":"place",` +
			`"from":{"name":"place","source":"dictionary","evidence":"town","similarity":0.5,"forward":0.9,"backward":0.25}}]`,
	},
	{
		[]perturb.Edit{
			perturb.AddColumn{Table: "a\"b", Beside: "c", Name: "d", Natural: "d", Type: dataset.Number, Cells: []string{"1", "2.5"}},
			perturb.RenameColumn{Table: "é", Column: "ß", Name: "x"},
		},
		`[{"edit":"add-column","table":"a\"b","beside":"c","name":"d","natural":"d","type":"number","cells":["1","2.5"],` +
			`"from":{"name":"","source":"","similarity":0,"forward":0,"backward":0}},` +
			`{"edit":"rename-column","table":"é","column":"ß","name":"x","natural":"","from":{"name":"","source":"","similarity":0,"forward":0,"backward":0}}]`,
	},
	{
		[]perturb.Edit{
			perturb.RenameTable{Table: "singer", Name: "vocalist", Natural: "vocalist"},
			perturb.Relabel{Table: "song", Column: "title", Natural: "song name"},
			perturb.Relabel{Table: "song", Natural: "track"},
		},
		`[{"edit":"rename-table","table":"singer","name":"vocalist","natural":"vocalist",` + zero + `},` +
			`{"edit":"relabel","table":"song","column":"title","natural":"song name",` + zero + `},` +
			`{"edit":"relabel","table":"song","natural":"track",` + zero + `}]`,
	},
	{
		[]perturb.Edit{
			perturb.ReplaceSpan{Start: 3, End: 5, Was: "10", With: "ten"},
			perturb.SetQuestion{Question: "Who sings?"},
			perturb.RewriteSQL{Query: "SELECT 1", Was: "2", Now: "1"},
		},
		`[{"edit":"replace-span","start":3,"end":5,"was":"10","with":"ten",` + zero + `},` +
			`{"edit":"set-question","question":"Who sings?",` + zero + `},` +
			`{"edit":"rewrite-sql","query":"SELECT 1","was":"2","now":"1"}]`,
	},
	{
		[]perturb.Edit{shuffleDog, shuffleAll, splitName, dropWeight, mergeOwner, hidePrimary, hideForeign},
		`[{"edit":"shuffle-columns","table":"dog","order":["weight","id","NAME","owner_id"]},` +
			`{"edit":"shuffle-tables","order":["visit","owner","Dog","address"]},` +
			`{"edit":"split-table","table":"dog","column":"name","new_table":"dog_name","natural":"dog name","key":"name_id","key_natural":"name id"},` +
			`{"edit":"drop-column","table":"Dog","column":"Weight"},` +
			`{"edit":"merge-tables","table":"dog","column":"owner_id","reference":"owner","target":"owner_id","columns":[` +
			`{"column":"name","name":"owner_name","natural":"owner name"},{"column":"address_id","name":"address_id","natural":"address id"}]},` +
			`{"edit":"drop-primary-key","table":"Owner"},` +
			`{"edit":"drop-foreign-key","table":"dog","column":"owner_id","reference":"owner","target":"owner_id"}]`,
	},
}

// zero is the JSON of a candidate that says nothing.
const zero = `"from":{"name":"","source":"","similarity":0,"forward":0,"backward":0}`

func TestEditsJSON(t *testing.T) {
	for _, test := range editLists {
		data, err := perturb.MarshalEdits(test.edits)
		if err != nil || string(data) != test.json {
			t.Errorf("MarshalEdits(%+v) = %s, %v, want %s", test.edits, data, err, test.json)
		}
		edits, err := perturb.UnmarshalEdits([]byte(test.json))
		if err != nil {
			t.Errorf("%s: %v", test.json, err)
		}
		if diff := cmp.Diff(test.edits, edits); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.json, diff)
		}
	}
}

func TestUnmarshalEditsErrors(t *testing.T) {
	for _, test := range []struct{ json, want string }{
		{``, "edits: unexpected end"},
		{`{}`, "edits: "},
		{`[1]`, "edit 0: "},
		{`[{"edit":"rename-column"},{"edit":"drop-view"}]`, `edit 1: "edit" is "drop-view", expected one of "add-column"`},
		{`[{"table":"t"}]`, `edit 0: "edit" is "", expected`},
		{`[{"edit":"add-column","cells":"x"}]`, "edit 0: "},
		{`[null]`, "edit 0: "},
	} {
		if _, err := perturb.UnmarshalEdits([]byte(test.json)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.json, err, test.want)
		}
	}
}

// FuzzUnmarshalEdits checks that what reads as edits is written and read back
// the same, and that nothing panics on it.
func FuzzUnmarshalEdits(f *testing.F) {
	for _, test := range editLists {
		f.Add([]byte(test.json))
	}
	f.Add([]byte(`[{"edit":"add-column","cells":null,"type":"no type"}]`))
	f.Add([]byte(`[{"edit":"rename-column","from":{"similarity":1e308}},{"edit":7}]`))
	f.Add([]byte(`[{"edit":"merge-tables"},{"edit":"split-table","table":"singer","column":"age","new_table":"age","natural":"age","key":"k","key_natural":"k"}]`))
	db := twoTables()
	f.Fuzz(func(t *testing.T, data []byte) {
		edits, err := perturb.UnmarshalEdits(data)
		if err != nil {
			return
		}
		written, err := perturb.MarshalEdits(edits)
		if err != nil || !json.Valid(written) {
			t.Fatalf("%s is written %s, %v", data, written, err)
		}
		again, err := perturb.UnmarshalEdits(written)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(edits, again); diff != "" {
			t.Errorf("%s (-first +second reading):\n%s", data, diff)
		}
		if after, err := perturb.ApplySchema(db, edits); err == nil && (after.ID == db.ID) == slices.ContainsFunc(edits, perturb.Edit.ChangesSchema) {
			t.Errorf("%s: the variant of the edits has the id %s", data, after.ID)
		}
		_, _ = perturb.ApplyQuestion("Show the name of all singers.", edits)
	})
}

func TestLowestScores(t *testing.T) {
	edits := []perturb.Edit{
		perturb.RenameColumn{From: dataset.Candidate{Similarity: 0.5, Forward: 0.9, Backward: 0.8}},
		perturb.AddColumn{From: dataset.Candidate{Similarity: -0.25, Forward: 0.95, Backward: 0.7}},
	}
	if s, f, b := perturb.LowestScores(edits); s != -0.25 || f != 0.9 || b != 0.7 {
		t.Errorf("LowestScores = %v, %v, %v, want -0.25, 0.9, 0.7", s, f, b)
	}
}

func TestTouches(t *testing.T) {
	for _, test := range []struct {
		edit          perturb.Edit
		table, column string
	}{
		{perturb.RenameColumn{Table: "t", Column: "c"}, "t", "c"},
		{perturb.Relabel{Table: "t", Column: "c"}, "t", "c"},
		{perturb.RecodeColumn{Recoding: recode.Recoding{Table: "t", Column: "c"}}, "t", "c"},
		{perturb.AddColumn{Table: "t", Name: "new", Beside: "c"}, "t", "c"},
		{dropWeight, "Dog", "Weight"},
		{splitName, "dog", "name"},
		{hideForeign, "", ""},
		{perturb.RenameTable{Table: "t"}, "t", ""},
		{perturb.SetQuestion{}, "", ""},
	} {
		if table, column := test.edit.Touches(); table != test.table || column != test.column {
			t.Errorf("Touches(%#v) = %q, %q, want %q, %q", test.edit, table, column, test.table, test.column)
		}
	}
}
