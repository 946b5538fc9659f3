package command

import (
	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/logical"
)

// evalWikiSQLCmd returns the command eval wikisql.
func (a *app) evalWikiSQLCmd() *cobra.Command {
	var gold, pred string
	var o logical.Options
	cmd := &cobra.Command{
		Use:     "wikisql",
		Short:   "Execution and logical-form accuracy as WikiSQL's evaluator defines them",
		Long:    help("eval_wikisql"),
		Example: examples("eval_wikisql"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Report = a.report
			return a.printResult(logical.Score(cmd.Context(), gold, pred, o))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&gold, "gold", "", "questions with gold logical forms")
	fl.StringVar(&pred, "pred", "", "predicted logical forms, a line each")
	fl.StringVar(&o.DB, "db", "", "SQLite file with the rows (default: predictions are not run)")
	fl.BoolVar(&o.Ordered, "ordered", false, "compare conditions as lists, not as sets")
	markInputs(cmd, "db", "gold", "pred")
	a.jsonFlag(cmd, "print as JSON, with the official script's ex_accuracy and lf_accuracy")
	require(cmd, "gold", "pred")
	return cmd
}
