package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/console"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// app holds what all commands share: the streams and the flags of the root.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	quiet   bool
	json    bool // of the commands that have --json
	workers int
	seed    uint64

	inputs filecheck.Inputs // what flags and arguments name

	mu      sync.Mutex
	skipped int
	records int // of these, records of files
}

// shownRecords is how many bad records are reported one by one.
const shownRecords = 10

// root returns the command tabperturb with all others below it.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "tabperturb",
		Short:         "Perturb text-to-SQL data sets, prove each perturbation by execution, write benchmarks",
		Long:          help("tabperturb"),
		Example:       examples("tabperturb"),
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	f := root.PersistentFlags()
	f.BoolVar(&a.quiet, "quiet", false, "no progress on standard error")
	f.IntVar(&a.workers, "workers", runtime.GOMAXPROCS(0), "units worked on at once; never changes the output")
	f.Uint64Var(&a.seed, "seed", 1, "seed of all random choices")
	root.SetFlagErrorFunc(suggestFlag)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		return cmp.Or(atLeast("workers", a.workers, 1), a.guard(cmd, args))
	}
	a.addCommands(root)
	return root
}

// suggestFlag adds the flags with similar names to the error of an unknown flag. Cobra searches only the names of
// commands, so each flag becomes a command of that search.
func suggestFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	known := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		known.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}}) // without Run it would not be suggested
	})
	if near := known.SuggestionsFor(unknown.GetSpecifiedName()); len(near) > 0 {
		return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(near, " or --"))
	}
	return err
}

// addCommands adds the commands in groups. Commands and groups have the order in which a user needs them, not that of their
// names.
func (a *app) addCommands(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"To begin with:", []*cobra.Command{a.demoCmd(), a.initCmd(), a.listCmd(), a.versionCmd()}},
		{"Data sets:", []*cobra.Command{a.convertCmd(), a.doctorCmd(), a.statsCmd()}},
		{"Names for columns, by web tables, models and people:", []*cobra.Command{a.candidatesCmd(), a.reviewCmd(), a.corpusCmd()}},
		{"Benchmarks and training sets:", []*cobra.Command{a.buildCmd(), a.mergeCmd(), a.showCmd(), a.materializeCmd(), a.stageCmd(), a.mixCmd()}},
		{"Measuring models:", []*cobra.Command{a.evalCmd(), a.serveCmd(), a.compareCmd(), a.migrateCheckCmd(), a.suiteCmd(), a.reportCmd()}},
		{"Models as victims:", []*cobra.Command{a.predictCmd(), a.attackCmd(), a.linkCmd(), a.defendCmd(), a.reproduceCmd()}},
		{"Word vectors, dictionaries and NLI:", []*cobra.Command{a.modelsCmd(), a.lexiconCmd(), a.nliCmd()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
}

// group returns a command that has only subcommands. Without a subcommand it prints its help.
func group(name, short, example string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Example: "  tabperturb " + example, Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

// require marks flags that must be given.
func require(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		_ = cmd.MarkFlagRequired(name)
	}
}

// skip prints why a record cannot be used, and counts it for the exit code. Of the records of files it prints the first
// shownRecords.
func (a *app) skip(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.skipped++
	if _, ok := errors.AsType[*dataset.RecordError](err); ok {
		if a.records++; a.records > shownRecords {
			return
		}
	}
	fmt.Fprintln(a.stderr, "tabperturb:", oneLine(err))
}

// reportUnshown prints the number of bad records that were not printed one by one.
func (a *app) reportUnshown() {
	if more := a.records - shownRecords; more > 0 {
		fmt.Fprintf(a.stderr, "tabperturb: and %s that cannot be used\n", table.Count(more, "more record"))
	}
}

// warn prints a note. It does not change the exit code.
func (a *app) warn(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(a.stderr, "tabperturb: note:", oneLine(err))
}

// report prints a note by warn, and any other error by skip.
func (a *app) report(err error) {
	if dataset.IsNote(err) {
		a.warn(err)
	} else {
		a.skip(err)
	}
}

// outcome returns the error of a command that skipped records.
func (a *app) outcome() error {
	if a.skipped > 0 {
		return errSkipped
	}
	return nil
}

// terminal reports whether progress may be shown on standard error.
func (a *app) terminal() bool { return !a.quiet && console.IsTerminal(a.stderr) }

// unknownTotal is the total of a progress bar whose number of steps is not known.
const unknownTotal = -1

// start shows a progress bar on standard error if that is a terminal. Each call of step is one of total steps; done removes the bar.
func (a *app) start(what string, total int) (step func(), done func()) {
	if !a.terminal() {
		return func() {}, func() {}
	}
	return console.Progress(a.stderr, what, total)
}

// starting returns start for packages that know the total.
func (a *app) starting(what string) func(total int) (step, done func()) {
	return func(total int) (step, done func()) { return a.start(what, total) }
}

// colours reports whether standard output is a terminal that wants colours.
func (a *app) colours() bool { return console.IsTerminal(a.stdout) && os.Getenv("NO_COLOR") == "" }

// bold marks a heading where standard output has colours.
func (a *app) bold(s string) string {
	if !a.colours() {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// jsonFlag adds --json to a command that ends with [app.print].
func (a *app) jsonFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVar(&a.json, "json", false, usage)
}

// print prints the result of a command: v as JSON with --json, otherwise what text writes, without control characters.
func (a *app) print(v any, text func(io.Writer) error) error {
	if a.json {
		return table.JSON(a.stdout, v)
	}
	w := bufio.NewWriter(a.stdout)
	if err := text(&console.Visible{W: w}); err != nil {
		return err
	}
	return w.Flush()
}

// printResult prints the result of a command as JSON or by its WriteText. If the command failed, it only returns err.
func (a *app) printResult(result interface{ WriteText(io.Writer) error }, err error) error {
	if err != nil {
		return err
	}
	return a.print(result, result.WriteText)
}

// printText prints v with --json, otherwise a text by a format of [fmt.Fprintf].
func (a *app) printText(v any, format string, args ...any) error {
	return a.print(v, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format, args...)
		return err
	})
}

