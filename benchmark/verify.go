package benchmark

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
)

// verify makes a variant and adds the examples whose promise held to the shard.
// done holds the variants whose database is written already.
func (w *work) verify(ctx context.Context, p *perturb.Perturbation, v perturb.Variant, s *shard, done map[string]bool) error {
	after, err := perturb.ApplySchema(w.unit.DB, v.Edits)
	if err != nil {
		return err
	}
	path := dataset.SQLitePath(w.dir.Path(p.Name, "post"), after.ID)
	if !done[after.ID] {
		if err := perturb.ApplyContent(ctx, w.content.path, path, v.Edits); err != nil {
			if ctx.Err() != nil || isIO(err) {
				return errors.Join(ctx.Err(), err)
			}
			for _, ex := range v.Examples {
				s.reject(ex, v.Sample, "the database does not take the edits", err.Error())
			}
			return os.RemoveAll(filepath.Dir(path))
		}
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	second, remove, err := w.perturbSecond(ctx, v, after.ID)
	if err != nil {
		return err
	}
	defer remove()
	held := 0
	for _, ex := range v.Examples {
		c := check{work: w, ex: ex, edits: v.Edits, after: after, db: db, second: second}
		if err := c.run(ctx); err != nil {
			return err
		}
		if c.reason != "" {
			s.reject(ex, v.Sample, c.reason, c.detail)
			continue
		}
		held++
		r, err := c.record(p, v)
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

// perturbSecond makes the edits in the second content and opens it, if an
// example of the variant needs it.
func (w *work) perturbSecond(ctx context.Context, v perturb.Variant, id string) (db *sqlite.DB, remove func(), err error) {
	remove = func() {}
	if w.second == nil || !slices.ContainsFunc(v.Examples, func(ex *perturb.Example) bool { return w.second.before[ex.Index] != nil }) {
		return nil, remove, nil
	}
	path := w.scratch(id)
	if err := perturb.ApplyContent(ctx, w.second.path, path, v.Edits); err != nil {
		if ctx.Err() != nil || isIO(err) {
			return nil, remove, errors.Join(ctx.Err(), err)
		}
		return nil, remove, nil
	}
	if db, err = sqlite.Open(ctx, path); err != nil {
		return nil, remove, err
	}
	return db, func() { db.Close(); os.Remove(path) }, nil
}

// check is the verification of one example under a variant.
type check struct {
	*work
	ex     *perturb.Example
	edits  []perturb.Edit
	after  *dataset.Database
	db     *sqlite.DB // after the edits
	second *sqlite.DB // the second content after the edits; nil where no example needs it

	query          string // the rewritten gold SQL
	content        string // what it was executed on
	bites          bool   // whether an answer could show a change
	reason, detail string // why the promise did not hold; empty where it did
}

// run rewrites and executes the gold SQL; what does not hold becomes c.reason.
func (c *check) run(ctx context.Context) error {
	var err error
	c.query, err = perturb.RewriteGold(c.ex, c.edits, c.after)
	if r, ok := errors.AsType[*perturb.Refusal](err); ok {
		c.reason = r.Reason
		return nil
	}
	if err != nil {
		return c.fail("the gold SQL cannot be rewritten", err.Error())
	}
	same, decided, err := perturb.SameButNames(c.ex, c.query, c.edits, c.after)
	if err != nil {
		return c.fail("the rewritten gold SQL does not resolve", c.query+": "+err.Error())
	}
	if decided && !same {
		return c.fail("the gold SQL would change by more than names", c.query)
	}
	if err := c.compare(ctx, c.work.content, c.db); err != nil || c.reason != "" {
		return err
	}
	if c.second == nil || c.work.second.before[c.ex.Index] == nil {
		return nil
	}
	return c.compare(ctx, c.work.second, c.second)
}

func (c *check) fail(reason, detail string) error {
	c.reason, c.detail = reason, strings.TrimSpace(detail)
	return nil
}

// compare runs the rewritten gold SQL on a perturbed content.
func (c *check) compare(ctx context.Context, before *content, db *sqlite.DB) error {
	res, err := db.Query(ctx, c.query, c.Limits)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sqlite.ErrTimeLimit):
		return c.fail("the rewritten gold SQL passes the time limit", c.query)
	case err != nil:
		return c.fail("the rewritten gold SQL does not run", c.query+": "+err.Error())
	case !perturb.Holds(c.ex.Gold, before.before[c.ex.Index], res):
		return c.fail("the answer changed", c.query)
	}
	c.bites = c.bites || perturb.Bites(res)
	if c.content != "" {
		c.content += "+"
	}
	c.content += before.kind
	return nil
}

// record makes the row and the two examples of a verified variant.
func (c *check) record(p *perturb.Perturbation, v perturb.Variant) (shardRecord, error) {
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		return shardRecord{}, err
	}
	similarity, forward, backward := perturb.LowestScores(v.Edits)
	return shardRecord{
		Pre:  spiderExample(c.unit.DB, c.ex.Example, c.ex.Query),
		Post: spiderExample(c.after, c.ex.Example, c.query),
		Record: dataset.Record{
			Perturbation: p.Name, Relation: string(p.Relation), Variant: c.after.ID, Sample: int32(v.Sample), Seed: c.Seed,
			Example: int32(c.ex.Index), DBPre: c.unit.DB.ID, DBPost: c.after.ID,
			QuestionPre: c.ex.Question, QuestionPost: c.ex.Question, QueryPre: c.ex.Query, QueryPost: c.query,
			Edits: string(edits), Mentioned: int32(len(c.ex.Columns)), Perturbed: int32(len(v.Edits)),
			Similarity: similarity, Forward: forward, Backward: backward,
			Content: c.content, Bites: c.bites, Verdict: dataset.VerdictVerified,
		},
	}, nil
}

func (s *shard) reject(ex *perturb.Example, sample int, reason, detail string) {
	s.Rejected = append(s.Rejected, Rejection{
		Example: ex.Index, Sample: sample, DB: ex.DB, Query: ex.Query, Reason: reason, Detail: detail,
	})
}
