package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/robustness"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/suite"
)

type robustnessFlags struct {
	judgeFlags
	extract                  extractFlag
	build, predPre, predPost string
	suitePost                string
	whole, predWhole         string
	perturb                  []string
	format                   string
}

// robustnessCmd returns the command eval robustness.
func (a *app) robustnessCmd() *cobra.Command {
	var f robustnessFlags
	cmd := &cobra.Command{
		Use:     "robustness",
		Short:   "Accuracy before and after each perturbation of a build",
		Long:    help("robustness"),
		Example: examples("robustness"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tables, err := a.robustness(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return robustness.Write(a.stdout, f.format, tables)
		},
	}
	f.addAll(cmd)
	f.extract.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.build, "build", "", "folder that build wrote")
	fl.StringVar(&f.predPre, "pred-pre", "", "predictions before: a file, or a folder of NAME.sql")
	fl.StringVar(&f.predPost, "pred-post", "", "predictions after: a file, or a folder of NAME.sql")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.StringVar(&f.suitePost, "suite-post", "", "suite of the perturbed databases, where their schemas differ (default: that of --suite)")
	fl.StringVar(&f.whole, "whole", "", "the whole split that was perturbed, such as dev.json beside its tables.json and databases")
	fl.StringVar(&f.predWhole, "pred-whole", "", "predictions for the questions of --whole")
	cmd.MarkFlagsRequiredTogether("whole", "pred-whole")
	markInputs(cmd, "build", "pred-pre", "pred-post", "suite", "suite-post", "whole", "pred-whole")
	a.formatFlags(cmd, &f.format)
	require(cmd, "build", "pred-pre", "pred-post")
	return cmd
}

// robustness scores the predictions before and after each perturbation of a build.
func (a *app) robustness(ctx context.Context, f *robustnessFlags) ([]*robustness.Table, error) {
	b, o, err := a.openSides(f.build, f.perturb, &f.judgeFlags)
	if err != nil {
		return nil, err
	}
	c := &robustness.Config{
		Build: b, Pre: robustness.Predictions{Path: f.predPre, Options: o}, Post: robustness.Predictions{Path: f.predPost, Options: o},
		Stdin: a.stdin, Extract: f.extract.extraction, Bootstrap: stats.Bootstrap{Seed: a.seed},
		Start: func() (step, done func()) { return a.start("eval robustness", 2*b.Records()) },
		Skip:  a.skip, Note: a.warn, Report: a.report,
	}
	if f.suitePost != "" {
		s, err := suite.OpenSuite(f.suitePost)
		if err != nil {
			return nil, err
		}
		c.Post.Options.Suite = s.For
	}
	if f.whole != "" {
		if c.Whole, err = a.wholeSplit(f); err != nil {
			return nil, err
		}
	}
	if f.judgeGold {
		c.GoldFault = func(line string) error { return a.goldFault(f, line) }
	}
	return robustness.Run(ctx, c)
}

// wholeSplit returns the predictions for the whole split that was perturbed, --pred-whole, judged by the same flags as those
// before and after.
func (a *app) wholeSplit(f *robustnessFlags) (*robustness.Predictions, error) {
	split := evalFlags{judgeFlags: f.judgeFlags, gold: f.whole, pred: []string{f.predWhole}}
	o, err := split.inputs(a)
	return &robustness.Predictions{Path: f.predWhole, Options: o}, err
}

// goldFault prints a line on faulty gold SQL above the tables. If their format is for programs, which expect nothing else, it prints a
// note on standard error.
func (a *app) goldFault(f *robustnessFlags, line string) error {
	if f.format == "text" {
		_, err := fmt.Fprintln(a.stdout, line)
		return err
	}
	a.warn(errors.New(line))
	return nil
}
