package folder

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// rewrite writes a set into a new folder.
func rewrite(t *testing.T, set *dataset.Set) (dir string, problems []error) {
	t.Helper()
	dir = t.TempDir()
	if err := Format.Write(t.Context(), set, dir, func(err error) { problems = append(problems, err) }); err != nil {
		t.Fatal(err)
	}
	return dir, problems
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	makeDB(t, filepath.Join(dir, "deep", "shop.sqlite3"), shop)
	lines := []string{
		`{"id":007e-2,"question":"bad"}`,
		`{"id":1.50,"db_id":"shop","question":"Gr\u00f6ße \ud83d\ude00 <b>","query":"SELECT 1","sql":{"select":[]},"x":1e3,"evidence":null,"turn":0}`,
		`{"question":"?","db_id":"shop","SQL":"SELECT 2","query":"SELECT 2","id":"q","evidence":"","interaction":3,"turn":2,"final":{"more":1,"sql":"SELECT 3","question":"all"},"answer":["a"]}`,
	}
	put(t, filepath.Join(dir, "dev.jsonl"), lines...)
	set, err := Format.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	out, problems := rewrite(t, set)
	if len(problems) != 1 {
		t.Errorf("got %v, want the problem of line 1", problems)
	}
	got, err := os.ReadFile(filepath.Join(out, "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(lines[1:], "\n") + "\n"; string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	a, err := os.ReadFile(filepath.Join(dir, "deep", "shop.sqlite3"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(out, "databases", "shop.sqlite")); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the SQLite file is another (%v)", err)
	}
	before, _, _ := all(t, dir)
	after, _, _ := all(t, out)
	before[0].SQLite, after[0].SQLite = "", ""
	if !slices.EqualFunc(before[0].Tables, after[0].Tables, func(a, b dataset.Table) bool { return a.Name == b.Name && len(a.Columns) == len(b.Columns) }) ||
		!slices.Equal(before[0].ForeignKeys, after[0].ForeignKeys) {
		t.Errorf("got the schema %+v, want %+v", after[0], before[0])
	}
}

func TestLine(t *testing.T) {
	source := `{"id":1,"db_id":"a","question":"q","SQL":"s","query":"s","evidence":"e","x":[1.0]}`
	for _, tt := range []struct {
		label  string
		source string
		change func(*dataset.Example)
		want   string
	}{
		{"unchanged", source, func(*dataset.Example) {}, source},
		{"gold in each of its members", source, func(ex *dataset.Example) { ex.Query = "t <> 'ü'" },
			`{"id":1,"db_id":"a","question":"q","SQL":"t <> 'ü'","query":"t <> 'ü'","evidence":"e","x":[1.0]}`},
		{"a member goes, one comes", source, func(ex *dataset.Example) { ex.Evidence, ex.Difficulty = "", "simple" },
			`{"id":1,"db_id":"a","question":"q","SQL":"s","query":"s","x":[1.0],"difficulty":"simple"}`},
		{"another id and database", source, func(ex *dataset.Example) { ex.ID, ex.DB = "2", "b" },
			`{"id":"2","db_id":"b","question":"q","SQL":"s","query":"s","evidence":"e","x":[1.0]}`},
		{"from another format", "", func(ex *dataset.Example) {
			*ex = dataset.Example{ID: "n", DB: "a", Question: "q", Query: "s", Answer: []string{"1"}, Interaction: 1, Turn: 2, Final: &dataset.Example{Question: "f", Query: "g"}}
		}, `{"id":"n","db_id":"a","question":"q","sql":"s","answer":["1"],"interaction":1,"turn":2,"final":{"question":"f","sql":"g"}}`},
	} {
		t.Run(tt.label, func(t *testing.T) {
			ex := &dataset.Example{}
			if tt.source != "" {
				r, err := newRecord([]byte(tt.source))
				if err != nil {
					t.Fatal(err)
				}
				if ex, err = r.example(); err != nil {
					t.Fatal(err)
				}
				ex.Source = []byte(tt.source)
			}
			tt.change(ex)
			if got, err := exampleLine(ex); err != nil || string(got) != tt.want {
				t.Errorf("got %s (%v), want %s", got, err, tt.want)
			}
		})
	}
}

func TestWriteLeavesOut(t *testing.T) {
	db := func(id string) *dataset.Database {
		return &dataset.Database{ID: id, Tables: []dataset.Table{{Name: "t", Original: "t", Columns: []dataset.Column{{Name: "x", Original: "x", Type: dataset.Text}}}}}
	}
	examples := []*dataset.Example{{DB: "a", Question: "q", Query: "s"}, {DB: "a", Question: "p", Query: "s"}, {DB: "a", Question: "q"}}
	set := &dataset.Set{Split: "dev", Databases: streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		_ = yield(db("a"), nil)
	}), Examples: streamtest.Of(func(yield func(*dataset.Example, error) bool) {
		for _, ex := range examples {
			if !yield(ex, nil) {
				return
			}
		}
	})}
	dir, problems := rewrite(t, set)
	if len(problems) != 1 {
		t.Errorf("got %v, want the question without gold SQL", problems)
	}
	dbs, after, _ := all(t, dir)
	if len(dbs) != 1 || dbs[0].SQLite != "" || len(after) != 2 {
		t.Errorf("got %v and %v, want one and two, without content", dbs, after)
	}
	if err := Format.Refuses(nil, examples[2]); err == nil {
		t.Error("a question without gold SQL is taken, want it refused")
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`{"id":1.50,"db_id":"a","question":"q","query":"SELECT 1","sql":{"select":[]},"interaction":1,"turn":1}`)
	f.Add(`{"db_id":"a","question":"\ud800","SQL":"s","final":{"question":null},"answer":[],"x":{"y":[1e400]}}`)
	f.Fuzz(func(t *testing.T, s string) {
		r, err := newRecord([]byte(s))
		if err != nil {
			return
		}
		ex, err := r.example()
		if err != nil {
			return
		}
		ex.Source = []byte(s)
		same, err := exampleLine(ex)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members(t, same) {
			if !bytes.Equal(m.Value, r[m.Key]) {
				t.Errorf("member %q is %s, want %s as it was", m.Key, m.Value, r[m.Key])
			}
		}
		ex.Question += " changed"
		changed, err := exampleLine(ex)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members(t, changed) {
			if m.Key != "question" && !bytes.Equal(m.Value, r[m.Key]) {
				t.Errorf("member %q is %s, want %s as it was", m.Key, m.Value, r[m.Key])
			}
		}
	})
}

func members(t *testing.T, raw []byte) []dataset.Member {
	t.Helper()
	list, err := dataset.Members(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return list
}
