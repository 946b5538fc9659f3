package wikisql

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

const (
	goodTable    = `{"header": ["Player", "No.", "Club"], "page_title": "Raptors", "types": ["text", "real", "text"], "id": "1-1", "section_title": "A", "caption": "A", "rows": [["Ann Lee", 3, "Butler CC (KS)"], ["Bo", 7.5, "K\u00f6ln"], [null, 12, "1,200"]], "name": "table_1"}`
	goodQuestion = `{"phase": 1, "table_id": "1-1", "question": "Who wears 3?", "sql": {"sel": 0, "conds": [[1, 0, 3], [2, 0, "butler cc (ks)"]], "agg": 0}}`
)

// files makes a folder with files.
func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func messages(dir string, errs []error) []string {
	list := []string{}
	for _, err := range errs {
		list = append(list, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return list
}

func TestRead(t *testing.T) {
	dir := files(t, map[string]string{"dev.tables.jsonl": goodTable, "dev.jsonl": goodQuestion + "\n\n"})
	set, dbs, exs, bad, notes := readAll(t, dir, "dev")
	if len(bad)+len(notes) > 0 || len(exs) != 1 {
		t.Fatal(len(exs), bad, notes)
	}
	db := dbs["1-1"]
	stripped, err := dataset.Patch([]byte(goodTable), dataset.Change{Key: "rows", Value: []int{}})
	if err != nil {
		t.Fatal(err)
	}
	want := &dataset.Database{ID: "1-1", Source: stripped, Tables: []dataset.Table{{
		Name: "table", Original: "table_1_1", Caption: "Raptors, A", Columns: []dataset.Column{
			{Name: "player", Original: "player", Type: dataset.Text, Header: "Player"},
			{Name: "no.", Original: "no_", Type: dataset.Number, Header: "No."},
			{Name: "club", Original: "club", Type: dataset.Text, Header: "Club"},
		},
	}}}
	if diff := cmp.Diff(want, db); diff != "" {
		t.Errorf("database (-want +got):\n%s", diff)
	}
	if want := "SELECT player FROM table_1_1 WHERE no_ = 3 AND club = 'butler cc (ks)'"; exs[0].Query != want || exs[0].DB != "1-1" || exs[0].Question != "Who wears 3?" {
		t.Errorf("example %+v, expected the query %s", exs[0], want)
	}
	path := filepath.Join(t.TempDir(), "1-1.sqlite")
	if there, err := set.WriteContent(context.Background(), db, path); !there || err != nil {
		t.Fatal(there, err)
	}
	// Text compares without case, through copies and renamings too.
	copied := path + ".copy"
	err = sqlite.Copy(context.Background(), path, copied, sqldata.RenameColumn{Table: "table_1_1", Column: "club", Name: "squad"},
		sqldata.AddColumn{Table: "table_1_1", Name: "height", Type: Declare(&dataset.Column{Type: dataset.Text}), Cells: []sqldata.Value{sqldata.NewText("Tall")}})
	if err != nil {
		t.Fatal(err)
	}
	for file, sql := range map[string]string{path: exs[0].Query, copied: strings.ReplaceAll(exs[0].Query, "club", "height = 'tALL' AND squad")} {
		if rows := query(t, file, sql); len(rows) != 1 || rows[0][0].String() != "Ann Lee" {
			t.Errorf("%s: %v, expected Ann Lee", sql, rows)
		}
	}
}

func query(t *testing.T, path, sql string) [][]sqldata.Value {
	t.Helper()
	db, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(context.Background(), sql, sqldata.Limits{})
	if err != nil {
		t.Fatal(sql, err)
	}
	return res.Rows
}

func TestBadRecords(t *testing.T) {
	q := func(table, sql string) string {
		return `{"phase":1,"table_id":"` + table + `","question":"?","sql":` + sql + "}\n"
	}
	simple := `{"sel":0,"conds":[],"agg":0}`
	dir := files(t, map[string]string{
		"dev.tables.jsonl": goodTable + "\n" +
			goodTable + "\n" +
			`{"id":"1-2","header":["A","B"],"types":["text","text"],"rows":[["x","y"],["x"],["x","y","z"]]}` + "\n" +
			`{"id":"1-3","header":["A","B"],"types":["text","date","text"],"rows":[]}` + "\n" +
			`{"id":["1-4"],"header":["A"],"types":["real"]}` + "\n" +
			`{"id":"1-6","header":[]}` + "\n" +
			`{"id":"1-7"}` + "\n" +
			`{"header":["A"]}` + "\n" +
			`{"id":"../x","header":["A"]}` + "\n" +
			`{"id":"1-8","header":["A",3]}` + "\n" +
			`{"id":"1-9","id":"1-10","header":["A"]}` + "\n" +
			`{"id":"1_1","header":["A"]}` + "\n" +
			"oops\n",
		"dev.jsonl": goodQuestion + "\n" + q("1-99", simple) + q("1-2", `{"sel":2,"conds":[],"agg":0}`) + q("1-2", simple) +
			q("1-4", `{"sel":0,"conds":[[0,3,1]],"agg":0}`) + `{"table_id":"1-2","question":"?"}` + "\n" +
			`{"table_id":"1-2","question":"?","question":"!","sql":` + simple + "}\n" + `[]` + "\n" + "{\n",
	})
	set, dbs, exs, bad, notes := readAll(t, dir, "dev")
	wantBad := []string{
		`dev.tables.jsonl:2: table "1-1" is there already, expected each once; this one is left out`,
		`dev.tables.jsonl:6: header has 0 columns, expected 1 to 2000`,
		`dev.tables.jsonl:7: lacks "header", expected it`,
		`dev.tables.jsonl:8: lacks "id", expected it`,
		`dev.tables.jsonl:9: "id" is "../x", expected letters, digits, - and _`,
		`dev.tables.jsonl:10: "header" is a number, expected a string`,
		`dev.tables.jsonl:11: has the key "id" twice, expected it once`,
		`dev.tables.jsonl:12: table "1_1" is there already, expected each once; this one is left out`,
		`dev.tables.jsonl:13: not JSON: invalid character 'o' looking for beginning of value`,
		`dev.jsonl:2: table_id "1-99" is unknown, expected one of dev.tables.jsonl`,
		`dev.jsonl:3: table 1-2: "sel" is column 2, expected 0 to 1 as the table has 2`,
		`dev.jsonl:5: table 1-4: "conds" has operator 3, expected 0 to 2`,
		`dev.jsonl:6: lacks "sql", expected it`,
		`dev.jsonl:7: has the key "question" twice, expected it once`,
		`dev.jsonl:8: record is an array, expected an object`,
		`dev.jsonl:9: not JSON: unexpected end of JSON input`,
	}
	wantNotes := []string{
		`dev.tables.jsonl:3: table 1-2: 2 of 3 rows have more or fewer cells than the header's 2; they are left out`,
		`dev.tables.jsonl:4: table 1-3: has 3 types for 2 columns, expected one each; where one is missing the column is text`,
		`dev.tables.jsonl:4: table 1-3: column 1 has the type "date", expected text or real; taken as text`,
		`dev.tables.jsonl:5: table 1-4: "id" is a list of 1, expected a string; the first is taken`,
	}
	if diff := cmp.Diff(wantBad, messages(dir, bad)); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantNotes, messages(dir, notes)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if len(dbs) != 4 || len(exs) != 2 || exs[1].Index != 1 {
		t.Errorf("%d databases and %d examples, expected 4 and 2", len(dbs), len(exs))
	}
	// What can be used is written back as it was, rows that fit no header among it.
	out := writeAll(t, set)
	got := compacted(t, filepath.Join(out, "dev.tables.jsonl"))
	var want []string
	for i, line := range strings.Split(readFile(t, filepath.Join(dir, "dev.tables.jsonl")), "\n") {
		if i == 0 || i == 2 || i == 3 || i == 4 {
			want = append(want, compact(t, line))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables written (-want +got):\n%s", diff)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func compact(t *testing.T, raw string) string {
	t.Helper()
	var b strings.Builder
	for _, r := range strings.SplitAfter(raw, `"`) { // no text of the samples has ", " or ": " beside a quote
		b.WriteString(strings.NewReplacer(", ", ",", ": ", ":").Replace(r))
	}
	if !json.Valid([]byte(b.String())) {
		t.Fatal(b.String())
	}
	return b.String()
}

// TestWritePerturbed writes a table with a renamed and an added column under a new id:
// what did not change keeps its bytes, and positions hold.
func TestWritePerturbed(t *testing.T) {
	dir := files(t, map[string]string{"dev.tables.jsonl": goodTable, "dev.jsonl": goodQuestion})
	set, dbs, exs, _, _ := readAll(t, dir, "dev")
	db, ex := dbs["1-1"].Clone(), *exs[0]
	db.SQLite = filepath.Join(t.TempDir(), "post.sqlite")
	if _, err := set.WriteContent(context.Background(), dbs["1-1"], db.SQLite+".pre"); err != nil {
		t.Fatal(err)
	}
	err := sqlite.Copy(context.Background(), db.SQLite+".pre", db.SQLite, sqldata.RenameColumn{Table: "table_1_1", Column: "club", Name: "squad"},
		sqldata.AddColumn{Table: "table_1_1", Name: "height", Type: "NUMERIC", Cells: []sqldata.Value{sqldata.NewFloat(1.98), sqldata.NewInt(2)}})
	if err != nil {
		t.Fatal(err)
	}
	db.ID = "1-1-ab12"
	columns := db.Tables[0].Columns
	columns[2] = dataset.Column{Name: "squad é", Original: "squad", Type: dataset.Text}
	db.Tables[0].Columns = append(columns, dataset.Column{Name: "height", Original: "height", Type: dataset.Number})
	ex.DB, ex.Query = db.ID, "SELECT MAX(height) FROM table_1_1 WHERE no_ = 3 AND squad = 'butler cc (ks)'"
	post := &dataset.Set{
		Format: "spider", Split: "dev",
		Databases: streamtest.Of(func(yield func(*dataset.Database, error) bool) { yield(db, nil) }),
		Examples:  streamtest.Of(func(yield func(*dataset.Example, error) bool) { yield(&ex, nil) }),
	}
	out := t.TempDir()
	if err := Format.Write(context.Background(), post, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	wantTable := `{"header":["Player","No.","squad \u00e9","height"],"page_title":"Raptors","types":["text","real","text","real"],"id":"1-1-ab12","section_title":"A","caption":"A","rows":[["Ann Lee",3,"Butler CC (KS)",1.98],["Bo",7.5,"K\u00f6ln",2],[null,12,"1,200",1.98]],"name":"table_1_ab12"}` + "\n"
	if diff := cmp.Diff(wantTable, readFile(t, filepath.Join(out, "dev.tables.jsonl"))); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	wantQuestion := `{"phase":1,"table_id":"1-1-ab12","question":"Who wears 3?","sql":{"sel":3,"conds":[[1,0,3],[2,0,"butler cc (ks)"]],"agg":1}}` + "\n"
	if diff := cmp.Diff(wantQuestion, readFile(t, filepath.Join(out, "dev.jsonl"))); diff != "" {
		t.Errorf("question (-want +got):\n%s", diff)
	}
	rows := query(t, filepath.Join(out, "dev.db"), "SELECT col3, col2 FROM table_1_1_ab12 WHERE col1 = 3")
	if len(rows) != 1 || rows[0][0].Float() != 1.98 || rows[0][1].String() != "butler cc (ks)" {
		t.Errorf("dev.db has %v, expected 1.98 and text in lower case", rows)
	}
	// WikiSQL's lib/dbengine.py finds the types by the regular expression \((.+)\).
	if sql := query(t, filepath.Join(out, "dev.db"), "SELECT sql FROM sqlite_master")[0][0].String(); sql != "CREATE TABLE table_1_1_ab12 (col0 text, col1 real, col2 text, col3 real)" {
		t.Errorf("dev.db declares %s", sql)
	}
}

// TestWriteForeign writes what came from another format.
func TestWriteForeign(t *testing.T) {
	one := players()
	one.ID = "2-4"
	one.Tables[0].Caption = "Best of"
	two := &dataset.Database{ID: "two", Tables: []dataset.Table{one.Tables[0], one.Tables[0]}}
	set := &dataset.Set{Format: "spider", Split: "dev",
		Databases: streamtest.Of(func(yield func(*dataset.Database, error) bool) { _ = yield(one, nil) && yield(two, nil) }),
		Examples: streamtest.Of(func(yield func(*dataset.Example, error) bool) {
			_ = yield(&dataset.Example{DB: "2-4", Question: "Ä < b?", Query: "SELECT count(player) FROM table_1_1 WHERE order_ < 3.0"}, nil) &&
				yield(&dataset.Example{DB: "two", Query: "SELECT 1"}, nil) && yield(&dataset.Example{DB: "2-4", Query: "SELECT 1 ORDER BY 1"}, nil)
		}),
	}
	out := t.TempDir()
	var reports []string
	if err := Format.Write(context.Background(), set, out, func(err error) { reports = append(reports, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		`dev.tables.jsonl:2: database "two" has 2 tables, expected one`,
		`dev.jsonl:2: table "two" is not written, expected one that is`,
		`dev.jsonl:3: SELECT 1 ORDER BY 1 is no logical form: ORDER BY`,
	}, reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	want := `{"header":["Player","No.","School/Club Team","Order","2009","no","%"],"page_title":"","types":["text","real","text","text","text","text","text"],"id":"2-4","section_title":"","caption":"Best of","rows":[],"name":"table_4"}` + "\n"
	if diff := cmp.Diff(want, readFile(t, filepath.Join(out, "dev.tables.jsonl"))); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	want = `{"phase":2,"table_id":"2-4","question":"\u00c4 < b?","sql":{"sel":0,"conds":[[3,2,3.0]],"agg":3}}` + "\n"
	if diff := cmp.Diff(want, readFile(t, filepath.Join(out, "dev.jsonl"))); diff != "" {
		t.Errorf("question (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(out, "dev.db")); err == nil {
		t.Error("dev.db is there, expected none without rows")
	}
}

// TestGuess reads folders without a tables file.
func TestGuess(t *testing.T) {
	questions := goodQuestion + "\n" + strings.ReplaceAll(goodQuestion, "1-1", "1-2") + "\n" + strings.ReplaceAll(goodQuestion, "1-1", "1-3")
	template := func(table, name, original string) string {
		return `{"sentences":[{"original":"Q?","question-split":"dev","table-id":"` + table + `","variables":{"var0":"x"}}],"sql":["` + name + `"],"sql-original":["` + original + `"],"variables":[{"name":"var0","example":"x"}]}`
	}
	adveta := `{"WSQL_0":{"header":["who","no.","team"],"id":"1-1","dict":{}},"WSQL_1":{"header":[],"id":"1-3","dict":{}}}`
	templates := "[" + template("1-2", `SELECT COUNT TABLEalias0.TEAM/CLUB_NAME_FIELD FROM TABLE AS TABLEalias0 WHERE TABLEalias0.HOME_>_TOWN_FIELD = \"var0\" ;`, "SELECT COUNT col2 FROM table WHERE col4 = x") + "]"
	dir := files(t, map[string]string{"dev.jsonl": questions, "wikisql-rpl.json": adveta, "wikisql.json": templates})
	set, dbs, exs, bad, notes := readAll(t, dir, "dev")
	headers := func(id string) (list []string) {
		for _, c := range dbs[id].Tables[0].Columns {
			list = append(list, c.Name+" "+string(c.Type))
		}
		return list
	}
	got := map[string][]string{"1-1": headers("1-1"), "1-2": headers("1-2"), "1-3": headers("1-3"), "errors": messages(dir, bad), "notes": messages(dir, notes)}
	want := map[string][]string{
		"1-1":    {"who text", "no. number", "team text"},
		"1-2":    {"column 1 text", "column 2 number", "team/club name text", "column 4 text", "home > town text"},
		"1-3":    {"column 1 text", "column 2 number", "column 3 text"},
		"errors": {},
		"notes": {
			`wikisql-rpl.json:2: WSQL_1: header has 0 columns, expected 1 to 2000`,
			`dev.jsonl:1: there is no dev.tables.jsonl; headers of 1 tables come from ADVETA's files, of 1 from text2sql-data (0 columns at a guess), of 1 they are made up ("column 1"); types are guessed from the questions`,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("guesses (-want +got):\n%s", diff)
	}
	if len(exs) != 3 || set.Rows != nil {
		t.Errorf("%d examples, rows %v; expected 3 without rows", len(exs), set.Rows != nil)
	}
}

// TestContentOnly reads a folder whose rows lie in SPLIT.db alone.
func TestContentOnly(t *testing.T) {
	dir := files(t, map[string]string{"dev.tables.jsonl": goodTable, "dev.jsonl": goodQuestion})
	set, _, _, _, _ := readAll(t, dir, "dev")
	out := writeAll(t, set)
	if err := os.Remove(filepath.Join(out, "dev.tables.jsonl")); err != nil {
		t.Fatal(err)
	}
	set, dbs, exs, bad, notes := readAll(t, out, "dev")
	if len(bad) > 0 || len(notes) != 1 || len(exs) != 1 {
		t.Fatal(bad, notes, len(exs))
	}
	path := filepath.Join(t.TempDir(), "x.sqlite")
	if there, err := set.WriteContent(context.Background(), dbs["1-1"], path); !there || err != nil {
		t.Fatal(there, err)
	}
	if rows := query(t, path, exs[0].Query); len(rows) != 1 || rows[0][0].String() != "ann lee" {
		t.Errorf("%s: %v, expected ann lee", exs[0].Query, rows)
	}
}

func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := Format.Read(context.Background(), dir, "dev"); err == nil || !strings.Contains(err.Error(), "expected one of dev.jsonl") {
		t.Errorf("an empty folder: %v", err)
	}
}

// FuzzTable reads records of tables; what can be used is written back as it was, with its
// rows from the record or from their values.
func FuzzTable(f *testing.F) {
	f.Add([]byte(goodTable))
	f.Add([]byte(`{"id":["a","b"],"header":["A","a",""],"types":["real"],"rows":[[1.0,"2",null],[1e400,[],true],[1]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, err := decodeTable(raw, true, func(error) {})
		if err != nil {
			return
		}
		var rows [][]sqldata.Value
		for _, row := range table.rows {
			rows = append(rows, rowValues(row))
		}
		written, err := tableJSON(table.db, rows)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !dataset.SameJSON(written, raw) {
			t.Fatalf("%s\nis written as\n%s", raw, written)
		}
	})
}

// FuzzTemplate reads templates; what is read has a form for its first sentence, and for
// another one whose columns are known.
func FuzzTemplate(f *testing.F) {
	f.Add(`SELECT COUNT TABLEalias0.TEAM_FIELD FROM TABLE AS TABLEalias0 WHERE TABLEalias0.TOWN_FIELD = "var0" AND NO._FIELD > var1 ;`, "SELECT COUNT col2 FROM table WHERE col4 = x AND col1 > 3", "x", "3")
	f.Fuzz(func(t *testing.T, sql, original, first, second string) {
		raw, err := json.Marshal(map[string]any{"sql": []string{sql}, "sql-original": []string{original},
			"variables": []map[string]string{{"name": "var0", "example": first}, {"name": "var1", "example": second}}})
		if err != nil {
			t.Fatal(err)
		}
		var rec templateRecord
		if err := dataset.Decode(raw, &rec); err != nil {
			t.Fatal(err)
		}
		tpl, err := rec.template()
		if err != nil || tpl.form.Check(maxColumns) != nil || !tpl.namesKnown {
			return
		}
		known := &tableColumns{positions: map[string]int{}, use: newTableUse(1), laterColumns: tpl.columnsOfForm()}
		known.assignPositions()
		sentence := &sentenceRecord{Variables: map[string]string{"var0": first, "var1": second}}
		form, err := tpl.sentenceForm(1, sentence, known)
		if err != nil {
			t.Fatalf("%q: %v", sql, err)
		}
		if len(form.Where) != len(tpl.form.Where) || form.Aggregate != tpl.form.Aggregate {
			t.Fatalf("%q: %+v, expected the shape of %+v", sql, form, tpl.form)
		}
	})
}
