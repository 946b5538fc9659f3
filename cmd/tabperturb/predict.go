package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/chat"
	"github.com/tabperturb/tabperturb/internal/outdir"
	"github.com/tabperturb/tabperturb/internal/victim"
)

type predictFlags struct {
	data, split, build string
	perturb            []string
	victimFlags
	prompts, answers string
	show             bool
	out              string
	repeat           int
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
	writes(cmd, "prompts", "out")
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
	case f.repeat < 1 || f.repeat > 1000:
		return fmt.Errorf("--repeat %d: expected 1 to 1000", f.repeat)
	case f.show:
		return nil
	case f.prompts != "":
		return checkOut(f.prompts)
	case f.out == "" && !f.dryRun:
		return errors.New("--out is empty, expected a file to write, of --build a folder")
	case f.build == "" && !f.dryRun:
		return checkOut(f.out)
	}
	return nil
}

func (a *app) runPredict(ctx context.Context, f *predictFlags) error {
	if err := f.check(); err != nil {
		return err
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

// answerer answers prompts: a model, or a file.
type answerer interface {
	All(ctx context.Context, prompts []*victim.Prompt, each func(i int, answer string, err error) error) error
}

// filed are answers of a file.
type filed map[string]string

func (f filed) All(ctx context.Context, prompts []*victim.Prompt, each func(int, string, error) error) error {
	for i, p := range prompts {
		answer, ok := f[p.ID]
		var err error
		if !ok {
			err = fmt.Errorf("no answer to the prompt %s", p.ID)
		}
		if err := each(i, answer, err); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// predict asks about all sides, as often as wanted.
func (a *app) predict(ctx context.Context, f *predictFlags, sides []questioned, t *template.Template) (_ *prediction, err error) {
	p := &prediction{Victim: f.shownVictim()}
	var asked *askedVictim
	if f.answers == "" {
		if asked, err = f.victimFlags.open(a, f.out); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, asked.close()) }()
	}
	distinct := map[string]bool{}
	same := map[string]string{} // by side and question: the SQL of the first time; empty where others differ
	for k := range f.repeat {
		var who answerer
		if asked == nil {
			answers, err := victim.ReadAnswers(f.answers, a.skip)
			if err != nil {
				return nil, err
			}
			who = filed(answers)
		} else {
			asked.Seed = int32(a.seed) + int32(k)
			who = &asked.Asking
		}
		for _, s := range sides {
			if k > 0 {
				s.out = repeated(s.out, k+1)
			}
			lines, err := a.predictSide(ctx, s, t, who, p, distinct)
			if err != nil {
				return nil, err
			}
			if f.dryRun {
				continue
			}
			agree(same, s, k, lines)
			if err := writeLines(s.out, lines); err != nil {
				return nil, err
			}
			p.Out = append(p.Out, s.out)
		}
	}
	p.Prompts = len(distinct)
	if f.repeat > 1 {
		p.Repeats, p.Agreeing = f.repeat, share(same)
	}
	if asked != nil {
		counts := asked.Client.Record.Counts()
		p.Asked, p.Cost = &counts, f.cost(counts)
		a.tellVictim(asked)
	}
	return p, nil
}

// repeated is the name of the file of a later time.
func repeated(path string, k int) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(path, ext), k, ext)
}

func agree(same map[string]string, s questioned, k int, lines []string) {
	for i, sql := range lines {
		key := fmt.Sprint(s.dir, " ", i)
		switch first, ok := same[key]; {
		case k == 0:
			same[key] = sql
		case ok && first != sql:
			same[key] = ""
		}
	}
}

func share(same map[string]string) *float64 {
	n := 0
	for _, sql := range same {
		if sql != "" {
			n++
		}
	}
	v := float64(n) / float64(max(1, len(same)))
	return &v
}

