package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/benchmark/baseline"
	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/internal/study/defence"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

type defendFlags struct {
	train, trainSplit string
	data, split       string
	buckets, names    []string
	masked, nli       string
	corpus            string
	builds, attacked  []string
	seeds, samples    int
	rounds, epochs    int
	weight            float64
	candidates        int
	plot              string
	databases         int // of train: the first ones; 0 for all
}

// defendCmd returns the command defend.
func (a *app) defendCmd() *cobra.Command {
	var f defendFlags
	cmd := &cobra.Command{
		Use:     "defend",
		Short:   "Train schema linkers on each augmentation, attack them, print who withstands",
		Long:    help("defend"),
		Example: examples("defend"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := a.defend(cmd.Context(), &f)
			if err != nil {
				return err
			}
			if err := a.print(t, t.Write); err != nil || f.plot == "" {
				return err
			}
			return outdir.WriteFile(f.plot, t.Plot)
		},
	}
	f.addFlags(a, cmd)
	return cmd
}

// addFlags adds the flags of defend to the command.
func (f *defendFlags) addFlags(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.train, "train", "", "data directory to train on")
	fl.StringVar(&f.trainSplit, "train-split", "train", "which SPLIT.json of it")
	a.dataFlags(cmd, &f.data, &f.split)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of CTA's names for the columns of --train (default: CTA finds them); repeatable or comma-separated")
	fl.StringSliceVar(&f.buckets, "train-names", nil, "the former name of --buckets")
	_ = fl.MarkDeprecated("train-names", "expected --buckets")
	fl.StringVar(&f.corpus, "corpus", "", "folder of a corpus that `corpus build` wrote, in which CTA finds names (default: the embedded statistics of some 26,000 tables, which any corpus adds to)")
	fl.StringSliceVar(&f.names, "names", nil, "files of names that attack --data, also ADVETA's own (default: CTA finds them); repeatable or comma-separated")
	fl.StringSliceVar(&f.builds, "builds", nil, "builds of --train to train on, as NAME=FOLDER, instead of the paper's sources; repeatable or comma-separated")
	fl.StringSliceVar(&f.attacked, "attacked", nil, "builds of --data to ask about, as NAME=FOLDER, instead of attacks on names; repeatable or comma-separated")
	maskedFlag(cmd, &f.masked)
	nliFlag(cmd, &f.nli)
	// The paper asks five perturbed versions. Linkers are trained for less time than the shipped one, as there are many.
	fl.IntVar(&f.seeds, "seeds", 5, "linkers of each training set")
	fl.IntVar(&f.samples, "samples", 5, "perturbed versions of each question that are asked")
	fl.IntVar(&f.rounds, "rounds", 2, "rounds of training against own attacks")
	fl.IntVar(&f.candidates, "candidates", 2, "versions of each question with names replaced, and as many with names added, of which own attacks take the worst")
	fl.IntVar(&f.epochs, "epochs", 2, "how often each example is seen")
	fl.Float64Var(&f.weight, "weight", .5, "how much an example beside the originals counts, above 0 to 1")
	fl.IntVar(&f.databases, "limit", 0, "use the first databases of --train only; 0 for all")
	fl.StringVar(&f.plot, "plot", "", "file to write a drawing to, SVG")
	markInputs(cmd, "train", "buckets", "train-names", "names", "corpus", "builds", "attacked")
	markOutputs(cmd, "plot")
	a.jsonFlag(cmd, "print as JSON")
	require(cmd, "train")
}

// check returns an error for a flag out of its range.
func (f *defendFlags) check() error {
	if !(f.weight > 0 && f.weight <= 1) {
		return fmt.Errorf("--weight %v: expected above 0 to 1", f.weight)
	}
	if f.corpus != "" && len(f.buckets) > 0 && len(f.names) > 0 {
		return errors.New("--corpus: CTA finds no names, expected it without --buckets or without --names")
	}
	const most = 1000 // more would take years
	return cmp.Or(inRange("seeds", f.seeds, 1, most), inRange("samples", f.samples, 1, most), inRange("rounds", f.rounds, 0, most),
		inRange("candidates", f.candidates, 1, most), inRange("epochs", f.epochs, 1, most), inRange("limit", f.databases, 0, most))
}

