package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Draft is an example after the edits of a variant, whose gold SQL is the original but for
// the names that changed. It was not executed.
type Draft struct {
	Before *perturb.Example
	Sample int
	Edits  []perturb.Edit
	Schema *dataset.Database
	After  *dataset.Example
}

// Drafter makes drafts of the questions of a database.
type Drafter struct {
	Resources perturb.Resources
	Buckets   dataset.Buckets
	Samples   int
	Seed      uint64
}

// Prove makes edits in an example and checks that nothing but names changed in the gold SQL. It
// runs no query, so it is the half of a build's proof that needs no rows. The error is a
// [*perturb.Refusal] if the check fails.
func Prove(ex *perturb.Example, db *dataset.Database, edits []perturb.Edit) (*Draft, error) {
	edits, refused := Follow(db, edits)
	if refused != nil {
		return nil, refused
	}
	after, err := Schema(db, edits)
	if err != nil {
		return nil, refusal("database-refuses-edits", err.Error())
	}
	post, err := Apply(ex, edits, db, after)
	if err != nil {
		return nil, err
	}
	same, decided, err := SameButNames(ex, post.Query, edits, after)
	switch {
	case err != nil:
		return nil, refusal("rewritten-unresolved", err.Error())
	case decided && !same:
		return nil, refusal("more-than-names", post.Query)
	}
	return &Draft{Before: ex, Edits: edits, Schema: after, After: post}, nil
}

// Drafts runs a perturbation of schemas over a unit and returns a draft for each example of each variant, in
// the order of the variants. It leaves out examples whose gold SQL does not parse and drafts that [Prove] refuses.
func (d *Drafter) Drafts(ctx context.Context, u *dataset.Unit, p *perturb.Perturbation) ([]*Draft, error) {
	var out []*Draft
	var failed error
	pass := &perturb.Pass{
		Resources: d.Resources, Context: ctx, DB: u.DB, Buckets: d.Buckets, Samples: d.Samples,
		Reject: func(*perturb.Example, int, perturb.Reason, ...string) {},
		Report: func(v perturb.Variant) {
			for _, ex := range v.Examples {
				draft, err := Prove(ex, u.DB, v.Edits)
				if _, refused := errors.AsType[*perturb.Refusal](err); err != nil && !refused {
					failed = errors.Join(failed, err)
				}
				if err == nil {
					draft.Sample = v.Sample
					out = append(out, draft)
				}
			}
		},
	}
	for _, ex := range u.Examples {
		if e, err := perturb.NewExample(u.DB, ex); err == nil {
			pass.Examples = append(pass.Examples, e)
		}
	}
	pass.Seed(d.Seed, p)
	if err := p.Run(pass); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", u.DB.ID, p.Name, err)
	}
	return out, failed
}
