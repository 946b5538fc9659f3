package evaluate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// What the official evaluators judge in a second, measured on one core of a machine
// like those on which this is developed.
const (
	officialExecution = 650
	officialExact     = 5000
)

// BenchmarkRun judges a whole file of predictions as eval does, from its lines to
// the verdicts, with two workers. Beside predictions a second it reports how many
// times the official evaluator's speed that is and, for execution, how many times
// that of Python's sqlite3 with nothing but running the same queries one after the
// other, in the same run.
func BenchmarkRun(b *testing.B) {
	tables := shared.File(b, "data", "spider", "tables.json")
	gold := shared.File(b, "data", "spider", "dev.json")
	content := filepath.Join(shared.Untar(b, "data", "spider", "databases_dev.tar.gz"), "database")
	dbs, err := dataset.Schemas(tables, func(error) {})
	if err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as eval does
	for _, m := range metrics(b, "exact", "exec") {
		for _, name := range []string{"codes-1b", "dail-sql_gpt-4", "graphix_via_dail-sql"} {
			b.Run(m.Name+"/"+name, func(b *testing.B) {
				pred := shared.File(b, "data", "predictions", "spider-dev", name+".txt")
				o := evaluate.Options{Metrics: []evaluate.Metric{m}, Databases: dbs, Content: content, Workers: 2}
				judged := 0
				for b.Loop() {
					report := evaluate.NewReport(gold, pred, &o)
					err := evaluate.Run(b.Context(), dataset.Pairs(gold, pred), o, func(r *evaluate.Record) error {
						report.Add(r)
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
					levels := report.Metrics[0].Levels
					judged = levels[len(levels)-1].Judged
				}
				speed := float64(judged*b.N) / b.Elapsed().Seconds()
				b.ReportMetric(speed, "predictions/s")
				if m.Name == "exact" {
					b.ReportMetric(speed/officialExact, "x-official")
					return
				}
				b.ReportMetric(speed/officialExecution, "x-official")
				if seconds := pythonSeconds(b, gold, pred, content); seconds > 0 {
					b.ReportMetric(speed*seconds/float64(judged), "x-python")
				}
			})
		}
	}
}

// pythonSeconds returns how long Python's sqlite3 runs golds and predictions, or 0
// where there is no Python.
func pythonSeconds(b *testing.B, gold, pred, content string) float64 {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Log("no ratio to Python: python3 is not on the PATH")
		return 0
	}
	var in bytes.Buffer
	for p, err := range streamtest.All(dataset.Pairs(gold, pred)) {
		if err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(content, p.DB, p.DB+".sqlite")
		if _, err := os.Stat(path); err != nil {
			continue // Python would make an empty file
		}
		for _, sql := range []string{p.Query, p.Prediction} {
			quoted, err := json.Marshal(sql)
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(&in, "%s\t%s\n", path, quoted)
		}
	}
	cmd := exec.CommandContext(b.Context(), python, "testdata/run_queries.py")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v", python, err)
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return seconds
}
