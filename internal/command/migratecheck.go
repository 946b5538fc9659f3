package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark/given"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/evaluate/migration"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

type migrateCheckFlags struct {
	data, split, pred, write, junit string
	migration, only                 []string
	extract                         extractFlag
	all                             bool
}

// shownMigrated is how many questions of a verdict are printed without --all.
const shownMigrated = 10

// migrateCheckCmd returns the command migrate-check.
func (a *app) migrateCheckCmd() *cobra.Command {
	var f migrateCheckFlags
	cmd := &cobra.Command{
		Use:     "migrate-check",
		Short:   "What a migration does to golden questions: repaired, broken, silently changed",
		Long:    help("migrate_check"),
		Example: examples("migrate_check"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.migrateCheck(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	fl.StringSliceVar(&f.migration, "migration", nil, "SQL files of the migration, in order, or a folder with DB_ID.sql for each database; repeatable or comma-separated")
	fl.StringSliceVar(&f.only, "only", nil, "databases to check (default: all that have a migration); repeatable or comma-separated")
	fl.StringVar(&f.pred, "pred", "", "predictions for the questions: lines of SQL, JSON, CSV or BIRD's")
	f.extract.add(cmd)
	fl.StringVar(&f.write, "write", "", "folder to write the migrated data directory to")
	fl.StringVar(&f.junit, "junit", "", "file to write as JUnit's XML, for continuous integration")
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print every question, not the first %d of each verdict", shownMigrated))
	markInputs(cmd, "migration", "pred")
	markOutputs(cmd, "write", "junit")
	a.jsonFlag(cmd, "print the report as JSON, with every question")
	require(cmd, "migration")
	return cmd
}

// migrateCheck checks a data directory against migrations, writes the outputs of the flags and prints the report. It returns
// [errFindings] if SQL is broken or its answer changed.
func (a *app) migrateCheck(ctx context.Context, f *migrateCheckFlags) (err error) {
	if err := a.writable("junit", f.junit); err != nil {
		return err
	}
	c := &migration.Config{Seed: a.seed, Workers: a.workers, Report: a.report}
	if c.Units, err = a.readUnits(f.data, f.split); err != nil {
		return err
	}
	if c.Units, err = onlyUnits(c.Units, f.only); err != nil {
		return err
	}
	if c.Scripts, err = f.scripts(c.Units); err != nil {
		return fmt.Errorf("--migration: %w", err)
	}
	if f.pred != "" {
		if c.Predictions, err = a.predictionsOf(f); err != nil {
			return err
		}
	}
	if c.Scratch, err = os.MkdirTemp("", "tabperturb-migrate-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.Scratch)) }()
	step, done := a.start("migrate-check", len(c.Scripts))
	c.Step = step
	r, err := migration.Run(ctx, c)
	done()
	if err != nil {
		return err
	}
	if f.write != "" {
		if _, err := formats.Convert(ctx, r.Migrated(f.split), formats.Spider, f.write, formats.Options{Report: a.report}); err != nil {
			return fmt.Errorf("--write: %w", err)
		}
	}
	if f.junit != "" {
		if err := outdir.WriteFile(f.junit, r.WriteJUnit); err != nil {
			return err
		}
	}
	return cmp.Or(a.print(r, func(w io.Writer) error { return a.writeMigrated(w, r, f) }), findingsError(r.Failed()))
}

// writeMigrated prints the report and, with --write, the folder that was written and a command to run next.
func (a *app) writeMigrated(w io.Writer, r *migration.Report, f *migrateCheckFlags) error {
	if err := r.WriteText(w, shownOf(f.all, shownMigrated)); err != nil || f.write == "" {
		return err
	}
	fmt.Fprintf(w, "\nwrote %s, %s\n", f.write, table.Count(len(r.Kept()), "question"))
	args := append([]string{"predict", "--data", f.write}, splitFlag(f.split)...)
	return a.printNext(w, suggest("write prompts with the new schema; --victim asks a model", append(args, "--prompts", "prompts.jsonl")...))
}

// onlyUnits returns the units of the databases with the ids only, all units without ids. An id without a unit is an error.
func onlyUnits(units []*dataset.Unit, only []string) ([]*dataset.Unit, error) {
	for _, id := range only {
		if !slices.ContainsFunc(units, func(u *dataset.Unit) bool { return u.DB.ID == id }) {
			return nil, fmt.Errorf("--only %s: no question is about a database of that db_id", dataset.Clip(id))
		}
	}
	return lists.Filter(units, func(u *dataset.Unit) bool { return len(only) == 0 || slices.Contains(only, u.DB.ID) }), nil
}

// scripts reads the migrations of the databases of units, by db_id: from the files that --migration names, for one database, or
// from its folder, for each. Databases without a migration are left out.
func (f *migrateCheckFlags) scripts(units []*dataset.Unit) (map[string]*given.Script, error) {
	files := map[string][]string{}
	switch {
	case len(f.migration) == 1 && dataset.IsDir(f.migration[0]):
		for _, u := range units {
			files[u.DB.ID] = migrationOf(f.migration[0], u.DB.ID)
		}
	case len(units) == 1:
		files[units[0].DB.ID] = f.migration
	default:
		return nil, fmt.Errorf("%s: the questions are about %d databases, expected one, which --only selects, or a folder with DB_ID.sql for each", strings.Join(f.migration, ","), len(units))
	}
	scripts := map[string]*given.Script{}
	for _, u := range units {
		if len(files[u.DB.ID]) == 0 {
			continue
		}
		s, err := given.ReadScript(files[u.DB.ID]...)
		if err != nil {
			return nil, err
		}
		scripts[u.DB.ID] = s
	}
	if len(scripts) == 0 {
		return nil, fmt.Errorf("%s: has no DB_ID.sql and no folder DB_ID of a database that the questions are about, expected one at least", strings.Join(f.migration, ","))
	}
	return scripts, nil
}

// migrationOf returns the files of a database in a folder of migrations: DB_ID.sql, or the files DB_ID/*.sql by name. There are
// none if neither exists.
func migrationOf(dir, id string) []string {
	if file := filepath.Join(dir, id+".sql"); dataset.IsFile(file) {
		return []string{file}
	}
	var files []string
	entries, _ := os.ReadDir(filepath.Join(dir, id)) // sorted by name
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sql") {
			files = append(files, filepath.Join(dir, id, e.Name()))
		}
	}
	return files
}

// predictionsOf reads the predictions of --pred, by the index of their question in the split.
func (a *app) predictionsOf(f *migrateCheckFlags) (map[int]string, error) {
	gold, err := dataset.SplitFile(f.data, f.split)
	if err != nil {
		return nil, err
	}
	all := map[int]string{}
	// A stream of the pairs of gold and predicted SQL, which the extraction takes out of the model's text.
	err = f.extract.extraction().Of(dataset.Pairs(gold, f.pred))(a.report, func(p *dataset.Pair) error {
		all[p.Index] = p.Prediction
		return nil
	})
	return all, err
}
