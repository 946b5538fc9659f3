package command

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/recording"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

// victimFlags holds the flags for the model that answers questions.
type victimFlags struct {
	modelFlags
	victim, api, template        string
	concurrency, retries         int
	timeout                      time.Duration
	temperature                  float64
	maxTokens                    int
	promptPrice, completionPrice float64 // of a million tokens
}

// The values of --victim: two prefixes, and the name of a linker.
const (
	victimEndpoint = "openai:"
	victimCommand  = "exec:"
	victimLinker   = "linker"
)

// flags adds the flags for the victim, its prompts, its record and its limits to a command.
func (v *victimFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&v.victim, "victim", "", "who answers: openai:URL, exec:COMMAND, linker or linker:FILE")
	fl.StringVar(&v.api, "api", "chat", "form of the endpoint: chat or completions")
	fl.StringVar(&v.template, "template", "", "file with the prompt's template, of Go's text/template over .Schema, .Question, .Evidence, .Before, .DB and .Links (of the gold SQL)")
	fl.StringVar(&v.model, "model", "", "model of the endpoint; of a command a name that its recorded answers are kept by")
	fl.StringVar(&v.record, "record", "", "file of recorded answers (default: beside --out, with .record.jsonl behind)")
	fl.IntVar(&v.limit, "limit", 0, "most requests of this run; what is recorded counts for nothing; 0 for any number")
	fl.BoolVar(&v.dryRun, "dry-run", false, "print what would be asked and about how many tokens; ask and write nothing")
	fl.IntVar(&v.concurrency, "concurrency", chat.DefaultConcurrency, "requests at once")
	fl.IntVar(&v.retries, "retries", chat.DefaultRetries, "how often a request is repeated that met a busy or failing endpoint; 0 for none")
	fl.DurationVar(&v.timeout, "timeout", answerTimeout, "time limit of an answer")
	fl.Float64Var(&v.temperature, "temperature", 0, "temperature of the endpoint's model")
	fl.IntVar(&v.maxTokens, "max-tokens", 1024, "most tokens of an answer")
	fl.Float64Var(&v.promptPrice, "price-prompt", 0, "price of a million tokens of prompts, to tell the cost")
	fl.Float64Var(&v.completionPrice, "price-completion", 0, "price of a million tokens of answers")
	markInputs(cmd, "victim", "template")
	markOutputs(cmd, "record")
	_ = cmd.RegisterFlagCompletionFunc("api", cobra.FixedCompletions([]string{"chat", "completions"}, cobra.ShellCompDirectiveNoFileComp))
}

// isLinker reports whether the victim is a linker, not a model that writes SQL.
func (v *victimFlags) isLinker() bool {
	return v.victim == victimLinker || strings.HasPrefix(v.victim, victimLinker+":")
}

// linkerName returns the linker of a victim linker or linker:FILE, as a value of --linker: the name of the embedded one, or FILE.
func (v *victimFlags) linkerName() string {
	if _, file, ok := strings.Cut(v.victim, ":"); ok {
		return file
	}
	return trainedLinker
}

// shownVictim returns the victim for output, without its URL or command line, which may hold keys.
func (v *victimFlags) shownVictim() string {
	switch {
	case v.victim == "": // --answers
		return "answers"
	case strings.HasPrefix(v.victim, victimEndpoint):
		return "model " + v.model
	}
	return "command"
}

// cost returns the price of all tokens; nil without prices.
func (v *victimFlags) cost(n chat.Counts) *float64 {
	if v.promptPrice == 0 && v.completionPrice == 0 {
		return nil
	}
	cost := (float64(n.Prompt)*v.promptPrice + float64(n.Completion)*v.completionPrice) / 1e6
	return &cost
}

// askedVictim is an open victim; command is nil for an endpoint.
type askedVictim struct {
	victim.Asking
	command *victim.Command
}

