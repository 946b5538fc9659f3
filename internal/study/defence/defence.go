// Package defence shows what training on perturbed schemas does for a schema linker: section
// 6 and table 5 of ADVETA.
//
// For each source of perturbations, linkers are trained on the originals and as many perturbed
// examples, several times by different seeds. Each is scored on the questions of other
// databases, unperturbed and under ADVETA's attacks. Then linkers are trained against their own
// attacks.
package defence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// Source is a way to perturb schemas, to train on or to attack with.
type Source struct {
	Name          string
	Perturbations []*perturb.Perturbation
	Buckets       dataset.Buckets
}

// Config holds the inputs of a comparison.
type Config struct {
	Train, Test []*dataset.Unit
	Sources     []Source // to train on; the last one also attacks linkers while they are trained
	Builds      []Build  // to train on besides
	Missing     []string // sources that are left out, and why
	Attacks     []Source // linkers are scored under each, and without
	Attacked    []Build  // linkers are scored on these too
	Resources   perturb.Resources
	Lexicon     linker.Lexicon
	Options     linker.Options // of one linker
	Seeds       int
	Samples     int     // of each question under an attack
	Weight      float64 // of a perturbed example; that of an original is 1
	Rounds      int     // of training against own attacks
	Candidates  int     // drafts of each question and perturbation, from which own attacks take the worst
	Seed        uint64
	Given       Given
	Workers     int
	Report      func(error)
	Step        func(what string)
}

// set holds the questions that linkers are scored on, by unit: examples, or drafts whose examples are made when they are scored.
type set struct {
	name     string
	examples [][]*linker.Example
	drafts   [][]*verify.Draft // nil for a set of examples
}

// run is a comparison in progress.
type run struct {
	Config
	train     []*linker.Example
	repeated  []*linker.Example         // copies of train, for originals without a perturbed example
	schemas   map[string]*linker.Schema // of all databases as they are
	sets      []set
	models    []*linker.Model // of the last row, by seed
	databases []string
	table     *Table
	reported  sync.Map // texts of errors
}

// Run trains and scores linkers on the originals alone, then with each source, then, unless Rounds is 0,
// against their own attacks. It returns the table with a row for each.
func Run(ctx context.Context, c Config) (*Table, error) {
	r := &run{Config: c, schemas: map[string]*linker.Schema{}, table: &Table{Settings: c.settings(), Missing: c.Missing}}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	none := func(context.Context, int) ([]*linker.Example, error) { return nil, nil }
	if err := r.addRow(ctx, "originals", none); err != nil {
		return nil, err
	}
	originals := r.models
	for _, s := range r.Sources {
		if err := r.addRow(ctx, "+ "+s.Name, r.augment(s)); err != nil {
			return nil, err
		}
	}
	for _, b := range r.Builds {
		examples, err := r.readBuild(ctx, b)
		if err != nil {
			return nil, err
		}
		if err := r.addRow(ctx, "+ "+b.Name, r.augmentBuild(examples)); err != nil {
			return nil, err
		}
	}
	if c.Rounds > 0 {
		r.models = originals // the first round attacks these, which have learned from no perturbation
		if err := r.addOwnAttacks(ctx); err != nil {
			return nil, err
		}
	}
	r.table.compare(r.databases)
	return r.table, nil
}

// settings returns the settings that the figures of the comparison depend on.
func (c *Config) settings() Settings {
	return Settings{
		Seeds: c.Seeds, Samples: c.Samples, Epochs: c.Options.Epochs, Weight: c.Weight,
		Rounds: c.Rounds, Candidates: c.Candidates, Seed: c.Seed, Given: c.Given,
		Databases: len(c.Train), Asked: len(c.Test),
	}
}

// prepare reads the questions to train on and to ask, and makes the sets of questions to ask: the originals and one for each attack. A
// database on both sides is an error.
func (r *run) prepare(ctx context.Context) (err error) {
	r.Step("reading")
	if r.train, err = linker.Prepare(ctx, r.Train, r.Lexicon, r.Workers, r.Report); err != nil {
		return err
	}
	for _, ex := range r.train {
		r.schemas[ex.Schema.DB.ID] = ex.Schema
		repeated := *ex
		repeated.Weight = float32(r.Weight)
		r.repeated = append(r.repeated, &repeated)
	}
	test, err := linker.Prepare(ctx, r.Test, r.Lexicon, r.Workers, r.Report)
	if err != nil {
		return err
	}
	if len(r.train) == 0 || len(test) == 0 {
		return fmt.Errorf("%d questions to train on and %d to ask, expected some of each", len(r.train), len(test))
	}
	originals := set{name: "originals", examples: make([][]*linker.Example, len(r.Test))}
	unit := map[string]int{} // position in r.Test, by db_id
	for i, u := range r.Test {
		unit[u.DB.ID] = i
	}
	for _, ex := range test {
		r.schemas[ex.Schema.DB.ID] = ex.Schema
		at := unit[ex.Schema.DB.ID]
		originals.examples[at] = append(originals.examples[at], ex)
	}
	r.sets = append(r.sets, originals)
	trained := map[string]bool{} // also the originals of perturbed databases
	for _, u := range r.Train {
		trained[dataset.OriginalID(u.DB.ID)] = true
	}
	for _, u := range r.Test {
		r.databases = append(r.databases, u.DB.ID)
		if trained[dataset.OriginalID(u.DB.ID)] {
			return fmt.Errorf("%s is a database to train on and to ask about, expected others to ask about", u.DB.ID)
		}
	}
	return r.prepareAttacks(ctx)
}

