package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

type convertFlags struct {
	from, to, out, split string
	lossy                bool
}

// convertCmd returns the command convert.
func (a *app) convertCmd() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:     "convert",
		Short:   "Convert a data set from one format to another",
		Long:    help("convert", formatHelp()),
		Example: examples("convert"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.convert(cmd.Context(), &f) },
	}
	cmd.AddCommand(a.evoschemaCmd())
	fl := cmd.Flags()
	fl.StringVar(&f.from, "from", "", "FORMAT:PATH, a folder with a data set in a format")
	fl.StringVar(&f.to, "to", "", "format to write")
	fl.StringVar(&f.out, "out", "", "folder to write")
	markInputs(cmd, "from")
	markOutputs(cmd, "out")
	fl.StringVar(&f.split, "split", "dev", "which split to convert")
	fl.BoolVar(&f.lossy, "lossy", false, "leave out what the target has no place for")
	a.jsonFlag(cmd, "print what was done, or would be lost, as JSON")
	require(cmd, "from", "to", "out")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(completions("%s\t%s"), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("from", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(typed, ":") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return completions("%s:\t%s"), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// completions returns a shell completion for each format. form has %s for its name and its sentence: "%s\t%s".
func completions(form string) []string {
	return lists.Map(formats.All, func(f *dataset.Format) string { return fmt.Sprintf(form, f.Name, f.Doc) })
}

// formatHelp returns a paragraph for each format.
func formatHelp() string {
	var b strings.Builder
	for _, f := range formats.All {
		fmt.Fprintf(&b, "  %-8s  %s\n%12s%s\n", f.Name, f.Doc, "", f.Files)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// source returns the format and the folder of --from.
func (f *convertFlags) source() (*dataset.Format, string, error) {
	name, path, found := strings.Cut(f.from, ":")
	if !found || path == "" {
		return nil, "", fmt.Errorf("--from %q: expected FORMAT:PATH, the format one of %s", f.from, strings.Join(formats.Names(), ", "))
	}
	format, err := formats.Find(name)
	if err != nil {
		return nil, "", fmt.Errorf("--from %q: %w", f.from, err)
	}
	return format, path, nil
}

// convert converts a data set and prints a summary. If the target format cannot hold something and --lossy is not given, it
// prints what would be lost and returns an error.
func (a *app) convert(ctx context.Context, f *convertFlags) error {
	from, path, err := f.source()
	if err != nil {
		return err
	}
	to, err := formats.Find(f.to)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if err := formats.CheckSplit(f.split); err != nil {
		return fmt.Errorf("--%w", err) // it begins with "split"
	}
	set, err := from.Read(ctx, path, f.split)
	if err != nil {
		return err
	}
	step, done := a.start("convert", unknownTotal)
	summary, err := formats.Convert(ctx, set, to, f.out, formats.Options{Lossy: f.lossy, Report: a.report, Step: step})
	done()
	lost, refused := errors.AsType[*formats.LossError](err)
	switch {
	case errors.Is(err, formats.ErrNoExamples), errors.Is(err, formats.ErrNoDatabases):
		return fmt.Errorf("%s: %w", path, err)
	case err != nil && !refused:
		return err
	}
	if err := a.print(summary, func(w io.Writer) error { return summary.WriteText(w, f.out, refused) }); err != nil {
		return err
	}
	switch {
	case refused && f.lossy: // nothing was left
		return fmt.Errorf("%s: nothing of it can stand in the format %s", path, lost.Summary.To)
	case refused:
		return fmt.Errorf("%s: would lose what is listed, expected --lossy to leave it out", path)
	}
	return nil
}
