package bird_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/bird"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// read returns all of a data set, with its errors as text.
func read(t *testing.T, dir, split string) (dbs []*dataset.Database, examples []*dataset.Example, problems []string) {
	t.Helper()
	set, err := bird.Read(t.Context(), dir, split)
	if err != nil {
		t.Fatal(err)
	}
	note := func(err error) bool {
		if err == nil {
			return false
		}
		text := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
		if dataset.IsNote(err) {
			text = "warning: " + text
		}
		problems = append(problems, text)
		return true
	}
	for db, err := range streamtest.All(set.Databases) {
		if !note(err) {
			dbs = append(dbs, db)
		}
	}
	for ex, err := range streamtest.All(set.Examples) {
		if !note(err) {
			examples = append(examples, ex)
		}
	}
	return dbs, examples, problems
}

func compact(t *testing.T, path string) string {
	t.Helper()
	file, closer, err := dataset.OpenText(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	var data, out bytes.Buffer
	if _, err := data.ReadFrom(file); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&out, data.Bytes()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func write(t *testing.T, set *dataset.Set) string {
	t.Helper()
	out := t.TempDir()
	if err := bird.Write(t.Context(), set, out, func(err error) {
		if !dataset.IsNote(err) {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPublic reads BIRD's dev set and mini-dev: every gold SQL parses and resolves in
// the schema that is read off it, and what is written is what was read.
func TestPublic(t *testing.T) {
	dir := shared.File(t, "data", "bird")
	for split, want := range map[string]int{"mini_dev": 500, "dev": 1534} {
		dbs, examples, problems := read(t, dir, split)
		if len(dbs) != 11 || len(examples) != want || len(problems) != 1 || !strings.HasPrefix(problems[0], "warning: "+split+"_tables.json:1:") {
			t.Errorf("%s: %d databases, %d examples, %q, expected 11, %d and one warning", split, len(dbs), len(examples), problems, want)
		}
		byID := map[string]*dataset.Database{}
		for _, db := range dbs {
			byID[db.ID] = db
		}
		for _, ex := range examples {
			if _, err := perturb.NewExample(byID[ex.DB], ex); err != nil {
				t.Errorf("%s %s: %v", split, ex.ID, err)
			}
		}
		set, err := bird.Read(t.Context(), dir, split)
		if err != nil {
			t.Fatal(err)
		}
		out := write(t, set)
		if compact(t, filepath.Join(dir, split+".json.gz")) != compact(t, filepath.Join(out, split+".json")) {
			t.Errorf("%s.json is not what it was", split)
		}
		descriptions := shared.Untar(t, "data", "bird", "schema_descriptions.tar.gz")
		for _, db := range dbs {
			name := db.ID + "_schema.json"
			was, err := os.ReadFile(filepath.Join(descriptions, "data", "description", name))
			now, err2 := os.ReadFile(filepath.Join(out, "description", name))
			if err != nil || err2 != nil || !bytes.Equal(was, now) {
				t.Errorf("%s is not what it was: %v, %v", name, err, err2)
			}
		}
		again, more, problems := read(t, out, split)
		if len(again) != len(dbs) || len(more) != want || len(problems) != 0 {
			t.Errorf("%s, written and read: %d databases, %d examples, %q", split, len(again), len(more), problems)
		}
		for i, db := range again {
			if a, b := db.Tables, dbs[i].Tables; !slices.EqualFunc(a, b, func(x, y dataset.Table) bool {
				return x.Original == y.Original && slices.EqualFunc(x.Columns, y.Columns, func(x, y dataset.Column) bool {
					return x.Original == y.Original && x.Name == y.Name && x.Type == y.Type && x.Description == y.Description && x.Values == y.Values
				})
			}) {
				t.Errorf("%s differs when it is read again", db.ID)
			}
		}
	}
}

const (
	tablesJSON = `[{"db_id": "school", "table_names_original": ["frpm"], "table_names": ["meals"],
 "column_names_original": [[-1, "*"], [0, "CDS Code"], [0, "Free (%)"], [0, "opened"]],
 "column_names": [[-1, "*"], [0, "code"], [0, "free share"], [0, "opened"]],
 "column_types": ["text", "integer", "real", "date"], "primary_keys": [[1, 3]], "foreign_keys": [], "release": 1.50}]`
	devJSON = `[{"question_id": 7, "db_id": "school", "question": "How many?", "evidence": "free refers to ` + "`Free (%)`" + ` > 1; opened in 1980 refers to opened = 1980",
 "SQL": "SELECT COUNT(` + "`CDS Code`" + `) FROM frpm WHERE ` + "`Free (%)`" + ` > 1 AND opened = 1980", "difficulty": "simple", "by": "\u00e9"}]`
	frpmCSV = "\xef\xbb\xbforiginal_column_name,column_name,column_description,data_format,value_description\r\n" +
		"CDS Code ,code,,integer,\r\n" +
		"Free (%),free share,\"share of caf\xe9, per day; see opened\",real,\"Free (%) = a\r\nover b\"\r\n" +
		"gone,,\"a \"\"b\"\"\",text,\r\nopened,,caf\u00e9,date,"
)

// school writes a data set with schemas, content and CSV.
func school(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dev_tables.json": tablesJSON, "dev.json": devJSON, "dev_databases/school/database_description/frpm.csv": frpmCSV,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tables := []sqldata.Table{{Name: "frpm", Columns: []sqldata.Column{{Name: "CDS Code", Type: "INTEGER"}, {Name: "Free (%)", Type: "REAL"}, {Name: "opened", Type: "DATE"}}, PrimaryKey: []string{"CDS Code"}}}
	rows := [][][]sqldata.Value{{{sqldata.NewInt(1), sqldata.NewFloat(2), sqldata.NewInt(1980)}}}
	if err := sqlite.Create(t.Context(), filepath.Join(dir, "dev_databases", "school", "school.sqlite"), tables, rows); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFolder(t *testing.T) {
	dir := school(t)
	dbs, examples, problems := read(t, dir, "dev")
	if len(dbs) != 1 || len(examples) != 1 || problems != nil {
		t.Fatalf("%d databases, %d examples, %q", len(dbs), len(examples), problems)
	}
	db, ex := dbs[0], examples[0]
	want := []dataset.Column{
		{Name: "code", Original: "CDS Code", Type: dataset.Number},
		{Name: "free share", Original: "Free (%)", Type: dataset.Number, Description: "share of café, per day; see opened", Values: "Free (%) = a\r\nover b"},
		{Name: "opened", Original: "opened", Type: dataset.Time, Description: "café"},
	}
	for i, c := range db.Tables[0].Columns {
		if c.Name != want[i].Name || c.Original != want[i].Original || c.Type != want[i].Type || c.Description != want[i].Description || c.Values != want[i].Values {
			t.Errorf("column %d is %+v, expected %+v", i, c, want[i])
		}
	}
	if len(db.PrimaryKeys) != 2 || db.SQLite == "" || ex.ID != "7" || ex.Difficulty != "simple" || !strings.HasPrefix(ex.Evidence, "free refers") {
		t.Errorf("%+v, %+v", db, ex)
	}
	set, _ := bird.Read(t.Context(), dir, "dev")
	out := write(t, set)
	for _, name := range []string{"dev.json", "dev_tables.json"} {
		if compact(t, filepath.Join(dir, name)) != compact(t, filepath.Join(out, name)) {
			t.Errorf("%s is not what it was", name)
		}
	}
	csv, err := os.ReadFile(filepath.Join(out, "dev_databases", "school", "database_description", "frpm.csv"))
	if err != nil || string(csv) != frpmCSV {
		t.Errorf("frpm.csv is %q, %v", csv, err)
	}
	gold, _ := os.ReadFile(filepath.Join(out, "dev.sql"))
	if string(gold) != ex.Query+"\tschool\n" {
		t.Errorf("dev.sql is %q", gold)
	}
}

// TestPerturbed writes a schema after edits: what they changed and no more.
func TestPerturbed(t *testing.T) {
	dir := school(t)
	dbs, examples, _ := read(t, dir, "dev")
	edits := []perturb.Edit{
		perturb.RenameColumn{Table: "frpm", Column: "Free (%)", Name: "gratis share", Natural: "gratis share"},
		perturb.RenameTable{Table: "frpm", Name: "meals", Natural: "meals"},
	}
	after, ex := apply(t, dbs[0], examples[0], edits)
	set := &dataset.Set{Format: "spider", Split: "dev", Databases: one(after), Examples: one(ex)}
	out := write(t, set)
	id := after.ID
	got := compact(t, filepath.Join(out, "dev_tables.json"))
	want := strings.NewReplacer(`"school"`, `"`+id+`"`, `"Free (%)"`, `"gratis share"`, `"free share"`, `"gratis share"`, `["frpm"]`, `["meals"]`).Replace(compact(t, filepath.Join(dir, "dev_tables.json")))
	if got != want {
		t.Errorf("dev_tables.json\n got %s\nwant %s", got, want)
	}
	got = compact(t, filepath.Join(out, "dev.json"))
	var rec struct{ DB_ID, SQL, Evidence, By string }
	if err := json.Unmarshal([]byte(got)[1:len(got)-1], &rec); err != nil {
		t.Fatal(err)
	}
	if rec.DB_ID != id || rec.Evidence != "free refers to `gratis share` > 1; opened in 1980 refers to opened = 1980" || !strings.Contains(rec.SQL, "FROM meals") || !strings.Contains(got, `"by":"\u00e9"`) {
		t.Errorf("dev.json is %s", got)
	}
	csv, err := os.ReadFile(filepath.Join(out, "dev_databases", id, "database_description", "meals.csv"))
	if want := strings.NewReplacer("\nFree (%),free share", "\ngratis share,gratis share", `"Free (%) = a`, "\"gratis share = a").Replace(frpmCSV); err != nil || strings.ReplaceAll(string(csv), "`", "") != want {
		t.Errorf("meals.csv is %q, %v\nwant %q", csv, err, want)
	}

	after, ex = apply(t, dbs[0], examples[0], []perturb.Edit{perturb.AddColumn{Table: "frpm", Beside: "opened", Name: "closed", Natural: "closed", Type: dataset.Time, Cells: []string{"1990"}}})
	set.Databases, set.Examples = one(after), one(ex)
	out = write(t, set)
	csv, err = os.ReadFile(filepath.Join(out, "dev_databases", after.ID, "database_description", "frpm.csv"))
	if want := frpmCSV + "\r\nclosed,closed,,time,\r\n"; err != nil || string(csv) != want {
		t.Errorf("frpm.csv with another column is %q, %v", csv, err)
	}
}

// apply makes edits in a schema and an example.
func apply(t *testing.T, db *dataset.Database, e *dataset.Example, edits []perturb.Edit) (*dataset.Database, *dataset.Example) {
	t.Helper()
	ex, err := perturb.NewExample(db, e)
	if err != nil {
		t.Fatal(err)
	}
	after, err := verify.Schema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	post, err := verify.Apply(ex, edits, db, after)
	if err != nil {
		t.Fatal(err)
	}
	return after, post
}

func one[T any](v T) dataset.Stream[T] {
	return func(_ func(error), each func(T) error) error { return each(v) }
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct{ name, tables, split, want string }{
		{"no SQL", tablesJSON, `[{"question_id":1,"db_id":"school","question":"?"}]`, `dev.json:1: lacks "SQL", expected it`},
		{"blank question", tablesJSON, `[{"question_id":1,"db_id":"school","question":" ","SQL":"SELECT 1"}]`, `dev.json:1: "question" is empty, expected text`},
		{"id twice", tablesJSON, `[{"question_id":1,"db_id":"school","question":"?","SQL":"SELECT 1"},{"question_id":1,"db_id":"school","question":"?","SQL":"SELECT 1"}]`,
			`dev.json:2: question_id 1 is there already, expected each once; this one is left out`},
		{"id of another type", tablesJSON, `[{"question_id":[1],"db_id":"school","question":"?","SQL":"SELECT 1"}]`, `dev.json:1: "question_id" is neither a number nor text, expected one`},
		{"a path for an id", tablesJSON, `[{"db_id":"../x","question":"?","SQL":"SELECT 1"}]`, `dev.json:1: "db_id" is "../x", expected a name that can be a folder's`},
		{"another release", `[{"db_id":"school","tables":[]}]`, `[]`, `dev_tables.json:1: lacks "table_names_original", expected it`},
		{"schema twice", strings.TrimSuffix(tablesJSON, "]") + "," + tablesJSON[1:], `[]`, `dev_tables.json:2: db_id "school" is there already, expected each once; this one is left out`},
		{"cut short", tablesJSON, `[{"question_id":1`, `dev.json:1: file ends within the record, expected whole JSON: unexpected EOF`},
		{"no object", tablesJSON, `[3]`, `dev.json:1: record is a number, expected an object`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.WriteFile(filepath.Join(dir, "dev_tables.json"), []byte(test.tables), 0o644), os.WriteFile(filepath.Join(dir, "dev.json"), []byte(test.split), 0o644)); err != nil {
				t.Fatal(err)
			}
			if _, _, problems := read(t, dir, "dev"); len(problems) != 1 || problems[0] != test.want {
				t.Errorf("%q, expected %q", problems, test.want)
			}
		})
	}
	if _, err := bird.Read(context.Background(), t.TempDir(), "dev"); err == nil || !strings.Contains(err.Error(), "dev.json") {
		t.Errorf("an empty folder: %v, expected the names of files", err)
	}
}

// TestInferred reads a schema off SQLite, and off gold SQL alone.
func TestInferred(t *testing.T) {
	dir := school(t)
	if err := os.Remove(filepath.Join(dir, "dev_tables.json")); err != nil {
		t.Fatal(err)
	}
	dbs, _, problems := read(t, dir, "dev")
	if len(dbs) != 1 || problems != nil || len(dbs[0].Tables[0].Columns) != 3 || len(dbs[0].PrimaryKeys) != 1 || dbs[0].Tables[0].Columns[1].Name != "free percent" {
		t.Errorf("off SQLite: %+v, %q", dbs, problems)
	}
	queries := []string{
		"SELECT T1.name, SUM(T2.Price) FROM customers AS T1 JOIN sales AS T2 ON T1.CustomerID = T2.buyer WHERE day > '2012-01-01' AND T2.day LIKE '2012-%'",
		"SELECT x.total FROM (SELECT COUNT(*) AS total, city FROM customers GROUP BY city) AS x WHERE x.city = 'Rome' ORDER BY total",
		"WITH old AS (SELECT CustomerID FROM customers WHERE age > 60) SELECT buyer FROM sales WHERE buyer IN (SELECT CustomerID FROM old)",
	}
	var list []string
	for _, q := range queries {
		text, _ := json.Marshal(q)
		list = append(list, `{"db_id":"shop","question":"?","SQL":`+string(text)+`}`)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dev.json"), []byte("["+strings.Join(list, ",")+"]"), 0o644); err != nil {
		t.Fatal(err)
	}
	dbs, examples, problems := read(t, dir, "dev")
	if len(dbs) != 1 || len(examples) != 3 || len(problems) != 1 {
		t.Fatalf("%+v, %q", dbs, problems)
	}
	var got []string
	for _, table := range dbs[0].Tables {
		for _, c := range table.Columns {
			got = append(got, table.Original+"."+c.Original+" "+string(c.Type))
		}
	}
	want := []string{
		"customers.name text", "customers.CustomerID text", "customers.city text", "customers.age number",
		"sales.Price number", "sales.buyer text", "sales.day time",
	}
	if !slices.Equal(got, want) {
		t.Errorf("columns %q, expected %q", got, want)
	}
	if k := dbs[0].ForeignKeys; len(k) != 1 || dbs[0].ColumnID(k[0].Column).Column != "buyer" || dbs[0].ColumnID(k[0].Target).Column != "CustomerID" {
		t.Errorf("foreign keys %v", k)
	}
}

// TestForeignSource writes a schema whose Source speaks of other tables and of files
// elsewhere: it comes from a data directory, which anyone may have written.
func TestForeignSource(t *testing.T) {
	dir := school(t)
	set, err := bird.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	foreign := *set
	foreign.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for db, err := range streamtest.All(set.Databases) {
			if err != nil {
				t.Fatal(err)
			}
			names := []any{
				map[string]any{"table": "no", "columns": []string{}},
				map[string]any{"table": db.Tables[0].Original, "columns": append(make([]string, 9), db.Tables[0].Columns[0].Original)},
			}
			files := []any{map[string]any{"name": "../../../out.csv", "data": []byte("x")}, map[string]any{"name": "other.csv", "data": []byte("x")}}
			if db.Source, err = dataset.Patch(db.Source, dataset.Change{Key: "schema", Value: names}, dataset.Change{Key: "files", Value: files}); err != nil {
				t.Fatal(err)
			}
			db.SQLite = ""
			yield(db, nil)
		}
	})
	out := filepath.Join(t.TempDir(), "a")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := bird.Write(t.Context(), &foreign, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	var written []string
	err = filepath.WalkDir(filepath.Dir(out), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".csv") {
			written = append(written, filepath.Base(path))
		}
		return err
	})
	if err != nil || !slices.Equal(written, []string{"other.csv"}) {
		t.Errorf("wrote %q, %v, expected the file that stays in its folder", written, err)
	}
}
