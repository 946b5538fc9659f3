package benchmark

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// job is the work of one perturbation on a unit.
type job struct {
	*work
	p        *perturb.Perturbation
	verifier *verify.Verifier
	shard    *shard
	current  *perturbed
	made     map[string]*dataset.Database // databases that were written, by id

	applicable map[int]bool    // examples that the perturbation applies to, by Example.Index
	rejected   map[[2]int]bool // turns, by Example.Index and sample
	groups     []*group        // in the order of the variants
	groupOf    map[turn]*group
}

func newJob(w *work, p *perturb.Perturbation, s *shard) *job {
	return &job{
		work: w, p: p, shard: s, made: map[string]*dataset.Database{},
		verifier:   &verify.Verifier{DB: w.unit.DB, Relation: p.Relation, Limits: w.Limits, MinFluency: w.MinFluency, Seed: w.Seed},
		applicable: map[int]bool{}, rejected: map[[2]int]bool{}, groupOf: map[turn]*group{},
	}
}

// perturbed is a database after edits of its schema, with its open files.
type perturbed struct {
	verify.Target
	scratch string           // the file of the second run; empty where it is the unit's own, or there is none
	refusal *perturb.Refusal // why the database does not take the edits; it has no runs then
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
		if target.refusal != nil {
			r.fail(ex, v.Sample, target.refusal)
			continue
		}
		after, err := r.verifier.Check(ctx, ex, v.Edits, &target.Target)
		if refusal, refused := errors.AsType[*perturb.Refusal](err); refused {
			r.fail(ex, v.Sample, refusal)
			continue
		}
		if err != nil {
			return err
		}
		record, err := r.record(ex, v, after, target.Schema)
		if err != nil {
			return err
		}
		if reason := r.refused(&record); reason != "" {
			r.fail(ex, v.Sample, &perturb.Refusal{Reason: reason})
			continue
		}
		r.shard.Records = append(r.shard.Records, record)
	}
	return nil
}

// refused tells why people do not want a record. A turn that stands as it was is kept:
// there is nothing to decide on, and it goes where the others of its interaction go.
func (r *job) refused(record *shardRecord) perturb.Reason {
	if r.Accepted == nil || record.unchanged() {
		return ""
	}
	return r.Accepted(&record.Record)
}

// perturbed returns the variant's database. Variants of equal databases that
// follow each other share one, as all do that change questions only.
func (r *job) perturbed(ctx context.Context, v perturb.Variant) (*perturbed, error) {
	schema, err := verify.Schema(r.unit.DB, v.Edits)
	refusal, refused := errors.AsType[*perturb.Refusal](err)
	if err != nil && !refused {
		return nil, err
	}
	needsSecond := r.second != nil && slices.ContainsFunc(v.Examples, r.second.Executed)
	if c := r.current; c != nil && c.Schema.ID == schema.ID && (len(c.Runs) > 1 || !needsSecond) {
		return c, nil
	}
	r.close()
	t := &perturbed{Target: verify.Target{Schema: schema}, refusal: refusal}
	r.current = t
	if refused {
		return t, nil
	}
	if err := r.open(ctx, t, v.Edits); err != nil || t.refusal != nil || !needsSecond {
		return t, err
	}
	return t, r.openSecond(ctx, t, v.Edits)
}

// open makes the edits in the content that is written, and opens it.
func (r *job) open(ctx context.Context, t *perturbed, edits []perturb.Edit) error {
	id := t.Schema.ID
	path := dataset.SQLitePath(r.dir.Path(r.p.Name, "post"), id)
	if r.made[id] == nil {
		if err := perturb.ApplyContent(ctx, r.content.Path, path, edits); err != nil {
			if err := fatal(ctx, err); err != nil {
				return err
			}
			t.refusal = &perturb.Refusal{Reason: "database-refuses-edits", Detail: err.Error()}
			return os.RemoveAll(filepath.Dir(path))
		}
		r.made[id] = t.Schema
	}
	return t.run(ctx, r.content, path)
}

// openSecond makes the edits in the second content and opens it. Where it
// does not take them, the data set's own content has to do.
func (r *job) openSecond(ctx context.Context, t *perturbed, edits []perturb.Edit) error {
	path := r.second.Path
	if t.Schema.ID != r.unit.DB.ID {
		path = r.scratch(t.Schema.ID)
		if err := perturb.ApplyContent(ctx, r.second.Path, path, edits); err != nil {
			return fatal(ctx, err)
		}
		t.scratch = path
	}
	return t.run(ctx, r.second, path)
}

// run opens the file that the edits made of a content.
func (t *perturbed) run(ctx context.Context, c *verify.Content, path string) error {
	db, err := sqlite.Open(ctx, path)
	if err == nil {
		t.Runs = append(t.Runs, verify.Run{Content: c, After: db})
	}
	return err
}

// close closes the current database.
func (r *job) close() {
	if r.current == nil {
		return
	}
	for _, run := range r.current.Runs {
		run.After.Close()
	}
	if r.current.scratch != "" {
		os.Remove(r.current.scratch)
	}
	r.current = nil
}

// dropUnused lists the databases that records refer to, and removes the others.
func (r *job) dropUnused() error {
	r.close()
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

// record makes the row and the two examples of a verified variant.
func (r *job) record(ex *perturb.Example, v perturb.Variant, after *verify.Verified, schema *dataset.Database) (shardRecord, error) {
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		return shardRecord{}, err
	}
	similarity, forward, backward := perturb.LowestScores(v.Edits)
	return shardRecord{
		Pre:         dataset.NewSpiderExample(r.unit.DB, ex.Example),
		Post:        dataset.NewSpiderExample(schema, after.Example),
		Differs:     after.Differs,
		Interaction: ex.Interaction, first: ex.Turns()[0].Index, at: slices.Index(ex.Turns(), ex),
		Record: dataset.Record{
			Perturbation: r.p.Name, Relation: string(r.p.Relation), Variant: schema.ID, Sample: int32(v.Sample), Seed: r.Seed,
			Example: int32(ex.Index), DBPre: r.unit.DB.ID, DBPost: schema.ID,
			QuestionPre: ex.Question, QuestionPost: after.Question, QueryPre: ex.Query, QueryPost: after.Query,
			Edits: string(edits), Mentioned: int32(len(ex.Own)), Perturbed: int32(r.perturbedOf(ex, v.Edits)),
			Similarity: similarity, Forward: forward, Backward: backward,
			Content: after.Content, Conclusive: after.Conclusive, Verdict: dataset.VerdictVerified,
		},
	}, nil
}

// perturbedOf counts the columns mentioned by the gold SQL that the edits perturb or
// add a distractor beside.
func (r *job) perturbedOf(ex *perturb.Example, edits []perturb.Edit) (n int) {
	touched := map[dataset.ColumnRef]bool{}
	for _, e := range edits {
		table, column := perturb.Touches(e)
		if ref, ok := r.unit.DB.Lookup(table, column); ok {
			touched[ref] = true
		}
	}
	for _, ref := range ex.Own {
		if touched[ref] {
			n++
		}
	}
	return n
}
