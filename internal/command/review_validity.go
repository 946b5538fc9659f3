package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/review"
)

type sampleFlags struct {
	review.SheetOptions
	split, out string
	perturb    []string
}

// reviewSampleCmd returns the command review sample.
func (a *app) reviewSampleCmd() *cobra.Command {
	var f sampleFlags
	cmd := &cobra.Command{
		Use:     "sample DATA=BUCKETS[=LABEL]... | BUILD[=LABEL]...",
		Short:   "Draw names or records for a blind sheet, to judge how many are valid",
		Long:    help("review_sample"),
		Example: examples("review_sample"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Seed = a.seed
			return a.reviewSample(cmd.Context(), args, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.split, "split", "dev", "of names, which SPLIT.json of the data directories: only its databases are drawn from")
	fl.IntVar(&f.Size, "size", 150, "names of each label and bucket, or records of each label and perturbation")
	fl.BoolVar(&f.First, "first", false, "draw the first name of a column only")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "draw only the records of these perturbations or families; repeatable or comma-separated")
	fl.StringVar(&f.out, "out", "", "folder of the sheet to write")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print what was drawn as JSON")
	require(cmd, "out")
	_ = cmd.MarkFlagDirname("out")
	return cmd
}

// reviewSample draws records if all arguments are builds, or names if all are files of names, and writes the sheet.
func (a *app) reviewSample(ctx context.Context, args []string, f *sampleFlags) error {
	if err := atLeast("size", f.Size, 1); err != nil {
		return err
	}
	if f.out == "" {
		return errors.New("--out is empty, expected a folder")
	}
	builds := lists.Count(args, isBuild)
	switch {
	case builds == len(args):
		return a.sampleRecords(ctx, args, f)
	case builds > 0:
		return fmt.Errorf("%s: expected builds or files of names, not both on a sheet", strings.Join(args, " "))
	case len(f.perturb) > 0:
		return errors.New("--perturb: chooses records of a build, expected none beside files of names")
	}
	return a.sampleNames(ctx, args, f)
}

// isBuild reports whether an argument BUILD or BUILD=LABEL names the folder of a build.
func isBuild(arg string) bool {
	dir, _, _ := strings.Cut(arg, "=")
	return benchmark.IsBuild(dir)
}

// sampleRecords draws records of builds, each given as BUILD or BUILD=LABEL, and writes the sheet. Without a label it is the folder's name.
func (a *app) sampleRecords(ctx context.Context, args []string, f *sampleFlags) error {
	if f.First {
		return errors.New("--first: is for names, expected none beside builds")
	}
	var entries []review.Entry
	for _, arg := range args {
		dir, label, labelled := strings.Cut(arg, "=")
		dir = filepath.Clean(dir)
		if !labelled {
			label = filepath.Base(dir)
		}
		if label == "" || slices.ContainsFunc(entries, func(e review.Entry) bool { return e.Dir == dir }) {
			return fmt.Errorf("%q: expected BUILD or BUILD=LABEL, and each build once", arg)
		}
		data, err := a.loadRecords(dir, f.perturb)
		if err != nil {
			return err
		}
		entries = append(entries, review.Entry{Dir: dir, Label: label, Data: data})
	}
	records := review.DrawRecords(entries, f.SheetOptions)
	if err := review.WriteRecordSheet(ctx, f.out, records, a.report); err != nil {
		return err
	}
	drawn := review.CountRecords(records)
	return a.print(drawn, func(w io.Writer) error { return review.WriteDrawnRecords(w, drawn, f.out) })
}

// sampleNames draws names of buckets, DATA=BUCKETS or DATA=BUCKETS=LABEL, and writes the sheet.
func (a *app) sampleNames(ctx context.Context, args []string, f *sampleFlags) error {
	sources, err := review.ParseNameSources(args)
	if err != nil {
		return err
	}
	var entries []review.Entry
	for _, s := range sources {
		if err := checkData(s.Data, f.split); err != nil {
			return err
		}
		data, err := review.LoadData(s.Data, f.split, s.Files, nli.Paper(), a.report)
		if err != nil {
			return err
		}
		entries = append(entries, review.Entry{Dir: s.Data, Label: s.Label, Data: data})
	}
	names := review.DrawSheet(entries, f.SheetOptions)
	if len(names) == 0 {
		return errors.New("the buckets have no name, expected some to judge")
	}
	if err := review.WriteSheet(ctx, f.out, names, a.report); err != nil {
		return err
	}
	sources.Count(names)
	return a.print(sources, func(w io.Writer) error { return sources.WriteText(w, f.out) })
}

// reviewValidityCmd returns the command review validity.
func (a *app) reviewValidityCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "validity SHEET VERDICTS...",
		Short:   "How many names or records of a blind sheet are valid, by its judges",
		Long:    help("review_validity"),
		Example: examples("review_validity"),
		Args:    cobra.MinimumNArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return a.printResult(review.ReadValidity(args[0], args[1:], a.report))
		},
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}
