package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
)

type linkTrainFlags struct {
	data, split, out, licence string
	options                   linker.Options
	folds                     int
}

// trained is what link train prints.
type trained struct {
	Questions int          `json:"questions"`
	Databases int          `json:"databases"`
	Folds     []linker.Row `json:"folds,omitempty"`
	Bytes     int          `json:"bytes"`
	Out       string       `json:"out"`
}

func (a *app) linkTrainCmd() *cobra.Command {
	f := linkTrainFlags{options: linker.DefaultOptions()}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a schema linker from a data directory or a mix",
		Long: `train makes a linker that says of each table and column how likely the gold SQL of a
question uses it. It learns from the gold SQL of a data directory, such as mix writes, and
from the cells of its databases. Everything is deterministic: the same data, flags and seed
give the same file. The card of a linker, which link card prints, says what it was made from.

With --folds, it first says what linkers reach on databases that they have not seen: each
is trained on all folds of the databases but one and asked about that. Databases that were
perturbed from one are in its fold, and count as one with it.`,
		Example: "  tabperturb link train --data spider --split train --out linker.bin\n" +
			"  tabperturb link train --data mixed --split train --folds 4 --out linker.bin",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := a.linkTrain(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.print(t, func(w io.Writer) error {
				if len(t.Folds) > 0 {
					if err := linker.WriteTable(w, t.Folds); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintf(w, "%d questions on %d databases\nwrote %s, %d bytes\n", t.Questions, t.Databases, t.Out, t.Bytes)
				return err
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "data directory")
	fl.StringVar(&f.split, "split", "train", "which SPLIT.json of it")
	fl.IntVar(&f.options.Epochs, "epochs", f.options.Epochs, "how often each question is seen")
	fl.IntVar(&f.options.Networks, "networks", f.options.Networks, "networks whose mean counts")
	fl.IntVar(&f.folds, "folds", 0, "folds of databases to cross-validate over first; 0 for none")
	fl.StringVar(&f.licence, "licence", "", "licence of the data, for the card (default: unknown)")
	fl.StringVar(&f.out, "out", "", "file to write")
	writes(cmd, "out")
	a.jsonFlag(cmd, "print the summary as JSON")
	require(cmd, "data", "out")
	return cmd
}

func (f *linkTrainFlags) check() error {
	switch o := f.options; {
	case o.Epochs < 1 || o.Epochs > 1000:
		return fmt.Errorf("--epochs %d: expected 1 to 1000", o.Epochs)
	case o.Networks < 1 || o.Networks > linker.MaxNetworks:
		return fmt.Errorf("--networks %d: expected 1 to %d", o.Networks, linker.MaxNetworks)
	case f.folds < 0 || f.folds == 1:
		return fmt.Errorf("--folds %d: expected 2 or more, or 0 for none", f.folds)
	}
	return checkOut(f.out)
}

func (a *app) linkTrain(ctx context.Context, f *linkTrainFlags) (*trained, error) {
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
	examples, err := linker.Prepare(ctx, units, lexicon, a.workers, a.report)
	if err != nil {
		return nil, err
	}
	if len(examples) == 0 {
		return nil, fmt.Errorf("%s: has no gold SQL to learn from in its split %s, expected some", f.data, f.split)
	}
	t := &trained{Questions: len(examples), Databases: linker.Originals(examples), Out: f.out}
	epochs := f.options.Epochs * f.options.Networks
	step, done := a.start("train", epochs*(1+f.folds))
	defer done()
	if f.folds > 0 {
		if t.Folds, err = linker.CrossValidate(ctx, examples, f.options, f.folds, step); err != nil {
			return nil, err
		}
	}
	model, err := linker.Train(ctx, examples, f.options, step)
	if err != nil {
		return nil, err
	}
	model.Card = f.card(t)
	data, err := model.Encode()
	if err != nil {
		return nil, err
	}
	t.Bytes = len(data)
	return t, outdir.WriteFile(f.out, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// card says what a linker was made from, without paths of the machine.
func (f *linkTrainFlags) card(t *trained) string {
	var b strings.Builder
	licence := f.licence
	if licence == "" {
		licence = "unknown"
	}
	fmt.Fprintf(&b, "# A schema linker of tabperturb\n\nTrained on %d questions over %d databases: the split %s of %s.\nLicence of the data: %s.\n\n",
		t.Questions, t.Databases, f.split, filepath.Base(filepath.Clean(f.data)), licence)
	fmt.Fprintf(&b, "Seed %d, %d epochs, %d networks. For a question and a schema it gives the probability that\nthe gold SQL uses each table and column. It holds words that several questions or databases\nhave, and network weights; no question and no cell.\n",
		f.options.Seed, f.options.Epochs, f.options.Networks)
	if len(t.Folds) > 0 {
		fmt.Fprintf(&b, "\nOn databases that it had not seen (%d folds):\n\n", f.folds)
		_ = linker.WriteTable(&b, t.Folds)
	}
	return b.String()
}

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
