package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/review"
)

// maxSamples bounds the perturbed versions of an example.
const maxSamples = 9999

type buildFlags struct {
	resources
	data, split, out string
	buckets, perturb []string
	perturbSet       bool // the flag was given: its default does not stand beside --replay
	samplesSet       bool // the flag was given: its default gives way to what --replay has
	samples          int
	timeout          time.Duration
	fluency          float64
	resume           bool
	accepted         []string // files of decisions
	storing
	selecting
	over
	sharded
	timeoutSet bool // the flag was given: else work is bounded, not time
}

// defaultBuild is what the flags are where none is given.
func defaultBuild() buildFlags {
	return buildFlags{resources: defaultResources(), storing: defaultStoring(), perturb: []string{"adveta"}, samples: benchmark.DefaultSamples}
}

func (a *app) buildCmd() *cobra.Command {
	f := defaultBuild()
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Apply perturbations, verify each by execution, write drop-in data directories",
		Long: `build perturbs every example of a data set. Each perturbed example is run
before and after; only those that kept the promise of their perturbation are
written, the others are listed with their reason in OUT/NAME/rejected.jsonl.

OUT/NAME/post is a Spider data directory for any trainer and for the official
evaluators; OUT/NAME/pre holds the original examples in the same order, and
OUT/NAME/index.jsonl says which example and sample each of them is.

The summary counts examples of the split, those to which a perturbation applies,
those covered by a verified record, perturbed databases, and records verified and
rejected: a record is an example under one of the samples.

Paraphrases are drafted by rules or, with --paraphraser, by a large model behind an
OpenAI-compatible endpoint, which is asked once a question for all categories together.
Its answers are kept in the file --drafts names, which alone repeats the build. --dry-run
tells what would be asked, and what disk and time the build may take.

The databases of perturbed schemas are the bulk of a build: each is a copy of the
original with its edits made. With --databases none the gold SQL is run on the original,
whose schema is edited in memory, and no copy is written; the verdicts are the same. That
is the default where the copies would take more than 1 GB, or 50 MB of a database larger
than 1 MB. "materialize" makes them later.

A build that is there is not built over: --append adds perturbations to it, --force takes
its place. "tabperturb show" prints records.

With --accepted, a file of decisions that "review BUILD" wrote, it keeps the records of
which a person accepted meaning, naturalness and category; the others are rejected. Of
several files, one of each annotator, more than half of those decide who decided. A
record is known by its perturbation, example, sample and texts after, so that the flags
have to be those of the build that was reviewed: what reads otherwise is not reviewed.`,
		Example: "  tabperturb build --data spider --buckets buckets.json --perturb adveta/replace,adveta/add --out benchmark\n" +
			"  tabperturb build --data spider --buckets spider-rpl.json,spider-add.json --out adveta-spider\n" +
			"  tabperturb build --data spider --perturb drspider,spidersyn --out robust\n" +
			"  tabperturb build --data spider --perturb mtteql --out robust --append\n" +
			"  tabperturb build --data spider --perturb drspider --only concert_singer,pets_1 --limit 20 --out small\n" +
			"  tabperturb build --data spider --perturb drspider --paraphraser http://localhost:8080 --model qwen --drafts drafts.jsonl --out drafted --dry-run\n" +
			"  tabperturb build --data spider --perturb drspider --accepted decisions-ann.jsonl --out accepted\n" +
			"  tabperturb build --data spider --questions syn=Spider-Syn/dev.json --out syn",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.perturbSet, f.samplesSet, f.timeoutSet = cmd.Flags().Changed("perturb"), cmd.Flags().Changed("samples"), cmd.Flags().Changed("timeout")
			if cmd.Flags().Changed("accepted") && len(f.accepted) == 0 {
				return errors.New("--accepted: names no file, expected one or more: without any all records would be kept")
			}
			if f.dryRun {
				return a.dryBuild(cmd.Context(), &f)
			}
			share, err := f.share(a, f.out)
			if err != nil {
				return err
			}
			if err := f.over.check(f.out, !share.All(), f.resume); err != nil {
				return err
			}
			if !share.All() {
				return a.buildPart(cmd.Context(), &f, share)
			}
			m, err := a.build(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.print(m, func(w io.Writer) error { return printManifest(w, m, f.out) })
		},
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	f.resources.flags(cmd)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of candidate names, which adveta needs: buckets.json or ADVETA's own; repeatable or comma-separated")
	fl.StringSliceVar(&f.perturb, "perturb", f.perturb, "perturbations or families; repeatable or comma-separated")
	fl.IntVar(&f.samples, "samples", f.samples, "perturbed versions of each example, and of MT-TEQL's each relation (there the default is 8)")
	fl.Float64Var(&f.fluency, "min-fluency", 0, fmt.Sprintf("drop changed questions of less fluency, 0 to 1; below %v lies one in a hundred of Spider's own", fluency.Threshold))
	fl.StringSliceVar(&f.accepted, "accepted", nil, "keep only the records that these files of decisions accept, which review wrote of an earlier build; repeatable or comma-separated")
	f.storing.flags(cmd)
	f.selecting.flags(cmd)
	f.sharded.flag(cmd)
	f.over.flags(cmd)
	fl.StringVar(&f.out, "out", "", "folder to write")
	writes(cmd, "out")
	fl.DurationVar(&f.timeout, "timeout", 0, "time limit of a query, by which a slow machine may build less (default: a limit of work, the same on every machine)")
	fl.BoolVar(&f.resume, "resume", false, "go on where an interrupted build with the same flags stopped")
	a.jsonFlag(cmd, "print the manifest as JSON")
	require(cmd, "out")
	return cmd
}

