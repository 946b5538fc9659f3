package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/report"
)

var update = flag.Bool("update", false, "write the golden files")

// sampleBuild is the folder of a build of the embedded sample by the recorded edits of
// testdata, made once.
var sampleBuild = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "report-test")
	if err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	if err := sample.WriteData(context.Background(), data); err != nil {
		return "", err
	}
	c := benchmark.Config{Samples: 1, Seed: 1, Workers: 1, Split: "dev", Report: func(error) {}}
	for _, name := range []string{"renames", "words", "queries"} {
		path := filepath.Join("testdata", name+".jsonl")
		var bad error
		r, err := perturb.Replay(path, os.DirFS("."), func(err error) { bad = err })
		if err := errors.Join(bad, err); err != nil {
			return "", err
		}
		in, err := benchmark.HashInput(benchmark.RoleResource, name+".jsonl", path)
		if err != nil {
			return "", err
		}
		c.Perturbations, c.Inputs = append(c.Perturbations, r.Perturbation), append(c.Inputs, in)
	}
	out := filepath.Join(dir, "build")
	units, err := dataset.Units(data, "dev", func(error) {})
	if err != nil {
		return "", err
	}
	_, err = benchmark.Build(context.Background(), units, out, c)
	return out, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if out, err := sampleBuild(); err == nil {
		os.RemoveAll(filepath.Dir(out))
	}
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	out, err := sampleBuild()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// makeDocument makes a document of inputs that have nothing odd.
func makeDocument(t *testing.T, inputs ...string) *report.Document {
	t.Helper()
	d, err := report.Make(inputs, report.Options{Title: "A <title> & more", Samples: 5, Version: "v1", Command: "tabperturb report", Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Sections {
		d.Sections[i].Source = filepath.Base(d.Sections[i].Source) // without the folders of the test
	}
	return d
}

func written(t *testing.T, d *report.Document, format string) string {
	t.Helper()
	var b strings.Builder
	if err := d.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, test := range []struct {
		file   string
		inputs []string
	}{
		{"build.md", []string{build(t)}},
		{"others.md", everything(t)[1:]},
	} {
		got := written(t, makeDocument(t, test.inputs...), "md")
		file := filepath.Join("testdata", test.file)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v; write it with -update", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got; rewrite with -update where the change is meant):\n%s", file, diff)
		}
	}
}

func TestDeterministic(t *testing.T) {
	inputs := everything(t)
	for _, format := range report.Formats() {
		first := written(t, makeDocument(t, inputs...), format)
		for range 3 {
			if diff := cmp.Diff(first, written(t, makeDocument(t, inputs...), format)); diff != "" {
				t.Fatalf("%s differs (-first +again):\n%s", format, diff)
			}
		}
	}
}

// cellOf returns a cell by the caption of its table, the first cell of its row and the
// name of its column.
func cellOf(t *testing.T, d *report.Document, caption, row, column string) table.Cell {
	t.Helper()
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if p.Table == nil || p.Table.Caption != caption {
				continue
			}
			for _, r := range p.Table.Rows {
				for i, c := range p.Table.Columns {
					if r.Cells[0].Text == row && c.Name == column {
						return r.Cells[i]
					}
				}
			}
		}
	}
	t.Fatalf("no cell %q of %q in the table %q", column, row, caption)
	return table.Cell{}
}

