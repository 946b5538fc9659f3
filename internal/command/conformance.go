package command

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/conformance"
)

// conformanceCmd returns the command eval conformance.
func (a *app) conformanceCmd() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "conformance",
		Short:   "The known faults of public evaluators, put to the metrics of eval",
		Long:    help("conformance"),
		Example: examples("conformance"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.conformance(cmd.Context(), out) },
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write the pairs and their databases to")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// conformance judges pairs of gold and prediction on which public evaluators fail, and prints the verdicts. Their databases are
// written to out, or to a temporary folder if out is "". It returns [errFindings] if a verdict is not as expected.
func (a *app) conformance(ctx context.Context, out string) error {
	suite, err := conformance.Load()
	if err != nil {
		return err
	}
	dir := out
	if dir == "" {
		tmp, err := os.MkdirTemp("", "tabperturb-conformance-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = filepath.Join(tmp, "suite")
	}
	if err := suite.Write(ctx, dir); err != nil {
		return err
	}
	r, err := suite.Report(ctx, dir)
	if err != nil {
		return err
	}
	return cmp.Or(a.print(r.Rows, r.WriteText), findingsError(r.Missed > 0))
}
