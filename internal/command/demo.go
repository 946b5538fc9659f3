package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// demoMarker is the name of a file in a folder that demo made and may replace.
const demoMarker = "tabperturb-demo.txt"

// demoCmd returns the command demo.
func (a *app) demoCmd() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The main job on the embedded sample",
		Long: `demo writes the embedded sample data set, finds REPLACE and ADD names for its
columns, builds both perturbations, verifies them by execution and says what it
wrote. It needs nothing but this program.`,
		Example: "  tabperturb demo --out /tmp/demo",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), out) },
	}
	cmd.Flags().StringVar(&out, "out", "tabperturb-demo", "folder to write")
	writes(cmd, "out")
	return cmd
}

// demo finds names for the sample and builds a benchmark from them, in the folder out.
func (a *app) demo(ctx context.Context, out string) error {
	lock, err := outdir.Claim(out, demoMarker, "demo")
	if err != nil {
		return err
	}
	defer lock.Close()
	data := filepath.Join(out, "data")
	if err := sample.WriteData(ctx, data); err != nil {
		return err
	}
	cf := defaultCandidates()
	cf.data, cf.split, cf.out, cf.explain = data, "dev", filepath.Join(out, "buckets.json"), filepath.Join(out, "rejected-names.jsonl")
	table := ""
	fmt.Fprintln(a.stdout, a.bold("Names for each column, with the probability that people accept them"))
	summary, err := a.candidates(ctx, &cf, func(c augment.Column) error {
		if t := c.ID.DB + "." + c.ID.Table; t != table {
			table = t
			fmt.Fprintf(a.stdout, "\n%s\n", a.bold(t))
		}
		a.printColumn(c)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\n%s\n", a.bold("Candidates"))
	printSummary(a.stdout, summary, cf.files())
	bf := defaultBuild()
	bf.data, bf.split, bf.out, bf.buckets, bf.databases = data, "dev", filepath.Join(out, "benchmark"), []string{cf.out}, string(benchmark.DatabasesFull)
	manifest, err := a.build(ctx, &bf)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\n%s\n", a.bold("Benchmark, each record run before and after"))
	return printManifest(a.stdout, manifest, bf.out)
}

// shown is how many names of a bucket demo prints.
const shown = 4

// printColumn prints the first names of both buckets of a column.
func (a *app) printColumn(c augment.Column) {
	fmt.Fprintf(a.stdout, "  %s\n", c.ID.Column)
	for _, side := range []struct {
		name       string
		candidates []dataset.Candidate
	}{{"REPLACE", c.Bucket.Replace}, {"ADD", c.Bucket.Add}} {
		first := side.candidates[:min(len(side.candidates), shown)]
		names := lists.Map(first, func(n dataset.Candidate) string { return fmt.Sprintf("%s %.2f", n.Name, n.Validity) })
		if len(names) > 0 {
			fmt.Fprintf(a.stdout, "    %-8s %s\n", side.name, strings.Join(names, ", "))
		}
	}
}
