package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/robustness"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

type robustnessFlags struct {
	judgeFlags
	extract                  extractFlag
	build, predPre, predPost string
	suitePost                string
	perturb                  []string
	format                   string
}

func (a *app) robustnessCmd() *cobra.Command {
	var f robustnessFlags
	cmd := &cobra.Command{
		Use:   "robustness",
		Short: "Accuracy before and after each perturbation of a build",
		Long: `robustness scores a model's predictions on what build wrote, before and after
each perturbation, and prints a table in the layout of Dr.Spider's: both accuracies,
their difference, and relative robustness accuracy, the share of the predictions
right before that are right after. Averages are over perturbations. Intervals draw
databases, for the samples of one example are not independent of each other.

The predictions before belong to OUT/NAME/pre, those after to OUT/NAME/post, one a
record in their order. Each is a file with one SQL a line, which for several
perturbations has those of one after the other in the order of manifest.json (that
of records.parquet), or a folder with a file NAME.sql for each perturbation
("adveta/replace.sql", or .jsonl and the like). The other forms of eval --pred do too:
answers that have an id are joined by the index of the record, from 0, through all
perturbations, and those with db_id and question by the question; records whose question
was not asked on both sides are left unjudged. Turns of interactions that stand unchanged beside perturbed ones have
predictions too, but are counted apart.`,
		Example: "  tabperturb eval robustness --build benchmark --pred-pre before.sql --pred-post after.sql\n" +
			"  tabperturb eval robustness --build benchmark --pred-pre before --pred-post after --metric exec --format md",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tables, err := a.robustness(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return robustness.Write(a.stdout, f.format, tables)
		},
	}
	f.add(cmd)
	f.extract.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.build, "build", "", "folder that build wrote")
	fl.StringVar(&f.predPre, "pred-pre", "", "predictions before: a file, or a folder of NAME.sql")
	fl.StringVar(&f.predPost, "pred-post", "", "predictions after: a file, or a folder of NAME.sql")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.StringVar(&f.suitePost, "suite-post", "", "suite of the perturbed databases, where their schemas differ (default: that of --suite)")
	a.formatFlags(cmd, &f.format)
	require(cmd, "build", "pred-pre", "pred-post")
	return cmd
}

func (a *app) robustness(ctx context.Context, f *robustnessFlags) (tables []*robustness.Table, err error) {
	split, built, err := readBuild(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	o, err := f.options(a)
	if err == nil && o.Runs() {
		err = needDatabases(f.build, built)
	}
	if err != nil {
		return nil, err
	}
	records := countRecords(built)
	pre, err := a.openSide("pre", f.predPre, f, o, len(built), records)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pre.pred.close()) }()
	post, err := a.openSide("post", f.predPost, f, o, len(built), records)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, post.pred.close()) }()
	if f.suitePost != "" {
		s, err := suite.OpenSuite(f.suitePost)
		if err != nil {
			return nil, err
		}
		post.options.Suite = s.For
	}
	if f.judgeGold {
		for _, s := range []*side{pre, post} {
			if err := a.checkGold(ctx, s, f, split, built); err != nil {
				return nil, err
			}
		}
	}
	tallies, err := a.tally(ctx, f.build, split, built, pre, post)
	if err != nil {
		return nil, err
	}
	for _, s := range []*side{pre, post} {
		err := cmp.Or(s.pred.end(a), s.joined.tell(a, s.pred.input.Name, fmt.Sprintf("%s, %s the perturbations", f.build, s.when()), "they are left out"))
		if err != nil {
			return nil, err
		}
	}
	o.Content = f.build
	tables = make([]*robustness.Table, len(tallies))
	for i, t := range tallies {
		tables[i] = t.Table(stats.Bootstrap{Seed: a.seed})
		tables[i].How = o.Metrics[i].How(&o)
	}
	return tables, nil
}

// tally scores both sides of each perturbation, by each metric.
func (a *app) tally(ctx context.Context, build, split string, built []benchmark.Result, pre, post *side) ([]*robustness.Tally, error) {
	tallies := make([]*robustness.Tally, len(pre.options.Metrics))
	for i, m := range pre.options.Metrics {
		tallies[i] = robustness.NewTally(m.Name)
	}
	step, done := a.start("eval robustness", 2*countRecords(built))
	defer done()
	records := openRecords(build)
	defer records.stop()
	for _, r := range built {
		unchanged, err := records.unchanged(&r)
		if err != nil {
			return nil, err
		}
		before, err := a.judgeSide(ctx, pre, build, split, r, step)
		if err != nil {
			return nil, err
		}
		after, err := a.judgeSide(ctx, post, build, split, r, step)
		if err != nil {
			return nil, err
		}
		for i, b := range before {
			for m, t := range tallies {
				t.Add(robustness.Record{Perturbation: r.Name, Group: string(r.Group), DB: b.db, Unchanged: unchanged[i], Pre: b.of(m), Post: after[i].of(m)})
			}
		}
	}
	return tallies, nil
}

