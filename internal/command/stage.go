package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

type stageFlags struct {
	build, role, script string
	perturb, ids        []string
	list, drop, dryRun  bool
}

// stageCmd returns the command stage.
func (a *app) stageCmd() *cobra.Command {
	var f stageFlags
	cmd := &cobra.Command{
		Use:     "stage [DSN]",
		Short:   "Perturbed schemas of a build as schemas of views on a PostgreSQL server",
		Long:    help("stage"),
		Example: examples("stage"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.stage(cmd.Context(), cmp.Or(strings.Join(args, ""), "postgres://"), &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.build, "build", "", "build whose databases are staged; with --list and --drop only these")
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.StringSliceVar(&f.ids, "id", nil, "db_ids of perturbed databases (default: all); repeatable or comma-separated")
	fl.StringVar(&f.role, "role", "", "make a role NAME_SCHEMA for each schema")
	fl.BoolVar(&f.list, "list", false, "print what is staged")
	fl.BoolVar(&f.drop, "drop", false, "drop what is staged")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the statements and change nothing")
	fl.StringVar(&f.script, "script", "", "file to write the statements to; nothing is changed")
	markInputs(cmd, "build")
	markOutputs(cmd, "script")
	a.jsonFlag(cmd, "print the schemas as JSON")
	cmd.MarkFlagsOneRequired("build", "list", "drop")
	for _, pair := range [][]string{{"list", "drop"}, {"list", "script"}, {"list", "dry-run"}, {"list", "role"}, {"drop", "role"}, {"script", "dry-run"}} {
		cmd.MarkFlagsMutuallyExclusive(pair...)
	}
	return cmd
}

// stage makes, lists or drops schemas of views on the server at an address. With --build these are the schemas of its
// databases; without it --list and --drop are about all that are staged.
func (a *app) stage(ctx context.Context, address string, f *stageFlags) error {
	var databases []*engine.Perturbed
	if f.build == "" && len(f.perturb)+len(f.ids) > 0 {
		return errors.New("--perturb and --id are of a build, expected --build")
	}
	if f.build != "" {
		var err error
		if databases, err = f.databases(a); err != nil {
			return err
		}
	}
	s, err := engine.OpenStage(ctx, address)
	if err != nil {
		return err
	}
	staged := lists.Filter(s.List(), func(m engine.Staged) bool {
		return f.build == "" || slices.ContainsFunc(databases, func(p *engine.Perturbed) bool { return p.Schema == m.Schema })
	})
	if f.list {
		return a.printStaged(staged, "staged in "+s.Database())
	}
	if f.drop {
		return a.runScripts(ctx, s, f, staged, lists.Map(staged, s.DropScript), "dropped from "+s.Database())
	}
	scripts, err := mapEach(databases, s.Script)
	if err != nil {
		return err
	}
	made := lists.Map(databases, func(p *engine.Perturbed) engine.Staged { return p.Staged })
	return a.runScripts(ctx, s, f, made, scripts, "staged in "+s.Database())
}

// runScripts runs the scripts, one for each schema, and prints the schemas. With --dry-run it only prints the scripts, with
// --script it only writes them to that file. done completes the heading: "staged in shop".
func (a *app) runScripts(ctx context.Context, s *engine.Stage, f *stageFlags, schemas []engine.Staged, scripts []string, done string) error {
	writeTo := func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(scripts, "\n"))
		return err
	}
	switch {
	case f.dryRun:
		return writeTo(a.stdout)
	case f.script != "":
		if err := outdir.WriteFile(f.script, writeTo); err != nil {
			return err
		}
		return a.printStaged(schemas, "to be "+done+" by "+f.script)
	}
	step, stop := a.start("stage", len(scripts))
	defer stop()
	for i, script := range scripts {
		if err := s.Run(ctx, script); err != nil {
			return fmt.Errorf("schema %s: %w", schemas[i].Schema, err)
		}
		step()
	}
	return a.printStaged(schemas, done)
}

// printStaged prints schemas of views under a heading: their number and done, as "2 schemas staged in shop".
func (a *app) printStaged(staged []engine.Staged, done string) error {
	t := table.New(table.Count(len(staged), "schema")+" "+done, "schema", "perturbation", "views", "role")
	for _, m := range staged {
		t.Add(m.Schema, strings.Join(m.Perturbations, " "), len(m.Views), m.Role)
	}
	return a.print(staged, func(w io.Writer) error {
		if len(staged) == 0 {
			t = table.New(t.Caption) // the heading alone, without the names of columns
		}
		_, err := io.WriteString(w, t.String())
		return err
	})
}

// databases returns the perturbed databases of a build that --perturb and --id choose, sorted by db_id. Several perturbations can
// share a database; it then lists all of them. A database whose db_id is also in the directory pre has its original schema, and
// is left out.
func (f *stageFlags) databases(a *app) ([]*engine.Perturbed, error) {
	_, results, err := benchmark.ReadResults(f.build, f.perturb)
	if err != nil {
		return nil, err
	}
	all := map[string]*engine.Perturbed{}
	for _, r := range results {
		dir := filepath.Join(f.build, filepath.FromSlash(r.Name))
		schemas, err := mapEach([]string{"pre", "post"}, func(side string) (map[string]*dataset.Database, error) {
			return dataset.DirSchemas(filepath.Join(dir, side), a.report)
		})
		if err != nil {
			return nil, err
		}
		before, after := schemas[0], schemas[1]
		for id, db := range after {
			isChosen := len(f.ids) == 0 || slices.Contains(f.ids, id)
			if before[id] != nil || !isChosen {
				continue
			}
			if all[id] == nil {
				all[id] = &engine.Perturbed{Content: dataset.FindContent(filepath.Join(dir, "post"), id), Tables: viewsOf(db), Staged: engine.Staged{Schema: id}}
			}
			p := all[id]
			p.Perturbations = append(p.Perturbations, r.Name)
			if f.role != "" {
				p.Role = f.role + "_" + id
			}
			if p.Content == "" {
				return nil, fmt.Errorf("%s: has no database %s, expected those that \"tabperturb materialize %s --data DIR\" makes", filepath.Join(dir, "post"), id, f.build)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: has no perturbed schema of --perturb and --id, expected one at least", f.build)
	}
	sorted := lists.Map(slices.Sorted(maps.Keys(all)), func(id string) *engine.Perturbed { return all[id] })
	return sorted, nil
}

// viewsOf returns the tables of a schema as views to make, with descriptions as comments.
func viewsOf(db *dataset.Database) []sqldata.Table {
	return lists.Map(db.Tables, func(t dataset.Table) sqldata.Table {
		return sqldata.Table{Name: t.Original, Columns: lists.Map(t.Columns, func(c dataset.Column) sqldata.Column {
			return sqldata.Column{Name: c.Original, Comment: strings.TrimSpace(c.Description + " " + c.Values)}
		})}
	})
}
