package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp holds every command to a help that says what it does, with examples
// whose commands and flags there are.
func TestHelp(t *testing.T) {
	a := &app{stdout: io.Discard, stderr: io.Discard}
	n := 0
	walk(a.root(), func(cmd *cobra.Command) {
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
		if cmd.HasSubCommands() && cmd.Parent() != nil {
			return // its commands have the examples
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
	fields := strings.Fields(line)
	if !strings.HasPrefix(line, "  "+path) || len(fields) == 0 || fields[0] != "tabperturb" {
		t.Errorf("%s: example %q, expected it to begin with two blanks and the command", path, line)
		return
	}
	// A root of its own, for flags keep their values.
	cmd, args, err := (&app{}).root().Find(fields[1:])
	if err == nil {
		err = cmd.ParseFlags(args)
	}
	if err == nil {
		err = cmd.ValidateRequiredFlags()
	}
	if err != nil {
		t.Errorf("%s: example %q: %v", path, line, err)
	}
}
