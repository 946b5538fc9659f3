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

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/paraphrase"
	"github.com/tabperturb/tabperturb/review"
)

// buildPlan is a build whose flags were validated and whose inputs were read. A build, its dry
// run and a share of it all start from one.
type buildPlan struct {
	benchmark.Config
	units    []*dataset.Unit
	out      string
	estimate benchmark.Estimate
	close    func() error // closes the resources
}

// buildMemory is the heap size in bytes above which a build collects garbage sooner.
const buildMemory = 512 << 20

// withPlan makes the plan of a build, passes it to run and closes it. Meanwhile garbage is collected rarely, as long as memory allows.
func (a *app) withPlan(ctx context.Context, f *buildFlags, run func(*buildPlan) error) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(patientGC))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(buildMemory))
	p, err := a.planBuild(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	return run(p)
}

// planBuild validates the flags of a build, reads its inputs and opens its resources. The caller
// must close the plan.
func (a *app) planBuild(ctx context.Context, f *buildFlags) (_ *buildPlan, err error) {
	p := &buildPlan{out: f.out}
	if p.Config, err = f.config(a); err != nil {
		return nil, err
	}
	if err := f.existing.inherit(&p.Config, f.out); err != nil {
		return nil, err
	}
	maxBytes, err := maxDiskBytes(f.maxDisk, f.out)
	if err != nil {
		return nil, err
	}
	if p.Perturbations, err = f.selected(); err != nil {
		return nil, err
	}
	if err := p.readAccepted(a, f.accepted); err != nil {
		return nil, err
	}
	if err := p.readInputs(a, f); err != nil {
		return nil, err
	}
	// Models of resources are opened only for perturbations that need them.
	judged := slices.ContainsFunc(p.Perturbations, func(p *perturb.Perturbation) bool { return p.Judged })
	named := slices.ContainsFunc(p.Perturbations, func(p *perturb.Perturbation) bool { return p.Named })
	if p.Resources, p.close, err = f.resources.open(ctx, a, p.units, judged, named); err != nil {
		return nil, err
	}
	if err := p.complete(a, maxBytes); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// config checks the flags and returns the part of the configuration that needs no input file.
func (f *buildFlags) config(a *app) (c benchmark.Config, err error) {
	if f.acceptedSet && len(f.accepted) == 0 {
		return c, errors.New("--accepted: names no file, expected one or more: without any all records would be kept")
	}
	if err := benchmark.CheckSamples(f.samples); err != nil {
		return c, err
	}
	if err := f.drafting.check(); err != nil {
		return c, err
	}
	c = benchmark.Config{
		Samples: f.samples, OwnSamples: !f.samplesSet, MinFluency: f.fluency, Seed: a.seed, Workers: a.workers,
		Rows: f.rows, Split: f.split, Resume: f.resume, Report: a.report,
	}
	if c.Limits, err = f.limits(); err != nil {
		return c, err
	}
	if c.Scope, err = benchmark.ParseScope(f.scope); err != nil {
		return c, err
	}
	if c.Prefer, err = f.parsePrefer(); err != nil {
		return c, err
	}
	c.Databases, err = benchmark.ParseDatabases(f.databases, f.rows)
	return c, err
}

// limits returns the bounds on a query: the time of --timeout, by default a number of steps.
func (f *buildFlags) limits() (sqldata.Limits, error) {
	switch {
	case f.timeout < 0, f.timeoutSet && f.timeout == 0:
		return sqldata.Limits{}, fmt.Errorf("--timeout %v: expected more than 0", f.timeout)
	case f.timeoutSet:
		return sqldata.Limits{Time: f.timeout}, nil
	}
	return benchmark.DefaultLimits(), nil
}

// selected returns the perturbations that --perturb names. Its default does not apply if --replay, --questions, --rename or
// --migration is given. It is an error if no perturbation is chosen by any of them.
func (f *buildFlags) selected() ([]*perturb.Perturbation, error) {
	recorded := len(f.replay) + len(f.questions) + len(f.rename) + len(f.migration)
	named := f.perturb
	if !f.perturbSet && recorded > 0 {
		named = nil
	}
	list, err := benchmark.Select(named)
	if err != nil {
		return nil, fmt.Errorf("--perturb: %w", err)
	}
	if len(list)+recorded == 0 {
		return nil, errors.New("--perturb: names no perturbation, expected one or more; `tabperturb list` names them all")
	}
	for _, p := range list {
		if p.Needs == perturb.NeedsBuckets && len(f.buckets) == 0 {
			return nil, fmt.Errorf("--perturb: %s takes its names from buckets, expected --buckets FILE", p.Name)
		}
	}
	return list, nil
}

// readAccepted reads the decisions on the records of an earlier build, if there are files of them.
func (p *buildPlan) readAccepted(a *app, paths []string) (err error) {
	if len(paths) == 0 {
		return nil
	}
	if p.AcceptedBy, err = benchmark.HashesOf(paths); err != nil {
		return err
	}
	annotators, err := review.ReadAnnotators(paths, a.report)
	if err != nil {
		return fmt.Errorf("--accepted: %w", err)
	}
	for i, v := range annotators {
		if v.OnRecords() == 0 {
			return fmt.Errorf("--accepted %s: holds no decision on a record, expected a file that `tabperturb review BUILD` wrote", paths[i])
		}
	}
	p.Accepted = func(r *dataset.Record) perturb.Reason { return review.Refuses(annotators, r) }
	return nil
}

// readInputs reads the units, the recorded edits and questions and the names into the plan. Its Inputs are the hashes of all
// files that were read, and of those of resources.
func (p *buildPlan) readInputs(a *app, f *buildFlags) (err error) {
	if p.Inputs, err = dataInputs(f.data, f.split); err != nil {
		return err
	}
	p.RecordOf = f.recordOf
	if p.RecordOf == nil { // messages name the records of the split
		p.RecordOf = benchmark.RecordsOf(filepath.Join(f.data, benchmark.InputNames(p.Inputs, benchmark.RoleExamples)[0]))
	}
	databases, err := p.readUnits(a, f)
	if err != nil {
		return err
	}
	if err := p.addRecorded(a, f); err != nil {
		return err
	}
	used, err := benchmark.HashFiles(append(f.resources.files(), f.accepted...)...)
	if err != nil {
		return err
	}
	buckets, names, err := benchmark.ReadBuckets(f.buckets, p.units, a.report)
	p.Buckets = buckets
	p.Inputs = slices.Concat(p.Inputs, names, []benchmark.Input{databases}, used)
	return err
}

// readUnits reads the data directory and selects the examples to perturb. It returns the hash of
// all databases, also of those without a selected example: materialize checks it.
func (p *buildPlan) readUnits(a *app, f *buildFlags) (databases benchmark.Input, err error) {
	p.units, err = dataset.Units(f.data, f.split, func(err error) {
		if !dataset.IsNote(err) {
			p.Skipped++
		}
		a.report(err)
	})
	if err != nil {
		return databases, err
	}
	if f.rows > 0 {
		if err := needRows(p.units, "--rows"); err != nil {
			return databases, err
		}
	}
	hasGold := func(ex *dataset.Example) bool { return ex.Query != "" }
	if !slices.ContainsFunc(p.units, func(u *dataset.Unit) bool { return slices.ContainsFunc(u.Examples, hasGold) }) {
		return databases, fmt.Errorf("%s: has no gold SQL in its split %s, expected some: what is not run cannot be proved", f.data, f.split)
	}
	_, done := a.start("read databases", unknownTotal)
	databases, err = benchmark.HashDatabases(p.units)
	done()
	if err != nil {
		return databases, err
	}
	p.units, p.Selected, err = f.selection.Pick(p.units)
	p.Unchanged = databaseStamps(p.units).Check
	return databases, err
}

// addRecorded adds the perturbations of recorded edits, reworded questions, given names and migrations to the plan. Unless
// --samples is given, the plan has room for all samples of the recorded edits.
func (p *buildPlan) addRecorded(a *app, f *buildFlags) error {
	recorded, samples, err := f.resources.recorded(a, f.data, p.units)
	if err != nil {
		return err
	}
	if p.OwnSamples {
		p.Samples = max(p.Samples, samples)
	} else if samples > p.Samples {
		a.warn(fmt.Errorf("--samples %d: leaves out recorded edits, which have %d samples", p.Samples, samples))
	}
	p.Perturbations = append(p.Perturbations, recorded...)
	return perturb.Validate(p.Perturbations)
}

// complete makes the choices that depend on the inputs: which perturbations are missing in an earlier build, and which databases to
// write. It refuses a build that may take more than maxBytes of disk, or that cannot be added to the earlier one.
func (p *buildPlan) complete(a *app, maxBytes int64) error {
	if err := p.skipBuilt(a); err != nil {
		return err
	}
	p.estimate = p.Estimate(p.units)
	wanted := p.Databases
	p.Databases = wanted.Resolve(p.estimate, maxBytes)
	if p.Databases == benchmark.DatabasesNone && wanted == benchmark.DatabasesAuto {
		a.warn(fmt.Errorf("writes no databases: those of about %d perturbed schemas would take %s; --databases full writes them", p.estimate.Databases, table.Bytes(p.estimate.Files)))
	}
	if n := p.estimate.Bytes(p.Databases); n > maxBytes {
		return fmt.Errorf("--max-disk: the build may take %s, and %s are the most; expected fewer --samples or perturbations, --databases none or a larger --max-disk", table.Bytes(n), table.Bytes(maxBytes))
	}
	if p.Earlier == nil {
		return nil
	}
	if err := p.Earlier.CanAdd(&p.Config); err != nil {
		return fmt.Errorf("--append: %s %w", p.out, err)
	}
	// CanAdd lets a build without names be added, such as of perturbations of questions.
	if names := benchmark.InputNames(p.Earlier.Inputs, benchmark.RoleNames); len(names) > 0 && p.Buckets == nil {
		a.warn(fmt.Errorf("--append: %s was made with the names of %s, and what is added is made without; give the same --buckets for the records of one build", p.out, strings.Join(names, ", ")))
	}
	return nil
}

// build builds the benchmark, and reports the examples for which an endpoint did not draft.
func (p *buildPlan) build(ctx context.Context, a *app) (*built, error) {
	step, done := a.start("build", p.Steps(p.units))
	defer done()
	p.Step, p.Linkers = step, a.strength // linkers measure the strength of perturbations
	m, err := benchmark.Build(ctx, p.units, p.out, p.Config)
	if err != nil {
		return nil, err
	}
	if d, ok := p.Resources.Paraphraser.(*paraphrase.Drafter); ok && d.Client.Endpoint != nil {
		a.reportFailedDrafts(m)
	}
	return &built{m, draftCounts(p.Resources)}, nil
}

// buildPart builds one share of the databases and prints a summary of the part.
func (p *buildPlan) buildPart(ctx context.Context, a *app, share outdir.Share) error {
	step, done := a.start("build", p.Steps(p.units))
	defer done()
	p.Step = step
	part, err := benchmark.BuildPart(ctx, p.units, p.out, share, p.Config)
	return a.printPart(part, err, p.out, "", "database") // merge needs no data directory
}

// dryBuild is what a dry run of a build finds.
type dryBuild struct {
	benchmark.Estimate
	Writes  benchmark.Databases `json:"writes"`
	Disk    int64               `json:"disk"`            // bytes, about
	Seconds float64             `json:"seconds"`         // of one core, about
	Asked   *chat.Counts        `json:"asked,omitempty"` // nil if no model drafts
}

// dryRun estimates the build and counts the requests to a model. All drafted perturbations share their requests, so that the
// first of them is run for all.
func (p *buildPlan) dryRun(ctx context.Context, a *app) error {
	if i := slices.IndexFunc(p.Perturbations, drafted); i >= 0 && p.Resources.Paraphraser != nil {
		step, done := a.start("dry run", len(p.units))
		defer done()
		p.Step = step
		if err := benchmark.DryRun(ctx, p.units, p.Perturbations[i], p.Config); err != nil {
			return err
		}
	}
	return a.printDryBuild(dryBuild{
		Estimate: p.estimate, Writes: p.Databases, Disk: p.estimate.Bytes(p.Databases), Seconds: p.Seconds(p.units), Asked: draftCounts(p.Resources),
	})
}

// printDryBuild prints how many records, how much time and how much disk a build may take.
func (a *app) printDryBuild(d dryBuild) error {
	return a.print(d, func(w io.Writer) error {
		if d.Asked != nil {
			printRequests(w, d.Asked)
		}
		seconds := time.Duration(d.Seconds * float64(time.Second)).Round(time.Second)
		_, err := fmt.Fprintf(w, "up to %s and about %s, about %s of one core; databases: %s (all of them: %s); disk: about %s\n", table.Count(d.Records, "record"),
			table.Count(d.Databases, "perturbed schema"), seconds, d.Writes, table.Bytes(d.Files), table.Bytes(d.Disk))
		return err
	})
}
