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
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// demoMarker is the name of a file in a folder that demo made and may replace.
const demoMarker = "tabperturb-demo.txt"

// demoTable is the table of the sample whose names demo prints.
const demoTable = "town_library.books"

// demoCmd returns the command demo.
func (a *app) demoCmd() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "The main job on the embedded sample",
		Long:    help("demo"),
		Example: examples("demo"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), out) },
	}
	cmd.Flags().StringVar(&out, "out", "tabperturb-demo", "folder to write")
	markOutputs(cmd, "out")
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
	names := table.New("", demoTable, "REPLACE", "ADD")
	summary, err := a.candidates(ctx, &cf, func(c augment.Column) error {
		if c.ID.DB+"."+c.ID.Table == demoTable {
			names.Add(c.ID.Column, firstNames(c.Bucket.Replace), firstNames(c.Bucket.Add))
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s\n%s\n", a.bold("Names for each column, with the probability that people accept them"), names)
	printSummary(a.stdout, summary, cf.files())
	bf := defaultBuild()
	bf.data, bf.split, bf.out, bf.buckets, bf.databases = data, "dev", filepath.Join(out, "benchmark"), []string{cf.out}, string(benchmark.DatabasesFull)
	manifest, err := a.build(ctx, &bf)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\n%s\n", a.bold("Benchmark, each record run before and after"))
	printManifest(a.stdout, manifest, bf.out)
	own := suggest("take your own database", "init", "--help")
	return a.printNext(a.stdout, append(afterBuild(manifest.Manifest, bf.out, data), own)...)
}

// firstNames returns the first two names of a bucket with their validity: "author 0.93, writer 0.88".
func firstNames(bucket []dataset.Candidate) string {
	first := bucket[:min(len(bucket), 2)]
	return strings.Join(lists.Map(first, func(n dataset.Candidate) string { return fmt.Sprintf("%s %.2f", n.Name, n.Validity) }), ", ")
}
