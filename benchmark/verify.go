package benchmark

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// job is the work of one perturbation on a unit.
type job struct {
	*work
	p     *perturb.Perturbation
	shard *shard
	steps steps

	mu   sync.Mutex
	made map[string]*madeDatabase // by id

	applicable map[int]bool    // examples that the perturbation applies to, by Example.Index
	rejected   map[[2]int]bool // turns, by Example.Index and sample
	groups     []*group        // in the order of the variants
	groupOf    map[turn]*group
}

// newJob returns the job of a perturbation on a unit, whose records and rejections go to a shard.
func newJob(w *work, p *perturb.Perturbation, s *shard) *job {
	return &job{
		work: w, p: p, shard: s, made: map[string]*madeDatabase{}, steps: w.stepsOf(p),
		applicable: map[int]bool{}, rejected: map[[2]int]bool{}, groupOf: map[turn]*group{},
	}
}

// lane verifies variants in sequence. The lanes of a job run concurrently.
type lane struct {
	*job
	number   int
	verifier *verify.Verifier
	current  *perturbed
}

// outcome is the result of an example under a variant: a record or a refusal.
type outcome struct {
	ex      *perturb.Example
	sample  int
	record  *shardRecord
	refusal *perturb.Refusal
}

// pieceSize is the number of variants of one schema that a lane takes at a time where
// there are several lanes.
const pieceSize = 8

// pieces cuts variants into pieces of at most most variants, such that all variants of a piece have the same perturbed schema.
func pieces(db string, variants []perturb.Variant, most int) (out [][]perturb.Variant, err error) {
	last := ""
	for _, v := range variants {
		id, err := perturb.VariantID(db, v.Edits)
		if err != nil {
			return nil, err
		}
		if n := len(out) - 1; n >= 0 && id == last && len(out[n]) < most {
			out[n] = append(out[n], v)
		} else {
			out = append(out, []perturb.Variant{v})
		}
		last = id
	}
	return out, nil
}

// verifyAll verifies the variants on a number of lanes, and adds their records and refusals to the
// shard in the order of the variants.
func (r *job) verifyAll(ctx context.Context, variants []perturb.Variant, lanes int) error {
	most := pieceSize
	if lanes == 1 { // pieces of one schema need not be shared out
		most = len(variants)
	}
	parts, err := pieces(r.unit.DB.ID, variants, most)
	if err != nil {
		return err
	}
	free := make(chan *lane, lanes)
	for i := range lanes {
		free <- &lane{job: r, number: i, verifier: &verify.Verifier{DB: r.unit.DB, Relation: r.p.Relation, Limits: r.Limits, MinFluency: r.MinFluency, Seed: r.Seed}}
	}
	outcomes := make([][]outcome, len(parts))
	err = outdir.Run(ctx, lanes, parts, func(ctx context.Context, i int, part []perturb.Variant) error {
		l := <-free
		defer func() { free <- l }()
		for _, v := range part {
			got, err := l.verify(ctx, v)
			if err != nil {
				return err
			}
			outcomes[i] = append(outcomes[i], got...)
		}
		return nil
	})
	for range lanes {
		l := <-free
		l.close()
		err = errors.Join(err, l.verifier.Close())
	}
	if err != nil {
		return err
	}
	for _, o := range slices.Concat(outcomes...) {
		if o.refusal != nil {
			r.fail(o.ex, o.sample, o.refusal)
		} else {
			r.shard.Records = append(r.shard.Records, *o.record)
		}
	}
	return nil
}

// verify applies a variant to each of its examples and returns a record or a refusal for each. The error ends the build.
func (l *lane) verify(ctx context.Context, v perturb.Variant) (outcomes []outcome, err error) {
	if len(v.Examples) == 0 {
		return nil, nil
	}
	if err := l.p.Relation.Allows(v.Edits); err != nil {
		return nil, err
	}
	target, err := l.perturbed(ctx, v)
	if err != nil {
		return nil, err
	}
	for _, ex := range v.Examples {
		o := outcome{ex: ex, sample: v.Sample}
		o.record, err = l.check(ctx, ex, v, target)
		if refusal, refused := errors.AsType[*perturb.Refusal](err); refused {
			o.refusal = refusal
		} else if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
		l.steps.step()
	}
	return outcomes, nil
}

// check returns the record of an example under a variant. The error may be a
// [*perturb.Refusal].
func (l *lane) check(ctx context.Context, ex *perturb.Example, v perturb.Variant, target *perturbed) (*shardRecord, error) {
	if target.refusal != nil {
		return nil, target.refusal
	}
	after, err := l.verifier.Check(ctx, ex, v.Edits, &target.Target)
	if err != nil {
		return nil, err
	}
	record, err := l.record(ex, v, after, target.Schema)
	if err != nil {
		return nil, err
	}
	if reason := l.rejection(&record); reason != "" {
		return nil, &perturb.Refusal{Reason: reason}
	}
	return &record, nil
}

// rejection returns why people reject a record, "" if they do not. People decide on no unchanged turn: it is kept or dropped
// with the other turns of its interaction.
func (r *job) rejection(record *shardRecord) perturb.Reason {
	if r.Accepted == nil || record.unchanged() {
		return ""
	}
	return r.Accepted(&record.Record)
}

// record makes the row and the two examples of a verified variant, with what the shard sorts it by (first, at): the position of the
// interaction's first question in the split, and the turn's in the interaction.
func (r *job) record(ex *perturb.Example, v perturb.Variant, after *verify.Verified, schema *dataset.Database) (shardRecord, error) {
	edits, err := perturb.MarshalEdits(v.Edits)
	if err != nil {
		return shardRecord{}, err
	}
	similarity, forward, backward := perturb.LowestScores(v.Edits)
	return shardRecord{
		Pre:         r.records.New(r.unit.DB, ex.Example),
		Post:        r.records.New(schema, after.Example),
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

// perturbedOf returns the number of columns mentioned by the gold SQL that edits change, or next to which they
// add a column.
func (r *job) perturbedOf(ex *perturb.Example, edits []perturb.Edit) int {
	touched := map[dataset.ColumnRef]bool{}
	for _, e := range edits {
		table, column := e.Touches()
		if ref, ok := r.unit.DB.Lookup(table, column); ok {
			touched[ref] = true
		}
	}
	return lists.Count(ex.Own, func(ref dataset.ColumnRef) bool { return touched[ref] })
}
