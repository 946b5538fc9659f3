package benchmark

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
)

// work is a unit with all that its perturbations share.
type work struct {
	*builder
	unit     *dataset.Unit
	examples []*perturb.Example
	content  string                 // path of the SQLite file before the edits
	kind     string                 // whether that is original or generated
	before   map[int]*sqlite.Result // answers before the edits, by Example.Index
	unusable map[int]Rejection      // examples whose gold SQL cannot be used
	problems []string               // of the database and of gold SQL, for people
}

// unit runs every perturbation over a unit that has no shard of it yet.
func (b *builder) unit(ctx context.Context, i int, u *dataset.Unit) error {
	var todo []*perturb.Perturbation
	for _, p := range b.Perturbations {
		if !b.shards.Has(p.Name, i) {
			todo = append(todo, p)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	w := &work{builder: b, unit: u, before: map[int]*sqlite.Result{}, unusable: map[int]Rejection{}}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	for _, p := range todo {
		s, err := w.run(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if err := b.shards.Write(p.Name, i, data); err != nil {
			return err
		}
	}
	return nil
}

// prepare parses the gold SQL, finds or makes the content, and takes the
// answers before any edit.
func (w *work) prepare(ctx context.Context) error {
	var usable []*perturb.Example
	for _, ex := range w.unit.Examples {
		e, err := perturb.NewExample(w.unit.DB, ex)
		if err != nil {
			w.cannotUse(ex, "the gold SQL does not parse or resolve", err)
			w.badGold(ex, fmt.Errorf("the %w", err))
			continue
		}
		usable = append(usable, e)
	}
	err := w.findContent(ctx, usable)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isIO(err):
		return err
	case err != nil:
		w.problems = append(w.problems, err.Error())
		for _, e := range usable {
			w.cannotUse(e.Example, "the database cannot be used", err)
		}
		return nil
	}
	db, err := sqlite.Open(ctx, w.content)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, e := range usable {
		res, err := db.Query(ctx, e.Query, w.Limits)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.cannotUse(e.Example, "the gold SQL does not run", err)
			w.badGold(e.Example, fmt.Errorf("the gold SQL does not run: %w", err))
			continue
		}
		w.before[e.Index] = res
		w.examples = append(w.examples, e)
	}
	return nil
}

func (w *work) cannotUse(ex *dataset.Example, reason string, err error) {
	w.unusable[ex.Index] = Rejection{Example: ex.Index, DB: ex.DB, Query: ex.Query, Reason: reason, Detail: err.Error()}
}

// badGold notes what is wrong with the gold SQL of an example.
func (w *work) badGold(ex *dataset.Example, err error) {
	w.problems = append(w.problems, (&dataset.RecordError{File: w.ExamplesFile, Record: ex.Index + 1, Err: err}).Error())
}

// findContent sets the SQLite file to work on: the data set's own where it has
// rows, else one made from the schema that holds the constants of the gold SQL.
func (w *work) findContent(ctx context.Context, examples []*perturb.Example) error {
	if path := w.unit.DB.SQLite; path != "" {
		db, err := sqlite.Open(ctx, path)
		if err != nil {
			return err
		}
		empty, err := db.Empty(ctx)
		if err = errors.Join(err, db.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !empty {
			w.content, w.kind = path, dataset.ContentOriginal
			return nil
		}
	}
	tables := dataset.SQLiteTables(w.unit.DB)
	rows := sqlite.Generate(tables, sqlite.Generation{Seed: w.Seed, Literals: perturb.Literals(examples)})
	w.content, w.kind = filepath.Join(w.dir.Path(shardDir), "generated", w.unit.DB.ID+".sqlite"), dataset.ContentGenerated
	return sqlite.Create(ctx, w.content, tables, rows)
}

// isIO tells an error of reading or writing files, which ends a build, from one
// of what a database holds, for which its examples are rejected.
func isIO(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		const ioErr, full, cantOpen = 10, 13, 14 // SQLite's primary result codes
		return slices.Contains([]int{ioErr, full, cantOpen}, e.Code&0xff)
	}
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return path || link
}

// run runs one perturbation over the unit and verifies what it reports.
func (w *work) run(ctx context.Context, p *perturb.Perturbation) (*shard, error) {
	s := &shard{Examples: len(w.unit.Examples), Content: w.kind, Problems: w.problems}
	for _, ex := range w.unit.Examples {
		if r, ok := w.unusable[ex.Index]; ok {
			s.Rejected = append(s.Rejected, r)
		}
	}
	applicable := map[int]bool{}
	var variants []perturb.Variant
	pass := &perturb.Pass{
		Context: ctx, DB: w.unit.DB, Examples: w.examples, Buckets: w.Buckets, Samples: w.Samples,
		Report: func(v perturb.Variant) { variants = append(variants, v) },
		Reject: func(ex *perturb.Example, sample int, reason string) {
			applicable[ex.Index] = true
			s.reject(ex, sample, reason, "")
		},
	}
	pass.Seed(w.Seed, p)
	if err := p.Run(pass); err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, v := range variants {
		for _, ex := range v.Examples {
			applicable[ex.Index] = true
		}
		if err := w.verify(ctx, p, v, s, done); err != nil {
			return nil, err
		}
	}
	s.Applicable = len(applicable)
	if len(s.Records) > 0 {
		s.Before = w.unit.DB
		dst := dataset.SQLitePath(w.dir.Path(p.Name, "pre"), w.unit.DB.ID)
		if err := sqlite.Copy(ctx, w.content, dst); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.Records, func(x, y shardRecord) int {
		return cmp.Or(cmp.Compare(x.Record.Example, y.Record.Example), cmp.Compare(x.Record.Sample, y.Record.Sample))
	})
	return s, nil
}

// verify makes a variant and adds the examples whose promise held to the shard.
// done holds the variants whose database is written already.
func (w *work) verify(ctx context.Context, p *perturb.Perturbation, v perturb.Variant, s *shard, done map[string]bool) error {
	after, err := perturb.ApplySchema(w.unit.DB, v.Edits)
	if err != nil {
		return err
	}
	path := dataset.SQLitePath(w.dir.Path(p.Name, "post"), after.ID)
	if !done[after.ID] {
		if err := perturb.ApplyContent(ctx, w.content, path, v.Edits); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if isIO(err) {
				return err
			}
			for _, ex := range v.Examples {
				s.reject(ex, v.Sample, "the database does not take the edits", err.Error())
			}
			return nil
		}
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	held := 0
	for _, ex := range v.Examples {
		query, reason, detail := w.check(ctx, db, ex, v.Edits, after)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if reason != "" {
			s.reject(ex, v.Sample, reason, detail)
			continue
		}
		held++
		r, err := w.record(p, v, ex, after, query)
		if err != nil {
			return err
		}
		s.Records = append(s.Records, r)
	}
	switch {
	case held > 0 && !done[after.ID]:
		done[after.ID] = true
		s.After = append(s.After, after)
	case held == 0 && !done[after.ID]:
		return os.RemoveAll(filepath.Dir(path))
	}
	return nil
}

// check rewrites and runs an example's gold SQL; a reason says what did not hold.
func (w *work) check(ctx context.Context, db *sqlite.DB, ex *perturb.Example, edits []perturb.Edit, after *dataset.Database) (query, reason, detail string) {
	query, err := perturb.RewriteGold(ex, edits, after)
	if r, ok := errors.AsType[*perturb.Refusal](err); ok {
		return "", r.Reason, ""
	}
	if err != nil {
		return "", "the gold SQL cannot be rewritten", err.Error()
	}
	res, err := db.Query(ctx, query, w.Limits)
	if err != nil {
		return "", "the rewritten gold SQL does not run", query + ": " + err.Error()
	}
	if !perturb.Holds(ex.Gold, w.before[ex.Index], res) {
		return "", "the answer changed", query
	}
	return query, "", ""
}

// record makes the row and the two examples of a verified variant.
func (w *work) record(p *perturb.Perturbation, v perturb.Variant, ex *perturb.Example, after *dataset.Database, query string) (shardRecord, error) {
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		return shardRecord{}, err
	}
	similarity, forward, backward := perturb.LowestScores(v.Edits)
	r := shardRecord{
		Pre:  spiderExample(w.unit.DB, ex.Example, ex.Query),
		Post: spiderExample(after, ex.Example, query),
		Record: dataset.Record{
			Perturbation: p.Name, Relation: string(p.Relation), Variant: after.ID, Sample: int32(v.Sample), Seed: w.Seed,
			Example: int32(ex.Index), DBPre: w.unit.DB.ID, DBPost: after.ID,
			QuestionPre: ex.Question, QuestionPost: ex.Question, QueryPre: ex.Query, QueryPost: query,
			Edits: string(edits), Similarity: similarity, Forward: forward, Backward: backward,
			Content: w.kind, Verdict: dataset.VerdictVerified,
		},
	}
	return r, nil
}

func (s *shard) reject(ex *perturb.Example, sample int, reason, detail string) {
	s.Rejected = append(s.Rejected, Rejection{
		Example: ex.Index, Sample: sample, DB: ex.DB, Query: ex.Query, Reason: reason, Detail: strings.TrimSpace(detail),
	})
}