// buildMemory is the memory that a build does not patiently grow beyond.
const buildMemory = 512 << 20

func (a *app) build(ctx context.Context, f *buildFlags) (_ *built, err error) {
	var made *built
	err = a.withBuild(ctx, f, func(in *buildInputs, config benchmark.Config) error {
		m, err := benchmark.Build(ctx, in.units, f.out, config)
		if err == nil && f.paraphraser != "" {
			a.tellFailed(m)
		}
		made = &built{m, draftCounts(in.resources)}
		return err
	})
	return made, err
}

// buildPart does one share of a build.
func (a *app) buildPart(ctx context.Context, f *buildFlags, share outdir.Share) error {
	return a.withBuild(ctx, f, func(in *buildInputs, config benchmark.Config) error {
		part, err := benchmark.BuildPart(ctx, in.units, f.out, share, config)
		if err != nil {
			return err
		}
		return a.printPart(part, f.out, "database")
	})
}

// withBuild reads all that a build is made from and has it made.
func (a *app) withBuild(ctx context.Context, f *buildFlags, build func(*buildInputs, benchmark.Config) error) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(patientGC))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(buildMemory)) // above it the heap is collected sooner
	switch {
	case f.samples < 1, f.samples > maxSamples:
		return fmt.Errorf("--samples %d: expected 1 or more, and not more than %d", f.samples, maxSamples)
	}
	limits, err := f.limits()
	if err != nil {
		return err
	}
	scope, err := f.perturbs()
	if err != nil {
		return err
	}
	if err := f.drafting.check(); err != nil {
		return err
	}
	list, err := f.selected()
	if err != nil {
		return err
	}
	earlier, err := f.earlier()
	if err != nil {
		return err
	}
	decisions, err := hashesOf(f.accepted)
	if err != nil {
		return err
	}
	accepted, err := a.readAccepted(f.accepted)
	if err != nil {
		return err
	}
	inputs, err := dataInputs(f.data, f.split)
	if err != nil {
		return err
	}
	examples := benchmark.InputNames(inputs, benchmark.RoleExamples)[0]
	in, err := a.buildInputs(ctx, f, list)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	if err := f.over.leaveOut(a, in, earlier); err != nil {
		return err
	}
	config := benchmark.Config{
		Scope: scope, Rows: f.rows, Perturbations: in.perturbations, Resources: in.resources, Buckets: in.buckets, Samples: in.samples, OwnSamples: !f.samplesSet, MinFluency: f.fluency, Seed: a.seed, Workers: a.workers,
		Split: f.split, ExamplesFile: filepath.Join(f.data, examples), Selected: in.selected, Earlier: earlier,
		Limits: limits, Accepted: accepted, AcceptedBy: decisions, Resume: f.resume, Inputs: append(inputs, in.files...), Skipped: in.skipped, Report: a.report, Unchanged: in.read.check,
	}
	if config.Databases, err = f.choose(a, config.Estimate(in.units), f.out, f.data); err != nil {
		return err
	}
	if err := f.over.fits(&config, f.out); err != nil {
		return err
	}
	step, done := a.start("build", config.Steps(in.units))
	defer done()
	config.Step = step
	return build(in, config)
}

// built is what a build tells: its manifest, and what was asked for it.
type built struct {
	*benchmark.Manifest
	Asked *chat.Counts `json:"asked,omitempty"` // nil where rules draft
}

// readAccepted reads the decisions on the records of an earlier build; nil where no file is
// named.
func (a *app) readAccepted(paths []string) (benchmark.Accepted, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	annotators, err := a.readAnnotators(paths)
	if err != nil {
		return nil, fmt.Errorf("--accepted: %w", err)
	}
	for i, v := range annotators {
		if v.OnRecords() == 0 {
			return nil, fmt.Errorf("--accepted %s: holds no decision on a record, expected a file that `tabperturb review BUILD` wrote", paths[i])
		}
	}
	return func(r *dataset.Record) perturb.Reason { return review.Refuses(annotators, r) }, nil
}