// defendMemory is the heap size in bytes above which garbage is collected sooner.
const defendMemory = 900 << 20

// defend opens what the comparison needs, finds names where none are given, and runs it.
func (a *app) defend(ctx context.Context, f *defendFlags) (_ *defence.Table, err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(defendMemory))
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := a.writable("plot", f.plot); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "tabperturb-defend-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	c := defence.Config{Seeds: f.seeds, Samples: f.samples, Rounds: f.rounds, Candidates: f.candidates, Seed: a.seed, Workers: a.workers, Report: a.report, Step: a.stepPrinter()}
	c.Options = linker.DefaultOptions()
	c.Options.Networks, c.Options.Epochs = 1, f.epochs // less training than link train, as there are many linkers
	c.Weight, c.Given = f.weight, f.given()
	if c.Train, err = a.readUnits(f.train, f.trainSplit); err != nil {
		return nil, err
	}
	if f.databases > 0 {
		c.Train = c.Train[:min(f.databases, len(c.Train))]
	}
	if c.Test, err = a.readUnits(f.data, f.split); err != nil {
		return nil, err
	}
	var res resources
	res.masked = f.masked
	var closer func() error
	if c.Resources, closer, err = res.open(ctx, a, c.Train, false, false); err != nil { // no model judges paraphrases or names
		return nil, err
	}
	defer func() { err = errors.Join(err, closer()) }()
	if c.Lexicon, c.Given.NLI, err = f.lexicon(); err != nil {
		return nil, err
	}
	c.Step("names")
	if err := a.addNames(ctx, f, &c, scratch); err != nil {
		return nil, err
	}
	return defence.Run(ctx, c)
}

// addNames adds the training sets and the attacks to the configuration. They are builds, or come from names: those of files,
// or those that CTA finds, which it writes to the folder scratch.
func (a *app) addNames(ctx context.Context, f *defendFlags, c *defence.Config, scratch string) (err error) {
	if c.Builds, err = namedBuilds("builds", f.builds); err != nil {
		return err
	}
	if c.Attacked, err = namedBuilds("attacked", f.attacked); err != nil {
		return err
	}
	if len(c.Builds) > 0 {
		c.Rounds = 0 // own attacks are on names
	} else if err := a.addSources(ctx, f, c, scratch); err != nil {
		return err
	}
	if len(c.Attacked) > 0 {
		return nil
	}
	attackNames := defaultCandidates()
	attackNames.nli, attackNames.corpus = f.nli, f.corpus
	attackNames.data, attackNames.split, attackNames.out = f.data, f.split, filepath.Join(scratch, "test.json")
	attack, err := a.namesFor(ctx, attackNames, f.names, c.Test)
	if err != nil {
		return err
	}
	c.Attacks = []defence.Source{
		{Name: "REPLACE", Perturbations: []*perturb.Perturbation{adveta.Replace}, Buckets: attack},
		{Name: "ADD", Perturbations: []*perturb.Perturbation{adveta.Add}, Buckets: attack},
	}
	return nil
}

// addSources adds the paper's sources of perturbed examples to train on.
func (a *app) addSources(ctx context.Context, f *defendFlags, c *defence.Config, scratch string) error {
	names, err := a.namesFor(ctx, f.trainingNames(filepath.Join(scratch, "train.json")), f.buckets, c.Train)
	if err != nil {
		return err
	}
	c.Sources = defences(names, f.masked != "")
	if f.masked == "" {
		c.Missing = []string{"BERT-Attack: not given a masked language model, --masked; it is left out."}
	}
	return nil
}

