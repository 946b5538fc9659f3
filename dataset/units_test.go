package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

const example = `{"db_id": "pets", "question": "How many pets?", "query": "SELECT count(*) FROM Pet", "question_toks": ["How", "many", "pets", "?"], "sql": {"from": []}}`

func TestDecodeExamples(t *testing.T) {
	want := []*Example{
		{Index: 0, DB: "pets", Question: "How many pets?", Query: "SELECT count(*) FROM Pet", Tokens: []string{"How", "many", "pets", "?"}},
		{Index: 2, DB: "pets", Question: "How many pets?", Query: "SELECT count(*) FROM Pet", Tokens: []string{"How", "many", "pets", "?"}},
	}
	for name, text := range map[string]string{
		"dev.json":  "[" + example + ", {}, " + example + "]",
		"dev.jsonl": example + "\n{}\r\n" + example,
	} {
		got, errs := readAll(in(DecodeExamples, strings.NewReader(text), name))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]string{name + `:2: lacks "db_id", expected it`}, errs); diff != "" {
			t.Errorf("%s errors (-want +got):\n%s", name, diff)
		}
	}
}

func TestDecodeExamplesBadRecords(t *testing.T) {
	for _, c := range []struct{ name, record, want string }{
		{"no question", strings.Replace(example, `"question"`, `"q"`, 1), `lacks "question"`},
		{"no query", strings.Replace(example, `"query"`, `"q"`, 1), `lacks "query"`},
		{"empty query", strings.Replace(example, "SELECT count(*) FROM Pet", " ", 1), `"query" is empty, expected text`},
		{"query is an object", strings.Replace(example, `"SELECT count(*) FROM Pet"`, `{}`, 1), `"query" is an object, expected a string`},
		{"tokens are text", strings.Replace(example, `["How", "many", "pets", "?"]`, `"How"`, 1), `"question_toks" is a string, expected an array`},
		{"not UTF-8", strings.Replace(example, "many", "m\xe4ny", 1), "text is not UTF-8"},
		{"too large", `{"x": "` + strings.Repeat("x", maxRecord) + `"}`, "record is larger than 16 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, sep := range map[string][3]string{"dev.json": {"[", ",", "]"}, "dev.jsonl": {"", "\n", "\n"}} {
				text := sep[0] + example + sep[1] + c.record + sep[1] + example + sep[2]
				got, errs := readAll(in(DecodeExamples, strings.NewReader(text), name))
				if len(got) != 2 || len(errs) != 1 || !strings.HasPrefix(errs[0], name+":2: ") || !strings.Contains(errs[0], c.want) {
					t.Errorf("%s: %d examples, errors %.200q, expected two and %q", name, len(got), errs, c.want)
				}
			}
		})
	}
}

// write makes files below a new folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readUnits returns what is reported and the error behind the units.
func readUnits(dir, split string) (units []*Unit, errs []string) {
	units, err := Units(dir, split, func(err error) { errs = append(errs, err.Error()) })
	if err != nil {
		errs = append(errs, err.Error())
	}
	return units, errs
}

func TestUnits(t *testing.T) {
	second := strings.Replace(petsTables, `"pets"`, `"more"`, 1)
	in := func(id string) string { return strings.Replace(example, "pets", id, 1) }
	dir := write(t, map[string]string{
		"tables.json":                 "[" + petsTables + ", " + second + ", 7]",
		"dev.json":                    "[" + strings.Join([]string{in("more"), in("pets"), in("none"), in("more")}, ", ") + "]",
		"train_spider.json":           "[" + in("pets") + "]",
		"database/more/more.sqlite":   "",
		"database/pets/pets.sqlite/x": "",
		"cut.json":                    "[" + in("pets") + ",",
	})
	units, errs := readUnits(dir, "dev")
	var got []string
	for _, u := range units {
		s := fmt.Sprintf("%s %q", u.DB.ID, strings.TrimPrefix(u.DB.SQLite, dir))
		for _, ex := range u.Examples {
			s += fmt.Sprint(" ", ex.Index)
		}
		got = append(got, s)
	}
	want := []string{fmt.Sprintf("more %q 0 3", filepath.FromSlash("/database/more/more.sqlite")), fmt.Sprintf("pets %q 1", filepath.FromSlash("/database/pets/pets.sqlite"))} // a folder is no file, and not none
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
	wantErrs := []string{
		filepath.Join(dir, "tables.json") + ":3: record is a number, expected an object",
		filepath.Join(dir, "dev.json") + `:3: db_id "none" is unknown, expected one of tables.json`,
	}
	if diff := cmp.Diff(wantErrs, errs); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if units, _ := readUnits(dir, "train"); len(units) != 1 {
		t.Errorf("train_spider.json gives %d units, expected 1", len(units))
	}
	for _, tt := range []struct {
		split string
		units int
		want  string
	}{{"cut", 1, "file ends within the record"}, {"test", 0, "expected one of test.json, test.json.gz"}} {
		units, errs := readUnits(dir, tt.split)
		if len(units) != tt.units || len(errs) != 2 || !strings.Contains(errs[1], tt.want) {
			t.Errorf("%s: %d units, errors %q, expected %d and %q last", tt.split, len(units), errs, tt.units, tt.want)
		}
	}
}

