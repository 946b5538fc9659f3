package questions

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli/question"
)

// pets is a small schema for the tests.
func pets() *database {
	return &database{id: "pets", values: []string{"Rex", "Bella"}, schema: &dataset.Database{ID: "pets", Tables: []dataset.Table{
		{Name: "pet", Original: "Pet", Columns: []dataset.Column{{Name: "name", Original: "Name"}, {Name: "weight", Original: "Weight"}, {Name: "age", Original: "Age"}}},
		{Name: "owner", Original: "Owner", Columns: []dataset.Column{{Name: "city", Original: "City"}}},
	}}}
}

func TestFlips(t *testing.T) {
	cases := map[string]struct{ question, want string }{ // want is a part of what comes out
		"number":         {"Pets over 10 kilos", "kilos"},
		"value":          {"Pets called 'Rex'", "Pets called '"},
		"comparison":     {"Pets older than 3", "Pets younger than 3"},
		"superlative":    {"The heaviest pet", "The lightest pet"},
		"order":          {"Pets in ascending order of age", "Pets in descending order of age"},
		"aggregate":      {"The average age of pets", "age of pets"},
		"negation":       {"Owners who do not like pets", "Owners who like pets"},
		"swapped values": {"Pets called 'Rex' in city 'Rome'", "Pets called 'Rome' in city 'Rex'"},
		"column":         {"Show the age of dogs", "of dogs"},
		"table":          {"How many pets are there?", "How many owners are there?"},
		"lost condition": {"Show all the animals that weigh more than 3 kilos", "Show all the animals?"},
		"lost column":    {"Show the name and age of dogs", "of dogs"},
	}
	for _, f := range flips {
		c, ok := cases[f.kind]
		if !ok {
			t.Errorf("%s: no case", f.kind)
			continue
		}
		rng := rand.New(rand.NewPCG(1, 2))
		made := false
		for range 20 { // some draws make nothing
			now, ok := f.make(rng, pets(), c.question)
			if !ok {
				continue
			}
			made = true
			if now == c.question || !strings.Contains(now, c.want) {
				t.Errorf("%s of %q: %q, want another with %q", f.kind, c.question, now, c.want)
			}
		}
		if !made {
			t.Errorf("%s of %q: nothing", f.kind, c.question)
		}
		for _, plain := range []string{"", "Hm", "Show it"} {
			if now, ok := f.make(rng, pets(), plain); ok {
				t.Errorf("%s of %q: %q, want nothing", f.kind, plain, now)
			}
		}
	}
}

// write makes sources of two questions with their paraphrases for each of some
// databases.
func write(t *testing.T, databases int) Sources {
	t.Helper()
	type record = map[string]any
	var questions, synonyms, tables []record
	for i := range databases {
		db := "db" + string(rune('a'+i))
		for _, q := range [][2]string{
			{"How many pets are there?", "SELECT count(*) FROM pet"},
			{"Count the number of pets.", "SELECT count(*) FROM pet"},
			{"Show the name of pets older than 3.", "SELECT name FROM pet WHERE age > 3"},
			{"Which pets have an age above 3?", "SELECT name FROM pet WHERE age > 3"},
			{"Show the name and age of pets older than 5.", "SELECT name , age FROM pet WHERE age > 5"},
		} {
			questions = append(questions, record{"db_id": db, "question": q[0], "query": q[1]})
			synonyms = append(synonyms, record{"db_id": db, "SpiderQuestion": q[0], "SpiderSynQuestion": strings.ReplaceAll(q[0], "pets", "animals"), "query": q[1]})
		}
		tables = append(tables, record{
			"db_id": db, "table_names": []string{"pet"}, "table_names_original": []string{"pet"},
			"column_names":          []any{[]any{-1, "*"}, []any{0, "name"}, []any{0, "age"}},
			"column_names_original": []any{[]any{-1, "*"}, []any{0, "name"}, []any{0, "age"}},
			"column_types":          []string{"text", "text", "number"}, "primary_keys": []int{}, "foreign_keys": []any{},
		})
	}
	dir := t.TempDir()
	save := func(name string, v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return Sources{Spider: save("train.json", questions), SpiderSyn: save("syn.json", synonyms), Tables: save("tables.json", tables)}
}

func TestPairs(t *testing.T) {
	pairs, err := Pairs(write(t, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, p := range pairs {
		n[p.Kind]++
		if p.A == p.B {
			t.Errorf("%s: %q with itself", p.Kind, p.A)
		}
	}
	for kind, want := range map[string]int{SameSQL: 2, Synonyms: 5, Both: 2, RandomSQL: 5, OtherSQL: 15, "number": 3, "comparison": 3} {
		if n[kind] != want {
			t.Errorf("%s: %d pairs, want %d", kind, n[kind], want)
		}
	}
}

// The same sources give the same bytes, which make a model that judges.
func TestTrain(t *testing.T) {
	src := write(t, 12)
	opt := Options{Seed: 3, Units: 8, Nets: 2, Epochs: 40}
	first, report, err := Train(context.Background(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := Train(context.Background(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("two trainings gave different weights")
	}
	if report.Area < .9 {
		t.Errorf("area %.3f on what databases that are alike teach, expected over 0.9", report.Area)
	}
	m, err := question.Load(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Evaluate(context.Background(), m, src, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Kinds) != len(report.Kinds) || !strings.Contains(again.String(), SameSQL) {
		t.Errorf("kinds %v, want those of the training", again.Kinds)
	}
}

func TestBadSources(t *testing.T) {
	good := write(t, 1)
	for name, src := range map[string]Sources{
		"no file":       {Spider: "nowhere.json", SpiderSyn: good.SpiderSyn, Tables: good.Tables},
		"other tables":  {Spider: good.Spider, SpiderSyn: good.SpiderSyn, Tables: good.SpiderSyn},
		"other pairs":   {Spider: good.Spider, SpiderSyn: good.SpiderSyn, Tables: good.Tables, Written: good.Tables},
		"other synonym": {Spider: good.Spider, SpiderSyn: "sources.go", Tables: good.Tables},
	} {
		if _, err := Pairs(src, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
