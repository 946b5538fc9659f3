package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/consistency"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

type consistencyFlags struct {
	extract                  extractFlag
	build, predPre, predPost string
	models                   []string
	perturb                  []string
	metric                   string
	strict                   bool
	timeout                  time.Duration
	heatmap, format          string
}

// consistencyCmd returns the command eval consistency.
func (a *app) consistencyCmd() *cobra.Command {
	var f consistencyFlags
	cmd := &cobra.Command{
		Use:     "consistency",
		Short:   "Error rates of a model on variants that must not change its output",
		Long:    help("consistency"),
		Example: examples("consistency"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.consistency(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return r.Write(a.stdout, f.format)
		},
	}
	f.extract.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.build, "build", "", "folder that build wrote")
	fl.StringVar(&f.predPre, "pred-pre", "", "one model's outputs before: a file, or a folder of NAME.sql")
	fl.StringVar(&f.predPost, "pred-post", "", "its outputs after: a file, or a folder of NAME.sql")
	fl.StringArrayVar(&f.models, "model", nil, "a model as NAME=PRE,POST; repeatable")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.StringVar(&f.metric, "metric", "exact", "how outputs are compared: exact or exec")
	fl.BoolVar(&f.strict, "strict", false, "repair the faults of the official evaluators instead of repeating them")
	fl.DurationVar(&f.timeout, "timeout", sqldata.DefaultLimits.Time, "time limit of a query")
	fl.StringVar(&f.heatmap, "heatmap", "", "SVG file to write with the rates of models and perturbations")
	markInputs(cmd, "build", "model", "pred-pre", "pred-post")
	markOutputs(cmd, "heatmap")
	a.formatFlags(cmd, &f.format)
	require(cmd, "build")
	return cmd
}

// parse checks the flags and returns the models with their files of outputs: the one of --pred-pre and --pred-post, or those of
// --model.
func (f *consistencyFlags) parse(a *app) ([]consistency.Outputs, error) {
	if err := oneOf("metric", f.metric, "exact", "exec"); err != nil {
		return nil, err
	}
	var models []consistency.Outputs
	if f.predPre+f.predPost != "" {
		switch {
		case len(f.models) > 0:
			return nil, errors.New("--model: stands beside --pred-pre and --pred-post, expected one or the other: a single model needs no name")
		case f.predPre == "", f.predPost == "":
			return nil, errors.New("--pred-pre, --pred-post: one is given without the other, expected both")
		}
		models = append(models, consistency.Outputs{Name: "model", Pre: f.predPre, Post: f.predPost})
	}
	for _, text := range f.models {
		name, files, _ := strings.Cut(text, "=")
		pre, post, _ := strings.Cut(files, ",")
		switch {
		case slices.Contains([]string{name, pre, post}, ""), strings.ContainsFunc(name, unicode.IsControl):
			return nil, fmt.Errorf("--model %q: expected NAME=PRE,POST", text)
		case slices.ContainsFunc(models, func(m consistency.Outputs) bool { return m.Name == name }):
			return nil, fmt.Errorf("--model %q: is given twice, expected another name", name)
		}
		models = append(models, consistency.Outputs{Name: name, Pre: pre, Post: post})
	}
	if len(models) == 0 {
		return nil, errors.New("no predictions: expected --pred-pre and --pred-post, or --model NAME=PRE,POST")
	}
	return models, a.writable("heatmap", f.heatmap)
}

// consistency compares the models' outputs before and after the perturbations of a build and, with --heatmap, draws a heat map.
func (a *app) consistency(ctx context.Context, f *consistencyFlags) (*consistency.Report, error) {
	models, err := f.parse(a)
	if err != nil {
		return nil, err
	}
	b, o, err := a.openSides(f.build, f.perturb, &judgeFlags{metrics: []string{f.metric}, strict: f.strict, timeout: f.timeout})
	if err != nil {
		return nil, err
	}
	step, done := a.start("eval consistency", len(models)*b.Records())
	defer done()
	r, err := consistency.Compare(ctx, &consistency.Config{
		Build: b, Models: models, Options: o, Stdin: a.stdin, Extract: f.extract.extraction,
		Bootstrap: stats.Bootstrap{Seed: a.seed}, Step: step, Skip: a.skip, Note: a.warn, Report: a.report,
	})
	if err == nil && f.heatmap != "" {
		err = outdir.WriteFile(f.heatmap, r.WriteHeatMap)
	}
	return r, err
}
