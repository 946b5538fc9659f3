package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
)

type evalLinkFlags struct {
	data, split, gold, pred, build, vectors string
	perturb, linker                         []string
	linkers, values                         bool
}

// evalLinkCmd returns the command eval link.
func (a *app) evalLinkCmd() *cobra.Command {
	var f evalLinkFlags
	cmd := &cobra.Command{
		Use:     "link",
		Short:   "Precision, recall and F1 of schema links",
		Long:    help("eval_link"),
		Example: examples("eval_link"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runEvalLink(cmd.Context(), &f) },
	}
	f.addFlags(a, cmd)
	return cmd
}

// addFlags adds the flags of eval link to the command.
func (f *evalLinkFlags) addFlags(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	vectorFlag(cmd, &f.vectors)
	fl.StringVar(&f.gold, "gold", "", "gold links of the questions of --data (default: the items that its gold SQL uses)")
	fl.StringVar(&f.pred, "pred", "", "predicted links; - is standard input")
	fl.BoolVar(&f.linkers, "linkers", false, "score the built-in linkers instead of --pred")
	fl.StringSliceVar(&f.linker, "linker", nil, "linkers to score instead of --pred: exact, partial, embedding, trained, or files that link train wrote; repeatable or comma-separated")
	fl.StringVar(&f.build, "build", "", "folder that build wrote from --data")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations of the build; repeatable or comma-separated (default: all)")
	fl.BoolVar(&f.values, "values", false, "take tokens that SLSQL marks as values for links to their column")
	markInputs(cmd, "build", "gold", "linker", "pred")
	a.jsonFlag(cmd, "print as JSON, with the counts of each database")
	cmd.MarkFlagsOneRequired("pred", "linkers", "linker")
	cmd.MarkFlagsMutuallyExclusive("pred", "linkers", "linker")
}

// runEvalLink scores linkers on the items of gold SQL, or with --gold on gold links, and prints a row for each.
func (a *app) runEvalLink(ctx context.Context, f *evalLinkFlags) error {
	switch {
	case f.gold != "" && len(f.linker) > 0:
		return errors.New("--linker: is scored on the items of gold SQL, expected no --gold with it")
	case f.build == "" && len(f.perturb) > 0:
		return errors.New("--perturb is given, expected --build with it")
	}
	if f.gold == "" {
		rows, err := a.evalItems(ctx, f)
		if err != nil {
			return err
		}
		return a.print(rows, func(w io.Writer) error { return linker.WriteTable(w, rows) })
	}
	rows, err := a.evalLink(ctx, f)
	if err != nil {
		return err
	}
	return a.print(rows, func(w io.Writer) error { return linking.WriteTable(w, rows) })
}

// evalLink compares links of tokens with gold links: the links of --pred, or those of the built-in linkers. With --build it does
// so for the perturbed questions, to which the gold links are carried.
func (a *app) evalLink(ctx context.Context, f *evalLinkFlags) ([]linking.Row, error) {
	split, err := a.readSplit(f.data, f.split)
	if err != nil {
		return nil, err
	}
	original, err := linking.NewSet(f.split, split, linking.ReadGold(f.gold, split, linking.Options{Values: f.values}), a.skip)
	if err != nil {
		return nil, err
	}
	if n := split.Len() - original.Len(); n > 0 {
		a.warn(fmt.Errorf("%s: %d of %d questions have no gold links and are left out", f.gold, n, split.Len()))
	}
	perturbed, err := a.carry(f, original)
	if err != nil {
		return nil, err
	}
	if f.linkers {
		methods, err := a.linkers(ctx, f.vectors)
		if err != nil {
			return nil, err
		}
		return linking.MeasureAll(ctx, methods, original, perturbed...)
	}
	set := original
	if len(perturbed) > 0 {
		set = perturbed[0]
	}
	if len(perturbed) > 1 { // a file has the links of one set of questions
		return nil, fmt.Errorf("--pred is of one perturbation, expected one of them as --perturb: %s has %d", f.build, len(perturbed))
	}
	return a.scoreLinks(f.pred, set)
}

// scoreLinks scores a file of predicted links on a set. Questions without a prediction count as ones without links; it is an
// error if no question has a prediction.
func (a *app) scoreLinks(pred string, set *linking.Set) (rows []linking.Row, err error) {
	in, err := dataset.OpenInput(pred, a.stdin)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	tally, missing, err := set.Score(linking.ReadPredictions(in, set.Split), a.skip)
	if err != nil {
		return nil, err
	}
	if missing == set.Len() && missing > 0 {
		return nil, fmt.Errorf("%s: has no prediction that can be used for any of the %d questions of %s, expected index and db_id as there", in.Name, missing, set.Name)
	}
	if missing > 0 {
		a.warn(fmt.Errorf("%s: %d of %d questions have no prediction that can be used; they count as ones without links", in.Name, missing, set.Len()))
	}
	return []linking.Row{linking.NewRow("", set.Name, tally)}, nil
}

