package evaluate_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

var update = flag.Bool("update", false, "write the golden files")

// sampleOptions writes the sample and returns its folder and the options to
// judge its predictions by.
func sampleOptions(t *testing.T) (string, evaluate.Options) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	dbs, err := dataset.Schemas(filepath.Join(dir, "tables.json"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	content := func(db, _ string) []string { return []string{filepath.Join(dir, "database", db, db+".sqlite")} }
	return dir, evaluate.Options{
		Metrics: metrics(t, "exact", "exec", "suite", "exec-first", "exec-bird"), Databases: dbs, Content: filepath.Join(dir, "database"), Suite: content,
		Skip: func(err error) { t.Error(err) },
	}
}

// metrics returns those of these names: tests must not depend on the list of all.
func metrics(t testing.TB, names ...string) []evaluate.Metric {
	t.Helper()
	list, err := evaluate.Select(names...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// run returns the report and the verdicts of the sample's predictions.
func run(t *testing.T, dir string, o evaluate.Options) string {
	gold, pred := filepath.Join(dir, "dev.json"), filepath.Join(dir, "predictions.txt")
	var out bytes.Buffer
	v := evaluate.NewVerdictWriter(&out, o.Metrics)
	report := evaluate.NewReport("dev.json", "predictions.txt", &o)
	err := evaluate.Run(t.Context(), dataset.Pairs(gold, pred), o, func(r *evaluate.Record) error {
		report.Add(r)
		return v.Write(r)
	})
	if err := errors.Join(err, v.Close(), report.WriteText(&out, true)); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), dir, "DIR")
}

// TestMetrics has a golden report of each metric by itself, so that a new one changes
// none of the others'.
func TestMetrics(t *testing.T) {
	dir, o := sampleOptions(t)
	for _, m := range evaluate.Metrics() {
		t.Run(m.Name, func(t *testing.T) {
			o := o
			o.Metrics = []evaluate.Metric{m}
			golden(t, "metric-"+m.Name, run(t, dir, o))
		})
	}
}

// golden compares a report with testdata/NAME.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestReport(t *testing.T) {
	dir, o := sampleOptions(t)
	for name, exec := range map[string]execution.Options{
		"official": {},
		"strict":   {Strict: true},
		"plugged":  {PlugValue: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := o
			o.Execution = exec
			got := run(t, dir, o)
			golden(t, name, got)
			o.Workers = 4
			if diff := cmp.Diff(got, run(t, dir, o)); diff != "" {
				t.Errorf("with four workers: %s", diff)
			}
		})
	}
}

// The same example again and again, and then an error.
func endless(dir string, n int, last error) dataset.Stream[*dataset.Pair] {
	return func(_ func(error), each func(*dataset.Pair) error) error {
		for i := range n {
			db := "town_library"
			if i%10 == 3 {
				db = "nowhere"
			}
			if err := each(&dataset.Pair{Example: &dataset.Example{Index: i, DB: db, Query: "SELECT count(*) FROM books"}, Prediction: "SELECT count(*) FROM books"}); err != nil {
				return err
			}
		}
		return last
	}
}

func TestRunSkipsWhatHasNoSchema(t *testing.T) {
	dir, o := sampleOptions(t)
	var skipped, judged int
	o.Workers, o.Gold = 2, "dev.json"
	o.Skip = func(err error) {
		if _, ok := errors.AsType[*dataset.RecordError](err); !ok || !strings.HasPrefix(err.Error(), "dev.json:") {
			t.Errorf("skipped for %v, want an error about a record of dev.json", err)
		}
		skipped++
	}
	next := 0
	broken := errors.New("the file ends")
	err := evaluate.Run(t.Context(), endless(dir, 1000, broken), o, func(r *evaluate.Record) error {
		if r.Index < next {
			t.Errorf("record %d after %d", r.Index, next-1)
		}
		next = r.Index + 1
		judged++
		return nil
	})
	if !errors.Is(err, broken) || skipped != 100 || judged > 900 {
		t.Errorf("got error %v, %d skipped and %d judged, want %v, 100 and at most 900", err, skipped, judged, broken)
	}
}

