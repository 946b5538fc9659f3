package conformance

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

var update = flag.Bool("update", false, "write the golden files")

func load(tb testing.TB) *Suite {
	tb.Helper()
	s, err := Load()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestSuiteIsWhole(t *testing.T) {
	s := load(t)
	if len(s.Cases) != 25 {
		t.Errorf("%d cases, expected 25", len(s.Cases))
	}
	for i, c := range s.Cases {
		if c.Number != i+1 {
			t.Errorf("case %d stands at place %d", c.Number, i+1)
		}
		if c.Shows == "" || c.Evaluator == "" || len(c.Pairs) == 0 {
			t.Errorf("case %d lacks a text, an evaluator or pairs", c.Number)
		}
		if !slices.ContainsFunc(c.Pairs, func(p *Pair) bool { return p.Official != p.Expected }) && c.Number != 14 && c.Number != 25 {
			t.Errorf("case %d shows no fault: official and expected verdicts are the same", c.Number)
		}
	}
}

// TestParityRule holds the data to the rule of parity: an official verdict that
// is not the right one is kept only for the cases in which that is harmless, and
// for SQL beyond the official grammar, which parity lists with its place.
func TestParityRule(t *testing.T) {
	kept := []int{1, 2, 3, 4, 5, 6, 9, 10, 15, 16, 18, 19}
	for _, p := range load(t).Pairs() {
		if p.Expected == Aborts || p.Parity == Aborts || p.Official == Judged {
			t.Errorf("pair %s: verdicts %q, %q, %q are not of their kind", p.ID, p.Expected, p.Official, p.Parity)
		}
		if p.Parity == p.Expected {
			continue
		}
		if !slices.Contains(kept, p.Case.Number) || p.Parity != p.Official {
			t.Errorf("pair %s: parity says %q, expected %q", p.ID, p.Parity, p.Expected)
		}
	}
}

func TestBadSuites(t *testing.T) {
	const db = `{"id": "d", "tables": [{"name": "t", "columns": ["a INTEGER"], "rows": [[1]]}]}`
	tests := []struct{ name, data, want string }{
		{"no JSON", `[`, "cases.json"},
		{"unknown field", `{"case": []}`, "unknown field"},
		{"cells", `{"databases": [{"id": "d", "tables": [{"name": "t", "columns": ["a INTEGER"], "rows": [[1, 2]]}]}]}`, "row 1 has 2 cells, expected 1"},
		{"cell", `{"databases": [{"id": "d", "tables": [{"name": "t", "columns": ["a INTEGER"], "rows": [[true]]}]}]}`, "expected null, a number or a string"},
		{"key", `{"databases": [{"id": "d", "tables": [{"name": "t", "columns": ["a INTEGER"], "key": ["b"]}]}]}`, `key "b" is no column`},
		{"foreign key", `{"databases": [{"id": "d", "tables": [], "foreign_keys": ["a.b"]}]}`, "foreign keys"},
		{"database", `{"databases": [` + db + `], "cases": [{"number": 1, "metric": "exact", "pairs": [{"db": "e"}]}]}`, `pair 1a: no database "e"`},
		{"metric", `{"databases": [` + db + `], "cases": [{"number": 1, "metric": "x", "pairs": [{"db": "d"}]}]}`, `metric "x"`},
		{"verdict", `{"databases": [` + db + `], "cases": [{"number": 1, "metric": "exact", "pairs": [{"db": "d", "expected": "maybe"}]}]}`, `verdict "maybe"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := decode([]byte(tt.data)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, expected one with %q", err, tt.want)
			}
		})
	}
}

// TestRun runs our metrics on the suite in both modes: every verdict is as the
// suite expects, the verdicts with their reasons are as in the golden file, and
// no database has changed.
func TestRun(t *testing.T) {
	s := load(t)
	dir := filepath.Join(t.TempDir(), "suite")
	if err := s.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	var got bytes.Buffer
	for _, strict := range []bool{false, true} {
		outcomes, err := s.Run(t.Context(), dir, strict)
		if err != nil {
			t.Fatal(err)
		}
		mode := map[bool]string{false: "parity", true: "strict"}[strict]
		for _, o := range outcomes {
			if !o.Met {
				t.Errorf("%s, pair %s: %s (%s: %s), expected %s\n gold %s\n pred %s", mode, o.Pair.ID, o.Verdict, o.Reason, o.Detail, o.Want, o.Pair.Gold, o.Pair.Pred)
			}
			flag := ""
			if o.Flagged {
				flag = "flagged"
			}
			fmt.Fprintf(&got, "%s\t%s\t%s\t%s\t%s\n", mode, o.Pair.ID, o.Verdict, flag, o.Reason)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
	golden(t, "ours.tsv", got.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-golden +got; -update writes it):\n%s", name, diff)
	}
}

func TestJudgementMeets(t *testing.T) {
	tests := []struct {
		judgement Judgement
		met       []Verdict
	}{
		{Judgement{Verdict: Right}, []Verdict{Right, Judged}},
		{Judgement{Verdict: Wrong, Flagged: true}, []Verdict{Wrong, Judged, Flagged}},
		{Judgement{Verdict: Rejected}, []Verdict{Rejected}},
		{Judgement{Verdict: GoldFails, Flagged: true}, []Verdict{GoldFails}},
		{Judgement{Verdict: Timeout}, []Verdict{Timeout}},
	}
	for _, tt := range tests {
		for _, want := range verdicts {
			if got, expected := tt.judgement.Meets(want), slices.Contains(tt.met, want); got != expected {
				t.Errorf("%+v meets %q: %t, expected %t", tt.judgement, want, got, expected)
			}
		}
	}
}

// TestWrite writes the suite twice, gets equal bytes, and reads it back through
// the readers of package dataset: the lines belong together, and so do the
// members of BIRD's object, whose order is another.
func TestWrite(t *testing.T) {
	s := load(t)
	dir := filepath.Join(t.TempDir(), "suite")
	for range 2 {
		if err := s.Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	again := filepath.Join(t.TempDir(), "suite")
	if err := s.Write(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, dir), contents(t, again)); diff != "" {
		t.Errorf("written twice (-first +second):\n%s", diff)
	}
	ids := map[string]bool{}
	for db, err := range streamtest.AllOfFile(dataset.ReadTables, filepath.Join(dir, "tables.json")) {
		if err != nil {
			t.Fatal(err)
		}
		ids[db.ID] = true
		if _, err := os.Stat(dataset.SQLitePath(dir, db.ID)); err != nil {
			t.Error(err)
		}
	}
	var read []*Pair
	for _, part := range []string{"exact/pred.sql", "execution/pred.sql", "exec-first/pred.sql", "bird/pred.json"} {
		gold := filepath.Join(dir, filepath.Dir(part), "gold.sql")
		for p, err := range streamtest.All(dataset.Pairs(gold, filepath.Join(dir, part))) {
			if err != nil || p.Problem != nil {
				t.Fatal(part, err, p.Problem)
			}
			if !ids[p.DB] {
				t.Errorf("%s: tables.json lacks %s", part, p.DB)
			}
			read = append(read, &Pair{ID: strings.TrimPrefix(p.DB, "case_"), Gold: p.Query, Pred: p.Prediction})
		}
	}
	var want []*Pair
	for _, keyed := range []bool{false, true} {
		for _, p := range s.Pairs() {
			if p.Case.Keyed == keyed {
				want = append(want, &Pair{ID: p.ID, Gold: p.Gold, Pred: p.Pred})
			}
		}
	}
	byID := func(a, b *Pair) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(want, byID)
	slices.SortFunc(read, byID)
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("pairs read back (-want +got):\n%s", diff)
	}
}

func TestWriteSparesForeignFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := load(t).Write(t.Context(), dir); err == nil {
		t.Error("replaced a folder that is no suite")
	}
	if got := len(contents(t, dir)); got != 1 {
		t.Errorf("%d files, expected 1", got)
	}
}

// snapshot returns what would show that a file below dir was written, made or
// removed, however briefly: bytes and times of the files, times of the folders.
func snapshot(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	m, err := snap(dir, true)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// contents returns the bytes of the files below dir.
func contents(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	m, err := snap(dir, false)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func snap(dir string, times bool) (map[string]string, error) {
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if times {
			m[name] = info.ModTime().String()
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m[name] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	return m, err
}
