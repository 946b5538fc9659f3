package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// endpoints holds the flags that say which large models propose and judge names.
type endpoints struct {
	proposer, judge   string
	model, judgeModel string
	record            string
	dryRun            bool
}

func (e *endpoints) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&e.proposer, "proposer", "", "base URL of an OpenAI-compatible endpoint whose model proposes names too, its key in $"+apiKey)
	fl.StringVar(&e.judge, "judge", "", "base URL of an OpenAI-compatible endpoint whose model grades the names, its key in $"+apiKey)
	fl.StringVar(&e.model, "model", "", "model of the endpoints")
	fl.StringVar(&e.judgeModel, "judge-model", "", "model of the judge (default: that of --model)")
	fl.StringVar(&e.record, "record", "", "file of recorded answers: an endpoint's go there and are not asked for again; without --proposer and --judge only these are used")
	fl.BoolVar(&e.dryRun, "dry-run", false, "print what the endpoints would be asked; ask and write nothing")
}

// asks reports whether an endpoint may be asked.
func (e *endpoints) asks() bool { return e.proposer+e.judge != "" }

// check tells whether the flags go together.
func (e *endpoints) check(policy string) error {
	switch {
	case e.asks() && e.record == "":
		return errors.New("--proposer and --judge: an endpoint need not answer alike twice, expected --record FILE to keep its answers")
	case e.record == "" && e.model+e.judgeModel != "":
		return errors.New("--model is of an endpoint, expected --proposer URL or --judge URL with it, or --record FILE")
	case e.record == "" && e.dryRun:
		return errors.New("--dry-run: counts what an endpoint would be asked, expected --proposer URL or --judge URL")
	case e.judge != "" && policy != policyValidity:
		return fmt.Errorf("--policy %s: has no validity for a judge to move, expected --policy %s", policy, policyValidity)
	}
	return nil
}

// asking are the models that are asked, by way of a record; nil where one is not.
type asking struct {
	record          *chat.Record
	proposer, judge *chat.Client
}

// open opens the record and the endpoints that the flags name; nil where they name
// none.
func (e *endpoints) open(a *app) (*asking, error) {
	if e.record == "" {
		return nil, nil
	}
	proposer, err := openEndpoint("proposer", e.proposer, e.model)
	if err != nil {
		return nil, err
	}
	judge, err := openEndpoint("judge", e.judge, cmp.Or(e.judgeModel, e.model))
	if err != nil {
		return nil, err
	}
	record, err := openRecord(a, e.record, e.asks(), e.dryRun)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	out := &asking{record: record}
	if !e.asks() {
		return out, e.recorded(out)
	}
	out.proposer, out.judge = clientOf(record, proposer, e.dryRun), clientOf(record, judge, e.dryRun)
	return out, nil
}

// openRecord opens a file of answers: to be added to, where an endpoint is asked, else to
// be read. A dry run writes none.
func openRecord(a *app, path string, asks, dryRun bool) (*chat.Record, error) {
	if asks && !dryRun {
		return chat.OpenRecord(path, a.skip)
	}
	record, err := chat.ReadRecord(path, a.skip)
	if asks && errors.Is(err, fs.ErrNotExist) {
		return &chat.Record{}, nil // nothing was asked yet
	}
	return record, err
}

// answerTime bounds the time of an answer: of a model without a fast processor, some
// thousand tokens take minutes.
const answerTime = 10 * time.Minute

// openEndpoint returns what a flag names; nil for no URL.
func openEndpoint(flag, url, model string) (*chat.Endpoint, error) {
	if url == "" {
		return nil, nil
	}
	endpoint := &chat.Endpoint{URL: url, Model: model, APIKey: os.Getenv(apiKey), Timeout: answerTime}
	if err := endpoint.Check(); err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return endpoint, nil
}

// clientOf returns who asks an endpoint; in a dry run only the record is asked.
func clientOf(record *chat.Record, endpoint *chat.Endpoint, dryRun bool) *chat.Client {
	switch {
	case endpoint == nil:
		return nil
	case dryRun:
		return &chat.Client{Model: endpoint.Model, Record: record}
	}
	return &chat.Client{Model: endpoint.Model, Record: record, Endpoint: endpoint}
}