func TestUnitsWithoutExamples(t *testing.T) {
	dir := write(t, map[string]string{"tables.json": "[" + petsTables + "]", "dev.json": "[]", "test.json": "[7]", "train.json": "{}"})
	for split, want := range map[string][]string{
		"dev":   {"dev.json: holds no example that can be used, expected at least one"},
		"test":  {"test.json:1: record is a number, expected an object", "test.json: holds no example that can be used, expected at least one"},
		"train": {"train.json:1: found '{', expected ["},
		"none":  {"none.json: file does not exist, expected one of none.json, none.json.gz, none.jsonl, none.jsonl.gz"},
	} {
		for i := range want {
			want[i] = filepath.Join(dir, want[i])
		}
		units, errs := readUnits(dir, split)
		if diff := cmp.Diff(want, errs); len(units) != 0 || diff != "" {
			t.Errorf("%s: %d units, errors (-want +got):\n%s", split, len(units), diff)
		}
	}
}

func TestUnitsOfSpider(t *testing.T) {
	dir := shared.Dir(t)
	spider := filepath.Dir(shared.File(t, "data", "spider", "dev.json"))
	units, errs := readUnits(spider, "dev")
	n := 0
	for _, u := range units {
		n += len(u.Examples)
		if !slices.IsSortedFunc(u.Examples, func(a, b *Example) int { return a.Index - b.Index }) {
			t.Errorf("%s: examples are not in the split's order", u.DB.ID)
		}
	}
	if len(units) != 20 || n != 1034 || errs != nil {
		t.Errorf("%s: %d units of %d examples, errors %q, expected 20 of 1034 and none", dir, len(units), n, errs)
	}
	min := shared.File(t, "data", "spider", "train_spider_min.jsonl.gz")
	examples, errs := readAll(of(ReadExamples, filepath.Join(filepath.Dir(min), filepath.Base(min))))
	if len(examples) != 7000 || errs != nil {
		t.Errorf("%d train examples, errors %q, expected 7000 and none", len(examples), errs)
	}
}

func TestSplitRoundTrip(t *testing.T) {
	want, err := os.ReadFile(shared.File(t, "data", "spider", "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var records []struct {
		SpiderExample
		SQL json.RawMessage `json:"sql"`
	}
	if err := json.Unmarshal(want, &records); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	w := NewSplitWriter(&got)
	for _, r := range records {
		r.SpiderExample.SQL = r.SQL
		if err := w.Write(r.SpiderExample); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(got.Bytes()), bytes.TrimSpace(want)) {
		t.Error("Spider's dev.json does not come back byte for byte")
	}
}

func TestSplitWriter(t *testing.T) {
	var got bytes.Buffer
	w := NewSplitWriter(&got)
	if err := w.Write(SpiderExample{DB: "a", Query: "SELECT <b> FROM \"é\"", Question: "Ünïcode 😀 & 日本?", QueryToks: []string{}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `[
    {
        "db_id": "a",
        "query": "SELECT <b> FROM \"\u00e9\"",
        "query_toks": [],
        "query_toks_no_value": null,
        "question": "\u00dcn\u00efcode \ud83d\ude00 & \u65e5\u672c?",
        "question_toks": null,
        "sql": null
    }
]
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got.Reset()
	if err := NewSplitWriter(&got).Close(); err != nil || got.String() != "[]\n" {
		t.Errorf("empty split is %q, %v", got.String(), err)
	}
}

func TestWriteGold(t *testing.T) {
	var got bytes.Buffer
	if err := WriteGold(&got, "SELECT a\nFROM\tb\r\nWHERE c", "pets"); err != nil {
		t.Fatal(err)
	}
	if want := "SELECT a FROM b WHERE c\tpets\n"; got.String() != want {
		t.Errorf("got %q, expected %q", got.String(), want)
	}
}

func TestGoldLine(t *testing.T) {
	for _, tt := range []struct{ query, want string }{
		{"SELECT  a FROM b", "SELECT  a FROM b"},
		{"SELECT a -- the first\nFROM b", "SELECT a FROM b"},
		{"SELECT a /* the first */ FROM b", "SELECT a FROM b"},
		{"SELECT a FROM b WHERE c = 'x\ty'", ""},
		{"SELECT\n", ""},
	} {
		got, err := GoldLine(tt.query)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("GoldLine(%q) = %q, %v; want %q", tt.query, got, err, tt.want)
		}
	}
}

// failing is a writer that is full.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWritersReportErrors(t *testing.T) {
	full := failing{errors.New("disk is full")}
	for name, err := range map[string]error{
		"tables":       NewTablesWriter(full).Write(petsDB()),
		"tables end":   NewTablesWriter(full).Close(),
		"split":        NewSplitWriter(full).Write(SpiderExample{}),
		"gold":         WriteGold(full, "", ""),
		"buckets":      NewBucketsWriter(full, 1).Write(BucketColumn{}),
		"buckets end":  NewBucketsWriter(full, 1).Close(),
		"all buckets":  WriteBuckets(full, 1, nil, Buckets{ColumnID{"a", "b", "c"}: {}}),
		"adveta":       WriteADVETA(full, Add, []*Database{petsDB()}, nil),
		"adveta empty": WriteADVETA(full, Add, nil, nil),
	} {
		if !errors.Is(err, full.err) {
			t.Errorf("%s: error is %v, expected %v", name, err, full.err)
		}
	}
}
