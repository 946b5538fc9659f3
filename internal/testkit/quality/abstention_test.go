//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/abstention"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// abstentionFamilies are the perturbations of abstain, in the order of the catalog.
var abstentionFamilies = []string{"abstain/column", "abstain/twin"}

// TestAbstention builds the family abstain of Spider dev and scores answers of models, none of which refuses, and of two victims that
// refuse by rule. It compares the hallucinated names of 100 answers with those that were counted by hand.
func TestAbstention(t *testing.T) {
	data, dir := spiderData(t), t.TempDir()
	tabperturb, out := command(t), filepath.Join(dir, "out")
	m := built(t, tabperturb, "--data", data, "--perturb", "abstain", "--databases", "none", "--out", out)
	var report bytes.Buffer
	for _, r := range m.Perturbations {
		fmt.Fprintf(&report, "%s: %d of %d questions, on %d databases; rejected %v\n", r.Name, r.Verified, r.Examples, r.Variants, r.Rejected)
	}
	for _, file := range []string{"dail-sql_gpt-4", "graphix_via_dail-sql", "codes-1b", "leaderboard/leaderboard_01", "leaderboard/leaderboard_10"} {
		lines := spiderAnswers(t, file)
		r := abstained(t, tabperturb, out, func(_ string, ex *dataset.Example, _ bool) string { return lines[ex.Index] })
		writeAbstention(t, &report, file, r)
		for _, row := range r.Rows {
			if row.Refused > 0 {
				t.Errorf("%s: %s: %d answers are taken for refusals, expected none", file, row.Perturbation, row.Refused)
			}
		}
	}
	perfect := abstained(t, tabperturb, out, func(_ string, ex *dataset.Example, unanswerable bool) string {
		if unanswerable {
			return "NULL"
		}
		return ex.Query
	})
	writeAbstention(t, &report, "refuses what has no answer", perfect)
	if perfect.F1.Value != 1 {
		t.Errorf("a victim that refuses what has no answer has F1 %v", perfect.F1.Value)
	}
	asked := 0
	third := abstained(t, tabperturb, out, func(_ string, ex *dataset.Example, _ bool) string {
		if asked++; asked%3 == 0 {
			return "I cannot answer that from this schema."
		}
		return "SELECT 1"
	})
	writeAbstention(t, &report, "refuses every third question", third)
	if refused := third.Rows[0].Refused + third.Rows[1].Refused; refused != asked/3 {
		t.Errorf("%d of %d refused, expected %d", refused, asked, asked/3)
	}
	golden(t, "abstention", report.String())
	countByHand(t, tabperturb, out)
}

// spiderAnswers returns the lines of a file of answers to Spider dev.
func spiderAnswers(t *testing.T, file string) []string {
	t.Helper()
	return strings.Split(whole(t, shared.File(t, "data", "predictions", "spider-dev", file+".txt")), "\n")
}

// abstained returns the report of what a victim answers to a build: answer gets the perturbation, the example before with its place in
// the split, and whether it is unanswerable afterwards.
func abstained(t *testing.T, tabperturb func(out io.Writer, args ...string), out string, answer func(string, *dataset.Example, bool) string) *abstention.Report {
	t.Helper()
	dir := t.TempDir()
	for _, name := range abstentionFamilies {
		var lines []string
		index := strings.Split(strings.TrimSpace(whole(t, filepath.Join(out, name, "index.jsonl"))), "\n")
		err := dataset.ReadExamples(filepath.Join(out, name, "pre", "dev.json"), func(err error) { t.Error(err) }, func(ex *dataset.Example) error {
			var at struct{ Example int }
			if err := json.Unmarshal([]byte(index[len(lines)]), &at); err != nil {
				return err
			}
			ex.Index = at.Example
			text, _, _ := strings.Cut(answer(name, ex, name == abstentionFamilies[0]), "\t")
			lines = append(lines, strings.TrimSpace(text))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, name+".sql"), strings.Join(lines, "\n")+"\n")
	}
	var printed bytes.Buffer
	tabperturb(&printed, "eval", "abstention", "--build", out, "--pred", dir, "--json")
	r := &abstention.Report{}
	if err := json.Unmarshal(printed.Bytes(), r); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		refused := 0
		for _, n := range row.Refusals {
			refused += n
		}
		names := 0
		for _, n := range row.Names {
			names += n
		}
		if refused != row.Refused || names != row.Hallucinated || row.Refused+row.Unread+row.Hallucinating > row.Questions {
			t.Errorf("%+v: counts do not add up", row)
		}
	}
	return r
}

// writeAbstention writes the report of a victim.
func writeAbstention(t *testing.T, w *bytes.Buffer, victim string, r *abstention.Report) {
	t.Helper()
	fmt.Fprintf(w, "\n# %s\n", victim)
	if err := r.Write(w, "text"); err != nil {
		t.Fatal(err)
	}
}

// countByHand compares the hallucinated names of 100 answers with those of testdata/hallucinated.tsv. All other questions are refused.
func countByHand(t *testing.T, tabperturb func(out io.Writer, args ...string), out string) {
	t.Helper()
	file, err := os.ReadFile("testdata/hallucinated.tsv")
	if err != nil {
		t.Fatal(err)
	}
	byHand, want := map[string]string{}, map[string]int{}
	for line := range wordfile.Lines(string(file)) {
		f := strings.Split(line, "\t")
		byHand[f[0]+" "+f[1]] = f[2]
		if f[2] != "-" {
			want[f[2]]++
		}
	}
	lines := [][]string{spiderAnswers(t, "dail-sql_gpt-4"), spiderAnswers(t, "leaderboard/leaderboard_10")}
	used := 0
	r := abstained(t, tabperturb, out, func(name string, ex *dataset.Example, unanswerable bool) string {
		if _, ok := byHand[fmt.Sprint(name, " ", ex.Index)]; !ok {
			return "NULL"
		}
		used++
		return lines[1-count(unanswerable)][ex.Index]
	})
	got := map[string]int{}
	for _, row := range r.Rows {
		for name, n := range row.Names {
			got[name[strings.LastIndex(name, ".")+1:]] += n
		}
	}
	if used != 100 || !maps.Equal(got, want) {
		t.Errorf("%d answers name %v, expected 100 with %v as counted by hand", used, got, want)
	}
}
