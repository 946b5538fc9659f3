package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// TestBadGolds distils a split with golds that cannot be used: they are told, and
// the rest is distilled.
func TestBadGolds(t *testing.T) {
	_, data := smallSample(t)
	path := filepath.Join(data, "dev.json")
	var examples []map[string]any
	readJSON(t, path, &examples)
	examples[1]["query"] = "SELECT FROM WHERE"
	examples[2]["query"] = "SELECT nobody FROM nowhere"
	examples[3]["query"] = "SELECT frobnicate(1)"
	examples[4]["query"] = "DROP TABLE books"
	examples[5]["query"] = "SELECT abs(-9223372036854775807 - 1)"
	writeJSON(t, path, examples)
	var told []string
	c := testConfig(t)
	c.Report = func(err error) { told = append(told, err.Error()) }
	_, m := mustDistill(t, data, c)
	at := slices.IndexFunc(told, func(line string) bool {
		return strings.HasSuffix(line, "gives the gold SQL a determined answer with rows")
	})
	if at < 0 {
		t.Fatalf("told %q, want of one gold that it is not judged", told)
	}
	told = slices.Delete(told, at, at+1)
	if m.Failing != 4 || len(told) != 4 || m.Empty != 1 || m.Examples != len(examples) {
		t.Errorf("%d golds fail, %d are empty, of %d examples; told %q; want 4 and 1 of %d", m.Failing, m.Empty, m.Examples, told, len(examples))
	}
	for _, line := range told {
		if !strings.HasPrefix(line, "dev.json:") || !strings.Contains(line, ": gold SQL cannot be used: ") {
			t.Errorf("told %q", line)
		}
	}
}

// TestEmptyGold distils golds that have neighbours, but rows on no database or only where
// the answer is determined: of the first no prediction is judged, of the second an empty
// answer is not right.
func TestEmptyGold(t *testing.T) {
	_, data := smallSample(t)
	path := filepath.Join(data, "dev.json")
	var examples []map[string]any
	readJSON(t, path, &examples)
	never, rare := "SELECT title FROM books WHERE pages > 1 AND pages < 1", "SELECT title FROM books WHERE title = 'Nowhere' AND pages = 77 ORDER BY pages LIMIT 1"
	examples = examples[:2]
	examples[0]["query"], examples[1]["query"] = never, rare
	writeJSON(t, path, examples)
	c := testConfig(t)
	told := 0
	c.Report = func(error) { told++ }
	out, m := mustDistill(t, data, c)
	s, err := OpenSuite(out)
	if err != nil {
		t.Fatal(err)
	}
	if paths := s.For("town_library", never); m.Empty != 1 || told != 1 || paths != nil {
		t.Errorf("%d golds without rows, told %d, judged on %q", m.Empty, told, paths)
	}
	if o := judgeBy(t, s, "town_library", rare, "SELECT 1 WHERE 1 = 0"); o.Verdict != verdict.Wrong {
		t.Errorf("an empty answer: %+v, expected wrong", o)
	}
}

// TestCaseAndNull judges predictions that differ from the gold where strings differ in
// case alone or are NULL.
func TestCaseAndNull(t *testing.T) {
	unit := &dataset.Unit{DB: farm()}
	pairs := [][2]string{
		{"SELECT id FROM animal WHERE kind = 'Cow'", "SELECT id FROM animal WHERE kind LIKE 'cow'"},
		{"SELECT id FROM animal WHERE kind LIKE 'cow'", "SELECT id FROM animal WHERE kind = 'cow'"},
		{"SELECT count(*) FROM animal", "SELECT count(kind) FROM animal"},
	}
	for i, p := range pairs {
		unit.Examples = append(unit.Examples, &dataset.Example{Index: i, DB: "farm", Query: p[0]})
	}
	c := testConfig(t)
	c.Databases, c.Nulls = 200, NullsAllowed
	out := filepath.Join(t.TempDir(), "suite")
	if _, err := Distill(t.Context(), []*dataset.Unit{unit}, out, c); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSuite(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if o := judgeBy(t, s, "farm", p[0], p[1]); o.Verdict != verdict.Wrong {
			t.Errorf("%s: %s is not told apart: %+v", p[0], p[1], o)
		}
	}
}

