package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
)

// preferred is the flag --prefer of commands that order or draw names.
type preferred struct{ prefer string }

// defaultPreferred is what the flag is where none is given.
func defaultPreferred() preferred { return preferred{string(dataset.Near)} }

// flag adds --prefer. what begins its help: the names that the flag chooses among.
func (p *preferred) flag(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&p.prefer, "prefer", defaultPreferred().prefer, what+": near, which mislead most; even, without regard to that")
	_ = cmd.RegisterFlagCompletionFunc("prefer", cobra.FixedCompletions([]string{string(dataset.Near), string(dataset.Even)}, cobra.ShellCompDirectiveNoFileComp))
}

// parsePrefer parses --prefer.
func (p *preferred) parsePrefer() (dataset.Prefer, error) {
	prefer, err := dataset.ParsePrefer(p.prefer)
	if err != nil {
		return "", fmt.Errorf("--prefer %w", err)
	}
	return prefer, nil
}
