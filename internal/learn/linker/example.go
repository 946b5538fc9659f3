// Package linker is a trainable schema linker: for a question and a schema, the probability
// that the gold SQL uses each table and each column.
//
// What is read of an item is how its name matches the question (forms of words, synonyms,
// vectors, kinds of things, abbreviations), how it compares with the other items, whether
// the question has its cells, types, keys and structure. A small network over these
// ([Train]) passes messages between the items of a schema, so that a table is found by its
// columns and a key by the tables that it joins. Schema linking is measured on what the
// gold SQL uses since RESDSQL (Li et al., 2023).
package linker

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Example is a question against a schema.
type Example struct {
	Source   *dataset.Example
	Schema   *Schema // nil after Settle
	Question *Question
	Used     []bool  // by item: whether the gold SQL uses it; nil if that is not known
	Weight   float32 // how much it counts beside others that are trained from; 0 for 1

	features  sparse // none until Prepare is called
	structure *structure
}

// NewExample reads a question against a schema, without its gold SQL.
func NewExample(s *Schema, ex *dataset.Example) *Example {
	return &Example{Source: ex, Schema: s, Question: NewQuestion(tokensOf(ex), s.lexicon), structure: s.structure}
}

// tokensOf returns the tokens of a question: those of the data set, if it has them.
func tokensOf(ex *dataset.Example) []string {
	if ex.Tokens != nil {
		return ex.Tokens
	}
	return dataset.QuestionTokens(ex.Question)
}

// PrepareQuestions reads the questions of a unit with its cells, without gold SQL. The error
// is of a database that cannot be read, or the context's.
func PrepareQuestions(ctx context.Context, u *dataset.Unit, l Lexicon) ([]*Example, error) {
	cells, err := ReadCells(ctx, u.DB)
	if err != nil {
		return nil, err
	}
	s := NewSchema(u.DB, cells, l)
	all := lists.Map(u.Examples, func(ex *dataset.Example) *Example { return NewExample(s, ex) })
	return all, nil
}

// PrepareUnit reads a unit with its gold SQL. Examples whose gold SQL cannot be read are
// among the problems and left out; so is the content of a database that cannot be read.
func PrepareUnit(ctx context.Context, u *dataset.Unit, l Lexicon) (all []*Example, problems []error, err error) {
	questions, err := PrepareQuestions(ctx, u, l)
	if err != nil && ctx.Err() == nil {
		problems = append(problems, err)
		// Read them again without the content, which cannot be read.
		schema, unit := *u.DB, *u
		schema.SQLite, unit.DB = "", &schema
		questions, err = PrepareQuestions(ctx, &unit, l)
	}
	for _, ex := range questions {
		var problem error
		if ex.Used, problem = ex.Schema.Used(ex.Source.Query); problem != nil {
			problems = append(problems, fmt.Errorf("example %d of %s: %w, expected gold SQL on its schema", ex.Source.Index+1, u.DB.ID, problem))
			continue
		}
		all = append(all, ex)
	}
	return all, problems, err
}

// Prepare reads the examples of units to train from, in the order of the units, and computes their features. It reports the problems of
// [PrepareUnit].
func Prepare(ctx context.Context, units []*dataset.Unit, l Lexicon, workers int, report func(error)) ([]*Example, error) {
	all, problems := make([][]*Example, len(units)), make([][]error, len(units))
	err := outdir.Run(ctx, workers, units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		all[i], problems[i], err = PrepareUnit(ctx, u, l)
		for _, ex := range all[i] {
			ex.Prepare()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range slices.Concat(problems...) {
		report(p)
	}
	return slices.Concat(all...), nil
}

// Prepare computes the features of the example once, for what is scored more than once.
func (ex *Example) Prepare() { ex.features = pack(ex.Schema.Features(ex.Question)) }

// Settle computes the features of an example that is only trained from, and drops its schema: each
// perturbed example has its own, and together they would fill the memory.
func (ex *Example) Settle() {
	ex.Prepare()
	ex.Schema = nil
}

// Loss returns the mean cross-entropy of the probabilities p of an example's items, against whether the
// gold SQL uses them.
func Loss(ex *Example, p []float32) (sum float64) {
	const least = 1e-6 // bounds the loss of an item
	for i, used := range ex.Used {
		x := float64(p[i])
		if !used {
			x = 1 - x
		}
		sum -= math.Log(max(x, least))
	}
	return sum / float64(len(ex.Used))
}
