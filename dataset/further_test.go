package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a data directory keeps beside Spider's own members is read back.
func TestFurtherMembers(t *testing.T) {
	db := &Database{ID: "204_590", Source: json.RawMessage(`{"types":["id","number"]}`), Tables: []Table{{
		Name: "table", Original: "w", Caption: "Seasons", Columns: []Column{
			{Name: "year", Original: "year", Type: Text, Header: "Year", Description: "of the season", Values: "four digits"},
			{Name: "year number", Original: "year_number", Type: Number, Base: "year"},
			{Name: "id", Original: "id", Type: Number, Fixed: true},
		},
	}}}
	examples := []*Example{
		{Index: 0, DB: db.ID, Question: "which year?", Query: "SELECT year FROM w", ID: "nt-0", Answer: []string{"2004", "a\tb"}, Source: json.RawMessage(`{"phase":1,"é\u00e9":"ü"}`),
			Further: []Member{{"type", json.RawMessage("0")}, {"Spider-Question", json.RawMessage(`{"née":["\u00e9",1.0]}`)}}},
		{Index: 1, DB: db.ID, Question: "who?", Query: "", Answer: []string{"x"}},
		{Index: 2, DB: db.ID, Question: "first?", Query: "SELECT 1", Evidence: "year refers to `year`", Difficulty: "simple", Interaction: 1, Turn: 1},
		{Index: 3, DB: db.ID, Question: "then?", Query: "SELECT 2", Interaction: 1, Turn: 2, Final: &Example{DB: db.ID, Question: "all?", Query: "SELECT 3"}},
	}
	dir := t.TempDir()
	var tables, split bytes.Buffer
	tw, sw := NewTablesWriter(&tables), NewSplitWriter(&split)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(tw.Write(db))
	check(tw.Close())
	for _, ex := range examples {
		check(sw.Write(NewSpiderExample(db, ex)))
	}
	check(sw.Close())
	check(os.WriteFile(filepath.Join(dir, "tables.json"), tables.Bytes(), 0o666))
	check(os.WriteFile(filepath.Join(dir, "dev.json"), split.Bytes(), 0o666))

	fail := func(err error) { t.Error(err) }
	units, err := Units(dir, "dev", fail)
	check(err)
	for _, ex := range examples {
		ex.Tokens = QuestionTokens(ex.Question)
	}
	compact := cmp.Transformer("compact", func(raw json.RawMessage) string {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			return string(raw)
		}
		return b.String()
	})
	if !strings.Contains(split.String(), `"é\u00e9": "ü"`) || !strings.Contains(split.String(), `"type": 0`) {
		t.Errorf("%s\nexpected further members and sources with the bytes that they have", split.String())
	}
	if diff := cmp.Diff([]*Unit{{DB: db, Examples: examples}}, units, compact); diff != "" {
		t.Error(diff)
	}
}

// TestOtherMembers reads the members of a record that no field holds.
func TestOtherMembers(t *testing.T) {
	const record = `[{"type": 2, "db_id": "a", "question": "q", "SQL": {"a": 1}, "query": "SELECT 1", "Query_toks": [], "score": NaN, "type": 3, "\u00e9": {"b" : 1.0}}]`
	want := []Member{{"type", json.RawMessage("2")}, {"é", json.RawMessage(`{"b" : 1.0}`)}}
	for ex, err := range all(in(DecodeExamples, strings.NewReader(record), "dev.json")) {
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ex.Further); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestFurtherMembersBad(t *testing.T) {
	const table = `{"db_id": "a", "table_names": ["t"], "table_names_original": ["t"], "column_names": [[-1, "*"], [0, "x"]],
		"column_names_original": [[-1, "*"], [0, "x"]], "column_types": ["text", "text"], "primary_keys": [], "foreign_keys": [], `
	for _, test := range []struct{ member, want string }{
		{`"column_headers": ["X"]}`, "column_headers has 1 texts, expected 2"},
		{`"table_captions": []}`, "table_captions has 0 texts, expected 1"},
		{`"fixed_columns": [2]}`, "fixed_columns holds column 2, expected 1 to 1"},
		{`"column_bases": [1, 2]}`, `"column_bases" is a number, expected a string`},
	} {
		for _, err := range all(in(DecodeTables, strings.NewReader("["+table+test.member+"]"), "tables.json")) {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, expected %q", test.member, err, test.want)
			}
		}
	}
	for _, test := range []struct{ example, want string }{
		{`{"db_id": "a", "question": "q", "query": ""}`, `"query" is empty`},
		{`{"db_id": "a", "question": "q", "sql": {"select": []}}`, `lacks "query"`},
		{`{"db_id": "a", "question": "q", "query": "SELECT 1", "interaction": 0, "turn": 1}`, `"interaction" is 0`},
		{`{"db_id": "a", "question": "q", "query": "SELECT 1", "interaction": "x", "turn": 1}`, `"interaction" is "x"`},
	} {
		for _, err := range all(in(DecodeExamples, strings.NewReader("["+test.example+"]"), "dev.json")) {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, expected %q", test.example, err, test.want)
			}
		}
	}
}
