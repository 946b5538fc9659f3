package benchmark

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// work is a unit with all that its perturbations share.
type work struct {
	*builder
	unit     *dataset.Unit
	examples []*perturb.Example
	content  *verify.Content   // what is perturbed and written
	sample   *verify.Content   // what is written in its place, see [work.drawSample]; nil if nothing
	second   *verify.Content   // what else is executed, see [work.addSecond]; nil if nothing
	memo     perturb.Memo      // of all passes over the unit
	unusable map[int]Rejection // examples whose gold SQL cannot be used
	problems []string          // of the database and of gold SQL, for people
	kept     map[string]int    // columns that cannot be renamed, by what keeps them
	workers  int               // of the unit

	generated string // where generated content goes

	records dataset.SpiderExamples

	sharing sync.Mutex
	shared  string // the file that the build has of the content, see [work.share]
}

// unit runs the perturbations over unit i and writes a shard for each. It skips perturbations that have a shard of the
// unit from an interrupted build.
func (b *builder) unit(ctx context.Context, i int, u *dataset.Unit, workers int) error {
	todo := lists.Filter(b.Perturbations, func(p *perturb.Perturbation) bool { return !b.shards.Has(p.Name, i) })
	w := &work{
		builder: b, unit: u, unusable: map[int]Rejection{}, workers: workers,
		generated: filepath.Join(b.dir.Path(shardDir), "generated", u.DB.ID+engine.Ext(u.DB.SQLite)),
	}
	b.skipSteps(w, todo)
	if len(todo) == 0 {
		return nil
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	concurrent := min(workers, len(todo))
	return outdir.Run(ctx, concurrent, todo, func(ctx context.Context, _ int, p *perturb.Perturbation) error {
		s, err := w.run(ctx, p, workers/concurrent)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		data, err := s.encode()
		if err != nil {
			return err
		}
		return b.shards.Write(p.Name, i, data)
	})
}

// prepare parses the gold SQL, finds or makes the content, and takes the
// answers before any edit.
func (w *work) prepare(ctx context.Context) error {
	usable := w.parse()
	if len(usable) == 0 {
		return nil
	}
	problem, err := w.findContent(ctx, usable)
	switch {
	case err != nil, ctx.Err() != nil:
		return errors.Join(ctx.Err(), err)
	case problem != nil:
		w.problems = append(w.problems, problem.Error())
		for _, e := range usable {
			w.cannotUse(e.Example, "database-unusable", problem)
		}
		return nil
	}
	failed, err := w.content.Answer(ctx, usable, w.Limits, w.workers)
	if err != nil {
		return err
	}
	var run []*perturb.Example
	for _, e := range usable {
		switch err := failed[e.Index]; {
		case err == nil:
			run = append(run, e)
		case errors.Is(err, sqldata.ErrTimeLimit), errors.Is(err, sqldata.ErrSteps):
			w.cannotUse(e.Example, "gold-time-limit", err)
		default:
			w.cannotUse(e.Example, "gold-fails", err)
			w.badGold(e.Example, fmt.Errorf("the gold SQL does not run: %w", err))
		}
	}
	w.examples = w.joinTurns(run)
	if err := w.drawSample(ctx, run); err != nil {
		return err
	}
	return w.addSecond(ctx)
}

// parse returns the examples whose gold SQL can be parsed and resolved, each last turn of an interaction followed
// by its final question.
func (w *work) parse() (usable []*perturb.Example) {
	for _, ex := range w.unit.Examples {
		for _, ex := range []*dataset.Example{ex, finalOf(ex)} {
			if ex == nil {
				continue
			}
			if e := w.parseOne(ex); e != nil {
				usable = append(usable, e)
			}
		}
	}
	return usable
}

// parseOne parses and resolves the gold SQL of an example. If that fails, it rejects the example for all
// perturbations and returns nil.
func (w *work) parseOne(ex *dataset.Example) *perturb.Example {
	if ex.Query == "" {
		w.cannotUse(ex, "no-gold-sql", nil)
		return nil
	}
	if _, err := dataset.GoldLine(ex.Query); err != nil {
		w.cannotUse(ex, "gold-several-lines", err)
		w.badGold(ex, err)
		return nil
	}
	e, err := perturb.NewExample(w.unit.DB, ex)
	if err != nil {
		w.cannotUse(ex, "gold-unresolved", err)
		w.badGold(ex, fmt.Errorf("the %w", err))
		return nil
	}
	return e
}

// addSecond generates content for the examples whose answer on the data set's
// own could not show a change, such as no rows at all: their promise must hold
// on both.
func (w *work) addSecond(ctx context.Context) error {
	weak := w.content.Weak(w.examples)
	if len(weak) == 0 {
		return nil
	}
	// Where a schema, a query or later an edit fails on generated content, the
	// own content has to do.
	second, err := w.generate(ctx, weak)
	if err != nil {
		return fatal(ctx, err)
	}
	w.second = second
	_, err = second.Answer(ctx, weak, w.Limits, w.workers)
	return err
}

// cannotUse rejects an example for every perturbation.
func (w *work) cannotUse(ex *dataset.Example, reason perturb.Reason, err error) {
	r := Rejection{Example: ex.Index, DB: ex.DB, Query: ex.Query, Reason: reason}
	if err != nil {
		r.Detail = err.Error()
	}
	w.unusable[ex.Index] = r
}

// badGold adds an error of the gold SQL of an example, or of a final question, to the problems.
func (w *work) badGold(ex *dataset.Example, err error) {
	index := ex.Index
	if index < 0 { // a final question, see finalIndex
		index, err = -index-1, fmt.Errorf("final question: %w", err)
	}
	file, record := w.RecordOf(index)
	w.problems = append(w.problems, (&dataset.RecordError{File: file, Record: record, Err: err}).Error())
}

// findContent sets the content to work on: the data set's own if it has rows, else rows generated from the
// schema. problem is an error of the data, such as a damaged file or a schema that SQLite rejects; err ends
// the build.
func (w *work) findContent(ctx context.Context, examples []*perturb.Example) (problem, err error) {
	if path := w.unit.DB.SQLite; path != "" {
		db, err := engine.Open(ctx, path)
		if errors.Is(err, sqldata.ErrNoServer) {
			return nil, err
		}
		if err != nil {
			return err, nil
		}
		empty, err := engine.IsEmpty(ctx, db)
		if err == nil {
			err = w.markKept(ctx, db)
		}
		if err = errors.Join(err, db.Close()); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
			if errors.Is(err, sqldata.ErrNoServer) {
				return nil, err
			}
			return err, nil
		}
		if !empty {
			w.content = verify.Original(path)
			w.content.Cache = w.answerCache(path)
			return nil, nil
		}
	}
	if w.content, err = w.generate(ctx, examples); err != nil && !isIO(err) {
		return err, nil
	}
	return nil, err
}