// namedBuilds parses the builds of a flag, NAME=FOLDER each.
func namedBuilds(flag string, values []string) ([]defence.Build, error) {
	return mapEach(values, func(value string) (b defence.Build, err error) {
		b.Name, b.Dir, _ = strings.Cut(value, "=")
		if b.Name == "" || b.Dir == "" {
			err = fmt.Errorf("--%s %q: expected NAME=FOLDER", flag, value)
		}
		return b, err
	})
}

// defences returns the sources of perturbed examples of the paper's table 5, BERT-Attack only with a masked model. CTA is the last:
// linkers are attacked with the last source in rounds of training against own attacks.
func defences(names dataset.Buckets, masked bool) []defence.Source {
	sources := []defence.Source{
		{Name: "W2V", Perturbations: []*perturb.Perturbation{baseline.W2V}},
		{Name: "TextFooler", Perturbations: []*perturb.Perturbation{baseline.TextFooler}},
	}
	if masked {
		sources = append(sources, defence.Source{Name: "BERT-Attack", Perturbations: []*perturb.Perturbation{baseline.BERTAttack}})
	}
	return append(sources,
		defence.Source{Name: "MAS", Perturbations: []*perturb.Perturbation{spidersyn.MultiAnnotation}},
		defence.Source{Name: "CTA", Perturbations: adveta.All, Buckets: names})
}

// trainingNames returns the flags by which CTA finds names to train on and writes them to the file scratch: by entailments
// alone and without a limit, as in the paper. Only a benchmark needs names that people accept; a model that is trained on
// these few learns less about the names that people write.
func (f *defendFlags) trainingNames(scratch string) candidatesFlags {
	c := defaultCandidates()
	c.data, c.split, c.out = f.train, f.trainSplit, scratch
	c.policy, c.limit = "paper", 0
	c.nli, c.corpus, c.databases = f.nli, f.corpus, f.databases
	return c
}

// given describes the inputs of the comparison for its table: files of names, or by default that CTA finds them.
func (f *defendFlags) given() defence.Given {
	found := "those that CTA finds"
	if f.corpus != "" {
		found += " in " + f.corpus
	}
	source := func(files []string) string { return cmp.Or(strings.Join(files, ", "), found) }
	return defence.Given{Names: source(f.buckets), Attack: source(f.names), NLI: f.nli, Masked: f.masked}
}

// lexicon returns the lexicon by which linkers compare words, and the key of the NLI model. A compact model brings its own
// lexicon; a transformer has none, so that the embedded one is used.
func (f *defendFlags) lexicon() (_ linker.Lexicon, key string, err error) {
	if !isCompact(f.nli) {
		l, err := linkLexicon()
		return l, f.nli, err
	}
	m, err := openCompact(f.nli, lexicon.Default())
	if err != nil {
		return nil, "", fmt.Errorf("--nli: %w", err)
	}
	return m.Extractor(), m.Key(), nil
}

// namesFor returns the names that files hold for the columns of units. Without files CTA finds them by the flags f and writes
// them to f.out.
func (a *app) namesFor(ctx context.Context, f candidatesFlags, files []string, units []*dataset.Unit) (dataset.Buckets, error) {
	if len(files) == 0 {
		if _, err := a.candidates(ctx, &f, nil); err != nil {
			return nil, err
		}
		files = []string{f.out}
	}
	buckets, _, err := benchmark.ReadBuckets(files, units, a.report)
	return buckets, err
}

// stepPrinter returns a function that prints a step of long work on standard error, if that is a terminal, with the seconds
// since stepPrinter was called.
func (a *app) stepPrinter() func(string) {
	begun := time.Now()
	return func(what string) {
		if a.terminal() {
			fmt.Fprintf(a.stderr, "%6.0f s  %s\n", time.Since(begun).Seconds(), what)
		}
	}
}
