package mix_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/augment/mix"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// turn is a question about the sample's library as a data directory has it.
type turn struct {
	DB          string `json:"db_id"`
	Question    string `json:"question"`
	Query       string `json:"query"`
	Interaction int    `json:"interaction,omitempty"`
	Turn        int    `json:"turn,omitempty"`
}

// writeTurns writes the sample with turns of interactions, and a question that stands
// alone between them.
func writeTurns(t *testing.T, change func([]turn)) string {
	t.Helper()
	turns := []turn{
		{Question: "Show the titles of all books.", Query: "SELECT title FROM books", Interaction: 1, Turn: 1},
		{Question: "Which of them have more than 600 pages?", Query: "SELECT title FROM books WHERE pages > 600", Interaction: 1, Turn: 2},
		{Question: "How many books does the library hold?", Query: "SELECT count(*) FROM books"},
		{Question: "How many members are there?", Query: "SELECT count(*) FROM members", Interaction: 2, Turn: 1},
		{Question: "What are their home towns?", Query: "SELECT home_town FROM members", Interaction: 2, Turn: 2},
		{Question: "How many of them are students?", Query: "SELECT count(*) FROM members WHERE is_student = 1", Interaction: 2, Turn: 3},
	}
	for i := range turns {
		turns[i].DB = "town_library"
	}
	if change != nil {
		change(turns)
	}
	raw, err := json.Marshal(turns)
	if err != nil {
		t.Fatal(err)
	}
	dir := perturbtest.WriteSample(t)
	if err := os.WriteFile(filepath.Join(dir, "dev.json"), raw, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// buildTurns builds two perturbations: one renames a column for all, under three samples
// of which two are the same; one changes the last turn of each interaction alone.
func buildTurns(t *testing.T, data string) string {
	t.Helper()
	rename := &perturb.Perturbation{Name: "turns/rename", Version: 1, Relation: perturb.Renamed, Run: func(p *perturb.Pass) error {
		for sample, name := range []string{"fee", "charge", "fee"} {
			p.Report(perturb.Variant{Sample: sample, Examples: p.Examples, Edits: []perturb.Edit{
				perturb.RenameColumn{Table: "loans", Column: "fine", Name: name, Natural: name},
			}})
		}
		return nil
	}}
	reword := &perturb.Perturbation{Name: "turns/reword", Version: 1, Relation: perturb.Invariant, Run: func(p *perturb.Pass) error {
		for _, ex := range p.Examples {
			if ex.Turns()[len(ex.Turns())-1] == ex {
				p.Report(perturb.Variant{Examples: []*perturb.Example{ex}, Edits: []perturb.Edit{perturb.ReplaceSpan{With: "Now, "}}})
			}
		}
		return nil
	}}
	out := filepath.Join(t.TempDir(), "build")
	units, err := dataset.Units(data, "dev", func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	_, err = benchmark.Build(t.Context(), units, out, benchmark.Config{
		Perturbations: []*perturb.Perturbation{rename, reword}, Resources: perturbtest.Resources(), Samples: 3, Seed: 1, Workers: 2, Split: "dev",
		Report: func(err error) { t.Log(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// told lists what a mix holds, an interaction or question a line: where it is from, then
// the turns, those that stand unchanged in parentheses.
func told(t *testing.T, out string) (list []string) {
	t.Helper()
	gold := strings.Split(strings.TrimSuffix(tree(t, out)["/train_gold.sql"], "\n"), "\n")
	var split []turn
	if err := json.Unmarshal([]byte(tree(t, out)["/train.json"]), &split); err != nil {
		t.Fatal(err)
	}
	rows := readRows(t, out)
	at, interactions := 0, 0
	for i := 0; i < len(rows); {
		end := i + 1
		for rows[i].Interaction != nil && end < len(rows) && rows[end].Interaction != nil && *rows[end].Interaction == *rows[i].Interaction {
			end++
		}
		line := rows[i].Source
		for j, r := range rows[i:end] {
			word := fmt.Sprint(r.Example)
			if r.Edits != nil && *r.Edits == "[]" {
				word = "(" + word + ")"
			}
			line += " " + word
			if want := r.Query + "\t" + r.DB; gold[at] != want {
				t.Errorf("train_gold.sql:%d is %q, want %q", at+1, gold[at], want)
			}
			at++
			number, turn := 0, 0
			if r.Interaction != nil {
				number, turn = interactions+1, j+1
			}
			if in := split[i+j]; in.Interaction != number || in.Turn != turn || number > 0 && (int(*r.Interaction) != number || int(*r.Turn) != turn) {
				t.Errorf("row %d is turn %d of interaction %d in train.json, %v of %v among the rows, want %d of %d", i+j, in.Turn, in.Interaction, r.Turn, r.Interaction, turn, number)
			}
		}
		if list = append(list, line); rows[i].Interaction != nil {
			interactions++
			if gold[at] != "" {
				t.Errorf("train_gold.sql:%d is %q, want a blank line behind an interaction", at+1, gold[at])
			}
			at++
		}
		i = end
	}
	return list
}

func TestInteractions(t *testing.T) {
	data := writeTurns(t, nil)
	built := buildTurns(t, data)
	all := []string{
		"original 0 1", "original 2", "original 3 4 5",
		"turns/rename 0 1", "turns/rename 0 1", "turns/rename 2", "turns/rename 2", "turns/rename 3 4 5", "turns/rename 3 4 5",
		"turns/reword (0) 1", "turns/reword 2", "turns/reword (3) (4) 5",
	}
	for _, from := range []string{"", data} {
		c := config(t, built)
		c.Data = from
		out, m := mustMix(t, c)
		if got := told(t, out); !slices.Equal(got, all) {
			t.Errorf("with data %q: %q, want %q", from, got, all)
		}
		if m.Originals != 6 || m.Drawn != 15 || m.Unchanged != 3 || m.Rows != 24 || m.Interactions != 8 {
			t.Errorf("manifest %+v", m)
		}
		if r := m.Relations[0]; r.Records != 18 || r.Distinct != 6 || r.Drawn != 6 {
			t.Errorf("relation %+v", r)
		}
	}
	for seed := range uint64(10) { // an original is a question or an interaction: as many are drawn
		c := config(t, built)
		c.Seed, c.Strategy = seed, mix.Stratified
		out, m := mustMix(t, c)
		got := told(t, out)
		if len(got) != 6 || m.Relations[0].First != 1 || m.Relations[1].First != 1 || m.Relations[0].Drawn+m.Relations[1].Drawn != 3 {
			t.Errorf("seed %d: %q, relations %+v", seed, got, m.Relations)
		}
		for _, line := range got {
			if !slices.Contains(all, line) {
				t.Errorf("seed %d: %q is torn", seed, line)
			}
		}
	}
}

// TestTornInteractions leaves originals out of which a turn cannot be used.
func TestTornInteractions(t *testing.T) {
	for name, change := range map[string]func([]turn){
		"unusable": func(turns []turn) { turns[4].DB = "nowhere" },
		"missing":  func(turns []turn) { turns[4].Turn, turns[5].Turn = 3, 4 },
		"first":    func(turns []turn) { turns[3].DB = "nowhere" },
	} {
		t.Run(name, func(t *testing.T) {
			data := writeTurns(t, change)
			c := config(t, buildTurns(t, data))
			var skipped []string
			c.Data, c.Perturb, c.Report = data, []string{"turns/reword"}, func(err error) { skipped = append(skipped, err.Error()) }
			out, m := mustMix(t, c)
			want := []string{"original 0 1", "original 2", "turns/reword (0) 1", "turns/reword 2"}
			if got := told(t, out); !slices.Equal(got, want) || len(skipped) != 3 || m.Skipped != 3 {
				t.Errorf("%q, want %q; skipped %d, %q", got, want, m.Skipped, skipped)
			}
			c.Strategy = mix.Random // as many as originals: two
			if out, _ = mustMix(t, c); !slices.Equal(told(t, out), want) {
				t.Errorf("drew %q", told(t, out))
			}
		})
	}
}
