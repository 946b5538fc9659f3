package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
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

// prediction is what predict prints.
type prediction struct {
	Victim     string       `json:"victim"`
	Questions  int          `json:"questions"`
	Prompts    int          `json:"prompts"` // distinct ones
	Answered   int          `json:"answered"`
	Unanswered int          `json:"unanswered"`
	Asked      *chat.Counts `json:"asked,omitempty"`
	Cost       *float64     `json:"cost,omitempty"`
	Repeats    int          `json:"repeats,omitempty"`
	Agreeing   *float64     `json:"agreeing,omitempty"` // share of the answered questions that have the same SQL each time
	Out        []string     `json:"out"`

	distinct int // prompts
	answers  map[askedAbout]*answered
}

func (a *app) predictCmd() *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Ask a model for the SQL of a data directory or a build",
		Long: `predict asks a model, the victim, about each question of --data, or of both sides of each
perturbation of --build. Victims are

  openai:URL     a model behind an OpenAI-compatible endpoint, --model NAME, its key in
                 $` + apiKey + `, which is written nowhere
  exec:COMMAND   a command that reads a JSON object a line, {"id", "db_id", "question",
                 "evidence", "schema", "prompt"}, and writes {"id", "sql"} or {"id", "text"}
                 a line, in any order
  linker[:FILE]  the embedded schema linker, or one that link train wrote: it says which
                 tables and columns the SQL uses, for eval link

A prompt is a template (--template; --show-prompt prints one). SQL is taken out of answers: out
of code fences, from among explanations. Each distinct prompt is asked once, and its answer
is in the file --record before it is used: a run that was interrupted goes on where it
stopped, and one that is repeated asks nothing.

--out is a file with one SQL a line, as eval takes it; of --build a folder whose pre and post
eval robustness takes. A question without an answer has an empty line and is named.
--prompts writes the prompts for inference elsewhere; --answers takes the answers back.`,
		Example: "  tabperturb predict --data spider --victim openai:http://localhost:8080 --model qwen --out pred.sql\n" +
			"  tabperturb predict --build benchmark --victim 'exec:python3 infer.py' --out answers\n" +
			"  tabperturb predict --data spider --show-prompt\n" +
			"  tabperturb predict --data spider --prompts prompts.jsonl",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runPredict(cmd.Context(), &f) },
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
	writes(cmd, "prompts", "out") // and the record of its victim
	a.jsonFlag(cmd, "print the summary as JSON")
	cmd.MarkFlagsOneRequired("data", "build")
	cmd.MarkFlagsMutuallyExclusive("data", "build")
	return cmd
}

// questioned is a data directory with the file that its predictions go to.
type questioned struct {
	dir, split string
	out        string
	perturbed  string // the name of the perturbation, with pre or post before it; empty for --data
}

// sides returns what is asked about.
func (f *predictFlags) sides(ending string) ([]questioned, error) {
	if f.build == "" {
		if len(f.perturb) > 0 {
			return nil, errors.New("--perturb: is of a build, expected --build with it")
		}
		return []questioned{{dir: f.data, split: f.split, out: f.out}}, nil
	}
	split, built, err := readBuild(f.build, f.perturb)
	if err == nil && !f.isLinker() {
		err = needDatabases(f.build, built) // prompts show rows
	}
	if err != nil {
		return nil, err
	}
	var all []questioned
	for _, r := range built {
		name := filepath.FromSlash(r.Name)
		for _, which := range []string{"pre", "post"} {
			all = append(all, questioned{filepath.Join(f.build, name, which), split, filepath.Join(f.out, which, name+ending), which + "/" + r.Name})
		}
	}
	return all, nil
}

func (f *predictFlags) check() error {
	modes := 0
	for _, given := range []bool{f.show, f.prompts != "", f.answers != "", f.victim != ""} {
		if given {
			modes++
		}
	}
	switch {
	case modes != 1:
		return errors.New("expected one of --victim, --answers, --prompts and --show-prompt")
	case f.dryRun && f.victim == "":
		return errors.New("--dry-run: counts what a model would be asked, expected --victim with it")
	case f.repeat > 1 && f.victim == "":
		return errors.New("--repeat: asks a model again, expected --victim with it")
	case f.repeat < 1 || f.repeat > 1000:
		return fmt.Errorf("--repeat %d: expected 1 to 1000", f.repeat)
	case f.show:
		return nil
	case f.prompts != "":
		return checkOut(f.prompts)
	case f.out == "" && !f.dryRun:
		return errors.New("--out is empty, expected a file to write, of --build a folder")
	case f.build == "" && !f.dryRun:
		if err := checkOut(f.out); err != nil {
			return err
		}
	}
	return distinct(f.out, f.recordPath(f.out))
}

