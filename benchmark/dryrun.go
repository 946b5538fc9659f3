package benchmark

import (
	"context"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// DryRun runs a perturbation over the examples whose gold SQL can be read, so that the
// resources can count what they are asked. It executes and writes nothing: a build leaves
// out those of which the gold SQL fails.
func DryRun(ctx context.Context, units []*dataset.Unit, p *perturb.Perturbation, c Config) error {
	return outdir.Run(ctx, c.Workers, units, func(ctx context.Context, _ int, u *dataset.Unit) error {
		if c.Step != nil {
			defer c.Step()
		}
		w := &work{builder: &builder{Config: c}, unit: u, unusable: map[int]Rejection{}}
		pass := &perturb.Pass{
			Resources: c.Resources, Context: ctx, DB: u.DB, Examples: w.joinTurns(w.parse()), Samples: c.samples(p), Scope: c.Scope,
			Report: func(perturb.Variant) {},
			Reject: func(*perturb.Example, int, perturb.Reason, ...string) {},
		}
		pass.Seed(c.Seed, p)
		return p.Run(pass)
	})
}
