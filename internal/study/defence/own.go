package defence

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// addOwnAttacks trains linkers against their own attacks, with a row for each round. In a round each question gets the candidate draft
// with the highest loss under the linkers of all earlier rounds; with those of the last round only, linkers would forget what earlier
// rounds taught. All seeds share the candidates, so that each draft is read once.
func (r *run) addOwnAttacks(ctx context.Context) error {
	source := r.Sources[len(r.Sources)-1] // the one that also attacks
	drafts, err := r.drafts(ctx, r.Train, source, r.Candidates, r.Seed+1)
	if err != nil {
		return err
	}
	before := make([][]*linker.Model, r.Seeds) // linkers of all earlier rounds, by seed
	for round := range r.Rounds {
		for seed, m := range r.models {
			before[seed] = append(before[seed], m)
		}
		worst, err := r.worst(ctx, before, drafts)
		if err != nil {
			return err
		}
		err = r.addRow(ctx, fmt.Sprintf("+ own attacks, round %d", round+1), func(ctx context.Context, seed int) ([]*linker.Example, error) {
			return r.settled(ctx, func(_ context.Context, i int) ([]*verify.Draft, error) { return worst[seed][i], nil })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// worst returns for each seed and unit the drafts that attack best: of each question the draft with the highest loss under the linkers
// of the seed. models has the linkers by seed, drafts has the drafts by unit.
func (r *run) worst(ctx context.Context, models [][]*linker.Model, drafts [][]*verify.Draft) ([][][]*verify.Draft, error) {
	worst := make([][][]*verify.Draft, len(models))
	for seed := range worst {
		worst[seed] = make([][]*verify.Draft, len(drafts))
	}
	err := outdir.Run(ctx, r.Workers, drafts, func(_ context.Context, i int, list []*verify.Draft) error {
		losses := r.losses(models, list)
		for seed := range models {
			highest := map[int]int{} // by example: the position in list of the draft with the highest loss
			for k, d := range list {
				best, known := highest[d.After.Index]
				if losses[k] != nil && (!known || losses[k][seed] > losses[best][seed]) {
					highest[d.After.Index] = k
				}
			}
			for _, example := range slices.Sorted(maps.Keys(highest)) {
				worst[seed][i] = append(worst[seed][i], list[highest[example]])
			}
		}
		return nil
	})
	return worst, err
}

// losses returns, by draft and seed, the sum of [linker.Loss] over the linkers of the seed; nil for a draft that cannot be read. Drafts
// of a question can have more items than others, so the loss of a linker is a mean over items.
func (r *run) losses(models [][]*linker.Model, drafts []*verify.Draft) [][]float64 {
	out := make([][]float64, len(drafts))
	for k, ex := range r.perturbed(drafts) {
		if ex == nil {
			continue
		}
		ex.Prepare()
		out[k] = make([]float64, len(models))
		for seed := range models {
			for _, m := range models[seed] {
				out[k][seed] += linker.Loss(ex, m.Score(ex))
			}
		}
	}
	r.clearWordCache(drafts)
	return out
}
