package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// buildFlags holds the flags of build. Commands that build with fixed choices fill it in.
type buildFlags struct {
	resources
	data, split, out string
	buckets, perturb []string
	samples          int
	timeout          time.Duration
	fluency          float64
	accepted         []string           // files of decisions
	recordOf         benchmark.RecordOf // by default that of the split
	resume           bool
	databaseFlags
	selection benchmark.Selection
	existing
	sharded

	// Whether the flag was given: its default does not always apply.
	perturbSet, samplesSet, timeoutSet, acceptedSet bool
}

// defaultBuild returns the defaults of the flags.
func defaultBuild() buildFlags {
	return buildFlags{resources: defaultResources(), databaseFlags: defaultDatabaseFlags(), perturb: []string{"adveta"}, samples: benchmark.DefaultSamples}
}

// buildCmd returns the command build.
func (a *app) buildCmd() *cobra.Command {
	f := defaultBuild()
	cmd := &cobra.Command{
		Use:     "build",
		Short:   "Apply perturbations, verify each by execution, write drop-in data directories",
		Long:    help("build"),
		Example: examples("build"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			isSet := cmd.Flags().Changed
			f.perturbSet, f.samplesSet, f.timeoutSet, f.acceptedSet = isSet("perturb"), isSet("samples"), isSet("timeout"), isSet("accepted")
			return a.runBuild(cmd.Context(), &f)
		},
	}
	f.addFlags(a, cmd)
	return cmd
}

// addFlags adds the flags of build, and those that it shares with other commands, to the command.
func (f *buildFlags) addFlags(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	f.resources.flags(cmd)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of candidate names, which adveta needs: buckets.json or ADVETA's own; repeatable or comma-separated")
	fl.StringSliceVar(&f.perturb, "perturb", f.perturb, "perturbations or families ("+strings.Join(benchmark.Families(), ", ")+"); repeatable or comma-separated")
	fl.IntVar(&f.samples, "samples", f.samples, "perturbed versions of each example, and of MT-TEQL's each relation (there the default is 8)")
	fl.Float64Var(&f.fluency, "min-fluency", 0, fmt.Sprintf("drop changed questions of less fluency, 0 to 1; below %v lies one in a hundred of Spider's own", fluency.Threshold))
	fl.StringSliceVar(&f.accepted, "accepted", nil, "keep only the records that these files of decisions accept, which review wrote of an earlier build; repeatable or comma-separated")
	f.databaseFlags.flags(cmd)
	selectionFlags(cmd, &f.selection)
	f.sharded.flag(cmd)
	f.existing.flags(cmd)
	fl.StringVar(&f.out, "out", "", "folder to write")
	markInputs(cmd, "buckets", "accepted")
	markOutputs(cmd, "out")
	fl.DurationVar(&f.timeout, "timeout", 0, "time limit of a query, by which a slow machine may build less (default: a limit of work, the same on every machine)")
	fl.BoolVar(&f.resume, "resume", false, "go on where an interrupted build with the same flags stopped")
	a.jsonFlag(cmd, "print the manifest as JSON")
	require(cmd, "out")
}

// runBuild builds, does a share of a build, or with --dry-run counts what a build may take.
func (a *app) runBuild(ctx context.Context, f *buildFlags) error {
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := f.existing.check(f.out, !share.All(), f.resume); err != nil {
			return err
		}
	}
	return a.withPlan(ctx, f, func(p *buildPlan) error {
		switch {
		case f.dryRun:
			return p.dryRun(ctx, a)
		case !share.All():
			return p.buildPart(ctx, a, share)
		}
		m, err := p.build(ctx, a)
		if err != nil {
			return err
		}
		return a.print(m, func(w io.Writer) error { return a.printBuild(w, m, f.out, f.data) })
	})
}

// build plans a build by the flags and builds it. It prints no summary.
func (a *app) build(ctx context.Context, f *buildFlags) (m *built, err error) {
	err = a.withPlan(ctx, f, func(p *buildPlan) error {
		m, err = p.build(ctx, a)
		return err
	})
	return m, err
}

// built is the result of a build: its manifest, and the counts of requests to a model that drafts.
type built struct {
	*benchmark.Manifest
	Asked *chat.Counts `json:"asked,omitempty"` // nil if rules draft
}

// reportFailedDrafts reports the examples for which an endpoint failed.
func (a *app) reportFailedDrafts(m *benchmark.Manifest) {
	for _, r := range m.Perturbations {
		if failed := r.Rejected["paraphraser-failed"]; failed > 0 {
			a.skip(fmt.Errorf("%s: no paraphrases of %d examples, for the endpoint failed; the same command with the same --drafts asks for these again", r.Name, failed))
		}
	}
}

// databaseStamps returns the states of the SQLite files of units, which must not change while a command reads them.
func databaseStamps(units []*dataset.Unit) filecheck.Stamps {
	return filecheck.StampsOf(lists.Map(units, func(u *dataset.Unit) string { return u.DB.SQLite })...)
}

// selectionFlags adds the flags that select examples of the split.
func selectionFlags(cmd *cobra.Command, s *benchmark.Selection) {
	fl := cmd.Flags()
	fl.IntVar(&s.Limit, "limit", 0, "perturb the first so many examples, of those that --only and --examples leave (default: all)")
	fl.StringSliceVar(&s.Databases, "only", nil, "perturb the examples of these databases, by db_id; repeatable or comma-separated")
	fl.StringVar(&s.File, "examples", "", "perturb the examples of this file, one a line: the id of a question, or where the data set has none, and after #, its position in the split from 0, as rejected.jsonl and show have it")
	markInputs(cmd, "examples")
}
