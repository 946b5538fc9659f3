package review

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

// judgedKey is a key of six REPLACE and four ADD names.
func judgedKey() (key []SheetName) {
	for i := range 10 {
		n := SheetName{Number: i + 1, Data: "spider", Bucket: dataset.Replace, Label: "ours", Source: "dictionary"}
		if i >= 6 {
			n.Bucket, n.Source = dataset.Add, "retrieval"
		}
		if i%2 == 1 {
			n.Label = "theirs"
		}
		key = append(key, n)
	}
	return key
}

// judge reads a file with a grade for each number from 1; a blank is none.
func judge(t *testing.T, key []SheetName, name, grades string) *Judge {
	t.Helper()
	var b strings.Builder
	for i, g := range grades {
		if g != ' ' {
			b.WriteString(strings.Join([]string{strings.Repeat(" ", i%2) + strconv.Itoa(i+1), string(g)}, "\t") + "\r\n\n")
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	j, err := readGrades(path, key, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	j.Name = name
	return j
}

func TestReadGrades(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.tsv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("1\ty\n1\ts\n2 y\nx\ty\n11\ty\n3\tv\n4\tsu\n5\tY\n7\tY\n6\t\n8\ti\n")
	var lines []string
	j, err := readGrades(path, judgedKey(), func(err error) { lines = append(lines, strings.TrimPrefix(err.Error(), path+":")) })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"2: 1 stands twice, expected it once; the first counts",
		`3: "2 y", expected NUMBER TAB GRADE`,
		`4: "x\ty", expected NUMBER TAB GRADE`,
		"5: 11 is not on the sheet, expected a number of its key",
		`6: grade "v", expected y, Y, b or a letter of sunoedi`,
		`7: grade "su", expected y, Y, b or a letter of sunoedi`,
		`8: grade "Y" of a REPLACE name, expected y: closeness is of ADD names`,
		`10: grade "", expected y, Y, b or a letter of sunoedi`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]Grade{1: Valid, 7: Close, 8: 'i'}, j.grades); diff != "" || j.Judged != 3 || j.Missing != 7 {
		t.Errorf("%d judged, %d missing, grades (-want +got):\n%s", j.Judged, j.Missing, diff)
	}
	write("y\n")
	if _, err := readGrades(path, judgedKey(), func(error) {}); err == nil || !strings.Contains(err.Error(), "holds no verdict") {
		t.Errorf("a file without verdicts: %v", err)
	}
}

func TestReadKey(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, KeyFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"number":1,"bucket":"add","name":"a"}
{"number":1,"bucket":"add","name":"b"}
{"number":2,"bucket":"other","name":"c"}
{"number":3,"bucket":"replace","name":"d"}
[]
`)
	var lines []string
	key, err := readNameKey(dir, func(err error) {
		lines = append(lines, strings.TrimPrefix(err.Error(), filepath.Join(dir, KeyFile)+":"))
	})
	if err != nil || len(key) != 2 || key[1].Name != "d" {
		t.Errorf("key %v, %v", key, err)
	}
	want := []string{
		"2: number is 1, expected one from 1 that no other has", `3: bucket is "other", expected replace or add`,
		"5: record is an array, expected an object",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	write("")
	if _, err := readNameKey(dir, func(error) {}); err == nil {
		t.Error("a key of no names is read")
	}
}

func TestJudged(t *testing.T) {
	key := judgedKey()
	a, b := judge(t, key, "a", "yybuusYyei"), judge(t, key, "b", "yyuuu Yyyi")
	v := judgedNames(key, []*Judge{a, b})
	if a.Missing != 0 || b.Missing != 1 {
		t.Errorf("missing %d and %d, expected none and one", a.Missing, b.Missing)
	}
	type shares struct {
		n                  int
		valid, fair, close float64
		invalid            string
	}
	got := map[string]shares{}
	for _, s := range v.Shares {
		near := float64(s.Close)
		if math.IsNaN(near) {
			near = -1
		}
		got[strings.TrimSpace(strings.Join([]string{string(s.Bucket), s.By, s.Value, s.Judge}, " "))] = shares{s.N, float64(s.Strict.Value), float64(s.Lenient.Value), near, reasonCounts(s.Invalid)}
	}
	for name, want := range map[string]shares{
		"replace all  a":            {6, 2. / 6, 0.5, -1, "u 2, s 1"},
		"replace all  b":            {5, 0.4, 0.4, -1, "u 3"},
		"replace label ours a":      {3, 1. / 3, 2. / 3, -1, "u 1"},
		"replace label theirs b":    {2, 0.5, 0.5, -1, "u 1"},
		"add all  a":                {4, 0.5, 0.5, 0.5, "e 1, i 1"},
		"add source retrieval b":    {4, 0.75, 0.75, 1. / 3, "i 1"},
		"add data spider a":         {4, 0.5, 0.5, 0.5, "e 1, i 1"},
		"replace source dictionary": {},
	} {
		if got[name] != want {
			t.Errorf("%s: %+v, expected %+v", name, got[name], want)
		}
	}
	if len(got) != 2*2*5 {
		t.Errorf("%d rows, expected 20", len(got))
	}
	// By hand: of five names both agree on all that are valid, and on four of five that are not
	// invalid (0.8, by chance 0.6·0.4 + 0.4·0.6 = 0.48); of four ADD names on three (by chance 0.5).
	for i, want := range []Kappa{
		{dataset.Replace, "valid", 5, 1},
		{dataset.Replace, "valid or doubtful", 5, (0.8 - 0.48) / 0.52},
		{dataset.Add, "valid", 4, 0.5},
		{dataset.Add, "valid or doubtful", 4, 0.5},
		{dataset.Add, "close", 2, 1},
	} {
		got := v.Agreement[i]
		if math.Abs(float64(got.Kappa-want.Kappa)) < 1e-12 {
			got.Kappa = want.Kappa
		}
		if got != want {
			t.Errorf("kappa %+v, expected %+v", got, want)
		}
	}
	if len(v.Calibration) > 0 {
		t.Errorf("calibration %v of names without a validity", v.Calibration)
	}
	if three := judgedNames(key, []*Judge{a, a, b}); math.Abs(float64(three.Agreement[2].Kappa)-2./3) > 1e-12 {
		t.Errorf("kappa of three is %v, expected the mean of 1, 0.5 and 0.5", three.Agreement[2].Kappa)
	}
	if one := judgedNames(key, []*Judge{a}); len(one.Agreement) > 0 {
		t.Errorf("one judge agrees: %v", one.Agreement)
	}
}

func TestCalibrate(t *testing.T) {
	var key []SheetName
	for i := range 21 { // the last has none
		key = append(key, SheetName{Number: i + 1, Bucket: dataset.Replace, Validity: float64(20-i) / 40})
	}
	a, b := judge(t, key, "a", strings.Repeat("y", 10)+strings.Repeat("u", 10)), judge(t, key, "b", strings.Repeat("y", 10))
	c := judgedNames(key, []*Judge{a, b}).Calibration[0]
	if len(c.Bins) != 10 {
		t.Fatalf("%d bins, expected 10", len(c.Bins))
	}
	gap := 0.0
	for i, bin := range c.Bins {
		predicted, judged := (2*float64(i)+1.5)/40, 0.0
		if i >= 5 {
			judged = 1
		}
		if bin.Names != 2 || math.Abs(float64(bin.Predicted)-predicted) > 1e-12 || float64(bin.Judged) != judged {
			t.Errorf("bin %d is %+v, expected 2 names, %v and %v", i, bin, predicted, judged)
		}
		gap += math.Abs(predicted-judged) / 10
	}
	if math.Abs(float64(c.Gap)-gap) > 1e-12 {
		t.Errorf("gap %v, expected %v", c.Gap, gap)
	}
	if few := calibrate(key[:3], []*Judge{a}); len(few.Bins) != 3 {
		t.Errorf("%d bins of 3 names, expected 3", len(few.Bins))
	}
}
