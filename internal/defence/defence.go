// Package defence shows what training on perturbed schemas does for a schema linker: section
// 6 and table 5 of ADVETA.
//
// Linkers are trained on the originals, and on originals with as many perturbed ones of each
// source beside them, several times by other seeds; each is asked about the questions of
// other databases, as they are and under ADVETA's attacks. Then linkers are trained against
// their own attacks.
package defence

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/linker"
	"github.com/tabperturb/tabperturb/internal/outdir"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// Source is a way to perturb schemas, to train on or to attack with.
type Source struct {
	Name          string
	Perturbations []*perturb.Perturbation
	Buckets       dataset.Buckets
}

// Config says what is compared.
type Config struct {
	Train, Test []*dataset.Unit
	Sources     []Source // what is trained on; the last is what linkers are attacked with while they are trained
	Missing     []string // what there is no source for, and why
	Attacks     []Source // what is asked about beside the originals
	Resources   perturb.Resources
	Lexicon     linker.Lexicon
	Options     linker.Options // of one linker
	Seeds       int
	Samples     int     // of each question under an attack
	Weight      float64 // of a perturbed example beside an original
	Rounds      int     // of training against own attacks
	Candidates  int     // of each question, of which a linker's worst is trained on
	Seed        uint64
	Workers     int
	Report      func(error)
	Step        func(what string)
}

// set is questions that linkers are asked about.
type set struct {
	name     string
	examples []*linker.Example
	origin   []string // by example: its database before
}

// run is a comparison in progress.
type run struct {
	Config
	train     []*linker.Example
	schemas   map[string]*linker.Schema // of the databases to train on
	sets      []set
	models    []*linker.Model // of the last row, by seed
	databases []string
	table     *Table
	told      sync.Map // errors that were reported
}

// Run compares them all.
func Run(ctx context.Context, c Config) (*Table, error) {
	r := &run{Config: c, schemas: map[string]*linker.Schema{}, table: &Table{Seeds: c.Seeds, Samples: c.Samples, Missing: c.Missing}}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.row(ctx, "originals", fixed(r.train, 0)); err != nil {
		return nil, err
	}
	originals := r.models
	for _, s := range r.Sources {
		more, covered, err := r.augment(ctx, s)
		if err != nil {
			return nil, err
		}
		if err := r.row(ctx, "+ "+s.Name, fixed(more, covered)); err != nil {
			return nil, err
		}
	}
	if c.Rounds > 0 {
		r.models = originals
		if err := r.own(ctx); err != nil {
			return nil, err
		}
	}
	r.table.compare(r.databases)
	return r.table, nil
}

// prepare reads the originals and attacks the questions to be asked.
func (r *run) prepare(ctx context.Context) (err error) {
	r.Step("reading")
	if r.train, err = linker.Prepare(ctx, r.Train, r.Lexicon, r.Workers, r.Report); err != nil {
		return err
	}
	for _, ex := range r.train {
		r.schemas[ex.Schema.DB.ID] = ex.Schema
	}
	test, err := linker.Prepare(ctx, r.Test, r.Lexicon, r.Workers, r.Report)
	if err != nil {
		return err
	}
	if len(r.train) == 0 || len(test) == 0 {
		return fmt.Errorf("%d questions to train on and %d to ask, expected some of each", len(r.train), len(test))
	}
	originals := set{name: "originals", examples: test}
	schemas := map[string]*linker.Schema{}
	for _, ex := range test {
		schemas[ex.Schema.DB.ID] = ex.Schema
		originals.origin = append(originals.origin, ex.Schema.DB.ID)
	}
	r.sets = append(r.sets, originals)
	trained := map[string]bool{}
	for _, u := range r.Train {
		trained[perturb.OriginalID(u.DB.ID)] = true
	}
	for _, u := range r.Test {
		r.databases = append(r.databases, u.DB.ID)
		if trained[perturb.OriginalID(u.DB.ID)] {
			return fmt.Errorf("%s is a database to train on and to ask about, expected others to ask about", u.DB.ID)
		}
	}
	for _, s := range r.Attacks {
		drafts, err := r.drafts(ctx, r.Test, s, r.Samples, r.Seed)
		if err != nil {
			return err
		}
		attacked := set{name: s.Name}
		for _, list := range drafts {
			for i, ex := range r.perturbed(list, schemas) {
				if ex != nil {
					attacked.examples = append(attacked.examples, ex)
					attacked.origin = append(attacked.origin, list[i].Before.DB)
				}
			}
		}
		if len(attacked.examples) == 0 {
			return fmt.Errorf("%s: perturbs no question, expected names for the columns of the data", s.Name)
		}
		r.sets = append(r.sets, attacked)
	}
	for _, s := range r.sets {
		r.table.Sets = append(r.table.Sets, Set{s.name, len(s.examples)})
	}
	return nil
}

