package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/drspider/realise"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/evaluate/doctor"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/report"
)

// initMarker is the name of a file in a folder that init made and may replace.
const initMarker = "tabperturb-init.txt"

type initFlags struct {
	databaseFlags
	files, questions, out string // files: the database, or a folder of some
	perturb               []string
	samples               int
	records               []int // in questions, from 1, of the examples of the data directory
	force                 bool
}

// recordOf returns the file of questions and the record in it, from 1, that an example of the data directory was made from.
func (f *initFlags) recordOf(index int) (file string, record int) {
	return f.questions, f.records[index]
}

// initCmd returns the command init.
func (a *app) initCmd() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:     "init DATABASE QUESTIONS",
		Short:   "From a database of one's own and its questions to a first build and a report",
		Long:    help("init", folder.FieldNames()),
		Example: examples("init"),
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.files, f.questions = args[0], args[1]
			if !engine.IsAddress(f.files) {
				return a.init(cmd.Context(), &f)
			}
			return withServer(cmd.Context(), f.files, func(path string) error {
				f.files = path
				return a.init(cmd.Context(), &f)
			})
		},
	}
	f.databaseFlags.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "folder to write (default: the name of DATABASE without its ending, of a folder NAME-tabperturb)")
	markOutputs(cmd, "out")
	fl.StringSliceVar(&f.perturb, "perturb", []string{"adveta", "drspider"}, "perturbations or families ("+strings.Join(benchmark.Families(), ", ")+") of the first build; repeatable or comma-separated")
	fl.IntVar(&f.samples, "samples", benchmark.DefaultSamples, "perturbed versions of each example")
	fl.BoolVar(&f.force, "force", false, "take the place of a build that has other perturbations too")
	return cmd
}

// init runs the steps in order and suggests commands to run next. Each step prints its result under a heading.
func (a *app) init(ctx context.Context, f *initFlags) error {
	if err := f.place(); err != nil {
		return err
	}
	if err := a.inputs.CheckOutput(f.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := cmp.Or(f.check(a), f.checkEarlier()); err != nil {
		return err
	}
	_, absent := os.Lstat(f.out)
	lock, err := outdir.Claim(f.out, initMarker, "init")
	if err != nil {
		return err
	}
	defer lock.Close()
	for i, step := range []struct {
		title string
		do    func(context.Context, *initFlags) error
	}{
		{"Data directory", a.initData}, {"Audit", a.initAudit}, {"Names for each column", a.initNames},
		{"First build", a.initBuild}, {"Report", a.initReport},
	} {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintf(a.stdout, "%s\n", a.bold(step.title))
		if err := step.do(ctx, f); err != nil {
			if absent != nil { // init made the folder
				f.removeUnused()
			}
			return err
		}
	}
	m, err := benchmark.ReadManifest(f.build())
	if err != nil {
		return err
	}
	all := append([]suggestion{suggest("decide on the names", "review", f.buckets(), "--data", f.data())}, afterBuild(m, f.build(), f.data())...)
	if missing := m.Missing(); len(missing) > 0 {
		more := []string{"build", "--data", f.data(), "--buckets", f.buckets(), "--perturb", strings.Join(missing, ","), "--out", f.build(), "--append"}
		all = append(all, suggest("more families", append(more, seedFlag(m.Seed)...)...))
	}
	return a.printNext(a.stdout, all...)
}

// checkEarlier returns an error if the output holds a build with perturbations that --perturb does not name, which the new build
// would drop. With --force it does not look.
func (f *initFlags) checkEarlier() error {
	if f.force || !benchmark.IsBuild(f.build()) {
		return nil
	}
	m, err := benchmark.ReadManifest(f.build())
	if err != nil {
		return err
	}
	made, err := benchmark.Select(f.perturb)
	if err != nil {
		return err
	}
	lost := lists.Filter(m.Perturbations, func(r benchmark.Result) bool {
		return !slices.ContainsFunc(made, func(p *perturb.Perturbation) bool { return p.Name == r.Name })
	})
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("%s: has %s more, as %s, expected --perturb to name all, --force to build without them, or another --out", f.build(), table.Count(len(lost), "perturbation"), lost[0].Name)
}

// removeUnused removes the output if it holds only the marker: nothing was made.
func (f *initFlags) removeUnused() {
	if entries, err := os.ReadDir(f.out); err == nil && len(entries) == 1 && entries[0].Name() == initMarker {
		os.RemoveAll(f.out)
	}
}

// place sets the default of --out: the name of the database without its ending, or NAME-tabperturb if that is the name of a folder
// or file itself. It refuses an --out in a folder of databases, as the next run would read the databases of the output too.
func (f *initFlags) place() error {
	abs, err := filepath.Abs(f.files)
	if err != nil {
		return err
	}
	isDir, byDefault := dataset.IsDir(abs), f.out == ""
	if byDefault {
		f.out = strings.TrimSuffix(filepath.Base(abs), filepath.Ext(abs))
		if isDir || f.out == filepath.Base(abs) {
			f.out = filepath.Base(abs) + "-tabperturb"
		}
	}
	switch {
	case !isDir, !filecheck.Within(f.out, f.files): // not in the folder of databases
	case byDefault:
		f.out = abs + "-tabperturb" // the working directory is the folder, or in it
	default:
		return fmt.Errorf("--out: %s lies in the folder of the databases %s, expected one elsewhere", f.out, f.files)
	}
	return nil
}

// data returns the path of the data directory that init writes.
func (f *initFlags) data() string { return filepath.Join(f.out, "data") }

// buckets returns the path of the file of buckets that init writes.
func (f *initFlags) buckets() string { return filepath.Join(f.out, "buckets.json") }

// build returns the path of the build that init writes.
func (f *initFlags) build() string { return filepath.Join(f.out, "benchmark") }

// initData makes the data directory from the databases and the file of questions. Gold SQL without a question gets one that is
// written from it. Messages name records of the file of questions.
func (a *app) initData(ctx context.Context, f *initFlags) error {
	const split = "dev"
	set, err := folder.Files(ctx, f.files, f.questions, split)
	if err != nil {
		return err
	}
	if err := f.checkRoom(set.Databases); err != nil {
		return err
	}
	set.Examples = onOneLine(f.questions, set.Examples)
	asker, err := realise.NewAsker(set, a.seed)
	if err != nil {
		return err
	}
	set.Examples = asker.Ask(set.Examples)
	step, done := a.start("read", unknownTotal)
	spider := *formats.Spider
	spider.Write = func(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
		// The data directory has new indexes: record where in the file of questions each example was.
		set.Examples = set.Examples.Tap(func(ex *dataset.Example) { f.records = append(f.records, ex.Index+1) })
		return formats.Spider.Write(ctx, set, dir, report)
	}
	reportRecord := func(err error) { // the reader names the file by the split
		if r, ok := errors.AsType[*dataset.RecordError](err); ok && r.File == split {
			r.File = f.questions
		}
		a.report(err)
	}
	summary, err := formats.Convert(ctx, set, &spider, f.data(), formats.Options{Report: reportRecord, Step: step})
	done()
	switch {
	case errors.Is(err, formats.ErrNoDatabases):
		return fmt.Errorf("%s: %w", f.files, err)
	case err != nil:
		return fmt.Errorf("%s: %w", f.questions, err)
	}
	if n := asker.Written + asker.Unwritten; n > 0 {
		a.warn(fmt.Errorf("%s: has no question for %s: %d were written from the gold SQL, of the others it stands in the place of the question", f.questions, table.Count(n, "line"), asker.Written))
	}
	_, err = fmt.Fprintf(a.stdout, "%s on %s in %s\n", table.Count(summary.Examples, "question"), table.Count(summary.Databases, "database"), f.data())
	return err
}

// checkRoom returns an error if copies of the databases may take more disk than --max-disk allows. A sparse file counts with its
// full size, as its copy has it.
func (f *initFlags) checkRoom(databases dataset.Stream[*dataset.Database]) error {
	maxBytes, err := maxDiskBytes(f.maxDisk, f.out)
	if err != nil {
		return err
	}
	var size int64
	err = databases(func(error) {}, func(db *dataset.Database) error {
		size += dataset.FileSize(db.SQLite)
		return nil
	})
	if err == nil && size > maxBytes {
		err = fmt.Errorf("--max-disk: the databases of %s take %s, and %s are the most; expected smaller ones or a larger --max-disk", f.files, table.Bytes(size), table.Bytes(maxBytes))
	}
	return err
}

// onOneLine returns the examples whose gold SQL fits on one line of a gold file. It reports the others as records of the file
// of questions: the conversion would stop at them.
func onOneLine(file string, examples dataset.Stream[*dataset.Example]) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		return examples(report, func(ex *dataset.Example) error {
			if _, err := dataset.GoldLine(ex.Query); err != nil {
				report(&dataset.RecordError{File: file, Record: ex.Index + 1, Err: err})
				return nil
			}
			return each(ex)
		})
	}
}

