package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/consistency"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
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

func (a *app) consistencyCmd() *cobra.Command {
	var f consistencyFlags
	cmd := &cobra.Command{
		Use:   "consistency",
		Short: "Error rates of a model on variants that must not change its output",
		Long: `consistency tests models without gold SQL, as MT-TEQL does: the output on each
variant of a build must be the same as that on the original, by exact set match
(--metric exact) or by their answers (exec). It prints the error rate of each
perturbation and of all pairs together, with intervals that draw databases, the
types of the errors (columns, aggregates, operators, joins, several at once) and
the clauses that differ. Names that a variant changed are carried over; records
whose answer is to change are not judged, nor are turns of interactions that stand
unchanged beside perturbed ones.

Predictions are given as for eval robustness: a file in a form of eval --pred, or a
folder of NAME.sql. Several models are compared with
--model NAME=PRE,POST: each is good, neutral or bad on a perturbation by how far
its rate lies from their mean, and --heatmap draws the rates.

--json prints {"models": [{"name", "relations": [{"name", "pairs", "errors",
"rate", "low", "high", …}]}]}, from which mix --strategy adaptive takes error rates.`,
		Example: "  tabperturb eval consistency --build benchmark --pred-pre before.sql --pred-post after.sql\n" +
			"  tabperturb eval consistency --build benchmark --model ratsql=rat/pre,rat/post --model irnet=ir/pre,ir/post --heatmap rates.svg",
		Args: cobra.NoArgs,
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
	fl.DurationVar(&f.timeout, "timeout", sqlite.DefaultLimits.Time, "time limit of a query")
	fl.StringVar(&f.heatmap, "heatmap", "", "SVG file to write with the rates of models and perturbations")
	writes(cmd, "heatmap")
	a.formatFlags(cmd, &f.format)
	require(cmd, "build")
	return cmd
}

// outputs is one model's files of predictions.
type outputs struct{ name, pre, post string }

// parse checks the flags and returns the models.
func (f *consistencyFlags) parse(a *app) ([]outputs, error) {
	if !slices.Contains([]string{"exact", "exec"}, f.metric) {
		return nil, fmt.Errorf("--metric %q: expected exact or exec", f.metric)
	}
	var models []outputs
	if f.predPre+f.predPost != "" {
		if len(f.models) > 0 {
			return nil, errors.New("--model: stands beside --pred-pre and --pred-post, expected one or the other: a single model needs no name")
		}
		if f.predPre == "" || f.predPost == "" {
			return nil, errors.New("--pred-pre, --pred-post: one is given without the other, expected both")
		}
		models = append(models, outputs{"model", f.predPre, f.predPost})
	}
	for _, text := range f.models {
		name, files, _ := strings.Cut(text, "=")
		pre, post, _ := strings.Cut(files, ",")
		if slices.Contains([]string{name, pre, post}, "") || strings.ContainsFunc(name, unicode.IsControl) {
			return nil, fmt.Errorf("--model %q: expected NAME=PRE,POST", text)
		}
		if slices.ContainsFunc(models, func(m outputs) bool { return m.name == name }) {
			return nil, fmt.Errorf("--model %q: is given twice, expected another name", name)
		}
		models = append(models, outputs{name, pre, post})
	}
	if len(models) == 0 {
		return nil, errors.New("no predictions: expected --pred-pre and --pred-post, or --model NAME=PRE,POST")
	}
	if f.heatmap == "" {
		return models, nil
	}
	return models, a.writable("heatmap", f.heatmap)
}

func (a *app) consistency(ctx context.Context, f *consistencyFlags) (*consistency.Report, error) {
	models, err := f.parse(a)
	if err != nil {
		return nil, err
	}
	split, built, err := readBuild(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	judge := judgeFlags{metrics: []string{f.metric}, strict: f.strict, timeout: f.timeout}
	o, err := judge.options(a)
	if err == nil && o.Runs() {
		err = needDatabases(f.build, built)
	}
	if err != nil {
		return nil, err
	}
	step, done := a.start("eval consistency", len(models)*countRecords(built))
	defer done()
	var tallies []*consistency.Tally
	for _, m := range models {
		tally, err := a.outputsOf(ctx, m, f, split, built, o, step)
		if err != nil {
			return nil, err
		}
		tallies = append(tallies, tally)
	}
	r := consistency.NewReport(f.metric, tallies, stats.Bootstrap{Seed: a.seed})
	o.Content = f.build
	r.How = o.Metrics[0].How(&o)
	if f.heatmap != "" {
		err = outdir.WriteFile(f.heatmap, func(w io.Writer) error { return r.WriteHeatMap(w) })
	}
	return r, err
}

// outputsOf compares a model's outputs on all perturbations.
func (a *app) outputsOf(ctx context.Context, m outputs, f *consistencyFlags, split string, built []benchmark.Result, o evaluate.Options, step func()) (tally *consistency.Tally, err error) {
	pre, err := a.openPredictions(m.pre, &f.extract, len(built), countRecords(built))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pre.close()) }()
	post, err := a.openPredictions(m.post, &f.extract, len(built), countRecords(built))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, post.close()) }()
	records := openRecords(f.build)
	defer records.stop()
	tally = consistency.NewTally(m.name)
	for _, r := range built {
		t := &twoSides{dir: filepath.Join(f.build, filepath.FromSlash(r.Name)), split: split, result: r, records: records, report: a.report}
		if err := t.open(); err != nil {
			return nil, err
		}
		o.Gold = t.file("post", split+".json")
		o.Databases = t.after
		o.Content = t.file("post", "database")
		err := consistency.Run(ctx, t.pairs(pre, post), o, func(p *consistency.Pair, out consistency.Outcome) error {
			step()
			tally.Add(r.Name, p.DB, out)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return tally, cmp.Or(pre.end(a), post.end(a))
}

// twoSides reads the records of one perturbation before and after.
type twoSides struct {
	dir, split    string
	result        benchmark.Result
	records       *buildRecords
	report        func(error)
	before, after map[string]*dataset.Database
	sides         map[*dataset.Database]*consistency.Side
}

func (t *twoSides) file(side, name string) string { return filepath.Join(t.dir, side, name) }

func (t *twoSides) open() (err error) {
	t.sides = map[*dataset.Database]*consistency.Side{}
	if t.before, err = dataset.Schemas(t.file("pre", "tables.json"), t.report); err != nil {
		return err
	}
	t.after, err = dataset.Schemas(t.file("post", "tables.json"), t.report)
	return err
}

// side returns the side of a schema, or nil where there is none.
func (t *twoSides) side(db *dataset.Database) *consistency.Side {
	if db == nil {
		return nil
	}
	if t.sides[db] == nil {
		t.sides[db] = consistency.NewSide(db)
	}
	return t.sides[db]
}

// pairs has the outputs on each record. One that cannot be read on a side is
// reported and has no schema there.
func (t *twoSides) pairs(pre, post *predictions) dataset.Stream[*consistency.Pair] {
	return func(report func(error), each func(*consistency.Pair) error) error {
		before, stopBefore := t.positions("pre", pre, report)
		defer stopBefore()
		after, stopAfter := t.positions("post", post, report)
		defer stopAfter()
		for i := 0; ; i++ {
			b, errBefore, more := before()
			a, errAfter, moreAfter := after()
			if !more && !moreAfter {
				return nil
			}
			if err := cmp.Or(errBefore, errAfter); err != nil {
				return err
			}
			p, err := t.pair(i, b, a)
			if err != nil {
				return err
			}
			if err := each(p); err != nil {
				return err
			}
		}
	}
}

// positions returns the pairs of a side one at a time, nil for a record that cannot be used.
func (t *twoSides) positions(side string, pred *predictions, report func(error)) (next func() (*dataset.Pair, error, bool), stop func()) {
	gold := t.file(side, t.split+".json")
	pairs := exactly(t.result.Records(), gold, pred.pairs(gold, t.result.Name))
	return dataset.Pull(func(report func(error), each func(*dataset.Pair) error) error {
		var failed error
		err := pairs(func(err error) {
			report(err)
			if failed == nil && ofFile(gold, err) {
				failed = each(nil)
			}
		}, func(p *dataset.Pair) error {
			if failed != nil {
				return failed
			}
			return each(p)
		})
		return cmp.Or(failed, err)
	}, report)
}

// pair joins the sides of a record; either is nil where it cannot be read.
func (t *twoSides) pair(i int, before, after *dataset.Pair) (*consistency.Pair, error) {
	r, err := t.records.of(&t.result)
	if err != nil {
		return nil, err
	}
	p := &consistency.Pair{Index: i, DB: r.DBPre, Relation: perturb.Relation(r.Relation), Unchanged: r.Unchanged()}
	if p.Edits, err = perturb.UnmarshalEdits([]byte(r.Edits)); err != nil {
		return nil, fmt.Errorf("%s: record %d of %s: edits: %w", t.records.path, i+1, r.Perturbation, err)
	}
	if before != nil {
		p.Before, p.Pre = t.side(t.before[before.DB]), consistency.Output{SQL: before.Prediction, Problem: before.Problem}
	}
	if after != nil {
		p.After, p.Post = t.side(t.after[after.DB]), consistency.Output{SQL: after.Prediction, Problem: after.Problem}
	}
	if before != nil && before.DB != r.DBPre || after != nil && after.DB != r.DBPost {
		return nil, fmt.Errorf("%s: record %d of %s is about %s and %s, which those of pre and post are not", t.records.path, i+1, r.Perturbation, r.DBPre, r.DBPost)
	}
	return p, nil
}
