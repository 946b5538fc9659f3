package formats

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// toy is a format of one file with single tables and little else. Its writer fails at
// the question "fail", and leaves out "skip".
var toy = &dataset.Format{
	Name: "toy", Doc: "A toy.", Files: "SPLIT.txt", Keeps: []dataset.Feature{dataset.TableNames, dataset.GoldSQL, dataset.Interactions},
	Write: func(_ context.Context, set *dataset.Set, dir string, report func(error)) error {
		var b strings.Builder
		for db, err := range streamtest.All(set.Databases) {
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %s %s\n", db.ID, db.Tables[0].Columns[0].Name, db.Source)
		}
		for ex, err := range streamtest.All(set.Examples) {
			switch {
			case err != nil:
				return err
			case ex.Question == "fail":
				return errors.New("cannot write")
			case ex.Question == "skip":
				report(&dataset.RecordError{File: set.Split, Record: ex.Index + 1, Err: errors.New("cannot stand")})
				continue
			}
			fmt.Fprintf(&b, "%s %s %s\n", ex.DB, ex.Question, ex.Source)
		}
		return os.WriteFile(filepath.Join(dir, set.Split+".txt"), []byte(b.String()), 0o666)
	},
	Refuses: func(_ *dataset.Database, ex *dataset.Example) error {
		if strings.Contains(ex.Query, "JOIN") {
			return errors.New("gold SQL joins tables")
		}
		return nil
	},
}

func database(id string, tables ...string) *dataset.Database {
	db := &dataset.Database{ID: id}
	for _, t := range tables {
		db.Tables = append(db.Tables, dataset.Table{Name: t, Original: t, Columns: []dataset.Column{{Name: "name", Original: "Name", Type: dataset.Text}}})
	}
	return db
}