// drafts returns the drafts of a source, by unit, without their schemas and what was read of
// their gold SQL, which would fill the memory.
func (r *run) drafts(ctx context.Context, units []*dataset.Unit, s Source, samples int, seed uint64) ([][]*verify.Draft, error) {
	all := make([][]*verify.Draft, len(units))
	err := outdir.Run(ctx, r.Workers, units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		all[i], err = r.draftsOf(ctx, u, s, samples, seed)
		return err
	})
	return all, err
}

func (r *run) draftsOf(ctx context.Context, u *dataset.Unit, s Source, samples int, seed uint64) (all []*verify.Draft, err error) {
	d := verify.Drafter{Resources: r.Resources, Buckets: s.Buckets, Samples: samples, Seed: seed}
	for _, p := range s.Perturbations {
		drafts, err := d.Drafts(ctx, u, p)
		if err != nil {
			return nil, err
		}
		for _, x := range drafts {
			x.Schema, x.Before = nil, &perturb.Example{Example: x.Before.Example}
		}
		all = append(all, drafts...)
	}
	return all, nil
}

// perturbed reads drafts of one database against their schemas, one for equal ones. A draft
// that cannot be read is reported, once, and nil among the examples; so are, unreported, those
// of a database of which no example could be read before.
func (r *run) perturbed(drafts []*verify.Draft, schemas map[string]*linker.Schema) []*linker.Example {
	known := map[string]*linker.Schema{}
	out := make([]*linker.Example, len(drafts))
	for i, d := range drafts {
		before := schemas[d.Before.DB]
		if before == nil {
			continue
		}
		ex, err := perturbedOne(d, before, known)
		if err != nil {
			r.tell(fmt.Errorf("example %d of %s: %w, it is left out", d.Before.Index+1, d.Before.DB, err))
			continue
		}
		out[i] = ex
	}
	return out
}

// perturbedOne reads a draft; known are schemas by the edits that make them.
func perturbedOne(d *verify.Draft, before *linker.Schema, known map[string]*linker.Schema) (*linker.Example, error) {
	edits, err := perturb.MarshalEdits(d.Edits)
	if err != nil {
		return nil, err
	}
	s := known[string(edits)]
	if s == nil {
		if s, err = before.Edited(d.Edits); err != nil {
			return nil, err
		}
		known[string(edits)] = s
	}
	ex := linker.NewExample(s, d.After)
	if ex.Used, err = s.Used(d.After.Query); err != nil {
		return nil, err
	}
	return ex, nil
}

// tell reports what was not reported before: drafts are read again for each linker.
func (r *run) tell(err error) {
	if _, told := r.told.LoadOrStore(err.Error(), true); !told {
		r.Report(err)
	}
}

// read are the examples that are there.
func read(examples []*linker.Example) []*linker.Example {
	return slices.DeleteFunc(examples, func(ex *linker.Example) bool { return ex == nil })
}