// atLeast returns an error unless the value of a flag is low or more.
func atLeast(flag string, value, low int) error {
	if value < low {
		return fmt.Errorf("--%s %d: expected %d or more", flag, value, low)
	}
	return nil
}

// inRange returns an error unless the value of a flag lies in low to high.
func inRange(flag string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("--%s %d: expected %d to %d", flag, value, low, high)
	}
	return nil
}

// oneOf returns an error unless the value of a flag is one of its choices, two or more.
func oneOf(flag, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	last := len(choices) - 1
	return fmt.Errorf("--%s %q: expected %s or %s", flag, value, strings.Join(choices[:last], ", "), choices[last])
}

// probability returns an error unless the value of a flag lies in 0 to 1.
func probability(flag string, value float64) error {
	if value >= 0 && value <= 1 { // false for NaN
		return nil
	}
	return fmt.Errorf("--%s %v: expected 0 to 1", flag, value)
}

// shownOf returns how many items of a list to print: limit, or -1 (no limit) with --all.
func shownOf(all bool, limit int) int {
	if all {
		return -1
	}
	return limit
}

// mapEach returns the results of f for the items of a list, or its first error.
func mapEach[T, U any](list []T, f func(T) (U, error)) (results []U, err error) {
	for _, item := range list {
		result, err := f(item)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// formatFlags adds --format and --json to a command that prints a [table.Page]. The format is checked before the command
// runs.
func (a *app) formatFlags(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "format of the tables: "+strings.Join(table.Formats(), ", "))
	a.jsonFlag(cmd, "print as JSON, the same as --format json")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if a.json {
			*format = "json"
		}
		if !slices.Contains(table.Formats(), *format) {
			return fmt.Errorf("--format %q: expected %s", *format, strings.Join(table.Formats(), ", "))
		}
		return nil
	}
}
