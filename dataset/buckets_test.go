package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func petsBuckets() Buckets {
	return Buckets{
		{"pets", "owner", "home town"}: {
			Replace: []Candidate{
				{Name: "city", Source: "retrieval", Evidence: "t1 <cities & towns>", Type: Text, Cells: []string{"Rome", "Köln"}, Similarity: 0.75, Forward: 0.9, Backward: 0.8},
				{Name: "residence", Source: "dictionary", Evidence: "home", Similarity: 0.5, Forward: 1, Backward: 1},
			},
			Add: []Candidate{{Name: "mayor", Source: "retrieval", Similarity: -0.25}},
		},
		{"pets", "pet", "born"}:  {Add: []Candidate{{Name: "died", Source: "adveta"}}},
		{"other", "t", "column"}: {Replace: []Candidate{{Name: "pillar", Source: "dictionary"}}},
		{"pets", "pet", "tame"}:  {},
	}
}

func TestWriteBuckets(t *testing.T) {
	var got bytes.Buffer
	if err := WriteBuckets(&got, 7, []*Database{petsDB()}, petsBuckets()); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "buckets.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("buckets.json (-want +got):\n%s", diff)
	}
	var v any
	if err := json.Unmarshal(got.Bytes(), &v); err != nil {
		t.Error(err)
	}
	var warnings []error
	back, err := ReadBuckets(&got, "buckets.json", func(err error) { warnings = append(warnings, err) })
	if err != nil || warnings != nil {
		t.Errorf("written buckets read with %v, %v", warnings, err)
	}
	if diff := cmp.Diff(petsBuckets(), back, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	if got.Reset(); WriteBuckets(&got, 1, nil, nil) != nil || !json.Valid(got.Bytes()) {
		t.Errorf("no buckets are written as %s", got.String())
	}
}

