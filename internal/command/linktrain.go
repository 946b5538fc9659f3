package command

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
)

type linkTrainFlags struct {
	data, split, out, licence string
	options                   linker.Options
	folds                     int
}

// linkTrainCmd returns the command link train.
func (a *app) linkTrainCmd() *cobra.Command {
	f := linkTrainFlags{options: linker.DefaultOptions()}
	cmd := &cobra.Command{
		Use:     "train",
		Short:   "Train a schema linker from a data directory or a mix",
		Long:    help("link_train"),
		Example: examples("link_train"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.printResult(a.linkTrain(cmd.Context(), &f)) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "data directory")
	fl.StringVar(&f.split, "split", "train", "which SPLIT.json of it")
	fl.IntVar(&f.options.Epochs, "epochs", f.options.Epochs, "how often each question is seen")
	fl.IntVar(&f.options.Networks, "networks", f.options.Networks, "networks whose mean counts")
	fl.IntVar(&f.folds, "folds", 0, "folds of databases to cross-validate over first; 0 for none")
	fl.StringVar(&f.licence, "licence", "", "licence of the data, for the card (default: unknown)")
	fl.StringVar(&f.out, "out", "", "file to write")
	markInputs(cmd, "data")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print the summary as JSON")
	require(cmd, "data", "out")
	return cmd
}

// check returns an error for a flag out of its range, or a file that cannot be written.
func (f *linkTrainFlags) check() error {
	if f.folds < 0 || f.folds == 1 {
		return fmt.Errorf("--folds %d: expected 2 or more, or 0 for none", f.folds)
	}
	return cmp.Or(inRange("epochs", f.options.Epochs, 1, 1000), inRange("networks", f.options.Networks, 1, linker.MaxNetworks), filecheck.Writable(f.out))
}

// linkTrain trains a linker on a data directory and writes it to --out.
func (a *app) linkTrain(ctx context.Context, f *linkTrainFlags) (*linker.Made, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	f.options.Seed = a.seed
	units, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	r := &linker.Recipe{
		Data: f.data, Split: f.split, Licence: f.licence, Options: f.options, Folds: f.folds, Lexicon: lexicon, Workers: a.workers,
		Start: a.starting("train"), Report: a.report,
	}
	return r.Make(ctx, units, f.out)
}

// linkCardCmd returns the command link card.
func (a *app) linkCardCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "card [FILE]",
		Short:   "Print what a trained linker was made from",
		Long:    "card prints the card of a linker that link train wrote; without FILE, that of the embedded one.",
		Example: "  tabperturb link card\n  tabperturb link card linker.bin",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := trainedLinker
			if len(args) > 0 {
				name = args[0]
			}
			m, err := openLinker(name)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.stdout, m.Card)
			return err
		},
	}
}
