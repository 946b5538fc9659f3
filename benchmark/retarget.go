package benchmark

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/generate"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A retargeted gold SQL is compared with the original on generated databases of
// several sizes, in turn, until their answers differ: a LIMIT bites only where
// there are more rows, a count only where groups have about that size.
var generatedRows = []int{30, 8, 60, 15, 4, 120, 400, 1200}

const (
	generatedTries  = 32        // every other without primary keys
	generatedLimit  = 10_000    // rows of an answer on a generated database
	generatedBudget = 5_000_000 // steps of the engine for a query on one
)

// retarget executes the gold SQL after the edits, and looks for a database on
// which its answer differs from the original's.
func (c *check) retarget(ctx context.Context) error {
	ex := *c.ex.Example
	ex.Query = c.query
	now, err := perturb.NewExample(c.after.schema, &ex)
	if err != nil {
		return c.fail("rewritten-unresolved", c.query+": "+err.Error())
	}
	switch {
	case c.question == c.ex.Question:
		return c.fail("question-unchanged", c.query)
	case c.query == c.ex.Query:
		return c.fail("gold-unchanged", c.query)
	}
	res, err := c.execute(ctx, c.after.db)
	if err != nil || c.reason != "" {
		return err
	}
	c.ranOn(c.work.content.kind)
	differs := !perturb.Holds(c.ex.Gold, c.work.content.before[c.ex.Index], res)
	ran, err := c.differsGenerated(ctx, now)
	if err != nil {
		return err
	}
	if ran && !differs && c.work.content.kind == dataset.ContentOriginal {
		c.ranOn(dataset.ContentGenerated)
	}
	c.bites = differs || c.differs
	return nil
}

// differsGenerated looks for a generated database that sets the two queries apart,
// and tells whether both ran on one. Where SQLite does not take the schema or a
// query there, none does.
func (c *check) differsGenerated(ctx context.Context, now *perturb.Example) (ran bool, err error) {
	keyed, free := c.generatedTables()
	scratch, err := c.scratchDB(free)
	if err != nil {
		return false, nil
	}
	was, err := scratch.Prepare(sqlast.JoinOperators(c.ex.Query))
	if err != nil {
		return false, nil
	}
	defer was.Close()
	is, err := scratch.Prepare(sqlast.JoinOperators(now.Query))
	if err != nil {
		return false, nil
	}
	defer is.Close()
	budget := sqlite.Budget{Steps: generatedBudget, Rows: generatedLimit}
	literals := perturb.Literals([]*perturb.Example{c.ex, now})
	for try := range generatedTries {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		tables := [][]sqldata.Table{keyed, free}[try%2]
		rows := generate.Rows(tables, generate.Options{
			Seed: c.Seed + uint64(try), Rows: generatedRows[try/2%len(generatedRows)], Literals: literals,
		})
		if err := scratch.Load(rows); err != nil {
			return ran, nil
		}
		before, err := was.Run(budget, nil)
		if err != nil {
			continue
		}
		after, err := is.Run(budget, nil)
		if err != nil {
			continue
		}
		ran = true
		if c.differs = !perturb.Holds(c.ex.Gold, before, after); c.differs {
			break
		}
	}
	return ran, nil
}

// generatedTables returns the tables of the schema, with their primary keys and
// without: tables.json gives one column of a composite key alone, with which
// every group of it has one row. SQLite's own tables are left out.
func (c *check) generatedTables() (keyed, free []sqldata.Table) {
	for _, t := range dataset.SQLiteTables(c.unit.DB) {
		if strings.HasPrefix(strings.ToLower(t.Name), "sqlite_") {
			continue
		}
		keyed = append(keyed, t)
		t.PrimaryKey = nil
		free = append(free, t)
	}
	return keyed, free
}

// scratchDB returns the run's database for generated content.
func (r *job) scratchDB(tables []sqldata.Table) (*sqlite.Scratch, error) {
	if r.generated == nil && r.generatedErr == nil {
		r.generated, r.generatedErr = sqlite.NewScratch(sqlite.NewLayout(tables))
	}
	return r.generated, r.generatedErr
}
