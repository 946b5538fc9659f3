//go:build quality

package quality

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// pair is a prediction that is equal to a gold SQL on every database that keeps the
// schema's keys, or is not; or one that people hold for equal.
type pair struct {
	DB      string `json:"db_id"`
	Gold    string `json:"gold"`
	Pred    string `json:"pred"`
	Equal   bool   `json:"equal"`
	Why     string `json:"why"`     // what the two have the same, or how they differ
	Refuted string `json:"refuted"` // of one that people hold for equal: where it is not
}

// TestPairs counts the right verdicts on pairs that were written from the schemas alone,
// by nobody who had a part in the metrics: sets of 60 adversarial ones, half of them
// equal, and 50 that people hold for equal, of which execution may refute those that are not.
func TestPairs(t *testing.T) {
	sets := []string{"adversarial", "second", "third", "fourth", "equal"}
	pairs := lists.Map(sets, func(name string) []pair { return readPairs(t, name) })
	data := pairData(t, slices.Concat(pairs...))
	dir := filepath.Join(t.TempDir(), "suite")
	if _, err := suite.Distill(context.Background(), readUnits(t, data, "dev"), dir, suite.Config{
		Databases: suite.DefaultDatabases, Depth: suite.DefaultDepth, Seed: 1, Nulls: suite.NullsAllowed, Workers: 2, Report: told(t),
	}); err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	judged := judgePairs(t, data, dir)
	for i, name := range sets {
		if name == "equal" {
			report.WriteString(equalReport(pairs[i], judged))
		} else {
			report.WriteString(adversarialReport(strings.TrimPrefix(name+" adversarial", "adversarial "), pairs[i], judged))
		}
		judged = judged[len(pairs[i]):]
	}
	golden(t, "pairs", report.String())
}

// adversarialReport says of each metric how many verdicts on the pairs are right, and which
// are not.
func adversarialReport(name string, pairs []pair, judged []*evaluate.Record) string {
	var report strings.Builder
	for m, metric := range pairMetrics {
		right, missed := 0, ""
		for i, p := range pairs {
			if s := judged[i].Scores[m]; s.Verdict == verdict.Of(p.Equal) {
				right++
			} else {
				missed += fmt.Sprintf("  judged %s, %s (%s)\n    %s\n    %s\n", s.Verdict.Mark(), p.Why, p.DB, p.Gold, p.Pred)
			}
		}
		fmt.Fprintf(&report, "%s --strict: %d of %d %s pairs\n%s", metric, right, len(pairs), name, missed)
	}
	return report.String()
}

// equalReport says what the suite finds of the pairs that people hold for equal.
func equalReport(pairs []pair, judged []*evaluate.Record) string {
	accepted, refuted, missed := 0, 0, ""
	for i, p := range pairs {
		switch s := judged[i].Scores[2]; {
		case s.Verdict == verdict.Right:
			accepted++
		case p.Refuted != "" && s.Verdict == verdict.Wrong:
			refuted++
		default:
			missed += fmt.Sprintf("  judged %s, %s (%s): %s %s\n    %s\n    %s\n", s.Verdict.Mark(), p.Why, p.DB, s.Reason, s.Detail, p.Gold, p.Pred)
		}
	}
	return fmt.Sprintf("suite --strict: of %d pairs that people hold for equal %d are right, and %d are wrong for a reason known beforehand\n%s",
		len(pairs), accepted, refuted, missed)
}

// pairMetrics are the metrics of judgePairs, in the order of a record's scores.
var pairMetrics = []string{"exact", "exec", "suite"}

func readPairs(t *testing.T, name string) (pairs []pair) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "evaluate", "testdata", "pairs_"+name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var p pair
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// pairData makes a data directory of the pairs' gold SQL, with the predictions beside it.
func pairData(t *testing.T, pairs []pair) string {
	data := spiderData(t)
	var examples []map[string]string
	var preds strings.Builder
	for _, p := range pairs {
		examples = append(examples, map[string]string{"db_id": p.DB, "question": p.Why, "query": p.Gold})
		preds.WriteString(p.Pred + "\n")
	}
	replaceData(t, data, examples)
	if err := os.WriteFile(filepath.Join(data, "predictions.sql"), []byte(preds.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}

// replaceData puts other examples into a data directory, with the databases of Spider's
// training set beside those of its development set.
func replaceData(t *testing.T, data string, examples []map[string]string) {
	text, err := json.Marshal(examples)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(data, "dev.json")), os.Remove(filepath.Join(data, "database")),
		os.WriteFile(filepath.Join(data, "dev.json"), text, 0o600), os.Mkdir(filepath.Join(data, "database"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"dev", "train"} {
		folders, err := filepath.Glob(filepath.Join(shared.Untar(t, "data", "spider", "databases_"+part+".tar.gz"), "database", "*"))
		for _, folder := range folders {
			err = errors.Join(err, os.Symlink(folder, filepath.Join(data, "database", filepath.Base(folder))))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// judgePairs returns the strict verdicts of exact, exec and suite.
func judgePairs(t *testing.T, data, dir string) (all []*evaluate.Record) {
	o := suiteOptions(t, data, dir, pairMetrics...)
	o.Execution.Strict = true
	pairs := dataset.Pairs(filepath.Join(data, "dev.json"), filepath.Join(data, "predictions.sql"))
	if err := evaluate.Run(t.Context(), pairs, o, func(r *evaluate.Record) error {
		all = append(all, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
