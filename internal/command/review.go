package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/review"
)

// shownDisputed is how many disputed names are printed.
const shownDisputed = 20

type reviewFlags struct {
	data, split, annotator, out, policy string
	perturb                             []string
	port                                int
}

// reviewCmd returns the command review.
func (a *app) reviewCmd() *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:     "review BUCKETS... | BUILD",
		Short:   "Decide on candidate names or on records, on a page in the browser",
		Long:    help("review"),
		Example: examples("review"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.review(cmd.Context(), &f, strings.Split(strings.Join(args, ","), ","))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "data directory that the names are for")
	fl.StringVar(&f.split, "split", "dev", "which SPLIT.json, for the questions that use a column")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "only the records of these perturbations or families; repeatable or comma-separated")
	fl.StringVar(&f.annotator, "annotator", "", "who decides (default: the user's name)")
	fl.StringVar(&f.out, "out", "", "the annotator's file of decisions (default: decisions-ANNOTATOR.jsonl)")
	fl.IntVar(&f.port, "port", 0, "port of 127.0.0.1 (default: any that is free)")
	markInputs(cmd, "data", "out")
	fl.StringVar(&f.policy, "policy", "paper", "whose thresholds tell which names are doubtful: paper or released")
	cmd.AddCommand(a.reviewAgreementCmd(), a.reviewMergeCmd(), a.reviewSampleCmd(), a.reviewValidityCmd())
	return cmd
}

// annotatorName matches names that the default name of a file can hold: letters, digits, blanks
// and . _ -, with a letter or digit first.
var annotatorName = lazyregexp.New(`^[\pL\pN][\pL\pN ._-]*$`)

// isAnnotator reports whether the default name of a file can hold a name.
func isAnnotator(name string) bool {
	return utf8.RuneCountInString(name) <= 64 && annotatorName.MatchString(name)
}

// review serves the page for the files of names or the build in args, until ctx ends.
func (a *app) review(ctx context.Context, f *reviewFlags, args []string) error {
	if err := inRange("port", f.port, 0, 65535); err != nil {
		return err
	}
	if f.annotator == "" {
		f.annotator = userName()
	}
	if !isAnnotator(f.annotator) {
		return fmt.Errorf("--annotator %q: expected up to 64 letters, digits, blanks and . _ -", f.annotator)
	}
	f.out = cmp.Or(f.out, "decisions-"+f.annotator+".jsonl")
	if slices.ContainsFunc(args, func(in string) bool { return filecheck.Same(f.out, in) }) {
		return fmt.Errorf("--out: %s is an input, expected another file", f.out)
	}
	if err := filecheck.Writable(f.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	load := a.reviewedNames
	if slices.ContainsFunc(args, dataset.IsDir) {
		load = a.reviewedRecords
	}
	data, err := load(f, args)
	if err != nil {
		return err
	}
	server, err := review.NewServer(data, review.Options{Annotator: f.annotator, Out: f.out, Report: a.report})
	if err != nil {
		return err
	}
	defer server.Close()
	return a.serveReview(ctx, server, f)
}

// reviewedNames reads the names of files of buckets, and the data directory that they are for.
func (a *app) reviewedNames(f *reviewFlags, buckets []string) (*review.Data, error) {
	switch {
	case f.data == "":
		return nil, errors.New("--data: names no data directory, expected the one that the names are for")
	case len(f.perturb) > 0:
		return nil, errors.New("--perturb: chooses records of a build, expected none beside files of names")
	}
	if err := checkData(f.data, f.split); err != nil {
		return nil, err
	}
	policy, err := nli.PolicyByName(f.policy)
	if err != nil {
		return nil, fmt.Errorf("--policy: %w", err)
	}
	return review.LoadData(f.data, f.split, buckets, policy, a.report)
}

// reviewedRecords reads the records of a build.
func (a *app) reviewedRecords(f *reviewFlags, args []string) (*review.Data, error) {
	switch {
	case len(args) > 1:
		return nil, fmt.Errorf("%s: expected one build, or files of names alone", strings.Join(args, " "))
	case f.data != "":
		return nil, errors.New("--data: is for files of names, expected none beside a build, which has its data in it")
	}
	return a.loadRecords(args[0], f.perturb)
}

// loadRecords reads the records of a build, of all perturbations or of those that names selects, by name or by family.
func (a *app) loadRecords(dir string, names []string) (*review.Data, error) {
	_, built, err := benchmark.ReadResults(dir, names)
	if err != nil {
		return nil, err
	}
	chosen := resultNames(built)
	return review.LoadRecords(dir, func(name string) bool { return slices.Contains(chosen, name) }, a.report)
}

// serveReview serves the page until ctx ends, then prints how many decisions are made.
func (a *app) serveReview(ctx context.Context, server *review.Server, f *reviewFlags) error {
	l, err := review.Listen(f.port)
	if err != nil {
		return fmt.Errorf("--port: %w", err)
	}
	fmt.Fprintf(a.stdout, "open %s\n", server.URL(l))
	if err := server.Serve(ctx, l); err != nil {
		return err
	}
	p := server.Progress()
	fmt.Fprintf(a.stdout, "%d of %d %s decided, %d of %d %s done; saved in %s\n", p.Decided, p.Names, p.Items, p.Done, p.Columns, p.Things, f.out)
	return nil
}

// userName returns the system's name of the user, or "annotator" if that is unknown or cannot be in the name of a file.
func userName() string {
	u, err := user.Current()
	if err != nil || !isAnnotator(u.Username) {
		return "annotator"
	}
	return u.Username
}

// reviewAgreementCmd returns the command review agreement.
func (a *app) reviewAgreementCmd() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "agreement DECISIONS...",
		Short:   "How far annotators agree: Fleiss' and Cohen's kappa, and the names in dispute",
		Long:    help("review_agreement"),
		Example: examples("review_agreement"),
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, paths []string) error {
			annotators, err := review.ReadAnnotators(paths, a.report)
			if err != nil {
				return err
			}
			agreement := review.Agree(annotators)
			return a.print(agreement, func(w io.Writer) error { return agreement.WriteText(w, shownOf(all, shownDisputed)) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("print every disputed name, not the first %d", shownDisputed))
	a.jsonFlag(cmd, "print as JSON, with every disputed name")
	return cmd
}

type mergeFlags struct {
	buckets                  []string
	data, split, second, out string
	all                      bool
}

// reviewMergeCmd returns the command review merge.
func (a *app) reviewMergeCmd() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:     "merge DECISIONS...",
		Short:   "Make curated buckets of what annotators decided",
		Long:    help("review_merge"),
		Example: examples("review_merge"),
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, paths []string) error { return a.reviewMerge(&f, paths) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.buckets, "buckets", nil, "the buckets that were decided on; repeatable or comma-separated, as review was given them")
	fl.StringVar(&f.data, "data", "", "data directory that the names are for")
	fl.StringVar(&f.split, "split", "dev", "which SPLIT.json of --data")
	fl.StringVar(&f.second, "second", "", "decisions of a second reader, for names without a majority")
	fl.StringVar(&f.out, "out", "", "buckets.json to write")
	markInputs(cmd, "buckets", "data", "second")
	markOutputs(cmd, "out")
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print every name without a majority, not the first %d", shownDisputed))
	a.jsonFlag(cmd, "print what was merged as JSON, with every name without a majority")
	require(cmd, "buckets", "out")
	return cmd
}

