package benchmark

import (
	"slices"
	"sync/atomic"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// steps counts the progress of one perturbation on a unit. It has a step for each record that the
// perturbation may make; steps of records that it does not make follow at its end.
type steps struct {
	of   func()
	left *atomic.Int64
}

// stepsOf returns the steps of a perturbation on the unit, none if nobody counts them.
func (w *work) stepsOf(p *perturb.Perturbation) steps {
	s := steps{w.Step, &atomic.Int64{}}
	if w.Step != nil {
		s.left.Store(int64(len(w.unit.Examples) * w.samples(p)))
	}
	return s
}

// step reports one step, unless all were reported.
func (s steps) step() {
	if s.left.Add(-1) >= 0 {
		s.of()
	}
}

// rest reports the steps that are left.
func (s steps) rest() {
	for s.left.Add(-1) >= 0 {
		s.of()
	}
}

// skipSteps reports all steps of perturbations that have a shard of the unit already.
func (b *builder) skipSteps(w *work, todo []*perturb.Perturbation) {
	for _, p := range b.Perturbations {
		if !slices.Contains(todo, p) {
			w.stepsOf(p).rest()
		}
	}
}

// Steps returns how often a build of the units calls [Config.Step].
func (c *Config) Steps(units []*dataset.Unit) (n int) {
	for _, u := range units {
		for _, p := range c.Perturbations {
			n += len(u.Examples) * c.samples(p)
		}
	}
	return n
}
