package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// judgeFlags holds the flags for how predictions are judged, of eval and eval robustness.
type judgeFlags struct {
	metrics                         []string
	suite                           string
	plugValue, keepDistinct, strict bool
	officialValue                   bool
	timeout                         time.Duration
	judgeGold                       bool
	metricSet                       func() bool // whether --metric is given; nil if it is none of the flags
}

// addAll adds all flags to a command.
func (f *judgeFlags) addAll(cmd *cobra.Command) {
	f.metricSet = func() bool { return cmd.Flags().Changed("metric") }
	cmd.Flags().StringSliceVar(&f.metrics, "metric", []string{"exact", "exec"}, "metrics: "+strings.Join(evaluate.MetricNames(), ", ")+"; repeatable or comma-separated")
	cmd.Flags().BoolVar(&f.judgeGold, "judge-gold", false, "judge the gold SQL as its own prediction before anything is scored, and say first where it is not right")
	f.addModes(cmd)
}

// addModes adds the flags without --metric and --judge-gold, for commands with fixed metrics.
func (f *judgeFlags) addModes(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.suite, "suite", "", "folder that `suite distill` wrote, for the metric suite, which it adds where --metric is not given")
	fl.BoolVar(&f.plugValue, "plug-value", false, "try the gold's constants in the place of the prediction's")
	fl.BoolVar(&f.keepDistinct, "keep-distinct", false, "keep DISTINCT, which the official evaluator drops")
	fl.BoolVar(&f.officialValue, "official-value", false, "replace \"value\" by 1 within names and strings of a prediction too, as the official evaluator does")
	fl.BoolVar(&f.strict, "strict", false, "repair the faults of the official evaluators instead of repeating them")
	fl.DurationVar(&f.timeout, "timeout", 0, fmt.Sprintf("time limit of a query (default %v, for exec-bird %v; exec and suite count 5 million steps of the engine for a second); --plug-value may take as long again",
		sqldata.DefaultLimits.Time, execution.BIRDLimits(sqldata.Limits{}).Time))
}

// options returns the options of a run. The metric suite is added if --suite is given without --metric. The caller must add
// schemas and content.
func (f *judgeFlags) options(a *app) (evaluate.Options, error) {
	o := evaluate.Options{Workers: a.workers, Skip: a.report, Execution: execution.Options{
		PlugValue: f.plugValue, KeepDistinct: f.keepDistinct, OfficialValue: f.officialValue, Strict: f.strict, Limits: sqldata.Limits{Time: f.timeout},
	}}
	if f.timeout < 0 {
		return o, fmt.Errorf("--timeout %v: expected more than 0", f.timeout)
	}
	byDefault := f.metricSet == nil || !f.metricSet() // no --metric is given, or the command has no such flag
	if f.suite != "" && byDefault && !slices.Contains(f.metrics, "suite") {
		f.metrics = append(slices.Clone(f.metrics), "suite")
	}
	if len(f.metrics) == 0 {
		return o, fmt.Errorf("--metric: names no metric, expected some of %s", strings.Join(evaluate.MetricNames(), ", "))
	}
	var err error
	if o.Metrics, err = evaluate.Select(f.metrics...); err != nil {
		return o, fmt.Errorf("--metric %w", err)
	}
	if !slices.Contains(f.metrics, "suite") {
		return o, nil
	}
	if f.suite == "" {
		return o, errors.New("--metric suite: expected --suite DIR, a folder that `suite distill` wrote")
	}
	s, err := suite.OpenSuite(f.suite)
	if err != nil {
		return o, err
	}
	o.Suite = s.For
	return o, nil
}

// extractFlag is the flag --extract.
type extractFlag struct {
	all   bool        // its value
	isSet func() bool // whether it was given
}

// add adds the flag to a command.
func (f *extractFlag) add(cmd *cobra.Command) {
	const name = "extract"
	cmd.Flags().BoolVar(&f.all, name, false, "take the SQL out of code fences, labels, explanations and several statements (default: from JSON and CSV, not from lines)")
	f.isSet = func() bool { return cmd.Flags().Changed(name) }
}

// extraction returns the method by which SQL is extracted from predictions.
func (f *extractFlag) extraction() *evaluate.Extraction { return evaluate.Extract(f.isSet(), f.all) }

type evalFlags struct {
	judgeFlags
	extract                    extractFlag
	data, split                string
	gold, tables, db, verdicts string
	server                     string // the address that db was given as
	pred                       []string
	parts                      bool
}

// evalCmd returns the command eval.
func (a *app) evalCmd() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:     "eval",
		Short:   "Score predictions: exact set match, execution, test suites",
		Long:    help("eval"),
		Example: examples("eval"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withContent(cmd.Context(), &f.db, &f.server, func() error { return a.eval(cmd.Context(), &f) })
		},
	}
	f.addFlags(a, cmd)
	cmd.AddCommand(a.robustnessCmd(), a.consistencyCmd(), a.abstentionCmd(), a.agreementCmd(), a.evalLinkCmd(), a.evalWikiSQLCmd(), a.conformanceCmd())
	return cmd
}

// addFlags adds the flags of eval to the command: those for its inputs, and those for its output.
func (f *evalFlags) addFlags(a *app, cmd *cobra.Command) {
	f.addInputs(a, cmd)
	cmd.MarkFlagsOneRequired("data", "gold")
	require(cmd, "pred")
	fl := cmd.Flags()
	fl.StringVar(&f.verdicts, "verdicts", "", "file to write with a line for each prediction")
	markOutputs(cmd, "verdicts")
	fl.BoolVar(&f.parts, "parts", false, "print the partial scores of exact set match")
	a.jsonFlag(cmd, "print the report as JSON, with the records; of several --pred a list of reports")
}

