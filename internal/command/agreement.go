package command

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// agreementFlags are the flags of eval agreement. With gold SQL it judges predictions itself.
type agreementFlags struct {
	evalFlags
	truth string
}

// agreementCmd returns the command eval agreement.
func (a *app) agreementCmd() *cobra.Command {
	var f agreementFlags
	cmd := &cobra.Command{
		Use:     "agreement [VERDICTS...]",
		Short:   "How far metrics agree with one taken for the truth",
		Long:    help("agreement"),
		Example: examples("agreement"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			files, err := a.verdictFiles(cmd.Context(), &f, paths)
			if err != nil {
				return err
			}
			return a.printResult(stats.Agree(f.truth, files))
		},
	}
	f.addInputs(a, cmd)
	cmd.Flags().StringVar(&f.truth, "truth", "suite", "the metric that the others are compared with")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// verdictFiles returns the verdicts on each model's predictions: read from files of verdicts, or judged from the predictions of
// --pred.
func (a *app) verdictFiles(ctx context.Context, f *agreementFlags, paths []string) ([]*verdict.File, error) {
	if (len(paths) > 0) == (len(f.pred) > 0) {
		return nil, errors.New("expected either files of verdicts, or --pred with --data or --gold")
	}
	if len(paths) > 0 {
		return mapEach(paths, a.readVerdicts)
	}
	if f.gold == "" && f.data == "" {
		return nil, errors.New("--pred: expected --data or --gold with it, the questions that the predictions answer")
	}
	o, err := f.inputs(a)
	if err != nil {
		return nil, err
	}
	return mapEach(f.pred, func(pred string) (*verdict.File, error) { return a.judgeTwice(ctx, f, pred, o) })
}

// judgeTwice returns the verdicts on a file of predictions by the metrics of the options, and by strict exact set match, which
// becomes one more metric of each row.
func (a *app) judgeTwice(ctx context.Context, f *agreementFlags, pred string, o evaluate.Options) (*verdict.File, error) {
	v, err := a.verdictsOn(ctx, f, pred, o)
	if err != nil {
		return nil, err
	}
	o.Execution.Strict = true
	if o.Metrics, err = evaluate.Select("exact"); err != nil {
		return nil, err
	}
	strict, err := a.verdictsOn(ctx, f, pred, o)
	if err != nil {
		return nil, err
	}
	v.Metrics = append(v.Metrics, "exact-strict")
	for i := range v.Rows {
		v.Rows[i].Verdicts = append(v.Rows[i].Verdicts, strict.Rows[i].Verdicts...)
	}
	return v, nil
}

// verdictsOn returns the verdicts on a file of predictions by the metrics of the options. Scoring writes verdicts as the text
// that readVerdicts reads from files.
func (a *app) verdictsOn(ctx context.Context, f *agreementFlags, pred string, o evaluate.Options) (v *verdict.File, err error) {
	in, err := dataset.OpenInput(pred, a.stdin)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	step, done := a.start("eval agreement", unknownTotal)
	defer done()
	var b bytes.Buffer
	s := &evaluate.Scoring{Options: o, Extraction: f.extract.extraction(), Verdicts: &b, Step: step, Note: a.warn}
	if _, err := s.Score(ctx, in); err != nil {
		return nil, err
	}
	return verdict.Read(&b, pred, a.skip)
}

// readVerdicts reads a file of verdicts that eval --verdicts wrote.
func (a *app) readVerdicts(path string) (*verdict.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return verdict.Read(f, path, a.skip)
}
