package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/compare"
	"github.com/tabperturb/tabperturb/evaluate/consistency"
	"github.com/tabperturb/tabperturb/evaluate/robustness"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// robustnessTable is a table of three perturbations on two databases.
func robustnessTable() *robustness.Table {
	tally := robustness.NewTally("exec", nil)
	for i := range 60 {
		r := robustness.Record{Perturbation: []string{"adveta/add", "adveta/replace", "drspider/<b>others"}[i%3], DB: []string{"a", "b"}[i%2], Pre: verdict.Right, Post: verdict.Right}
		if i%4 == 0 {
			r.Post = verdict.Wrong
		}
		if i%7 == 0 {
			r.Pre = verdict.Unjudged
		}
		tally.Add(r)
	}
	table := tally.Table(stats.Bootstrap{Seed: 1, Draws: 200})
	table.How = "comparison of answers"
	return table
}

func consistencyReport() *consistency.Report {
	var tallies []*consistency.Tally
	for k, model := range []string{"one & only", "two"} {
		tally := consistency.NewTally(model)
		for i := range 40 {
			o := consistency.Outcome{Verdict: verdict.Right}
			if i%(3+k) == 0 {
				o = consistency.Outcome{Verdict: verdict.Wrong, Difference: consistency.Difference{Type: consistency.Types()[i%2], Clauses: []consistency.Clause{consistency.Where}}}
			}
			if i == 7 {
				o = consistency.Outcome{Verdict: verdict.Unjudged, Reason: "the answer is to change"}
			}
			tally.Add([]string{"mtteql/column-shuffle", "mtteql/flattening"}[i%2], []string{"a", "b", "c"}[i%3], o)
		}
		tallies = append(tallies, tally)
	}
	return consistency.NewReport("exact", tallies, stats.Bootstrap{Seed: 1, Draws: 200})
}

// comparison compares 40 predictions on two databases, of which the second file has the
// fourth of every five wrong.
func comparison(t *testing.T) *compare.Report {
	t.Helper()
	evaluation := func(name string, wrong func(i int) bool) *compare.Evaluation {
		e := &compare.Evaluation{File: name + ".json", Gold: "gold.sql", Predictions: name + ".sql", Metrics: []string{"exec"}}
		for i := range 40 {
			s := compare.Score{Verdict: verdict.Right, Mark: "1"}
			if wrong(i) {
				s = compare.Score{Verdict: verdict.Wrong, Mark: "0", Reason: "costs $a$ | `more` <b>rows</b>"}
			}
			e.Records = append(e.Records, compare.Record{Index: i, DB: []string{"a", "b"}[i%2], Hardness: "easy", Scores: map[string]compare.Score{"exec": s}})
		}
		return e
	}
	r, err := compare.Compare(evaluation("main", func(int) bool { return false }), evaluation("branch", func(i int) bool { return i%5 == 3 }),
		compare.Options{MaxDrop: 1, Bootstrap: stats.Bootstrap{Seed: 1, Draws: 200}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// everything returns inputs of all kinds, one of each.
func everything(t *testing.T) []string {
	t.Helper()
	var rob, cons bytes.Buffer
	if err := robustness.Write(&rob, "json", []*robustness.Table{robustnessTable()}); err != nil {
		t.Fatal(err)
	}
	if err := consistencyReport().Write(&cons, "json"); err != nil {
		t.Fatal(err)
	}
	compared, err := json.Marshal(comparison(t))
	if err != nil {
		t.Fatal(err)
	}
	return []string{build(t), filepath.Join("testdata", "eval.json"), write(t, "robustness.json", rob.Bytes()), write(t, "consistency.json", cons.Bytes()),
		filepath.Join("testdata", "suite"), filepath.Join("testdata", "buckets.json"),
		write(t, "compare.json", compared), filepath.Join("testdata", "mix")}
}