// stream yields values, and errors among them.
func stream[T any](items ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			v, _ := item.(T)
			err, _ := item.(error)
			if db, ok := item.(*dataset.Database); ok {
				v = any(db.Clone()).(T)
			}
			if ex, ok := item.(*dataset.Example); ok {
				again := *ex
				v = any(&again).(T)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

func example(db, question, query string) *dataset.Example {
	return &dataset.Example{DB: db, Question: question, Query: query}
}

func turn(interaction, turn int, question, query string) *dataset.Example {
	return &dataset.Example{DB: "one", Question: question, Query: query, Interaction: interaction, Turn: turn}
}

func bad(record int, warning bool) error {
	err := error(&dataset.RecordError{File: "dev", Record: record, Err: errors.New("odd")})
	if warning {
		return dataset.Note(err)
	}
	return err
}

func newSet(databases, examples []any) *dataset.Set {
	return &dataset.Set{Format: "other", Split: "dev", Databases: streamtest.Of(stream[*dataset.Database](databases...)), Examples: streamtest.Of(stream[*dataset.Example](examples...))}
}

func TestConvertCountsWhatIsLost(t *testing.T) {
	single, double := database("one", "shop"), database("two", "shop", "owner")
	single.Tables[0].Caption = "Shops"
	double.PrimaryKeys = []dataset.ColumnRef{{Table: 0, Column: 0}}
	withEvidence := example("one", "who?", "SELECT Name FROM shop")
	withEvidence.Evidence, withEvidence.ID = "who is the name", "7"
	set := newSet([]any{single, double}, []any{
		withEvidence, bad(2, false), example("two", "both?", "SELECT 1"), example("one", "joined?", "SELECT JOIN"), bad(5, true), example("nowhere", "lost?", "SELECT 1"),
		turn(1, 1, "first?", "SELECT 1"), turn(1, 2, "second?", "SELECT JOIN"), turn(2, 1, "alone?", "SELECT 2"),
	})
	set.Rows = func(_ context.Context, _ *dataset.Database, each func([]sqldata.Value) error) error {
		return each([]sqldata.Value{sqldata.NewText("x")})
	}
	want := &Summary{
		From: "other", To: "toy", Split: "dev", Databases: 1, Examples: 2, Skipped: 2,
		Lost: []Loss{
			{What: "databases of several tables", Databases: 1}, {What: "captions of tables", Databases: 1},
			{What: "rows", Databases: 1}, {What: "evidence", Examples: 1}, {What: "ids of questions", Examples: 1},
		},
		LeftOut: []Loss{
			{What: "gold SQL joins tables", Examples: 2}, {What: "question about a database of several tables", Examples: 1},
			{What: "question of an interaction of which another question is left out", Examples: 1},
		},
	}
	out := filepath.Join(t.TempDir(), "out")
	var told []error
	got, err := Convert(t.Context(), set, toy, out, Options{Report: func(err error) { told = append(told, err) }})
	lost, ok := errors.AsType[*LossError](err)
	if !ok || lost.Summary != got || !strings.Contains(err.Error(), "rows (1 database); evidence (1 example)") {
		t.Fatalf("error is %v, expected one that lists what would be lost", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if entries, _ := os.ReadDir(filepath.Dir(out)); len(entries) > 0 {
		t.Errorf("a refused conversion left %v", entries)
	}
	if len(told) != 3 {
		t.Errorf("reported %v, expected the bad record, the unknown database and the warning, each once", told)
	}
	steps := 0
	if got, err = Convert(t.Context(), set, toy, out, Options{Lossy: true, Step: func() { steps++ }}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lossy summary (-want +got):\n%s", diff)
	}
	if text := read(t, out, "dev.txt"); text != "one name \none who? \none alone? \n" {
		t.Errorf("wrote %q", text)
	}
	if steps != 14 {
		t.Errorf("%d steps, expected one for each of 7 examples in each of two passes", steps)
	}
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestConvertErrors(t *testing.T) {
	ok, db := example("one", "who?", "SELECT 1"), database("one", "shop")
	for _, c := range []struct {
		name     string
		set      *dataset.Set
		want     string
		examples int // where there is no error
		skipped  int
	}{
		{"broken off", newSet([]any{db}, []any{ok, &dataset.FileError{File: "dev", Record: 2, Err: errors.New("ends")}, ok}), "", 1, 1},
		{"broken at once", newSet([]any{db}, []any{&dataset.FileError{File: "dev", Err: errors.New("ends")}}), "dev: ends", 0, 0},
		{"other error", newSet([]any{db}, []any{ok, errors.New("disk"), ok}), "disk", 0, 0},
		{"other error of schemas", newSet([]any{db, errors.New("disk")}, []any{ok}), "disk", 0, 0},
		{"no example", newSet([]any{db}, []any{bad(1, false)}), "no example", 0, 1},
		{"unknown database", newSet([]any{db}, []any{ok, example("two", "who?", "SELECT 1")}), "", 1, 1},
		{"unknown databases", newSet([]any{db}, []any{example("two", "who?", "SELECT 1")}), "no example", 0, 1},
		{"writer skips", newSet([]any{db}, []any{ok, example("one", "skip", "SELECT 1")}), "", 2, 1},
		{"writer fails", newSet([]any{db}, []any{ok, example("one", "fail", "SELECT 1")}), "cannot write", 0, 0},
		{"split", &dataset.Set{Split: "../dev"}, "split", 0, 0},
		{"all left out", newSet([]any{db}, []any{example("one", "who?", "JOIN")}), "gold SQL joins tables (1 example)", 0, 0},
	} {
		dir := t.TempDir()
		got, err := Convert(t.Context(), c.set, toy, filepath.Join(dir, "out"), Options{Lossy: true})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error is %v, expected %q", c.name, err, c.want)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("%s: left %v", c.name, entries)
			}
			continue
		}
		if err != nil || got.Examples != c.examples || got.Skipped != c.skipped {
			t.Errorf("%s: %+v, error %v; expected %d examples, %d skipped", c.name, got, err, c.examples, c.skipped)
		}
	}
}

func TestConvertInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	set := newSet([]any{database("one", "shop")}, []any{example("one", "who?", "SELECT 1"), example("one", "what?", "SELECT 2"), example("one", "why?", "SELECT 3")})
	_, err := Convert(ctx, set, toy, filepath.Join(dir, "out"), Options{Step: func() {
		if n++; n == 5 { // in the second pass
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, expected that it was cancelled", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left %v", entries)
	}
}

func TestConvertReplacesOnlyItsOwn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	set := newSet([]any{database("one", "shop")}, []any{example("one", "who?", "SELECT 1")})
	for range 2 {
		if _, err := Convert(t.Context(), set, toy, out, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(out, ManifestFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Convert(t.Context(), set, toy, out, Options{}); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("error is %v, expected that the folder is not replaced", err)
	}
}
