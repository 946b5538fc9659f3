package benchmark

import (
	"context"
	"errors"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
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
	made     map[string]madeDatabase // by id

	applicable map[int]bool    // examples that the perturbation applies to, by Example.Index
	rejected   map[[2]int]bool // turns, by Example.Index and sample
	groups     []*group        // in the order of the variants
	groupOf    map[turn]*group
}

func newJob(w *work, p *perturb.Perturbation, s *shard) *job {
	return &job{
		work: w, p: p, shard: s, made: map[string]madeDatabase{},
		verifier:   &verify.Verifier{DB: w.unit.DB, Relation: p.Relation, Limits: w.Limits, MinFluency: w.MinFluency, Seed: w.Seed},
		applicable: map[int]bool{}, rejected: map[[2]int]bool{}, groupOf: map[turn]*group{},
	}
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
