package doctor_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/doctor"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

var update = flag.Bool("update", false, "write the golden files anew")

// gold makes a case of gold SQL alone.
func gold(queries ...string) func(*fixture) {
	return func(f *fixture) {
		for _, q := range queries {
			f.gold(q)
		}
	}
}

// cases break the fixture, each so that the check of its name finds it.
var cases = []struct {
	check  string
	damage func(*fixture)
}{
	{"unusable-record", func(f *fixture) {
		f.examples = append(f.examples, example{DB: "films", Question: "Of which database?", Query: "SELECT 1"}, example{DB: "shows", Question: " ", Query: "SELECT 1"})
	}},
	{"unusable-record", func(f *fixture) {
		f.files = map[string]string{"dev.json": `[{"db_id": "shows", "question": "Who?", "query": "SELECT name FROM singer"}, {"db_id"`}
	}},
	{"odd-record", func(f *fixture) {
		f.listed.Tables[0].Columns[3].Original = "AGE"
		f.listed.Tables[0].Columns[2].Type = "money"
		f.stored = nil
	}},
	{"without-gold", func(f *fixture) {
		// Asked twice, on a column whose type and cells differ.
		cy := example{DB: "shows", Question: "Who is the oldest?", Answer: []string{"Cy"}}
		f.examples = []example{cy, cy}
		f.listed.Tables[0].Columns[1].Type = dataset.Number
	}},
	{"shared-database", func(f *fixture) {
		f.files = map[string]string{"train.json": `[{"db_id": "shows", "question": "Who?", "query": "SELECT name FROM singer"}]`}
	}},
	{"unknown-database", func(f *fixture) { f.files = map[string]string{"database/films/films.sqlite": ""} }},
	{"missing-database", func(f *fixture) { f.stored = nil }},
	{"damaged-database", func(f *fixture) {
		f.files = map[string]string{"database/shows/shows.sqlite": "SQLite format 3\x00" + strings.Repeat("no page of a database", 500)}
	}},
	{"damaged-database", func(f *fixture) { f.files = map[string]string{"database/shows/shows.sqlite": ""} }},
	{"integrity", func(f *fixture) {
		f.views = []string{`CREATE INDEX i ON singer (age); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON singer (name)' WHERE name = 'i'`}
	}},
	{"database-without-rows", func(f *fixture) { f.rows = nil; f.gold("SELECT name FROM singer") }},
	{"missing-table", func(f *fixture) { f.stored = f.stored[:1]; f.rows = f.rows[:1] }},
	{"missing-column", func(f *fixture) { f.stored[1].Columns[2].Name = "name" }},
	{"unlisted-table", func(f *fixture) {
		f.stored = append(f.stored, sqldata.Table{Name: "fan", Columns: []sqldata.Column{{Name: "name"}}})
	}},
	{"unlisted-column", func(f *fixture) {
		f.stored[1].Columns = append(f.stored[1].Columns, sqldata.Column{Name: "price"})
		f.rows = f.rows[:1]
	}},
	{"unlisted-column", func(f *fixture) {
		f.stored[1].Columns = append(f.stored[1].Columns, sqldata.Column{})
		f.rows = f.rows[:1]
	}},
	{"other-type", func(f *fixture) {
		f.listed.Tables[0].Columns[1].Type, f.listed.Tables[0].Columns[2].Type = dataset.Number, dataset.Text
	}},
	{"primary-key", func(f *fixture) { f.stored[0].PrimaryKey = []string{"name"} }},
	{"foreign-key", func(f *fixture) { f.stored[1].ForeignKeys[0].References = []string{"age"}; f.rows[1] = nil }},
	{"dangling-key", func(f *fixture) {
		f.listed.ForeignKeys[0].Target = f.listed.ForeignKeys[0].Column
		f.stored[0].PrimaryKey = nil
		f.stored[1].ForeignKeys = []sqldata.ForeignKey{{Columns: []string{"singer_id"}, Table: "artist"}, {Columns: []string{"id"}, Table: "singer", References: []string{"nr"}}, {Columns: []string{"title"}, Table: "singer"}}
	}},
	{"foreign-key-violation", func(f *fixture) { f.rows[1] = append(f.rows[1], row(4, 7, "Rain"), row(5, 8, "Snow")) }},
	{"not-utf8", func(f *fixture) { f.rows[1][1] = row(2, 1, "Caf\xe9"); f.rows[1][2] = row(3, 3, "Café") }},
	{"several-statements", gold("SELECT name FROM singer; DROP TABLE singer", "SELECT name\n\nFROM singer; -- and\n\nSELECT ';' AS x")},
	{"gold-syntax", func(f *fixture) { f.stored = nil; f.gold("SELECT name FROM singer WHERE") }},
	{"gold-names", func(f *fixture) { f.stored = nil; f.gold("SELECT id FROM singer JOIN show ON singer.id = singer_id") }},
	{"gold-fails", gold("SELECT nme FROM singer", "SELECT name FROM singer JOIN singer ON singer.id = singer.id", "SELECT name FROM singer ORDER BY", "DELETE FROM singer")},
	{"gold-limit", func(f *fixture) { f.config.Limits.Rows = 2; f.gold("SELECT name FROM singer") }},
	{"gold-limit", func(f *fixture) {
		f.config.Limits.Time = 100 * time.Millisecond
		f.gold("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	}},
	{"gold-slow", func(f *fixture) { f.config.Slow = 1 }},
	{"gold-undetermined", gold("SELECT title FROM show LIMIT 1", "SELECT singer_id FROM show GROUP BY title ORDER BY count(*) LIMIT 1",
		"SELECT title, count(*) FROM show GROUP BY singer_id")},
	{"gold-empty", gold("SELECT name FROM singer WHERE age > 90")},
	{"official-parser", gold("SELECT name FROM singer WHERE age IS NOT NULL", "SELECT `name` FROM singer",
		"SELECT T1.name FROM singer AS T1, show AS T2 WHERE T1.id = T2.singer_id AND T2.title = 'Noon'")},
	{"official-value", func(f *fixture) {
		f.listed.Tables[0].Columns[3].Original, f.stored[0].Columns[3].Name = "net_value", "net_value"
		f.gold("SELECT net_value FROM singer")
	}},
	{"gold-grammar", gold("SELECT name FROM singer WHERE age = id + 29")},
	{"number-as-text", gold("SELECT name FROM singer ORDER BY fee", "SELECT min(fee), max(fee) FROM singer")},
	{"number-against-text", gold("SELECT name FROM singer WHERE fee > 950", "SELECT name FROM singer WHERE fee = 1000.0 OR id = 1",
		"SELECT name FROM singer WHERE fee > (SELECT avg(fee) FROM singer) OR id = 1")},
	{"text-against-number", gold(`SELECT name FROM singer WHERE age != "null"`, "SELECT name FROM singer WHERE age < 'old'")},
	{"mixed-cells", func(f *fixture) {
		f.rows[0][1] = row(2, "Bo", "", "1000")
		f.rows[1] = append(f.rows[1], row(4, 1, ""), row(5, 1, nil))
		f.gold("SELECT name FROM singer WHERE age > 20")
		f.gold("SELECT count(title) FROM show")
	}},
	{"quoted-column", gold(`SELECT name FROM singer WHERE name != "fee"`)},
	{"quoted-string", gold(`SELECT "title" FROM singer`)},
	{"cross-join", gold("SELECT DISTINCT name FROM singer JOIN show", "SELECT DISTINCT T1.name FROM singer AS T1 JOIN show AS T2 ON T2.singer_id = T2.singer_id")},
	{"repeated-example", func(f *fixture) { f.ask("how many singers  are there?", "select COUNT(*) from singer;") }},
	{"other-gold", func(f *fixture) { f.ask("How many singers are there?", "SELECT count(*) FROM show") }},
	{"gold-not-itself", func(f *fixture) {
		// The evaluator removes DISTINCT, and the answer grows.
		f.config.Limits.Rows = 2
		f.gold("SELECT DISTINCT singer_id FROM show")
	}},
	{"not-audited", func(f *fixture) { f.config.Limits.Rows = 1; f.gold("SELECT min(fee) FROM singer") }},
}

// TestChecks pins the report of every case. Each has what it is named after.
func TestChecks(t *testing.T) {
	var report bytes.Buffer
	known := map[string]bool{}
	for _, c := range cases {
		f := newFixture()
		c.damage(f)
		s, found := audit(t, f.write(t))
		if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Check == c.check }) {
			t.Errorf("%s: not found in %+v", c.check, found)
		}
		known[c.check] = true
		fmt.Fprintf(&report, "== %s\n", c.check)
		if err := doctor.Print(&report, s, found, 4); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range doctor.Checks() {
		if !known[c.Name] {
			t.Errorf("%s: has no case", c.Name)
		}
	}
	golden(t, "checks.txt", report.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got, -update writes it anew):\n%s", path, diff)
	}
}

// sound is gold SQL in which there is nothing to find, though it comes near.
var sound = []string{
	"SELECT name FROM singer ORDER BY age",
	"SELECT title FROM show WHERE title > 'D' ORDER BY title DESC LIMIT 1",
	"SELECT max(name) FROM singer",
	"SELECT name FROM singer WHERE fee = 900",
	"SELECT name FROM singer WHERE age > '30'",
	`SELECT name FROM singer WHERE name = "Ada"`,
	`SELECT name FROM singer WHERE fee = "900"`,
	"SELECT T1.name FROM singer AS T1 JOIN show AS T2 ON T1.id = T2.singer_id WHERE T2.title = 'Noon'",
	"SELECT T1.name, count(*) FROM singer AS T1 JOIN show AS T2 ON T1.id = T2.singer_id GROUP BY T2.singer_id",
	"SELECT name, max(age) FROM singer",
	"SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM show)",
	"SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer)",
	"SELECT count(*) FROM singer;",
}

func TestSound(t *testing.T) {
	f := newFixture()
	for _, q := range sound {
		f.gold(q)
	}
	s, found := audit(t, f.write(t))
	for _, finding := range found {
		t.Errorf("%+v (in %s)", finding, f.examples[max(finding.Index, 0)].Query)
	}
	if want := (doctor.Summary{Split: "dev.json", Databases: 1, Examples: len(sound) + 1}); s != want {
		t.Errorf("summary %+v, want %+v", s, want)
	}
	var report bytes.Buffer
	if err := doctor.Print(&report, s, found, 1); err != nil || report.String() != "dev.json: 14 examples on 1 database: no findings\n" {
		t.Errorf("report of a clean directory: %q, %v", report.String(), err)
	}
}

// TestViews: a view of tables.json is a table that questions ask about, and its columns are
// compared; one that tables.json does not list is no business of the audit.
func TestViews(t *testing.T) {
	f := newFixture()
	f.views = []string{"CREATE VIEW old AS SELECT name, age FROM singer WHERE age > 40", "CREATE VIEW other AS SELECT 1"}
	f.listed.Tables = append(f.listed.Tables, dataset.Table{Name: "old", Original: "Old", Columns: []dataset.Column{
		{Name: "name", Original: "name", Type: dataset.Text}, {Name: "age", Original: "age", Type: dataset.Number}}})
	f.gold("SELECT name FROM old WHERE age > 50")
	if _, found := audit(t, f.write(t)); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	f.listed.Tables[2].Columns = append(f.listed.Tables[2].Columns, dataset.Column{Name: "fee", Original: "fee", Type: dataset.Text})
	f.listed.Tables[2].Columns[1].Type = dataset.Text
	_, found := audit(t, f.write(t))
	var checks []string
	for _, finding := range found {
		checks = append(checks, finding.Check+" "+finding.Table+"."+finding.Column)
	}
	if want := []string{"missing-column Old.fee", "other-type Old.age"}; !slices.Equal(checks, want) {
		t.Errorf("found %q, want %q", checks, want)
	}
}

// TestGoldFile reads the golds of the cases from a file of lines instead.
func TestGoldFile(t *testing.T) {
	f := newFixture()
	f.files = map[string]string{"gold.sql": "SELECT count(*) FROM singer\tshows\n\nSELECT nme FROM singer\tshows\nSELECT 1\n"}
	c := f.write(t)
	c.Gold = filepath.Join(c.Data, "gold.sql")
	s, found := audit(t, c)
	if s.Examples != 2 {
		t.Errorf("%d examples, want 2", s.Examples)
	}
	var places []string
	for _, f := range found {
		places = append(places, fmt.Sprintf("%s %s:%d %d", f.Check, filepath.Base(f.File), f.Record, f.Index))
	}
	if diff := cmp.Diff([]string{"unusable-record gold.sql:4 -1", "gold-fails gold.sql:0 1"}, places); diff != "" {
		t.Error(diff)
	}
}

// TestWorkers compares all that is found on the sample with every gold SQL
// broken, with one worker and with eight.
func TestWorkers(t *testing.T) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "dev.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte("FROM"), []byte("FRUM")), 0o666); err != nil {
		t.Fatal(err)
	}
	_, one := audit(t, doctor.Config{Data: dir, Split: "dev", Workers: 1})
	_, eight := audit(t, doctor.Config{Data: dir, Split: "dev", Workers: 8})
	if diff := cmp.Diff(one, eight); diff != "" || len(one) < 100 {
		t.Errorf("%d findings; eight workers against one: %s", len(one), diff)
	}
}

func TestUnusable(t *testing.T) {
	empty := t.TempDir()
	if _, err := doctor.Run(t.Context(), doctor.Config{Data: empty, Split: "dev"}, nil); err == nil || !strings.Contains(err.Error(), "tables.json") {
		t.Errorf("empty directory: %v", err)
	}
	f := newFixture()
	f.files = map[string]string{"dev.json": "[]"}
	if _, err := doctor.Run(t.Context(), f.write(t), nil); err == nil || !strings.Contains(err.Error(), "dev.json: holds no example") {
		t.Errorf("empty split: %v", err)
	}
	c := newFixture().write(t)
	c.Gold = filepath.Join(c.Data, "none.sql")
	if _, err := doctor.Run(t.Context(), c, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no gold file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := doctor.Run(ctx, newFixture().write(t), func(doctor.Finding) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
