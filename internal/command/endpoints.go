package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// endpoints holds the flags for the large models that propose and judge names.
type endpoints struct {
	modelFlags
	proposer, judge, judgeModel string // URLs of endpoints; model of the judge
}

// flags adds the flags for the endpoints, their models and their record to a command.
func (e *endpoints) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&e.proposer, "proposer", "", "base URL of an OpenAI-compatible endpoint whose model proposes names too, its key in $"+apiKey)
	fl.StringVar(&e.judge, "judge", "", "base URL of an OpenAI-compatible endpoint whose model grades the names, its key in $"+apiKey)
	fl.StringVar(&e.judgeModel, "judge-model", "", "model of the judge (default: that of --model)")
	fl.StringVar(&e.model, "model", "", "model of the endpoints")
	fl.StringVar(&e.record, "record", "", "file of recorded answers: an endpoint's go there and are not asked for again; without --proposer and --judge only these are used")
	fl.BoolVar(&e.dryRun, "dry-run", false, "print what the endpoints would be asked; ask and write nothing")
	markInputs(cmd, "record")
}

// asks reports whether an endpoint may be asked.
func (e *endpoints) asks() bool { return e.proposer+e.judge != "" }

// check refuses flags that contradict each other. policy is the value of --policy.
func (e *endpoints) check(policy string) error {
	if err := e.modelFlags.check("record", e.asks(), e.model+e.judgeModel != "", "proposer", "judge"); err != nil {
		return err
	}
	switch {
	case e.record == "" && e.dryRun:
		return errors.New("--dry-run: counts what an endpoint would be asked, expected --proposer URL or --judge URL")
	case e.judge != "" && policy != policyValidity:
		return fmt.Errorf("--policy %s: has no validity for a judge to move, expected --policy %s", policy, policyValidity)
	}
	return nil
}

// asking holds the clients of the models; nil for a model that no flag names.
type asking struct {
	record          *chat.Record
	proposer, judge *chat.Client
}

// open opens the record and the clients of the models; nil without --record. The clients ask the endpoints that the flags name;
// without any endpoint they answer from the record.
func (e *endpoints) open(a *app) (*asking, error) {
	if e.record == "" {
		return nil, nil
	}
	proposer, err := newEndpoint("proposer", e.proposer, e.model)
	if err != nil {
		return nil, err
	}
	judge, err := newEndpoint("judge", e.judge, cmp.Or(e.judgeModel, e.model))
	if err != nil {
		return nil, err
	}
	record, err := e.openRecord(a, e.record, e.asks())
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	out := &asking{record: record}
	if !e.asks() {
		return out, e.recorded(out)
	}
	out.proposer, out.judge = e.client(record, proposer), e.client(record, judge)
	return out, nil
}

// recorded sets the clients of out that answer from the record: a proposer if it holds proposals, a judge if it holds grades. It is an
// error if it holds neither.
func (e *endpoints) recorded(out *asking) (err error) {
	if out.proposer, err = recordedClient(out.record, augment.PurposePropose, "model", e.model, ""); err != nil {
		return fmt.Errorf("--record: %s: %w", e.record, err)
	}
	if out.judge, err = recordedClient(out.record, augment.PurposeJudge, "judge-model", e.judgeModel, e.model); err != nil {
		return fmt.Errorf("--record: %s: %w", e.record, err)
	}
	if out.proposer == nil && out.judge == nil {
		return fmt.Errorf("--record: %s: holds no answers, expected those of a run with --proposer or --judge", e.record)
	}
	return nil
}

// fingerprint returns a text that identifies the models' answers from which names are made: path and key of the record, and the
// models. It is "" without a record. It does not change while an endpoint's answers are added to the record.
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

// close closes the record, if there is one.
func (s *asking) close() error {
	if s == nil {
		return nil
	}
	return s.record.Close()
}

// addCounts adds the counts of requests to a summary, and reports tables without an answer. A nil s, without a record, has none.
func (s *asking) addCounts(a *app, e *endpoints, sum *augment.Summary) {
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

// printAsked prints the counts of requests to models; nothing without a record.
func printAsked(w io.Writer, s *augment.Summary) {
	if n := s.Asked; n != nil {
		fmt.Fprintf(w, "models: %s; %d tables without an answer\n", n, s.Unanswered)
	}
}

// dryRun counts the requests to endpoints and prints the counts. It cannot count requests to a judge about names that the
// proposer has yet to propose.
func (a *app) dryRun(ctx context.Context, f *candidatesFlags) (err error) {
	f.cache = "" // a dry run writes no file
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
