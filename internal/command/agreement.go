package command

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// agreementCmd returns the command eval agreement.
func (a *app) agreementCmd() *cobra.Command {
	var truth string
	cmd := &cobra.Command{
		Use:   "agreement VERDICTS...",
		Short: "How far metrics agree with one taken for the truth",
		Long: `agreement compares metrics by what they say of the predictions of one model or
more. Each argument is a file that eval --verdicts wrote for one model; all of them
are about the same questions.

For each metric it prints, by hardness, the rates of false positives (right by the
metric, wrong in truth) and false negatives, with their mean, deviation and maximum
over the files. Both rates are shares of all predictions of the level, as in the
paper on distilled test suites. From three files on it prints how well a metric
ranks the models: Kendall's tau-b of its accuracy with the true one.`,
		Example: "  tabperturb eval agreement a.tsv b.tsv c.tsv\n" +
			"  tabperturb eval agreement a.tsv b.tsv c.tsv --truth exec --json",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			var files []*verdict.File
			for _, path := range paths {
				v, err := a.readVerdicts(path)
				if err != nil {
					return err
				}
				files = append(files, v)
			}
			return a.printResult(stats.Agree(truth, files))
		},
	}
	cmd.Flags().StringVar(&truth, "truth", "suite", "the metric that the others are compared with")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
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
