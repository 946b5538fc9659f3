package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/predict"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

type predictFlags struct {
	data, split, build string
	perturb            []string
	victimFlags
	prompts, answers string
	show             bool
	out              string
	repeat           int
	resume           bool
	sharded
}

// predictCmd returns the command predict.
func (a *app) predictCmd() *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:     "predict",
		Short:   "Ask a model for the SQL of a data directory or a build",
		Long:    help("predict", apiKey),
		Example: examples("predict"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runPredict(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "data directory")
	fl.StringVar(&f.split, "split", "dev", "which SPLIT.json of it")
	fl.StringVar(&f.build, "build", "", "folder that build wrote")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	f.victimFlags.flags(cmd)
	fl.BoolVar(&f.show, "show-prompt", false, "print the prompt of the first question, and ask nothing")
	fl.StringVar(&f.prompts, "prompts", "", "file to write each distinct prompt to, and ask nothing")
	fl.StringVar(&f.answers, "answers", "", `file of answers to --prompts, {"id", "sql"} or {"id", "text"} a line, instead of --victim`)
	fl.IntVar(&f.repeat, "repeat", 1, "how often each prompt is asked, by other seeds; says how often the answers agree")
	fl.StringVar(&f.out, "out", "", "file to write, of --build a folder")
	f.sharded.flag(cmd)
	fl.BoolVar(&f.resume, "resume", false, "keep a part that --shard left and that is whole; what is recorded is never asked again")
	markInputs(cmd, "data", "build", "answers")
	markOutputs(cmd, "prompts", "out") // and the record of its victim
	a.jsonFlag(cmd, "print the summary as JSON")
	cmd.MarkFlagsOneRequired("data", "build")
	cmd.MarkFlagsMutuallyExclusive("data", "build")
	return cmd
}

// sides returns the data directories whose questions are asked: --data, or the directories pre and post of each perturbation of
// --build. The predictions for NAME/post go to OUT/post/NAME with the ending, likewise for pre.
func (f *predictFlags) sides(ending string) ([]predict.Side, error) {
	if f.build == "" {
		if len(f.perturb) > 0 {
			return nil, errors.New("--perturb: is of a build, expected --build with it")
		}
		return []predict.Side{{Dir: f.data, Split: f.split, Out: f.out}}, nil
	}
	split, built, err := benchmark.ReadResults(f.build, f.perturb)
	if err == nil && !f.isLinker() {
		err = benchmark.CheckDatabases(f.build, built) // prompts show rows
	}
	if err != nil {
		return nil, err
	}
	var all []predict.Side
	for _, r := range built {
		name := filepath.FromSlash(r.Name)
		for _, which := range []string{"pre", "post"} {
			all = append(all, predict.Side{
				Dir: filepath.Join(f.build, name, which), Split: split,
				Out: filepath.Join(f.out, which, name+ending), Name: which + "/" + r.Name,
			})
		}
	}
	return all, nil
}

// check returns an error if flags do not fit together or an output cannot be written.
func (f *predictFlags) check() error {
	modes := lists.Count([]bool{f.show, f.prompts != "", f.answers != "", f.victim != ""}, func(given bool) bool { return given })
	switch {
	case modes != 1:
		return errors.New("expected one of --victim, --answers, --prompts and --show-prompt")
	case f.dryRun && f.victim == "":
		return errors.New("--dry-run: counts what a model would be asked, expected --victim with it")
	case f.repeat > 1 && f.victim == "":
		return errors.New("--repeat: asks a model again, expected --victim with it")
	case f.repeat < 1, f.repeat > 1000:
		return fmt.Errorf("--repeat %d: expected 1 to 1000", f.repeat)
	case f.show:
		return nil
	case f.prompts != "":
		return filecheck.Writable(f.prompts)
	case f.out == "" && !f.dryRun:
		return errors.New("--out is empty, expected a file to write, of --build a folder")
	case f.build == "" && !f.dryRun: // one file
		if err := filecheck.Writable(f.out); err != nil {
			return err
		}
	}
	return filecheck.Distinct(f.out, f.recordPath(f.out))
}

// checkShare returns an error if a flag cannot be combined with --shard.
func (f *predictFlags) checkShare() error {
	switch {
	case f.shard == "":
		return nil
	case f.victim == "", f.isLinker():
		return errors.New("--shard: divides what a model is asked, expected --victim openai:URL or exec:COMMAND with it")
	case f.dryRun, f.limit > 0:
		return errors.New("--shard: a share asks all of its prompts, expected no --dry-run and --limit")
	case f.record != "":
		return errors.New("--shard: each share records beside its part, expected no --record")
	}
	return nil
}

// runPredict prints the first prompt with --show-prompt, and writes all of them with --prompts. Otherwise a linker, a model or
// the file of --answers answers, and the predictions are written.
func (a *app) runPredict(ctx context.Context, f *predictFlags) error {
	if err := cmp.Or(f.check(), f.checkShare()); err != nil {
		return err
	}
	if f.isLinker() {
		return a.predictItems(ctx, f)
	}
	t, err := f.readTemplate(filepath.Base(f.template)) // the name for messages
	if err != nil {
		return err
	}
	c := &predict.Config{
		Template: t, Seed: a.seed, Rounds: f.repeat, DryRun: f.dryRun,
		Units: a.readUnits, Skip: a.skip, Note: a.warn, Start: a.start,
	}
	if c.Sides, err = f.sides(".sql"); err != nil {
		return err
	}
	switch {
	case f.show:
		text, err := c.FirstPrompt(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(a.stdout, text)
		return err
	case f.prompts != "":
		n, err := c.WritePrompts(ctx, f.prompts)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "wrote %s, %s\n", f.prompts, table.Count(n, "distinct prompt"))
		return a.printNext(a.stdout, f.takeAnswers())
	}
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	if !share.All() {
		return a.predictPart(ctx, f, c, share)
	}
	return a.predict(ctx, f, c)
}

