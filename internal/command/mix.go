package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment/mix"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

type mixFlags struct {
	builds, perturb, exclude []string
	data, excludeSplit, out  string
	strategy, rates, model   string
	licence                  string
	size                     int
	sized                    bool
}

// mixCmd returns the command mix.
func (a *app) mixCmd() *cobra.Command {
	var f mixFlags
	cmd := &cobra.Command{
		Use:     "mix",
		Short:   "Mix an augmented training set from originals and built perturbations",
		Long:    help("mix"),
		Example: examples("mix"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.sized = cmd.Flags().Changed("size")
			m, err := a.mix(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.print(m, func(w io.Writer) error { return m.WriteText(w, f.out) })
		},
	}
	f.addFlags(a, cmd)
	return cmd
}

// addFlags adds the flags of mix to the command.
func (f *mixFlags) addFlags(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.builds, "build", nil, "folders that build wrote; repeatable or comma-separated")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the builds (default: all); repeatable or comma-separated")
	fl.StringVar(&f.data, "data", "", "data directory that the builds were made from, for all its originals")
	fl.StringVar(&f.strategy, "strategy", string(mix.All), "which records: all, random, stratified or adaptive")
	fl.IntVar(&f.size, "size", 0, "records to draw (default: the number of originals)")
	fl.StringVar(&f.rates, "consistency", "", "error rates of the perturbations, for adaptive: what eval consistency --json printed")
	fl.StringVar(&f.model, "model", "", "which model's error rates, where the file has several")
	fl.StringSliceVar(&f.exclude, "exclude", nil, "data directories whose databases must not occur; repeatable or comma-separated")
	fl.StringVar(&f.excludeSplit, "exclude-split", "dev", "which SPLIT.json of --exclude")
	fl.StringVar(&f.licence, "licence", "", "licence for the card, as Hugging Face identifies it (default: unknown)")
	fl.StringVar(&f.out, "out", "", "folder to write")
	markInputs(cmd, "build", "data", "consistency", "exclude")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print the manifest as JSON")
	require(cmd, "build", "out")
}

// licenceID is the form of Hugging Face's identifiers of licences.
var licenceID = lazyregexp.New(`^[a-z0-9][a-z0-9.-]{0,63}$`)

// check returns an error if a flag is invalid or does not go with --strategy.
func (f *mixFlags) check() error {
	strategy := mix.Strategy(f.strategy)
	switch {
	case !slices.Contains(mix.Strategies(), strategy):
		return fmt.Errorf("--strategy %q: expected all, random, stratified or adaptive", f.strategy)
	case f.sized && strategy == mix.All:
		return errors.New("--size: --strategy all takes every record, expected random, stratified or adaptive with it")
	case f.sized && f.size < 1:
		return fmt.Errorf("--size %d: expected 1 or more", f.size)
	case strategy == mix.Adaptive && f.rates == "":
		return errors.New("--strategy adaptive draws by error rates, expected --consistency FILE")
	case strategy != mix.Adaptive && f.rates != "":
		return fmt.Errorf("--consistency: --strategy %s does not draw by error rates, expected adaptive", strategy)
	case f.rates == "" && f.model != "":
		return errors.New("--model: says which error rates of --consistency, expected both")
	case f.licence != "" && !licenceID.MatchString(f.licence):
		return fmt.Errorf("--licence %q: expected an identifier as Hugging Face has them, such as cc-by-sa-4.0", f.licence)
	}
	return nil
}

// mix checks the flags, reads the error rates of --consistency and writes the training set. With --data it also makes databases
// that the builds lack.
func (a *app) mix(ctx context.Context, f *mixFlags) (*mix.Manifest, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.data != "" {
		if err := checkData(f.data, "train"); err != nil {
			return nil, err
		}
	}
	for _, dir := range f.exclude {
		if err := checkData(dir, f.excludeSplit); err != nil {
			return nil, fmt.Errorf("--exclude: %w", err)
		}
	}
	c := mix.Config{
		Builds: f.builds, Perturb: f.perturb, Data: f.data, Strategy: mix.Strategy(f.strategy), Size: f.size,
		Exclude: f.exclude, ExcludeSplit: f.excludeSplit, Licence: f.licence,
		Seed: a.seed, Workers: a.workers, Report: a.report,
	}
	if f.rates != "" {
		var err error
		c.RatesModel = f.model
		if c.Rates, err = mix.ReadRates(f.rates, f.model); err != nil {
			return nil, err
		}
		in, err := mix.HashInput(f.rates)
		if err != nil {
			return nil, err
		}
		c.RatesFile = &in
	}
	step, done := a.start("mix", unknownTotal)
	defer done()
	c.Step = step
	if f.data != "" {
		c.Make = func(ctx context.Context, list []mix.Unwritten) error { return a.makeDatabases(ctx, f, list) }
	}
	c.Command = c.CommandLine()
	return mix.Mix(ctx, f.out, c)
}

// makeDatabases makes the databases of a list, which the builds were written without, from the data directory.
func (a *app) makeDatabases(ctx context.Context, f *mixFlags, list []mix.Unwritten) error {
	for _, build := range f.builds {
		to := map[string]string{} // the file to write, by the id of the database
		wanted := benchmark.Wanted{Workers: a.workers}
		for _, u := range list {
			if u.Build == build {
				to[u.ID] = u.To
				wanted.IDs = append(wanted.IDs, u.ID)
			}
		}
		if len(to) == 0 {
			continue
		}
		m, err := benchmark.ReadManifest(build)
		if err != nil {
			return err
		}
		// Records that cannot be used were reported when the originals were read.
		units, err := unitsOf(m, f.data, m.Split, func(error) {})
		if err != nil {
			return err
		}
		all, err := wanted.Databases(build)
		if err != nil {
			return err
		}
		all = eachOnce(all)
		place := func(m *benchmark.Made) string { return to[m.ID] }
		if err := roomFor(units, all, place, "", f.out); err != nil { // "": at most half of the free disk
			return err
		}
		if err := benchmark.Materialize(ctx, units, m.Seed, all, place, wanted); err != nil {
			return err
		}
	}
	return nil
}

// eachOnce returns the first database of a list with each id: several perturbations can share a database.
func eachOnce(list []*benchmark.Made) (distinct []*benchmark.Made) {
	seen := map[string]bool{}
	for _, m := range list {
		if !seen[m.ID] {
			seen[m.ID] = true
			distinct = append(distinct, m)
		}
	}
	return distinct
}
