package command

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/report"
)

type showFlags struct {
	perturb, ids []string
	most         int
	mostSet      bool
}

// showCmd returns the command show.
func (a *app) showCmd() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:     "show BUILD",
		Short:   "Records of a build as a diff",
		Long:    help("show"),
		Example: examples("show"),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.mostSet = cmd.Flags().Changed("number")
			list, err := a.show(cmd.Context(), args[0], &f)
			if err != nil {
				return err
			}
			if a.json {
				return table.JSON(a.stdout, list)
			}
			w := bufio.NewWriter(a.stdout)
			report.WriteShown(w, list, a.colours())
			return w.Flush()
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.IntVarP(&f.most, "number", "n", 3, "records of each perturbation; with --id all by default")
	fl.StringSliceVar(&f.ids, "id", nil, "examples, their samples, or databases; repeatable or comma-separated")
	a.jsonFlag(cmd, "print the records as JSON")
	return cmd
}

// show returns the records of a build that the flags choose.
func (a *app) show(ctx context.Context, build string, f *showFlags) ([]report.Shown, error) {
	if f.most < 1 {
		return nil, fmt.Errorf("-n %d: expected 1 or more", f.most)
	}
	if !benchmark.IsBuild(build) {
		return nil, fmt.Errorf("%s: holds no build, expected a folder that build wrote", build)
	}
	m, err := benchmark.ReadManifest(build)
	if err != nil {
		return nil, err
	}
	_, built, err := benchmark.ReadResults(build, f.perturb)
	if err != nil {
		return nil, err
	}
	wanted := report.Wanted{IDs: f.ids, Most: f.most, Perturbations: resultNames(built)}
	if len(f.ids) > 0 && !f.mostSet {
		wanted.Most = 0 // all
	}
	return report.Show(ctx, build, m, wanted, a.report)
}
