package benchmark

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/fluency"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
)

// job is the work of one perturbation on a unit.
type job struct {
	*work
	p       *perturb.Perturbation
	shard   *shard
	current *perturbed
	made    map[string]bool // databases that were written
	kept    map[string]bool // of those, the ones that a record refers to

	generated    *sqlite.Scratch // for retargeted gold SQL; made when first asked for
	generatedErr error
}

// perturbed is a database after edits of its schema.
type perturbed struct {
	schema     *dataset.Database
	db, second *sqlite.DB // second is nil where no example needs it
	scratch    string     // the file of second; empty where it is the unit's own
	problem    string     // why the database does not take the edits; db is nil then
}

// verify makes a variant and adds the examples whose promise held to the shard.
func (r *job) verify(ctx context.Context, v perturb.Variant) error {
	target, err := r.perturbed(ctx, v)
	if err != nil {
		return err
	}
	for _, ex := range v.Examples {
		if target.db == nil {
			r.shard.reject(ex, v.Sample, "the database does not take the edits", target.problem)
			continue
		}
		c := check{job: r, ex: ex, edits: v.Edits, after: target}
		if err := c.run(ctx); err != nil {
			return err
		}
		if c.reason != "" {
			r.shard.reject(ex, v.Sample, c.reason, c.detail)
			continue
		}
		record, err := c.record(v)
		if err != nil {
			return err
		}
		r.shard.Records = append(r.shard.Records, record)
		if !r.kept[target.schema.ID] {
			r.kept[target.schema.ID] = true
			r.shard.After = append(r.shard.After, target.schema)
		}
	}
	return nil
}

// perturbed returns the variant's database. Variants of equal databases that
// follow each other share one, as all do that change questions only.
func (r *job) perturbed(ctx context.Context, v perturb.Variant) (*perturbed, error) {
	schema, err := perturb.ApplySchema(r.unit.DB, v.Edits)
	if err != nil {
		return nil, err
	}
	needsSecond := r.second != nil && slices.ContainsFunc(v.Examples, func(ex *perturb.Example) bool { return r.second.before[ex.Index] != nil })
	if c := r.current; c != nil && c.schema.ID == schema.ID && (c.second != nil || !needsSecond) {
		return c, nil
	}
	r.close()
	t := &perturbed{schema: schema}
	r.current = t
	path := dataset.SQLitePath(r.dir.Path(r.p.Name, "post"), schema.ID)
	if !r.made[schema.ID] {
		if err := perturb.ApplyContent(ctx, r.content.path, path, v.Edits); err != nil {
			if ctx.Err() != nil || isIO(err) {
				return nil, errors.Join(ctx.Err(), err)
			}
			t.problem = err.Error()
			return t, os.RemoveAll(filepath.Dir(path))
		}
		r.made[schema.ID] = true
	}
	if t.db, err = sqlite.Open(ctx, path); err != nil {
		return nil, err
	}
	if needsSecond {
		err = r.perturbSecond(ctx, t, v.Edits)
	}
	return t, err
}

// perturbSecond makes the edits in the second content and opens it. Where it
// does not take them, the data set's own content has to do.
func (r *job) perturbSecond(ctx context.Context, t *perturbed, edits []perturb.Edit) (err error) {
	path := r.second.path
	if t.schema.ID != r.unit.DB.ID {
		path = r.scratch(t.schema.ID)
		if err := perturb.ApplyContent(ctx, r.second.path, path, edits); err != nil {
			if ctx.Err() != nil || isIO(err) {
				return errors.Join(ctx.Err(), err)
			}
			return nil
		}
		t.scratch = path
	}
	t.second, err = sqlite.Open(ctx, path)
	return err
}

// close closes the current database.
func (r *job) close() {
	if r.current == nil {
		return
	}
	for _, db := range []*sqlite.DB{r.current.db, r.current.second} {
		if db != nil {
			db.Close()
		}
	}
	if r.current.scratch != "" {
		os.Remove(r.current.scratch)
	}
	r.current = nil
}

