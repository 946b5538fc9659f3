package stats

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sameNumber takes undefined numbers as equal.
var sameNumber = cmp.Comparer(func(a, b Number) bool { return a == b || !a.Defined() && !b.Defined() })

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func read(t *testing.T, name, text string) *verdict.File {
	t.Helper()
	v, err := verdict.Read(strings.NewReader(text), name, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const verdictHead = "index\tdb_id\thardness\texact\texec\tsuite\treason\n"

// By hand: of four easy predictions exact is wrong about two, one in each
// direction; of two hard ones one is not judged by exec.
func TestAgreeByHand(t *testing.T) {
	v := read(t, "v.tsv", verdictHead+
		"0\tzoo\teasy\t1\t1\t0\tother rows\n"+
		"1\tzoo\teasy\t0\t1\t1\tother clauses\n"+
		"2\tzoo\teasy\t1\t1\t1\t\n"+
		"3\tzoo\teasy\t0\t0\t0\tother rows\n"+
		"4\tzoo\thard\t0\t-\t1\tother clauses\n"+
		"5\tzoo\thard\t0\t1\t1\tother clauses\n")
	a, err := Agree("suite", []*verdict.File{v})
	if err != nil {
		t.Fatal(err)
	}
	one := func(x Number) Summary { return Summary{x, 0, x} }
	none := Summary{Undefined(), Undefined(), Undefined()}
	want := &Agreement{Truth: "suite", Files: 1, Metrics: []MetricAgreement{
		{"exact", []LevelAgreement{
			{"easy", 4, 0, one(0.25), one(0.25), Undefined()},
			{"medium", 0, 0, none, none, Undefined()},
			{"hard", 2, 0, one(0), one(1), Undefined()},
			{"extra", 0, 0, none, none, Undefined()},
			{"all", 6, 0, one(Share(1, 6)), one(Share(3, 6)), Undefined()},
		}},
		{"exec", []LevelAgreement{
			{"easy", 4, 0, one(0.25), one(0), Undefined()},
			{"medium", 0, 0, none, none, Undefined()},
			{"hard", 1, 1, one(0), one(0), Undefined()},
			{"extra", 0, 0, none, none, Undefined()},
			{"all", 5, 1, one(0.2), one(0), Undefined()},
		}},
	}}
	if diff := cmp.Diff(want, a, sameNumber); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var text bytes.Buffer
	if err := a.WriteText(&text); err != nil || strings.Contains(text.String(), "Kendall") {
		t.Errorf("one file has a rank correlation: %v\n%s", err, &text)
	}
}

// models returns files of verdicts of models of rising accuracy.
func models(t *testing.T, n int) []*verdict.File {
	rng := rand.New(rand.NewPCG(5, 6))
	var files []*verdict.File
	for m := range n {
		var b strings.Builder
		b.WriteString(verdictHead)
		for i := range 400 {
			truth := rng.Float64() < 0.4+0.04*float64(m)
			exec := truth || rng.Float64() < 0.1
			exact := truth && rng.Float64() < 0.9
			reason := ""
			if !truth {
				reason = "other rows"
			}
			fmt.Fprintf(&b, "%d\tdb%d\t%s\t%d\t%d\t%d\t%s\n", i, i/20, verdict.Levels()[i%4], bit(exact), bit(exec), bit(truth), reason)
		}
		files = append(files, read(t, fmt.Sprintf("model%d.tsv", m), b.String()))
	}
	return files
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAgreeGolden(t *testing.T) {
	a, err := Agree("suite", models(t, 6))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := a.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "agreement.golden", text.Bytes())

	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back Agreement
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, &back, sameNumber); diff != "" {
		t.Errorf("JSON (-written +read):\n%s", diff)
	}
}

// The accuracies differ by the two rates, and the levels add up to all.
func TestAgreeAddsUp(t *testing.T) {
	files := models(t, 1)
	a, err := Agree("suite", files)
	if err != nil {
		t.Fatal(err)
	}
	accuracy := func(metric int) float64 {
		right := 0
		for _, r := range files[0].Rows {
			right += bit(r.Verdicts[metric] == verdict.Right)
		}
		return float64(right) / float64(len(files[0].Rows))
	}
	for m, ma := range a.Metrics {
		all := ma.Levels[len(ma.Levels)-1]
		near(t, ma.Metric, all.FalsePositive.Mean-all.FalseNegative.Mean, accuracy(m)-accuracy(2), 1e-12)
		var sum Number
		for _, l := range ma.Levels[:len(ma.Levels)-1] {
			sum += l.FalsePositive.Mean * Share(l.Predictions, all.Predictions)
		}
		near(t, ma.Metric+" by level", sum, float64(all.FalsePositive.Mean), 1e-12)
	}
}

func TestAgreeRefuses(t *testing.T) {
	row := "0\tzoo\teasy\t1\t1\t1\t\n"
	v := read(t, "a.tsv", verdictHead+row)
	for _, c := range []struct {
		truth string
		files []*verdict.File
		want  string
	}{
		{"suite", nil, "no file of verdicts, expected one or more"},
		{"test", []*verdict.File{v}, `a.tsv: has no verdicts of "test", expected that among exact, exec, suite`},
		{"suite", []*verdict.File{v, read(t, "b.tsv", verdictHead)}, "b.tsv: has 0 predictions, expected 1 as a.tsv has"},
		{"suite", []*verdict.File{v, read(t, "b.tsv", strings.Replace(verdictHead+row, "zoo", "farm", 1))},
			`b.tsv: example 0 is easy on "farm", expected easy on "zoo" as a.tsv has`},
		{"suite", []*verdict.File{v, read(t, "b.tsv", "index\tdb_id\thardness\tsuite\treason\n")},
			"b.tsv: has metrics suite, expected exact, exec, suite as a.tsv has"},
	} {
		if _, err := Agree(c.truth, c.files); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func FuzzAgree(f *testing.F) {
	f.Add(verdictHead + "0\tzoo\teasy\t1\t0\t-\tother rows\n1\tzoo\t-\t1\t1\t1\t\n")
	f.Add("index\tdb_id\thardness\texact\treason\n9999999999999999999\t\teasy\t1\t\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		problems := 0
		v, err := verdict.Read(strings.NewReader(text), "v.tsv", func(error) { problems++ })
		if err != nil {
			return
		}
		if len(v.Rows)+problems != v.Records {
			t.Fatalf("%d rows and %d problems of %d records", len(v.Rows), problems, v.Records)
		}
		if _, err := Agree(v.Metrics[0], []*verdict.File{v, v}); err != nil {
			t.Fatal(err)
		}
	})
}
