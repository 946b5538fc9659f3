package benchmark_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// sampleConfig returns a configuration for a data directory that began as the
// embedded sample. Skips fail the test.
func sampleConfig(t *testing.T) benchmark.Config {
	t.Helper()
	buckets := perturbtest.Buckets(t, filepath.Join("adveta", "testdata", "buckets.json"), perturbtest.Units(t, perturbtest.WriteSample(t)))
	return benchmark.Config{
		Perturbations: adveta.All, Buckets: buckets, Samples: 2, Seed: 1, Workers: 2, Split: "dev",
		Inputs: []benchmark.Input{{Name: "dev.json", SHA256: "0"}},
		Report: func(err error) { t.Error(err) },
	}
}

// mustBuild builds a data directory and returns where.
func mustBuild(t *testing.T, data string, c benchmark.Config) (string, *benchmark.Manifest) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	units, err := dataset.Units(data, "dev", func(err error) {
		c.Skipped++
		c.Report(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := benchmark.Build(t.Context(), units, out, c)
	if err != nil {
		t.Fatal(err)
	}
	return out, m
}

// tree returns the hashes of all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCatalog(t *testing.T) {
	if err := perturb.Validate(benchmark.Catalog()); err != nil {
		t.Error(err)
	}
}

func TestSelect(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string // joined names, or the error
	}{
		{[]string{"adveta"}, "adveta/replace adveta/add"},
		{[]string{"adveta/add", "adveta/replace"}, "adveta/replace adveta/add"},
		{[]string{"adveta/add", "adveta"}, "adveta/replace adveta/add"},
		{[]string{"adveta/add"}, "adveta/add"},
		{nil, ""},
		{[]string{"adveta", "adveta/drop"}, "perturbation \"adveta/drop\" is unknown; `tabperturb list` names them all"},
	} {
		list, err := benchmark.Select(test.names)
		var names []string
		for _, p := range list {
			names = append(names, p.Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("Select(%q) = %q, want %q", test.names, got, test.want)
		}
	}
}

func TestBuildSample(t *testing.T) {
	data := perturbtest.WriteSample(t)
	c := sampleConfig(t)
	out, m := mustBuild(t, data, c)
	readBuild(t, out, m).check(t)
	for _, r := range m.Perturbations {
		if r.Verified == 0 || r.Variants == 0 {
			t.Errorf("%s: nothing came of it: %+v", r.Name, r)
		}
	}
	c.Workers = 1
	again, _ := mustBuild(t, data, c)
	if diff := cmp.Diff(tree(t, out), tree(t, again)); diff != "" {
		t.Errorf("one worker makes other bytes (-two +one):\n%s", diff)
	}
	c.Seed = 2
	other, _ := mustBuild(t, data, c)
	if cmp.Equal(tree(t, out), tree(t, other)) {
		t.Error("another seed makes the same bytes")
	}
}

// counting returns perturbations that count the units they run over.
func counting(list []*perturb.Perturbation, n *atomic.Int64) []*perturb.Perturbation {
	counted := make([]*perturb.Perturbation, len(list))
	for i, p := range list {
		c := *p
		c.Run = func(pass *perturb.Pass) error {
			n.Add(1)
			return p.Run(pass)
		}
		counted[i] = &c
	}
	return counted
}

// TestResume interrupts a build and checks that resuming does only what is left
// and makes the bytes of an uninterrupted one.
func TestResume(t *testing.T) {
	data := perturbtest.WriteSample(t)
	units := len(perturbtest.Units(t, data))
	c := sampleConfig(t)
	whole, _ := mustBuild(t, data, c)
	out := filepath.Join(t.TempDir(), "out")
	for _, stop := range []int{1, 3, units - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		interrupted := c
		var begun atomic.Int64
		interrupted.Workers = 1
		interrupted.Perturbations = counting(c.Perturbations, &begun)
		interrupted.Perturbations[0].Run = func(pass *perturb.Pass) error {
			if begun.Load() == int64(stop*len(c.Perturbations)) {
				cancel()
				return pass.Context.Err()
			}
			begun.Add(1)
			return c.Perturbations[0].Run(pass)
		}
		if _, err := benchmark.Build(ctx, perturbtest.Units(t, data), out, interrupted); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d units: error %v, want that the context was cancelled", stop, err)
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("after %d units: the output is there, %v", stop, err)
		}
		other := c
		other.Resume, other.Samples = true, 3
		if _, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), out, other); err == nil || !strings.Contains(err.Error(), "other inputs or flags") {
			t.Fatalf("resumed with other flags: error %v", err)
		}
		var runs atomic.Int64
		resumed := c
		resumed.Resume, resumed.Perturbations = true, counting(c.Perturbations, &runs)
		if _, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), out, resumed); err != nil {
			t.Fatal(err)
		}
		if want := int64((units - stop) * len(c.Perturbations)); runs.Load() != want {
			t.Errorf("after %d units: %d more runs, want %d", stop, runs.Load(), want)
		}
		if diff := cmp.Diff(tree(t, whole), tree(t, out)); diff != "" {
			t.Errorf("after %d units (-uninterrupted +resumed):\n%s", stop, diff)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutDB returns the records of all databases but one.
func (b *build) withoutDB(id string) []dataset.Record {
	var records []dataset.Record
	for _, r := range b.manifest.Perturbations {
		records = append(records, b.records[r.Name]...)
	}
	return slices.DeleteFunc(records, func(r dataset.Record) bool { return r.DBPre == id })
}

// TestGeneratedContent builds over a database without rows and one without a
// file: both get made-up rows, and every record says so.
func TestGeneratedContent(t *testing.T) {
	data := perturbtest.WriteSample(t)
	none, empty := "town_library", "film_festival"
	if err := os.Remove(dataset.SQLitePath(data, none)); err != nil {
		t.Fatal(err)
	}
	for _, u := range perturbtest.Units(t, data) {
		if u.DB.ID == empty {
			if err := sqlite.Create(t.Context(), u.DB.SQLite, dataset.SQLiteTables(u.DB), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := sampleConfig(t)
	var warned []error
	c.Report = func(err error) { warned = append(warned, err) }
	out, m := mustBuild(t, data, c)
	if len(warned) != 1 || !strings.HasPrefix(warned[0].Error(), "no SQLite file for "+none+",") {
		t.Errorf("warned %v, want once of the file that is missing", warned)
	}
	b := readBuild(t, out, m)
	b.check(t)
	for _, r := range m.Perturbations {
		for _, rec := range b.records[r.Name] {
			want := dataset.ContentOriginal
			if rec.DBPre == none || rec.DBPre == empty {
				want = dataset.ContentGenerated
			}
			if rec.Content != want {
				t.Errorf("%s: example %d of %s was verified on %s content, want %s", r.Name, rec.Example, rec.DBPre, rec.Content, want)
			}
		}
		if r.Generated == 0 {
			t.Errorf("%s: nothing was verified on generated content", r.Name)
		}
		for _, id := range []string{none, empty} {
			db, err := sqlite.Open(t.Context(), dataset.SQLitePath(filepath.Join(out, r.Name, "pre"), id))
			if err != nil {
				t.Fatal(err)
			}
			if isEmpty, err := engine.IsEmpty(t.Context(), db); err != nil || isEmpty {
				t.Errorf("%s: %s has no rows, %v", r.Name, id, err)
			}
			db.Close()
		}
	}
}

// TestNoDatabase builds over a file that is no SQLite database: its examples
// are rejected, the rest is built, and one error names the file, resumed or not.
func TestNoDatabase(t *testing.T) {
	data := perturbtest.WriteSample(t)
	good, m := mustBuild(t, data, sampleConfig(t))
	const id = "harbor_clinic"
	want := readBuild(t, good, m).withoutDB(id)
	path := dataset.SQLitePath(data, id)
	for name, content := range map[string]string{"text": "no database", "empty": "", "damaged": "SQLite format 3\x00" + strings.Repeat("x", 5000)} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		c := sampleConfig(t)
		var told []error
		c.Report = func(err error) { told = append(told, err) }
		out, m := mustBuild(t, data, c)
		if len(told) != 1 || !strings.HasPrefix(told[0].Error(), path+": ") || m.Skipped != 1 {
			t.Errorf("%s: told %v, skipped %d, want one error with %s", name, told, m.Skipped, path)
		}
		b := readBuild(t, out, m)
		b.check(t)
		if diff := cmp.Diff(want, b.withoutDB("")); diff != "" {
			t.Errorf("%s: records of the other databases (-want +got):\n%s", name, diff)
		}
		for _, r := range m.Perturbations {
			if n := r.Rejected["database-unusable"]; n != 15 {
				t.Errorf("%s: %s: %d examples rejected, want the 15 of %s", name, r.Name, n, id)
			}
		}
	}
}

// TestRelation builds with a perturbation that reports an edit which its relation
// does not allow: that is a fault of the program and ends the build.
func TestRelation(t *testing.T) {
	data := perturbtest.WriteSample(t)
	c := sampleConfig(t)
	liar := *c.Perturbations[0]
	liar.Relation = perturb.Retargeted
	c.Perturbations = []*perturb.Perturbation{&liar}
	_, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), filepath.Join(t.TempDir(), "out"), c)
	if err == nil || !strings.Contains(err.Error(), "relation retargeted does not allow the edit rename-column") {
		t.Errorf("error %v, want one about the relation", err)
	}
}

// TestInvariantRenaming builds renamings that say that they keep the gold SQL:
// where it uses the column, that is not so.
func TestInvariantRenaming(t *testing.T) {
	data := perturbtest.WriteSample(t)
	c := sampleConfig(t)
	liar := *c.Perturbations[0]
	liar.Relation = perturb.Invariant
	c.Perturbations = []*perturb.Perturbation{&liar}
	_, m := mustBuild(t, data, c)
	if r := m.Perturbations[0]; r.Verified != 0 || r.Rejected["renamed-column-used"] == 0 {
		t.Errorf("verified %d, rejected %v", r.Verified, r.Rejected)
	}
}

// TestWeakAnswers builds over an example whose answer on the data set's own rows
// is empty: its promise is checked on generated rows too.
func TestWeakAnswers(t *testing.T) {
	data := perturbtest.WriteSample(t)
	path := filepath.Join(data, "dev.json")
	query := "SELECT title FROM books WHERE title = 'No Such Book'"
	if err := os.WriteFile(path, fmt.Appendf(nil, `[{"db_id": "town_library", "question": "Which?", "query": %q}]`, query), 0o666); err != nil {
		t.Fatal(err)
	}
	out, m := mustBuild(t, data, sampleConfig(t))
	b := readBuild(t, out, m)
	b.check(t)
	for _, r := range m.Perturbations {
		if r.Verified == 0 || r.Both != r.Verified || r.Weak != 0 {
			t.Errorf("%s: %d verified, %d of them on both contents, %d weak; want all on both, none weak", r.Name, r.Verified, r.Both, r.Weak)
		}
	}
}

// TestWeakAnswersAlone does so with a schema of which SQLite makes no table: the
// own rows have to do, and the record is counted as weak.
func TestWeakAnswersAlone(t *testing.T) {
	data := perturbtest.WriteSample(t)
	units := perturbtest.Units(t, data)
	i := slices.IndexFunc(units, func(u *dataset.Unit) bool { return u.DB.ID == "town_library" })
	db := units[i].DB
	loans := &db.Tables[db.Table("loans")]
	loans.Columns = append(loans.Columns, loans.Columns[0])
	ex := &dataset.Example{DB: db.ID, Question: "Which?", Query: "SELECT title FROM books WHERE title = 'No Such Book'"}
	one := []*dataset.Unit{{DB: db, Examples: []*dataset.Example{ex}}}
	m, err := benchmark.Build(t.Context(), one, filepath.Join(t.TempDir(), "out"), sampleConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Perturbations {
		if r.Verified == 0 || r.Weak != r.Verified || r.Both != 0 {
			t.Errorf("%s: %d verified, %d weak, %d on both contents; want all weak", r.Name, r.Verified, r.Weak, r.Both)
		}
	}
}

// TestBadRecords builds over a split with records that cannot be used.
func TestBadRecords(t *testing.T) {
	data := perturbtest.WriteSample(t)
	path := filepath.Join(data, "dev.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var examples []map[string]any
	if err := json.Unmarshal(raw, &examples); err != nil {
		t.Fatal(err)
	}
	examples[1]["query"] = "SELECT title FROM WHERE"
	examples[2]["query"] = "SELECT nobody FROM books"
	examples[3]["query"] = "SELECT title, frobnicate(author) FROM books"
	examples[4]["db_id"] = "nowhere"
	if raw, err = json.Marshal(examples); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	c := sampleConfig(t)
	var told []error
	c.Report = func(err error) { told = append(told, err) }
	out, m := mustBuild(t, data, c)
	want := []string{path + ":5: ", "dev.json:2: ", "dev.json:3: ", "dev.json:4: "}
	if !slices.EqualFunc(told, want, func(err error, prefix string) bool { return strings.HasPrefix(err.Error(), prefix) }) || m.Skipped != len(want) {
		t.Errorf("told %v, skipped %d, want errors with %q", told, m.Skipped, want)
	}
	readBuild(t, out, m).check(t)
	for _, r := range m.Perturbations {
		if r.Examples != len(examples)-1 {
			t.Errorf("%s: %d examples, want %d", r.Name, r.Examples, len(examples)-1)
		}
		got := map[int]perturb.Reason{}
		for _, rej := range readRejected(t, filepath.Join(out, r.Name, "rejected.jsonl")) {
			if rej.Example < 5 {
				got[rej.Example] = rej.Reason
			}
		}
		reasons := map[int]perturb.Reason{1: "gold-unresolved", 2: "gold-unresolved", 3: "gold-fails"}
		if diff := cmp.Diff(reasons, got); diff != "" {
			t.Errorf("%s: rejections (-want +got):\n%s", r.Name, diff)
		}
	}
}

// TestNoPlace builds to where files cannot be written: that is no fault of the
// examples and ends the build.
func TestNoPlace(t *testing.T) {
	data := perturbtest.WriteSample(t)
	out := filepath.Join(t.TempDir(), "out")
	c := sampleConfig(t)
	c.Resume = true // keeps what lies in the unfinished output
	taken := filepath.Join(out+".partial", "adveta", "replace", "post", "database")
	if err := os.MkdirAll(filepath.Dir(taken), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(taken, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), out, c); err == nil {
		t.Error("no error, want one of the file system")
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output is there, %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c.Resume = false
	if _, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), other, c); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("error %v, want that the folder holds other files", err)
	}
}

// TestBuildErrors checks that an error of a perturbation names unit and
// perturbation, and ends the build.
func TestBuildErrors(t *testing.T) {
	data := perturbtest.WriteSample(t)
	c := sampleConfig(t)
	failing := *c.Perturbations[0]
	failing.Run = func(p *perturb.Pass) error {
		if p.DB.ID == "hill_farms" {
			return errors.New("broken input")
		}
		return nil
	}
	c.Perturbations = []*perturb.Perturbation{&failing}
	_, err := benchmark.Build(t.Context(), perturbtest.Units(t, data), filepath.Join(t.TempDir(), "out"), c)
	if want := "hill_farms: adveta/replace: broken input"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