func (a *app) runPredict(ctx context.Context, f *predictFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.text != "" {
		if err := f.checkPart(); err != nil {
			return err
		}
	}
	if f.isLinker() {
		return a.predictItems(ctx, f)
	}
	text := victim.DefaultTemplate
	if f.template != "" {
		data, err := os.ReadFile(f.template)
		if err != nil {
			return err
		}
		text = string(data)
	}
	t, err := victim.ParseTemplate(filepath.Base(f.template), text)
	if err != nil {
		return fmt.Errorf("--template: %w", err)
	}
	sides, err := f.sides(".sql")
	if err != nil {
		return err
	}
	switch {
	case f.show:
		return a.showPrompt(ctx, sides[0], t)
	case f.prompts != "":
		return a.writePrompts(ctx, f.prompts, sides, t)
	}
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	if !share.All() {
		return a.predictPart(ctx, f, sides, t, share)
	}
	p, err := a.predict(ctx, f, sides, t)
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.printDryRun(*p.Asked)
	}
	return a.print(p, p.write)
}

// eachPrompt calls each with the units of sides and the prompts of their questions.
func (a *app) eachPrompt(ctx context.Context, s questioned, t *template.Template, each func(u *dataset.Unit, prompts []*victim.Prompt) error) error {
	units, err := a.readUnits(s.dir, s.split)
	if err != nil {
		return err
	}
	for _, u := range units {
		prompts, err := victim.Prompts(ctx, u, t)
		if err != nil {
			return fmt.Errorf("%s: %w", u.DB.ID, err)
		}
		if err := each(u, prompts); err != nil {
			return err
		}
	}
	return nil
}

var errShown = errors.New("shown")

func (a *app) showPrompt(ctx context.Context, s questioned, t *template.Template) error {
	err := a.eachPrompt(ctx, s, t, func(_ *dataset.Unit, prompts []*victim.Prompt) error {
		if _, err := fmt.Fprint(a.stdout, prompts[0].Text); err != nil {
			return err
		}
		return errShown
	})
	if errors.Is(err, errShown) {
		return nil
	}
	return err
}

func (a *app) writePrompts(ctx context.Context, path string, sides []questioned, t *template.Template) error {
	n := 0
	err := outdir.WriteFile(path, func(w io.Writer) error {
		out := victim.NewPromptWriter(w)
		for _, s := range sides {
			err := a.eachPrompt(ctx, s, t, func(_ *dataset.Unit, prompts []*victim.Prompt) error {
				for _, p := range prompts {
					if err := out.Write(p); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		n = out.Len()
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "wrote %s, %d distinct prompts\n", path, n)
	return err
}

func (p *prediction) write(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d questions, %d distinct prompts: %d answered, %d not\n", p.Victim, p.Questions, p.Prompts, p.Answered, p.Unanswered)
	if p.Asked != nil {
		fmt.Fprintln(w, spent(p.Asked))
	}
	if p.Cost != nil {
		fmt.Fprintf(w, "cost: %.4f\n", *p.Cost)
	}
	if p.Agreeing != nil {
		fmt.Fprintf(w, "asked %d times: %.1f%% of those that were answered have the same SQL each time\n", p.Repeats, 100**p.Agreeing)
	}
	_, err := fmt.Fprintln(w, "wrote "+strings.Join(p.Out, " "))
	return err
}

// predictItems has a linker answer: what it writes is for eval link.
func (a *app) predictItems(ctx context.Context, f *predictFlags) error {
	if f.repeat > 1 || f.dryRun || f.record != "" {
		return errors.New("--victim linker: answers the same each time and at once, expected no --repeat, --dry-run and --record")
	}
	sides, err := f.sides(".jsonl")
	if err != nil {
		return err
	}
	p := &prediction{Victim: f.victim}
	for _, s := range sides {
		if err := os.MkdirAll(filepath.Dir(s.out), 0o777); err != nil {
			return err
		}
		sum, err := a.linkItems(ctx, &linkFlags{data: s.dir, split: s.split, linker: f.linkerName(), out: s.out})
		if err != nil {
			return err
		}
		p.Questions += sum.Questions
		p.Out = append(p.Out, s.out)
	}
	p.Answered = p.Questions
	return a.print(p, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d questions\nwrote %s\n", p.Victim, p.Questions, strings.Join(p.Out, " "))
		return err
	})
}
