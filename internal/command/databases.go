package command

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

// databaseFlags holds the flags for the databases that a build perturbs and writes.
type databaseFlags struct {
	databases, maxDisk, scope string
	preferred
	rows int
}

// defaultDatabaseFlags returns the defaults of the flags.
func defaultDatabaseFlags() databaseFlags {
	return databaseFlags{databases: string(benchmark.DatabasesAuto), scope: string(perturb.ScopeQuestion), preferred: defaultPreferred()}
}

// flags adds the flags for databases to a command: which are written, how large, and what schemas are perturbed for.
func (s *databaseFlags) flags(cmd *cobra.Command) {
	fl, d := cmd.Flags(), defaultDatabaseFlags()
	fl.StringVar(&s.databases, "databases", d.databases, "SQLite files to write: full, a copy for each perturbed schema; none, of which materialize makes them when asked; auto, full up to 1 GB of them, or 50 MB where a database is larger than 1 MB")
	fl.IntVar(&s.rows, "rows", d.rows, "write samples of the databases instead, of about so many rows a table: foreign keys hold, gold SQL keeps rows that its answer comes from, and records are verified there too")
	fl.StringVar(&s.maxDisk, "max-disk", d.maxDisk, "refuse a build that may take more disk, as 20GB (default: half of what is free)")
	s.preferred.flag(cmd, "names of a bucket that are drawn more often")
	fl.StringVar(&s.scope, "scope", d.scope, "what ADVETA perturbs a schema for: question, its columns; database, all questions together: one schema a sample, as Dr.Spider has it")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{string(perturb.ScopeQuestion), string(perturb.ScopeDatabase)}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("databases", cobra.FixedCompletions(benchmark.DatabasesFlags(), cobra.ShellCompDirectiveNoFileComp))
}

// maxDiskBytes returns the bytes that an output may take: the value of --max-disk, by default half of the free space on its
// disk. As the output need not exist, the nearest folder above it that exists is asked.
func maxDiskBytes(maxDisk, out string) (int64, error) {
	if maxDisk != "" {
		n, err := humanize.ParseBytes(maxDisk)
		if err != nil || n == 0 || n > 1<<62 { // an int64 must hold it
			return 0, fmt.Errorf("--max-disk %q: expected a size above 0, as 500MB or 20GB", maxDisk)
		}
		return int64(n), nil
	}
	dir, err := filepath.Abs(out)
	if err != nil {
		return 0, err
	}
	for !dataset.IsDir(dir) && dir != filepath.Dir(dir) { // at most up to the root
		dir = filepath.Dir(dir)
	}
	free, err := outdir.Free(dir)
	return free / 2, err
}

// materializeMarker is the name of a file in a folder of databases that materialize made apart from
// a build.
const materializeMarker = "tabperturb-databases.txt"

type materializeFlags struct {
	data, split, out, maxDisk string
	perturb, ids              []string
}

// materializeCmd returns the command materialize.
func (a *app) materializeCmd() *cobra.Command {
	var f materializeFlags
	cmd := &cobra.Command{
		Use:     "materialize BUILD",
		Short:   "Make the databases of a build that was written without them",
		Long:    help("materialize"),
		Example: examples("materialize"),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := a.materialize(cmd.Context(), args[0], &f)
			if err != nil {
				return err
			}
			return a.printText(made, "made %s, %s\n", table.Count(len(made.Files), "database"), table.Bytes(made.Bytes))
		},
	}
	a.dataFlags(cmd, &f.data, &f.split)
	fl := cmd.Flags()
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.StringSliceVar(&f.ids, "id", nil, "ids of databases (default: all); repeatable or comma-separated")
	fl.StringVar(&f.out, "out", "", "folder to write to: a new one, or one that materialize made (default: the build itself)")
	markOutputs(cmd, "out")
	fl.StringVar(&f.maxDisk, "max-disk", "", "refuse what may take more disk, as 20GB (default: half of what is free)")
	a.jsonFlag(cmd, "print the files that were made as JSON")
	return cmd
}