// dropUnused removes the databases that no record refers to.
func (r *job) dropUnused() error {
	r.close()
	if r.generated != nil {
		r.generated.Close()
		r.generated = nil
	}
	for id := range r.made {
		if !r.kept[id] {
			path := dataset.SQLitePath(r.dir.Path(r.p.Name, "post"), id)
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// check is the verification of one example under a variant.
type check struct {
	*job
	ex    *perturb.Example
	edits []perturb.Edit
	after *perturbed

	question       string // after the edits
	query          string // the gold SQL after the edits
	content        string // what it was executed on
	bites          bool   // whether an answer could show a change; of a retargeted query, whether one did
	differs        bool   // whether the answer of a retargeted query differs on a generated database
	reason, detail string // why the promise did not hold; empty where it did
}

// run makes the edits in question and gold SQL and executes it; what does not
// hold becomes c.reason.
func (c *check) run(ctx context.Context) error {
	var err error
	if c.question, err = perturb.ApplyQuestion(c.ex.Question, c.edits); err != nil {
		return c.fail("the question does not take the edits", err.Error())
	}
	if c.MinFluency > 0 && c.question != c.ex.Question && fluency.Score(c.question) < c.MinFluency {
		return c.fail("the question is less fluent than asked for", c.question)
	}
	c.query, err = perturb.RewriteGold(c.ex, c.edits, c.after.schema)
	if r, ok := errors.AsType[*perturb.Refusal](err); ok {
		c.reason = r.Reason
		return nil
	}
	if err != nil {
		return c.fail("the gold SQL cannot be rewritten", err.Error())
	}
	switch {
	case c.p.Relation == perturb.Retargeted:
		return c.retarget(ctx)
	case c.p.Relation == perturb.Invariant && perturb.RenamesUsed(c.ex, c.edits):
		return c.fail("the gold SQL uses a renamed column", "")
	}
	if c.p.Relation != perturb.Recoded {
		same, decided, err := perturb.SameButNames(c.ex, c.query, c.edits, c.after.schema)
		if err != nil {
			return c.fail("the rewritten gold SQL does not resolve", c.query+": "+err.Error())
		}
		if decided && !same {
			return c.fail("the gold SQL would change by more than names", c.query)
		}
	}
	if err := c.compare(ctx, c.work.content, c.after.db); err != nil || c.reason != "" {
		return err
	}
	if c.after.second == nil || c.second.before[c.ex.Index] == nil {
		return nil
	}
	return c.compare(ctx, c.second, c.after.second)
}

func (c *check) fail(reason, detail string) error {
	c.reason, c.detail = reason, strings.TrimSpace(detail)
	return nil
}

// compare runs the gold SQL after the edits on a perturbed content.
func (c *check) compare(ctx context.Context, before *content, db *sqlite.DB) error {
	res, err := c.execute(ctx, db)
	if err != nil || c.reason != "" {
		return err
	}
	expected, err := perturb.Expected(c.ex, c.edits, before.before[c.ex.Index])
	if err != nil {
		return c.fail("the answer cannot be recoded", err.Error())
	}
	if !perturb.Holds(c.ex.Gold, expected, res) {
		return c.fail("the answer changed", c.query)
	}
	c.bites = c.bites || perturb.Bites(res)
	c.ranOn(before.kind)
	return nil
}

func (c *check) ranOn(kind string) {
	if c.content != "" {
		c.content += "+"
	}
	c.content += kind
}

// execute runs the gold SQL after the edits; what keeps it from running becomes
// c.reason.
func (c *check) execute(ctx context.Context, db *sqlite.DB) (*sqlite.Result, error) {
	res, err := db.Query(ctx, c.query, c.Limits)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, sqlite.ErrTimeLimit):
		return nil, c.fail("the rewritten gold SQL passes the time limit", c.query)
	case err != nil:
		return nil, c.fail("the rewritten gold SQL does not run", c.query+": "+err.Error())
	}
	return res, nil
}

// record makes the row and the two examples of a verified variant.
func (c *check) record(v perturb.Variant) (shardRecord, error) {
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		return shardRecord{}, err
	}
	post := *c.ex.Example
	post.Query = c.query
	if post.Question = c.question; c.question != c.ex.Question {
		post.Tokens = nil
	}
	mentioned, changed := c.coverage()
	similarity, forward, backward := perturb.LowestScores(v.Edits)
	return shardRecord{
		Pre:     dataset.NewSpiderExample(c.unit.DB, c.ex.Example),
		Post:    dataset.NewSpiderExample(c.after.schema, &post),
		Differs: c.differs,
		Record: dataset.Record{
			Perturbation: c.p.Name, Relation: string(c.p.Relation), Variant: c.after.schema.ID, Sample: int32(v.Sample), Seed: c.Seed,
			Example: int32(c.ex.Index), DBPre: c.unit.DB.ID, DBPost: c.after.schema.ID,
			QuestionPre: c.ex.Question, QuestionPost: c.question, QueryPre: c.ex.Query, QueryPost: c.query,
			Edits: string(edits), Mentioned: int32(mentioned), Perturbed: int32(changed),
			Similarity: similarity, Forward: forward, Backward: backward,
			Content: c.content, Bites: c.bites, Verdict: dataset.VerdictVerified,
		},
	}, nil
}

// coverage counts the columns that the gold SQL mentions and, of them, those
// that the variant perturbs or adds a distractor beside.
func (c *check) coverage() (mentioned, changed int) {
	touched := map[dataset.ColumnRef]bool{}
	for _, e := range c.edits {
		if table, column := perturb.Touches(e); column != "" {
			if ref, ok := c.unit.DB.Lookup(table, column); ok {
				touched[ref] = true
			}
		}
	}
	for _, ref := range c.ex.Columns {
		if touched[ref] {
			changed++
		}
	}
	return len(c.ex.Columns), changed
}

func (s *shard) reject(ex *perturb.Example, sample int, reason, detail string) {
	s.Rejected = append(s.Rejected, Rejection{
		Example: ex.Index, Sample: sample, DB: ex.DB, Query: ex.Query, Reason: reason, Detail: detail,
	})
}
