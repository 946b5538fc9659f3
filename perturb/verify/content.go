package verify

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// KindSample is the [Content.Kind] of rows that are a sample of another content.
const KindSample = ""

// Content is a database before the edits, with the answers of gold SQL on it.
type Content struct {
	Path    string
	Kind    string                  // [dataset.ContentOriginal], [dataset.ContentGenerated] or [KindSample]
	Answers map[int]*sqldata.Result // by Example.Index
	Cache   *AnswerCache            // nil to run each query, however often it comes
}

// Original returns the content that lies at path.
func Original(path string) *Content {
	return &Content{Path: path, Kind: dataset.ContentOriginal, Answers: map[int]*sqldata.Result{}}
}

// Generate writes a database with generated rows to path, which has the extension of content of db ([engine.Ext]). The rows fit the schema
// and include the constants of the examples' gold SQL.
func Generate(ctx context.Context, path string, db *dataset.Database, examples []*perturb.Example, seed uint64) (*Content, error) {
	tables := dataset.SQLiteTables(db)
	rows := generate.Rows(tables, generate.Options{Seed: seed, Literals: perturb.Literals(examples)})
	return &Content{Path: path, Kind: dataset.ContentGenerated, Answers: map[int]*sqldata.Result{}}, engine.Create(ctx, db.SQLite, path, tables, rows)
}

// Answer runs the gold SQL of examples, up to workers at once, and stores the answers. It returns
// the errors of queries by Example.Index.
func (c *Content) Answer(ctx context.Context, examples []*perturb.Example, limits sqldata.Limits, workers int) (failed map[int]error, err error) {
	failed = map[int]error{}
	var mu sync.Mutex
	// One part of the examples for each worker, rounded up, so that each opens the content once.
	parts := slices.Collect(slices.Chunk(examples, max(1, (len(examples)+workers-1)/max(workers, 1))))
	err = outdir.Run(ctx, workers, parts, func(ctx context.Context, _ int, part []*perturb.Example) (err error) {
		db, err := engine.Open(ctx, c.Path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		run := &Run{Content: c, After: db}
		for _, e := range part {
			res, err := run.query(ctx, sqlast.JoinOperators(e.Query), limits)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, sqldata.ErrNoServer) {
				return err
			}
			mu.Lock()
			if err != nil {
				failed[e.Index] = err
			} else {
				c.Answers[e.Index] = res
			}
			mu.Unlock()
		}
		return nil
	})
	return failed, err
}

// Weak returns the examples, and their final questions, whose answer on the data set's own
// content could not show a change, such as no rows: their promise must hold on generated content
// too. For other content it returns none.
func (c *Content) Weak(examples []*perturb.Example) (weak []*perturb.Example) {
	if c.Kind != dataset.ContentOriginal {
		return nil
	}
	for _, ex := range examples {
		for _, e := range []*perturb.Example{ex, ex.FinalExample} {
			if e != nil && !perturb.Conclusive(c.Answers[e.Index]) {
				weak = append(weak, e)
			}
		}
	}
	return weak
}

// Executed reports whether the gold SQL of an example, or of its final question, was run on the
// content.
func (c *Content) Executed(ex *perturb.Example) bool {
	return c.Answers[ex.Index] != nil || ex.FinalExample != nil && c.Answers[ex.FinalExample.Index] != nil
}
