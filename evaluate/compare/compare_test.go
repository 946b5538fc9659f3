package compare

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/junit"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

var update = flag.Bool("update", false, "rewrite golden files")

// evaluation makes one from marks of a metric, the questions spread over databases.
func evaluation(name, marks string, databases int) *Evaluation {
	e := &Evaluation{File: name + ".json", Gold: "dev.json", Predictions: name, Metrics: []string{"exec"}}
	for i, mark := range marks {
		v, _ := verdict.FromMark(string(mark))
		s := Score{Verdict: v, Mark: string(mark)}
		if v == verdict.Wrong {
			s.Reason = "other answer"
		}
		e.Records = append(e.Records, Record{Index: i, DB: fmt.Sprintf("db%02d", i%databases), Hardness: "easy", Scores: map[string]Score{"exec": s}})
	}
	return e
}

func TestCompare(t *testing.T) {
	half := strings.Repeat("1", 30) + strings.Repeat("0", 30)
	tests := []struct {
		name          string
		a, b          string
		maxDrop       float64
		real, failed  bool
		broken, fixed int
		unjudged      int
	}{
		{"equal", half, half, 0, false, false, 0, 0, 0},
		{"a real drop", strings.Repeat("1", 60), half, 0, true, true, 30, 0, 0},
		{"a real drop within the limit", strings.Repeat("1", 60), half, 50, true, false, 30, 0, 0},
		{"a drop of just the limit", strings.Repeat("1", 100), strings.Repeat("0", 7) + strings.Repeat("1", 93), 7, true, false, 7, 0, 0},
		{"a rise", half, strings.Repeat("1", 60), 0, true, false, 0, 30, 0},
		{"chance", half, strings.Repeat("1", 28) + strings.Repeat("0", 30) + "11", 0, false, false, 2, 2, 0},
		{"what is not judged on a side is left out", "-" + half[1:], half[:59] + "-", 0, false, false, 0, 0, 2},
		{"nothing is judged", strings.Repeat("-", 10), strings.Repeat("1", 10), 0, false, false, 0, 0, 10},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := Compare(evaluation("a", test.a, 6), evaluation("b", test.b, 6), Options{MaxDrop: test.maxDrop})
			if err != nil {
				t.Fatal(err)
			}
			m := r.Metrics[0]
			all := m.All()
			if all.Real != test.real || m.Failed != test.failed || r.Failed() != test.failed || all.Broken != test.broken || all.Fixed != test.fixed || m.Unjudged != test.unjudged {
				t.Errorf("real %v, failed %v, broken %d, fixed %d, unjudged %d; expected %+v", all.Real, m.Failed, all.Broken, all.Fixed, m.Unjudged, test)
			}
			if len(m.Turned) != test.broken+test.fixed {
				t.Errorf("%d turned, expected %d", len(m.Turned), test.broken+test.fixed)
			}
			if err := r.WriteText(&bytes.Buffer{}, 1); err != nil {
				t.Error(err)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}

// Records of one database stand and fall together: where one alone moves, there is
// nothing to speak of, whatever McNemar's test says.
func TestOneDatabaseMoves(t *testing.T) {
	a, b := evaluation("a", strings.Repeat("1", 400), 20), evaluation("b", strings.Repeat("1", 400), 20)
	for i := range b.Records {
		if b.Records[i].DB == "db03" {
			b.Records[i].Scores["exec"] = Score{Verdict: verdict.Wrong, Mark: "0"}
		}
	}
	r, err := Compare(a, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := r.Metrics[0].All(); all.McNemar > 0.001 || all.Real {
		t.Errorf("p %v, real %v, expected a small p and no real difference", all.McNemar, all.Real)
	}
	var text strings.Builder
	if err := r.WriteText(&text, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  ~ [-", ", 0.0]  ", "\n~ with an interval: p is below 0.05, but the interval, which draws databases, holds 0\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("expected %q in\n%s", want, text.String())
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	a := evaluation("a", "1111", 2)
	other := evaluation("b", "1111", 1)
	longer := evaluation("b", "11111", 2)
	strict := evaluation("b", "1111", 2)
	strict.Strict = true
	plugged, distinct := evaluation("b", "1111", 2), evaluation("b", "1111", 2)
	plugged.PlugValue, distinct.KeepDistinct = true, true
	for _, test := range []struct {
		b    *Evaluation
		o    Options
		want string
	}{
		{other, Options{}, "has record 1 on db01"},
		{longer, Options{}, "a.json has 4 records and b.json 5"},
		{strict, Options{}, "one evaluation is strict"},
		{plugged, Options{}, "--plug-value"},
		{distinct, Options{}, "--keep-distinct"},
		{a, Options{Metrics: []string{"suite"}}, `a.json: has no metric "suite"`},
	} {
		if _, err := Compare(a, test.b, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, expected %q", err, test.want)
		}
	}
}

func TestReadBad(t *testing.T) {
	const head = `{"gold": "g", "metrics": [{"name": "exec"}], "records": `
	for _, test := range []struct{ text, want string }{
		{``, "expected the JSON object"}, {`[]`, "expected the JSON object"}, {`{}`, "has no records"}, {head, "expected the JSON object"},
		{head + `[{"index": 0}`, "breaks off"}, {head + `[{"index": 0}]`, "breaks off"}, {head + `[{"index": "x"}]}`, "record 1"},
		{head + `[{"index": 0}, {"index": 0}]}`, "index 0 is there twice"},
		{head + `[{"index": 0, "scores": {"exec": {"verdict": "yes"}}}]}`, `verdict "yes"`},
		{`{"metrics": 7}`, "expected the JSON object"},
	} {
		path := filepath.Join(t.TempDir(), "a.json")
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, expected %q", test.text, err, test.want)
		}
	}
}

func TestJUnit(t *testing.T) {
	r, err := Compare(evaluation("a", strings.Repeat("1", 60), 6), evaluation("<b>\x01", strings.Repeat("0", 60), 6), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var read junit.Suites
	if err := xml.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if read.Tests != 1 || read.Failures != 1 || len(read.Suite.Cases) != 1 || read.Suite.Cases[0].Failure == nil || !strings.Contains(read.Suite.Cases[0].Failure.Text, "0 db00 (easy)") {
		t.Errorf("%s", b.String())
	}
}

// Two models on Spider dev by the official verdicts: the figures are computed here once
// more from the marks alone.
func TestOfficialVerdicts(t *testing.T) {
	var files [2]*Evaluation
	var marks [2]map[string]string
	dbs := databases(t)
	for i, model := range []string{"dail-sql_gpt-4", "codes-1b"} {
		files[i] = &Evaluation{File: model + ".json", Gold: "dev.json", Predictions: model + ".txt", Metrics: []string{"exact", "exec"}}
		marks[i] = map[string]string{}
		for metric, kind := range map[string]string{"exact": "em", "exec": "ex"} {
			text, err := os.ReadFile(shared.File(t, "data", "predictions", "spider-dev", "official_verdicts", kind+"_"+model+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			marks[i][metric] = strings.Join(strings.Fields(string(text)), "")
		}
		for j, db := range dbs {
			rec := Record{Index: j, DB: db, Hardness: "medium", Scores: map[string]Score{}}
			for metric, m := range marks[i] {
				v, _ := verdict.FromMark(m[j : j+1])
				rec.Scores[metric] = Score{Verdict: v, Mark: m[j : j+1]}
			}
			files[i].Records = append(files[i].Records, rec)
		}
	}
	r, err := Compare(files[0], files[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Metrics {
		x, y := marks[0][m.Name], marks[1][m.Name]
		var judged, right [2]int
		broken, fixed := 0, 0
		for i := range x {
			if x[i] == '-' || y[i] == '-' {
				continue
			}
			for side, mark := range []byte{x[i], y[i]} {
				judged[side]++
				right[side] += int(mark - '0')
			}
			if x[i] > y[i] {
				broken++
			} else if x[i] < y[i] {
				fixed++
			}
		}
		d := math.Abs(float64(broken-fixed)) - 1
		p := math.Erfc(math.Sqrt(d * d / float64(broken+fixed) / 2)) // chi-square of one degree
		all := m.All()
		if all.Judged != judged[0] || all.Broken != broken || all.Fixed != fixed || float64(all.A.Value) != float64(right[0])/float64(judged[0]) ||
			float64(all.B.Value) != float64(right[1])/float64(judged[1]) || math.Abs(float64(all.McNemar)-p) > 1e-9 {
			t.Errorf("%s: %+v; expected %d judged, %d and %d right, %d broken, %d fixed, p %v", m.Name, all, judged[0], right[0], right[1], broken, fixed, p)
		}
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, 3); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "official.golden")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

// databases returns the db_id of each question of Spider dev.
func databases(t *testing.T) []string {
	data, err := os.ReadFile(shared.File(t, "data", "spider", "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		DB string `json:"db_id"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, x := range list {
		ids = append(ids, x.DB)
	}
	return ids
}
