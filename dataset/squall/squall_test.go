package squall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/sqlast"
)

const filmTable = `{"headers": ["id", "agg", "year", "chart-positions\nuk", "year", "", "length"],` +
	` "types": ["id", "agg", "number", "number", "<c,text>", "text", "text"], "contents": [` +
	`[{"col": "id", "type": "INTEGER", "data": [1, 2]}], [{"col": "agg", "type": "INTEGER", "data": ["0", "0"]}],` +
	` [{"col": "c1", "type": "TEXT", "data": ["1969", "1971"]}, {"col": "c1_number", "type": "INTEGER", "data": [1969, 1971]}],` +
	` [{"col": "c2", "type": "TEXT", "data": ["60", null]}, {"col": "c2_number", "type": "REAL", "data": [60.0, null]}],` +
	` [{"col": "c3", "type": "TEXT", "data": ["caf\u00e9, x", ""]}, {"col": "c3_list", "type": "LIST TEXT", "data": [["caf\u00e9", "x"], [""]]}, {"col": "c3_length", "type": "INTEGER", "data": [2, 1]}],` +
	` [{"col": "c4", "type": "EMPTY", "data": ["", ""]}], [{"col": "c5", "type": "TEXT", "data": ["a <b>", "\"'"]}]],` +
	` "is_list": {"id": false, "agg": false, "c1": false, "c1_number": false, "c2": false, "c2_number": false, "c3": false, "c3_list": true, "c3_length": false, "c4": false, "c5": false}}`

const filmQuestions = `[
{"nt": "nt-7", "columns": [["year", ["number"], "number"], ["chart-positions uk", ["number"], "number"], ["year", ["list", "length"], "<c,text>"], ["", [], "text"], ["length", [], "text"]], "nl": ["what", "year", "caf\u00e9", "?"], "nl_pos": ["WP", "NN", "NN", "."], "nl_ralign": [["None", null], ["Column", "c1"], ["Literal", "String"], ["None", null]], "tgt": "1969|x\\py", "tbl": "1_2", "sql": [["Keyword", "select", []], ["Column", "c1", [1]], ["Keyword", "from", []], ["Keyword", "w", []], ["Keyword", "where", []], ["Column", "c3_list", []], ["Keyword", "=", []], ["Literal.String", "'caf\u00e9'", [2]], ["Keyword", "and", []], ["Column", "c2_number", []], ["Keyword", ">=", []], ["Literal.Number", "10", []]], "align": [[[1], [1]]], "unknown": 1.50}
]
`

func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, data := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func film() map[string]string {
	return map[string]string{"tables/json/1_2.json": filmTable, "data/dev.ids": "[\n  \"1_2\"\n]", "data/squall.json": filmQuestions}
}

func open(t testing.TB, files map[string]string, split string) *dataset.Set {
	t.Helper()
	set, err := Format.Read(t.Context(), folder(t, files), split)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func collect[T any](t testing.TB, stream dataset.Stream[T]) (all []T, errs []string) {
	t.Helper()
	for v, err := range streamtest.All(stream) {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			all = append(all, v)
		}
	}
	return all, errs
}