func TestReadBucketsRepairs(t *testing.T) {
	file := `{"seed": 3, "columns": [
		{"db_id": "d", "table": "T", "column": "C", "comment": "by hand", "replace": [{"name": " New  Name ", "type": "TEXT"}, {"name": ""}, {"name": "x", "type": "int"}, {"name": "a\u0000b"}, {"name": "` + strings.Repeat("y", maxCandidateName+1) + `"}]},
		{"db_id": "d", "table": "t", "column": "c", "replace": [{"name": "new name"}], "add": [{"name": "y"}]},
		{"db_id": "d", "table": "t"},
		{"db_id": "d", "table": "t", "column": 4},
		{"db_id": "d", "table": "t", "column": "e", "add": [{"name": "y", "forward": "high"}]}
	], "version": 1}`
	var warnings []error
	got, err := ReadBuckets(strings.NewReader(file), "b.json", func(err error) { warnings = append(warnings, err) })
	if err != nil {
		t.Fatal(err)
	}
	want := Buckets{{"d", "t", "c"}: {Replace: []Candidate{{Name: "new name", Type: Text}, {Name: "x", Type: Others}}, Add: []Candidate{{Name: "y"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	var lines []string
	for _, w := range warnings {
		lines = append(lines, w.Error())
	}
	if diff := cmp.Diff([]string{
		`b.json:1: d.T.C: candidate "" is empty, expected a name; it is left out`,
		`b.json:1: d.T.C: candidate "x" has the type "int", expected text, number, time, boolean or others; taken as "others"`,
		`b.json:1: d.T.C: candidate "a\x00b" holds a control character, expected none; it is left out`,
		`b.json:1: d.T.C: candidate "` + strings.Repeat("y", 40) + `…" has 257 bytes, expected 256 at most; it is left out`,
		"b.json:2: column d.t.c is there already; the lists are joined",
		`b.json:3: lacks "db_id", "table" or "column", expected all three`,
		`b.json:4: "column" is a number, expected a string`,
		`b.json:5: "add.forward" is a string, expected a number`,
	}, lines); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadBucketsBrokenFiles(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"no columns", `{"version": 1}`, `b.json:1: lacks "columns"`},
		{"later version", `{"version": 2, "columns": []}`, "b.json:1: version is 2, expected 1"},
		{"version is text", `{"version": "one", "columns": []}`, `version is "one", expected 1`},
		{"columns is an object", `{"columns": {}}`, "found '{', expected ["},
		{"cut off", `{"columns": [{"db_id": "d", "table": "t", "column": "c"}, {`, "b.json:2: file ends within the record"},
		{"cut off behind a column", `{"columns": [{"db_id": "d", "table": "t", "column": "c"}`, "b.json:1: file ends here, expected , or ]"},
		{"text behind", `{"columns": []} {}`, "found '{' after the end"},
	} {
		if _, err := ReadBuckets(strings.NewReader(c.file), "b.json", func(error) {}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, expected %q", c.name, err, c.want)
		}
	}
}

func TestReadAnyBuckets(t *testing.T) {
	const ours = `{"version": 1, "columns": [{"db_id": "pets", "table": "Pet", "column": "born", "add": [{"name": "died"}]}]}`
	const theirs = `{"WTQ_1": {"header": ["year"], "id": "1", "dict": {"year": ["season"]}}}`
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(ours))
	w.Close()
	dir := write(t, map[string]string{
		"ours.json": ours, "ours.json.gz": packed.String(), "wtq-rpl.json": theirs, "wtq-add.json": theirs, "wtq.json": theirs,
		"other.json": strings.Replace(ours, "born", "weight", 1), "elsewhere.json": strings.Replace(ours, "pets", "none", 1), "array-add.json": "[]",
	})
	died := Buckets{{"pets", "pet", "born"}: {Add: []Candidate{{Name: "died"}}}}
	for _, c := range []struct {
		file    string
		want    Buckets
		problem string // a warning or the error
	}{
		{"ours.json", died, ""},
		{"ours.json.gz", died, ""},
		{"wtq-rpl.json", Buckets{{"1", "1", "year"}: {Replace: []Candidate{adveta("season", "WTQ_1")}}}, ""},
		{"wtq-add.json", Buckets{{"1", "1", "year"}: {Add: []Candidate{adveta("season", "WTQ_1")}}}, ""},
		{"wtq.json", nil, `expected "rpl" or "add" as a word of its name`},
		{"other.json", Buckets{{"pets", "pet", "weight"}: {Add: []Candidate{{Name: "died"}}}}, "column pets.pet.weight is unknown"},
		{"elsewhere.json", Buckets{{"none", "pet", "born"}: {Add: []Candidate{{Name: "died"}}}}, "the names for other databases (none) are not used"},
		{"array-add.json", Buckets{}, "found '[', expected {"},
		{"none.json", nil, "no such file"},
	} {
		var warnings []error
		got, err := ReadAnyBuckets(filepath.Join(dir, c.file), []*Database{petsDB()}, func(err error) { warnings = append(warnings, err) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.file, diff)
		}
		if err != nil {
			warnings = append(warnings, err)
		}
		if (c.problem == "") != (len(warnings) == 0) || c.problem != "" && !strings.Contains(warnings[0].Error(), c.problem) {
			t.Errorf("%s: problems are %v, expected %q", c.file, warnings, c.problem)
		}
	}
}

func TestMergeBuckets(t *testing.T) {
	id := ColumnID{"d", "t", "c"}
	a := Buckets{id: {Replace: []Candidate{{Name: "x", Source: "a"}}}}
	b := Buckets{id: {Replace: []Candidate{{Name: "x", Source: "b"}, {Name: "y", Source: "b"}}, Add: []Candidate{{Name: "x", Source: "b"}}}}
	want := Buckets{id: {Replace: []Candidate{{Name: "x", Source: "a"}, {Name: "y", Source: "b"}}, Add: []Candidate{{Name: "x", Source: "b"}}}}
	if diff := cmp.Diff(want, MergeBuckets(a, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(a[id].Replace) != 1 {
		t.Error("merging changed what was merged")
	}
}

func FuzzReadBuckets(f *testing.F) {
	var good bytes.Buffer
	if err := WriteBuckets(&good, 1, nil, petsBuckets()); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte(`{"seed": [], "version": 1, "columns": [7, {"db_id": "a", "table": "b", "column": "c", "add": [{"name": "X "}, {}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		buckets, err := ReadBuckets(bytes.NewReader(data), "f", func(error) {})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := WriteBuckets(&out, 1, nil, buckets); err != nil {
			t.Fatal(err)
		}
		var warnings []error
		again, err := ReadBuckets(&out, "f", func(err error) { warnings = append(warnings, err) })
		if err != nil || len(warnings) > 0 {
			t.Fatalf("written buckets read with %v, %v", warnings, err)
		}
		if diff := cmp.Diff(buckets, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("round trip (-want +got):\n%s", diff)
		}
	})
}

// What is trimmed of candidates as they are read is all that is missing of them.
func TestReadBucketsTrimmed(t *testing.T) {
	var file bytes.Buffer
	if err := WriteBuckets(&file, 7, nil, petsBuckets()); err != nil {
		t.Fatal(err)
	}
	want := petsBuckets()
	for _, b := range want {
		for _, list := range [][]Candidate{b.Replace, b.Add} {
			for i := range list {
				list[i].Cells = nil
			}
		}
	}
	var warnings []error
	got, err := ReadBuckets(&file, "buckets.json", func(err error) { warnings = append(warnings, err) }, func(c *Candidate) { c.Cells = nil })
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
