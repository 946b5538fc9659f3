package exact

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// The example was printed before the official evaluator compared a single table
// in FROM, so here golds of one table take any.
func TestPrintedResult(t *testing.T) {
	_, schemas := spiderDev(t)
	file := func(name string) []string { return lines(t, "data", "spider", "evaluation_examples", name) }
	_, anyTable := judgeLines(t, schemas, file("gold_example.txt"), file("pred_example.txt"))
	if got, want := figures(text(t, anyTable)), printed(file("eval_result_example.txt"), 5); !slices.Equal(got, want) {
		t.Errorf("figures\n%s\nexpected\n%s", got, want)
	}
	var scores []LevelScore
	if data, err := json.Marshal(anyTable); err != nil || json.Unmarshal(data, &scores) != nil || len(scores) != 5 || scores[4].Matches != 750 {
		t.Errorf("JSON: %+v, %v", scores, err)
	}
}

// The official evaluator printed this for a multi-turn set, with a last column
// for whole interactions.
func TestPrintedMultiTurn(t *testing.T) {
	schemas := map[string]*Schema{}
	for db, err := range streamtest.AllOfFile(dataset.ReadTables, filepath.Join(filepath.Dir(shared.File(t, "data", "sparc", "tables.json.gz")), "tables.json.gz")) {
		if err != nil {
			t.Log(err) // a database of train
			continue
		}
		schemas[db.ID] = NewSchema(db)
	}
	tally, _ := judgeLines(t, schemas, lines(t, "data", "sparc", "dev_gold.txt"), lines(t, "data", "predictions", "sparc-dev", "star_predict.txt.gz"))
	want := printed(lines(t, "data", "predictions", "sparc-dev", "star_official_eval.txt.gz"), 6)
	if got := figures(text(t, tally)); !slices.Equal(got, want) {
		t.Errorf("figures\n%s\nexpected\n%s", got, want)
	}
}

// judgeLines tallies a file of predictions against one of golds, a line each
// with SQL TAB DB, as the official evaluator reads them. In the second tally a
// gold of one table takes any.
func judgeLines(t *testing.T, schemas map[string]*Schema, golds, preds []string) (official, anyTable *Tally) {
	t.Helper()
	if len(golds) != len(preds) {
		t.Fatalf("%d golds, %d predictions", len(golds), len(preds))
	}
	official, anyTable = &Tally{}, &Tally{}
	for i, line := range golds {
		if line == "" {
			continue
		}
		sql, db, _ := strings.Cut(line, "\t")
		pred, _, _ := strings.Cut(preds[i], "\t")
		g := schemas[db].Gold(sql)
		if g.Problem() != nil {
			t.Errorf("gold %d: %v\n%s", i+1, g.Problem(), sql)
		}
		r := g.Judge(pred, false)
		official.Add(g.Hardness(), r)
		r.Match = r.Match || len(r.Differs) == 0 && len(g.query.tables) == 1
		anyTable.Add(g.Hardness(), r)
	}
	return official, anyTable
}

func text(t *testing.T, tally *Tally) string {
	t.Helper()
	var b bytes.Buffer
	if err := tally.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var figure = regexp.MustCompile(`\b\d+(\.\d{3})?\b`)

// figures returns the numbers of a report, without words and layout.
func figures(text string) []string { return figure.FindAllString(text, -1) }

// printed returns the figures that the official evaluator printed in a table of
// so many columns, without the columns behind the fifth.
func printed(lines []string, columns int) (list []string) {
	begin := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "count ") })
	for _, line := range lines[begin:] {
		if n := figures(line); len(n) == columns {
			list = append(list, n[:5]...)
		}
		if strings.Contains(line, "turn 1") {
			break
		}
	}
	return list
}

func TestTally(t *testing.T) {
	same := Result{Match: true, Official: true}
	for p := range NumParts {
		same.Partial[p] = Counts{Gold: 1, Pred: 1, Same: true}
	}
	lost := same
	lost.Match = false
	var all Tally
	for i, r := range []Result{same, lost, {Rejected: &SyntaxError{1, 1, "no"}}, same} {
		all.Add(Hardness(i), r)
	}
	got := all.Scores()[numLevels]
	if got.Level != "all" || got.Count != 4 || got.Matches != 2 || got.ExactMatch != 0.5 || got.Lost != 1 || got.Gained != 0 || got.Rejected != 1 {
		t.Errorf("all: %+v", got)
	}
}
