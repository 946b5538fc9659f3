package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

// annotateCmd returns the command lexicon annotate.
func (a *app) annotateCmd() *cobra.Command {
	var tables, out string
	var r resources
	cmd := &cobra.Command{
		Use:     "annotate",
		Short:   "Write a tables.json with alternative names from the dictionary",
		Long:    help("annotate"),
		Example: examples("annotate"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.annotate(cmd.Context(), &r, tables, out) },
	}
	cmd.Flags().StringVar(&tables, "tables", "", "tables.json")
	cmd.Flags().StringVar(&out, "out", "", "file to write")
	markInputs(cmd, "tables")
	markOutputs(cmd, "out")
	vectorFlag(cmd, &r.vectors)
	dictionaryFlag(cmd, &r.dictionary)
	require(cmd, "tables", "out")
	return cmd
}

// annotate reads the schemas of the file tables and writes them to the file out, with alternative names from the dictionary.
func (a *app) annotate(ctx context.Context, r *resources, tables, out string) error {
	res, _, err := r.open(ctx, a, nil, false, false) // only a record of drafts would have to be closed
	if err != nil {
		return err
	}
	if err := filecheck.Writable(out); err != nil {
		return err
	}
	var dbs []*dataset.Database
	all := perturb.Annotations{}
	schemas := func(report func(error), each func(*dataset.Database) error) error {
		return dataset.ReadTables(tables, report, each)
	}
	err = dataset.UpToBreak(schemas, a.report, func(db *dataset.Database) error { // of a file that breaks off, what comes before
		dbs = append(dbs, db)
		maps.Copy(all, spidersyn.AutoAnnotations(db, res))
		return nil
	})
	if err != nil {
		return err
	}
	if len(dbs) == 0 {
		return fmt.Errorf("%s: has no schema, expected a tables.json", filepath.Base(tables))
	}
	err = outdir.WriteFile(out, func(w io.Writer) error { return spidersyn.WriteAnnotations(w, dbs, all) })
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%d tables and columns of %s have other names\nwrote %s\n", len(all), table.Count(len(dbs), "database"), out)
	return nil
}