// carry returns the sets of the perturbations of --build that --perturb names: their questions with the gold links of the
// originals. There are none without --build.
func (a *app) carry(f *evalLinkFlags, original *linking.Set) ([]*linking.Set, error) {
	if f.build == "" {
		return nil, nil
	}
	split, built, err := benchmark.ReadResults(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	return mapEach(built, func(r benchmark.Result) (*linking.Set, error) {
		post, err := a.readSplit(filepath.Join(f.build, filepath.FromSlash(r.Name), "post"), split)
		if err != nil {
			return nil, err
		}
		return original.Carry(r.Name, post, filepath.Join(f.build, benchmark.RecordsFile), a.skip)
	})
}

// scorers returns the linkers that --linker names, or all built-in ones with --linkers.
func (a *app) scorers(ctx context.Context, f *evalLinkFlags) ([]linker.Named, error) {
	methods, err := a.linkers(ctx, f.vectors)
	if err != nil {
		return nil, err
	}
	names := f.linker
	if f.linkers {
		names = append(lists.Map(methods, func(m link.Method) string { return m.Name }), trainedLinker)
	}
	return openLinkers(methods, names)
}

// openLinkers returns the linkers with the given names. A name is that of a method, "trained", or the file of a trained linker.
func openLinkers(methods []link.Method, names []string) ([]linker.Named, error) {
	return mapEach(names, func(name string) (linker.Named, error) {
		if i := slices.IndexFunc(methods, func(m link.Method) bool { return m.Name == name }); i >= 0 {
			return linker.Named{Name: name, Scorer: linker.Mentions{Method: methods[i]}}, nil
		}
		m, err := openLinker(name)
		return linker.Named{Name: name, Scorer: m}, err
	})
}

// evalItems compares the tables and columns that linkers found with those that gold SQL uses: on the split, and with --build on
// both sides of each perturbation.
func (a *app) evalItems(ctx context.Context, f *evalLinkFlags) ([]linker.Row, error) {
	scorers, err := a.scorers(ctx, f)
	if err != nil {
		return nil, err
	}
	if f.pred != "" && f.build != "" {
		return nil, errors.New("--pred: is of one data directory, expected no --build with it, but OUT/NAME/post as --data")
	}
	units, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	if f.pred != "" {
		return a.evalItemFile(ctx, f, units, lexicon)
	}
	m := &linker.Measure{Scorers: scorers, Lexicon: lexicon, Workers: a.workers, Start: a.starting("eval link"), Report: a.report}
	rows, err := m.Split(ctx, f.split, units)
	if err != nil || f.build == "" {
		return rows, err
	}
	split, built, err := benchmark.ReadResults(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	for _, r := range built {
		dir := filepath.Join(f.build, filepath.FromSlash(r.Name))
		sides, err := mapEach([]string{"pre", "post"}, func(side string) ([]*dataset.Unit, error) { return a.readUnits(filepath.Join(dir, side), split) })
		if err != nil {
			return nil, err
		}
		more, err := m.Perturbed(ctx, r.Name, sides[0], sides[1])
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// evalItemFile scores the items or links that --pred predicts for the split. A question without a prediction counts as one
// without items; it is an error if no question has one.
func (a *app) evalItemFile(ctx context.Context, f *evalLinkFlags, units []*dataset.Unit, lexicon linker.Lexicon) (rows []linker.Row, err error) {
	in, err := dataset.OpenInput(f.pred, a.stdin)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	lines, err := linker.ReadLines(in, a.skip)
	if err != nil {
		return nil, err
	}
	tally, used, missing, err := linker.ScoreLines(ctx, lines, units, lexicon, a.report)
	if err != nil {
		return nil, err
	}
	if used == 0 {
		return nil, fmt.Errorf("%s: has no prediction for any of the %d questions of %s, expected index and db_id as there", in.Name, missing, f.split)
	}
	if missing > 0 {
		a.warn(fmt.Errorf("%s: %d of %d questions have no prediction; they count as ones without items", in.Name, missing, missing+used))
	}
	return []linker.Row{tally.Row("", f.split, nil)}, nil
}
