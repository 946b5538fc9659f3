package benchmark

import (
	"context"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// DryRun runs a perturbation over the examples whose gold SQL parses, so that the paraphraser
// counts its requests; it is the only resource. DryRun executes no SQL and writes nothing. A build
// may ask less: it leaves out examples whose gold SQL fails.
func DryRun(ctx context.Context, units []*dataset.Unit, p *perturb.Perturbation, c Config) error {
	c.Resources = perturb.Resources{Paraphraser: c.Resources.Paraphraser}
	return outdir.Run(ctx, c.Workers, units, func(ctx context.Context, _ int, u *dataset.Unit) error {
		if c.Step != nil {
			defer c.Step()
		}
		w := &work{builder: &builder{Config: c}, unit: u, unusable: map[int]Rejection{}}
		pass := &perturb.Pass{
			Resources: c.Resources, Context: ctx, DB: u.DB, Examples: w.joinTurns(w.parse()), Samples: c.samples(p), Scope: c.Scope, Prefer: c.Prefer,
			Report: func(perturb.Variant) {},
			Reject: func(*perturb.Example, int, perturb.Reason, ...string) {},
		}
		pass.Seed(c.Seed, p)
		return p.Run(pass)
	})
}
