package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/sample"
)

// demoMarker stands in a folder that demo made and may make again.
const demoMarker = "tabperturb-demo.txt"

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

func (a *app) demo(ctx context.Context, out string) error {
	lock, err := claim(out, demoMarker, "demo")
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

// claim makes the folder, or takes over one that the command made before.
func claim(out, marker, command string) (_ *outdir.Lock, err error) {
	lock, err := outdir.TryLock(out)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	if err := ours(out, marker, command); err != nil {
		return nil, err
	}
	return lock, mark(out, marker, command)
}

// ours tells whether a folder is not there, empty, or one with the marker of a command, or
// with what a run left that was killed while it wrote that.
func ours(out, marker, command string) error {
	entries, err := os.ReadDir(out)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "."+marker+".") })
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err == nil && !dataset.IsFile(filepath.Join(out, marker)) {
		err = fmt.Errorf("%s: holds other files, expected no such folder, an empty one, or one that %s made", out, command)
	}
	return err
}

// mark leaves the marker of a command in a folder.
func mark(out, marker, command string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	return outdir.WriteFile(filepath.Join(out, marker), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Made by `tabperturb %s`, which replaces what is here.\n", command)
		return err
	})
}

// shown is how many names of a bucket demo prints.
const shown = 4

func (a *app) printColumn(c augment.Column) {
	fmt.Fprintf(a.stdout, "  %s\n", c.ID.Column)
	for _, side := range []struct {
		name       string
		candidates []dataset.Candidate
	}{{"REPLACE", c.Bucket.Replace}, {"ADD", c.Bucket.Add}} {
		var names []string
		for _, n := range side.candidates[:min(len(side.candidates), shown)] {
			names = append(names, fmt.Sprintf("%s %.2f", n.Name, n.Validity))
		}
		if len(names) > 0 {
			fmt.Fprintf(a.stdout, "    %-8s %s\n", side.name, strings.Join(names, ", "))
		}
	}
}
