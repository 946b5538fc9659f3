package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/doctor"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

type doctorFlags struct {
	doctor.Config
	timeout   time.Duration
	all, fail bool
}

// shownFindings is how many findings of a check are printed without --all.
const shownFindings = 5

// doctorCmd returns the command doctor.
func (a *app) doctorCmd() *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Audit a data directory: gold SQL that fails, answers that are undetermined, schemas that disagree",
		Long:    help("doctor", checkDocs()),
		Example: examples("doctor"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.Data, &f.Split)
	fl.StringVar(&f.Gold, "gold", "", "file of lines SQL TAB db_id to audit in the place of the split")
	fl.StringVar(&f.Against, "against", "", "data directory with the same examples before a change: report only what it does not have")
	fl.DurationVar(&f.Slow, "slow", doctor.DefaultSlow, "gold SQL that takes longer is slow")
	fl.DurationVar(&f.timeout, "timeout", sqldata.DefaultLimits.Time, "time limit of a query")
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print every finding, not the first %d of each check", shownFindings))
	fl.BoolVar(&f.fail, "fail-on-findings", false, "exit with 1 where there are errors or warnings")
	markInputs(cmd, "against", "gold")
	a.jsonFlag(cmd, "print all findings as a JSON list")
	cmd.MarkFlagsMutuallyExclusive("gold", "against")
	return cmd
}

// checkDocs returns a line for each check.
func checkDocs() string {
	return strings.Join(lists.Map(doctor.Checks(), func(c doctor.Check) string {
		return fmt.Sprintf("  %-22s %s: %s", c.Name, c.Severity, c.Doc)
	}), "\n")
}

// doctor audits a data directory and prints the findings. With --fail-on-findings it returns [errFindings] for an error or a warning.
func (a *app) doctor(ctx context.Context, f *doctorFlags) error {
	if err := checkData(f.Data, f.Split); err != nil {
		return err
	}
	if min(f.Slow, f.timeout) <= 0 {
		return fmt.Errorf("--slow %v, --timeout %v: expected more than 0", f.Slow, f.timeout)
	}
	step, done := a.start("doctor", unknownTotal)
	defer done()
	f.Workers, f.Step, f.Limits = a.workers, step, sqldata.Limits{Time: f.timeout}
	all, bad := []doctor.Finding{}, false // not nil, which JSON has as null
	summary, err := doctor.Run(ctx, f.Config, func(found doctor.Finding) {
		all = append(all, found)
		bad = bad || found.Severity != doctor.Note
	})
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return doctor.Print(w, summary, all, shownOf(f.all, shownFindings)) }
	return cmp.Or(a.print(all, write), findingsError(f.fail && bad))
}