// addInputs adds the flags for what is judged, and how.
func (f *evalFlags) addInputs(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	f.addAll(cmd)
	f.extract.add(cmd)
	a.optionalDataFlags(cmd, &f.data, &f.split)
	fl.StringVar(&f.gold, "gold", "", "gold SQL instead of --data: a split in JSON, or lines of SQL, tab, db_id")
	cmd.MarkFlagsMutuallyExclusive("data", "gold")
	cmd.MarkFlagsMutuallyExclusive("split", "gold")
	fl.StringArrayVar(&f.pred, "pred", nil, "predictions: lines of SQL, JSON, CSV or BIRD's; - is standard input; repeatable")
	fl.StringVar(&f.tables, "tables", "", "schemas (default: tables.json beside the gold)")
	fl.StringVar(&f.db, "db", "", "folder of DB_ID/DB_ID.sqlite, or the address of the PostgreSQL database DB_ID (default: database beside the gold)")
	markInputs(cmd, "gold", "pred", "db", "suite", "tables")
}

// inputs returns the options by which predictions are judged, with the gold SQL, schemas and databases.
func (f *evalFlags) inputs(a *app) (evaluate.Options, error) {
	o, err := f.options(a)
	if err != nil {
		return o, err
	}
	if err := f.check(a); err != nil {
		return o, err
	}
	o.Content, o.Server, o.Gold = f.db, f.server, f.gold
	o.Databases, err = dataset.Schemas(f.tables, a.warn)
	return o, err
}

// patientGC is how far the heap may grow between two collections, in percent. It
// stays small while predictions are judged, and each collection holds up the SQL
// engine, whose long functions the runtime can stop only with effort.
const patientGC = 400

// eval scores each file of predictions and prints one report, or a table of several. With --judge-gold it judges the gold SQL
// first.
func (a *app) eval(ctx context.Context, f *evalFlags) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(patientGC))
	o, err := f.inputs(a)
	if err != nil {
		return err
	}
	var check *evaluate.GoldCheck
	if f.judgeGold {
		check = &evaluate.GoldCheck{}
		// Questions without gold SQL are left out.
		if err := check.Add(ctx, (&evaluate.WithGold{}).Only(dataset.Golds(f.gold)), o); err != nil {
			return err
		}
	}
	var all []*evaluate.Evaluation
	for _, pred := range f.pred {
		e, err := a.score(ctx, f, pred, o)
		if err != nil {
			return err
		}
		e.GoldCheck = check
		all = append(all, e)
	}
	if len(all) == 1 {
		return a.print(all[0], func(w io.Writer) error { return all[0].WriteText(w, f.parts) })
	}
	return a.print(all, func(w io.Writer) error {
		return evaluate.WriteSeveral(w, lists.Map(all, func(e *evaluate.Evaluation) *evaluate.Report { return e.Report }))
	})
}

// score scores a file of predictions and, with --verdicts, writes the file of verdicts.
func (a *app) score(ctx context.Context, f *evalFlags, pred string, o evaluate.Options) (e *evaluate.Evaluation, err error) {
	in, err := dataset.OpenInput(pred, a.stdin)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	step, done := a.start("eval", unknownTotal)
	defer done()
	s := &evaluate.Scoring{Options: o, Extraction: f.extract.extraction(), Records: a.json, Step: step, Note: a.warn}
	if f.verdicts == "" {
		return s.Score(ctx, in)
	}
	err = outdir.WriteFile(f.verdicts, func(w io.Writer) error {
		s.Verdicts = w
		e, err = s.Score(ctx, in)
		return err
	})
	return e, err
}

// check sets the default paths of gold SQL, schemas and databases. Before any work it returns an error if an input does not
// exist or the output cannot be written.
func (f *evalFlags) check(a *app) error {
	if f.gold == "" {
		if err := checkData(f.data, f.split); err != nil {
			return err
		}
		var err error
		if f.gold, err = dataset.SplitFile(f.data, f.split); err != nil {
			return err
		}
	}
	if f.tables == "" {
		f.tables = nextTo(f.gold, "tables.json", "tables.json.gz", "_tables.json")
	}
	for _, in := range append([]string{f.gold}, f.pred...) {
		if _, err := os.Stat(in); err != nil && in != dataset.Standard {
			return err
		}
	}
	if len(f.pred) > 1 && (f.verdicts != "" || f.parts) {
		return errors.New("--verdicts and --parts are of one file of predictions, expected one --pred")
	}
	if !exists(f.tables) {
		return fmt.Errorf("%s: is not there, expected the schemas; --tables names another file", f.tables)
	}
	if f.db != "" && !exists(f.db) {
		return fmt.Errorf("--db %s: is not there, expected a folder of DB_ID/DB_ID.sqlite", f.db)
	}
	if f.db == "" {
		f.db = nextTo(f.gold, "database", "databases", "_databases")
	}
	a.inputs.Add(f.tables, f.db)
	return a.writable("verdicts", f.verdicts)
}

// nextTo returns the path of the first of names that exists in the folder of a gold file, or else the path of names[0]. A name
// that begins with _ gets the split as a prefix, as in the files of BIRD: "_tables.json" → "dev_tables.json".
func nextTo(gold string, names ...string) string {
	split, _, _ := strings.Cut(filepath.Base(gold), ".")
	for _, name := range names {
		if strings.HasPrefix(name, "_") {
			name = split + name
		}
		if path := filepath.Join(filepath.Dir(gold), name); exists(path) {
			return path
		}
	}
	return filepath.Join(filepath.Dir(gold), names[0])
}

// exists reports whether a file or folder is at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
