package evoschema

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// The tables of the records below: books refer to authors.
const (
	authors = `"authors": {"ddl": "create table authors( author_id integer primary key, name text, born integer)"}`
	books   = `"books": {"ddl": "create table books( book_id integer primary key, title text, foreign key(author_id) references authors(author_id) integer, pages integer)"}`
	joined  = `"query": "SELECT T2.name FROM books AS T1 JOIN authors AS T2 ON T1.author_id = T2.author_id WHERE T1.pages > 100", "relevant_table": {` + authors + `, ` + books + `}`
	merged  = `"old_new_table_mapping": {"authors": "catalogue", "books": "catalogue"}, "deduplicate_new_column_to_old_table_old_table_mapping": {}, "new_relevant_table": {"catalogue": {"columns": [], "ddl": "create table catalogue( book_id integer primary key, title text, author_id integer, pages integer, name text, born integer)"}}`
	renamed = `"new_relevant_table": {"authors": {"ddl": "create table authors( writer_id integer primary key, full_name text, born integer)", "old_new_column_mappings": {"name": "full_name"}}, "books": {"ddl": "create table books( book_id integer primary key, title text, foreign key(writer_id) references authors(writer_id) integer, pages integer)", "old_new_column_mappings": {}}}`
)

// repaired runs the records of one type and returns its counts, and what was written and left out.
func repaired(t *testing.T, kind string, records ...string) (*Counts, []*dataset.Example, []leftOut) {
	t.Helper()
	dir := t.TempDir()
	var lines []string
	for _, r := range records {
		lines = append(lines, `{"train_idx": 1, "db_id": "library", "question": "Which?", `+r+`}`)
	}
	file := filepath.Join(dir, kind+".jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	s, err := Run(context.Background(), Config{Files: []string{file}, Out: out, Split: "dev", Seed: 1, Step: func() {}, Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	var written []*dataset.Example
	if err := dataset.ReadExamples(filepath.Join(out, "dev.json"), func(err error) { t.Error(err) }, func(ex *dataset.Example) error {
		written = append(written, ex)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(out, "left-out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var left []leftOut
	for line := range strings.Lines(string(data)) {
		var l leftOut
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		left = append(left, l)
	}
	return s.Types[0], written, left
}

// TestRepair keeps, repairs or leaves out a record of each kind.
func TestRepair(t *testing.T) {
	const derived = "JOIN (SELECT DISTINCT author_id, name FROM catalogue WHERE author_id IS NOT NULL) AS T2"
	for _, test := range []struct{ kind, record, gold, want string }{
		{"rename_columns", joined + ", " + renamed + `, "new_gold_sql": "SELECT T2.full_name FROM books AS T1 JOIN authors AS T2 ON T1.writer_id = T2.writer_id WHERE T1.pages > 100"`, "kept", ""},
		{"rename_columns", joined + ", " + renamed + `, "new_gold_sql": "SELECT T2.name FROM books AS T1 JOIN authors AS T2 ON T1.author_id = T2.author_id WHERE T1.pages > 100"`, "repaired",
			"SELECT T2.full_name FROM books AS T1 JOIN authors AS T2 ON T1.writer_id = T2.writer_id WHERE T1.pages > 100"},
		{"rename_columns", joined + ", " + strings.Replace(renamed, "full_name text", "born text", 1) + `, "new_gold_sql": "SELECT 1"`, "", "two columns of authors get one name"},
		{"merge_tables", joined + ", " + merged + `, "new_gold_sql": "SELECT name FROM catalogue WHERE pages > 100"`, "kept", ""},
		{"merge_tables", joined + ", " + merged + `, "new_gold_sql": "SELECT name FROM catalogue WHERE T1.pages > 100"`, "repaired", derived},
		{"merge_tables", joined + ", " + strings.Replace(merged, ", pages integer", "", 1) + `, "new_gold_sql": "SELECT name FROM catalogue"`, "", "the answer is another one"},
		{"merge_tables", strings.Replace(joined, "foreign key(author_id) references authors(author_id)", "author_id", 1) + ", " + merged + `, "new_gold_sql": "SELECT name FROM catalogue"`, "", "no key joins the merged tables"},
		{"remove_columns", joined + `, "new_relevant_table": {"authors": {"ddl": "create table authors( author_id integer primary key, name text)"}, ` + books + `}`, "kept", ""},
		{"remove_columns_in_gold", joined + `, "new_relevant_table": {"authors": {"ddl": "create table authors( author_id integer primary key)"}, ` + books + `}`, "", "no such column: T2.name"},
		{"remove_columns_in_gold", joined + `, "new_relevant_table": {` + authors + `, ` + books + `}`, "", ""},
		{"split_or_merge_columns", joined + `, "new_relevant_table": {` + authors + `, ` + books + `}, "new_gold_sql": "SELECT 1"`, "", "by no rule that is given"},
		{"rename_tables", joined + `, "new_relevant_table": {"authors": {"ddl": "authors"}}, "new_gold_sql": "SELECT 1"`, "", "expected create table NAME(…)"},
	} {
		counts, written, left := repaired(t, test.kind, test.record)
		switch {
		case test.gold == "":
			if len(left) != 1 || len(written) > 0 || !strings.Contains(left[0].Detail, test.want) {
				t.Errorf("%s: %s: left out %+v, expected %q", test.kind, test.record, left, test.want)
			}
			continue
		case len(written) != 1 || len(left) > 0 || counts.Written != 1:
			t.Errorf("%s: %s: left out %+v, expected it %s", test.kind, test.record, left, test.gold)
			continue
		}
		ex := written[0]
		i := slices.IndexFunc(ex.Further, func(m dataset.Member) bool { return m.Key == "evoschema" })
		if i < 0 || !strings.Contains(string(ex.Further[i].Value), `"gold": "`+test.gold+`"`) && !strings.Contains(string(ex.Further[i].Value), `"gold":"`+test.gold+`"`) {
			t.Errorf("%s: %s: provenance %+v, expected %s", test.kind, test.record, ex.Further, test.gold)
		}
		if !strings.Contains(ex.Query, test.want) {
			t.Errorf("%s: gold SQL %q, expected %q in it", test.kind, ex.Query, test.want)
		}
	}
}
