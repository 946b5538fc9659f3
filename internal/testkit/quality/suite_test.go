//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
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
// measures exact set match and execution by it on all files of predictions.
func TestSuite(t *testing.T) {
	ctx := context.Background()
	data := spiderData(t)
	dir := filepath.Join(t.TempDir(), "suite")
	start := time.Now()
	m, err := suite.Distill(ctx, readUnits(t, data, "dev"), dir, suite.Config{
		Databases: suite.DefaultDatabases, Depth: suite.DefaultDepth, Seed: 1, Nulls: suite.NullsAllowed, Workers: 2,
		Report: func(err error) { t.Log(err) }, // of the gold without a determined answer; the golden file counts what fails,
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
	emptyAnswers(t, ctx, &report, data, dir)
	agreement(t, ctx, &report, data, dir)
	golden(t, "suite", report.String())
}

// predictionFiles are those whose official verdicts are known.
var predictionFiles = []string{"codes-1b.txt", "dail-sql_gpt-4.txt", "graphix_via_dail-sql.txt",
	"leaderboard/leaderboard_01.txt", "leaderboard/leaderboard_02.txt", "leaderboard/leaderboard_03.txt", "leaderboard/leaderboard_04.txt", "leaderboard/leaderboard_05.txt",
	"leaderboard/leaderboard_06.txt", "leaderboard/leaderboard_07.txt", "leaderboard/leaderboard_08.txt", "leaderboard/leaderboard_09.txt", "leaderboard/leaderboard_10.txt"}

// agreement prints the paper's tables 2 to 4 on all files of predictions. The truth is the
// suite as the official evaluator compares answers, for strict exact match too: a truth of
// its own would share its ideas of DISTINCT. Beside it stand both by strict comparison.
func agreement(t *testing.T, ctx context.Context, report *bytes.Buffer, data, dir string) {
	o := suiteOptions(t, data, dir, "exact", "exec", "suite", "exec-first", "exec-bird")
	o.Execution.PlugValue = true
	alone, strict := suiteOptions(t, data, dir, "suite"), suiteOptions(t, data, dir, "exact", "suite")
	alone.Execution, strict.Execution = o.Execution, o.Execution
	strict.Execution.Strict = true
	var files, strictFiles []*verdict.File
	gold := filepath.Join(data, "dev.json")
	for _, name := range predictionFiles {
		pred := shared.File(t, "data", "predictions", "spider-dev", name)
		start := time.Now()
		verdicts(t, ctx, gold, pred, alone)
		within(t, name+" on the suite", start, maxJudging)
		v, s := verdicts(t, ctx, gold, pred, o), verdicts(t, ctx, gold, pred, strict)
		v.Metrics = append(v.Metrics, "exact --strict")
		for i := range v.Rows {
			v.Rows[i].Verdicts = append(v.Rows[i].Verdicts, s.Rows[i].Verdicts[0])
		}
		files, strictFiles = append(files, v), append(strictFiles, s)
	}
	for _, table := range []struct {
		title string
		files []*verdict.File
	}{
		{"constants of the gold plugged in", files},
		// What the paper calls adapted exact match; both keep DISTINCT.
		{"the same, the suite strict too", strictFiles},
	} {
		a, err := stats.Agree("suite", table.files)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(report, "%d files of predictions, %s: %s\n", len(table.files), table.title, judgedAlike(t, table.files))
		if err := a.WriteText(report); err != nil {
			t.Fatal(err)
		}
		report.WriteString("\n")
	}
	report.WriteString(paperTables)
}

// judgedAlike says how many predictions of each file the suite judges, which are as many
// whatever the model.
func judgedAlike(t *testing.T, files []*verdict.File) string {
	counts := map[int]bool{}
	for _, f := range files {
		n, at := 0, slices.Index(f.Metrics, "suite")
		for _, r := range f.Rows {
			if r.Verdicts[at] != verdict.Unjudged {
				n++
			}
		}
		counts[n] = true
	}
	if len(counts) != 1 {
		t.Errorf("the suite judges %v predictions of the files, want as many of each", counts)
	}
	return fmt.Sprintf("the suite judges %v of each", slices.Sorted(maps.Keys(counts)))
}

// suiteOptions judges by metrics, with the content of a data directory and a suite.
func suiteOptions(t *testing.T, data, dir string, names ...string) evaluate.Options {
	s, err := suite.OpenSuite(dir)
	if err != nil {
		t.Fatal(err)
	}
	dbs, err := dataset.Schemas(filepath.Join(data, "tables.json"), func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := evaluate.Select(names...)
	if err != nil {
		t.Fatal(err)
	}
	return evaluate.Options{
		Metrics: metrics, Databases: dbs, Content: filepath.Join(data, "database"), Suite: s.For, Workers: 2,
		Execution: execution.Options{Limits: sqldata.Limits{Time: 5 * time.Second}}, Skip: func(err error) { t.Error(err) },
	}
}

// emptyAnswers judges, for each gold SQL, a prediction with its columns and no rows, which
// must never pass.
func emptyAnswers(t *testing.T, ctx context.Context, report *bytes.Buffer, data, dir string) {
	for _, strict := range []bool{false, true} {
		o := suiteOptions(t, data, dir, "suite")
		o.Execution.Strict = strict
		empty := func(report func(error), each func(*dataset.Pair) error) error {
			return dataset.Golds(filepath.Join(data, "dev.json"))(report, func(p *dataset.Pair) error {
				p.Prediction = "SELECT * FROM (" + strings.TrimRight(p.Query, "; \t\n") + ") WHERE 1 = 0"
				return each(p)
			})
		}
		judged, passed := 0, 0
		if err := evaluate.Run(ctx, empty, o, func(r *evaluate.Record) error {
			switch r.Scores[0].Verdict {
			case verdict.Right:
				passed++
				t.Errorf("%d %s: an empty answer passes the suite", r.Index, r.DB)
				judged++
			case verdict.Wrong:
				judged++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(report, "empty answers that pass the suite, strict %v: %d of %d that are judged\n", strict, passed, judged)
	}
	report.WriteString("\n")
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
