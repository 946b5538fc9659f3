package suite

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// testConfig tries few databases, strictly: whatever is told is an error.
func testConfig(tb testing.TB) Config {
	fail := func(err error) { tb.Error(err) }
	return Config{Databases: 40, Depth: DefaultDepth, Seed: 1, Nulls: NullsObserved, Workers: 2, Examples: "dev.json", Report: fail}
}

// unitsOf reads a data directory, without any error.
func unitsOf(tb testing.TB, dir string) []*dataset.Unit {
	tb.Helper()
	units, err := dataset.Units(dir, "dev", func(err error) { tb.Error(err) })
	if err != nil {
		tb.Fatal(err)
	}
	return units
}

func mustDistill(tb testing.TB, data string, c Config) (string, *Manifest) {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), "suite")
	m, err := Distill(tb.Context(), unitsOf(tb, data), out, c)
	if err != nil {
		tb.Fatal(err)
	}
	return out, m
}

// smallSample is the sample with the first few examples on each database, and in
// short mode on two of them alone.
func smallSample(tb testing.TB) ([]*dataset.Unit, string) {
	tb.Helper()
	_, dir := sampleUnits(tb)
	path := filepath.Join(dir, "dev.json")
	var all, kept []map[string]any
	readJSON(tb, path, &all)
	schemas, examples := 100, 5
	if testing.Short() {
		schemas, examples = 2, 6
	}
	count := map[any]int{}
	for _, ex := range all {
		if id := ex["db_id"]; count[id] > 0 || len(count) < schemas {
			if count[id]++; count[id] <= examples {
				kept = append(kept, ex)
			}
		}
	}
	writeJSON(tb, path, kept)
	return unitsOf(tb, dir), dir
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func writeJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// tree returns the files below a folder.
func tree(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// sameTree fails where two folders differ, and names the files alone.
func sameTree(t *testing.T, what, a, b string) {
	t.Helper()
	x, y := tree(t, a), tree(t, b)
	for name, data := range x {
		if y[name] != data {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(x) != len(y) {
		t.Errorf("%s: %d and %d files", what, len(x), len(y))
	}
}

// TestDistillSample distils the sample with one worker and with four, and checks
// the suite against its manifest by running every gold with all its neighbours.
func TestDistillSample(t *testing.T) {
	units, data := smallSample(t)
	c := testConfig(t)
	c.Workers = 1
	alone, m := mustDistill(t, data, c)
	c.Workers = 4
	together, _ := mustDistill(t, data, c)
	sameTree(t, "with 1 and 4 workers", alone, together)

	if m.ShareLeft() > 0.02 || m.Failing+m.Empty > 0 || m.Neighbours < 200 || len(m.Schemas) != len(units) {
		t.Errorf("%d of %d neighbours left, %d golds fail, %d are empty, %d schemas", m.Left, m.Neighbours, m.Failing, m.Empty, len(m.Schemas))
	}
	s, err := OpenSuite(alone)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, s.Manifest); diff != "" {
		t.Errorf("manifest (-written +read):\n%s", diff)
	}
	for _, u := range units {
		checkSchema(t, s, u, c.Seed)
	}
}

// checkSchema runs the golds of a schema and their neighbours on its databases.
func checkSchema(t *testing.T, s *Suite, u *dataset.Unit, seed uint64) {
	t.Helper()
	var paths []string
	for _, db := range s.schemas[u.DB.ID].Databases {
		paths = append(paths, s.path(s.schemas[u.DB.ID], db))
	}
	dbs := make([]*sqlite.DB, len(paths))
	for i, path := range paths {
		if filepath.Base(path) != u.DB.ID+".sqlite" {
			for _, v := range violations(t, path) {
				t.Errorf("%s: %s", path, v)
			}
		}
		db, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		dbs[i] = db
	}
	schema := schemaOf(t, u.DB)
	for _, g := range s.schemas[u.DB.ID].Golds {
		told := checkGold(t, g, newGold(schema, u.DB.ID, g.SQL, seed), dbs)
		for _, i := range g.Tells {
			if !told[i] {
				t.Errorf("%s: %s tells no neighbour apart, but is listed", g.SQL, paths[i])
			}
		}
		if len(g.Undetermined)+len(s.For(u.DB.ID, g.SQL)) != len(paths) {
			t.Errorf("%s: to be judged on %d of %d databases, undetermined on %d", g.SQL, len(s.For(u.DB.ID, g.SQL)), len(paths), len(g.Undetermined))
		}
	}
}

// checkGold runs a gold with its neighbours and returns which databases tell one
// apart.
func checkGold(t *testing.T, g Gold, fresh *gold, dbs []*sqlite.DB) (told map[int]bool) {
	t.Helper()
	answers := make([]*sqldata.Result, len(dbs))
	for i, db := range dbs {
		if slices.Contains(g.Undetermined, i) {
			continue
		}
		var err error
		if answers[i], err = db.Query(t.Context(), g.SQL, sqldata.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	if answered := slices.ContainsFunc(answers, func(a *sqldata.Result) bool { return a != nil && len(a.Rows) > 0 }); answered == g.Empty {
		t.Errorf("%s: has rows where it is determined: %v; listed as empty: %v", g.SQL, answered, g.Empty)
	}
	told = map[int]bool{}
	for _, n := range fresh.pending {
		apart := 0
		for i, db := range dbs {
			if answers[i] == nil {
				continue
			}
			other, err := db.Query(t.Context(), n.SQL, sqldata.Limits{})
			if err != nil || !execution.Equal(answers[i], other, fresh.ordered) {
				apart++
				told[i] = true
			}
		}
		if left := slices.Contains(g.Left, n.SQL); left != (apart == 0) {
			t.Errorf("%s: neighbour %s is told apart by %d databases, listed as left: %v", g.SQL, n.SQL, apart, left)
		}
	}
	return told
}

// TestResume interrupts a distillation and goes on.
func TestResume(t *testing.T) {
	_, data := smallSample(t)
	c := testConfig(t)
	whole, _ := mustDistill(t, data, c)
	out := filepath.Join(t.TempDir(), "suite")
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := c
	interrupted.Workers, interrupted.Step = 1, cancel
	if _, err := Distill(ctx, unitsOf(t, data), out, interrupted); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that the context was cancelled", err)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the suite is there before it is done: %v", err)
	}
	c.Resume = true
	other := c
	other.Seed = 2
	if _, err := Distill(t.Context(), unitsOf(t, data), out, other); err == nil || !strings.Contains(err.Error(), "other inputs or flags") {
		t.Errorf("resumed with another seed: error %v", err)
	}
	first, err := os.Stat(filepath.Join(out+".partial", shardDir, "000000"))
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	c.Step = func() {
		if info, err := os.Stat(filepath.Join(out+".partial", shardDir, "000000")); err == nil && !info.ModTime().Equal(first.ModTime()) {
			again++
		}
	}
	if _, err := Distill(t.Context(), unitsOf(t, data), out, c); err != nil {
		t.Fatal(err)
	}
	if again > 0 {
		t.Error("the schema that was done is done again")
	}
	sameTree(t, "interrupted or not", whole, out)
}

// TestSchemaAlone distils without any content: a database file without rows is
// none.
func TestSchemaAlone(t *testing.T) {
	units, data := smallSample(t)
	for i, u := range units {
		path := dataset.SQLitePath(data, u.DB.ID)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := sqlite.Create(t.Context(), path, dataset.SQLiteTables(u.DB), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := testConfig(t)
	c.Databases = 100
	out, m := mustDistill(t, data, c)
	if m.ShareLeft() > 0.03 || m.Failing+m.Empty > 0 {
		t.Errorf("%d of %d neighbours left, %d golds fail, %d are empty", m.Left, m.Neighbours, m.Failing, m.Empty)
	}
	s, err := OpenSuite(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		paths := s.For(u.DB.ID, "")
		own := slices.IndexFunc(paths, func(path string) bool { return filepath.Base(path) == u.DB.ID+".sqlite" })
		if own < 0 {
			t.Errorf("%s: no database has the schema's own name, by which official evaluators open it", u.DB.ID)
			continue
		}
		if empty, err := emptyFile(t, paths[own]); err != nil || empty {
			t.Errorf("%s: a database without rows is in the suite, %v", u.DB.ID, err)
		}
	}
	if curve := m.Curve(); len(curve) != c.Databases+1 || curve[0] != m.Neighbours || curve[c.Databases] != m.Left || !slices.IsSortedFunc(curve, func(x, y int) int { return y - x }) {
		t.Errorf("curve %v of %d neighbours, %d left at its end", curve, m.Neighbours, m.Left)
	}
	tsv, err := os.ReadFile(filepath.Join(out, CurveFile))
	if err != nil || strings.Count(string(tsv), "\n") != c.Databases+2 {
		t.Errorf("%d lines of %s, want %d; %v", strings.Count(string(tsv), "\n"), CurveFile, c.Databases+2, err)
	}
}

func emptyFile(t *testing.T, path string) (bool, error) {
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		return false, err
	}
	defer db.Close()
	return engine.IsEmpty(t.Context(), db)
}

// TestSpider distils two schemas of Spider dev, with and without content, and
// compares the share of neighbours left with the paper's 1%.
func TestSpider(t *testing.T) {
	shared.Quality(t)
	data := t.TempDir()
	for _, name := range []string{"tables.json", "dev.json"} {
		if err := os.Symlink(shared.File(t, "data", "spider", name), filepath.Join(data, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"), filepath.Join(data, "database")); err != nil {
		t.Fatal(err)
	}
	some := slices.DeleteFunc(unitsOf(t, data), func(u *dataset.Unit) bool { return u.DB.ID != "concert_singer" && u.DB.ID != "wta_1" })
	c := testConfig(t)
	c.Databases = 150
	fail := c.Report
	c.Report = func(err error) { // "more than 50 players" of a country is for chance
		if !dataset.IsNote(err) {
			fail(err)
		}
	}
	m, err := Distill(t.Context(), some, filepath.Join(t.TempDir(), "suite"), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Schemas) != 2 || m.Neighbours < 3000 || m.ShareLeft() > 0.01 || m.Empty > 1 {
		t.Errorf("%d schemas, %d of %d neighbours left, %d golds not judged; want 2, under 1%% of 3000 or more, and one at most",
			len(m.Schemas), m.Left, m.Neighbours, m.Empty)
	}
	t.Logf("%d of %d neighbours left, %d databases of %d bytes", m.Left, m.Neighbours, m.Kept, m.Bytes)
}