// prepareAttacks adds a set of questions for each attack on names, and for each build whose questions are asked. An attack that
// perturbs no question is an error.
func (r *run) prepareAttacks(ctx context.Context) error {
	for _, s := range r.Attacks {
		drafts, err := r.drafts(ctx, r.Test, s, r.Samples, r.Seed)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(drafts, func(list []*verify.Draft) bool { return len(list) > 0 }) {
			return fmt.Errorf("%s: perturbs no question, expected names for the columns of the data", s.Name)
		}
		r.sets = append(r.sets, set{name: s.Name, drafts: drafts})
	}
	for _, b := range r.Attacked {
		if err := r.addAttacked(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// drafts returns the drafts of a source, by unit. To save memory they have neither their schemas nor their resolved gold SQL.
func (r *run) drafts(ctx context.Context, units []*dataset.Unit, s Source, samples int, seed uint64) ([][]*verify.Draft, error) {
	all := make([][]*verify.Draft, len(units))
	err := outdir.Run(ctx, r.Workers, units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		all[i], err = r.draftsOf(ctx, u, s, samples, seed)
		return err
	})
	return all, err
}

// draftsOf returns the drafts of a source for one unit, for all its perturbations. To save memory it drops their schemas and their resolved
// gold SQL.
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

// perturbed returns the example of each draft, all of one database; drafts with equal edits share a schema. The example is nil for a
// draft that cannot be read, which is reported once, and if no original of the database could be read, which was reported before.
func (r *run) perturbed(drafts []*verify.Draft) []*linker.Example {
	known := map[string]*linker.Schema{}
	out := make([]*linker.Example, len(drafts))
	for i, d := range drafts {
		before := r.schemas[d.Before.DB]
		if before == nil {
			continue
		}
		ex, err := perturbedOne(d, before, known)
		if err != nil {
			r.reportOnce(fmt.Errorf("example %d of %s: %w, it is left out", d.Before.Index+1, d.Before.DB, err))
			continue
		}
		out[i] = ex
	}
	return out
}

// perturbedOne returns the example of a draft: its question on the edited schema, with the items that its gold SQL uses. before is the
// schema without the edits; known caches edited schemas by their edits as JSON.
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

// clearWordCache clears the word cache of the original schema of drafts, all of one database, once they are read.
func (r *run) clearWordCache(drafts []*verify.Draft) {
	if len(drafts) > 0 && r.schemas[drafts[0].Before.DB] != nil {
		r.schemas[drafts[0].Before.DB].Forget()
	}
}

// reportOnce reports an error unless one with its text was reported: each linker reads the drafts
// anew.
func (r *run) reportOnce(err error) {
	if _, known := r.reported.LoadOrStore(err.Error(), true); !known {
		r.Report(err)
	}
}

// readable returns the examples that are not nil.
func readable(examples []*linker.Example) []*linker.Example {
	return slices.DeleteFunc(examples, func(ex *linker.Example) bool { return ex == nil })
}

// augment returns the augmentation by a source: one perturbed example for each original that has any, drawn by the linker's seed.
func (r *run) augment(s Source) augmentation {
	return func(ctx context.Context, seed int) ([]*linker.Example, error) {
		drawSeed := r.seedOf(seed)
		return r.settled(ctx, func(ctx context.Context, i int) ([]*verify.Draft, error) {
			all, err := r.draftsOf(ctx, r.Train[i], s, 1, drawSeed)
			return drawByIndex(all, func(d *verify.Draft) int { return d.After.Index }, drawSeed), err
		})
	}
}

// seedOf returns the seed of linker i and of the names that it is trained on. Runs with different
// seeds share none.
func (r *run) seedOf(i int) uint64 { return r.Seed<<16 + uint64(i) }

// withRepeated appends to perturbed examples an unchanged one for each original that has none, so that every source adds
// the same number of training examples.
func (r *run) withRepeated(perturbed []*linker.Example) []*linker.Example {
	isPerturbed := map[int]bool{} // by the index of the original
	for _, ex := range perturbed {
		isPerturbed[ex.Source.Index] = true
	}
	for _, ex := range r.repeated {
		if !isPerturbed[ex.Source.Index] {
			perturbed = append(perturbed, ex)
		}
	}
	return perturbed
}

// drawByIndex draws, for each index, one of the values with it. The result has the order in which the indexes first occur.
func drawByIndex[T any](all []T, index func(T) int, seed uint64) (out []T) {
	byIndex := map[int][]T{}
	for _, x := range all {
		byIndex[index(x)] = append(byIndex[index(x)], x)
	}
	for _, x := range all {
		if list := byIndex[index(x)]; list != nil {
			rng := rand.New(rand.NewPCG(seed, uint64(index(x))))
			out = append(out, list[rng.IntN(len(list))])
			delete(byIndex, index(x))
		}
	}
	return out
}

// settled returns the examples of the drafts of all training units, with their features but without their schemas, which would fill the
// memory. For that it also clears the caches of the units' schemas. drafts returns the drafts of unit i.
func (r *run) settled(ctx context.Context, drafts func(ctx context.Context, i int) ([]*verify.Draft, error)) ([]*linker.Example, error) {
	parts := make([][]*linker.Example, len(r.Train))
	err := outdir.Run(ctx, r.Workers, r.Train, func(ctx context.Context, i int, _ *dataset.Unit) error {
		list, err := drafts(ctx, i)
		if err != nil {
			return err
		}
		parts[i] = readable(r.perturbed(list))
		for _, ex := range parts[i] {
			ex.Weight = float32(r.Weight)
			ex.Settle()
		}
		r.clearWordCache(list)
		return nil
	})
	return slices.Concat(parts...), err
}

// augmentation returns the perturbed examples that the linker of a seed is trained on besides the
// originals. It is called when that linker is trained: the examples of all seeds would fill the
// memory.
type augmentation func(ctx context.Context, seed int) ([]*linker.Example, error)

// atOnce is the maximum number of linkers that are trained concurrently. Each has two threads and examples
// of its own.
const atOnce = 2

// addRow trains a linker for each seed on the originals and as many other examples, scores the linkers on all sets, and adds a row to the
// table. An original without a perturbed example is taken twice, so that all rows are trained for as many steps.
func (r *run) addRow(ctx context.Context, name string, examples augmentation) error {
	row := Row{Data: name, tallies: make([][]*linking.Tally, r.Seeds)}
	models, covered := make([]*linker.Model, r.Seeds), make([]int, r.Seeds)
	g, training := errgroup.WithContext(ctx)
	g.SetLimit(min(max(1, r.Workers), atOnce))
	for seed := range r.Seeds {
		g.Go(func() error {
			perturbed, err := examples(training, seed)
			if err != nil {
				return err
			}
			covered[seed] = len(perturbed)
			o := r.Options
			o.Seed = r.seedOf(seed)
			if models[seed], err = linker.Train(training, slices.Concat(r.train, r.withRepeated(perturbed)), o, func() {}); err != nil {
				return err
			}
			r.Step(fmt.Sprintf("%s, seed %d", name, seed+1))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	row.Covered, r.models = slices.Max(covered), models
	if err := r.ask(ctx, row.tallies); err != nil {
		return err
	}
	r.table.Rows = append(r.table.Rows, row)
	return nil
}

// ask scores the linkers of all seeds on each set, and appends the tally of each set to those of its seed. With the first row it adds
// the sets to the table. A perturbed question is read once for all linkers, and is not kept.
func (r *run) ask(ctx context.Context, tallies [][]*linking.Tally) error {
	for _, s := range r.sets {
		units := make([][]*linking.Tally, len(r.Test)) // by unit and seed
		err := outdir.Run(ctx, r.Workers, r.Test, func(_ context.Context, i int, u *dataset.Unit) error {
			units[i] = r.askUnit(s, i)
			return nil
		})
		if err != nil {
			return err
		}
		for seed := range tallies {
			sum := &linking.Tally{}
			for i := range units {
				sum.Merge(units[i][seed])
			}
			tallies[seed] = append(tallies[seed], sum)
		}
		if len(r.table.Rows) == 0 {
			r.table.Sets = append(r.table.Sets, Set{s.name, tallies[0][len(tallies[0])-1].Questions})
		}
	}
	return nil
}

// askUnit scores the linkers on the questions of a set about unit i, and returns a tally for each seed.
func (r *run) askUnit(s set, i int) []*linking.Tally {
	tallies := make([]*linking.Tally, len(r.models))
	for seed := range tallies {
		tallies[seed] = &linking.Tally{}
	}
	var examples []*linker.Example
	if s.drafts != nil {
		examples = readable(r.perturbed(s.drafts[i]))
	} else {
		examples = s.examples[i]
	}
	for _, ex := range examples {
		asked := *ex
		asked.Prepare() // the features, once for all linkers; only the copy keeps them
		for seed, m := range r.models {
			tallies[seed].Add(r.Test[i].DB.ID, linker.Compare(ex, m.Score(&asked)))
		}
	}
	if s.drafts != nil {
		r.clearWordCache(s.drafts[i])
	}
	return tallies
}