func TestRead(t *testing.T) {
	set := open(t, film(), "dev")
	dbs, errs := collect(t, set.Databases)
	if len(dbs) != 1 || errs != nil {
		t.Fatalf("%d databases, errors %v", len(dbs), errs)
	}
	number, text := dataset.Number, dataset.Text
	want := []dataset.Column{
		{Name: "id", Original: "id", Type: number, Fixed: true}, {Name: "agg", Original: "agg", Type: number, Fixed: true},
		{Name: "year", Original: "year", Type: number}, {Name: "year number", Original: "year_number", Type: number, Base: "year"},
		{Name: "chart positions uk", Original: "chart_positions_uk", Type: number, Header: "chart-positions\nuk"},
		{Name: "chart positions uk number", Original: "chart_positions_uk_number", Type: number, Base: "chart_positions_uk"},
		{Name: "year", Original: "year_2", Type: text},
		{Name: "year list", Original: "year_2_list", Type: text, Base: "year_2"}, {Name: "year length", Original: "year_2_length", Type: number, Base: "year_2"},
		{Name: "column 4", Original: "column_4", Type: text}, {Name: "length", Original: "length", Type: text},
	}
	if diff := cmp.Diff(want, dbs[0].Tables[0].Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if source := string(dbs[0].Source); strings.Contains(source, "1969") || !strings.Contains(source, `"data":["0","0"]`) {
		t.Errorf("source is %s, want no cells but those that SQLite has otherwise", source)
	}
	examples, errs := collect(t, set.Examples)
	if len(examples) != 1 || errs != nil {
		t.Fatalf("%d examples, errors %v", len(examples), errs)
	}
	examples[0].Source = nil
	if diff := cmp.Diff(&dataset.Example{ID: "nt-7", DB: "1_2", Question: "what year café ?", Tokens: []string{"what", "year", "café", "?"}, Answer: []string{"1969", "x|y"},
		Query: "select year from w where year_2_list = 'café' and chart_positions_uk_number >= 10"}, examples[0]); diff != "" {
		t.Errorf("example (-want +got):\n%s", diff)
	}
	if q, err := sqlast.Parse(examples[0].Query); err != nil {
		t.Error(err)
	} else if b, err := sqlast.Resolve(q, dbs[0]); err != nil || len(b.Problems) > 0 {
		t.Errorf("gold SQL does not resolve: %v, %v", err, b.Problems)
	}
	rows, errs := collect(t, func(_ func(error), each func([]sqldata.Value) error) error {
		return set.Rows(t.Context(), dbs[0], each)
	})
	wantRow := []sqldata.Value{
		sqldata.NewInt(1), sqldata.NewInt(0), sqldata.NewText("1969"), sqldata.NewInt(1969), sqldata.NewText("60"), sqldata.NewFloat(60),
		sqldata.NewText("café, x"), sqldata.NewText(`["caf\u00e9", "x"]`), sqldata.NewInt(2), sqldata.NewText(""), sqldata.NewText("a <b>"),
	}
	if len(rows) != 2 || !slices.Equal(rows[0], wantRow) || errs != nil {
		t.Errorf("rows are %v, %v, want %v first", rows, errs, wantRow)
	}
}

func TestBadInput(t *testing.T) {
	question := func(from, to string) map[string]string {
		files := film()
		bad := strings.Replace(strings.TrimSuffix(strings.TrimPrefix(filmQuestions, "[\n"), "\n]\n"), "nt-7", "nt-8", 1)
		bad = strings.Replace(bad, from, to, 1)
		files["data/squall.json"] = strings.Replace(filmQuestions, "\n]\n", ",\n"+bad+"]", 1)
		return files
	}
	table := func(from, to string) map[string]string {
		files := film()
		files["tables/json/3_4.json"] = strings.Replace(filmTable, from, to, 1)
		files["data/dev.ids"] = `["3_4", "1_2"]`
		return files
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		dbs   int
	}{
		{"no table", map[string]string{"data/dev.ids": `["1_2", "9_9"]`, "tables/json/1_2.json": filmTable, "data/squall.json": filmQuestions}, "9_9.json:1: table is not there", 1},
		{"header longer than its rows", table(`"id", "agg", "year"`, `"id", "agg", "more", "year"`), "3_4.json:1: headers has 8 names and contents 7 columns", 1},
		{"key twice", table(`"types"`, `"headers": [], "types"`), `3_4.json:1: "headers" stands twice`, 1},
		{"column twice", table(`"c1_number"`, `"c1"`), `column "c1" is there twice`, 1},
		{"column of another", table(`"c1_number"`, `"c9_number"`), `column "c9_number" stands with "c1"`, 1},
		{"column without a suffix", table(`"c1_number"`, `"c1_"`), `column "c1_" stands with "c1"`, 1},
		{"type that is SQL", table(`"type": "REAL"`, `"type": "REAL); DROP TABLE w; --"`), `column "c2_number" has the type "REAL); DROP`, 1},
		{"short column", table(`"data": [1969, 1971]`, `"data": [1969]`), "column c1_number has 1 cells and id 2", 2},
		{"object as a cell", table(`"data": [1969, 1971]`, `"data": [1969, {}]`), "column c1_number: cell 2: cell is {}", 1},
		{"not JSON", table(`"types"`, `types`), "3_4.json:1: ", 1},
		{"no SQL", question(`"sql"`, `"query"`), `squall.json:2: lacks "sql"`, 1},
		{"no words", question(`"nl":`, `"words":`), `squall.json:2: lacks "nl"`, 1},
		{"id twice", question("nt-8", "nt-7"), `squall.json:2: nt "nt-7" is there already`, 1},
		{"unknown column", question(`"c2_number"`, `"c7_number"`), `squall.json:2: "sql" has the column "c7_number"`, 1},
		{"token cut short", question(`["Column", "c1", [1]]`, `["Column"]`), `squall.json:2: "sql" has the token 2`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := open(t, c.files, "dev")
			dbs, errs := collect(t, set.Databases)
			examples, more := collect(t, set.Examples)
			errs = append(errs, more...)
			if len(dbs) != c.dbs || len(examples) != 1 || len(errs) != 1 || !strings.Contains(errs[0], c.want) {
				t.Errorf("%d databases, %d examples, errors %q, want %d, 1, %q", len(dbs), len(examples), errs, c.dbs, c.want)
			}
		})
	}
	for want, files := range map[string]map[string]string{
		"expected the tables": {"data/squall.json": "[]"},
		"training.tsv":        {"tables/json/1_2.json": filmTable},
		"expected table ids":  {"tables/json/1_2.json": filmTable, "data/squall.json": "[]", "data/dev.ids": `["../1_2"]`},
		"expected an array":   {"tables/json/1_2.json": filmTable, "data/squall.json": "[]", "data/dev.ids": `{}`},
	} {
		if _, err := Format.Read(t.Context(), folder(t, files), "dev"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

func TestTrainFold(t *testing.T) {
	files := film()
	files["data/dev-0.ids"], files["tables/json/3_4.json"] = `["1_2"]`, filmTable
	for split, want := range map[string]string{"train-0": "3_4", "dev-0": "1_2"} {
		dbs, errs := collect(t, open(t, files, split).Databases)
		if len(dbs) != 1 || dbs[0].ID != want || errs != nil {
			t.Errorf("%s: %d databases, %v, want %s alone", split, len(dbs), errs, want)
		}
	}
}

func TestAppendCell(t *testing.T) {
	for f, want := range map[float64]string{60: "60.0", 0.1: "0.1", 1e16: "1e+16", 123456789012345680: "1.2345678901234568e+17", 1e15: "1000000000000000.0", 0.0001: "0.0001", 0.00001: "1e-05", -0.5: "-0.5"} {
		if got := string(appendCell(nil, sqldata.NewFloat(f))); got != want {
			t.Errorf("%g is %s, want %s as in Python", f, got, want)
		}
	}
}

// FuzzTable reads any table and numbers the columns of what it took as they were.
func FuzzTable(f *testing.F) {
	f.Add([]byte(filmTable))
	f.Add([]byte(`{"headers":["a"],"types":["text"],"contents":[[{"col":"c1","type":"LIST TEXT","data":["x",[1,null],null]}]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := parseTable(data)
		if err != nil {
			return
		}
		raw, err := table.sourceRecord(data)
		if err != nil {
			return
		}
		source, err := parseTable(raw)
		if err != nil {
			t.Fatal(err)
		}
		schema := &table.schema("").Tables[0]
		var rows [][]sqldata.Value
		for i := range table.rowCount() {
			row, err := table.row(i)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		l := newLayout(schema, schemaGroups(schema, wtq.Header), source)
		l.contents(rows)
		for i, group := range source.Contents {
			if at := slices.Index(l.sourceGroups, i); at < 0 {
				t.Errorf("%q has lost its column %q", data, group[0].Col)
			}
		}
		for _, c := range schema.Columns {
			if c.Original == "" || c.Name == "" || l.newNames[strings.ToLower(c.Original)] == "" {
				t.Errorf("%q has the column %+v", data, c)
			}
		}
	})
}

func FuzzScan(f *testing.F) {
	f.Add("select c1 from w where \"c 2\" >= 1.5 and x = 'it''s' --")
	f.Fuzz(func(t *testing.T, sql string) {
		total := 0
		for _, tok := range splitTokens(sql, map[string]string{"c 2": "c2"}, "film") {
			if tok.text == "" {
				t.Errorf("%q has an empty token", sql)
			}
			total += len(tok.text)
		}
		if total > 4*len(sql)+8 {
			t.Errorf("%q becomes longer", sql)
		}
	})
}
