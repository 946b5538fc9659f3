package benchmark_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// featureData makes a data directory of a database with all that SQLite holds: views,
// tables that are STRICT, without row ids or with generated columns, checks, triggers,
// partial and expression indexes, virtual tables and odd names.
func featureData(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.sqlite")
	statements, err := os.ReadFile(filepath.Join("testdata", "features.sql"))
	if err != nil {
		t.Fatal(err)
	}
	raw(t, file, func(db *sql.DB) {
		if _, err := db.Exec(string(statements)); err != nil {
			t.Fatal(err)
		}
	})
	set, err := folder.Files(t.Context(), file, filepath.Join("testdata", "features.csv"), "dev")
	if err != nil {
		t.Fatal(err)
	}
	spider, err := formats.Find("spider")
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	told := func(err error) {
		if !dataset.IsNote(err) {
			t.Error(err)
		}
	}
	if _, err := formats.Convert(t.Context(), set, spider, data, formats.Options{Report: told}); err != nil {
		t.Fatal(err)
	}
	return data
}

// raw opens a file without the sandbox.
func raw(t *testing.T, file string, use func(*sql.DB)) {
	t.Helper()
	if err := sqlite.Configure(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	use(db)
}

// TestFeatures perturbs such a database in every way. Nothing is rejected for what the
// database does not take, and in each perturbed one every object works.
func TestFeatures(t *testing.T) {
	data := featureData(t)
	c := sampleConfig(t)
	c.Report = func(err error) {
		if !dataset.IsNote(err) {
			t.Error(err)
		}
	}
	units := perturbtest.Units(t, data)
	list, err := benchmark.Select([]string{"adveta", "drspider", "mtteql", "spidersyn", "baseline/w2v"})
	if err != nil {
		t.Fatal(err)
	}
	c.Perturbations, c.Resources = list, perturbtest.Resources()
	c.Samples = benchmark.DefaultSamples / shared.Every(benchmark.DefaultSamples)
	c.Buckets = namesOf(units[0].DB)
	out, m := mustBuild(t, data, c)
	records, refused := 0, 0
	for _, r := range m.Perturbations {
		records += r.Verified + r.RejectedTotal()
		for reason, n := range r.Rejected {
			if slices.ContainsFunc([]string{"database-", "gold-", "rewritten-", "answer-changed", "more-than-names"}, func(s string) bool { return strings.HasPrefix(string(reason), s) }) {
				refused += n
				t.Logf("%s: %d %s", r.Name, n, reason)
			}
		}
	}
	if 50*refused >= records {
		t.Errorf("%d of %d records are rejected for the database, want under 2%%", refused, records)
	}
	files, err := filepath.Glob(filepath.Join(out, "*", "*", "post", "database", "*", "*.sqlite"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d databases, error %v, want 100 and more", len(files), err)
	}
	before := objects(t, filepath.Join(data, "database", "shop", "shop.sqlite"))
	for _, file := range files {
		after := objects(t, file)
		for kind, n := range before {
			merged := strings.Contains(file, "flattening") && kind == "tables without row ids"
			if after[kind] < n && !merged {
				t.Errorf("%s: %d %s, want %d", file, after[kind], kind, n)
			}
		}
	}
}

// namesOf returns names to replace and to add for every column.
func namesOf(db *dataset.Database) dataset.Buckets {
	buckets := dataset.Buckets{}
	for _, t := range db.Tables {
		for _, c := range t.Columns {
			id := dataset.ColumnID{DB: db.ID, Table: t.Original, Column: c.Original}
			buckets[id.Key()] = dataset.Bucket{
				Replace: []dataset.Candidate{perturb.Certain("own "+c.Name, "test", ""), perturb.Certain("given "+c.Name, "test", "")},
				Add:     []dataset.Candidate{perturb.Certain("former "+c.Name, "test", ""), perturb.Certain("second "+c.Name, "test", "")},
			}
		}
	}
	return buckets
}

// objects counts what works in a database file: views that can be read, statements that
// fire triggers, and what keys, checks and indexes refuse.
func objects(t *testing.T, file string) map[string]int {
	t.Helper()
	n := map[string]int{}
	raw(t, file, func(db *sql.DB) {
		text := func(query string) (list []string) {
			rows, err := db.Query(query)
			if err != nil {
				t.Errorf("%s: %s: %v", file, query, err)
				return nil
			}
			defer rows.Close()
			for rows.Next() {
				var s sql.NullString
				if err := rows.Scan(&s); err != nil {
					t.Error(err)
				}
				list = append(list, s.String)
			}
			return list
		}
		if got := text("PRAGMA integrity_check"); !slices.Equal(got, []string{"ok"}) {
			t.Errorf("%s: integrity: %q", file, got)
		}
		if got := text(`SELECT "table" FROM pragma_foreign_key_check`); len(got) > 0 {
			t.Errorf("%s: broken keys of %q", file, got)
		}
		for _, view := range text("SELECT name FROM sqlite_schema WHERE type = 'view'") {
			if len(text(`SELECT 1 FROM "`+view+`"`)) > 0 {
				n["views"]++
			}
		}
		for _, virtual := range text("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'") {
			n["virtual rows"] += len(text(`SELECT 1 FROM "` + virtual + `"`))
		}
		for _, trigger := range text("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
			on := text("SELECT tbl_name FROM sqlite_schema WHERE name = '" + trigger + "'")[0]
			if _, err := db.Exec(`EXPLAIN INSERT INTO "` + on + `" DEFAULT VALUES`); err == nil {
				n["triggers"]++
			}
		}
		n["tables of checks"] = len(text("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK%'"))
		n["strict tables"] = len(text("SELECT name FROM pragma_table_list WHERE strict"))
		n["tables without row ids"] = len(text("SELECT name FROM pragma_table_list WHERE wr AND schema = 'main' AND type = 'table'"))
	})
	return n
}
