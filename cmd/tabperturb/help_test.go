package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabperturb/tabperturb/internal/command"
)

// TestHelp holds every command to a help that says what it does, with examples
// whose commands and flags there are.
func TestHelp(t *testing.T) {
	n := 0
	walk(command.Root(), func(cmd *cobra.Command) {
		n++
		path := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help is %q, expected a phrase without a full stop", path, cmd.Short)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s has no help", path, f.Name)
			}
		})
		if cmd.Parent() == cmd.Root() && cmd.GroupID == "" {
			t.Errorf("%s: stands in no group of the help", path)
		}
		if cmd.Example == "" {
			t.Errorf("%s: help has no example", path)
		}
		for line := range strings.Lines(cmd.Example) {
			checkExample(t, path, strings.TrimSuffix(line, "\n"))
		}
	})
	if n < 15 {
		t.Errorf("%d commands found, expected all of them", n)
	}
}

func walk(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		walk(c, f)
	}
}

func checkExample(t *testing.T, path, line string) {
	t.Helper()
	if !strings.HasPrefix(line, "  "+path) {
		t.Errorf("%s: example %q, expected it to begin with two blanks and the command", path, line)
	} else if err := parseLine(line); err != nil {
		t.Errorf("%s: example %q: %v", path, line, err)
	}
}

// parseLine says what is wrong with the command and flags of a line.
func parseLine(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0] != "tabperturb" {
		return errors.New("expected a line that begins with tabperturb")
	}
	// A root of its own, for flags keep their values.
	cmd, args, err := command.Root().Find(fields[1:])
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(args); err != nil {
		return err
	}
	return cmd.ValidateRequiredFlags()
}
