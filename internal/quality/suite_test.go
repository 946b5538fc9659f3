//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/shared"
	"github.com/tabperturb/tabperturb/internal/sqlite"
)

// The bounds of distillation and of judging on two cores.
const (
	maxDistillation = 10 * time.Minute
	maxJudging      = time.Minute // of one file of predictions on the whole suite
	maxSuite        = 300 << 20   // bytes
	maxLeft         = 0.01        // of the neighbours, the paper's figure
)

// paperTables are tables 2 to 4 of "Semantic Evaluation for Text-to-SQL with
// Distilled Test Suite", over 21 files of predictions.
const paperTables = `the paper, 21 files, percent
              easy       medium     hard       extra      all
exact (2)     0.5/2.2    0.2/1.9    0.5/4.4    1.7/3.2    0.5/2.6    mean false positives/negatives, conditions of joins compared
              2.0/7.2    0.7/8.0    4.0/12.1   5.3/8.2    2.0/8.1    max
exec (3)      3.6        5.9        8.0        11.0       6.5        mean false positives
              6.0        8.2        10.3       17.6       9.0        max
tau (4)       91         90         75         91         91         exact, conditions of joins compared
              86         37         28         20         40         exact, official
              90         96         94         82         98         exec
`

// TestSuite distils a suite for Spider dev from 1,000 databases a schema, and
// measures exact set match and execution by it on ten files of predictions.
func TestSuite(t *testing.T) {
	ctx := context.Background()
	data := spiderData(t)
	dir := filepath.Join(t.TempDir(), "suite")
	start := time.Now()
	m, err := suite.Distill(ctx, readUnits(t, data, "dev"), dir, suite.Config{
		Databases: suite.DefaultDatabases, Depth: suite.DefaultDepth, Seed: 1, Nulls: suite.NullsAllowed, Workers: 2,
		Report: told(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "distillation", start, maxDistillation)
	var report bytes.Buffer
	fmt.Fprintf(&report, "%d examples, %d golds (%d fail, %d without a determined answer that has rows), %d neighbours: %.2f per gold\n",
		m.Examples, m.Golds, m.Failing, m.Empty, m.Neighbours, float64(m.Neighbours)/float64(m.Golds))
	for _, tried := range []int{0, 1, 10, 100, 300, 600, 1000} {
		fmt.Fprintf(&report, "left after %4d databases: %.3f%%\n", tried, 100*m.ShareLeftAfter(tried))
	}
	fmt.Fprintf(&report, "kept %d databases, %.1f MB\n\n", m.Kept, float64(m.Bytes)/1e6)
	if share := m.ShareLeft(); share >= maxLeft {
		t.Errorf("%.2f%% of the neighbours are left, want under %.0f%%", 100*share, 100*maxLeft)
	}
	if m.Bytes > maxSuite {
		t.Errorf("the suite has %d bytes, want at most %d", m.Bytes, maxSuite)
	}
	agreement(t, ctx, &report, data, dir)
	golden(t, "suite", report.String())
}

// agreement prints the paper's tables 2 to 4 on the ten leaderboard files.
func agreement(t *testing.T, ctx context.Context, report *bytes.Buffer, data, dir string) {
	s, err := suite.OpenSuite(dir)
	if err != nil {
		t.Fatal(err)
	}
	dbs, err := dataset.Schemas(filepath.Join(data, "tables.json"), func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := evaluate.Select("exact", "exec", "suite", "exec-first", "exec-bird")
	if err != nil {
		t.Fatal(err)
	}
	o := evaluate.Options{
		Metrics: metrics, Databases: dbs, Content: filepath.Join(data, "database"), Suite: s.For, Workers: 2,
		Execution: execution.Options{PlugValue: true, Limits: sqlite.Limits{Time: 5 * time.Second}}, Skip: func(err error) { t.Error(err) },
	}
	alone, strict := o, o
	var strictFiles []*verdict.File
	alone.Metrics = o.Metrics[slices.IndexFunc(o.Metrics, func(m evaluate.Metric) bool { return m.Name == "suite" }):][:1]
	strict.Metrics, strict.Execution.Strict = []evaluate.Metric{o.Metrics[0], alone.Metrics[0]}, true
	var files []*verdict.File
	for i := range 10 {
		pred := shared.File(t, "data", "predictions", "spider-dev", "leaderboard", fmt.Sprintf("leaderboard_%02d.txt", i+1))
		gold := filepath.Join(data, "dev.json")
		start := time.Now()
		verdicts(t, ctx, gold, pred, alone)
		within(t, filepath.Base(pred)+" on the suite", start, maxJudging)
		v := verdicts(t, ctx, gold, pred, o)
		files = append(files, v)
		strictFiles = append(strictFiles, verdicts(t, ctx, gold, pred, strict))
	}
	for _, table := range []struct {
		title string
		files []*verdict.File
	}{
		{"ten files of predictions, constants of the gold plugged in", files},
		// What the paper calls adapted exact match; both keep DISTINCT.
		{"the same, all strict", strictFiles},
	} {
		a, err := stats.Agree("suite", table.files)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(report, "%s\n", table.title)
		if err := a.WriteText(report); err != nil {
			t.Fatal(err)
		}
		report.WriteString("\n")
	}
	report.WriteString(paperTables)
}

// verdicts judges a file of predictions and reads the verdicts as users would.
func verdicts(t *testing.T, ctx context.Context, gold, pred string, o evaluate.Options) *verdict.File {
	path := filepath.Join(t.TempDir(), "verdicts.tsv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := evaluate.NewVerdictWriter(f, o.Metrics)
	if err := evaluate.Run(ctx, dataset.Pairs(gold, pred), o, w.Write); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	v, err := verdict.Read(f, filepath.Base(pred), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func within(t *testing.T, what string, start time.Time, bound time.Duration) {
	took := time.Since(start)
	t.Logf("%s: %.1f s (bound %.0f)", what, took.Seconds(), bound.Seconds())
	if took > bound {
		t.Errorf("%s: past its bound", what)
	}
}
