package squall

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// written writes the film set after changes, with rows of the columns that are there.
func written(t *testing.T, table func(*dataset.Table), example func(*dataset.Example)) (tables, questions string) {
	t.Helper()
	set := open(t, film(), "dev")
	all := *set
	all.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for db, err := range streamtest.All(set.Databases) {
			table(&db.Tables[0])
			yield(db, err)
		}
	})
	all.Examples = streamtest.Of(func(yield func(*dataset.Example, error) bool) {
		for ex, err := range streamtest.All(set.Examples) {
			example(ex)
			yield(ex, err)
		}
	})
	rows := [][]sqldata.Value{make([]sqldata.Value, 20), make([]sqldata.Value, 20)}
	before, err := set.TableRows(t.Context(), &dataset.Database{ID: "1_2"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range before {
		copy(rows[i], row)
	}
	all.Rows = func(_ context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
		for _, row := range rows {
			if err := each(row[:len(db.Tables[0].Columns)]); err != nil {
				return err
			}
		}
		return nil
	}
	out := t.TempDir()
	if err := Format.Write(t.Context(), &all, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		data, err := os.ReadFile(filepath.Join(out, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return read("tables/json/1_2.json"), read("data/squall.json")
}

func TestWriteUnchanged(t *testing.T) {
	tables, questions := written(t, func(*dataset.Table) {}, func(*dataset.Example) {})
	if diff := cmp.Diff(filmTable, tables); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(filmQuestions, questions); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

// TestWriteRenamed renames a column with what is derived from it: the SQL of Squall,
// which counts columns, stays.
func TestWriteRenamed(t *testing.T) {
	tables, questions := written(t, func(table *dataset.Table) {
		for i := range table.Columns {
			c := &table.Columns[i]
			c.Original = strings.Replace(c.Original, "chart_positions_uk", "british_rank", 1)
			c.Base = strings.Replace(c.Base, "chart_positions_uk", "british_rank", 1)
			c.Name = strings.Replace(c.Name, "chart positions uk", "british rank", 1)
			if c.Original == "british_rank" {
				c.Header = ""
			}
		}
	}, func(ex *dataset.Example) {
		ex.Query = strings.Replace(ex.Query, "chart_positions_uk_number", "british_rank_number", 1)
	})
	if diff := cmp.Diff(strings.Replace(filmTable, `chart-positions\nuk`, "british rank", 1), tables); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(strings.Replace(filmQuestions, "chart-positions uk", "british rank", 1), questions); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

// TestWriteAdded adds a column in front, which moves the numbers of the others, and
// changes a word of the question and a literal of the SQL.
func TestWriteAdded(t *testing.T) {
	tables, questions := written(t, func(table *dataset.Table) {
		table.Columns = slices.Insert(table.Columns, 2, dataset.Column{Name: "note", Original: "note", Type: dataset.Text})
	}, func(ex *dataset.Example) {
		ex.Question = "what new year café ?"
		ex.Query = strings.Replace(ex.Query, ">= 10", ">= 12", 1)
	})
	var got tableFile
	if err := json.Unmarshal([]byte(tables), &got); err != nil || got.validate() != nil {
		t.Fatal(err, got.validate())
	}
	if got.Headers[2] != "note" || got.Types[2] != "text" || got.Contents[2][0].Col != "c1" || got.Contents[5][1].Col != "c4_list" {
		t.Errorf("table is %s", tables)
	}
	for _, want := range []string{
		`["note", [], "text"], ["year", ["number"], "number"]`, `"nl": ["what", "new", "year", "caf\u00e9", "?"]`,
		`"nl_pos": ["WP", "NN", "NN", "NN", "."]`, `"nl_ralign": [["None", null], ["None", null], ["Column", "c2"],`,
		`["Column", "c2", [1]]`, `["Column", "c4_list", []], ["Keyword", "=", []], ["Literal.String", "'caf\u00e9'", [2]]`,
		`["Column", "c3_number", []], ["Keyword", ">=", []], ["Literal.Number", "12", []]]`, `"align": []`, `"unknown": 1.50`, `"tgt": "1969|x\\py"`,
	} {
		if !strings.Contains(questions, want) {
			t.Errorf("questions are %s, want %s in them", questions, want)
		}
	}
}

// TestWriteOther writes a table of another format, which has neither Squall's columns
// nor a Source.
func TestWriteOther(t *testing.T) {
	db := &dataset.Database{ID: "films", Tables: []dataset.Table{{Name: "film", Original: "Film", Columns: []dataset.Column{
		{Name: "title", Original: "Title", Type: dataset.Text}, {Name: "length", Original: "Length", Type: dataset.Number}, {Name: "id", Original: "ID", Type: dataset.Number},
	}}}}
	set := &dataset.Set{Format: "toy", Split: "dev",
		Databases: streamtest.Of(func(yield func(*dataset.Database, error) bool) { yield(db, nil) }),
		Examples: streamtest.Of(func(yield func(*dataset.Example, error) bool) {
			_ = yield(&dataset.Example{ID: "1", DB: "films", Question: "how long is it?", Query: `SELECT length(T1."Title"), T1.Length FROM Film AS T1 WHERE T1.id != 1.5`}, nil) &&
				yield(&dataset.Example{ID: "2", DB: "films", Question: "who?", Answer: []string{"x"}}, nil) &&
				yield(&dataset.Example{ID: "3", DB: "films", Question: "none?"}, nil)
		}),
		Rows: func(_ context.Context, _ *dataset.Database, each func([]sqldata.Value) error) error {
			return each([]sqldata.Value{sqldata.NewText("a"), sqldata.NewFloat(1.5), sqldata.NewInt(7)})
		},
	}
	out := t.TempDir()
	var reports []string
	if err := Format.Write(t.Context(), set, out, func(err error) { reports = append(reports, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	if len(reports) != 1 || !strings.Contains(reports[0], "has neither gold SQL nor an answer") {
		t.Errorf("reports are %q", reports)
	}
	for path, want := range map[string]string{
		"data/dev.ids":           "[\n  \"films\"\n]",
		"data/dev.tsv":           "id\tutterance\tcontext\ttargetValue\n2\twho?\tcsv/films.csv\tx\n",
		"tables/json/films.json": `{"headers": ["id", "agg", "title", "length", "id"], "types": ["id", "agg", "text", "number", "number"], "contents": [[{"col": "id", "type": "INTEGER", "data": [1]}], [{"col": "agg", "type": "INTEGER", "data": [0]}], [{"col": "c1", "type": "TEXT", "data": ["a"]}], [{"col": "c2", "type": "REAL", "data": [1.5]}], [{"col": "c3", "type": "INTEGER", "data": [7]}]], "is_list": {"id": false, "agg": false, "c1": false, "c2": false, "c3": false}}`,
	} {
		if got, err := os.ReadFile(filepath.Join(out, path)); err != nil || string(got) != want {
			t.Errorf("%s: %v, is %s, want %s", path, err, got, want)
		}
	}
	back, err := Format.Read(t.Context(), out, "dev")
	if err != nil {
		t.Fatal(err)
	}
	examples, errs := collect(t, back.Examples)
	if len(examples) != 2 || errs != nil || examples[0].Query != `select length ( t1 . title ) , t1 . length from w as t1 where t1 . id_2 != 1.5` {
		t.Errorf("read back as %+v, %v", examples, errs)
	}
	res := query(t, filepath.Join(out, "tables", "db", "films.db"), "select length(t1.c1), t1.c2 from w as t1 where t1.c3 != 1.5")
	if len(res.Rows) != 1 || res.Rows[0][1] != sqldata.NewFloat(1.5) {
		t.Errorf("rows are %v", res.Rows)
	}
}

func query(t *testing.T, path, sql string) *sqldata.Result {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(t.Context(), sql, sqldata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestWriteListOfIDs writes a table whose ids are lists: their rows are numbered.
func TestWriteListOfIDs(t *testing.T) {
	files := film()
	files["tables/json/1_2.json"] = strings.Replace(filmTable, `{"col": "id", "type": "INTEGER", "data": [1, 2]}`, `{"col": "id", "type": "LIST INTEGER", "data": [[7], [8]]}`, 1)
	set, out := open(t, files, "dev"), t.TempDir()
	if err := Format.Write(t.Context(), set, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(out, "tables", "db", "1_2.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(t.Context(), "SELECT m_id, id FROM t_id", sqldata.Limits{})
	if err != nil || len(res.Rows) != 2 || res.Rows[1][0].Int() != 2 || res.Rows[1][1].Int() != 8 {
		t.Errorf("items %v, error %v; expected those of rows 1 and 2", res, err)
	}
}
