package query

import (
	"errors"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// maxQueries bounds the changed gold SQL of an example that is run.
const maxQueries = 40

// A ranking sorts the changes of an example by the answer of their gold SQL on the data
// set's own content: where it is the original's, a model that ignores the change is right
// by execution. It drops what is [perturb.Unfit]. The paper draws regardless of answers.
// Without content, or where the original gold SQL does not run, all changes rank equally.
type ranking struct {
	p      *perturb.Pass
	ex     *perturb.Example
	before *sqldata.Result // nil: nothing is run
	runs   int
	reason perturb.Reason // why the last dropped change was dropped
	// The changes, best tier first: those with another answer that is conclusive, those with another answer, and the rest.
	tiers [3][][]perturb.Edit
}

// newRanking returns an empty ranking of an example. It runs the original gold SQL for the answer that others are compared with.
func newRanking(p *perturb.Pass, ex *perturb.Example) *ranking {
	r := &ranking{p: p, ex: ex}
	if p.Content != nil {
		r.before, _ = p.Content.Query(p.Context, ex.Query)
	}
	return r
}

// isComplete reports whether there are as many changes as samples, so that the caller need not add more. Changes of the lower tiers 1 and 2
// count only if no more are run, as a further change could get into tier 0, the best.
func (r *ranking) isComplete() bool {
	n := len(r.tiers[0])
	if !r.runsMore() {
		n += len(r.tiers[1]) + len(r.tiers[2])
	}
	return n >= r.p.Samples
}

// runsMore reports whether another change would be run.
func (r *ranking) runsMore() bool { return r.before != nil && r.runs < maxQueries }

// add runs the gold SQL of a change, its last edit, and puts the change into its tier, 0 for the best to 2. It drops the change if the
// answer is unfit, or if no more changes are run.
func (r *ranking) add(edits []perturb.Edit) error {
	if r.before == nil {
		r.tiers[2] = append(r.tiers[2], edits)
		return nil
	}
	if !r.runsMore() {
		return nil
	}
	r.runs++
	query := edits[len(edits)-1].(perturb.RewriteSQL).Query
	after, err := r.p.Content.Query(r.p.Context, query)
	if errors.Is(err, sqldata.ErrTimeLimit) || errors.Is(err, sqldata.ErrSteps) {
		r.runs = maxQueries // the next would take as long
	}
	tier := 2 // also for one that does not run
	if q, failed := sqlast.Parse(query); err == nil && failed == nil {
		reason, err := perturb.Unfit(r.p.Context, perturb.Answered{Query: r.ex.Gold, Answer: r.before}, perturb.Answered{Query: q, Answer: after}, r.p.Content.Query)
		if err != nil {
			return err
		}
		if reason != "" {
			r.reason = reason
			return nil
		}
		tier = r.tier(after)
	}
	r.tiers[tier] = append(r.tiers[tier], edits)
	return nil
}

// tier returns the tier of a change with this answer: 0, the best, for another answer that is conclusive, 1 for another answer, and 2 for
// the original one.
func (r *ranking) tier(after *sqldata.Result) int {
	switch {
	case perturb.Holds(r.ex.Gold, r.before, after): // the same answer
		return 2
	case perturb.Conclusive(after):
		return 0
	}
	return 1
}

// maxUnshown is how many variants an example has at most where all answers are the
// original's.
const maxUnshown = 2

// best returns the changes of the first tier that is not empty, up to the number of samples. Of tier 2, whose answer is the original or
// not known to differ, it returns up to [maxUnshown], or up to the number of samples if no gold SQL is run.
func (r *ranking) best() [][]perturb.Edit {
	for _, t := range r.tiers[:2] {
		if len(t) > 0 {
			return t[:min(len(t), r.p.Samples)]
		}
	}
	most := r.p.Samples
	if r.before != nil {
		most = min(most, maxUnshown)
	}
	return r.tiers[2][:min(len(r.tiers[2]), most)]
}