// predictSide asks about the questions of a side. What is not answered is an empty line and
// is reported.
func (a *app) predictSide(ctx context.Context, s questioned, t *template.Template, who answerer, p *prediction, distinct map[string]bool) ([]string, error) {
	var lines []string
	var units []*dataset.Unit
	var all [][]*victim.Prompt
	n := 0
	err := a.eachPrompt(ctx, s, t, func(u *dataset.Unit, prompts []*victim.Prompt) error {
		units, all = append(units, u), append(all, prompts)
		n += len(prompts)
		return nil
	})
	if err != nil {
		return nil, err
	}
	step, done := a.start("predict "+s.perturbed, n)
	defer done()
	for k, u := range units {
		for _, prompt := range all[k] {
			distinct[prompt.ID] = true
		}
		failed := make([]error, len(all[k]))
		err := who.All(ctx, all[k], func(i int, answer string, err error) error {
			step()
			at := u.Examples[i].Index
			for len(lines) <= at {
				lines = append(lines, "")
			}
			p.Questions++
			if failed[i] = err; err == nil {
				p.Answered++
				lines[at] = victim.SQL(answer)
			} else {
				p.Unanswered++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, err := range failed {
			if err != nil && !chat.NotAsked(err) {
				a.skip(&dataset.RecordError{File: filepath.Join(s.dir, s.split), Record: u.Examples[i].Index + 1, Err: fmt.Errorf("%w; its line is empty", err)})
			}
		}
	}
	return lines, nil
}

func writeLines(path string, lines []string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return outdir.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(append(lines, ""), "\n"))
		return err
	})
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
		fmt.Fprintf(w, "asked %d times: %.1f%% of the questions have the same SQL each time\n", p.Repeats, 100**p.Agreeing)
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

// victimFlags say which model is asked, and how.
type victimFlags struct {
	victim, model, api string
	template           string
	record             string
	dryRun             bool
	limit              int
	concurrency        int
	retries            int
	timeout            time.Duration
	temperature        float64
	maxTokens          int
	promptPrice        float64
	completionPrice    float64
}

const (
	victimEndpoint = "openai:"
	victimCommand  = "exec:"
	victimLinker   = "linker"
)

func (v *victimFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&v.victim, "victim", "", "who answers: openai:URL, exec:COMMAND, linker or linker:FILE")
	fl.StringVar(&v.model, "model", "", "model of the endpoint; of a command a name that its recorded answers are kept by")
	fl.StringVar(&v.api, "api", "chat", "form of the endpoint: chat or completions")
	fl.StringVar(&v.template, "template", "", "file with the prompt's template, of Go's text/template over .Schema, .Question, .Evidence, .Before and .DB")
	fl.StringVar(&v.record, "record", "", "file of recorded answers (default: beside --out, with .record.jsonl behind)")
	fl.BoolVar(&v.dryRun, "dry-run", false, "print what would be asked and about how many tokens; ask and write nothing")
	fl.IntVar(&v.limit, "limit", 0, "most requests of this run; what is recorded counts for nothing; 0 for any number")
	fl.IntVar(&v.concurrency, "concurrency", chat.DefaultConcurrency, "requests at once")
	fl.IntVar(&v.retries, "retries", chat.DefaultRetries, "how often a request is repeated that met a busy or failing endpoint; 0 for none")
	fl.DurationVar(&v.timeout, "timeout", answerTime, "time limit of an answer")
	fl.Float64Var(&v.temperature, "temperature", 0, "temperature of the endpoint's model")
	fl.IntVar(&v.maxTokens, "max-tokens", 1024, "most tokens of an answer")
	fl.Float64Var(&v.promptPrice, "price-prompt", 0, "price of a million tokens of prompts, to tell the cost")
	fl.Float64Var(&v.completionPrice, "price-completion", 0, "price of a million tokens of answers")
	_ = cmd.RegisterFlagCompletionFunc("api", cobra.FixedCompletions([]string{"chat", "completions"}, cobra.ShellCompDirectiveNoFileComp))
}

func (v *victimFlags) isLinker() bool {
	return v.victim == victimLinker || strings.HasPrefix(v.victim, victimLinker+":")
}

// linkerName is the linker as --linker has it.
func (v *victimFlags) linkerName() string {
	if _, file, ok := strings.Cut(v.victim, ":"); ok {
		return file
	}
	return trainedLinker
}

// shownVictim is the victim without a password.
func (v *victimFlags) shownVictim() string {
	switch {
	case v.victim == "":
		return "answers"
	case strings.HasPrefix(v.victim, victimEndpoint):
		return "model " + v.model
	}
	return "command"
}

