package command

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/report"
)

type reportFlags struct {
	out, format, title string
	samples            int
}

// reportCmd returns the command report.
func (a *app) reportCmd() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:     "report INPUT...",
		Short:   "One page, Markdown or JSON of builds, evaluations, comparisons, suites and more",
		Long:    help("report"),
		Example: examples("report"),
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, inputs []string) error { return a.writeReport(&f, inputs) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "file to write (default: standard output)")
	markOutputs(cmd, "out")
	fl.StringVar(&f.format, "format", "", "format: "+strings.Join(report.Formats(), ", ")+" (default: by the ending of --out; html without --out)")
	fl.StringVar(&f.title, "title", "", `title of the document (default "tabperturb report")`)
	fl.IntVar(&f.samples, "samples", report.DefaultSamples, "records to show of each perturbation of a build")
	return cmd
}

// writeReport makes the document of all inputs and writes it to --out or standard output.
func (a *app) writeReport(f *reportFlags, inputs []string) error {
	if err := f.check(a); err != nil {
		return err
	}
	d, err := report.Make(inputs, report.Options{Title: f.title, Samples: f.samples, Version: version(), Command: f.command(inputs), Warn: a.report})
	if err != nil {
		return err
	}
	if f.out == "" {
		return d.Write(a.stdout, f.format)
	}
	if err := outdir.WriteFile(f.out, func(w io.Writer) error { return d.Write(w, f.format) }); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "wrote", f.out)
	return nil
}

// check sets the default format, by the ending of --out, html without --out. It refuses an unknown format, a number of samples
// out of range and an output that cannot be written.
func (f *reportFlags) check(a *app) error {
	if f.format == "" {
		f.format = "html"
		if f.out != "" {
			f.format = strings.ToLower(strings.TrimPrefix(filepath.Ext(f.out), "."))
			if !slices.Contains(report.Formats(), f.format) {
				return fmt.Errorf("--out %s: its ending is of no format, expected %s, or --format beside it", f.out, strings.Join(report.Formats(), ", "))
			}
		}
	}
	if !slices.Contains(report.Formats(), f.format) {
		return fmt.Errorf("--format %q: expected %s", f.format, strings.Join(report.Formats(), ", "))
	}
	return cmp.Or(inRange("samples", f.samples, 0, report.MaxSamples), a.writable("out", f.out))
}

// command returns the command line that makes the same report.
func (f *reportFlags) command(inputs []string) string {
	args := slices.Clone(inputs)
	args = append(args, "--format", f.format, "--samples", fmt.Sprint(f.samples))
	if f.title != "" {
		args = append(args, "--title", f.title)
	}
	if f.out != "" {
		args = append(args, "--out", f.out)
	}
	return report.Command(append([]string{"report"}, args...)...)
}
