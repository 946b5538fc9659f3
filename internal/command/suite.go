package command

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

type suiteFlags struct {
	data, split, out, nulls string
	databases, depth        int
	resume, fail            bool
	sharded
}

// suiteCmd returns the command suite.
func (a *app) suiteCmd() *cobra.Command {
	return group("suite", "Distil test suites of databases, and show them", "suite distill --data spider --out suite\n  tabperturb suite show suite",
		a.suiteDistillCmd(), a.suiteShowCmd())
}

// suiteDistillCmd returns the command suite distill.
func (a *app) suiteDistillCmd() *cobra.Command {
	var f suiteFlags
	cmd := &cobra.Command{
		Use:     "distill",
		Short:   "Distil a test suite: a few databases on which wrong predictions show",
		Long:    help("suite_distill"),
		Example: examples("suite_distill"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.suiteDistill(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	fl.StringVar(&f.out, "out", "", "folder to write")
	markOutputs(cmd, "out")
	fl.IntVar(&f.databases, "databases", suite.DefaultDatabases, "random databases to try for each schema")
	fl.IntVar(&f.depth, "depth", suite.DefaultDepth, "databases that are to tell each neighbour apart, where so many do")
	fl.StringVar(&f.nulls, "nulls", string(suite.NullsAllowed), "where random databases have NULL: observed, allowed or none")
	fl.BoolVar(&f.resume, "resume", false, "go on where an interrupted run with the same flags stopped")
	fl.BoolVar(&f.fail, "fail-on-findings", false, "exit with 1 where no database can judge a gold SQL")
	f.sharded.flag(cmd)
	cmd.MarkFlagsMutuallyExclusive("fail-on-findings", "shard")
	a.jsonFlag(cmd, "print the manifest as JSON")
	require(cmd, "out")
	return cmd
}

// suiteDistill distils a suite, or does a share of it. With --fail-on-findings it returns [errFindings] if no database can judge a gold SQL.
func (a *app) suiteDistill(ctx context.Context, f *suiteFlags) error {
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	units, c, err := a.suiteConfig(f)
	if err != nil {
		return err
	}
	step, done := a.start("suite", len(units))
	defer done()
	c.Step = step
	if !share.All() {
		part, err := suite.DistillPart(ctx, units, f.out, share, c)
		return a.printPart(part, err, f.out, f.data, "database")
	}
	m, err := suite.Distill(ctx, units, f.out, c)
	if err := a.printSuite(m, err, "wrote "+f.out); err != nil {
		return err
	}
	return findingsError(f.fail && m.Empty > 0)
}

// printSuite prints the manifest of a suite and a last line. If the suite could not be made or read, it only returns err.
func (a *app) printSuite(m *suite.Manifest, err error, last string) error {
	if err != nil {
		return err
	}
	return a.print(m, func(w io.Writer) error { return m.WriteText(w, last) })
}

// suiteConfig checks the flags and reads the data directory that a suite is distilled from.
func (a *app) suiteConfig(f *suiteFlags) (units []*dataset.Unit, c suite.Config, err error) {
	err = cmp.Or(atLeast("databases", f.databases, 0), atLeast("depth", f.depth, 1),
		oneOf("nulls", f.nulls, string(suite.NullsObserved), string(suite.NullsAllowed), string(suite.NullsNone)))
	if err != nil {
		return nil, c, err
	}
	hashes, err := dataInputs(f.data, f.split) // of the schemas, then of the examples
	if err != nil {
		return nil, c, err
	}
	if units, err = dataset.Units(f.data, f.split, a.report); err != nil {
		return nil, c, err
	}
	if err := needRows(units, "suite distill"); err != nil {
		return nil, c, err
	}
	stamps := databaseStamps(units) // taken before the databases are read, to notice later changes
	databases, err := benchmark.HashDatabases(units)
	if err != nil {
		return nil, c, err
	}
	inputs := lists.Map(append(hashes, databases), func(in benchmark.Input) suite.Input { return suite.Input{Name: in.Name, SHA256: in.SHA256} })
	return units, suite.Config{
		Databases: f.databases, Depth: f.depth, Seed: a.seed, Nulls: suite.Nulls(f.nulls), Workers: a.workers, Resume: f.resume,
		Inputs: inputs, Examples: filepath.Join(f.data, hashes[1].Name), Report: a.report, Unchanged: stamps.Check,
	}, nil
}

// suiteShowCmd returns the command suite show.
func (a *app) suiteShowCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show DIR",
		Short:   "Show what a test suite tells apart",
		Example: "  tabperturb suite show suite",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := suite.ReadManifest(args[0])
			return a.printSuite(m, err, "curve: "+filepath.Join(args[0], suite.CurveFile))
		},
	}
	a.jsonFlag(cmd, "print the manifest as JSON")
	return cmd
}