// initAudit audits the data directory and prints the findings, each with its record of the file of questions.
func (a *app) initAudit(ctx context.Context, f *initFlags) error {
	all := []doctor.Finding{}
	step, done := a.start("audit", unknownTotal)
	summary, err := doctor.Run(ctx, doctor.Config{Data: f.data(), Split: "dev", Slow: doctor.DefaultSlow, Workers: a.workers, Step: step, Limits: benchmark.DefaultLimits()},
		func(found doctor.Finding) {
			if found.Index >= 0 { // about an example
				found.File, found.Record = f.recordOf(found.Index)
				found.Index = -1 // else the index is printed in the place of the record
			}
			all = append(all, found)
		})
	done()
	if err != nil {
		return err
	}
	return doctor.Print(a.stdout, summary, all, shownFindings)
}

// initNames finds names for the columns.
func (a *app) initNames(ctx context.Context, f *initFlags) error {
	cf := defaultCandidates()
	cf.data, cf.split, cf.out = f.data(), "dev", f.buckets()
	summary, err := a.candidates(ctx, &cf, nil)
	if err != nil {
		return err
	}
	return printSummary(a.stdout, summary, cf.files())
}

// firstBuild returns the flags of the first build.
func (f *initFlags) firstBuild() *buildFlags {
	bf := defaultBuild()
	bf.data, bf.split, bf.out, bf.buckets, bf.databaseFlags = f.data(), "dev", f.build(), []string{f.buckets()}, f.databaseFlags
	bf.perturb, bf.perturbSet, bf.samples, bf.samplesSet, bf.recordOf = f.perturb, true, f.samples, true, f.recordOf
	return &bf
}

// check returns an error if flags of the first build are invalid, before any step.
func (f *initFlags) check(a *app) error {
	bf := f.firstBuild()
	_, selected := bf.selected()
	_, config := bf.config(a)
	return cmp.Or(selected, config)
}

// initBuild makes the first build.
func (a *app) initBuild(ctx context.Context, f *initFlags) error {
	bf := f.firstBuild()
	m, err := a.build(ctx, bf)
	if err != nil {
		return err
	}
	return printManifest(a.stdout, m, bf.out)
}

// initReport writes report.html on the build that init wrote.
func (a *app) initReport(_ context.Context, f *initFlags) error {
	return a.writeReport(&reportFlags{out: filepath.Join(f.out, "report.html"), title: f.out, samples: report.DefaultSamples}, []string{f.build()})
}