// close ends the command and closes the record.
func (v *askedVictim) close() error {
	if v.command != nil {
		v.command.Close()
	}
	return v.Client.Record.Close()
}

// checkVictim returns an error for a flag out of its range.
func (v *victimFlags) checkVictim() error {
	if err := cmp.Or(atLeast("limit", v.limit, 0), inRange("concurrency", v.concurrency, 1, 256), atLeast("retries", v.retries, 0)); err != nil {
		return err
	}
	switch {
	case v.timeout <= 0:
		return fmt.Errorf("--timeout %v: expected more than 0", v.timeout)
	case v.maxTokens < 1, min(v.temperature, v.promptPrice, v.completionPrice) < 0:
		return errors.New("--max-tokens, --temperature, --price-prompt, --price-completion: expected none below 0, and 1 token or more")
	}
	return oneOf("api", v.api, "chat", "completions")
}

// open opens a victim that writes SQL, an endpoint or a command, and the record of its answers, by default next to out. In a
// dry run only the record answers. The caller must close it.
func (v *victimFlags) open(a *app, out string) (*askedVictim, error) {
	if err := v.checkVictim(); err != nil {
		return nil, err
	}
	asked := &askedVictim{Asking: victim.Asking{Temperature: v.temperature, MaxTokens: v.maxTokens, Concurrency: v.concurrency}}
	asked.Client = &chat.Client{Model: v.model}
	switch url, isURL := strings.CutPrefix(v.victim, victimEndpoint); {
	case isURL:
		retries := cmp.Or(v.retries, -1) // 0 would be the default of an endpoint
		e, err := checkEndpoint("victim", &chat.Endpoint{URL: url, Model: v.model, Plain: v.api == "completions", Timeout: v.timeout, Retries: retries, Concurrency: v.concurrency})
		if err != nil {
			return nil, err
		}
		asked.Client.Endpoint = e
	case strings.HasPrefix(v.victim, victimCommand) && len(v.victim) > len(victimCommand):
		asked.command = &victim.Command{Line: v.victim[len(victimCommand):], Timeout: v.timeout, Concurrency: v.concurrency}
		asked.Client.Endpoint, asked.Objects = asked.command, true // a command reads prompts as JSON objects, not as text
		if v.model == "" {
			// A line may hold keys, which no record should.
			key := recording.Hash(v.victim)
			asked.Client.Model = "command " + hex.EncodeToString(key[:8])
		}
	default:
		return nil, fmt.Errorf("--victim %q: expected openai:URL, exec:COMMAND, linker or linker:FILE", v.victim)
	}
	record, err := v.openRecord(a, v.recordPath(out), true)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	asked.Client.Record = record
	if v.dryRun {
		asked.Client.Endpoint = nil
	}
	return asked, nil
}

// readTemplate parses the template of prompts, that of --template or the default one. Messages use its name.
func (v *victimFlags) readTemplate(name string) (*template.Template, error) {
	text := victim.DefaultTemplate
	if v.template != "" {
		data, err := os.ReadFile(v.template)
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	t, err := victim.ParseTemplate(name, text)
	if err != nil {
		return nil, fmt.Errorf("--template: %w", err)
	}
	return t, nil
}

// recordPath returns the path of the recorded answers, by default next to the output.
func (v *victimFlags) recordPath(out string) string {
	if v.record != "" {
		return v.record
	}
	return filepath.Clean(out) + ".record.jsonl"
}

// reportVictim prints notes on the lines of a command that are no answers, and on prompts that were not asked because of --limit.
func (a *app) reportVictim(v *askedVictim) {
	if v.command != nil {
		if n := v.command.Babble(); n > 0 {
			a.warn(fmt.Errorf("--victim: the command wrote %d lines that answer no request, expected {\"id\", \"sql\"} a line", n))
		}
	}
	if n := v.Client.Record.Counts().Left; n > 0 {
		a.warn(fmt.Errorf("--limit: %d prompts were not asked; the same command goes on with them", n))
	}
}
