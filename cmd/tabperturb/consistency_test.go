package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/consistency"
	"github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// A toy translates a question to one column, of the first table that the question
// names, else of the first table: the column is the first whose natural name
// stands in the question, else the first. It ignores all that the question asks
// beside that.
type toy struct {
	// hasty makes it count rows where the question is long, however it is put.
	hasty bool
}

// choice is what a toy translates to. Columns are called by their positions, which
// the perturbations of the test keep: two choices are the same if they are equal.
type choice struct {
	table, column int
	count         bool
}

func (t toy) translate(db *dataset.Database, question string) choice {
	q := strings.ToLower(question)
	var c choice
	for i := range db.Tables {
		if strings.Contains(q, db.Tables[i].Name) {
			c.table = i
			break
		}
	}
	for i, col := range db.Tables[c.table].Columns {
		if strings.Contains(q, col.Name) {
			c.column = i
			break
		}
	}
	if t.hasty && len(question) > 70 {
		c.count, c.column = true, 0
	}
	return c
}

func (c choice) sql(db *dataset.Database) string {
	t := db.Tables[c.table]
	if c.count {
		return fmt.Sprintf("SELECT count(*) FROM %q", t.Original)
	}
	return fmt.Sprintf("SELECT %q FROM %q", t.Columns[c.column].Original, t.Original)
}

// outputsOn writes a toy's outputs on a side of a perturbation and returns its
// choices.
func outputsOn(t *testing.T, model toy, build, perturbation, side, out string) []choice {
	t.Helper()
	dir := filepath.Join(build, filepath.FromSlash(perturbation), side)
	schemas, err := dataset.Schemas(filepath.Join(dir, "tables.json"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	var choices []choice
	var lines strings.Builder
	for ex, err := range streamtest.AllOfFile(dataset.ReadExamples, filepath.Join(dir, "dev.json")) {
		if err != nil {
			t.Fatal(err)
		}
		c := model.translate(schemas[ex.DB], ex.Question)
		choices = append(choices, c)
		lines.WriteString(c.sql(schemas[ex.DB]) + "\n")
	}
	path := filepath.Join(out, side, filepath.FromSlash(perturbation)+".sql")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return choices
}

// figures are what a toy's choices come to.
type figures struct {
	pairs, errors int
	types         map[consistency.Type]int
}

func figuresOf(pre, post []choice) figures {
	f := figures{len(pre), 0, map[consistency.Type]int{}}
	for i, before := range pre {
		after := post[i]
		if before == after {
			continue
		}
		f.errors++
		switch {
		case before.count && after.count:
			f.types[consistency.Others]++ // rows of another table
		case before.count != after.count && before.table != after.table:
			f.types[consistency.ComplexQuery]++
		case before.count != after.count:
			f.types[consistency.AggregateFunction]++
		default:
			f.types[consistency.ColumnPrediction]++
		}
	}
	return f
}

// TestConsistencyOfToys takes two toy translators through eval consistency, which
// must find the error rates that their choices have.
func TestConsistencyOfToys(t *testing.T) {
	dir := t.TempDir()
	tabperturb := func(args ...string) []byte {
		t.Helper()
		var out, errs bytes.Buffer
		if code := command.Run(t.Context(), strings.NewReader(""), &out, &errs, append(args, "--quiet")); code != 0 {
			t.Fatalf("%s: exit code %d: %s", args, code, errs.String())
		}
		return out.Bytes()
	}
	if err := sample.WriteData(t.Context(), dir+"/data"); err != nil {
		t.Fatal(err)
	}
	perturbations := []string{"drspider/schema-synonym", "drspider/keyword-synonym", "drspider/others", "spidersyn/substitution", "mtteql/prefix-substitution", "mtteql/column-insertion"}
	tabperturb("build", "--data", dir+"/data", "--perturb", strings.Join(perturbations, ","), "--samples", "1", "--out", dir+"/build")

	args := []string{"eval", "consistency", "--build", dir + "/build", "--json"}
	want := map[string]figures{}
	for _, name := range []string{"steady", "hasty"} {
		model := toy{hasty: name == "hasty"}
		args = append(args, "--model", fmt.Sprintf("%s=%s/%s/pre,%s/%s/post", name, dir, name, dir, name))
		for _, p := range perturbations {
			pre, post := outputsOn(t, model, dir+"/build", p, "pre", dir+"/"+name), outputsOn(t, model, dir+"/build", p, "post", dir+"/"+name)
			want[name+" "+p] = figuresOf(pre, post)
		}
	}
	for _, workers := range []string{"1", "3"} {
		var got consistency.Report
		if err := json.Unmarshal(tabperturb(append(args, "--workers", workers)...), &got); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range got.Models {
			pairs, errors := 0, 0
			for _, r := range m.Relations {
				w := want[m.Name+" "+r.Name]
				if r.Pairs != w.pairs || r.Errors != w.errors || float64(r.Rate) != float64(w.errors)/float64(w.pairs) || fmt.Sprint(r.Types) != fmt.Sprint(w.types) {
					t.Errorf("%s, %s: %d of %d, %v, %v; want %d of %d, %v", m.Name, r.Name, r.Errors, r.Pairs, r.Rate, r.Types, w.errors, w.pairs, w.types)
				}
				pairs, errors, found = pairs+w.pairs, errors+w.errors, found+1
			}
			if m.All.Pairs != pairs || m.All.Errors != errors || errors == 0 {
				t.Errorf("%s, all: %d of %d, want %d of %d and some errors", m.Name, m.All.Errors, m.All.Pairs, errors, pairs)
			}
			t.Logf("%s: %d of %d, %v", m.Name, errors, pairs, m.All.Types)
		}
		if found != len(want) {
			t.Errorf("%d rows, want %d", found, len(want))
		}
	}
}