// TestFigures compares figures with those of the inputs, to the last bit.
func TestFigures(t *testing.T) {
	d := makeDocument(t, everything(t)...)
	value := func(caption, row, column string, want float64) {
		t.Helper()
		if c := cellOf(t, d, caption, row, column); c.Value == nil || *c.Value != want {
			t.Errorf("%s of %s is %+v, want %v", column, row, c, want)
		}
	}
	value("Accuracy by hardness", "easy", "exact, %", 2.0/3)
	value("Accuracy by hardness", "all", "exec, %", 1)
	if c := cellOf(t, d, "Accuracy by hardness", "easy", "exec, %"); c.Value != nil || c.Text != "-" {
		t.Errorf("an accuracy of nothing judged is %+v, want none", c)
	}
	for _, r := range robustnessTable().Rows {
		name := r.Perturbation
		if name == "" {
			name = "average of " + r.Group
			if r.Group == "" {
				name = "average of all"
			}
		}
		caption := "Accuracy before and after, by exec, in %"
		value(caption, name, "before", float64(r.Pre.Value))
		value(caption, name, "after", float64(r.Post.Value))
		value(caption, name, "change", float64(r.Change.Value))
		value(caption, name, "relative", float64(r.Relative.Value))
		value(caption, name, "not judged", float64(r.Unjudged))
		if c := cellOf(t, d, caption, name, "change"); *c.Low != float64(r.Change.Low) || *c.High != float64(r.Change.High) {
			t.Errorf("interval of %s is %v, %v, want %+v", name, *c.Low, *c.High, r.Change)
		}
	}
	for _, m := range consistencyReport().Models {
		for _, r := range m.Relations {
			value("Error rate by relation and model, in %", r.Name, m.Name, float64(r.Rate))
		}
		value("Error rate by relation and model, in %", "all", m.Name, float64(m.All.Rate))
	}
	value("Neighbours left after databases tried", "9", "neighbours left", 8)
	value("Neighbours left after databases tried", "30", "of all, %", 0.1)
	value("Names by source", "retrieval", "ADD", 2)
	value("Names by source", "retrieval", "similarity", 0.375)

	all := comparison(t).Metrics[0].All()
	if !all.Real || all.Broken != 8 {
		t.Errorf("%+v, expected a real drop of 8 records", all)
	}
	value("A and B by exec, in %", "all", "B", float64(all.B.Value))
	value("A and B by exec, in %", "all", "change", float64(all.Change.Value))
	value("A and B by exec, in %", "all", "right in A alone", 8)
	value("A and B by exec, in %", "all", "p", float64(all.McNemar))
	value("Records drawn, by perturbation", "adveta/replace", "error rate, %", 0.25)
	value("Records drawn, by perturbation", "adveta/replace", "drawn", 4)

	var m benchmark.Manifest
	data, err := os.ReadFile(filepath.Join(build(t), "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, r := range m.Perturbations {
		value("Records by perturbation", r.Name, "verified", float64(r.Verified))
		value("Records by perturbation", r.Name, "rejected", float64(r.RejectedTotal()))
		value("Records by perturbation", r.Name, "databases", float64(r.Variants))
		total += r.Verified
	}
	value("The build in figures", "records verified", "value", float64(total))
	if total < 6 {
		t.Errorf("the build has %d verified records, expected what testdata's edits give", total)
	}
}

// TestPlots checks that each point of a plot is a figure of the table beside it.
func TestPlots(t *testing.T) {
	n := 0
	for _, s := range makeDocument(t, everything(t)...).Sections {
		for _, p := range s.Parts {
			if p.Plot == nil {
				continue
			}
			n++
			if p.Table == nil || p.Plot.Desc == "" || p.Plot.Title == "" {
				t.Fatalf("%s: plot without table, title or description", p.Title)
			}
			for _, series := range p.Plot.Series {
				for i, point := range series.Points {
					if point.Value.Defined() && !inTable(p.Table, p.Plot, i, point) {
						t.Errorf("%s: point %d of %s, %v, stands in no row of its table", p.Title, i, series.Name, point)
					}
				}
			}
		}
	}
	if n < 9 {
		t.Errorf("%d plots, expected more", n)
	}
}

func inTable(t *table.Table, p *report.Plot, at int, point report.Point) bool {
	for _, r := range t.Rows {
		if p.Kind != report.Steps && r.Cells[0].Text != p.Labels[at] {
			continue
		}
		for _, c := range r.Cells {
			if c.Value != nil && *c.Value == float64(point.Value) && (!point.Low.Defined() || c.Low != nil && *c.Low == float64(point.Low) && *c.High == float64(point.High)) {
				return true
			}
		}
	}
	return false
}

func TestErrors(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer")
	if err := os.Mkdir(newer, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(newer, "manifest.json"), []byte(`{"version": 2, "split": "dev", "perturbations": []}`), 0o666); err != nil {
		t.Fatal(err)
	}
	short := t.TempDir()
	data, err := os.ReadFile(filepath.Join(build(t), "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(`"verified": 5`), []byte(`"verified": 6`))
	records, err := os.ReadFile(filepath.Join(build(t), "records.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"manifest.json": data, "records.parquet": records} {
		if err := os.WriteFile(filepath.Join(short, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ input, want string }{
		{"nowhere", "no such file"},
		{t.TempDir(), "expected a folder that build, suite distill or mix wrote"},
		{write(t, "a.txt", []byte("SELECT 1")), "is none of the inputs of a report, expected build, evaluation"},
		{write(t, "empty.json", nil), "is none of the inputs"},
		{write(t, "other.json", []byte(`{"a": [1, {"b": 2}], "c": 3}`)), "is none of the inputs"},
		{write(t, "eval.json", []byte(`{"predictions": "p", "metrics": [{"name": "exact"`)), "breaks off"},
		{write(t, "eval.json", []byte(`{"predictions": "p", "metrics": 3}`)), "cannot unmarshal number into Go struct field .Report.metrics"},
		{write(t, "robustness.json", []byte(`[{"metric": "exec", "rows": [`)), "breaks off"},
		{write(t, "manifest.json", []byte(`{"version": 9, "neighbours": 1, "schemas": []}`)), "version 9"},
		{write(t, "manifest.json", []byte(`{"version": 3, "tried": 99999999999, "neighbours": 1, "schemas": []}`)), "databases tried, expected 0 to"},
		{write(t, "manifest.json", []byte(`{"version": 3, "tried": 3, "neighbours": 1, "schemas": [{"db_id": "a", "curve": [{"tried": -1}]}]}`)), "expected points that rise"},
		{write(t, "manifest.json", []byte(`{"version": 1, "split": "dev", "perturbations": [{"name": "../x"}]}`)), `perturbation "../x"`},
		{write(t, "compare.json", []byte(`{"a": null, "b": {}, "max_drop": 0}`)), "lacks one of two evaluations"},
		{write(t, "compare.json", []byte(`{"a": {}, "b": {}, "max_drop": 0, "metrics": [{"name": "exec"}]}`)), "has no figures"},
		{write(t, "manifest.json", []byte(`{"version": 1, "strategy": "all", "relations": []}`)), "version 1, expected 2 of a mix"},
		{newer, "version 2, expected 1 of a build"},
		{short, "as manifest.json says"},
	} {
		_, err := report.Make([]string{test.input}, report.Options{Samples: 1})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.input, err, test.want)
		}
	}
	for _, o := range []report.Options{{Samples: -1}, {Samples: report.MaxSamples + 1}} {
		if _, err := report.Make([]string{"testdata/eval.json"}, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := report.Make(nil, report.Options{}); err == nil {
		t.Error("no inputs: no error")
	}
	if err := (&report.Document{}).Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("format pdf: no error")
	}
}
