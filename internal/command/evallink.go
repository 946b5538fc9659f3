package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
)

type evalLinkFlags struct {
	data, split, gold, pred, build string
	perturb                        []string
	knowledge                      knowledge
	linker                         []string
	linkers, values                bool
}

func (a *app) evalLinkCmd() *cobra.Command {
	var f evalLinkFlags
	cmd := &cobra.Command{
		Use:   "link",
		Short: "Precision, recall and F1 of schema links",
		Long: `link compares the tables and columns that linkers found with those that the gold SQL of
--data uses, as schema linking is measured since RESDSQL: precision, recall, F1, and the
area under the receiver's curve, where a linker gives probabilities; 0.5 and more is taken for used.
A trained linker's files say so, and of links the items count. With --build, it prints
what each perturbation of the build costs, with intervals that draw whole databases.

With --gold, it compares links between question tokens and columns or tables with gold,
over all links of a split (ADVETA, appendix C.4).

--gold holds links of the questions of --data: the JSON array of SLSQL, aligned
with the split, or JSON lines as the command link writes, plain or gzip. Tokens
that SLSQL marks as values are no links unless --values is given.

With --build, the gold is carried to OUT/NAME/post by the edits of the build: a
renamed column is linked under its new name. --pred then holds links of the
questions of OUT/NAME/post.

With --linkers instead of --pred, the built-in linkers are scored on the data and,
with --build, on each of its perturbations, beside what they reach on the same
questions before: how much a perturbation costs a linker. --linker names one, or the
file of a trained one.`,
		Example: "  tabperturb eval link --data spider --linkers --build benchmark\n" +
			"  tabperturb eval link --data spider --linker linker.bin\n" +
			"  tabperturb eval link --data spider --gold spider_ant_dev.json.gz --pred links.jsonl\n" +
			"  tabperturb eval link --data spider --gold spider_ant_dev.json.gz --build benchmark --perturb adveta/replace --pred post.jsonl\n" +
			"  tabperturb eval link --data spider --gold spider_ant_dev.json.gz --build benchmark --linkers",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.gold == "" {
				rows, err := a.evalItems(cmd.Context(), &f)
				if err != nil {
					return err
				}
				return a.print(rows, func(w io.Writer) error { return linker.WriteTable(w, rows) })
			}
			if len(f.linker) > 0 {
				return errors.New("--linker: is scored on the items of gold SQL, expected no --gold with it")
			}
			rows, err := a.evalLink(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.print(rows, func(w io.Writer) error { return linking.WriteTable(w, rows) })
		},
	}
	a.dataFlags(cmd, &f.data, &f.split)
	f.knowledge.vectorFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.gold, "gold", "", "gold links of the questions of --data (default: the items that its gold SQL uses)")
	fl.StringVar(&f.pred, "pred", "", "predicted links; - is standard input")
	fl.BoolVar(&f.linkers, "linkers", false, "score the built-in linkers instead of --pred")
	fl.StringSliceVar(&f.linker, "linker", nil, "linkers to score instead of --pred: exact, partial, embedding, trained, or files that link train wrote; repeatable or comma-separated")
	fl.StringVar(&f.build, "build", "", "folder that build wrote from --data")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations of the build; repeatable or comma-separated (default: all)")
	fl.BoolVar(&f.values, "values", false, "take tokens that SLSQL marks as values for links to their column")
	a.jsonFlag(cmd, "print as JSON, with the counts of each database")
	cmd.MarkFlagsOneRequired("pred", "linkers", "linker")
	cmd.MarkFlagsMutuallyExclusive("pred", "linkers", "linker")
	return cmd
}

func (a *app) evalLink(ctx context.Context, f *evalLinkFlags) ([]linking.Row, error) {
	if f.build == "" && len(f.perturb) > 0 {
		return nil, errors.New("--perturb is given, expected --build with it")
	}
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
		return a.measureLinkers(ctx, f, original, perturbed)
	}
	set := original
	if len(perturbed) > 0 {
		set = perturbed[0]
	}
	if len(perturbed) > 1 {
		return nil, fmt.Errorf("--pred is of one perturbation, expected one of them as --perturb: %s has %d", f.build, len(perturbed))
	}
	return a.scoreLinks(f.pred, set)
}

// scoreLinks scores a file of predicted links.
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

// carry returns the sets of the perturbations that the flags name.
func (a *app) carry(f *evalLinkFlags, original *linking.Set) ([]*linking.Set, error) {
	if f.build == "" {
		return nil, nil
	}
	split, built, err := readBuild(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	var sets []*linking.Set
	for _, r := range built {
		post, err := a.readSplit(filepath.Join(f.build, filepath.FromSlash(r.Name), "post"), split)
		if err != nil {
			return nil, err
		}
		set, err := original.Carry(r.Name, post, filepath.Join(f.build, benchmark.RecordsFile), a.skip)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func (a *app) measureLinkers(ctx context.Context, f *evalLinkFlags, original *linking.Set, perturbed []*linking.Set) ([]linking.Row, error) {
	methods, err := a.linkers(ctx, &f.knowledge)
	if err != nil {
		return nil, err
	}
	var rows []linking.Row
	for _, m := range methods {
		r, err := linking.Measure(ctx, m, original, perturbed...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r...)
	}
	return rows, nil
}
