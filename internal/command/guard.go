package command

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
)

// inputFlag is the value of a flag that names files or folders to read, see [filecheck.Inputs.Add].
type inputFlag struct{ pflag.Value }

// values returns the values of a flag that takes a list, or the one value of another flag, which may be empty.
func (f inputFlag) values() []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.String()}
}

// outputFlag is the value of a flag that names a file or folder to write.
type outputFlag struct{ pflag.Value }

// markInputs marks flags of a command as names of inputs, for [app.guard].
func markInputs(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		f := cmd.Flags().Lookup(name)
		f.Value = inputFlag{f.Value}
		if f.DefValue == "[]" { // the help prints no default of an empty list, but knows only types of pflag
			f.DefValue = ""
		}
	}
}

// markOutputs marks flags of a command as names of outputs, for [app.guard].
func markOutputs(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		f := cmd.Flags().Lookup(name)
		f.Value = outputFlag{f.Value}
	}
}

// guard refuses an output of a command that would replace an input, before the command runs. All
// arguments count as inputs.
func (a *app) guard(cmd *cobra.Command, args []string) (err error) {
	a.inputs.Add(args...)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if input, ok := f.Value.(inputFlag); ok {
			a.inputs.Add(input.values()...)
		}
	})
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		output, ok := f.Value.(outputFlag)
		if !ok || err != nil || slices.Contains([]string{"", "-"}, output.String()) { // not set, or a standard stream
			return
		}
		if problem := a.inputs.CheckOutput(output.String()); problem != nil {
			err = fmt.Errorf("--%s: %w", f.Name, problem)
		}
	})
	return err
}

// writable refuses the file of a flag if it is an input or cannot be written; "" is no file.
func (a *app) writable(flag, path string) error {
	if path == "" {
		return nil
	}
	if err := cmp.Or(a.inputs.CheckOutput(path), filecheck.Writable(path)); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}