// tellFailed reports the examples for which an endpoint failed.
func (a *app) tellFailed(m *benchmark.Manifest) {
	for _, r := range m.Perturbations {
		if failed := r.Rejected["paraphraser-failed"]; failed > 0 {
			a.skip(fmt.Errorf("%s: no paraphrases of %d examples, for the endpoint failed; the same command with the same --drafts asks for these again", r.Name, failed))
		}
	}
}

// buildInputs are what a build is made from.
type buildInputs struct {
	units         []*dataset.Unit
	selected      string // which examples they have, where not all of the split
	skipped       int    // records of the data directory that cannot be used
	samples       int
	perturbations []*perturb.Perturbation
	resources     perturb.Resources
	buckets       dataset.Buckets
	files         []benchmark.Input
	read          stamps // of the databases
	close         func() error
}

// databaseFiles returns the paths of what the databases of units hold.
func databaseFiles(units []*dataset.Unit) (paths []string) {
	for _, u := range units {
		if u.DB.SQLite != "" {
			paths = append(paths, u.DB.SQLite)
		}
	}
	return paths
}

// buildInputs reads the units and the names, recorded edits and questions for them, and
// hashes these and the databases.
func (a *app) buildInputs(ctx context.Context, f *buildFlags, list []*perturb.Perturbation) (*buildInputs, error) {
	in := &buildInputs{}
	units, err := dataset.Units(f.data, f.split, func(err error) {
		if !dataset.IsNote(err) {
			in.skipped++
		}
		a.report(err)
	})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(units, func(u *dataset.Unit) bool {
		return slices.ContainsFunc(u.Examples, func(ex *dataset.Example) bool { return ex.Query != "" })
	}) {
		return nil, fmt.Errorf("%s: has no gold SQL in its split %s, expected some: what is not run cannot be proved", f.data, f.split)
	}
	_, done := a.start("read databases", -1)
	databases, err := benchmark.HashDatabases(units) // all, by which materialize knows the data directory
	done()
	if err != nil {
		return nil, err
	}
	if units, in.selected, err = f.selecting.pick(units); err != nil {
		return nil, err
	}
	in.units = units
	in.read = stampsOf(databaseFiles(units)...)
	recorded, samples, err := f.resources.recorded(a, units)
	if err != nil {
		return nil, err
	}
	if in.samples = f.samples; !f.samplesSet {
		in.samples = max(in.samples, samples)
	} else if samples > f.samples {
		a.warn(fmt.Errorf("--samples %d: leaves out recorded edits, which have %d samples", f.samples, samples))
	}
	in.perturbations = append(list, recorded...)
	if err := perturb.Validate(in.perturbations); err != nil {
		return nil, err
	}
	used, err := hashFiles(append(f.resources.files(), f.accepted...)...)
	if err != nil {
		return nil, err
	}
	buckets, files, err := a.readBuckets(f.buckets, units)
	if err != nil {
		return nil, err
	}
	in.buckets, in.files = buckets, append(append(files, databases), used...)
	judged := slices.ContainsFunc(list, func(p *perturb.Perturbation) bool { return p.Judged })
	if in.resources, in.close, err = f.resources.open(ctx, a, units, judged); err != nil {
		return nil, err
	}
	return in, nil
}

// selected returns the perturbations that --perturb names. Its default does not
// stand beside recorded ones.
func (f *buildFlags) selected() ([]*perturb.Perturbation, error) {
	named := f.perturb
	if !f.perturbSet && len(f.replay)+len(f.questions) > 0 {
		named = nil
	}
	list, err := benchmark.Select(named)
	if err != nil {
		return nil, fmt.Errorf("--perturb: %w", err)
	}
	if len(list)+len(f.replay)+len(f.questions) == 0 {
		return nil, errors.New("--perturb: names no perturbation, expected one or more; `tabperturb list` names them all")
	}
	for _, p := range list {
		if p.Needs == perturb.NeedsBuckets && len(f.buckets) == 0 {
			return nil, fmt.Errorf("--perturb: %s takes its names from buckets, expected --buckets FILE", p.Name)
		}
	}
	return list, nil
}

// readBuckets reads and merges the files of names for the columns of units.
func (a *app) readBuckets(paths []string, units []*dataset.Unit) (dataset.Buckets, []benchmark.Input, error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	dbs := dataset.Databases(units)
	var all []dataset.Buckets
	var inputs []benchmark.Input
	for _, path := range paths {
		b, err := dataset.ReadAnyBuckets(path, dbs, a.report)
		if err != nil {
			return nil, nil, err
		}
		in, err := benchmark.HashInput(benchmark.RoleNames, filepath.Base(path), path)
		if err != nil {
			return nil, nil, err
		}
		all, inputs = append(all, b), append(inputs, in)
	}
	merged := dataset.MergeBuckets(all...)
	for _, db := range dbs {
		for range dataset.BucketColumns(db, merged) {
			return merged, inputs, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: has no name for a column of the data set, expected buckets made for it", strings.Join(paths, ", "))
}
