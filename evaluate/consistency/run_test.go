package consistency

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
)

// options returns those of a run by a metric, on databases with content.
func options(t *testing.T, metric string, dbs ...*dataset.Database) evaluate.Options {
	t.Helper()
	o := evaluate.Options{Databases: map[string]*dataset.Database{}, Content: t.TempDir(), Workers: 3}
	for _, db := range dbs {
		o.Databases[db.ID] = db
		tables := dataset.SQLiteTables(db)
		path := filepath.Join(o.Content, db.ID, db.ID+".sqlite")
		if err := sqlite.Create(context.Background(), path, tables, generate.Rows(tables, generate.Options{Seed: 1})); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if o.Metrics, err = evaluate.Select(metric); err != nil {
		t.Fatal(err)
	}
	return o
}

func apply(t *testing.T, db *dataset.Database, edits ...perturb.Edit) *dataset.Database {
	t.Helper()
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func TestRun(t *testing.T) {
	db := concerts()
	rename := []perturb.Edit{perturb.RenameColumn{Table: "singer", Column: "age", Name: "years", Natural: "years"}}
	add := []perturb.Edit{perturb.AddColumn{Table: "singer", Beside: "age", Name: "height", Natural: "height", Type: dataset.Number, Cells: []string{"1"}}}
	ends := func(s string) bool { return strings.HasSuffix(s, " stands unchanged") }
	renamed, added := apply(t, db, rename...), apply(t, db, add...)
	sql := func(s string) Output { return Output{SQL: s} }
	bad := Output{Problem: errors.New("is not UTF-8")}
	notAsked := Output{Problem: dataset.ErrNotAsked}
	for _, test := range []struct {
		name        string
		relation    perturb.Relation
		edits       []perturb.Edit
		after       *dataset.Database
		pre, post   Output
		exact, exec string
	}{
		{"the same", perturb.Invariant, nil, db, sql("SELECT name FROM singer"), sql("select T1.name from singer as T1"), "right", "right"},
		{"quotes", perturb.Invariant, nil, db, sql("SELECT name FROM singer WHERE country = \"x\""), sql("SELECT \"name\" FROM `singer` WHERE [country] = \"x\""), "right", "right"},
		{"another column", perturb.Invariant, nil, db, sql("SELECT name FROM singer"), sql("SELECT country FROM singer"), "column prediction", "column prediction"},
		{"the same answer", perturb.Invariant, nil, db, sql("SELECT count(*) FROM singer"), sql("SELECT count(singer_id) FROM singer"), "column prediction", "right"},
		{"another constant", perturb.Invariant, nil, db, sql("SELECT name FROM singer LIMIT 1"), sql("SELECT name FROM singer LIMIT 2"), "right", "others"},
		{"the word value", perturb.Invariant, nil, db, sql("SELECT name FROM singer WHERE age > value"), sql("SELECT name FROM singer WHERE age < = 1"), "operator", "operator"},

		{"a renamed column, followed", perturb.Renamed, rename, renamed, sql("SELECT age FROM singer"), sql("SELECT years FROM singer"), "right", "right"},
		{"a renamed column, not followed", perturb.Renamed, rename, renamed, sql("SELECT age FROM singer"), sql("SELECT age FROM singer"), "no SQL", "no SQL"},
		{"a renamed column, mistaken", perturb.Renamed, rename, renamed, sql("SELECT age FROM singer"), sql("SELECT name FROM singer"), "column prediction", "column prediction"},
		{"an added column, taken", perturb.Invariant, add, added, sql("SELECT age FROM singer"), sql("SELECT height FROM singer"), "column prediction", "column prediction"},
		{"a star that shows the added column", perturb.Invariant, add, added, sql("SELECT * FROM singer"), sql("SELECT * FROM singer"), "right", "right"},

		{"no SQL before", perturb.Invariant, nil, db, sql("SELECT"), sql("SELECT name FROM singer"), "no SQL", "no SQL"},
		{"no SQL on both sides, the same", perturb.Invariant, nil, db, sql("SELECT  x FROM y"), sql("select x from y"), NoSQLs, NoSQLs},
		{"no output on both sides", perturb.Invariant, nil, db, sql(""), sql(""), NoSQLs, NoSQLs},
		{"no SQL on both sides", perturb.Invariant, nil, db, sql("SELECT x FROM y"), sql(""), NoSQLs, NoSQLs},
		{"unreadable on both sides", perturb.Invariant, nil, db, bad, bad, NoSQLs, NoSQLs},
		{"unreadable", perturb.Invariant, nil, db, sql("SELECT name FROM singer"), bad, "no SQL", "no SQL"},
		{"not asked", perturb.Invariant, nil, db, sql("SELECT name FROM singer"), notAsked, NotAsked, NotAsked},
		{"retargeted", perturb.Retargeted, nil, db, sql("SELECT name FROM singer"), sql("SELECT age FROM singer"), Retargeted, Retargeted},
		{"a turn that stands unchanged", perturb.Invariant, nil, db, sql("SELECT name FROM singer"), sql("SELECT age FROM singer"), Unchanged, Unchanged},
		{"no schema", perturb.Invariant, nil, nil, sql("SELECT name FROM singer"), sql("SELECT name FROM singer"), NoSchema, NoSchema},
		{"fails when it runs", perturb.Invariant, nil, db, sql("SELECT random() FROM singer"), sql("SELECT name FROM singer"), "column prediction", FailsPre},
	} {
		for metric, want := range map[string]string{"exact": test.exact, "exec": test.exec} {
			p := &Pair{DB: db.ID, Relation: test.relation, Unchanged: ends(test.name), Edits: test.edits, Before: NewSide(db), Pre: test.pre, Post: test.post}
			dbs := []*dataset.Database{db}
			if test.after != nil {
				p.After = NewSide(test.after)
				dbs = append(dbs, test.after)
			}
			var got string
			err := Run(t.Context(), one(p), options(t, metric, dbs...), func(_ *Pair, o Outcome) error {
				got += told(o)
				return nil
			})
			if err != nil || got != want {
				t.Errorf("%s, %s: %q, %v; want %q", test.name, metric, got, err, want)
			}
		}
	}
}

// An invariant variant may take away what the gold SQL does not use and the output
// before does: the names cannot be the same then, while the answers cannot be had.
func TestRunWithoutTheColumn(t *testing.T) {
	db := concerts()
	edits := []perturb.Edit{perturb.AddColumn{Table: "singer", Beside: "age", Name: "height", Natural: "height", Type: dataset.Number, Cells: []string{"1"}}}
	for metric, want := range map[string]string{"exact": "column prediction", "exec": Uncarried} {
		p := &Pair{
			DB: db.ID, Relation: perturb.Invariant, Edits: edits, Before: NewSide(apply(t, db, edits...)), After: NewSide(db),
			Pre: Output{SQL: "SELECT height FROM singer"}, Post: Output{SQL: "SELECT age FROM singer"},
		}
		err := Run(t.Context(), one(p), options(t, metric, db), func(_ *Pair, o Outcome) error {
			if told(o) != want {
				t.Errorf("%s: %q, want %q", metric, told(o), want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func one(pairs ...*Pair) dataset.Stream[*Pair] {
	return func(_ func(error), each func(*Pair) error) error {
		for _, p := range pairs {
			if err := each(p); err != nil {
				return err
			}
		}
		return nil
	}
}

// told says in one word what an outcome is.
func told(o Outcome) string {
	if o.Difference.Type != "" {
		return string(o.Difference.Type)
	}
	if o.Reason != "" {
		return o.Reason
	}
	return o.Verdict.String()
}

// Outcomes come in the order of the pairs, whatever is asked of a metric.
func TestRunKeepsOrder(t *testing.T) {
	db := concerts()
	var pairs []*Pair
	var want []string
	for i := range 500 {
		p := &Pair{Index: i, DB: db.ID, Relation: perturb.Invariant, Before: NewSide(db), After: NewSide(db), Pre: Output{SQL: "SELECT name FROM singer"}}
		switch {
		case i%7 == 0:
			want = append(want, "no SQL")
		case i%3 == 0:
			p.Post.SQL, want = "SELECT age FROM singer", append(want, "column prediction")
		default:
			p.Post.SQL, want = "SELECT name FROM singer", append(want, "right")
		}
		pairs = append(pairs, p)
	}
	at := 0
	err := Run(t.Context(), one(pairs...), options(t, "exact", db), func(p *Pair, o Outcome) error {
		if p.Index != at || told(o) != want[at] {
			return fmt.Errorf("pair %d at %d: %s, want %s", p.Index, at, told(o), want[at])
		}
		at++
		return nil
	})
	if err != nil || at != len(pairs) {
		t.Errorf("%d of %d pairs, %v", at, len(pairs), err)
	}
}

func TestRunEndsWithAnError(t *testing.T) {
	db := concerts()
	pair := &Pair{DB: db.ID, Relation: perturb.Invariant, Before: NewSide(db), After: NewSide(db)}
	failing := func(_ func(error), each func(*Pair) error) error {
		return errors.Join(each(pair), errors.New("breaks off"))
	}
	err := Run(t.Context(), failing, options(t, "exact", db), func(*Pair, Outcome) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "breaks off") {
		t.Errorf("error of the pairs: %v", err)
	}
	full := errors.New("full")
	if err := Run(t.Context(), one(pair), options(t, "exact", db), func(*Pair, Outcome) error { return full }); !errors.Is(err, full) {
		t.Errorf("error of each: %v", err)
	}
}