// markKept replaces the schema of the unit by one with marks on what views and triggers of the file need, see [perturb.MarkKept].
func (w *work) markKept(ctx context.Context, file engine.DB) error {
	db, by, err := perturb.MarkKept(ctx, w.unit.DB, file)
	if err == nil {
		unit := *w.unit
		unit.DB, w.unit, w.kept = db, &unit, by
	}
	return err
}

// knownSize is the size of a file, in bytes, from which on a query is run once for all that read
// the same pages. In smaller files finding that out takes as long as running it.
const knownSize = 4 << 20

// answerCache returns an empty cache of answers, which saves running a query on a variant that reads the same pages as another one.
// It returns nil for a small file of a full build, for which running each query is faster.
func (w *work) answerCache(path string) *verify.AnswerCache {
	info, err := os.Stat(path)
	if w.Databases == DatabasesFull && (err != nil || info.Size() < knownSize) {
		return nil
	}
	return &verify.AnswerCache{}
}

// generate makes content that holds the constants of the examples' gold SQL.
func (w *work) generate(ctx context.Context, examples []*perturb.Example) (*verify.Content, error) {
	return verify.Generate(ctx, w.generated, w.unit.DB, examples, w.Seed)
}

// fatal returns an error that ends the build: one of files, of the server or of the context. It returns nil for an error of the data.
func fatal(ctx context.Context, err error) error {
	if ctx.Err() != nil || isIO(err) {
		return errors.Join(ctx.Err(), err)
	}
	return nil
}

