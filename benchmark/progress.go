package benchmark

import (
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

func (c *Config) stepsOf(u *dataset.Unit, p *perturb.Perturbation) steps {
	s := steps{c.Step, &atomic.Int64{}}
	if c.Step != nil {
		s.left.Store(int64(len(u.Examples) * c.samples(p)))
	}
	return s
}

func (w *work) stepsOf(p *perturb.Perturbation) steps { return w.Config.stepsOf(w.unit, p) }

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
	left := map[string]bool{}
	for _, p := range todo {
		left[p.Name] = true
	}
	for _, p := range b.Perturbations {
		if !left[p.Name] {
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