// predict asks the victim, or takes the answers of --answers, writes the predictions and prints the summary. A dry run only prints
// the counts of requests.
func (a *app) predict(ctx context.Context, f *predictFlags, c *predict.Config) (err error) {
	var asked *askedVictim
	if f.answers != "" {
		c.Answers, err = victim.ReadAnswers(f.answers, a.skip)
	} else if asked, err = f.victimFlags.open(a, f.out); err == nil {
		c.Asking = &asked.Asking
		defer func() { err = errors.Join(err, asked.close()) }()
	}
	if err != nil {
		return err
	}
	s, err := predict.Run(ctx, c)
	if err != nil {
		return victimError(err)
	}
	s.Victim = f.shownVictim()
	if asked != nil {
		counts := asked.Client.Record.Counts()
		s.Asked, s.Cost = &counts, f.cost(counts)
		a.reportVictim(asked)
	}
	if f.dryRun {
		return a.printDryRun(*s.Asked)
	}
	if err := s.CheckAnswered(f.out); err != nil {
		return err
	}
	return a.print(s, func(w io.Writer) error {
		if err := s.WriteText(w); err != nil {
			return err
		}
		return a.printNext(w, f.score(c.Sides)...)
	})
}

// takeAnswers suggests the command that reads the answers of a model to the prompts that --prompts wrote.
func (f *predictFlags) takeAnswers() suggestion {
	args := append([]string{"predict", "--data", f.data}, splitFlag(f.split)...)
	out := "predictions.sql"
	if f.build != "" {
		args, out = append([]string{"predict", "--build", f.build}, f.perturbFlag()...), "predictions"
	}
	return suggest(`once a model has answered: {"id", "text"} a line`, append(args, "--answers", "answers.jsonl", "--out", out)...)
}

// score suggests the command that scores the predictions for a build. If a side has none, it suggests the command that writes all prompts
// where answers are read from a file, and nothing where a model is asked. For a data directory it suggests nothing.
func (f *predictFlags) score(sides []predict.Side) []suggestion {
	if f.build == "" {
		return nil
	}
	if slices.ContainsFunc(sides, func(s predict.Side) bool { return !exists(s.Out) }) {
		if f.answers == "" {
			return nil
		}
		args := append([]string{"predict", "--build", f.build}, f.perturbFlag()...)
		return []suggestion{suggest("write the prompts again: some perturbations have no answers", append(args, "--prompts", "prompts.jsonl")...)}
	}
	args := append([]string{"eval", "robustness", "--build", f.build}, f.perturbFlag()...)
	return []suggestion{suggest("score them", append(args, "--pred-pre", filepath.Join(f.out, "pre"), "--pred-post", filepath.Join(f.out, "post"))...)}
}

// perturbFlag returns the flag --perturb, if it was given.
func (f *predictFlags) perturbFlag() []string {
	if len(f.perturb) == 0 {
		return nil
	}
	return []string{"--perturb", strings.Join(f.perturb, ",")}
}

// victimError returns an error of a run, with the flag --victim in front if it is that the model failed too often.
func victimError(err error) error {
	if errors.Is(err, chat.ErrGivenUp) {
		return fmt.Errorf("--victim: %w", err)
	}
	return err
}

// predictPart asks one share of the prompts and writes its part. [predict.PartOptions.Model] identifies what the answers depend on, so that
// parts by other models or settings are not merged.
func (a *app) predictPart(ctx context.Context, f *predictFlags, c *predict.Config, share outdir.Share) (err error) {
	asked, err := f.victimFlags.open(a, share.Path(f.out))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, asked.close()) }()
	c.Asking = &asked.Asking
	part, err := predict.MakePart(ctx, c, predict.PartOptions{
		Out: f.out, Share: share, Victim: f.shownVictim(), Resume: f.resume,
		Model: fmt.Sprintf("%s %v %d %d %v", asked.Client.Model, f.api, f.maxTokens, a.seed, f.temperature),
	})
	a.reportVictim(asked)
	return a.printPart(part, victimError(err), f.out, "", "prompt")
}

// mergePredictions writes the files of predictions from the answers of all parts.
func (a *app) mergePredictions(_ context.Context, f *merging, parts []*outdir.Part) error {
	return a.printResult(predict.Merge(f.out, parts, a.skip, a.warn))
}

// predictItems predicts schema items by a linker for each data directory, and writes them for eval link.
func (a *app) predictItems(ctx context.Context, f *predictFlags) error {
	if f.repeat > 1 || f.dryRun || f.record != "" {
		return errors.New("--victim linker: answers the same each time and at once, expected no --repeat, --dry-run and --record")
	}
	sides, err := f.sides(".jsonl")
	if err != nil {
		return err
	}
	p := &predict.Summary{Victim: f.victim}
	for _, s := range sides {
		if err := os.MkdirAll(filepath.Dir(s.Out), 0o777); err != nil {
			return err
		}
		sum, err := a.linkItems(ctx, &linkFlags{data: s.Dir, split: s.Split, linker: f.linkerName(), out: s.Out})
		if err != nil {
			return err
		}
		p.Questions += sum.Questions
		p.Out = append(p.Out, s.Out)
	}
	p.Answered = p.Questions
	return a.printText(p, "%s: %d questions\nwrote %s\n", p.Victim, p.Questions, strings.Join(p.Out, " "))
}
