package benchmark

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/fluency"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// job is the work of one perturbation on a unit.
type job struct {
	*work
	p       *perturb.Perturbation
	shard   *shard
	current *perturbed
	made    map[string]*dataset.Database // databases that were written, by id

	applicable map[int]bool    // examples that the perturbation applies to, by Example.Index
	rejected   map[[2]int]bool // turns, by Example.Index and sample
	groups     []*group        // in the order of the variants
	groupOf    map[turn]*group

	generated    *sqlite.Scratch // for retargeted gold SQL; made when first asked for
	generatedErr error
}

func newJob(w *work, p *perturb.Perturbation, s *shard) *job {
	return &job{
		work: w, p: p, shard: s, made: map[string]*dataset.Database{},
		applicable: map[int]bool{}, rejected: map[[2]int]bool{}, groupOf: map[turn]*group{},
	}
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
	if len(v.Examples) == 0 {
		return nil
	}
	target, err := r.perturbed(ctx, v)
	if err != nil {
		return err
	}
	for _, ex := range v.Examples {
		if target.db == nil {
			r.fail(ex, v.Sample, "database-refuses-edits", target.problem)
			continue
		}
		c := check{job: r, ex: ex, edits: v.Edits, after: target}
		if err := c.run(ctx); err != nil {
			return err
		}
		if c.reason != "" {
			r.fail(ex, v.Sample, c.reason, c.detail)
			continue
		}
		record, err := c.record(v)
		if err != nil {
			return err
		}
		r.shard.Records = append(r.shard.Records, record)
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
	needsSecond := r.second != nil && slices.ContainsFunc(v.Examples, r.isWeak)
	if c := r.current; c != nil && c.schema.ID == schema.ID && (c.second != nil || !needsSecond) {
		return c, nil
	}
	r.close()
	t := &perturbed{schema: schema}
	r.current = t
	if err := perturb.CarryDescriptions(r.unit.DB, schema, v.Edits); err != nil {
		t.problem = err.Error()
		return t, nil
	}
	path := dataset.SQLitePath(r.dir.Path(r.p.Name, "post"), schema.ID)
	if r.made[schema.ID] == nil {
		if err := perturb.ApplyContent(ctx, r.content.path, path, v.Edits); err != nil {
			if ctx.Err() != nil || isIO(err) {
				return nil, errors.Join(ctx.Err(), err)
			}
			t.problem = err.Error()
			return t, os.RemoveAll(filepath.Dir(path))
		}
		r.made[schema.ID] = schema
	}
	if t.db, err = sqlite.Open(ctx, path); err != nil {
		return nil, err
	}
	if needsSecond {
		err = r.perturbSecond(ctx, t, v.Edits)
	}
	return t, err
}

// isWeak tells whether an example, or the final question that stands with it, is to
// be executed on the second content.
func (r *job) isWeak(ex *perturb.Example) bool {
	return r.second.before[ex.Index] != nil || ex.FinalExample != nil && r.second.before[ex.FinalExample.Index] != nil
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

// dropUnused lists the databases that records refer to, and removes the others.
func (r *job) dropUnused() error {
	r.close()
	if r.generated != nil {
		r.generated.Close()
		r.generated = nil
	}
	kept := map[string]bool{}
	for _, rec := range r.shard.Records {
		if id := rec.Record.DBPost; !kept[id] {
			kept[id] = true
			r.shard.After = append(r.shard.After, r.made[id])
		}
	}
	for id := range r.made {
		if !kept[id] {
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

	question string         // after the edits
	query    string         // the gold SQL after the edits
	evidence string         // after the edits
	final    string         // the gold SQL of the final question after the edits
	answered bool           // as before on the data set's own content
	content  string         // what it was executed on
	bites    bool           // whether an answer could show a change; of a retargeted query, whether one did
	differs  bool           // whether the answer of a retargeted query differs on a generated database
	reason   perturb.Reason // why the promise did not hold; empty where it did
	detail   string
}

// run makes the edits in question, gold SQL and evidence and executes the gold SQL,
// and that of the final question that stands with the example; what does not hold
// becomes c.reason.
func (c *check) run(ctx context.Context) error {
	if len(c.edits) == 0 {
		c.stay()
		return nil
	}
	if err := c.hold(ctx); err != nil || c.reason != "" {
		return err
	}
	if c.carryEvidence(); c.reason != "" || c.ex.FinalExample == nil {
		return nil
	}
	final := check{job: c.job, ex: c.ex.FinalExample, edits: schemaEdits(c.edits), after: c.after}
	if err := final.run(ctx); err != nil {
		return err
	}
	if c.final = final.query; final.reason != "" {
		return c.fail("final-question", (&perturb.Refusal{Reason: final.reason, Detail: final.detail}).Error())
	}
	return nil
}

// stay is run for an example that stands unchanged.
func (c *check) stay() {
	c.question, c.query, c.evidence, c.answered = c.ex.Question, c.ex.Query, c.ex.Evidence, true
	if c.ex.FinalExample != nil {
		c.final = c.ex.FinalExample.Query
	}
	before := c.work.content
	c.bites = perturb.Bites(before.before[c.ex.Index])
	c.ranOn(before.kind)
}

// hold makes the edits in question and gold SQL and executes it; what does not hold
// becomes c.reason.
func (c *check) hold(ctx context.Context) error {
	var err error
	if c.question, err = perturb.ApplyQuestion(c.ex.Question, c.edits); err != nil {
		return c.fail("question-refuses-edits", err.Error())
	}
	if c.MinFluency > 0 && c.question != c.ex.Question && fluency.Score(c.question) < c.MinFluency {
		return c.fail("not-fluent", c.question)
	}
	c.query, err = perturb.RewriteGold(c.ex, c.edits, c.after.schema)
	if r, ok := errors.AsType[*perturb.Refusal](err); ok {
		return c.fail(r.Reason, r.Detail)
	}
	if err != nil {
		return c.fail("gold-not-rewritten", err.Error())
	}
	switch {
	case c.p.Relation == perturb.Retargeted:
		return c.retarget(ctx)
	case c.p.Relation == perturb.Invariant && perturb.RenamesUsed(c.ex, c.edits):
		return c.fail("renamed-column-used", "")
	}
	if c.p.Relation != perturb.Recoded {
		same, decided, err := perturb.SameButNames(c.ex, c.query, c.edits, c.after.schema)
		if err != nil {
			return c.fail("rewritten-unresolved", c.query+": "+err.Error())
		}
		if decided && !same {
			return c.fail("more-than-names", c.query)
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

func (c *check) fail(reason perturb.Reason, detail string) error {
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
		return c.fail("answer-not-recoded", err.Error())
	}
	if !perturb.Holds(c.ex.Gold, expected, res) {
		return c.fail("answer-changed", c.query)
	}
	if before == c.work.content {
		c.answered = perturb.Holds(c.ex.Gold, before.before[c.ex.Index], res)
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
func (c *check) execute(ctx context.Context, db *sqlite.DB) (*sqldata.Result, error) {
	res, err := db.Query(ctx, sqlast.JoinOperators(c.query), c.Limits)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, sqlite.ErrTimeLimit):
		return nil, c.fail("rewritten-time-limit", c.query)
	case err != nil:
		return nil, c.fail("rewritten-fails", c.query+": "+err.Error())
	}
	return res, nil
}

// record makes the row and the two examples of a verified variant.
func (c *check) record(v perturb.Variant) (shardRecord, error) {
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		return shardRecord{}, err
	}
	mentioned, changed := c.coverage()
	similarity, forward, backward := perturb.LowestScores(v.Edits)
	return shardRecord{
		Pre:         dataset.NewSpiderExample(c.unit.DB, c.ex.Example),
		Post:        dataset.NewSpiderExample(c.after.schema, c.post()),
		Differs:     c.differs,
		Interaction: c.ex.Interaction, first: c.ex.Turns()[0].Index, at: slices.Index(c.ex.Turns(), c.ex),
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

// post returns the example after the edits. An answer that the data set gives stays
// as far as the gold SQL's does: else it is not known in the data set's own form.
func (c *check) post() *dataset.Example {
	post := *c.ex.Example
	post.DB, post.Query, post.Evidence = c.after.schema.ID, c.query, c.evidence
	if post.Question = c.question; c.question != c.ex.Question {
		post.Tokens = nil
	}
	if !c.answered {
		post.Answer = nil
	}
	if c.ex.FinalExample != nil {
		final := *c.ex.Final
		final.DB, final.Query = c.after.schema.ID, c.final
		post.Final = &final
	}
	return &post
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
	for _, ref := range c.ex.Own {
		if touched[ref] {
			changed++
		}
	}
	return len(c.ex.Own), changed
}

func (s *shard) reject(ex *perturb.Example, sample int, reason perturb.Reason, detail string) {
	s.Rejected = append(s.Rejected, Rejection{
		Example: ex.Index, Sample: sample, DB: ex.DB, Query: ex.Query, Reason: reason, Detail: detail,
	})
}