func TestRunStops(t *testing.T) {
	dir, o := sampleOptions(t)
	o.Skip = func(error) {}
	stop := errors.New("enough")
	if err := evaluate.Run(t.Context(), endless(dir, 1000, nil), o, func(*evaluate.Record) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := evaluate.Run(ctx, endless(dir, 1000, nil), o, func(*evaluate.Record) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// Of a random database a gold may well get no row: that is no fault of the gold.
func TestEmptyAnswersOfSuites(t *testing.T) {
	dir, o := sampleOptions(t)
	const id = "hill_farms"
	empty := filepath.Join(dir, "empty.sqlite")
	if err := sqlite.Create(t.Context(), empty, dataset.SQLiteTables(o.Databases[id]), nil); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, "database", id, id+".sqlite")
	o.Suite = func(string, string) []string { return []string{empty, full} }
	table := o.Databases[id].Tables[0].Original
	gold := filepath.Join(dir, "gold.sql")
	if err := os.WriteFile(gold, []byte("SELECT * FROM "+table+"\t"+id+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := evaluate.Run(t.Context(), dataset.Pairs(gold, gold), o, func(r *evaluate.Record) error {
		for i, s := range r.Scores {
			if s.Verdict != verdict.Right || s.Doubt != "" {
				t.Errorf("%s: %v, doubt %q; want it right, without doubt", o.Metrics[i].Name, s.Verdict, s.Doubt)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// By a suite that has no rows for a gold no prediction is judged, be it right or wrong.
func TestGoldsWithoutAnswer(t *testing.T) {
	dir, o := sampleOptions(t)
	const id = "hill_farms"
	empty := filepath.Join(dir, "empty.sqlite")
	if err := sqlite.Create(t.Context(), empty, dataset.SQLiteTables(o.Databases[id]), nil); err != nil {
		t.Fatal(err)
	}
	gold := filepath.Join(dir, "gold.sql")
	if err := os.WriteFile(gold, []byte("SELECT * FROM farms\t"+id+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Metrics = metrics(t, "suite")
	for what, suite := range map[string]func(string, string) []string{
		"no rows":            func(string, string) []string { return []string{empty, empty} },
		"determined on none": func(_, gold string) []string { return map[string][]string{"": {empty}}[gold] },
		"strict":             func(string, string) []string { return []string{empty} },
	} {
		o.Suite, o.Execution.Strict = suite, strings.HasPrefix(what, "strict")
		for _, sql := range []string{"SELECT * FROM farms", "SELECT count(*) FROM farms", "SELECT none FROM farms", "SELECT 1 WHERE 1 = 0"} {
			pred := filepath.Join(dir, "pred.sql")
			if err := os.WriteFile(pred, []byte(sql+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			err := evaluate.Run(t.Context(), dataset.Pairs(gold, pred), o, func(r *evaluate.Record) error {
				if s := r.Scores[0]; s.Verdict != verdict.Unjudged || s.Reason != string(execution.GoldEmpty) {
					t.Errorf("%s: %s: %v %q, want it not judged, for the gold is empty", what, sql, s.Verdict, s.Reason)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A database that is missing or damaged leaves its own questions open, not all.
func TestDamagedDatabase(t *testing.T) {
	dir, o := sampleOptions(t)
	file := func(id string) string { return filepath.Join(dir, "database", id, id+".sqlite") }
	if err := errors.Join(os.Truncate(file("hill_farms"), 0), os.Remove(file("town_library"))); err != nil {
		t.Fatal(err)
	}
	o.Metrics = slices.DeleteFunc(o.Metrics, func(m evaluate.Metric) bool { return !strings.HasPrefix(m.Name, "exec") })
	gold := filepath.Join(dir, "dev.json")
	judged := map[string]int{}
	err := evaluate.Run(t.Context(), dataset.Pairs(gold, filepath.Join(dir, "predictions.txt")), o, func(r *evaluate.Record) error {
		for _, s := range r.Scores {
			switch {
			case r.DB != "hill_farms" && r.DB != "town_library":
				if s.Reason == "no database" {
					t.Errorf("%s: %q (%s)", r.DB, s.Reason, s.Detail)
				}
			case s.Reason == "unreadable":
			case s.Verdict != verdict.Unjudged || s.Reason != "no database" || !strings.Contains(s.Detail, r.DB+".sqlite"):
				t.Errorf("%s: %v, %q (%s); want it open for want of the database", r.DB, s.Verdict, s.Reason, s.Detail)
			default:
				judged[r.DB]++
			}
		}
		return nil
	})
	if err != nil || len(judged) != 2 {
		t.Errorf("got %v, %v left open; want both databases", err, judged)
	}
}
