package mix_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/tabperturb/tabperturb/augment/mix"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// build builds perturbations of the sample.
func build(t *testing.T, data string, names ...string) string {
	t.Helper()
	list, err := benchmark.Select(names)
	if err != nil {
		t.Fatal(err)
	}
	buckets := perturbtest.Buckets(t, filepath.Join("..", "..", "benchmark", "adveta", "testdata", "buckets.json"), perturbtest.Units(t, data))
	out := filepath.Join(t.TempDir(), "build")
	_, err = benchmark.Build(t.Context(), perturbtest.Units(t, data), out, benchmark.Config{
		Perturbations: list, Resources: perturbtest.Resources(), Buckets: buckets, Samples: 2, Seed: 1, Workers: 2, Split: "dev",
		Report: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func config(t *testing.T, builds ...string) mix.Config {
	return mix.Config{
		Builds: builds, Strategy: mix.All, ExcludeSplit: "dev", Seed: 1, Workers: 2,
		Report: func(err error) { t.Error(err) },
	}
}

func mustMix(t *testing.T, c mix.Config) (string, *mix.Manifest) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	m, err := mix.Mix(t.Context(), out, c)
	if err != nil {
		t.Fatal(err)
	}
	return out, m
}

// readRows reads all rows of a mix.
func readRows(t *testing.T, dir string) (rows []mix.Row) {
	t.Helper()
	shards, err := filepath.Glob(filepath.Join(dir, "data", "train-*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range shards {
		more, err := parquet.ReadFile[mix.Row](path)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, more...)
	}
	return rows
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMix mixes one build of the sample in several ways.
func TestMix(t *testing.T) {
	data := perturbtest.WriteSample(t)
	adveta := build(t, data, "adveta")
	sql := build(t, data, "drspider/sort-order", "drspider/db-text")
	t.Run("all", func(t *testing.T) { testAll(t, data, adveta, sql) })
	t.Run("originals of the builds", func(t *testing.T) { testPre(t, sql) })
	t.Run("strategies", func(t *testing.T) { testStrategies(t, data, adveta, sql) })
	t.Run("refused", func(t *testing.T) { testRefused(t, data, adveta, sql) })
	t.Run("damaged", func(t *testing.T) { testDamaged(t, adveta) })
}

// testAll looks at a mix as those see it who read it: every original once, then every
// record, each form telling of the same examples, and gold SQL that runs.
func testAll(t *testing.T, data, adveta, sql string) {
	c := config(t, adveta, sql)
	c.Data = data
	out, m := mustMix(t, c)
	rows := readRows(t, out)
	if len(rows) != m.Rows || m.Rows != m.Originals+m.Drawn || m.Originals != 106 {
		t.Fatalf("%d rows; the manifest has %d originals, %d drawn, %d rows", len(rows), m.Originals, m.Drawn, m.Rows)
	}
	split, err := dataset.InputFiles(data, "dev")
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for ex, err := range streamtest.AllOfFile(dataset.ReadExamples, filepath.Join(data, split[1])) {
		if err != nil {
			t.Fatal(err)
		}
		want := mix.Row{ID: fmt.Sprint("original/", ex.Index), Source: mix.Original, DB: ex.DB, Question: ex.Question, Query: ex.Query, Example: int32(ex.Index)}
		if diff := cmp.Diff(want, rows[i]); diff != "" {
			t.Fatalf("original %d (-want +got):\n%s", i, diff)
		}
		i++
	}
	want := map[string]bool{}
	for _, b := range []string{adveta, sql} {
		for rec, err := range streamtest.AllOfPlainFile(recordfile.Read, filepath.Join(b, benchmark.RecordsFile)) {
			if err != nil {
				t.Fatal(err)
			}
			want[fmt.Sprint(rec.Perturbation, rec.Example, rec.DBPost, rec.QuestionPost, rec.QueryPost)] = true
		}
	}
	for _, r := range rows[i:] {
		key := fmt.Sprint(r.Source, r.Example, r.DB, r.Question, r.Query)
		if !want[key] {
			t.Errorf("%s is no record, or there twice", r.ID)
		}
		if r.Sample == nil || r.Edits == nil || r.Relation == nil || !json.Valid([]byte(*r.Edits)) {
			t.Errorf("%s lacks its sample, edits or relation", r.ID)
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("%d records are not there", len(want))
	}
	checkSpider(t, out, rows, m)
	checkFeatures(t, out)
}

// checkSpider compares the Spider data directory with the rows and runs all gold SQL.
func checkSpider(t *testing.T, out string, rows []mix.Row, m *mix.Manifest) {
	t.Helper()
	gold := slices.Collect(strings.Lines(tree(t, out)["/train_gold.sql"]))
	databases := 0
	units, err := dataset.Units(out, "train", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		databases++
		db, err := sqlite.Open(t.Context(), u.DB.SQLite)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range u.Examples {
			r := rows[ex.Index]
			if ex.DB != r.DB || ex.Question != r.Question || ex.Query != r.Query {
				t.Errorf("train.json has another example %d than the rows: %s", ex.Index, r.ID)
			}
			if line, err := dataset.GoldLine(ex.Query); err != nil || gold[ex.Index] != line+"\t"+ex.DB+"\n" {
				t.Errorf("train_gold.sql:%d is %q", ex.Index+1, gold[ex.Index])
			}
			if _, err := db.Query(t.Context(), ex.Query, sqldata.DefaultLimits); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if databases != m.Databases || len(gold) != m.Rows {
		t.Errorf("%d databases, %d gold SQL, want %d and %d", databases, len(gold), m.Databases, m.Rows)
	}
}

// checkFeatures compares the features that the card declares with the schema of the
// Parquet files.
func checkFeatures(t *testing.T, out string) {
	t.Helper()
	card := tree(t, out)["/README.md"]
	file, err := os.Open(filepath.Join(out, "data", "train-00000.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var features strings.Builder
	features.WriteString("  features:\n")
	for _, f := range p.Schema().Fields() {
		dtype := map[string]string{"STRING": "string", "INT(32,true)": "int32"}[f.Type().String()]
		fmt.Fprintf(&features, "  - name: %s\n    dtype: %s\n", f.Name(), dtype)
	}
	if features.WriteString("  splits:\n"); !strings.Contains(card, features.String()) {
		t.Errorf("the card declares other features than the Parquet files have:\n%s\nwant\n%s", card, features.String())
	}
}

// testPre takes the originals from the build: those with a record, once although both
// perturbations have records of them.
func testPre(t *testing.T, sql string) {
	out, m := mustMix(t, config(t, sql))
	rows := readRows(t, out)
	seen := map[int32]int{}
	originals := map[int32]bool{}
	for _, r := range rows {
		if r.Source == mix.Original {
			seen[r.Example]++
		} else {
			originals[r.Example] = true
		}
	}
	if len(seen) != m.Originals || len(seen) != len(originals) {
		t.Errorf("%d originals, the manifest has %d, the records are of %d", len(seen), m.Originals, len(originals))
	}
	for ex, n := range seen {
		if n != 1 {
			t.Errorf("original %d is there %d times", ex, n)
		}
	}
	checkSpider(t, out, rows, m)
}

// testStrategies holds what is drawn to the formulas, and to be the same bytes with
// any number of workers.
func testStrategies(t *testing.T, data, adveta, sql string) {
	rates := map[string]float64{"adveta/replace": 0.6, "adveta/add": 0.2, "drspider/sort-order": 0.2, "drspider/db-text": 0, "other/one": 0.9}
	for _, test := range []struct {
		strategy mix.Strategy
		size     int
	}{{mix.Random, 0}, {mix.Random, 50}, {mix.Stratified, 120}, {mix.Adaptive, 100}} {
		t.Run(fmt.Sprint(test.strategy, test.size), func(t *testing.T) {
			c := config(t, adveta, sql)
			c.Data, c.Strategy, c.Size, c.Rates, c.Workers = data, test.strategy, test.size, rates, 1
			out, m := mustMix(t, c)
			size := test.size
			if size == 0 {
				size = 106
			}
			if m.Drawn != size || m.Rows != 106+size {
				t.Errorf("%d drawn, %d rows, want %d and %d", m.Drawn, m.Rows, size, 106+size)
			}
			drawn := map[string]int{}
			for _, r := range readRows(t, out) {
				drawn[r.Source]++
			}
			for _, r := range m.Relations {
				first := 0
				switch test.strategy {
				case mix.Stratified:
					first = min(r.Distinct, size/4)
				case mix.Adaptive:
					first = min(r.Distinct, int(rates[r.Name]*float64(size)+0.5)) // the rates of the four sum up to 1
				}
				if r.First != first || r.Drawn < first || drawn[r.Name] != r.Drawn {
					t.Errorf("%s: share %d, drawn %d, rows %d; want a share of %d", r.Name, r.First, r.Drawn, drawn[r.Name], first)
				}
			}
			c.Workers = 4
			other, _ := mustMix(t, c)
			if diff := cmp.Diff(tree(t, out), tree(t, other)); diff != "" {
				t.Error("another number of workers gives other bytes")
			}
			c.Seed = 2
			if other, _ = mustMix(t, c); tree(t, out)["/train_gold.sql"] == tree(t, other)["/train_gold.sql"] {
				t.Error("another seed draws the same")
			}
		})
	}
}

// refused checks that a mix fails with one line and leaves nothing.
func refused(t *testing.T, c mix.Config, want string) {
	t.Helper()
	parent := t.TempDir()
	_, err := mix.Mix(t.Context(), filepath.Join(parent, "out"), c)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error is %v, want one line with %q", err, want)
	}
	if left := tree(t, parent); len(left) > 0 {
		t.Errorf("a mix that failed left %d files", len(left))
	}
}

func testRefused(t *testing.T, data, adveta, sql string) {
	other := t.TempDir()
	for _, name := range []string{"tables.json", "dev.json"} {
		text := tree(t, data)["/"+name]
		text = strings.ReplaceAll(text, `"hill_farms"`, `"hill_farms_2"`)
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one := t.TempDir()
	if err := os.WriteFile(filepath.Join(one, "tables.json"), []byte(tree(t, other)["/tables.json"]), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(one, "dev.json"), []byte(`[{"db_id": "hill_farms_2", "question": "How many?", "query": "SELECT count(*) FROM farms"}]`), 0o666); err != nil {
		t.Fatal(err)
	}
	// A copy has other names of the database, its tables and columns, but the same questions.
	renamed := t.TempDir()
	tables := strings.NewReplacer(`"db_id":"`, `"db_id":"copy_`, `id"]`, `nr"]`, `ID"]`, `Nr"]`).Replace(tree(t, data)["/tables.json"])
	questions := strings.NewReplacer(`"db_id": "`, `"db_id": "copy_`, `?"`, ` ?"`).Replace(tree(t, data)["/dev.json"])
	for name, text := range map[string]string{"tables.json": tables, "dev.json": questions} {
		if err := os.WriteFile(filepath.Join(renamed, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	short := t.TempDir()
	if err := os.CopyFS(short, os.DirFS(one)); err != nil {
		t.Fatal(err)
	}
	// The database that the rest asked about is not known.
	if err := os.WriteFile(filepath.Join(short, "dev.json"), []byte(strings.Replace(tree(t, one)["/dev.json"], "}]", `}, {"db_id": "`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(c *mix.Config)
		want   string
	}{
		{"leak", func(c *mix.Config) { c.Exclude = []string{data} }, "which leaks from " + data},
		{"leak under another name", func(c *mix.Config) { c.Exclude = []string{one} }, "has the database hill_farms, whose tables are those of one of " + one},
		{"leak of questions", func(c *mix.Config) { c.Exclude = []string{renamed} }, ": asks of the database "},
		{"a split that breaks off", func(c *mix.Config) { c.Exclude = []string{short} }, filepath.Join(short, "dev.json") + ":2: "},
		{"size", func(c *mix.Config) { c.Strategy, c.Size = mix.Random, 100000 }, "--size 100000: the builds have "},
		{"rate", func(c *mix.Config) { c.Strategy, c.Rates = mix.Adaptive, map[string]float64{"adveta/replace": 1} }, "the error rates lack adveta/add"},
		{"twice", func(c *mix.Config) { c.Builds = []string{adveta, adveta} }, "has adveta/replace, as " + adveta + " has"},
		{"name", func(c *mix.Config) { c.Perturb = []string{"mtteql"} }, `--perturb "mtteql": expected a perturbation or family of the builds`},
		{"no build", func(c *mix.Config) { c.Builds = []string{data} }, data + ": holds no records.parquet, expected a folder that build wrote"},
		{"other data", func(c *mix.Config) { c.Data = other }, "is another one than in " + filepath.Join(other, "dev.json")},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := config(t, adveta, sql)
			test.change(&c)
			refused(t, c, test.want)
		})
	}
}

// testDamaged changes copies of a build.
func testDamaged(t *testing.T, adveta string) {
	for _, test := range []struct {
		file   string
		change func(data string) string
		want   string
	}{
		{"manifest.json", func(s string) string { return s[:len(s)/2] }, "expected the manifest of a build"},
		{"manifest.json", func(string) string { return `{"split": "../dev", "perturbations": []}` }, "expected the manifest of a build"},
		{"manifest.json", func(s string) string { return strings.Replace(s, `"adveta/add"`, `"../add"`, 1) }, `perturbation "../add" with `},
		{"manifest.json", func(s string) string { return strings.Replace(s, `"verified": `, `"verified": 9`, 1) }, "as manifest.json says"},
		{"manifest.json", func(s string) string { return strings.Replace(s, `"verified": `, `"verified": 0, "was": `, 1) }, "as manifest.json says"},
		{"records.parquet", func(s string) string { return s[:len(s)/2] }, "expected a file written by build"},
		{"adveta/add/post/dev.json", func(s string) string { return s[:len(s)/2] }, "expected "},
		{"adveta/add/post/dev.json", func(string) string { return "[]" }, "ends before record 1"},
		{"adveta/add/post/dev.json", func(string) string { return "{}" }, "begins with no array"},
		{"adveta/add/post/dev.json", func(s string) string { return strings.Replace(s, `"question": "`, `"question": "Well, `, 1) }, "dev.json:1: is another example than the record's"},
		{"adveta/replace/pre/dev.json", func(s string) string { return "[{}," + s[1:] }, "dev.json:1: is another example than the record's"},
		{"adveta/add/post/tables.json", func(string) string { return "[]" }, "expected all: a tables.json was changed"},
		{"adveta/add/post/dev.json", func(string) string { return `[{"question": "` + strings.Repeat("x", 17<<20) }, "dev.json:1: element is larger than 16 MiB"},
		{"manifest.json", func(string) string { return `{"split": "dev", "perturbations": []}` }, "has no perturbation"},
		{".tabperturb-partial", func(string) string { return "" }, "is a build that was cut short"},
	} {
		t.Run(test.file, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(adveta)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, test.file)
			data, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(test.change(string(data))), 0o666); err != nil {
				t.Fatal(err)
			}
			refused(t, config(t, dir), test.want)
		})
	}
}
