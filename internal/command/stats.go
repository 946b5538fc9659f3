package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset/counts"
)

type statsFlags struct {
	data, split string
	buckets     []string
}

// statsCmd returns the command stats.
func (a *app) statsCmd() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count tables, questions, columns and words of a data set, and the names found for it",
		Long:    help("stats"),
		Example: examples("stats"),
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printResult(a.statistics(&f)) },
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of names: buckets.json, or ADVETA's with rpl or add in their name; repeatable or comma-separated")
	markInputs(cmd, "buckets")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// statistics returns counts of a data directory, and of the names in the files of --buckets.
func (a *app) statistics(f *statsFlags) (*counts.Statistics, error) {
	units, err := a.readUnits(f.data, f.split)
	if err != nil {
		return nil, err
	}
	names, _, err := benchmark.ReadBuckets(f.buckets, units, a.report)
	if err != nil {
		return nil, fmt.Errorf("--buckets: %w", err)
	}
	return counts.Of(units, names), nil
}
