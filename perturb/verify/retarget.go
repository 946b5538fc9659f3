package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A retargeted gold SQL is compared with the original on generated databases of
// several sizes, in turn, until their answers differ: a LIMIT bites only if
// there are more rows, a count only if groups have about that size.
var generatedRows = []int{30, 8, 60, 15, 4, 120, 400, 1200}

const (
	generatedTries  = 32        // every other without primary keys
	generatedLimit  = 10_000    // rows of an answer on a generated database
	generatedBudget = 5_000_000 // steps of the engine for a query on one
)

// checkRetargeted executes the gold SQL after the edits, which must be fit to judge
// predictions by ([perturb.Unfit]), and looks for a database on which its answer
// differs from the original's.
func (v *Verifier) checkRetargeted(ctx context.Context, ex *perturb.Example, out *Verified, t *Target) error {
	now, err := perturb.NewExample(t.Schema, out.Example)
	switch {
	case err != nil:
		return refusal("rewritten-unresolved", out.Query+": "+err.Error())
	case out.Question == ex.Question:
		return refusal("question-unchanged", out.Query)
	case out.Query == ex.Query:
		return refusal("gold-unchanged", out.Query)
	}
	written := t.Runs[0] // the content that the build writes
	after, err := v.execute(ctx, &written, out.Query)
	if err != nil {
		return err
	}
	for _, run := range t.Runs[1:] {
		if run.Kind != KindSample {
			continue
		}
		if _, err := v.execute(ctx, &run, out.Query); err != nil {
			return err
		}
	}
	original, retargeted := perturb.Answered{Query: ex.Gold, Answer: written.Answers[ex.Index]}, perturb.Answered{Query: now.Gold, Answer: after}
	reason, err := perturb.Unfit(ctx, original, retargeted, func(ctx context.Context, query string) (*sqldata.Result, error) {
		return written.query(ctx, query, v.Limits)
	})
	switch {
	case err != nil:
		return err
	case reason != "":
		return refusal(reason, out.Query)
	}
	out.ranOn(written.Kind)
	out.Answer = nil
	out.SameAnswer = perturb.Holds(ex.Gold, written.Answers[ex.Index], after)
	pair := queryPair{out.DB, ex.Query, now.Query}
	found, known := v.compared[pair]
	if !known {
		if found, err = v.compare(ctx, ex, now); err != nil {
			return err
		}
		if v.compared == nil {
			v.compared = map[queryPair]comparison{}
		}
		v.compared[pair] = found
	}
	out.Differs = found.differs
	if found.ran && out.SameAnswer && written.Kind == dataset.ContentOriginal {
		out.ranOn(dataset.ContentGenerated)
	}
	out.Conclusive = !out.SameAnswer || out.Differs
	return nil
}

// queryPair is a gold SQL before and after, both on the schema before. Examples with the same
// question share it.
type queryPair struct{ db, before, after string }

// comparison is the result of two queries on generated databases.
type comparison struct {
	ran     bool // both, on one of them
	differs bool // their answers do
}

// compare runs the gold SQL before and after on generated databases until their answers differ. It returns whether both
// ran on one of them and whether the answers differed on one: neither if SQLite rejects the schema or a query.
func (v *Verifier) compare(ctx context.Context, before, after *perturb.Example) (c comparison, err error) {
	keyed, keyless := v.generatedTables()
	scratch, err := v.scratchDB(keyless)
	if err != nil {
		return c, nil
	}
	original, err := scratch.Prepare(sqlast.JoinOperators(before.Query))
	if err != nil {
		return c, nil
	}
	defer original.Close()
	retargeted, err := scratch.Prepare(sqlast.JoinOperators(after.Query))
	if err != nil {
		return c, nil
	}
	defer retargeted.Close()
	budget := sqlite.Budget{Steps: generatedBudget, Rows: generatedLimit}
	options := generate.Options{Literals: perturb.Literals([]*perturb.Example{before, after}), Wanted: readBy(before, after)}
	for try := range generatedTries {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		tables := [][]sqldata.Table{keyed, keyless}[try%2] // in turn, see generatedTables
		options.Seed, options.Rows = v.Seed+uint64(try), generatedRows[try/2%len(generatedRows)]
		if err := scratch.Load(generate.Rows(tables, options)); err != nil {
			return c, nil
		}
		answer, err := original.Run(budget, nil)
		if err != nil {
			continue
		}
		other, err := retargeted.Run(budget, nil)
		if err != nil {
			continue
		}
		c.ran = true
		if c.differs = !perturb.Holds(before.Gold, answer, other); c.differs {
			break
		}
	}
	return c, nil
}

// readBy returns a function that reports whether the gold SQL of the examples reads a table.
func readBy(examples ...*perturb.Example) func(table string) bool {
	names := lists.FlatMap(examples, func(ex *perturb.Example) []string { return ex.Binding.Tables() })
	return func(table string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, table) })
	}
}

// generatedTables returns the tables of the schema, with their primary keys and without.
// tables.json lists one column of a composite key, under which each group of rows would have one
// row. SQLite's own tables are left out.
func (v *Verifier) generatedTables() (keyed, keyless []sqldata.Table) {
	for _, t := range dataset.SQLiteTables(v.DB) {
		if perturb.IsReserved(t.Name) {
			continue
		}
		keyed = append(keyed, t)
		t.PrimaryKey = nil
		keyless = append(keyless, t)
	}
	return keyed, keyless
}

// scratchDB returns the verifier's database for generated content, which it makes at the first call.
func (v *Verifier) scratchDB(tables []sqldata.Table) (*sqlite.Scratch, error) {
	if v.scratch == nil && v.scratchErr == nil {
		v.scratch, v.scratchErr = sqlite.NewScratch(sqlite.NewLayout(tables))
	}
	return v.scratch, v.scratchErr
}
