package benchmark_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// build is a build read back from its files.
type build struct {
	dir      string
	manifest *benchmark.Manifest
	records  map[string][]dataset.Record // by perturbation
}

// readBuild reads a build and compares its manifest with what Build returned.
func readBuild(t *testing.T, dir string, returned *benchmark.Manifest) *build {
	t.Helper()
	b := &build{dir: dir, manifest: new(benchmark.Manifest), records: map[string][]dataset.Record{}}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, b.manifest); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(returned, b.manifest); diff != "" {
		t.Errorf("manifest.json (-returned +written):\n%s", diff)
	}
	for r, err := range streamtest.AllOfPlainFile(recordfile.Read, filepath.Join(dir, benchmark.RecordsFile)) {
		if err != nil {
			t.Fatal(err)
		}
		b.records[r.Perturbation] = append(b.records[r.Perturbation], r)
	}
	return b
}

// side is a data directory of a build, read back.
type side struct {
	path     string
	examples []spiderExample
	dbs      map[string]*dataset.Database
	ids      []string // of tables.json, in order
	files    map[string]*sqlite.DB
}

// spiderExample is an element of a split as it lies in the file.
type spiderExample struct {
	DB               string          `json:"db_id"`
	Query            string          `json:"query"`
	QueryToks        []string        `json:"query_toks"`
	QueryToksNoValue []string        `json:"query_toks_no_value"`
	Question         string          `json:"question"`
	QuestionToks     []string        `json:"question_toks"`
	SQL              json.RawMessage `json:"sql"`
}

