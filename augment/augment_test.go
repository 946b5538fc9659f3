package augment

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// table is an NLI model that knows some pairs of sentences; the others are
// neutral.
type table map[nli.Pair]float64

func (m table) Key() string { return "table" }

func (m table) Classify(_ context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	out := make([]nli.Scores, len(pairs))
	for i, p := range pairs {
		e := m[sentences(p)]
		out[i] = nli.Scores{Entailment: e, Neutral: 1 - e}
	}
	return out, nil
}

// sentences returns a pair as sentences.
func sentences(p nli.Pair) nli.Pair {
	premise, hypothesis := p.Sentences()
	return nli.Pair{Premise: premise, Hypothesis: hypothesis}
}

// both sets the entailment of two sentences in both directions.
func (m table) both(a, b string, forward, backward float64) {
	m[nli.Pair{Premise: a, Hypothesis: b}] = forward
	m[nli.Pair{Premise: b, Hypothesis: a}] = backward
}

// fixed returns a source that proposes the same names for every column.
func fixed(source string, names ...string) Source {
	return Source{Name: source, Propose: func(_ context.Context, _ *Resources, a *Asked) ([][]Proposal, error) {
		out := make([][]Proposal, len(a.table().Columns))
		for i := range out {
			for j, n := range names {
				out[i] = append(out[i], Proposal{Candidate: dataset.Candidate{Name: n, Similarity: 1 - float64(j)/10}})
			}
		}
		return out, nil
	}}
}

func books() *dataset.Unit {
	db := &dataset.Database{ID: "library", Tables: []dataset.Table{{Name: "book", Original: "Book", Columns: []dataset.Column{
		{Name: "author", Original: "Author", Type: dataset.Text},
		{Name: "year", Original: "Year", Type: dataset.Number},
	}}}}
	return &dataset.Unit{DB: db, Examples: []*dataset.Example{
		{Index: 0, DB: "library", Question: "Who wrote most?", Query: "SELECT author FROM book"},
		{Index: 1, DB: "library", Question: "broken", Query: "SELECT"},
	}}
}

func TestUnit(t *testing.T) {
	m := table{}
	m.both("book author (text)", "book writer (text)", 0.9, 0.8)
	m.both("book author (text)", "book editor (text)", 0.2, 0.3)
	m.both("book author (text)", "book creator (text)", 0.9, 0.5)
	a := &Augmenter{
		Sources:    []Source{fixed("one", "writer", "editor"), fixed("two", "editor", "creator", "season")},
		Classifier: m, Policy: nli.Paper(), Entities: &nli.EntityPredictor{Classifier: m},
	}
	columns, err := a.Unit(context.Background(), books())
	if err != nil {
		t.Fatal(err)
	}
	if len(columns) != 2 || columns[0].ID != (dataset.ColumnID{DB: "library", Table: "Book", Column: "Author"}) {
		t.Fatalf("columns %+v, want Author and Year", columns)
	}
	author := columns[0]
	if got := names(author.Bucket.Replace); !cmp.Equal(got, []string{"writer"}) {
		t.Errorf("REPLACE names of author: %q, want writer alone", got)
	}
	if got := names(author.Bucket.Add); !cmp.Equal(got, []string{"editor", "season"}) {
		t.Errorf("ADD names of author: %q, want editor and season", got)
	}
	if s := author.Bucket.Add[0].Source; s != "one" {
		t.Errorf("editor comes from %q, want the first source that proposed it", s)
	}
	if len(author.Rejected) != 1 || !strings.HasPrefix(author.Rejected[0].Reason, "neither:") {
		t.Errorf("rejected %+v, want creator, in neither bucket", author.Rejected)
	}
}

// A name that means the same as another column of the table is no addition
// (ADVETA, footnote 5).
func TestFootnote5(t *testing.T) {
	m := table{}
	m.both("book author (text)", "book writer (number)", 0.7, 0.7)
	a := &Augmenter{Sources: []Source{fixed("one", "writer")}, Classifier: m, Policy: nli.Paper(), Entities: &nli.EntityPredictor{Classifier: m}}
	columns, err := a.Unit(context.Background(), books())
	if err != nil {
		t.Fatal(err)
	}
	year := columns[1]
	if len(year.Bucket.Add) != 0 || len(year.Rejected) != 1 || !strings.Contains(year.Rejected[0].Reason, "column Author") {
		t.Errorf("year: %+v, want writer rejected for the column Author", year)
	}
}

// A name in other words of the same kind is no addition beside its rewording.
func TestReworded(t *testing.T) {
	m := table{}
	m.both("book author (text)", "book name of author (text)", 0.9, 0.8)
	a := &Augmenter{Sources: []Source{fixed("one", "name of author", "author names", "editor")}, Classifier: m, Policy: nli.Paper(), Entities: &nli.EntityPredictor{Classifier: m}}
	columns, err := a.Unit(context.Background(), books())
	if err != nil {
		t.Fatal(err)
	}
	if got := names(columns[0].Bucket.Add); !cmp.Equal(got, []string{"editor"}) {
		t.Errorf("ADD names %q, want editor alone", got)
	}
	if r := columns[0].Rejected; len(r) != 1 || r[0].Reason != "has the words of the REPLACE name name of author" {
		t.Errorf("rejected %+v, want author names", r)
	}
}