// recorded has a record answer for those whose answers it holds.
func (e *endpoints) recorded(out *asking) (err error) {
	if out.proposer, err = recordedBy(out.record, augment.PurposePropose, "model", e.model, ""); err != nil {
		return fmt.Errorf("--record: %s: %w", e.record, err)
	}
	if out.judge, err = recordedBy(out.record, augment.PurposeJudge, "judge-model", e.judgeModel, e.model); err != nil {
		return fmt.Errorf("--record: %s: %w", e.record, err)
	}
	if out.proposer == nil && out.judge == nil {
		return fmt.Errorf("--record: %s: holds no answers, expected those of a run with --proposer or --judge", e.record)
	}
	return nil
}

// recordedBy returns who answers for a purpose from a record: the model that a flag
// names, else the usual one, or the only one; nil where none does.
func recordedBy(record *chat.Record, purpose, flag, model, usual string) (*chat.Client, error) {
	models, err := record.Models(purpose)
	if model == "" && slices.Contains(models, usual) {
		model = usual
	}
	switch {
	case err != nil:
		return nil, err
	case len(models) == 0:
		return nil, nil
	case model == "" && len(models) == 1:
		model = models[0]
	case !slices.Contains(models, model):
		return nil, fmt.Errorf("holds answers of %s, expected one of these as --%s", strings.Join(models, ", "), flag)
	}
	return &chat.Client{Model: model, Record: record}, nil
}

// fingerprint identifies the answers that names depend on: those of an endpoint by its
// model and the file that they go to, for its content grows; recorded ones by content.
func (e *endpoints) fingerprint(s *asking) (string, error) {
	if s == nil {
		return "", nil
	}
	path, err := filepath.Abs(e.record)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("record %s %s\n", path, s.record.Key())
	for i, c := range []*chat.Client{s.proposer, s.judge} {
		if c != nil {
			text += fmt.Sprintf("model %d %s %t\n", i, c.Model, c.Endpoint != nil)
		}
	}
	return text, nil
}

func (s *asking) close() error {
	if s == nil {
		return nil
	}
	return s.record.Close()
}

// tell adds what was asked to a summary, and reports what was not answered.
func (s *asking) tell(a *app, e *endpoints, sum *augment.Summary) {
	if s == nil {
		return
	}
	counts := s.record.Counts()
	sum.Asked = &counts
	switch {
	case sum.Unanswered > 0 && e.asks():
		a.skip(fmt.Errorf("%d tables lack an answer of a model that can be used; the same command with the same --record asks for those again that are not recorded", sum.Unanswered))
	case sum.Unanswered > 0:
		a.skip(fmt.Errorf("%d tables lack an answer of a model that can be used, expected one in %s", sum.Unanswered, e.record))
	}
}

func printAsked(w io.Writer, s *augment.Summary) {
	if n := s.Asked; n != nil {
		fmt.Fprintf(w, "models: %s; %d tables without an answer\n", n, s.Unanswered)
	}
}

// printDryRun prints what models would be asked.
func (a *app) printDryRun(n chat.Counts) error {
	return a.print(n, func(w io.Writer) error { return printRequests(w, &n) })
}

func printRequests(w io.Writer, n *chat.Counts) error {
	_, err := fmt.Fprintf(w, "%d requests would be asked, of about %d prompt tokens; %d answers are recorded\n", n.Missing, n.Estimated, n.Recorded)
	return err
}

// dryRun counts what endpoints would be asked. What a judge would be asked about names
// that a proposer has not proposed yet is not known.
func (a *app) dryRun(ctx context.Context, f *candidatesFlags) (err error) {
	f.cache = "" // which would be written to
	aug, s, closer, err := a.augmenter(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	units, err := dataset.Units(f.data, f.split, a.report)
	if err != nil {
		return err
	}
	step, done := a.start("dry run", len(units))
	defer done()
	err = outdir.Run(ctx, a.workers, units, func(ctx context.Context, _ int, u *dataset.Unit) error {
		defer step()
		if err := dataset.AddSamples(ctx, u.DB, func(error) {}); err != nil && ctx.Err() == nil {
			a.report(err)
		}
		_, err := aug.Unit(ctx, u)
		return err
	})
	if err != nil {
		return err
	}
	return a.printDryRun(s.record.Counts())
}