func readSide(t *testing.T, b *build, perturbation, name string) *side {
	t.Helper()
	s := &side{path: filepath.Join(b.dir, filepath.FromSlash(perturbation), name), dbs: map[string]*dataset.Database{}, files: map[string]*sqlite.DB{}}
	data, err := os.ReadFile(filepath.Join(s.path, b.manifest.Split+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &s.examples); err != nil {
		t.Fatal(err)
	}
	for db, err := range streamtest.AllOfFile(dataset.ReadTables, filepath.Join(s.path, "tables.json")) {
		if err != nil {
			t.Fatal(err)
		}
		s.dbs[db.ID] = db
		s.ids = append(s.ids, db.ID)
		file, err := sqlite.Open(t.Context(), dataset.SQLitePath(s.path, db.ID))
		if err != nil {
			t.Errorf("%s: %v", s.path, err)
			continue
		}
		t.Cleanup(func() { file.Close() })
		s.files[db.ID] = file
	}
	return s
}

// check checks all that a build promises of its files.
func (b *build) check(t *testing.T) {
	for _, r := range b.manifest.Perturbations {
		pre, post := readSide(t, b, r.Name, "pre"), readSide(t, b, r.Name, "post")
		records := b.records[r.Name]
		if len(pre.examples) != len(records) || len(post.examples) != len(records) {
			t.Fatalf("%s: %d examples before, %d after, %d records, expected as many", r.Name, len(pre.examples), len(post.examples), len(records))
		}
		pre.check(t)
		post.check(t)
		pre.checkGold(t, b.manifest.Split)
		post.checkGold(t, b.manifest.Split)
		checkSchemas(t, pre, post)
		for i, rec := range records {
			checkRecord(t, rec, pre, post, i)
		}
		b.checkCounts(t, r, post)
	}
}

// check checks that databases, their files and the examples belong together.
func (s *side) check(t *testing.T) {
	t.Helper()
	used := map[string]bool{}
	for _, ex := range s.examples {
		used[ex.DB] = true
		if s.dbs[ex.DB] == nil {
			t.Errorf("%s: db_id %s is not in tables.json", s.path, ex.DB)
		}
	}
	entries, err := os.ReadDir(filepath.Join(s.path, "database"))
	if err != nil && len(s.ids) > 0 {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		folders = append(folders, e.Name())
		if files, err := os.ReadDir(filepath.Join(s.path, "database", e.Name())); err != nil || len(files) != 1 {
			t.Errorf("%s: database/%s holds %v, expected one file", s.path, e.Name(), files)
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(s.ids)), folders); diff != "" {
		t.Errorf("%s: tables.json and database/ (-tables.json +folders):\n%s", s.path, diff)
	}
	for _, id := range s.ids {
		if !used[id] {
			t.Errorf("%s: no example uses the database %s", s.path, id)
		}
	}
}

// checkGold compares SPLIT_gold.sql with the split.
func (s *side) checkGold(t *testing.T, split string) {
	t.Helper()
	f, err := os.Open(filepath.Join(s.path, split+"_gold.sql"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got, want []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		got = append(got, lines.Text())
	}
	for _, ex := range s.examples {
		want = append(want, strings.Join(strings.FieldsFunc(ex.Query, func(r rune) bool { return strings.ContainsRune("\t\n\r", r) }), " ")+"\t"+ex.DB)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s_gold.sql (-want +got):\n%s", s.path, split, diff)
	}
}

// columnsOf returns the SQL names of a database's columns by table, in lower
// case, as tables.json has them and as the SQLite file has them.
func (s *side) columnsOf(t *testing.T, id string) (described, stored map[string][]string) {
	t.Helper()
	described, stored = map[string][]string{}, map[string][]string{}
	for _, table := range s.dbs[id].Tables {
		name := strings.ToLower(table.Original)
		for _, c := range table.Columns {
			described[name] = append(described[name], strings.ToLower(c.Original))
		}
	}
	schema, err := s.files[id].Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range schema {
		name := strings.ToLower(table.Name)
		for _, c := range table.Columns {
			stored[name] = append(stored[name], strings.ToLower(c.Name))
		}
	}
	return described, stored
}

// checkSchemas checks that the SQLite files have the columns of tables.json,
// but in tables for which the data set itself is at odds with its files, and
// that no name is there twice.
func checkSchemas(t *testing.T, pre, post *side) {
	t.Helper()
	odd, tables := map[string]bool{}, 0 // odd by DB.TABLE
	for _, id := range pre.ids {
		described, stored := pre.columnsOf(t, id)
		tables += len(described)
		for table, columns := range described {
			if !slices.Equal(columns, stored[table]) {
				odd[id+"."+table] = true
			}
		}
	}
	if len(odd)*20 > tables {
		t.Errorf("%s: %d of %d tables are not as tables.json has them, expected a few at most", pre.path, len(odd), tables)
	}
	for _, id := range post.ids {
		original, _, _ := strings.Cut(id, "__")
		described, stored := post.columnsOf(t, id)
		for table, columns := range described {
			if odd[original+"."+table] {
				continue
			}
			if diff := cmp.Diff(columns, stored[table]); diff != "" {
				t.Errorf("%s: table %s (-tables.json +SQLite):\n%s", id, table, diff)
			}
			if names := slices.Compact(slices.Sorted(slices.Values(columns))); len(names) != len(columns) {
				t.Errorf("%s: table %s has a name twice: %v", id, table, columns)
			}
		}
	}
}

// checkRecord checks record i against the examples at its place, replays its
// edits and runs its gold SQL.
func checkRecord(t *testing.T, rec dataset.Record, pre, post *side, i int) {
	t.Helper()
	before, after := pre.examples[i], post.examples[i]
	want := [...]string{rec.DBPre, rec.QuestionPre, rec.QueryPre, rec.DBPost, rec.QuestionPost, rec.QueryPost}
	got := [...]string{before.DB, before.Question, before.Query, after.DB, after.Question, after.Query}
	if got != want {
		t.Errorf("record %d: %q, want what the examples have: %q", i, want, got)
	}
	if before.Question != after.Question {
		t.Errorf("record %d: the questions differ: %q, %q", i, before.Question, after.Question)
	}
	if rec.Verdict != dataset.VerdictVerified {
		t.Errorf("record %d is written with the verdict %q", i, rec.Verdict)
	}
	edits, err := perturb.UnmarshalEdits([]byte(rec.Edits))
	if err != nil || len(edits) == 0 {
		t.Fatalf("record %d: edits %s: %v", i, rec.Edits, err)
	}
	replayed, err := perturb.ApplySchema(pre.dbs[rec.DBPre], edits)
	if err != nil {
		t.Fatal(err)
	}
	if replayed.ID != rec.DBPost {
		t.Errorf("record %d: its edits make %s, not %s", i, replayed.ID, rec.DBPost)
	}
	for table := range replayed.Tables {
		for c := range replayed.Tables[table].Columns {
			replayed.Tables[table].Columns[c].Samples = nil // are not in tables.json
		}
	}
	if diff := cmp.Diff(post.dbs[rec.DBPost], replayed); diff != "" {
		t.Errorf("record %d (-tables.json +edits replayed):\n%s", i, diff)
	}
	a, b := pre.run(t, before), post.run(t, after)
	if q, err := sqlast.Parse(before.Query); err != nil || a == nil || b == nil || !perturb.Holds(q, a, b) {
		t.Errorf("record %d: the answers to %s and %s differ", i, before.Query, after.Query)
	}
}

// run runs an example's gold SQL and compares its parsed form with what
// dataset.SpiderSQL makes of it in the schema that was read back.
func (s *side) run(t *testing.T, ex spiderExample) *sqldata.Result {
	t.Helper()
	q, err := sqlast.Parse(ex.Query)
	if err != nil {
		t.Fatalf("%s: %v", ex.Query, err)
	}
	b, err := sqlast.Resolve(q, s.dbs[ex.DB])
	if err != nil || len(b.Problems) > 0 {
		t.Fatalf("%s: %v %v", ex.Query, err, b.Problems)
	}
	want := []byte("null")
	if sql, err := dataset.SpiderSQL(q, b, s.dbs[ex.DB]); err == nil {
		want, _ = json.Marshal(sql)
	}
	var got bytes.Buffer
	if err := json.Compact(&got, ex.SQL); err != nil || !jsonEqual(t, want, got.Bytes()) {
		t.Errorf("%s: sql is %s, want %s", ex.Query, &got, want)
	}
	if len(ex.QueryToks) == 0 || len(ex.QueryToksNoValue) == 0 || len(ex.QuestionToks) == 0 {
		t.Errorf("%s: an example without tokens", ex.Query)
	}
	res, err := s.files[ex.DB].Query(t.Context(), ex.Query, sqldata.Limits{})
	if err != nil {
		t.Errorf("%s: %s: %v", ex.DB, ex.Query, err)
	}
	return res
}

func jsonEqual(t *testing.T, a, b []byte) bool {
	t.Helper()
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// checkCounts checks that the manifest adds up, and that nothing rejected is
// written.
func (b *build) checkCounts(t *testing.T, r benchmark.Result, post *side) {
	t.Helper()
	type key struct{ example, sample int }
	verified, covered, generated := map[key]bool{}, map[int32]bool{}, 0
	for _, rec := range b.records[r.Name] {
		verified[key{int(rec.Example), int(rec.Sample)}] = true
		covered[rec.Example] = true
		if rec.Content == dataset.ContentGenerated {
			generated++
		}
	}
	reasons, unusable := map[perturb.Reason]int{}, 0
	for _, rej := range readRejected(t, filepath.Join(b.dir, r.Name, "rejected.jsonl")) {
		reasons[rej.Reason]++
		if verified[key{rej.Example, rej.Sample}] {
			t.Errorf("%s: example %d, sample %d is rejected (%s) and written", r.Name, rej.Example, rej.Sample, rej.Reason)
		}
		switch rej.Reason {
		case "gold-unresolved", "gold-fails", "database-unusable":
			unusable++
		}
	}
	want := r
	want.Covered, want.Variants, want.Verified, want.Generated, want.Rejected = len(covered), len(post.ids), len(verified), generated, reasons
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("%s (-counted +manifest):\n%s", r.Name, diff)
	}
	if made := r.Verified + r.RejectedTotal() - unusable; made != r.Applicable*b.manifest.Samples {
		t.Errorf("%s: %d records are verified or rejected, want %d samples of %d examples", r.Name, made, b.manifest.Samples, r.Applicable)
	}
	if r.Covered > r.Applicable || r.Applicable+unusable > r.Examples {
		t.Errorf("%s: %d examples, %d apply, %d covered, %d unusable", r.Name, r.Examples, r.Applicable, r.Covered, unusable)
	}
}

func readRejected(t *testing.T, path string) []benchmark.Rejection {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []benchmark.Rejection
	for line := range bytes.Lines(data) {
		var r benchmark.Rejection
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, r)
	}
	return all
}