func (v *victimFlags) cost(n chat.Counts) *float64 {
	if v.promptPrice == 0 && v.completionPrice == 0 {
		return nil
	}
	cost := (float64(n.Prompt)*v.promptPrice + float64(n.Completion)*v.completionPrice) / 1e6
	return &cost
}

// askedVictim is a model that is asked, with what has to be closed.
type askedVictim struct {
	victim.Asking
	command *victim.Command
}

func (v *askedVictim) close() error {
	if v.command != nil {
		v.command.Close()
	}
	return v.Client.Record.Close()
}

func (v *victimFlags) checkVictim() error {
	switch {
	case v.limit < 0:
		return fmt.Errorf("--limit %d: expected 0 or more", v.limit)
	case v.concurrency < 1 || v.concurrency > 256:
		return fmt.Errorf("--concurrency %d: expected 1 to 256", v.concurrency)
	case v.retries < 0:
		return fmt.Errorf("--retries %d: expected 0 or more", v.retries)
	case v.timeout <= 0:
		return fmt.Errorf("--timeout %v: expected more than 0", v.timeout)
	case v.api != "chat" && v.api != "completions":
		return fmt.Errorf("--api %q: expected chat or completions", v.api)
	case v.maxTokens < 1 || v.temperature < 0 || v.promptPrice < 0 || v.completionPrice < 0:
		return errors.New("--max-tokens, --temperature, --price-prompt, --price-completion: expected none below 0, and 1 token or more")
	}
	return nil
}

// open opens the victim and the record of its answers.
func (v *victimFlags) open(a *app, out string) (*askedVictim, error) {
	if err := v.checkVictim(); err != nil {
		return nil, err
	}
	asked := &askedVictim{Asking: victim.Asking{Temperature: v.temperature, MaxTokens: v.maxTokens, Concurrency: v.concurrency}}
	asked.Client = &chat.Client{Model: v.model}
	switch url, isURL := strings.CutPrefix(v.victim, victimEndpoint); {
	case isURL:
		retries := v.retries
		if retries == 0 {
			retries = -1
		}
		e := &chat.Endpoint{URL: url, Model: v.model, APIKey: os.Getenv(apiKey), Plain: v.api == "completions", Timeout: v.timeout, Retries: retries, Concurrency: v.concurrency}
		if err := e.Check(); err != nil {
			return nil, fmt.Errorf("--victim: %w", err)
		}
		asked.Client.Endpoint = e
	case strings.HasPrefix(v.victim, victimCommand) && len(v.victim) > len(victimCommand):
		asked.command = &victim.Command{Line: v.victim[len(victimCommand):], Timeout: v.timeout, Concurrency: v.concurrency}
		asked.Client.Endpoint, asked.Objects = asked.command, true
		if v.model == "" {
			asked.Client.Model = v.victim
		}
	default:
		return nil, fmt.Errorf("--victim %q: expected openai:URL, exec:COMMAND, linker or linker:FILE", v.victim)
	}
	path := v.record
	if path == "" {
		path = filepath.Clean(out) + ".record.jsonl"
	}
	record, err := openVictimRecord(a, path, v.dryRun)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	record.Limit = v.limit
	if asked.Client.Record = record; v.dryRun {
		asked.Client.Endpoint = nil
	}
	return asked, nil
}

// openVictimRecord opens a file of answers; a dry run writes none.
func openVictimRecord(a *app, path string, dryRun bool) (*chat.Record, error) {
	if !dryRun {
		if err := checkOut(path); err != nil {
			return nil, err
		}
		return chat.OpenRecord(path, a.skip)
	}
	record, err := chat.ReadRecord(path, a.skip)
	if errors.Is(err, fs.ErrNotExist) {
		return &chat.Record{}, nil
	}
	return record, err
}

// tellVictim tells of what a command wrote that is no answer, and of a limit.
func (a *app) tellVictim(v *askedVictim) {
	if v.command != nil {
		if n := v.command.Babble(); n > 0 {
			a.warn(fmt.Errorf("--victim: the command wrote %d lines that answer no request, expected {\"id\", \"sql\"} a line", n))
		}
	}
	if n := v.Client.Record.Counts().Left; n > 0 {
		a.warn(fmt.Errorf("--limit: %d prompts were not asked; the same command goes on with them", n))
	}
}
