package command

import (
	"bufio"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/nli"
)

// nliCmd returns the command nli.
func (a *app) nliCmd() *cobra.Command {
	return group("nli", "Score pairs of column names", "nli score --in pairs.tsv", a.nliScoreCmd())
}

// nliScoreCmd returns the command nli score.
func (a *app) nliScoreCmd() *cobra.Command {
	var k knowledge
	var in, out string
	cmd := &cobra.Command{
		Use:     "score",
		Short:   "Score column pairs in both directions",
		Long:    help("nli_score"),
		Example: examples("nli_score"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.openVectors(cmd.Context(), k.vectors)
			if err != nil {
				return err
			}
			c, closer, err := k.openClassifier(a, v)
			if err != nil {
				return err
			}
			defer closer()
			return a.pipe(in, out, func(r io.Reader, w io.Writer) error { return nli.ScoreRows(cmd.Context(), c, in, r, w) })
		},
	}
	k.scoringFlags(cmd)
	ioFlags(cmd, &in, &out)
	return cmd
}

// ioFlags adds --in and --out to a command that turns a TSV file into another.
func ioFlags(cmd *cobra.Command, in, out *string) {
	cmd.Flags().StringVar(in, "in", "-", "file to read; - is standard input")
	cmd.Flags().StringVar(out, "out", "-", "file to write; - is standard output")
	markInputs(cmd, "in")
	markOutputs(cmd, "out")
}

// pipe calls f with a reader of the file in and a writer of the file out, where "-" is a standard stream. The output file
// appears whole or not at all.
func (a *app) pipe(in, out string, f func(io.Reader, io.Writer) error) error {
	r := a.stdin
	if in != "-" {
		file, err := os.Open(in)
		if err != nil {
			return err
		}
		defer file.Close()
		r = file
	}
	if out == "-" {
		w := bufio.NewWriter(a.stdout)
		if err := f(r, w); err != nil {
			return err
		}
		return w.Flush()
	}
	if err := filecheck.Writable(out); err != nil {
		return err
	}
	return outdir.WriteFile(out, func(w io.Writer) error { return f(r, w) })
}
