package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark/evoschema"
	"github.com/tabperturb/tabperturb/dataset/formats"
)

// evoschemaCmd returns the command convert evoschema.
func (a *app) evoschemaCmd() *cobra.Command {
	var out, split string
	cmd := &cobra.Command{
		Use:     "evoschema FILE…",
		Short:   "Check and repair EvoSchema's evolved schemas",
		Long:    help("evoschema"),
		Example: examples("evoschema"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.evoschema(cmd.Context(), args, out, split)
			if err != nil {
				return err
			}
			return a.print(s, func(w io.Writer) error {
				err := s.WriteText(w)
				if err == nil {
					_, err = fmt.Fprintf(w, "wrote %s\n", out)
				}
				return err
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&out, "out", "", "folder to write")
	fl.StringVar(&split, "split", "dev", "name of the file of examples")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print the counts as JSON")
	require(cmd, "out")
	return cmd
}

// evoschema repairs files of EvoSchema, writes them to the folder out and returns the counts.
func (a *app) evoschema(ctx context.Context, files []string, out, split string) (*evoschema.Summary, error) {
	if err := formats.CheckSplit(split); err != nil {
		return nil, fmt.Errorf("--%w", err) // it begins with "split"
	}
	step, done := a.start("convert evoschema", unknownTotal)
	defer done()
	return evoschema.Run(ctx, evoschema.Config{Files: files, Out: out, Split: split, Seed: a.seed, Step: step, Report: a.report})
}
