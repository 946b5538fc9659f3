//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/kit/tsv"
)

// snailsModels are the models that SNAILS asked, and snailsLevels the names of its schemas: full words, abbreviated,
// hardly readable.
var (
	snailsModels = []string{"gpt-4o", "gpt-4-0125-preview", "gpt-3.5-turbo"}
	snailsLevels = []string{"N1", "N2", "N3"}
)

// snailsAnswer is a line of SNAILS' predictions.
type snailsAnswer struct {
	DB        string `json:"db_id"`
	Level     string `json:"level,omitempty"`
	Model     string `json:"model,omitempty"`
	Question  string `json:"question"`
	Predicted string `json:"predicted"`                       // on the renamed schema
	Mapped    string `json:"predicted_mapped_back,omitempty"` // by SNAILS, on the original
}

// TestSNAILS builds SNAILS' crosswalks of ten Spider databases and scores what three models answered on the renamed
// schemas. It counts where the answers that SNAILS mapped back to the original names are judged otherwise.
func TestSNAILS(t *testing.T) {
	data, dir := spiderData(t), t.TempDir()
	tabperturb, out := command(t), filepath.Join(dir, "out")
	files, databases := snailsCrosswalks(t, dir)
	snailsPredictions(t, dir)
	var report bytes.Buffer
	tabperturb(&report, "build", "--data", data, "--rename", strings.Join(files, ","), "--only", databases, "--out", out)
	differences := table.New("answers judged otherwise as SNAILS mapped them back to the original names", "model", "names", "#", "right", "mapped back", "otherwise")
	for _, model := range snailsModels {
		fmt.Fprintf(&report, "\n# %s\n", model)
		tabperturb(&report, "eval", "robustness", "--build", out, "--metric", "exec", "--pred-pre", filepath.Join(dir, model, "NATIVE.jsonl"), "--pred-post", filepath.Join(dir, model))
		for _, level := range snailsLevels {
			ours := snailsVerdicts(t, tabperturb, filepath.Join(out, "given", level, "post"), filepath.Join(dir, model, "given", level+".jsonl"))
			theirs := snailsVerdicts(t, tabperturb, filepath.Join(out, "given", level, "pre"), filepath.Join(dir, model, level+"-mapped.jsonl"))
			right, mapped, differ := 0, 0, 0
			for i := range ours {
				right, mapped, differ = right+count(ours[i] == "1"), mapped+count(theirs[i] == "1"), differ+count(ours[i] != theirs[i])
			}
			differences.Add(model, level, len(ours), right, mapped, differ)
		}
	}
	fmt.Fprintf(&report, "\n%s", differences)
	golden(t, "snails", strings.NewReplacer(out, "OUT", dir, "DIR").Replace(report.String()))
}

// count returns 1 for true.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// snailsCrosswalks writes a crosswalk of each level and returns their paths and the databases, by commas. SNAILS names columns
// without their tables.
func snailsCrosswalks(t *testing.T, dir string) (files []string, databases string) {
	t.Helper()
	var dbs []string
	texts := map[string]*strings.Builder{}
	err := tsv.Each("crosswalks.tsv", text(t, "snails/crosswalks.tsv.gz"), func(row int, f []string) error {
		db, kind, identifier := f[0], f[1], f[2]
		if row > 1 && !slices.Contains(dbs, db) {
			dbs = append(dbs, db)
		}
		for i, level := range snailsLevels {
			switch {
			case row == 1:
				texts[level] = &strings.Builder{}
				fmt.Fprintln(texts[level], "db_id\ttable\tcolumn\tname")
			case kind == "table":
				fmt.Fprintf(texts[level], "%s\t%s\t\t%s\n", db, identifier, f[4+i])
			default:
				fmt.Fprintf(texts[level], "%s\t\t%s\t%s\n", db, identifier, f[4+i])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range snailsLevels {
		files = append(files, filepath.Join(dir, level+".tsv"))
		writeText(t, files[len(files)-1], texts[level].String())
	}
	return files, strings.Join(dbs, ",")
}

// snailsPredictions writes the answers of each model: MODEL/NATIVE.jsonl on the original schema, MODEL/given/LEVEL.jsonl on the
// renamed ones, and MODEL/LEVEL-mapped.jsonl as SNAILS mapped these back.
func snailsPredictions(t *testing.T, dir string) {
	t.Helper()
	texts := map[string]*bytes.Buffer{}
	add := func(path string, a snailsAnswer) {
		if texts[path] == nil {
			texts[path] = &bytes.Buffer{}
		}
		if err := json.NewEncoder(texts[path]).Encode(snailsAnswer{DB: a.DB, Question: a.Question, Predicted: a.Predicted}); err != nil {
			t.Fatal(err)
		}
	}
	decoder := json.NewDecoder(text(t, "snails/predictions.jsonl.gz"))
	for {
		var a snailsAnswer
		err := decoder.Decode(&a)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if a.Level == "NATIVE" {
			add(filepath.Join(dir, a.Model, "NATIVE.jsonl"), a)
			continue
		}
		add(filepath.Join(dir, a.Model, "given", a.Level+".jsonl"), a)
		a.Predicted = a.Mapped
		add(filepath.Join(dir, a.Model, a.Level+"-mapped.jsonl"), a)
	}
	for path, b := range texts {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		writeText(t, path, b.String())
	}
}

// snailsVerdicts returns the verdicts of execution on predictions for one side of a perturbation.
func snailsVerdicts(t *testing.T, tabperturb func(io.Writer, ...string), side, predictions string) (verdicts []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "verdicts.tsv")
	tabperturb(io.Discard, "eval", "--gold", filepath.Join(side, "dev.json"), "--tables", filepath.Join(side, "tables.json"), "--db", filepath.Join(side, "database"),
		"--pred", predictions, "--metric", "exec", "--verdicts", file)
	for _, line := range strings.Split(strings.TrimSpace(whole(t, file)), "\n")[1:] {
		verdicts = append(verdicts, strings.Split(line, "\t")[3])
	}
	return verdicts
}