// materialized is what materialize made.
type materialized struct {
	Files []string `json:"files"`
	Bytes int64    `json:"bytes"`
}

// materialize makes the databases of a build that the flags choose, in the build itself or in the folder of --out. Once all are
// made in the build, its manifest states it.
func (a *app) materialize(ctx context.Context, build string, f *materializeFlags) (*materialized, error) {
	m, err := benchmark.ReadManifest(build)
	if err != nil {
		return nil, err
	}
	into := cmp.Or(f.out, build)
	if f.out != "" {
		if _, err := benchmark.ReadManifest(into); err == nil {
			return nil, fmt.Errorf("--out: %s holds a build, expected another folder", into)
		}
	}
	lock, err := outdir.TryLock(into)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if f.out != "" {
		if err := outdir.CheckMarker(into, materializeMarker, "materialize"); err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
	}
	units, err := unitsOf(m, f.data, f.split, a.report)
	if err != nil {
		return nil, err
	}
	wanted, list, err := f.wanted(a, build)
	if err != nil {
		return nil, err
	}
	place := func(m *benchmark.Made) string { return m.Path(into) }
	if err := roomFor(units, list, place, f.maxDisk, into); err != nil {
		return nil, err
	}
	if f.out != "" {
		if err := outdir.Mark(into, materializeMarker, "materialize"); err != nil {
			return nil, err
		}
	}
	step, done := a.start("materialize", len(list))
	defer done()
	wanted.Step = step
	err = benchmark.Materialize(ctx, units, m.Seed, list, place, wanted)
	if err != nil {
		return nil, err
	}
	made := &materialized{}
	for _, m := range list {
		path := place(m)
		made.Files, made.Bytes = append(made.Files, filepath.ToSlash(path)), made.Bytes+dataset.FileSize(path)
	}
	if into == build && len(f.perturb)+len(f.ids) == 0 {
		return made, m.StoreMaterialized(build)
	}
	return made, nil
}

// wanted returns the selection of databases by the flags, and the list of those in the build that it selects.
func (f *materializeFlags) wanted(a *app, build string) (benchmark.Wanted, []*benchmark.Made, error) {
	wanted := benchmark.Wanted{IDs: f.ids, Workers: a.workers}
	_, built, err := benchmark.ReadResults(build, f.perturb)
	if err != nil {
		return wanted, nil, err
	}
	wanted.Perturbations = resultNames(built)
	list, err := wanted.Databases(build)
	return wanted, list, err
}

// resultNames returns the names of the perturbations of results.
func resultNames(built []benchmark.Result) []string {
	return lists.Map(built, func(r benchmark.Result) string { return r.Name })
}

// unitsOf reads the data directory that a build was made from. It is an error if the databases differ from those of the build.
func unitsOf(m *benchmark.Manifest, data, split string, report func(error)) ([]*dataset.Unit, error) {
	if err := checkData(data, split); err != nil {
		return nil, err
	}
	units, err := dataset.Units(data, split, report)
	if err != nil {
		return nil, err
	}
	if err := m.CheckDatabases(units); err != nil {
		return nil, fmt.Errorf("--data %s: %w", data, err)
	}
	return units, nil
}

// roomFor returns an error if a list of databases may take more disk than maxDisk, by default half of the free space at the
// folder into. place returns the path of each.
func roomFor(units []*dataset.Unit, list []*benchmark.Made, place func(*benchmark.Made) string, maxDisk, into string) error {
	maxBytes, err := maxDiskBytes(maxDisk, into)
	if err != nil {
		return err
	}
	if n := benchmark.DiskFor(units, list, place); n > maxBytes {
		return fmt.Errorf("--max-disk: %s may take %s, and %s are the most; expected some by --id or --perturb, or a larger --max-disk",
			table.Count(len(list), "database"), table.Bytes(n), table.Bytes(maxBytes))
	}
	return nil
}