// side is what lies before or after the perturbations, with its predictions.
type side struct {
	name    string // "pre" or "post"
	options evaluate.Options
	pred    *predictions
	joined  joined
}

func (a *app) openSide(name, pred string, f *robustnessFlags, o evaluate.Options, perturbations, records int) (*side, error) {
	p, err := a.openPredictions(pred, &f.extract, perturbations, records)
	return &side{name: name, options: o, pred: p}, err
}

func (s *side) when() string { return map[string]string{"pre": "before", "post": "after"}[s.name] }

// of returns the gold SQL of a perturbation on this side, and what its predictions are
// judged by.
func (s *side) of(a *app, build, split string, r benchmark.Result) (gold string, o evaluate.Options, err error) {
	dir := filepath.Join(build, filepath.FromSlash(r.Name), s.name)
	o = s.options
	o.Content, o.Gold = filepath.Join(dir, "database"), filepath.Join(dir, split+".json")
	o.Databases, err = dataset.Schemas(filepath.Join(dir, "tables.json"), a.report)
	return o.Gold, o, err
}

// checkGold prints in a line where the gold SQL of a side is not right, above the tables
// where these are for people.
func (a *app) checkGold(ctx context.Context, s *side, f *robustnessFlags, split string, built []benchmark.Result) error {
	check := &evaluate.GoldCheck{}
	for _, r := range built {
		gold, o, err := s.of(a, f.build, split, r)
		if err != nil {
			return err
		}
		if err := check.Add(ctx, dataset.Golds(gold), o); err != nil {
			return err
		}
	}
	if check.Right() {
		return nil
	}
	if f.format == "text" {
		_, err := fmt.Fprintf(a.stdout, "%s the perturbations: %s\n", s.when(), check)
		return err
	}
	a.warn(fmt.Errorf("%s the perturbations: %s", s.when(), check))
	return nil
}

// judged is what the metrics say of one prediction; nothing where its record
// cannot be judged at all.
type judged struct {
	db       string
	verdicts []verdict.Verdict
}

func (j judged) of(metric int) verdict.Verdict {
	if j.verdicts == nil {
		return verdict.Unjudged
	}
	return j.verdicts[metric]
}

// judgeSide scores the predictions on one side of a perturbation, by position.
func (a *app) judgeSide(ctx context.Context, s *side, build, split string, r benchmark.Result, step func()) ([]judged, error) {
	gold, o, err := s.of(a, build, split, r)
	if err != nil {
		return nil, err
	}
	var all []judged // grows with the records, for the manifest may say anything
	err = evaluate.Run(ctx, asked(s.joined.count(exactly(r.Records(), gold, s.pred.pairs(gold, r.Name)))), o, func(rec *evaluate.Record) error {
		step()
		j := judged{db: rec.DB}
		for _, score := range rec.Scores {
			j.verdicts = append(j.verdicts, score.Verdict)
		}
		all = append(padded(all, rec.Index), j)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return padded(all, r.Records()), nil
}

// padded returns the list with n elements, where it has fewer.
func padded(list []judged, n int) []judged {
	return append(list, make([]judged, max(0, n-len(list)))...)
}

// exactly ends the pairs with an error where the gold has other than n records,
// which are as many as manifest.json says.
func exactly(n int, gold string, pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return func(report func(error), each func(*dataset.Pair) error) error {
		i := 0
		one := func() error {
			if i++; i > n {
				return fmt.Errorf("%s: has more than %d records, expected as many as manifest.json says", gold, n)
			}
			return nil
		}
		var failed error
		err := pairs(func(err error) {
			if ofFile(gold, err) {
				failed = cmp.Or(failed, one())
			}
			report(err)
		}, func(p *dataset.Pair) error {
			if err := cmp.Or(failed, one()); err != nil {
				return err
			}
			return each(p)
		})
		err = cmp.Or(failed, err)
		if err == nil && i < n {
			err = fmt.Errorf("%s: has %d records, expected %d as manifest.json says", gold, i, n)
		}
		return err
	}
}

// ofFile tells whether an error is about a record of a file.
func ofFile(path string, err error) bool {
	record, ok := errors.AsType[*dataset.RecordError](err)
	return ok && record.File == path
}

// asked leaves out the pairs whose question was not asked.
func asked(pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return func(report func(error), each func(*dataset.Pair) error) error {
		return pairs(report, func(p *dataset.Pair) error {
			if p.Problem == dataset.ErrNotAsked {
				return nil
			}
			return each(p)
		})
	}
}
