package evaluate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// The official evaluator printed these figures for SParC and CoSQL dev: exact match
// by hardness, of whole interactions and by turn, and the partial scores.
//
// CoSQL's gold then lacked one of today's 1,007 turns. The script counts an interaction
// when it reads the blank line behind it; the gold files that EditSQL was judged by
// had none at the end, so that the last interaction is not in the figures.
func TestPrintedInteractions(t *testing.T) {
	for _, tt := range []struct{ set, gold, model string }{
		{"sparc", "dev_gold.txt", "star"},
		{"cosql", "dev.json.gz", "star"}, // in the order of dev.json
		{"sparc", "dev_gold.txt", "editsql"},
		{"cosql", "dev_gold.txt", "editsql"},
	} {
		t.Run(tt.set+" "+tt.model, func(t *testing.T) {
			dbs, err := dataset.Schemas(shared.File(t, "data", "sparc", "tables.json.gz"), func(error) {})
			if err != nil {
				t.Fatal(err)
			}
			golds := asThen(readGolds(t, shared.File(t, "data", tt.set, tt.gold)))
			print := textLines(t, "data", "predictions", tt.set+"-dev", tt.model+"_official_eval.txt.gz")
			var preds []string
			if tt.model == "star" {
				preds = full(textLines(t, "data", "predictions", tt.set+"-dev", "star_predict.txt.gz"))
			} else {
				outputs := editSQLOutputs(t, golds, tt.set)
				last := golds[len(golds)-1].Interaction
				golds = slices.DeleteFunc(golds, func(ex *dataset.Example) bool { return ex.Interaction == last })
				preds = rebuild(t, dbs, golds, outputs[:len(golds)], print)
			}
			r := exactReport(t, dbs, golds, preds)
			if diff := cmp.Diff(printedFigures(print), figures(r)); diff != "" {
				t.Errorf("figures, - printed, + ours: %s", diff)
			}
		})
	}
}

// asThen returns the golds without the turn that CoSQL had not then.
func asThen(golds []*dataset.Example) []*dataset.Example {
	return slices.DeleteFunc(golds, func(ex *dataset.Example) bool {
		return ex.DB == "dog_kennels" && ex.Turn == 2 && strings.Contains(ex.Query, "HAVING sum ( cost_of_treatment )")
	})
}

func readGolds(t *testing.T, path string) (golds []*dataset.Example) {
	t.Helper()
	for ex, err := range streamtest.AllOfFile(dataset.ReadGold, filepath.Join(filepath.Dir(path), filepath.Base(path))) {
		if err != nil {
			t.Fatal(err)
		}
		if ex.Interaction == 0 || ex.Turn == 0 {
			t.Fatalf("gold %d is turn %d of interaction %d, want both from 1", ex.Index, ex.Turn, ex.Interaction)
		}
		golds = append(golds, ex)
	}
	return golds
}

func textLines(t *testing.T, elem ...string) (lines []string) {
	t.Helper()
	for l, err := range streamtest.AllOfFile(dataset.TextLines, shared.File(t, elem...)) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(l.Text))
	}
	return lines
}

func full(lines []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// exactReport judges predictions by exact match, from files as the official script
// takes them.
func exactReport(t *testing.T, dbs map[string]*dataset.Database, golds []*dataset.Example, preds []string) *evaluate.Report {
	t.Helper()
	if len(golds) != len(preds) {
		t.Fatalf("%d golds and %d predictions, want as many", len(golds), len(preds))
	}
	var goldText, predText strings.Builder
	for i, ex := range golds {
		if i > 0 && ex.Interaction != golds[i-1].Interaction {
			goldText.WriteByte('\n')
			predText.WriteByte('\n')
		}
		if err := dataset.WriteGold(&goldText, ex.Query, ex.DB); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&predText, preds[i])
	}
	dir := t.TempDir()
	gold, pred := filepath.Join(dir, "gold.txt"), filepath.Join(dir, "pred.txt")
	for path, text := range map[string]string{gold: goldText.String(), pred: predText.String()} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := evaluate.Options{Metrics: metrics(t, "exact"), Databases: dbs, Skip: func(err error) { t.Error(err) }}
	r := evaluate.NewReport("gold.txt", "pred.txt", &o)
	err := evaluate.Run(t.Context(), dataset.Pairs(gold, pred), o, func(rec *evaluate.Record) error {
		r.Add(rec)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	figure   = regexp.MustCompile(`\b\d+(\.\d{3})?\b`)
	rowNames = regexp.MustCompile(`^[a-zA-Z/]+( match|\(no [a-zA-Z]+\))?`)
)

// printedFigures returns the rows of what the official script printed. Its column of
// interactions holds nothing in the rows of partial scores.
func printedFigures(print []string) (rows []string) {
	begin := slices.IndexFunc(print, func(l string) bool { return strings.HasPrefix(l, "count ") })
	for _, l := range print[begin:] {
		name := rowNames.FindString(l)
		n := figure.FindAllString(l, -1)
		if len(n) < 5 || strings.Contains(l, "turn 1") {
			continue
		}
		if len(n) == 6 && name != "count" && name != "exact match" {
			n = n[:5]
		}
		rows = append(rows, name+" "+strings.Join(n, " "))
	}
	return rows
}

// figures returns a report's figures as [printedFigures] does.
func figures(r *evaluate.Report) (rows []string) {
	m := r.Metrics[0]
	last := len(m.Turns) - 1
	row := func(name string, n int, cell func(int) string) {
		for i := range n {
			name += " " + cell(i)
		}
		rows = append(rows, name)
	}
	ratio := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	levels := append(slices.Clone(m.Levels), m.Turns[last])
	row("count", len(levels), func(i int) string { return fmt.Sprint(levels[i].Questions) })
	row("exact match", len(levels), func(i int) string { return ratio(levels[i].Accuracy) })
	scores := r.Partial.Scores()
	for _, of := range []func(exact.PartScore) float64{
		func(s exact.PartScore) float64 { return s.Precision },
		func(s exact.PartScore) float64 { return s.Recall },
		func(s exact.PartScore) float64 { return s.F1 },
	} {
		for p, part := range scores[0].Parts {
			row(part.Part, len(scores), func(i int) string { return ratio(of(scores[i].Parts[p])) })
		}
	}
	row("count", last, func(i int) string { return fmt.Sprint(m.Turns[i].Questions) })
	row("exact match", last, func(i int) string { return ratio(m.Turns[i].Accuracy) })
	return rows
}
