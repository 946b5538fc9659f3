package command

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/evaluate/compare"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// shownTurned is how many turned records of a metric are printed in each direction.
const shownTurned = 10

type compareFlags struct {
	metrics   []string
	maxDrop   float64
	bootstrap stats.Bootstrap
	junit     string
	all       bool
}

// compareCmd returns the command compare.
func (a *app) compareCmd() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:     "compare A B",
		Short:   "Two evaluations of the same questions: is the difference real, and which records turned; or two builds",
		Long:    help("compare"),
		Example: examples("compare"),
		Args:    cobra.ExactArgs(2),
		RunE:    func(_ *cobra.Command, paths []string) error { return a.compare(&f, paths[0], paths[1]) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.metrics, "metric", nil, "metrics to compare by; repeatable or comma-separated (default: all that both have)")
	fl.Float64Var(&f.maxDrop, "max-drop", 0, "percentage points by which a metric may drop")
	fl.Float64Var(&f.bootstrap.Level, "level", stats.DefaultLevel, "confidence of intervals and test")
	fl.StringVar(&f.junit, "junit", "", "file to write as JUnit's XML, for continuous integration")
	markOutputs(cmd, "junit")
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print every record that turned, not the first %d of each metric and direction", shownTurned))
	a.jsonFlag(cmd, "print the comparison as JSON, with every record that turned")
	return cmd
}

// compare prints the comparison of two files of eval --json, and returns [errFindings] if a drop is real and above
// --max-drop. Of two builds it compares the strength.
func (a *app) compare(f *compareFlags, pathA, pathB string) error {
	switch {
	case !(f.maxDrop >= 0 && f.maxDrop <= 100): // also NaN
		return fmt.Errorf("--max-drop %v: expected 0 to 100 percentage points", f.maxDrop)
	case !(f.bootstrap.Level > 0 && f.bootstrap.Level < 1):
		return fmt.Errorf("--level %v: expected more than 0 and less than 1", f.bootstrap.Level)
	}
	if err := a.writable("junit", f.junit); err != nil {
		return err
	}
	if benchmark.IsBuild(pathA) && benchmark.IsBuild(pathB) {
		return a.compareBuilds(pathA, pathB)
	}
	f.bootstrap.Seed = a.seed
	evaluations, err := mapEach([]string{pathA, pathB}, compare.Read)
	if err != nil {
		return err
	}
	r, err := compare.Compare(evaluations[0], evaluations[1], compare.Options{Metrics: f.metrics, MaxDrop: f.maxDrop, Bootstrap: f.bootstrap})
	if err != nil {
		return err
	}
	if f.junit != "" {
		if err := outdir.WriteFile(f.junit, r.WriteJUnit); err != nil {
			return err
		}
	}
	return cmp.Or(a.print(r, func(w io.Writer) error { return r.WriteText(w, shownOf(f.all, shownTurned)) }), findingsError(r.Failed()))
}
