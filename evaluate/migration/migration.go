// Package migration finds out what a migration of a database does to golden questions: whether their SQL still gives the answer that it
// gave, with the new names where it must, fails, or silently answers otherwise.
//
// The engine runs the statements on a copy, and the SQL before and after; what statements do to names is followed beside it, from which
// come repairs and reasons. So a verdict holds for statements too that no edit expresses.
package migration

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tabperturb/tabperturb/benchmark/given"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Config holds the inputs of a check.
type Config struct {
	Units       []*dataset.Unit
	Scripts     map[string]*given.Script // by db_id
	Predictions map[int]string           // by Example.Index; nil to check golden questions alone
	Scratch     string                   // folder for copies of databases
	Seed        uint64                   // of generated rows
	Workers     int
	Step        func()      // called for each database
	Report      func(error) // of statements that failed, in the order of the databases
}

// Run checks the questions of every database that has a migration.
func Run(ctx context.Context, c *Config) (*Report, error) {
	units := lists.Filter(c.Units, func(u *dataset.Unit) bool { return c.Scripts[u.DB.ID] != nil })
	checked := make([]*unit, len(units))
	err := outdir.Run(ctx, c.Workers, units, func(ctx context.Context, i int, u *dataset.Unit) error {
		checked[i] = &unit{Unit: u, config: c, script: c.Scripts[u.DB.ID]}
		defer c.Step()
		return checked[i].check(ctx)
	})
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, u := range checked {
		for _, problem := range u.problems {
			c.Report(problem)
		}
		r.add(u)
	}
	for _, u := range c.Units {
		if c.Scripts[u.DB.ID] == nil {
			r.WithoutMigration += len(u.Examples)
		}
	}
	return r, nil
}

// unit is a database with its questions, before and after its migration.
type unit struct {
	*dataset.Unit
	config    *Config
	script    *given.Script
	edits     []perturb.Edit    // say where tables and columns went
	after     *dataset.Database // read from the migrated file
	contents  []content
	questions []*Question
	problems  []error
}

// content is rows before and after the migration.
type content struct{ before, after engine.DB }

// close closes both databases.
func (c *content) close() {
	c.before.Close()
	c.after.Close()
}

// check migrates a database and judges its golden questions and the predictions for them. An error of the migration is stored as a
// problem; the questions are then not judged.
func (u *unit) check(ctx context.Context) error {
	defer u.close()
	if err := u.migrate(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		u.problems = append(u.problems, fmt.Errorf("%s: %w", u.DB.ID, err))
	}
	for _, ex := range u.Examples {
		q := &Question{Index: ex.Index, DB: ex.DB, Question: ex.Question, example: ex}
		if err := u.judge(ctx, ex.Query, &q.Outcome); err != nil {
			return err
		}
		if predicted, ok := u.config.Predictions[ex.Index]; ok {
			p := &Prediction{}
			if err := u.judge(ctx, predicted, &p.Outcome); err != nil {
				return err
			}
			q.Prediction = p
			p.Right = u.isRight(ctx, ex.Query, predicted)
		}
		u.questions = append(u.questions, q)
	}
	return nil
}

// migrate runs the migration on the rows of the data set and, if the answer of a question could not show a change there, on generated
// rows too.
func (u *unit) migrate(ctx context.Context) (err error) {
	if u.DB.SQLite != "" {
		if u.problems, err = u.addContent(ctx, u.DB.SQLite, dataset.ContentOriginal); err != nil {
			return err
		}
	}
	var examples []*perturb.Example
	for _, ex := range u.Examples {
		if e, err := perturb.NewExample(u.DB, ex); err == nil {
			examples = append(examples, e)
		}
	}
	if len(u.contents) > 0 && (!engine.IsLocal(u.DB.SQLite) || !u.isWeak(ctx, examples)) {
		return nil
	}
	generated, err := verify.Generate(ctx, filepath.Join(u.config.Scratch, u.DB.ID+engine.Ext(u.DB.SQLite)), u.DB, examples, u.config.Seed)
	if err != nil {
		return u.unlessOnly(err) // no error if there are rows of the data set, which suffice
	}
	problems, err := u.addContent(ctx, generated.Path, dataset.ContentGenerated)
	switch {
	case err != nil:
		return u.unlessOnly(err)
	case len(u.contents) == 1: // there are no rows of the data set
		u.problems = problems
	case failures(problems) != failures(u.problems): // what made-up rows alone refuse is no fault of the migration
		u.contents[1].close()
		u.contents = u.contents[:1]
	}
	return nil
}

// unlessOnly returns an error of generated content if there is no other content, nil otherwise: the rows of the data set suffice.
func (u *unit) unlessOnly(err error) error {
	if len(u.contents) > 0 {
		return nil
	}
	return err
}

// failures counts the problems that are failed statements. Others are notes on skipped ones.
func failures(problems []error) int {
	return lists.Count(problems, func(err error) bool { return !dataset.IsNote(err) })
}

// addContent migrates a copy of a database file and opens both files. kind, original or generated, is a part of the name of the copy. From
// the first content it takes the schema after the migration and the edits that lead to it. It returns the problems of statements.
func (u *unit) addContent(ctx context.Context, path, kind string) (problems []error, err error) {
	migrated := filepath.Join(u.config.Scratch, u.DB.ID+"."+kind+".migrated"+engine.Ext(path))
	edits, err := u.script.Migrate(ctx, u.DB, path, migrated, func(err error) { problems = append(problems, err) })
	if err != nil {
		return problems, err
	}
	if u.after == nil {
		u.edits = edits
		if u.after, err = folder.Schema(ctx, u.DB.ID, migrated, func(error) {}); err != nil {
			return problems, fmt.Errorf("the migrated database %w", err)
		}
		u.keepNatural()
	}
	var c content
	if c.before, err = engine.Open(ctx, path); err != nil {
		return problems, err
	}
	if c.after, err = engine.Open(ctx, migrated); err != nil {
		c.before.Close()
		return problems, err
	}
	u.contents = append(u.contents, c)
	return problems, nil
}

// keepNatural sets the natural names of tables and columns after the migration: those before, if the SQL name is the same.
func (u *unit) keepNatural() {
	for t := range u.after.Tables {
		table := &u.after.Tables[t]
		before := u.DB.Table(table.Original)
		if before < 0 {
			continue
		}
		table.Name = u.DB.Tables[before].Name
		for c := range table.Columns {
			if ref, ok := u.DB.Lookup(table.Original, table.Columns[c].Original); ok {
				table.Columns[c].Name = u.DB.Column(ref).Name
			}
		}
	}
}

// isWeak reports whether some example's answer before the migration could not show a change: it has no value but NULL and 0.
func (u *unit) isWeak(ctx context.Context, examples []*perturb.Example) bool {
	for _, ex := range examples {
		if res, err := ask(ctx, u.contents[0].before, ex.Query); err == nil && !perturb.Conclusive(res) {
			return true
		}
	}
	return false
}

// close closes the databases.
func (u *unit) close() {
	for _, c := range u.contents {
		c.close()
	}
	u.contents = nil
}

// limits bound each query by the work of the engine, which is the same on every machine.
var limits = sqldata.Limits{Steps: 50_000_000}

// ask runs a query of a data set.
func ask(ctx context.Context, db engine.DB, query string) (*sqldata.Result, error) {
	return db.Query(ctx, sqlast.JoinOperators(query), limits)
}
