package review

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

// The table is the worked example by which Fleiss' kappa is commonly explained: 14 raters,
// 10 subjects, 5 categories.
func TestFleiss(t *testing.T) {
	table := [][]int{
		{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
		{7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7},
	}
	if got := float64(fleissKappa(table)); math.Abs(got-0.209930704) > 5e-10 {
		t.Errorf("kappa %.9f, expected 0.209930704", got)
	}
	if got := fleissKappa([][]int{{3, 0}, {3, 0}}); got != 1 {
		t.Errorf("one category throughout: %v, expected 1", got)
	}
	for _, none := range [][][]int{nil, {{1, 0}}} {
		if got := fleissKappa(none); got.Defined() {
			t.Errorf("%v: %v, expected none", none, got)
		}
	}
}

// Two readers on 50 proposals: 20 accepted by both, 15 by neither.
func TestCohen(t *testing.T) {
	if got := float64(cohenKappa([][]int{{20, 5}, {10, 15}})); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("kappa %v, expected 0.4", got)
	}
	if got := cohenKappa([][]int{{0, 0}, {0, 0}}); got.Defined() {
		t.Errorf("%v, expected none", got)
	}
}

// decisions makes a file of decisions on the names of one column: "+a" accepts a, "-a"
// rejects it, "~a" moves it, "!a" adds it, "u3" takes back number 3; all in REPLACE.
func decisions(annotator, text string) []Decision {
	actions := map[byte]Action{'+': Accept, '-': Reject, '~': Move, '!': Add}
	var list []Decision
	for i, word := range strings.Fields(text) {
		d := Decision{N: i + 1, Annotator: annotator, DB: "db", Table: "Shop", Column: "Town", Side: dataset.Replace, Name: word[1:]}
		if word[0] == 'u' {
			d = Decision{N: i + 1, Annotator: annotator, Action: Undo, Undoes: int(word[1] - '0')}
		} else {
			d.Action = actions[word[0]]
		}
		list = append(list, d)
	}
	return list
}

func verdictsOf(annotator, text string) *Verdicts {
	return NewVerdicts(annotator, decisions(annotator, text))
}

func TestAgree(t *testing.T) {
	a := Agree([]*Verdicts{
		verdictsOf("ann", "+a +b -c +d !own"), verdictsOf("bob", "+a -b -c ~d"), verdictsOf("cy", "+a -b -c u2 +b"),
	})
	if a.Items != 4 || a.Complete != 3 || len(a.Disputed) != 2 {
		t.Errorf("%d items, %d by all, disputed %v; expected 4, 3 and two", a.Items, a.Complete, a.Disputed)
	}
	// Rows by (accept, reject, move): a 3 0 0, b 2 1 0, c 0 3 0. Agreement (1 + 1/3 + 1)/3, by
	// chance (5/9)² + (4/9)².
	want := (7.0/9 - 41.0/81) / (1 - 41.0/81)
	if math.Abs(float64(a.Fleiss)-want) > 1e-12 {
		t.Errorf("kappa %v, expected %v", a.Fleiss, want)
	}
	if p := a.Pairs[0]; p.Items != 4 || p.Equal != 0.5 {
		t.Errorf("%+v, expected 4 items, half of them equal", p)
	}
	var b bytes.Buffer
	if err := a.WriteText(&b, 1); err != nil || !strings.Contains(b.String(), `db.shop.town replace "b": ann accept bob reject cy accept`) || !strings.Contains(b.String(), "and 1 more") {
		t.Errorf("%s, %v", b.String(), err)
	}
}