// judgeBy judges a prediction by a suite.
func judgeBy(t *testing.T, s *Suite, id, gold, pred string) execution.Outcome {
	t.Helper()
	var dbs []*execution.Database
	for _, path := range s.For(id, gold) {
		db, err := execution.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		dbs = append(dbs, db)
	}
	o, err := execution.NewGold(gold, execution.Options{}).Judge(t.Context(), pred, dbs...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestBadNames distils a unit whose id would lead out of the suite's folder.
func TestBadNames(t *testing.T) {
	units, _ := smallSample(t)
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"..", "../..", ".", "", "a/b", precious} {
		db := *units[0].DB
		db.ID = id
		one := []*dataset.Unit{{DB: &db, Examples: units[0].Examples}}
		told := 0
		c := testConfig(t)
		c.Databases, c.Report = 1, func(error) { told++ }
		m, err := Distill(t.Context(), one, filepath.Join(dir, "suite"), c)
		if err != nil || told != 1 || m.Kept != 0 {
			t.Errorf("id %q: %v, told %d, kept %+v", id, err, told, m)
		}
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// TestLargeCell distils a database with a cell that a scratch database does not
// take: it stays in the suite, untried.
func TestLargeCell(t *testing.T) {
	db := farm()
	db.SQLite = filepath.Join(t.TempDir(), "farm.sqlite")
	cell := sqldata.NewText(strings.Repeat("x", 2<<20))
	rows := [][][]sqldata.Value{{{sqldata.NewInt(1), cell, sqldata.NewInt(50)}}}
	if err := sqlite.Create(t.Context(), db.SQLite, dataset.SQLiteTables(db), rows); err != nil {
		t.Fatal(err)
	}
	one := []*dataset.Unit{{DB: db, Examples: []*dataset.Example{{DB: "farm", Query: "SELECT name FROM farm WHERE acres > 40"}}}}
	m, err := Distill(t.Context(), one, filepath.Join(t.TempDir(), "suite"), testConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	dbs := m.Schemas[0].Databases
	if i := slices.IndexFunc(dbs, func(d Database) bool { return d.Tried == 0 }); i < 0 || dbs[i].Tells != 0 || m.Left > 0 {
		t.Errorf("databases %v, %d neighbours left", dbs, m.Left)
	}
}

// TestBadDatabase distils where one database file is none.
func TestBadDatabase(t *testing.T) {
	units, data := smallSample(t)
	if err := os.WriteFile(dataset.SQLitePath(data, units[0].DB.ID), []byte("no database"), 0o666); err != nil {
		t.Fatal(err)
	}
	var told []string
	c := testConfig(t)
	c.Databases = 1
	c.Report = func(err error) { told = append(told, err.Error()) }
	_, m := mustDistill(t, data, c)
	if len(told) != 1 || !strings.Contains(told[0], "not a SQLite database") || len(m.Schemas[0].Databases) != 0 || len(m.Schemas[1].Databases) == 0 {
		t.Errorf("told %q; databases of the first schema: %v", told, m.Schemas[0].Databases)
	}
}

func TestOpenSuiteErrors(t *testing.T) {
	_, data := smallSample(t)
	c := testConfig(t)
	c.Databases = 2
	out, m := mustDistill(t, data, c)
	id := m.Schemas[0].ID
	s, err := OpenSuite(out)
	if err != nil {
		t.Fatal(err)
	}
	if dbs := s.For("nowhere", "SELECT 1"); dbs != nil {
		t.Errorf("databases of an unknown id: %v", dbs)
	}
	got := s.For(id, "SELECT 1")
	if len(got) != len(s.schemas[id].Databases) || filepath.Base(got[len(got)-1]) != id+".sqlite" {
		t.Errorf("databases for an unknown gold: %v, want all %d, the content last", got, len(s.schemas[id].Databases))
	}
	manifest := filepath.Join(out, ManifestFile)
	good, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	file := `"file": "` + m.Schemas[0].Databases[0].File
	for what, bad := range map[string]string{
		"no JSON":        "{",
		"other version":  strings.Replace(string(good), `"version": 3`, `"version": 99`, 1),
		"file elsewhere": strings.Replace(string(good), file, `"file": "../x.sqlite`, 1),
		"file missing":   strings.Replace(string(good), file, `"file": "x.sqlite`, 1),
	} {
		if err := os.WriteFile(manifest, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSuite(out); err == nil || !strings.Contains(err.Error(), out) {
			t.Errorf("%s: error %v, want one that names the file", what, err)
		}
	}
	if _, err := OpenSuite(t.TempDir()); err == nil {
		t.Error("an empty folder opens")
	}
}