// reviewMerge writes the curated buckets: the names that the annotators, whose decisions are in the files paths, accept. The
// second reader of --second decides on names without a majority.
func (a *app) reviewMerge(f *mergeFlags, paths []string) error {
	if len(f.buckets) == 0 {
		return errors.New("--buckets: names no file, expected one or more")
	}
	files := paths
	if f.second != "" { // read with the others, as no annotator may occur twice
		files = append([]string{f.second}, paths...)
	}
	if err := a.writable("out", f.out); err != nil {
		return err
	}
	for _, path := range f.buckets {
		if f.data == "" && review.IsADVETA(path) {
			return fmt.Errorf("--buckets %s: is a file of ADVETA, expected --data, the data directory that its names are for", path)
		}
	}
	annotators, err := review.ReadAnnotators(files, a.report)
	if err != nil {
		return err
	}
	var second *review.Verdicts
	if f.second != "" {
		second, annotators = annotators[0], annotators[1:]
	}
	dbs, err := a.schemasOf(f)
	if err != nil {
		return err
	}
	buckets, err := review.ReadBuckets(f.buckets, dbs, a.report)
	if err != nil {
		return err
	}
	merged := review.Merge(buckets, annotators, second)
	if err := merged.Check(strings.Join(f.buckets, ","), a.warn); err != nil {
		return err
	}
	seed := review.BucketsSeed(f.buckets[0], a.seed)
	if err := outdir.WriteFile(f.out, func(w io.Writer) error { return dataset.WriteBuckets(w, seed, dbs, merged.Buckets) }); err != nil {
		return err
	}
	return a.print(merged, func(w io.Writer) error {
		merged.WriteText(w, annotators, shownOf(f.all, shownDisputed))
		_, err := fmt.Fprintln(w, "wrote", f.out)
		return err
	})
}

// schemasOf reads the schemas of --data; without it there are none.
func (a *app) schemasOf(f *mergeFlags) ([]*dataset.Database, error) {
	if f.data == "" {
		return nil, nil
	}
	units, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	return dataset.Databases(units), nil
}