// isIO reports whether an error is one of reading or writing files, which ends a build. For other
// errors of a database its examples are rejected.
func isIO(err error) bool {
	if e, ok := errors.AsType[*sqldata.Error](err); ok {
		return e.IO
	}
	if errors.Is(err, sqldata.ErrNoServer) {
		return true
	}
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return path || link
}

// run runs one perturbation over the unit, verifies its variants and returns the shard with their records.
func (w *work) run(ctx context.Context, p *perturb.Perturbation, lanes int) (*shard, error) {
	s := &shard{Examples: len(w.unit.Examples), Problems: w.problems, Kept: w.kept}
	r := newJob(w, p, s)
	defer r.steps.rest()
	for _, ex := range w.unit.Examples {
		if r, ok := w.unusable[ex.Index]; ok {
			s.Rejected = append(s.Rejected, r)
		}
	}
	if len(w.examples) == 0 {
		return s, nil
	}
	variants, err := r.variants(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.verifyAll(ctx, variants, lanes); err != nil {
		return nil, err
	}
	r.settleTurns()
	if err := r.keepDatabases(ctx); err != nil {
		return nil, err
	}
	if len(s.Records) > 0 {
		s.Before = w.unit.DB
		if w.Databases != DatabasesNone {
			if err := w.share(ctx, dataset.ContentPath(w.dir.Path(p.Name, "pre"), w.unit.DB.ID, w.content.Path)); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(s.Records, func(x, y shardRecord) int { return x.compare(&y) })
	return s, nil
}

// variants runs the perturbation and returns its variants, extended so that each covers interactions
// as a whole. It counts the examples that the perturbation applies to.
func (r *job) variants(ctx context.Context) (variants []perturb.Variant, err error) {
	pass := &perturb.Pass{
		Resources: r.Resources, Context: ctx, DB: r.unit.DB, Examples: r.examples, Buckets: r.Buckets, Samples: r.samples(r.p), Scope: r.Scope, Prefer: r.Prefer,
		Memo: &r.memo,
		Report: func(v perturb.Variant) {
			for _, ex := range v.Examples {
				r.applicable[ex.Index] = true
			}
			variants = append(variants, v)
		},
		Reject: func(ex *perturb.Example, sample int, reason perturb.Reason, detail ...string) {
			r.applicable[ex.Index] = true
			r.reject(ex, sample, &perturb.Refusal{Reason: reason, Detail: strings.Join(detail, " ")})
		},
	}
	if r.content != nil && r.content.Kind == dataset.ContentOriginal {
		if pass.Content, err = perturb.OpenContent(ctx, r.unit.DB, r.content.Path); err != nil {
			return nil, err
		}
		defer pass.Content.Close()
	}
	pass.Seed(r.Seed, r.p)
	if err = errors.Join(r.p.Run(pass), pass.Content.Lost()); err != nil {
		return nil, err
	}
	variants = r.followDerived(variants)
	if err := r.groupTurns(variants); err != nil {
		return nil, err
	}
	variants = r.coverTurns(variants)
	r.shard.Applicable = len(r.applicable)
	return variants, nil
}

// followDerived completes the edits of each variant by those of derived columns. It rejects variants
// whose derived columns cannot follow.
func (r *job) followDerived(variants []perturb.Variant) (out []perturb.Variant) {
	for _, v := range variants {
		edits, refusal := verify.Follow(r.unit.DB, v.Edits)
		if refusal != nil {
			for _, ex := range v.Examples {
				r.reject(ex, v.Sample, refusal)
			}
			continue
		}
		v.Edits = edits
		out = append(out, v)
	}
	return out
}
