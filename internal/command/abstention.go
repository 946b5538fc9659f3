package command

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/abstention"
	"github.com/tabperturb/tabperturb/evaluate/stats"
)

type abstentionFlags struct {
	build, pred, refusal, format string
	perturb                      []string
}

// abstentionCmd returns the command eval abstention.
func (a *app) abstentionCmd() *cobra.Command {
	var f abstentionFlags
	cmd := &cobra.Command{
		Use:     "abstention",
		Short:   "Refused or not: questions that have no answer, and names that do not exist",
		Long:    help("abstention"),
		Example: examples("abstention"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := a.abstention(&f)
			if err != nil {
				return err
			}
			return r.Write(a.stdout, f.format)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.build, "build", "", "folder that build wrote")
	fl.StringVar(&f.pred, "pred", "", "predictions after: a file, or a folder of NAME.sql; - is standard input")
	fl.StringVar(&f.refusal, "refusal", "", "regular expression (RE2) of predictions that refuse, beside those that are recognised")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	markInputs(cmd, "build", "pred")
	a.formatFlags(cmd, &f.format)
	require(cmd, "build", "pred")
	return cmd
}

// abstention scores the refusals among the predictions for a build. It needs no metric, but a build is opened with one: exact, which
// runs no SQL.
func (a *app) abstention(f *abstentionFlags) (*abstention.Report, error) {
	var phrase *regexp.Regexp
	if f.refusal != "" {
		var err error
		if phrase, err = regexp.Compile(f.refusal); err != nil {
			return nil, fmt.Errorf("--refusal %q: %w, expected a regular expression of RE2", f.refusal, err)
		}
	}
	b, _, err := a.openSides(f.build, f.perturb, &judgeFlags{metrics: []string{"exact"}})
	if err != nil {
		return nil, err
	}
	step, done := a.start("eval abstention", b.Records())
	defer done()
	return abstention.Run(&abstention.Config{
		Build: b, Path: f.pred, Stdin: a.stdin, Phrase: phrase, Bootstrap: stats.Bootstrap{Seed: a.seed},
		Step: step, Skip: a.skip, Note: a.warn, Report: a.report,
	})
}
