package review

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
)

// recordData is data of a build with so many examples, each with samples, of two
// perturbations.
func recordData(t *testing.T, examples, samples int) *Data {
	t.Helper()
	d := &Data{byID: map[dataset.ColumnID]int{}, build: newBuild("nowhere", &benchmark.Manifest{Perturbations: []benchmark.Result{{Name: "a/one", Doc: "Does one thing."}, {Name: "a/two"}}})}
	at := map[string]int{}
	for _, perturbation := range []string{"a/one", "a/two"} {
		for i := range examples * samples {
			r := dataset.Record{
				Perturbation: perturbation, Example: int32(i / samples), Sample: int32(i % samples), DBPre: "hidden", DBPost: "hidden__1",
				QuestionPre: "Which?\n7", QuestionPost: "Which \x1b\u202ething?", QueryPre: "SELECT 1", QueryPost: "SELECT 1",
			}
			if err := d.addRecord(&record{IDOf(&r), r}, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}

func TestDrawRecords(t *testing.T) {
	entries := []Entry{{"wide", "hidden label", recordData(t, 8, 3)}, {"few", "hidden label", recordData(t, 1, 3)}, {"wide", "other", recordData(t, 8, 3)}}
	of := func(drawn []SheetRecord, label string) (out []string) {
		for _, r := range drawn {
			if r.Label == label {
				out = append(out, fmt.Sprint(r.Build, r.RecordID))
			}
		}
		slices.Sort(out)
		return out
	}
	o := SheetOptions{Size: 10, Seed: 1}
	drawn := DrawRecords(entries, o)
	counts, examples := map[string]int{}, map[string]int{}
	for i, r := range drawn {
		if r.Number != i+1 {
			t.Errorf("record %d is %+v", i, r)
		}
		counts[fmt.Sprintf("%s %s %s", r.Label, r.Build, r.Perturbation)]++
		examples[fmt.Sprintf("%s %s %s %d", r.Label, r.Build, r.Perturbation, r.Example)]++
	}
	want := map[string]int{ // of few there are three only
		"hidden label wide a/one": 7, "hidden label few a/one": 3, "hidden label wide a/two": 7, "hidden label few a/two": 3,
		"other wide a/one": 10, "other wide a/two": 10,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for example, n := range examples {
		if most := map[bool]int{true: 1, false: 3}[strings.HasPrefix(example, "hidden label wide")]; n > most {
			t.Errorf("%s has %d records, expected one before a second of another", example, n)
		}
	}
	if diff := cmp.Diff(of(drawn, "other"), of(DrawRecords(entries[2:], o), "other")); diff != "" {
		t.Errorf("a label's records depend on another label:\n%s", diff)
	}
	if slices.Equal(of(drawn, "other"), of(DrawRecords(entries, SheetOptions{Size: 10, Seed: 2}), "other")) {
		t.Error("another seed draws the same records")
	}
}

// A sheet of a build without schemas shows the texts, and nothing that controls a terminal.
func TestWriteRecordSheet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sheet")
	var told []string
	records := DrawRecords([]Entry{{"hidden folder", "hidden label", recordData(t, 1, 1)}}, SheetOptions{Size: 1, Seed: 1})
	if err := WriteRecordSheet(t.Context(), dir, records, func(err error) { told = append(told, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, SheetFile))
	if err != nil {
		t.Fatal(err)
	}
	sheet := string(text)
	if strings.Contains(sheet, "hidden") || strings.Contains(sheet, "a/one") || strings.ContainsAny(sheet, "\u202e\x1b") {
		t.Errorf("the sheet is not blind, or holds control characters:\n%s", sheet)
	}
	if want := "  question before: Which? 7\n  question after: Which thing?\n  SQL before and after: SELECT 1\n"; strings.Count(sheet, want) != 2 {
		t.Errorf("expected %q twice:\n%s", want, sheet)
	}
	if strings.Count(sheet, "  definition: Does one thing.\n") != 1 || strings.Count(sheet, "  definition: the build has none\n") != 1 {
		t.Errorf("expected a definition where there is one:\n%s", sheet)
	}
	if len(told) != 2 || !strings.Contains(told[0], "the sheet shows no tables of record 1: the schemas cannot be read") {
		t.Errorf("told %q", told)
	}
	if !isRecordSheet(dir) || isRecordSheet(t.TempDir()) {
		t.Error("a sheet of records is not told from others")
	}
	key, err := readRecordKey(dir, func(err error) { t.Error(err) })
	if err != nil || len(key) != 2 || key[0].Label != "hidden label" || key[0].RecordID != records[0].RecordID {
		t.Errorf("%+v, %v", key, err)
	}
}

func TestJudgedRecords(t *testing.T) {
	grade := func(text string) Grade {
		_, g, err := parseRecordGrade("1\t" + text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	var key []SheetRecord
	x, y := &Judge{Name: "x", grades: map[int]Grade{}}, &Judge{Name: "y", grades: map[int]Grade{}}
	for i, row := range [][2]string{{"1\t1\t1", "1\t1\t1"}, {"1\t0\t1", "1\t1\t1"}, {"0\t0\t0", "0\t0\t0"}, {"1\t1\t1", ""}} {
		key = append(key, SheetRecord{Number: i + 1, Label: "l", RecordID: RecordID{Perturbation: "a/one"}})
		x.grades[i+1] = grade(row[0])
		if row[1] != "" {
			y.grades[i+1] = grade(row[1])
		}
	}
	v := judgedRecords(key, []*Judge{x, y})
	var got []string
	for _, s := range v.Shares {
		got = append(got, fmt.Sprintf("%s %s %d %.2f %.2f %.2f %.2f", s.Perturbation, s.Judge, s.N, s.Criteria["meaning"].Value, s.Criteria["natural"].Value, s.Criteria["category"].Value, s.All.Value))
	}
	want := []string{" x 4 0.75 0.50 0.75 0.50", " y 3 0.67 0.67 0.67 0.67", "a/one x 4 0.75 0.50 0.75 0.50", "a/one y 3 0.67 0.67 0.67 0.67"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Of three, both say yes to one and no to one: 2/3 alike, 4/9 by chance.
	last := v.Agreement[len(v.Agreement)-1]
	if last.On != allCriteria || last.Records != 3 || math.Abs(float64(last.Kappa)-0.4) > 1e-9 || len(v.Agreement) != 4 {
		t.Errorf("%+v", v.Agreement)
	}
}

func TestParseRecordGrade(t *testing.T) {
	for line, want := range map[string][3]bool{"1\t1\t1\t1": {true, true, true}, " 1 \t 0\t1\t0 ": {false, true, false}, "1\t0\t0\t0": {}} {
		n, g, err := parseRecordGrade(line)
		if err != nil || n != 1 || g == 0 || [3]bool{g.holds(0), g.holds(1), g.holds(2)} != want || g.holdsAll() != (want == [3]bool{true, true, true}) {
			t.Errorf("%q: %d, %b, %v", line, n, g, err)
		}
	}
	for _, line := range []string{"", "1", "1\t1\t1", "1\t1\t1\t1\t1", "x\t1\t1\t1", "1\t1\t1\t", "1\t1\t2\t1", "1 1 1 1"} {
		if _, _, err := parseRecordGrade(line); err == nil {
			t.Errorf("%q is taken for a verdict", line)
		}
	}
}
