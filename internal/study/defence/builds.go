package defence

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
)

// Build is what build wrote of the databases that linkers are trained on, or asked about.
type Build struct{ Name, Dir string }

// readBuild reads the perturbed questions of a build, of all its perturbations. Each gets the index of its original, which the build's
// records have.
func (r *run) readBuild(ctx context.Context, b Build) (all []*linker.Example, err error) {
	split, results, err := benchmark.ReadResults(b.Dir, nil)
	if err != nil {
		return nil, err
	}
	side := &sides.Build{Dir: b.Dir, Split: split}
	records := side.OpenRecords()
	defer records.Stop()
	for _, result := range results {
		p := sides.Perturbation{Name: result.Name, Records: result.Verified}
		positions, err := records.Positions(p) // by index of the perturbed question
		if err != nil {
			return nil, err
		}
		units, err := dataset.Units(filepath.Dir(side.Gold(p.Name, "post")), split, r.Report)
		if err != nil {
			return nil, err
		}
		for _, u := range units {
			examples, problems, err := linker.PrepareUnit(ctx, u, r.Lexicon)
			if err != nil {
				return nil, err
			}
			for _, problem := range problems {
				r.reportOnce(problem)
			}
			for _, ex := range examples {
				if ex.Source.Index >= len(positions) {
					return nil, fmt.Errorf("%s: %s has more questions than records, expected one of each", b.Dir, p.Name)
				}
				original := *ex.Source
				original.Index = positions[ex.Source.Index].Example
				ex.Source = &original
				all = append(all, ex)
			}
		}
	}
	return all, nil
}

// augmentBuild returns the augmentation by a build: one of its questions for each original that has any, drawn by the linker's seed.
func (r *run) augmentBuild(all []*linker.Example) augmentation {
	return func(_ context.Context, seed int) (drawn []*linker.Example, err error) {
		for _, ex := range drawByIndex(all, func(ex *linker.Example) int { return ex.Source.Index }, r.seedOf(seed)) {
			one := *ex
			one.Weight = float32(r.Weight)
			one.Settle()
			drawn = append(drawn, &one)
		}
		return drawn, nil
	}
}

// addAttacked adds the questions of a build as a set that linkers are scored on. A perturbed database counts as the unit of its
// original.
func (r *run) addAttacked(ctx context.Context, b Build) error {
	all, err := r.readBuild(ctx, b)
	if err != nil {
		return err
	}
	s := set{name: b.Name, examples: make([][]*linker.Example, len(r.Test))}
	for i, u := range r.Test {
		for _, ex := range all {
			if dataset.OriginalID(ex.Schema.DB.ID) == dataset.OriginalID(u.DB.ID) {
				s.examples[i] = append(s.examples[i], ex)
			}
		}
	}
	r.sets = append(r.sets, s)
	return nil
}