// augment returns a perturbed example of a source for each original, and of how many there
// is one: where there is none the original stands twice, so that all sources add as many.
func (r *run) augment(ctx context.Context, s Source) (more []*linker.Example, covered int, err error) {
	parts := make([][]*linker.Example, len(r.Train))
	err = outdir.Run(ctx, r.Workers, r.Train, func(ctx context.Context, i int, u *dataset.Unit) error {
		drafts, err := r.draftsOf(ctx, u, s, 1, r.Seed)
		if err == nil {
			parts[i] = read(r.perturbed(one(drafts, r.Seed), r.schemas))
			for _, ex := range parts[i] {
				r.finish(ex)
			}
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	chosen := map[int]*linker.Example{}
	for _, ex := range slices.Concat(parts...) {
		chosen[ex.Source.Index] = ex
	}
	for _, ex := range r.train {
		if c := chosen[ex.Source.Index]; c != nil {
			more, covered = append(more, c), covered+1
		} else {
			more = append(more, ex)
		}
	}
	return more, covered, nil
}

// one draws a draft of each example.
func one(drafts []*verify.Draft, seed uint64) (out []*verify.Draft) {
	byExample := map[int][]*verify.Draft{}
	for _, d := range drafts {
		byExample[d.After.Index] = append(byExample[d.After.Index], d)
	}
	for _, d := range drafts {
		if list := byExample[d.After.Index]; list != nil {
			rng := rand.New(rand.NewPCG(seed, uint64(d.After.Index)))
			out = append(out, list[rng.IntN(len(list))])
			delete(byExample, d.After.Index)
		}
	}
	return out
}

// finish makes a perturbed example ready to be trained from, once for all seeds.
func (r *run) finish(ex *linker.Example) {
	ex.Weight = float32(r.Weight)
	ex.Settle()
}

// beside makes the examples that stand beside the originals for the linker of a seed, and
// counts those that are perturbed. It is called for as many seeds at once as are trained, for
// the examples of all would fill the memory.
type beside func(ctx context.Context, seed int) (more []*linker.Example, covered int, err error)

// fixed are the same examples for each seed.
func fixed(more []*linker.Example, covered int) beside {
	return func(context.Context, int) ([]*linker.Example, int, error) { return more, covered, nil }
}

// row trains linkers by several seeds, on the originals and on as many others beside them,
// and asks them. The row of the originals has them twice: all are trained for as many steps.
func (r *run) row(ctx context.Context, name string, beside beside) error {
	row := Row{Data: name, tallies: make([][]*linking.Tally, r.Seeds)}
	models, covered := make([]*linker.Model, r.Seeds), make([]int, r.Seeds)
	g, training := errgroup.WithContext(ctx)
	g.SetLimit(max(1, r.Workers))
	for seed := range r.Seeds {
		g.Go(func() error {
			more, n, err := beside(training, seed)
			if err != nil {
				return err
			}
			o := r.Options
			o.Seed = r.Seed + uint64(seed)
			if models[seed], err = linker.Train(training, slices.Concat(r.train, more), o, func() {}); err != nil {
				return err
			}
			covered[seed] = n
			r.Step(fmt.Sprintf("%s, seed %d", name, seed+1))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	row.Covered, r.models = covered[0], models
	if err := r.ask(ctx, row.tallies); err != nil {
		return err
	}
	r.table.Rows = append(r.table.Rows, row)
	return nil
}

// ask scores the linkers of all seeds on each set. Features of an example are found once for
// all linkers and not kept.
func (r *run) ask(ctx context.Context, tallies [][]*linking.Tally) error {
	for seed := range tallies {
		tallies[seed] = make([]*linking.Tally, len(r.sets))
	}
	for i, s := range r.sets {
		scores := make([][]linking.Score, len(s.examples))
		err := outdir.Run(ctx, r.Workers, s.examples, func(_ context.Context, k int, ex *linker.Example) error {
			asked := *ex
			asked.Prepare()
			for _, m := range r.models {
				scores[k] = append(scores[k], linker.Compare(ex, m.Score(&asked)))
			}
			return nil
		})
		if err != nil {
			return err
		}
		for seed := range tallies {
			tallies[seed][i] = &linking.Tally{}
			for k := range scores {
				tallies[seed][i].Add(s.origin[k], scores[k][seed])
			}
		}
	}
	return nil
}

// own trains linkers against their own attacks: in each round, of several candidates of each
// question the one that the linkers of all rounds before do worst on stands beside the
// original. Those of the last round alone would have one forget what it learned in the others.
func (r *run) own(ctx context.Context) error {
	source := r.Sources[len(r.Sources)-1]
	drafts, err := r.drafts(ctx, r.Train, source, r.Candidates, r.Seed+1)
	if err != nil {
		return err
	}
	before := make([][]*linker.Model, r.Seeds)
	for round := range r.Rounds {
		for seed, m := range r.models {
			before[seed] = append(before[seed], m)
		}
		err := r.row(ctx, fmt.Sprintf("+ own attacks, round %d", round+1), func(ctx context.Context, seed int) ([]*linker.Example, int, error) {
			worst, err := r.worst(ctx, before[seed], drafts)
			return append(worst, r.without(worst)...), len(worst), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// without returns the originals that none of the examples is made from.
func (r *run) without(examples []*linker.Example) (out []*linker.Example) {
	made := map[int]bool{}
	for _, ex := range examples {
		made[ex.Source.Index] = true
	}
	for _, ex := range r.train {
		if !made[ex.Source.Index] {
			out = append(out, ex)
		}
	}
	return out
}

// worst returns of each question the draft of which linkers give what the gold SQL uses, and
// does not use, the least probability.
func (r *run) worst(ctx context.Context, models []*linker.Model, drafts [][]*verify.Draft) ([]*linker.Example, error) {
	parts := make([][]*linker.Example, len(drafts))
	err := outdir.Run(ctx, r.Workers, drafts, func(ctx context.Context, i int, list []*verify.Draft) error {
		if len(list) == 0 {
			return nil
		}
		examples := read(r.perturbed(list, r.schemas))
		at := map[int]int{}
		losses := make([]float64, len(examples))
		for k, ex := range examples {
			for _, m := range models {
				losses[k] += linker.Loss(ex, m.Score(ex))
			}
			if best, ok := at[ex.Source.Index]; !ok || losses[k] > losses[best] {
				at[ex.Source.Index] = k
			}
		}
		for _, k := range at {
			r.finish(examples[k])
			parts[i] = append(parts[i], examples[k])
		}
		slices.SortFunc(parts[i], func(a, b *linker.Example) int { return cmp.Compare(a.Source.Index, b.Source.Index) })
		return nil
	})
	return slices.Concat(parts...), err
}
