// Command train makes the files that are embedded in the product: the weights of
// the models of column names and of questions, and the word vectors.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// main runs the command that the arguments name, until it ends or is interrupted.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := root().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(2)
	}
}

// root returns the program: a command for each file or group of files that it trains.
func root() *cobra.Command {
	root := &cobra.Command{
		Use:   "train",
		Short: "Make the embedded weights and word vectors",
		Long: `train makes the files that are embedded in tabperturb. The same inputs and seed give
the same bytes. MODELS.md says what each was made from, NOTICE under which licences.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	var seed uint64
	root.PersistentFlags().Uint64Var(&seed, "seed", 1, "seed of all random choices")
	root.AddCommand(namesCmd(&seed), questionsCmd(&seed), vectorsCmd(&seed), proposalsCmd(&seed), validityCmd(), statisticsCmd())
	return root
}

// write writes a file whole or not at all.
func write(path string, data []byte) error {
	return outdir.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// require makes flags mandatory.
func require(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		_ = cmd.MarkFlagRequired(name)
	}
}