func TestMerge(t *testing.T) {
	names := func(list []dataset.Candidate) (out []string) {
		for _, c := range list {
			out = append(out, c.Name)
		}
		return out
	}
	id := dataset.ColumnID{DB: "db", Table: "Shop", Column: "Town"}
	buckets := dataset.Buckets{id.Key(): {
		Replace: []dataset.Candidate{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}},
		Add:     []dataset.Candidate{{Name: "d"}},
	}}
	annotators := []*Verdicts{verdictsOf("ann", "+a +b -c ~d +e !own !x"), verdictsOf("bob", "+a -b -c ~d")}
	m := Merge(buckets, annotators, nil)
	b := m.Buckets[id.Key()]
	if diff := cmp.Diff([][]string{{"a", "e", "own", "x"}, {"d"}}, [][]string{names(b.Replace), names(b.Add)}); diff != "" {
		t.Error(diff)
	}
	if m.Accepted != 2 || m.Rejected != 1 || m.Moved != 1 || m.Added != 2 || m.Undecided != 2 || len(m.Disputed) != 1 {
		t.Errorf("%+v", m)
	}
	// Of eve's, b and f are the buckets' and x is ann's own: only z is of other buckets.
	m = Merge(buckets, annotators, verdictsOf("eve", "+b -x +f !new -z"))
	if m.Asked != 7 || m.Lacking != 1 {
		t.Errorf("asked about %d, %d of which are lacking; expected 7 and 1", m.Asked, m.Lacking)
	}
	b = m.Buckets[id.Key()]
	if diff := cmp.Diff([]string{"a", "b", "e", "f", "new", "own"}, names(b.Replace)); diff != "" {
		t.Error(diff)
	}
}

// What is not a decision is passed over, and a line that was cut short takes nothing
// with it.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	none := func(*Decision) {}
	log, err := OpenLog(path, func(error) {}, none)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range decisions("ann", "+a -b u1") {
		if err := log.Append(&d); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenLog(path, func(error) {}, none); err == nil {
		t.Error("opened twice, expected an error")
	}
	log.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"n":4,"action":"acc`)
	f.Close()
	read := 0
	var problems []error
	log, err = OpenLog(path, func(err error) { problems = append(problems, err) }, func(*Decision) { read++ })
	if err != nil || read != 3 || len(problems) != 1 {
		t.Fatalf("%d decisions, problems %v, %v; expected 3 and one", read, problems, err)
	}
	if err := log.Append(&decisions("ann", "+z")[0]); err != nil {
		t.Fatal(err)
	}
	log.Close()
	problems = nil
	v, err := ReadVerdicts(path, func(err error) { problems = append(problems, err) })
	if err != nil || len(problems) != 1 || len(v.Items) != 2 || v.Annotator != "ann" {
		t.Errorf("%+v, problems %v, %v", v, problems, err)
	}
	all, err := ReadDecisions(path, func(error) {})
	if n := len(all); err != nil || n != 4 || all[3].N != 4 || all[3].Name != "z" {
		t.Errorf("%+v, %v; expected 4 decisions, the last on z", all, err)
	}
}

// A file that is not where it was takes no decision: whoever looks for it would not find
// it there. Once it is back, decisions are taken again.
func TestLogMoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "decisions")
	path := filepath.Join(dir, "ann.jsonl")
	log, err := OpenLog(path, func(error) {}, func(*Decision) {})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	appends := func(when string, want bool) {
		t.Helper()
		d := decisions("ann", "+a")[0]
		if err := log.Append(&d); (err == nil) != want {
			t.Errorf("%s: %v, expected it taken: %v", when, err, want)
		}
	}
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	appends("at first", true)
	rename(dir, dir+"-old")
	appends("with the folder renamed", false)
	rename(dir+"-old", dir)
	appends("with the folder back", true)
	rename(path, path+".old")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	appends("with another file in its place", false)
	rename(path+".old", path)
	if err := os.Truncate(path, 1); err != nil {
		t.Fatal(err)
	}
	appends("with a file that was cut", false)
}

// What keeps nothing, or may wait for ever, is no file of decisions.
func TestLogOrdinary(t *testing.T) {
	for _, path := range []string{os.DevNull, t.TempDir()} {
		if _, err := OpenLog(path, func(error) {}, func(*Decision) {}); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
			t.Errorf("%s: %v, expected a refusal", path, err)
		}
	}
}

func FuzzReadDecisions(f *testing.F) {
	f.Add([]byte(`{"n":1,"action":"accept","db_id":"d","table":"t","column":"c","side":"add","name":"x"}` + "\n" + `{"n":2,"action":"undo","undoes":1}`))
	f.Add([]byte(`{"n":1,"action":"undo","undoes":9}` + "\n{\n\n" + `{"n":0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := ReadVerdicts(path, func(error) {})
		if err != nil {
			return
		}
		Agree([]*Verdicts{v, v})
		Merge(dataset.Buckets{}, []*Verdicts{v}, v)
	})
}