func TestLimit(t *testing.T) {
	policy := nli.Paper()
	policy.Limit = 2
	m := table{}
	a := &Augmenter{Sources: []Source{fixed("one", "a", "b", "c")}, Classifier: m, Policy: policy, Entities: &nli.EntityPredictor{Classifier: m}}
	columns, err := a.Unit(context.Background(), books())
	if err != nil {
		t.Fatal(err)
	}
	if got := names(columns[0].Bucket.Add); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("ADD names %q, want the two most similar", got)
	}
	if r := columns[0].Rejected; len(r) != 1 || r[0].Name != "c" || r[0].Reason != "the bucket holds 2 better ones" {
		t.Errorf("rejected %+v, want c", r)
	}
}

func TestSourceError(t *testing.T) {
	boom := errors.New("boom")
	a := &Augmenter{Sources: []Source{{Propose: func(context.Context, *Resources, *Asked) ([][]Proposal, error) { return nil, boom }}}}
	if _, err := a.Unit(context.Background(), books()); !errors.Is(err, boom) || !strings.Contains(err.Error(), "library.Book") {
		t.Errorf("error %v, want one that names the table", err)
	}
}

func TestQuestionsOn(t *testing.T) {
	if got := questionsOn(books(), 0); !cmp.Equal(got, []string{"Who wrote most?"}) {
		t.Errorf("questions %q, want those whose gold SQL reads the table", got)
	}
}

func TestRun(t *testing.T) {
	m := table{}
	m.both("book author (text)", "book writer (text)", 0.9, 0.8)
	a := &Augmenter{Sources: []Source{fixed("one", "writer")}, Classifier: m, Policy: nli.Paper(), Entities: &nli.EntityPredictor{Classifier: m}}
	dir := t.TempDir()
	unit := books()
	unit.DB.SQLite = filepath.Join(dir, "none.sqlite")
	var told []error
	c := Config{
		Workers: 1, Out: filepath.Join(dir, "buckets.json"), Explain: filepath.Join(dir, "why.jsonl"),
		Report: func(err error) { told = append(told, err) },
	}
	s, err := a.Run(context.Background(), []*dataset.Unit{unit}, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || dataset.IsNote(told[0]) || !strings.Contains(told[0].Error(), unit.DB.SQLite) {
		t.Errorf("told %v, want that the content cannot be read", told)
	}
	want := &Summary{Databases: 1, Columns: 2, WithReplace: 1, WithAdd: 1, Replace: 1, Add: 1, BySource: map[string]int{"one": 2}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	b, err := dataset.ReadAnyBuckets(c.Out, nil, func(error) {})
	if err != nil || len(b) != 2 {
		t.Errorf("buckets.json holds %d columns, error %v; want 2", len(b), err)
	}
	if _, err := os.Stat(c.Out + ".partial"); err == nil {
		t.Error("the folder of shards is left behind")
	}
	why, err := os.ReadFile(c.Explain)
	if err != nil || len(why) != 0 && !json.Valid(why) {
		t.Errorf("explanations %q, error %v", why, err)
	}
}

// Entities of tables without names are kept beside the data, also by a run that
// another began; where that cannot be done, the run does not fail.
func TestRunKeepsEntities(t *testing.T) {
	m := table{}
	sources := []Source{fixed("one", "writer")}
	dir := t.TempDir()
	unnamed := books()
	unnamed.DB.Tables[0].Name = "table"
	var warned []error
	run := func(k *nli.Entities) string {
		a := &Augmenter{Sources: sources, Classifier: m, Policy: nli.Paper(), Entities: &nli.EntityPredictor{Classifier: m, Classes: []string{"book"}}, Known: k}
		warned = nil
		c := Config{
			Workers: 1, Out: filepath.Join(dir, "buckets.json"),
			Report: func(err error) { warned = append(warned, err) },
		}
		if _, err := a.Run(context.Background(), []*dataset.Unit{unnamed}, c); err != nil {
			t.Fatal(err)
		}
		buckets, err := os.ReadFile(c.Out)
		if err != nil {
			t.Fatal(err)
		}
		return string(buckets)
	}

	read := func(path string) *nli.Entities {
		return nli.ReadEntities(path, func(err error) { t.Error(err) })
	}
	path := filepath.Join(dir, nli.EntitiesFile)
	first := run(read(path))
	kept, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(kept), `{"db_id":"library","table":"Book","entity":"book","probability":1,`) || warned != nil {
		t.Errorf("%s, %v, %v", kept, err, warned)
	}
	if run(read(path)) != first || warned != nil {
		t.Errorf("with the entities read back the result is another, or there are warnings %v", warned)
	}

	file := filepath.Join(dir, "file")
	k := read(filepath.Join(file, nli.EntitiesFile))
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if run(k) != first || len(warned) != 1 || !strings.Contains(warned[0].Error(), "are not kept") {
		t.Errorf("where no file can be: warnings %v, expected one that entities are not kept", warned)
	}
}

func names(list []dataset.Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Name)
	}
	return out
}
