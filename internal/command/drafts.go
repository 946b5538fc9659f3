package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/paraphrase"
)

// drafting holds the flags for the large model that drafts paraphrases.
type drafting struct {
	modelFlags
	paraphraser string // URL of the endpoint
	askAgain    bool
}

// flags adds the flags for the drafting model, its record and its limit to a command.
func (d *drafting) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&d.paraphraser, "paraphraser", "", "base URL of an OpenAI-compatible endpoint that drafts paraphrases beside the built-in rules, its key in $"+apiKey)
	fl.BoolVar(&d.askAgain, "ask-again", false, "ask the endpoint again where what it answered has no draft that can be used")
	fl.StringVar(&d.model, "model", "", "model of the endpoint")
	fl.StringVar(&d.record, "drafts", "", "file of recorded drafts: an endpoint's go there and are not asked for again; without --paraphraser only these are used")
	fl.IntVar(&d.limit, "draft-limit", 0, "ask the endpoint about at most so many questions, the rest in a later run; 0 for all")
	fl.BoolVar(&d.dryRun, "dry-run", false, "print what the build may take and what an endpoint would be asked; ask and write nothing")
	markInputs(cmd, "drafts")
}

// check refuses a limit below 0, flags for an endpoint without --paraphraser, and an endpoint or a model without --drafts.
func (d *drafting) check() error {
	switch {
	case d.limit < 0:
		return fmt.Errorf("--draft-limit %d: expected 1 or more, or 0 for no limit", d.limit)
	case d.paraphraser == "" && (d.limit > 0 || d.askAgain):
		return errors.New("--draft-limit and --ask-again say how an endpoint is asked, expected --paraphraser URL with them")
	}
	return d.modelFlags.check("drafts", d.paraphraser != "", d.model != "", "paraphraser")
}

// open returns the drafter that adds to the built-in rules, or nil without --drafts. Without --paraphraser it answers from the
// record alone. The caller must close its record.
func (d *drafting) open(a *app) (*paraphrase.Drafter, error) {
	if d.record == "" {
		return nil, nil
	}
	endpoint, err := newEndpoint("paraphraser", d.paraphraser, d.model)
	if err != nil {
		return nil, err
	}
	record, err := d.openRecord(a, d.record, endpoint != nil)
	if err != nil {
		return nil, fmt.Errorf("--drafts: %w", err)
	}
	if d.askAgain {
		record.AskAgain()
	}
	client := d.client(record, endpoint)
	if client == nil {
		client, err = recordedClient(record, paraphrase.Purpose, "model", d.model, "")
	}
	if err == nil && client == nil {
		err = errors.New("holds no drafts, expected those of a build with --paraphraser")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--drafts: %s: %w", d.record, err), record.Close())
	}
	return &paraphrase.Drafter{Client: client}, nil
}

// draftCounts returns the counts of requests for drafts; nil if only rules draft.
func draftCounts(r perturb.Resources) *chat.Counts {
	d, ok := r.Paraphraser.(*paraphrase.Drafter)
	if !ok {
		return nil
	}
	n := d.Client.Record.Counts()
	return &n
}

// drafted reports whether a perturbation uses drafts of paraphrases.
func drafted(p *perturb.Perturbation) bool {
	category, ok := strings.CutPrefix(p.Name, "drspider/")
	return ok && slices.Contains(paraphrase.Categories(), category)
}

// printBuild prints the summary of a build and suggests commands to run next. data is its data directory, "" if that is unknown.
func (a *app) printBuild(w io.Writer, m *built, out, data string) error {
	if err := printManifest(w, m, out); err != nil {
		return err
	}
	return a.printNext(w, afterBuild(m.Manifest, out, data)...)
}

// printManifest prints the summary of a build, the requests to a model and the folder that was written.
func printManifest(w io.Writer, m *built, out string) error {
	m.WriteSummary(w)
	printDrafts(w, m)
	_, err := fmt.Fprintln(w, "wrote "+out)
	return err
}

// printDrafts prints the counts of requests to a model; nothing if only rules draft.
func printDrafts(w io.Writer, m *built) {
	if n := m.Asked; n != nil {
		fmt.Fprintf(w, "drafts: %s", n)
		if n.Empty > 0 {
			fmt.Fprintf(w, "; %d answers without a draft, which --ask-again asks for again", n.Empty)
		}
		if n.Left > 0 {
			fmt.Fprintf(w, "; %d questions left by --draft-limit, which the next run asks", n.Left)
		}
		fmt.Fprintln(w)
	}
}
